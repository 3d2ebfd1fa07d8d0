@testset "laid out as Base.Array" begin
    @test fieldnames(PJRTArray) == fieldnames(Array)
    @test PJRTArray <: DenseArray
    @test PJRTVector === PJRTArray{T,1,AS} where {T,AS}
    d = PJRTArray([1 2 3; 4 5 6])
    @test d isa PJRTMatrix{Int,default_space()}
    @test (size(d), length(d), ndims(d), eltype(d)) == ((2, 3), 6, 2, Int)
    @test strides(d) == (1, 2)
    @test axes(d) == (Base.OneTo(2), Base.OneTo(3))
    @test IndexStyle(d) == IndexLinear()
    @test !isempty(d) && isempty(PJRTArray(Int[]))
end

@testset "undef constructors" begin
    @test size(PJRTArray{Float32}(undef, 3)) == (3,)
    @test size(PJRTArray{Float32}(undef, 3, 4)) == (3, 4)
    @test size(PJRTArray{Float32}(undef, (3, 0x4, 5))) == (3, 4, 5)
    @test size(PJRTArray{Float32}(undef)) == ()
    @test size(PJRTArray{Float32,2}(undef, 3, 4)) == (3, 4)
    @test size(PJRTArray{Float32,2}(undef, (3, 4); space=PINNED)) == (3, 4)
    @test PJRTArray{Float32}(undef, 3; space=PINNED) isa PJRTVector{Float32,PINNED}
    @test PJRTArray{Float32,1,SECOND}(undef, 3) isa PJRTVector{Float32,SECOND}
    @test PJRTArray{Float32,2,SECOND}(undef, (3, 0x4)) isa PJRTMatrix{Float32,SECOND}
    @test PJRTVector{Int}(undef, 3) isa PJRTVector{Int}
    @test PJRTMatrix{Int}(undef, 3, 4) isa PJRTMatrix{Int}
    @test_throws MethodError PJRTMatrix{Int}(undef, 3)
end

@testset "sizes that cannot be" begin
    @test occursin("(-1, 3)", message_of(() -> PJRTArray{Int}(undef, -1, 3), ArgumentError))
    @test_throws ArgumentError PJRTArray{Int}(undef, -1, -3)
    huge = typemax(Int) ÷ 2
    message = message_of(() -> PJRTArray{Int}(undef, huge, 3), ArgumentError)
    @test occursin("too large", message)
    @test size(PJRTArray{Int}(undef, huge, 3, 0)) == (huge, 3, 0)
end

@testset "from $(summary(A))" for A in (
    [1.0, 2.0],
    [1 2; 3 4],
    rand(2, 3, 4),
    fill(7),
    Int[],
    zeros(0, 3),
    1:10,
    1:3:10,
    range(0, 1; length=5),
    view([1, 2, 3, 4], 2:3),
    view([1 2; 3 4], :, 2),
    view([1 2 3; 4 5 6], 2, :),
    view([1 2 3; 4 5 6], 1:2, [3, 1]),
    view(rand(4, 4), 1:2:4, 4:-1:1),
    transpose([1 2; 3 4]),
    [1.0+2im 3]',
    permutedims(rand(2, 3)),
    PermutedDimsArray(rand(2, 3, 4), (3, 1, 2)),
    reshape(1:6, 2, 3),
    reinterpret(Int32, [1.0, 2.0]),
    BitArray([true, false, true]),
    Memory{Int}([1, 2, 3]),
    codeunits("text"),
    Diagonal([1, 2]),
)
    d = PJRTArray(A)
    @test d isa PJRTArray{eltype(A),ndims(A)}
    @test same_bytes(Array(d), Array(A))
end

@testset "with conversion" begin
    d = PJRTArray{Float32}([1, 2])
    @test d isa PJRTVector{Float32}
    @test Array(d) == Float32[1, 2]
    @test Array(PJRTArray{Int,1}([1.0, 2.0])) == [1, 2]
    @test_throws InexactError PJRTArray{Int}([1.5])
    @test Array{Float64}(d) isa Vector{Float64}
    @test Vector(d) == Vector{Float32}(d) == collect(d) == convert(Array, d) == [1, 2]
    @test_throws MethodError Matrix(d)
    @test convert(PJRTArray{Float32}, d) === d
    @test Array(convert(PJRTArray, [1])) == [1]
    @test Array(convert(PJRTVector{Float64}, d)) == [1, 2]
end

@testset "from another device array" begin
    d = PJRTArray([1, 2]; space=SECOND)
    @test PJRTArray(d) isa PJRTVector{Int,SECOND}
    @test PJRTArray(d) !== d
    @test PJRTArray{Float32}(d) isa PJRTVector{Float32,SECOND}
    moved = PJRTArray(d; space=PINNED)
    @test moved isa PJRTVector{Int,PINNED}
    @test Array(moved) == [1, 2]
end

@testset "three Julia objects for a new array" begin
    make(n) = PJRTArray{Float32,2,SPACE}(undef, n, n)
    make(2)
    allocated = @allocations make(2)
    @test allocated <= 3
end

