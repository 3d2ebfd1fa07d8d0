# Showing. The elements are read in one transfer, and Base prints them as it prints an
# `Array`.

function Base.showarg(io::IO, A::PJRTArray{T,N,AS}, toplevel) where {T,N,AS}
    name = N == 1 ? "PJRTVector{$T}" : N == 2 ? "PJRTMatrix{$T}" : "PJRTArray{$T, $N}"
    return print_place(io, name, A, AS, toplevel)
end

function Base.showarg(io::IO, memory::DeviceMemory{T,AS}, toplevel) where {T,AS}
    return print_place(io, "DeviceMemory{$T}", memory, AS, toplevel)
end

"The name of `x`, and where it is unless it is named within something else, as by a view."
function print_place(io, name, x, space, toplevel)
    toplevel || return print(io, "::", name)
    info = space_info(space)
    print(io, name, " in space ", info.id, " (", label(info), ')')
    isfreed(x) && print(io, ", freed")
    return nothing
end

# The elements of `data` under the summary of `source`.
struct HostCopy{T,N,S} <: AbstractArray{T,N}
    data::Array{T,N}
    source::S
end

Base.size(x::HostCopy) = size(x.data)
Base.IndexStyle(::Type{<:HostCopy}) = IndexLinear()
Base.getindex(x::HostCopy, i::Int) = x.data[i]
Base.showarg(io::IO, x::HostCopy, toplevel) = Base.showarg(io, x.source, toplevel)

function Base.show(io::IO, mime::MIME"text/plain", x::OnDevice)
    isfreed(x) && return summary(io, x)
    return show(io, mime, HostCopy(Array(x), x))
end

function Base.show(io::IO, x::OnDevice)
    isfreed(x) && return summary(io, x)
    return show(io, Array(x))
end
