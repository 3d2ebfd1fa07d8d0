# The array type: construction, size, and everything that makes another array over the same
# memory.

"""
    PJRTArray{T,N,AS}(undef, dims)
    PJRTArray{T}(undef, dims...; space = default_space())
    PJRTArray(A; space = default_space())
    PJRTArray{T}(A; space = default_space())

An `N`-dimensional array of `T` over a [`DeviceMemory`](@ref) in the address space `AS`,
laid out as `Base.Array`: a memory reference and a size, column-major, dense.

`PJRTArray(A)` copies the host array, range or view `A` to the device in one transfer (a
strided one is packed on the host first). A `PJRTArray` is copied within its own address
space if none is named. `Array(d)` copies back, `copyto!` copies in every direction; ranges,
`view`, `reshape`, `vec`, `selectdim` of contiguous parts stay on the device.

Throws as [`DeviceMemory`](@ref) does. The memory is shared by views and reshapes and freed
with the last of them, or by [`free!`](@ref). Safe from any thread.

```julia
d = PJRTArray([1 2; 3 4])
Array(d[:, 2])                  # [2, 4]
e = PJRTArray{Float32}(undef, 4, 3)
```
"""
mutable struct PJRTArray{T,N,AS} <: DenseArray{T,N}
    const ref::DeviceMemoryRef{T,AS}
    const size::NTuple{N,Int}
    # The size must lie within the memory from the reference on: callers see to it.
    global unsafe_array(ref::DeviceMemoryRef{T,AS}, size::Dims{N}) where {T,N,AS} =
        new{T,N,AS}(ref, size)
end

"""
    PJRTVector{T,AS}

A [`PJRTArray`](@ref) of one dimension.
"""
const PJRTVector{T,AS} = PJRTArray{T,1,AS}

"""
    PJRTMatrix{T,AS}

A [`PJRTArray`](@ref) of two dimensions.
"""
const PJRTMatrix{T,AS} = PJRTArray{T,2,AS}

function PJRTArray{T,N,AS}(::UndefInitializer, dims::Dims{N}) where {T,N,AS}
    memory = DeviceMemory{T,AS}(undef, checked_length(dims))
    return unsafe_array(memoryref(memory), dims)
end
function PJRTArray{T,N,AS}(::UndefInitializer, dims::NTuple{N,Integer}) where {T,N,AS}
    return PJRTArray{T,N,AS}(undef, map(Int, dims))
end
function PJRTArray{T,N,AS}(::UndefInitializer, dims::Vararg{Integer,N}) where {T,N,AS}
    return PJRTArray{T,N,AS}(undef, map(Int, dims))
end

function PJRTArray{T,N}(
    ::UndefInitializer, dims::NTuple{N,Integer}; space::AddressSpace=default_space()
) where {T,N}
    return PJRTArray{T,N,space}(undef, dims)
end
function PJRTArray{T,N}(
    ::UndefInitializer, dims::Vararg{Integer,N}; options...
) where {T,N}
    return PJRTArray{T,N}(undef, dims; options...)
end

function PJRTArray{T}(::UndefInitializer, dims::NTuple{N,Integer}; options...) where {T,N}
    return PJRTArray{T,N}(undef, dims; options...)
end
function PJRTArray{T}(::UndefInitializer, dims::Integer...; options...) where {T}
    return PJRTArray{T}(undef, dims; options...)
end

"The number of elements of an array of this size; throws where there can be none."
function checked_length(dims::Dims)
    any(<(0), dims) && throw(ArgumentError("invalid array size $dims: it is negative"))
    any(iszero, dims) && return 0
    n = 1
    for d in dims
        n, overflow = Base.mul_with_overflow(n, d)
        overflow && throw(ArgumentError("invalid array size $dims: it is too large"))
    end
    return n
end

"The default address space for an array made from `A`."
space_for(::AbstractArray) = default_space()
space_for(::PJRTArray{<:Any,<:Any,AS}) where {AS} = AS

function PJRTArray{T,N,AS}(A::AbstractArray{<:Any,N}) where {T,N,AS}
    return write_all!(PJRTArray{T,N,AS}(undef, size(A)), A)
end
function PJRTArray{T,N}(
    A::AbstractArray{<:Any,N}; space::AddressSpace=space_for(A)
) where {T,N}
    return PJRTArray{T,N,space}(A)
end
function PJRTArray{T}(A::AbstractArray{<:Any,N}; options...) where {T,N}
    return PJRTArray{T,N}(A; options...)
end
PJRTArray(A::AbstractArray{T,N}; options...) where {T,N} = PJRTArray{T,N}(A; options...)

Base.convert(::Type{P}, A::AbstractArray) where {P<:PJRTArray} = A isa P ? A : P(A)

