# Broadcasting. Without a compiler the only broadcasts that run on a device are the plain
# assignments `d .= x` and `d .= A`; any other says so, or loops where that is permitted.

struct PJRTStyle{N} <: Broadcast.AbstractArrayStyle{N} end
PJRTStyle{M}(::Val{N}) where {M,N} = PJRTStyle{N}()

Base.BroadcastStyle(::Type{<:PJRTArray{<:Any,N}}) where {N} = PJRTStyle{N}()

function Base.similar(bc::Broadcasted{<:PJRTStyle}, ::Type{T}) where {T}
    return PJRTArray{T}(undef, size(bc); space=first_space(bc.args...))
end

"The address space of the first device array in a broadcast."
first_space(A::PJRTArray, rest...) = space_for(A)
first_space(bc::Broadcasted, rest...) = first_space(bc.args..., rest...)
first_space(_, rest...) = first_space(rest...)
first_space() = default_space()

function Base.copy(bc::Broadcasted{<:PJRTStyle})
    require_scalar("a broadcast")
    return invoke(copy, Tuple{Broadcasted}, bc)
end
function Base.copy(bc::Broadcasted{PJRTStyle{0}})
    require_scalar("a broadcast")
    return bc[CartesianIndex()]
end

Base.copyto!(dest::AbstractArray, bc::Broadcasted{<:PJRTStyle}) = assign!(dest, bc)
Base.copyto!(dest::AbstractArray, bc::Broadcasted{PJRTStyle{0}}) = assign!(dest, bc)

function assign!(dest, bc)
    bc.f === identity && assign_whole!(dest, only(bc.args)) && return dest
    require_scalar("a broadcast")
    return copyto!(dest, convert(Broadcasted{Nothing}, bc))
end

"Whether `dest .= source` was done as one copy or fill."
assign_whole!(dest, source) = false
function assign_whole!(dest, source::Union{Number,Ref})
    fill!(dest, source[])
    return true
end
function assign_whole!(dest, source::AbstractArray)
    if axes(dest) == axes(source)
        copyto!(dest, source)
        return true
    end
    return ndims(source) == 0 && assign_whole!(dest, Ref(source[]))
end
