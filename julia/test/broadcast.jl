@testset "plain assignment runs" begin
    d = PJRTArray(zeros(2, 3))
    d .= 4
    @test Array(d) == fill(4, 2, 3)
    d .= [1 2 3; 4 5 6]
    @test Array(d) == [1 2 3; 4 5 6]
    d .= PJRTArray([0 0 0; 1 1 1]; space=SECOND)
    @test Array(d) == [0 0 0; 1 1 1]
    d[:, 2] .= 9
    @test Array(d) == [0 9 0; 1 9 1]
    d .= fill(2)
    @test Array(d) == fill(2, 2, 3)
    d .= Ref(3)
    @test Array(d) == fill(3, 2, 3)
    host = zeros(2, 3)
    host .= d
    @test host == fill(3, 2, 3)
    scalar = PJRTArray(fill(0))
    scalar .= 5
    @test Array(scalar) == fill(5)
    scalar .= PJRTArray(fill(6))
    @test Array(scalar) == fill(6)
end

@testset "anything else says what to do" begin
    d = PJRTArray(zeros(2, 3))
    for use in (
        () -> d .+ 1,
        () -> sin.(d),
        () -> (d .= d .+ 1),
        () -> (d .+= 1),
        () -> (d .= [1, 2]),
        () -> d .+ [1 2 3],
        () -> zeros(2, 3) .+ d,
        () -> PJRTArray(fill(1)) .+ 1,
        () -> d + d,
        () -> 2 * d,
    )
        @test occursin("Array(d)", message_of(use, HostAccessError))
    end
    @test Array(d) == zeros(2, 3)
end

@testset "permitted, it is right" begin
    host = [1.0 2 3; 4 5 6]
    d = PJRTArray(host; space=SECOND)
    PJRTMemory.allowscalar() do
        @test d .+ 1 isa PJRTMatrix{Float64,SECOND}
        @test Array(d .+ 1) == host .+ 1
        @test Array([1, 2] .* d) == [1, 2] .* host
        @test Array(2 .* (1 .+ d)) == 2 .* (1 .+ host)
        @test Array(d .> 2) == (host .> 2)
        @test PJRTArray(fill(1)) .+ 1 == 2
        d .= d .+ transpose([1, 2, 3])
        @test Array(d) == host .+ [1 2 3]
        v = PJRTArray(1:6)
        view(v, 2:6) .= view(v, 1:5) .+ 0
        @test Array(v) == [1, 1, 2, 3, 4, 5]
        d .= [10, 20]
        @test Array(d) == [10 10 10; 20 20 20]
    end
end
