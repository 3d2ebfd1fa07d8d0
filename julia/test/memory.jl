@testset "in $(repr(space))" for space in LOADED
    m = DeviceMemory{Float32,space}(undef, 10)
    @test m isa GenericMemory{:pjrt,Float32,space}
    @test typeof(m) === DeviceMemory{Float32,space}
    @test length(m) == 10
    @test size(m) == (10,)
    @test sizeof(m) == 40
    host = Float32.(1:10)
    @test copyto!(m, host) === m
    @test Array(m) == host
    @test Array(fill!(m, 3)) == fill(3.0f0, 10)
end

@testset "constructors" begin
    @test DeviceMemory{Int8,SPACE}(undef, (3,)) isa DeviceMemory{Int8,SPACE}
    @test isempty(DeviceMemory{Int8,SPACE}())
    @test DeviceMemory{Int8}(undef, 3; space=PINNED) isa DeviceMemory{Int8,PINNED}
    @test DeviceMemory{Int8}(undef, 0x3) isa DeviceMemory{Int8,default_space()}
    m = DeviceMemory{Int8,SPACE}(undef, 3)
    @test similar(m) isa DeviceMemory{Int8,SPACE}
    @test similar(m, Float64) isa DeviceMemory{Float64,SPACE}
    @test length(similar(m, 5)) == 5
    @test length(similar(m, Int16, (7,))) == 7
end

@testset "lengths that cannot be" begin
    for n in (-1, typemin(Int))
        message = message_of(() -> DeviceMemory{Float32,SPACE}(undef, n), ArgumentError)
        @test occursin("negative", message)
    end
    for n in (typemax(Int), typemax(Int) ÷ 2)
        message = message_of(() -> DeviceMemory{Float32,SPACE}(undef, n), ArgumentError)
        @test occursin("more than an address can reach", message)
    end
    @test_throws PJRTError DeviceMemory{UInt8,SPACE}(undef, typemax(Int) ÷ 4)
end

@testset "references" begin
    m = DeviceMemory{Int32,SPACE}(undef, 10)
    reference = memoryref(m, 4)
    @test Base.memoryrefoffset(reference) == 4
    @test reference.mem === m
    @test Base.memoryrefoffset(memoryref(reference, 3)) == 6
    @test_throws BoundsError memoryref(m, 11)
    @test_throws BoundsError memoryref(m, 0)
    @test isassigned(reference)
    @test isassigned(m, 10) && !isassigned(m, 11)
end

@testset "two memories are never at one address" begin
    memories = [DeviceMemory{UInt8,SPACE}(undef, 8) for _ in 1:100]
    @test allunique(Base.dataids(m) for m in memories)
end

@testset "arrays over a memory" begin
    m = copyto!(DeviceMemory{Int32,SPACE}(undef, 6), Int32.(1:6))
    @test Array(reshape(m, (2, 3))) == [1 3 5; 2 4 6]
    @test reshape(m, 2, :) isa PJRTMatrix{Int32,SPACE}
    @test Array(view(m, 2:4)) == 2:4
    @test_throws DimensionMismatch reshape(m, 4)
    @test_throws BoundsError view(m, 5:7)
    @test Array(copy(m)) == 1:6
    @test copy(m) !== m
end