@testset "similar, copy, zeros, ones" begin
    d = PJRTArray([1 2; 3 4]; space=SECOND)
    @test similar(d) isa PJRTMatrix{Int,SECOND}
    @test similar(d, Float32) isa PJRTMatrix{Float32,SECOND}
    @test similar(d, 3) isa PJRTVector{Int,SECOND}
    @test size(similar(d, Int8, (2, 3, 4))) == (2, 3, 4)
    @test size(similar(typeof(d), (3, 5))) == (3, 5)
    @test_throws ArgumentError similar(d, String)
    copied = copy(d)
    fill!(d, 0)
    @test Array(copied) == [1 2; 3 4]
    @test Array(zero(d)) == zeros(Int, 2, 2)
    @test Array(PJRTMemory.zeros(2, 3)) == zeros(2, 3)
    @test Array(PJRTMemory.ones(Float32, (2,))) isa Vector{Float32}
    @test Array(PJRTMemory.ones(ComplexF64, 2)) == ones(ComplexF64, 2)
    @test Array(PJRTMemory.zeros(Bool, 2; space=PINNED)) == [false, false]
    @test PJRTMemory.zeros(Int, 2; space=PINNED) isa PJRTVector{Int,PINNED}
end

@testset "shapes over one memory" begin
    host = collect(reshape(1:24, 4, 6))
    d = PJRTArray(host)
    for (shaped, expected) in (
        reshape(d, 2, 12) => reshape(host, 2, 12),
        reshape(d, 3, :) => reshape(host, 3, :),
        reshape(d, (2, 3, 4)) => reshape(host, 2, 3, 4),
        vec(d) => vec(host),
        view(d, :, 2:3) => view(host, :, 2:3),
        view(d, :, 5) => view(host, :, 5),
        view(d, 2:3, 6) => view(host, 2:3, 6),
        view(d, 5:9) => view(host, 5:9),
        view(d, :) => view(host, :),
        view(d, :, :) => view(host, :, :),
        view(d, 3) => view(host, 3),
        view(d, 2, 3) => view(host, 2, 3),
        view(d, 1:0, 2) => view(host, 1:0, 2),
        view(d, :, 7:6) => view(host, :, 7:6),
        selectdim(d, 2, 4) => selectdim(host, 2, 4),
        view(view(d, :, 2:5), :, 2) => view(host, :, 3),
        view(reshape(view(d, :, 2:3), 8), 3:6) => vec(host)[7:10],
        dropdims(view(d, :, 2:2); dims=2) => host[:, 2],
    )
        @test shaped isa PJRTArray
        @test size(shaped) == size(expected)
        @test Array(shaped) == expected
        @test isempty(shaped) || Base.mightalias(shaped, d)
    end
    fill!(view(d, :, 2), 0)
    @test Array(reshape(d, 24))[5:8] == zeros(4)
    @test reshape(d, 4, 6) === d
    @test [Array(c) for c in eachcol(d)] == collect(eachcol(Array(d)))
end

@testset "parts that are not contiguous are views of Base" begin
    d = PJRTArray([1 2; 3 4])
    @test view(d, 1, :) isa SubArray
    @test view(d, [1, 2], 1) isa SubArray
    @test_throws HostAccessError Array(view(d, 1, :))
    @test PJRTMemory.@allowscalar(Array(view(d, 1, :))) == [1, 2]
end

@testset "indices out of range" begin
    d = PJRTArray([1 2; 3 4])
    @test_throws BoundsError view(d, :, 3)
    @test_throws BoundsError view(d, 4:5)
    @test_throws BoundsError view(d, 0:1)
    @test_throws DimensionMismatch reshape(d, 3)
    @test_throws ArgumentError reshape(d, -2, -2)
end

@testset "reinterpret" begin
    d = PJRTArray([1.0 2.0; 3.0 4.0])
    r = reinterpret(UInt64, view(d, :, 2))
    @test r isa PJRTVector{UInt64}
    @test Array(r) == reinterpret(UInt64, [2.0, 4.0])
    copyto!(r, reinterpret(UInt64, [5.0, 6.0]))
    @test Array(d) == [1 5; 3 6]
    @test reinterpret(Float64, d) === d
    @test Base.mightalias(r, d)
    @test_throws ArgumentError reinterpret(Float32, d)
    @test_throws ArgumentError reinterpret(Ptr{Cvoid}, d)
end

@testset "aliasing" begin
    d = PJRTArray(1:10)
    @test Base.mightalias(d, reshape(d, 2, 5))
    @test Base.mightalias(view(d, 1:3), view(d, 2:5))
    @test !Base.mightalias(d, PJRTArray(1:10))
    @test Base.unalias(d, reshape(d, 2, 5)) !== d
    @test Array(Base.unalias(d, view(d, 2:3))) == 2:3
end

@testset "$name is refused" for (name, call) in (
    "push!" => d -> push!(d, 1),
    "push!" => d -> push!(d, 1, 2),
    "push!" => d -> push!(d, 1, 2, 3),
    "append!" => d -> append!(d, [1]),
    "pushfirst!" => d -> pushfirst!(d, 1),
    "prepend!" => d -> prepend!(d, [1]),
    "insert!" => d -> insert!(d, 1, 1),
    "pop!" => d -> pop!(d),
    "popat!" => d -> popat!(d, 1),
    "popfirst!" => d -> popfirst!(d),
    "deleteat!" => d -> deleteat!(d, 1),
    "splice!" => d -> splice!(d, 1),
    "resize!" => d -> resize!(d, 5),
    "sizehint!" => d -> sizehint!(d, 5),
    "empty!" => d -> empty!(d),
)
    d = PJRTArray([1, 2])
    message = message_of(() -> call(d), ArgumentError)
    @test startswith(message, "ArgumentError: $name: the length of a PJRTVector cannot")
    @test Array(d) == [1, 2]
end

@testset "the first operations on a second space" begin
    use(space) = Array(copy(fill!(PJRTArray(Float32[1, 2]; space), 3)))
    use(SPACE)
    unseen = last(LOADED)
    seconds = @elapsed use(unseen)
    @test seconds <= 0.1
end
