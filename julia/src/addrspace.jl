# Everything that this package knows about Julia's private layout is in this file, and
# `check_julia` tries all of it when the package is loaded.
#
# A memory is three words: length, pointer, owner. The collector marks the owner as long as
# the memory lives, and never reads through the pointer if the element type is pointer-free.
# Julia's own constructors refuse an address space other than `Core.CPU`, so the object is
# allocated with its final type and its words are set here.
#
# The kind is `:pjrt` and not `:not_atomic`: Base reads elements of a `:not_atomic` memory
# through its pointer whatever the address space, which ends the process where the host
# cannot see the bytes. For a kind of our own no such method exists.

"""
    AddressSpace(id)

One address space: a (client, device, memory kind) of a loaded plugin, and the last
parameter of a [`DeviceMemory`](@ref) and [`PJRTArray`](@ref). `PJRTMemory.load` gives them
out, [`space_info`](@ref) tells what one is. `id` is 0 to 255.
"""
const AddressSpace = Core.AddrSpace{@__MODULE__}

AddressSpace(id::UInt8) = Base.bitcast(AddressSpace, id)
AddressSpace(id::Integer) = AddressSpace(UInt8(id))

"""
    DeviceMemory{T,AS}(undef, n)
    DeviceMemory{T}(undef, n; space = default_space())

Uninitialized memory for `n` elements of type `T` in the address space `AS`. It is a
`GenericMemory`: `length`, `memoryref` and its arithmetic are Julia's own.

The buffer is freed when the last memory, reference, view or reshape of it is gone, or by
[`free!`](@ref). Throws `ArgumentError` for an element type that a device cannot hold, for a
length that is negative or too large, for an address space that is not loaded, and while
Julia precompiles; [`PJRTError`](@ref) if the device has no room. Safe from any thread.

Two builtins of Julia read a memory through its pointer and cannot be kept from it:
splatting one (`f(memory...)`) and `Core.memoryrefget`. Where the host cannot see the bytes
they end the process. A [`PJRTArray`](@ref) has neither.

```julia
space, = PJRTMemory.load(:cpu)
m = DeviceMemory{Float32,space}(undef, 1000)
fill!(m, 1)
```
"""
const DeviceMemory{T,AS} = GenericMemory{:pjrt,T,AS}

const DeviceMemoryRef{T,AS} = GenericMemoryRef{:pjrt,T,AS}

"The number of the address space in the C interface."
space_id(space::AddressSpace) = Base.bitcast(UInt8, space)
@noinline function space_id(other)
    throw(ArgumentError("$(repr(other)) is no address space of PJRTMemory; \
                         PJRTMemory.load and spaces() give them"))
end

function Base.show(io::IO, space::AddressSpace)
    return print(io, "PJRTMemory.AddressSpace(", space_id(space), ')')
end

const MEMORY_WORDS = 3

"""
    new_memory(M, n, address, owner)

A memory of type `M` over `n` elements at `address` that keeps `owner` alive.

Not inlined, and `owner` is an argument: otherwise the optimizer may find that the owner
never escapes and put it on the stack. `M` is not specialized on, so that a second address
space costs no compilation here.
"""
@noinline function new_memory(
    @nospecialize(M::Type), n::Int, address::Ptr, @nospecialize(owner)
)
    state = @ccall jl_get_ptls_states()::Ptr{Cvoid}
    bytes = MEMORY_WORDS * sizeof(Ptr{Cvoid})
    # No safepoint may lie between here and the conversion to an object: the collector must
    # not meet words that are not set.
    object = @ccall jl_gc_alloc_typed(
        state::Ptr{Cvoid}, bytes::Csize_t, M::Any
    )::Ptr{Ptr{Cvoid}}
    unsafe_store!(object, Ptr{Cvoid}(n), 1)
    unsafe_store!(object, address, 2)
    unsafe_store!(object, @ccall(jl_value_ptr(owner::Any)::Ptr{Cvoid}), MEMORY_WORDS)
    return unsafe_pointer_to_objref(object)
end

"The object that `new_memory` put into a memory."
function memory_owner(@nospecialize(memory::GenericMemory{:pjrt}))
    GC.@preserve memory begin
        object = @ccall jl_value_ptr(memory::Any)::Ptr{Ptr{Cvoid}}
        return unsafe_pointer_to_objref(unsafe_load(object, MEMORY_WORDS))
    end
end

"Whether Julia is writing a precompile image, into which device memory must not get."
generating_output() = @ccall(jl_generating_output()::Cint) != 0

const FITTING_JULIAS = (v"1.11", v"1.12", v"1.13")

"""
Refuse a Julia whose memories are not laid out as this file has it: by version, since a new
layout may look right in the few places that can be tried, and by trying.
"""
function check_julia()
    minor = VersionNumber(VERSION.major, VERSION.minor)
    fits = minor in FITTING_JULIAS && Sys.WORD_SIZE == 64 && layout_fits()
    fits || error(
        "PJRTMemory does not fit this Julia ($VERSION, $(Sys.WORD_SIZE) bits): it sets up \
         memory objects itself, and knows how in the 64-bit Julia \
         $(join(FITTING_JULIAS, ", ", " and "))",
    )
    return nothing
end

function layout_fits()
    M = DeviceMemory{Int32,AddressSpace(0)}
    fields_fit = fieldnames(M) == (:length, :ptr) &&
        fieldoffset(M, 1) == 0 &&
        fieldoffset(M, 2) == sizeof(Ptr{Cvoid})
    return fields_fit && memory_fits(M, Ptr{Cvoid}(4096), Ref(0))
end

# Nothing is read at the address: that is the point.
function memory_fits(M, address, owner)
    memory = new_memory(M, 3, address, owner)
    last = memoryref(memory, 3)
    return typeof(memory) === M &&
        length(memory) == 3 &&
        memory.ptr === address &&
        memory_owner(memory) === owner &&
        last.mem === memory &&
        Base.memoryrefoffset(last) == 3 &&
        last.ptr_or_offset === address + 2 * sizeof(Int32)
end
