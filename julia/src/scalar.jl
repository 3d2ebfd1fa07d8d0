# Single elements. Base's element access is closed for device memory; what is open is a
# transfer of one element, on request.

const SCALAR_ALLOWED = ScopedValue(false)

"""
    PJRTMemory.allowscalar(f)

Run `f()` with reading and writing single elements of device memory permitted, in this task
and in tasks that it starts. Each element is a transfer of its own, so this is for tests and
for looking at a value, not for loops over data. Everything in Base that works element by
element then works too.

```julia
d = PJRTArray([1.0, 2.0])
PJRTMemory.allowscalar() do
    d[1] + sum(d)
end
```
"""
allowscalar(f) = with(f, SCALAR_ALLOWED => true)

"""
    PJRTMemory.@allowscalar expression

Evaluate one expression as [`PJRTMemory.allowscalar`](@ref) does: `PJRTMemory.@allowscalar
d[2]`.
"""
macro allowscalar(expression)
    return :(@with SCALAR_ALLOWED => true $(esc(expression)))
end

"Throw unless single elements are permitted. `what` starts the message."
require_scalar(what) = SCALAR_ALLOWED[] ? nothing : throw_scalar(what)

@noinline function throw_scalar(what)
    throw(
        HostAccessError(
            "$what would reach single elements of device memory from the host. Use whole \
             arrays (copyto!, fill!, ranges), copy the data first (`Array(d)`), work on \
             `hostview(d)` where the memory is host-visible, or permit it with \
             `PJRTMemory.allowscalar() do ... end`.",
        ),
    )
end

function read_scalar(x, i)
    checkbounds(x, i)
    require_scalar("reading an element")
    return read_element(x, i)
end

function write_scalar!(x, value, i)
    checkbounds(x, i)
    require_scalar("writing an element")
    fill_region!(region(x, i, 1), convert(eltype(x), value))
    return x
end

# Not on the union of both: next to the indexing of arrays that would be ambiguous.
for X in (DeviceMemory, PJRTArray)
    @eval Base.getindex(x::$X, i::Int) = read_scalar(x, i)
    @eval Base.setindex!(x::$X, value, i::Int) = write_scalar!(x, value, i)
end

function Base.getindex(reference::DeviceMemoryRef)
    return reference.mem[Base.memoryrefoffset(reference)]
end

function Base.setindex!(reference::DeviceMemoryRef, value)
    reference.mem[Base.memoryrefoffset(reference)] = value
    return reference
end

function read_element(x::OnDevice{T}, i) where {T}
    element = Ref{T}()
    GC.@preserve element begin
        address = Base.unsafe_convert(Ptr{T}, element)
        copy_to_host!(Ptr{Cvoid}(address), region(x, i, 1))
    end
    return element[]
end

# Every element of pointer-free memory is assigned.
Base.isassigned(memory::DeviceMemory, i::Int) = checkbounds(Bool, memory, i)
Base.isassigned(A::PJRTArray, i::Int...) = checkbounds(Bool, A, i...)
Base.isassigned(::DeviceMemoryRef) = true

# What of Base reads through the pointer asks this first, so that it ends here.
function Base.default_access_order(::Union{DeviceMemory,DeviceMemoryRef})
    return throw_scalar("element access of Base")
end

# These name the access order themselves (Julia 1.12 has them). The signatures are Base's.
@static if isdefined(Base, :getindex_atomic)
    for (name, arguments) in (
        :getindex_atomic => (:(order::Symbol), :(i::Int)),
        :setindex_atomic! => (:(order::Symbol), :value, :(i::Int)),
        :setindexonce_atomic! =>
            (:(success::Symbol), :(failure::Symbol), :value, :(i::Int)),
        :modifyindex_atomic! => (:(order::Symbol), :op, :value, :(i::Int)),
        :swapindex_atomic! => (:(order::Symbol), :value, :(i::Int)),
        :replaceindex_atomic! =>
            (:(success::Symbol), :(failure::Symbol), :expected, :desired, :(i::Int)),
    )
        @eval Base.$name(::DeviceMemory, $(arguments...)) = throw_atomic()
    end
end

@noinline function throw_atomic()
    throw(HostAccessError("device memory has no atomic access from the host; copy the data \
                           with `Array(d)` or use `hostview(d)`"))
end

# Splatting a memory, `f(memory...)`, is a builtin that reads through the pointer, and no
# method can prevent it. These functions of Base splat what they are given, so they refuse a
# memory. All of reflection (`methods`, `code_typed` …) does it in `to_tuple_type`.
for (name, before) in (
    :iterate => (OnDevice,),
    :circshift => (AbstractArray,),
    :circshift! => (AbstractArray, AbstractArray),
    :to_tuple_type => (),
)
    arguments = [:(::$T) for T in before]
    @eval Base.$name($(arguments...), ::DeviceMemory) = throw_scalar("splatting a memory")
end
