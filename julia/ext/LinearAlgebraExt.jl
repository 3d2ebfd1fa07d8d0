# Copying the structured matrices of LinearAlgebra to a device, for which it has methods of
# its own that would be ambiguous with those of this package.
module LinearAlgebraExt

using LinearAlgebra: Hermitian, LowerTriangular, Symmetric, UnitLowerTriangular
using LinearAlgebra: UnitUpperTriangular, UpperTriangular
using PJRTMemory: PJRTMatrix

# With the parameters of LinearAlgebra's own unions, so that these are seen to be more
# specific.
const Triangular{T,S} = Union{
    LowerTriangular{T,S},
    UnitLowerTriangular{T,S},
    UnitUpperTriangular{T,S},
    UpperTriangular{T,S},
}
const SelfAdjoint{T,S} = Union{Hermitian{T,S},Symmetric{T,S}}

Base.copyto!(dest::PJRTMatrix, src::Triangular) = copyto!(dest, Matrix(src))
Base.copyto!(dest::PJRTMatrix, src::SelfAdjoint) = copyto!(dest, Matrix(src))

end
