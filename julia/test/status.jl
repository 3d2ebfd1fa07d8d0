@testset "live bytes and buffers, exact" begin
    bytes, buffers = live_bytes(PINNED), live_buffers(PINNED)
    a = PJRTArray{Float32}(undef, 100; space=PINNED)
    b = PJRTArray{UInt8}(undef, 7; space=PINNED)
    @test live_bytes(PINNED) == bytes + 407
    @test live_buffers(PINNED) == buffers + 2
    free!(a)
    @test live_bytes(PINNED) == bytes + 7
    @test live_buffers(PINNED) == buffers + 1
    free!(b)
    @test (live_bytes(PINNED), live_buffers(PINNED)) == (bytes, buffers)
end

@testset "reclaim" begin
    @test reclaim() === nothing
end

@testset "the table" begin
    d = PJRTArray{UInt8}(undef, 1 << 20; space=PINNED)
    lines = split(sprint(memory_status), '\n'; keepempty=false)
    @test length(lines) == length(spaces()) + 1
    @test split(first(lines)) == ["space", "buffers", "live", "peak", "allocated"]
    info = space_info(PINNED)
    line = only(filter(startswith(Regex("$(info.id) ")), lines))
    @test occursin("cpu:$(info.device_id) pinned_host", line)
    @test occursin("MiB", line)
    @test allequal(textwidth, lines)
    free!(d)
end
