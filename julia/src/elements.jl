# The element types that Julia and PJRT share, with their numbers in the C interface.

const ELEMENT_TYPES = (
    Bool => 1,
    Int8 => 2,
    Int16 => 3,
    Int32 => 4,
    Int64 => 5,
    UInt8 => 6,
    UInt16 => 7,
    UInt32 => 8,
    UInt64 => 9,
    Float16 => 10,
    Float32 => 11,
    Float64 => 12,
    Core.BFloat16 => 13,
    ComplexF32 => 14,
    ComplexF64 => 15,
)

for (T, code) in ELEMENT_TYPES
    @eval element_code(::Type{$T}) = Int32($code)
end

@noinline function element_code(T::Type)
    throw(ArgumentError("a device cannot hold elements of type $T; it holds \
                         $(join(first.(ELEMENT_TYPES), ", ", " and "))"))
end
