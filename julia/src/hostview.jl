# The device's bytes under a host address, where the host can see them.

"The address of the region for the host, once no pending work touches the buffer."
function host_address(region::Region)
    host_visible(region) || throw_hidden(region.owner.space)
    address = Ref{Ptr{Cvoid}}()
    @pjrtmem gc_safe host_address(handle(region.owner)::UInt64, address::Ptr{Ptr{Cvoid}})
    return address[] + region.offset
end

@noinline function throw_hidden(space)
    throw(HostAccessError("the host cannot see the memory of address space $space \
                           ($(label(space_info(space)))), so it has no address there. Copy \
                           the data with `Array(d)` or `copyto!`."))
end

address_region(x::OnDevice) = region(x)
address_region(r::DeviceMemoryRef) = region(r.mem, Base.memoryrefoffset(r), 0)

# `pointer`, BLAS, `write` and `ccall` arguments come through here. The methods for
# `Ptr{Cvoid}` and for the element type are as specific as Base's own.
for X in (DeviceMemory, DeviceMemoryRef, PJRTArray)
    @eval Base.unsafe_convert(::Type{Ptr{S}}, x::$X) where {S} =
        Ptr{S}(host_address(address_region(x)))
    @eval Base.unsafe_convert(::Type{Ptr{T}}, x::$X{T}) where {T} =
        Ptr{T}(host_address(address_region(x)))
    @eval Base.unsafe_convert(::Type{Ptr{Cvoid}}, x::$X) = host_address(address_region(x))
end

"""
    hostview(A::PJRTArray)
    hostview(memory::DeviceMemory)

An `Array` over the same bytes, without a copy, where the host can see the memory; pending
work on the buffer is waited for. Writes through it are seen by every later transfer and
program.

The view holds the buffer: it stays until the view and everything made from the view is
collected, and [`free!`](@ref) throws until then. Throws [`HostAccessError`](@ref) where the
memory is not host-visible. Nothing guards the bytes against work that is started while the
view is in use.

```julia
d = PJRTArray(zeros(3))
hostview(d)[2] = 5
Array(d)                # [0, 5, 0]
```
"""
function hostview(x::OnDevice{T}) where {T}
    bytes = region(x)
    address = Ptr{T}(host_address(bytes))
    # Of no bytes there is no view to hold.
    isempty(x) && return Array{T}(undef, size(x))
    held = handle(bytes.owner)
    @pjrtmem retain(held::UInt64)
    host = unsafe_wrap(Array, address, size(x))
    # On the memory and not on the array: arrays made from this one share the memory only.
    # And not through the owner field, which Base takes for a string when it makes one.
    finalizer(_ -> release(held), getfield(host, :ref).mem)
    return host
end
