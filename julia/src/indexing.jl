# Indexing with ranges, colons, arrays and masks. A contiguous part stays on its device; any
# other goes through the host in one transfer each way.

function Base.getindex(A::PJRTArray{T,<:Any,AS}, indices...) where {T,AS}
    indices = map(on_host, indices)
    I = to_indices(A, indices)
    I isa Tuple{Vararg{Integer}} && return A[linear_index(A, I)]
    checkbounds(A, I...)
    part = view(A, I...)
    part isa PJRTArray && return copy(part)
    return PJRTArray(Array(A)[indices...]; space=AS)
end

function Base.setindex!(A::PJRTArray, values, indices...)
    indices = map(on_host, indices)
    I = to_indices(A, indices)
    I isa Tuple{Vararg{Integer}} && return setindex!(A, values, linear_index(A, I))
    checkbounds(A, I...)
    part = view(A, I...)
    part isa PJRTArray || return scatter!(A, on_host(values), indices)
    Base.setindex_shape_check(values, map(length, I)...)
    copyto!(part, values)
    return A
end

function scatter!(A, values, indices)
    host = Array(A)
    host[indices...] = values
    return copyto!(A, host)
end

"The same elements on the host."
on_host(x) = x
on_host(x::OnDevice) = Array(x)

function linear_index(A, I)
    checkbounds(A, I...)
    return @inbounds LinearIndices(A)[I...]
end
