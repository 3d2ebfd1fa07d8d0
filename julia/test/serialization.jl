function restored(x)
    io = IOBuffer()
    serialize(io, x)
    return deserialize(seekstart(io))
end

@testset "deepcopy makes a new buffer" begin
    d = PJRTArray([1 2; 3 4]; space=SECOND)
    before = live_buffers(SECOND)
    copied = deepcopy(d)
    @test typeof(copied) === typeof(d)
    @test live_buffers(SECOND) == before + 1
    fill!(d, 0)
    @test Array(copied) == [1 2; 3 4]
    @test Array(deepcopy(copied.ref.mem)) == [1, 3, 2, 4]
    free!(d)
    @test !isfreed(copied)
end

@testset "deepcopy keeps what is shared" begin
    d = PJRTArray(1:6)
    a, b, c = deepcopy((d, d, view(d, 3:4)))
    @test a === b
    @test Base.mightalias(a, c) && !Base.mightalias(a, d)
    fill!(a, 9)
    @test Array(c) == [9, 9]
    @test Array(d) == 1:6
    @test deepcopy(memoryref(d.ref.mem, 3)).mem !== d.ref.mem
    @test isempty(deepcopy(view(d, 7:6)))
end

@testset "$T is restored" for T in ELEMENTS
    host = patterns(T)
    d = restored(PJRTArray(host; space=PINNED))
    @test d isa PJRTVector{T,default_space()}
    @test same_bytes(Array(d), host)
end

@testset "into the default space, with what is shared" begin
    d = PJRTArray([1 2; 3 4]; space=SECOND)
    default_space!(PINNED) do
        x, y = restored((d, Dict{Symbol,Any}(:again => d)))
        @test x isa PJRTMatrix{Int,PINNED}
        @test y[:again] === x
        @test Array(x) == [1 2; 3 4]
        memory = restored(d.ref.mem)
        @test memory isa DeviceMemory{Int,PINNED}
        @test Array(memory) == [1, 3, 2, 4]
        reference = restored(memoryref(d.ref.mem, 3))
        @test Base.memoryrefoffset(reference) == 3
        @test Array(reference.mem) == [1, 3, 2, 4]
    end
    part = restored(view(PJRTArray(1:6), 3:4))
    @test Array(part) == [3, 4]
    @test size(restored(PJRTArray(zeros(0, 3)))) == (0, 3)
end
