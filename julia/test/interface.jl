# The package as a whole.

# A memory of our kind in Julia's own address space cannot be made, so no call can meet it.
names_cpu_memory(method) = occursin("Core.AddrSpace{Core}", string(method.sig))

@testset "no method is ambiguous, none is unbound" begin
    ambiguous = filter(Test.detect_ambiguities(PJRTMemory, Base, LinearAlgebra)) do pair
        any(m -> m.module === PJRTMemory, pair) && !any(names_cpu_memory, pair)
    end
    @test isempty(ambiguous)
    @test isempty(Test.detect_unbound_args(PJRTMemory))
end

@testset "every public name has a docstring" begin
    public = filter(name -> Base.ispublic(PJRTMemory, name), names(PJRTMemory; all=true))
    undocumented = filter(name -> !Base.Docs.hasdoc(PJRTMemory, name), public)
    @test isempty(undocumented)
end

@testset "the structured matrices of LinearAlgebra" for make in (
    UpperTriangular,
    LowerTriangular,
    UnitUpperTriangular,
    UnitLowerTriangular,
    Symmetric,
    Hermitian,
    Diagonal,
    Tridiagonal,
)
    structured = make([1.0 2; 3 4])
    @test Array(PJRTArray(structured)) == structured
    @test Array(copyto!(PJRTArray(zeros(2, 2)), structured)) == structured
end

@testset "using is quick" begin
    code = "print(@elapsed using PJRTMemory)"
    seconds = minimum(parse(Float64, child(code).out) for _ in 1:3)
    @test seconds <= 0.3
end
