# Moving bytes between host and device, and between devices.

"""
How much is moved in one call where the library itself copies (host-visible memory): about a
millisecond, after which a collection that another thread waits for may run. A multiple of
every element size.
"""
const CHUNK = 4 << 20

"""
Call `f(offset, length)` for one chunk of `bytes` after the other. Memory that the host
cannot see is moved by its plugin, for which one long call is better; `gc_safe` keeps that
from holding up collections.
"""
function each_chunk(f, bytes, in_chunks)
    offset = 0
    while offset < bytes
        length = in_chunks ? min(CHUNK, bytes - offset) : bytes
        f(offset, length)
        offset += length
        GC.safepoint()
    end
    return nothing
end

"Write the region from the host bytes at `src`, which the caller keeps alive."
function copy_from_host!(dst::Region, src::Ptr{Cvoid})
    owner = dst.owner
    GC.@preserve owner each_chunk(dst.bytes, host_visible(dst)) do offset, length
        @pjrtmem gc_safe copy_from_host(
            handle(owner)::UInt64,
            (dst.offset + offset)::Csize_t,
            (src + offset)::Ptr{Cvoid},
            length::Csize_t,
        )
    end
    return nothing
end

"Read the region into the host bytes at `dst`, which the caller keeps alive."
function copy_to_host!(dst::Ptr{Cvoid}, src::Region)
    owner = src.owner
    GC.@preserve owner each_chunk(src.bytes, host_visible(src)) do offset, length
        @pjrtmem gc_safe copy_to_host(
            handle(owner)::UInt64,
            (src.offset + offset)::Csize_t,
            (dst + offset)::Ptr{Cvoid},
            length::Csize_t,
        )
    end
    return nothing
end

"Copy between two regions of one length, in whatever spaces they are; they may overlap."
function copy_region!(dst::Region, src::Region)
    from, to = src.owner, dst.owner
    # Ranges of one buffer may overlap, which is right within one call only.
    in_chunks = from !== to && host_visible(dst) && host_visible(src)
    GC.@preserve from to each_chunk(dst.bytes, in_chunks) do offset, length
        @pjrtmem gc_safe copy(
            handle(to)::UInt64,
            (dst.offset + offset)::Csize_t,
            handle(from)::UInt64,
            (src.offset + offset)::Csize_t,
            length::Csize_t,
        )
    end
    return nothing
end

"Write the bytes of `value` all over the region."
function fill_region!(dst::Region, value::T) where {T}
    owner, pattern = dst.owner, Ref(value)
    GC.@preserve owner each_chunk(dst.bytes, host_visible(dst)) do offset, length
        @pjrtmem gc_safe fill(
            handle(owner)::UInt64,
            (dst.offset + offset)::Csize_t,
            length::Csize_t,
            pattern::Ptr{T},
            sizeof(T)::Csize_t,
        )
    end
    return nothing
end

"Host arrays whose elements lie one after the other, so that their address will do."
const DenseHost{T} = Union{
    Array{T},
    Memory{T},
    Base.FastContiguousSubArray{T,<:Any,<:Union{Array{T},Memory{T}}},
}

"""
    transfer!(dest, dfirst, src, sfirst, n)

Copy `n` elements, of which the caller has checked that they are there. Host elements that
are not dense, or of another type, go through a dense host array, so that it is one
transfer.
"""
function transfer!(dest::OnDevice{T}, dfirst, src::DenseHost{T}, sfirst, n) where {T}
    GC.@preserve src begin
        copy_from_host!(region(dest, dfirst, n), Ptr{Cvoid}(pointer(src, sfirst)))
    end
    return dest
end
function transfer!(dest::DenseHost{T}, dfirst, src::OnDevice{T}, sfirst, n) where {T}
    GC.@preserve dest begin
        copy_to_host!(Ptr{Cvoid}(pointer(dest, dfirst)), region(src, sfirst, n))
    end
    return dest
end
function transfer!(dest::OnDevice{T}, dfirst, src::OnDevice{T}, sfirst, n) where {T}
    copy_region!(region(dest, dfirst, n), region(src, sfirst, n))
    return dest
end
function transfer!(dest::OnDevice{T}, dfirst, src::AbstractArray, sfirst, n) where {T}
    return transfer!(dest, dfirst, copyto!(Vector{T}(undef, n), 1, src, sfirst, n), 1, n)
end
function transfer!(dest::AbstractArray, dfirst, src::OnDevice{T}, sfirst, n) where {T}
    return copyto!(dest, dfirst, transfer!(Vector{T}(undef, n), 1, src, sfirst, n), 1, n)
end
function transfer!(dest::OnDevice, dfirst, src::OnDevice{T}, sfirst, n) where {T}
    return transfer!(dest, dfirst, transfer!(Vector{T}(undef, n), 1, src, sfirst, n), 1, n)
end

"Copy all of `src` to the start of `dest`, which is as long."
write_all!(dest, src) = transfer!(dest, 1, src, firstindex(src), length(src))

function copy_elements!(dest, dfirst, src, sfirst, n)
    n < 0 && throw(ArgumentError("cannot copy $n elements: the number is negative"))
    check_range(dest, dfirst, n)
    check_range(src, sfirst, n)
    return transfer!(dest, dfirst, src, sfirst, n)
end

function check_range(A, first, n)
    # Only then the end of the range cannot overflow.
    n <= length(A) || throw(BoundsError(A, first:(first + (n - 1))))
    n == 0 || checkbounds(A, first:(first + (n - 1)))
    return nothing
end

for X in (DeviceMemory, PJRTArray)
    pairs = ((X, AbstractArray), (AbstractArray, X), (X, DeviceMemory), (X, PJRTArray))
    for (D, S) in pairs
        @eval function Base.copyto!(dest::$D, src::$S)
            return copy_elements!(dest, firstindex(dest), src, firstindex(src), length(src))
        end
        @eval function Base.copyto!(
            dest::$D, dfirst::Integer, src::$S, sfirst::Integer, n::Integer
        )
            return copy_elements!(dest, Int(dfirst), src, Int(sfirst), Int(n))
        end
    end
end

# Base has a method for these that would be as specific.
Base.copyto!(dest::PermutedDimsArray, src::PJRTArray) = copyto!(dest, Array(src))
Base.copyto!(dest::PermutedDimsArray, src::DeviceMemory) = copyto!(dest, Array(src))

function Base.fill!(x::OnDevice{T}, value) where {T}
    fill_region!(region(x), convert(T, value)::T)
    return x
end

Base.copy(x::OnDevice) = write_all!(similar(x), x)