"""
    PJRTMemory.zeros([T = Float64,] dims...; space = default_space())

A [`PJRTArray`](@ref) of zeros. `Base.zeros` makes a host array and is another function.
"""
zeros(::Type{T}, dims::Dims; options...) where {T} = filled(zero(T), dims; options...)
function zeros(::Type{T}, dims::Integer...; options...) where {T}
    return zeros(T, map(Int, dims); options...)
end
zeros(dims::Integer...; options...) = zeros(Float64, dims...; options...)

"""
    PJRTMemory.ones([T = Float64,] dims...; space = default_space())

A [`PJRTArray`](@ref) of ones. `Base.ones` makes a host array and is another function.
"""
ones(::Type{T}, dims::Dims; options...) where {T} = filled(one(T), dims; options...)
function ones(::Type{T}, dims::Integer...; options...) where {T}
    return ones(T, map(Int, dims); options...)
end
ones(dims::Integer...; options...) = ones(Float64, dims...; options...)

filled(x::T, dims; options...) where {T} = fill!(PJRTArray{T}(undef, dims; options...), x)

buffer_owner(A::PJRTArray) = buffer_owner(A.ref)

Base.size(A::PJRTArray) = A.size
Base.IndexStyle(::Type{<:PJRTArray}) = IndexLinear()
Base.elsize(::Type{<:PJRTArray{T}}) where {T} = sizeof(T)
Base.sizeof(A::PJRTArray) = length(A) * Base.elsize(typeof(A))
Base.dataids(A::PJRTArray) = Base.dataids(A.ref.mem)

function Base.similar(A::PJRTArray{<:Any,<:Any,AS}, ::Type{T}, dims::Dims{N}) where {T,N,AS}
    return PJRTArray{T,N,AS}(undef, dims)
end

function Base.reshape(A::PJRTArray, dims::Dims)
    size(A) == dims && return A
    check_reshape(A, dims)
    return unsafe_array(A.ref, dims)
end

"The [`PJRTArray`](@ref) of this size over the whole memory."
function Base.reshape(memory::DeviceMemory, dims::Dims)
    check_reshape(memory, dims)
    return unsafe_array(memoryref(memory), dims)
end

function check_reshape(A, dims)
    checked_length(dims) == length(A) ||
        throw(DimensionMismatch("$(length(A)) elements cannot have the size $dims"))
    return nothing
end

"""
    reinterpret(T, A::PJRTArray)

The same bytes as elements of another type of the same size. The result shares the memory.
"""
function Base.reinterpret(::Type{T}, A::PJRTArray{S,<:Any,AS}) where {T,S,AS}
    T === S && return A
    element_code(T)
    sizeof(T) == sizeof(S) ||
        throw(ArgumentError("cannot reinterpret device memory of $S as $T: the sizes \
                             differ ($(sizeof(S)) and $(sizeof(T)) bytes)"))
    memory = A.ref.mem
    other = new_memory(DeviceMemory{T,AS}, length(memory), memory.ptr, buffer_owner(memory))
    ref = part(memoryref(other::DeviceMemory{T,AS}), Base.memoryrefoffset(A.ref), length(A))
    return unsafe_array(ref, size(A))
end

"The reference `first` elements on. Nothing lies behind an empty part, wherever it starts."
part(ref, first, length) = length == 0 ? ref : memoryref(ref, first)

"""
    view(A::PJRTArray, indices...)

A contiguous part is a [`PJRTArray`](@ref) over the same memory. Any other is a `SubArray`,
whose elements the host reaches one by one only.
"""
function Base.view(A::PJRTArray, indices::Vararg{Any,N}) where {N}
    V = invoke(view, Tuple{AbstractArray,Vararg{Any,N}}, A, indices...)
    return contiguous(V)
end

contiguous(V::SubArray) = V
function contiguous(V::Base.FastContiguousSubArray{<:Any,<:Any,<:PJRTArray})
    return unsafe_array(part(parent(V).ref, V.offset1 + 1, length(V)), size(V))
end

function Base.view(memory::DeviceMemory, indices::AbstractUnitRange{<:Integer})
    return view(reshape(memory, (length(memory),)), indices)
end

for name in (
    :append!, :deleteat!, :empty!, :insert!, :pop!, :popat!, :popfirst!, :prepend!, :push!,
    :pushfirst!, :resize!, :sizehint!, :splice!,
)
    @eval Base.$name(::PJRTVector, arguments...; options...) =
        throw_fixed_length($(String(name)))
end

@noinline function throw_fixed_length(name)
    throw(ArgumentError("$name: the length of a PJRTVector cannot change. Make a new one \
                         with `similar` and copy into it."))
end
