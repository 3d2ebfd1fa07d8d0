"Make `n` arrays and drop them."
function make_and_drop(n)
    for i in 1:n
        PJRTArray{Float32}(undef, 16)
    end
    return nothing
end

@testset "dropped arrays give their buffers back" begin
    @test buffers_left_by(() -> make_and_drop(1000)) == 0
end

# Each makes what is the last thing that holds the buffer, in a function of its own, so that
# nothing else is on the stack.
const LAST_HOLDERS = (
    "memory" => () -> PJRTArray([1.0, 2, 3]).ref.mem,
    "reference" => () -> memoryref(PJRTArray([1.0, 2, 3]).ref.mem, 2),
    "array" => () -> PJRTArray([1.0, 2, 3]),
    "view" => () -> view(PJRTArray([1.0, 2, 3]), 2:3),
    "empty view" => () -> view(PJRTArray([1.0, 2, 3]), 4:3),
    "reshape" => () -> reshape(PJRTArray([1.0, 2, 3]), 1, 3),
    "reinterpret" => () -> reinterpret(Int64, PJRTArray([1.0, 2, 3])),
    "strided view" => () -> view(PJRTArray([1.0, 2, 3]), 1:2:3),
    "host view" => () -> hostview(PJRTArray([1.0, 2, 3])),
    "reshape of host view" => () -> reshape(hostview(PJRTArray([1.0, 2, 3])), 1, 3),
    "view of host view" => () -> view(hostview(PJRTArray([1.0, 2, 3])), 2:3),
    "memory of host view" => () -> hostview(PJRTArray([1.0, 2, 3])).ref.mem,
)

@testset "the last holder is a $name" for (name, make) in LAST_HOLDERS
    before = settled_buffers()
    held = Ref{Any}(make())
    @test settled_buffers() == before + 1
    held[] = nothing
    @test settled_buffers() == before
end

@testset "free! frees now, through any alias" begin
    before = settled_buffers()
    d = PJRTArray([1.0 2; 3 4])
    aliases = (
        d, view(d, :, 2), reshape(d, 4), vec(d), reinterpret(Int64, d), d.ref.mem, d.ref
    )
    @test !any(isfreed, aliases)
    @test free!(view(d, :, 1)) === nothing
    @test live_buffers(SPACE) == before
    @test all(isfreed, aliases)
    foreach(free!, aliases)
    @test live_buffers(SPACE) == before
end

@testset "every use after free! says so" begin
    d = PJRTArray([1.0 2; 3 4])
    other = PJRTArray([1.0 2; 3 4])
    part, flat, memory = view(d, :, 2), reshape(d, 4), d.ref.mem
    free!(d)
    host = zeros(2, 2)
    for use in (
        () -> Array(d),
        () -> Array(part),
        () -> Array(flat),
        () -> Array(memory),
        () -> copyto!(d, host),
        () -> copyto!(host, d),
        () -> copyto!(d, other),
        () -> copyto!(other, d),
        () -> copyto!(d, 1, host, 1, 0),
        () -> copy(part),
        () -> fill!(flat, 1),
        () -> d[:, 1],
        () -> (d[:, 1] = [1, 2]),
        () -> hostview(part),
        () -> pointer(d),
        () -> pointer(memory),
        () -> deepcopy(d),
        () -> serialize(IOBuffer(), d),
        () -> d == host,
        () -> hash(d),
        () -> (d .= 1),
        () -> PJRTMemory.@allowscalar(d[1]),
        () -> PJRTMemory.@allowscalar(memory[1]),
        () -> PJRTMemory.@allowscalar(memoryref(memory, 2)[]),
    )
        @test occursin("was freed with free!", message_of(use, PJRTError))
    end
    @test size(d) == (2, 2)
    @test Array(other) == [1 2; 3 4]
end

@testset "a finalizer after free! does nothing to the next buffer" begin
    @test buffers_left_by() do
        for i in 1:200
            free!(PJRTArray([i]))
        end
        kept = [PJRTArray([i]) for i in 1:200]
        GC.gc()
        reclaim()
        @test all(Array(kept[i]) == [i] for i in 1:200)
    end == 0
end

@testset "freeing from many tasks at once" begin
    @test buffers_left_by() do
        for _ in 1:50
            d = PJRTArray([1.0, 2])
            foreach(wait, [Threads.@spawn(free!(d)) for _ in 1:8])
            @test isfreed(d)
        end
    end == 0
end

@testset "what is no device memory is not freed" begin
    @test_throws ArgumentError free!([1])
    @test_throws ArgumentError isfreed(1)
end
