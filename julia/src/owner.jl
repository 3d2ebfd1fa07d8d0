# The object that stands for one buffer of the library. Every memory over the buffer keeps
# it alive, and whether the buffer is freed is known here only.

"""
    Owner(handle, space)

Holds the buffer `handle` for Julia. The buffer is given back by the finalizer, or earlier
by `free!`, which sets the handle to 0.
"""
mutable struct Owner
    @atomic handle::UInt64
    const space::UInt8
    Owner(handle, space) = finalizer(release, new(handle, space))
end

"The handle of the buffer; throws if it was freed."
function handle(owner::Owner)
    value = @atomic :acquire owner.handle
    value == 0 && throw_freed()
    return value
end

"""
Give one hold on a buffer back, from a finalizer: the library only queues it. An error is
dropped, since a finalizer has nobody to tell; that the buffer is freed already is one.
"""
function release(handle::UInt64)
    free_error(@ccall $(library().release)(handle::UInt64)::Ptr{Cvoid})
    return nothing
end

function release(owner::Owner)
    value = @atomic :acquire owner.handle
    value == 0 || release(value)
    return nothing
end

# As in the C interface.
struct RawBufferInfo
    struct_size::Csize_t
    space::UInt32
    type::Int32
    count::Csize_t
    bytes::Csize_t
    holders::UInt32
    address::Ptr{Cvoid}
end

"""
    allocate(space, code, size, count)

The owner of a new buffer of `count` elements of `size` bytes, and the address that stands
for it in Julia.
"""
@noinline function allocate(space::UInt8, code::Int32, size::Int, count::Int)
    generating_output() && throw_precompiling()
    space_info(space)
    check_count(count, size)
    buffer = Ref{UInt64}()
    @pjrtmem gc_safe alloc(space::UInt32, code::Int32, count::Csize_t, buffer::Ptr{UInt64})
    owner = Owner(buffer[], space)
    info = Ref(sized(RawBufferInfo))
    @pjrtmem get_buffer_info(buffer[]::UInt64, info::Ptr{RawBufferInfo})
    return owner, info[].address
end

function check_count(count, size)
    count < 0 && throw(ArgumentError("invalid length $count: it is negative"))
    count <= typemax(Int) ÷ size ||
        throw(ArgumentError("invalid length $count: so many elements of $size bytes are \
                             more than an address can reach"))
    return nothing
end

@noinline function throw_precompiling()
    throw(ArgumentError("device memory cannot be made while Julia precompiles: the image \
                         would be written by reading through its address. Make it when the \
                         program runs, in `__init__` or later."))
end

"""
    free!(x)

Free the device memory behind the memory or array `x` now. Everything over the same buffer
is freed with it: views, reshapes, the memory and its references. Every later transfer from
or to any of them throws a [`PJRTError`](@ref) that says so. Freeing again does nothing.

Throws `PJRTError` while a host view (see [`hostview`](@ref)) of the buffer is still out.
Without `free!` the buffer is freed when the last of them is collected. Safe from any
thread. Returns `nothing`.

```julia
d = PJRTArray(rand(1000))
free!(d)
isfreed(d)      # true
```
"""
free!(x) = free!(buffer_owner(x))

function free!(owner::Owner)
    value = @atomic :acquire owner.handle
    value == 0 && return nothing
    error = @ccall $(library().free)(value::UInt64)::Ptr{Cvoid}
    # Another task that frees the same buffer may have been faster, which is as good.
    error == C_NULL || ignore_stale(take_error(error))
    @atomic :release owner.handle = 0
    return nothing
end

ignore_stale(e::PJRTError) = e.code == STALE_HANDLE ? nothing : throw(e)

"""
    isfreed(x)

Whether the device memory behind the memory or array `x` was freed with [`free!`](@ref).
"""
isfreed(x) = (@atomic :acquire buffer_owner(x).handle) == 0
