@testset "whole arrays in every direction" begin
    host = rand(3, 4)
    first_copy = PJRTArray(host)
    for space in LOADED
        d = PJRTArray{Float64}(undef, 3, 4; space)
        @test copyto!(d, first_copy) === d
        @test Array(d) == host
        back = zeros(3, 4)
        @test copyto!(back, d) === back
        @test back == host
    end
    @test_throws BoundsError copyto!(PJRTArray{Float64}(undef, 3), host)
    @test_throws BoundsError copyto!(zeros(3), first_copy)
    longer = PJRTArray(zeros(15))
    copyto!(longer, host)
    @test Array(longer) == [vec(host); zeros(3)]
end

@testset "with offsets, against Array" begin
    make = (
        n -> collect(1:n),
        n -> PJRTArray(1:n),
        n -> PJRTArray(1:n; space=SECOND),
        n -> PJRTArray{Float32}(1:n; space=PINNED),
        n -> view(PJRTArray(0:(n + 1)), 2:(n + 1)),
        n -> copyto!(DeviceMemory{Int,SPACE}(undef, n), 1:n),
        n -> view(collect(1:(2n)), 1:2:(2n)),
        n -> Memory{Int}(1:n),
    )
    on_device(A) = A isa PJRTMemory.OnDevice
    for make_dest in make, make_src in make
        dest, src = make_dest(10), make_src(12)
        on_device(dest) || on_device(src) || continue
        for (dfirst, sfirst, n) in ((1, 1, 10), (3, 5, 4), (10, 12, 1), (4, 2, 0))
            expected = copyto!(Array(dest), dfirst, Array(src), sfirst, n)
            @test copyto!(dest, dfirst, src, sfirst, n) === dest
            @test Array(dest) == expected
        end
        @test_throws BoundsError copyto!(dest, 8, src, 1, 4)
        @test_throws BoundsError copyto!(dest, 1, src, 10, 4)
        @test_throws BoundsError copyto!(dest, 0, src, 1, 1)
        @test_throws BoundsError copyto!(dest, 2, src, 2, typemax(Int))
        @test_throws ArgumentError copyto!(dest, 1, src, 1, -1)
    end
    d = PJRTArray(1:5)
    @test Array(copyto!(d, 4, [9, 8])) == [1, 2, 3, 9, 8]
    @test Array(copyto!(d, 1, [9, 8, 7], 3)) == [7, 2, 3, 9, 8]
end

@testset "overlapping parts of one buffer" begin
    for (dfirst, sfirst) in ((1, 3), (3, 1), (2, 2))
        d, host = PJRTArray(1:10), collect(1:10)
        copyto!(d, dfirst, d, sfirst, 7)
        copyto!(host, dfirst, host, sfirst, 7)
        @test Array(d) == host
        copyto!(view(d, 4:8), view(d, 2:6))
        copyto!(view(host, 4:8), view(host, 2:6))
        @test Array(d) == host
    end
    # Longer than a chunk, so that chunks in the wrong order would show.
    n = 3 * PJRTMemory.CHUNK ÷ 8
    d, host = PJRTArray(1:n), collect(1:n)
    copyto!(d, 1001, d, 1, n - 1000)
    copyto!(host, 1001, host, 1, n - 1000)
    @test Array(d) == host
end

@testset "through a host view of the same buffer" begin
    d = PJRTArray(1:10)
    copyto!(d, 3, hostview(d), 1, 8)
    @test Array(d) == [1; 2; 1:8]
    copyto!(view(hostview(d), 2:10), view(d, 1:9))
    @test Array(d) == [1; 1; 2; 1:7]
end

@testset "more than 64 MB, and not a multiple of a chunk" begin
    host = rand(Xoshiro(2), UInt8, 65 << 20 + 13)
    d = PJRTArray(host)
    @test Array(d) == host
    moved = copyto!(PJRTArray{UInt8}(undef, length(host); space=SECOND), d)
    @test Array(moved) == host
    @test Array(fill!(moved, 0x5a)) == fill(0x5a, length(host))
    foreach(free!, (d, moved))
end

@testset "empty arrays and those of no dimension" begin
    for space in LOADED
        d = PJRTArray(zeros(0, 3); space)
        @test size(Array(d)) == (0, 3)
        @test copyto!(similar(d), d) isa PJRTMatrix
        @test isempty(copy(d)) && isempty(fill!(d, 1))
        @test copyto!(PJRTArray([1]; space), d) isa PJRTVector
        @test Array(PJRTArray(fill(3); space)) == fill(3)
    end
end

@testset "fill!" begin
    d = PJRTArray(zeros(Float32, 3, 2))
    @test fill!(d, 1) === d
    @test Array(d) == ones(3, 2)
    fill!(view(d, 2:3, 2), 7)
    @test Array(d) == [1 1; 1 7; 1 7]
    @test_throws InexactError fill!(PJRTArray([1]), 1.5)
end

@testset "collections run while another thread copies" begin
    # Far more than a chunk; a copy that held collections up would make each wait for it
    # all.
    d = PJRTArray{UInt8}(undef, 256 << 20)
    host = zeros(UInt8, length(d))
    copying = Threads.@spawn copyto!($d, $host)
    GC.gc(false)
    waited = @elapsed GC.gc(false)
    wait(copying)
    @test waited < 1
    free!(d)
end
