# The bytes that a memory or an array covers, free of element type and address space: what
# the transfers work on.

struct Region
    owner::Owner
    offset::Int
    bytes::Int
end

"Memory and arrays on a device."
const OnDevice{T} = Union{DeviceMemory{T},PJRTArray{T}}

"""
    region(x)
    region(x, first, n)

All bytes of `x`, or of `n` elements from the `first` on. Throws if the memory was freed.
"""
region(x::OnDevice) = region(x, 1, length(x))
function region(x::OnDevice{T}, first::Integer, n::Integer) where {T}
    owner = buffer_owner(x)
    handle(owner)
    offset = start_offset(x) + Int(first) - 1
    return Region(owner, offset * sizeof(T), Int(n) * sizeof(T))
end

"The elements that lie before `x` in its memory."
start_offset(::DeviceMemory) = 0
start_offset(A::PJRTArray) = Base.memoryrefoffset(A.ref) - 1

host_visible(region::Region) = space_info(region.owner.space).host_visible
