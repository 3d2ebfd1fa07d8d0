const INDICES = (
    (:,),
    (2:5,),
    (5:2,),
    (1:3:12,),
    ([3, 1, 1],),
    (:, :),
    (:, 2),
    (2, :),
    (:, 2:3),
    (2:3, 1),
    (1:2, 1:2),
    (3:-1:1, 2),
    ([1, 3], [2, 1]),
    (isodd.(1:12),),
    (isodd.(reshape(1:12, 3, 4)),),
    (:, [true, false, true, false]),
    (CartesianIndices((2, 2)),),
    ([CartesianIndex(1, 2), CartesianIndex(3, 4)],),
    (1:2, 1:2, 1),
    (:, :, 1:1),
    ([1 2; 3 4],),
)

@testset "reading $I" for I in INDICES
    host = collect(reshape(1.0:12, 3, 4))
    d = PJRTArray(host; space=SECOND)
    part = d[I...]
    @test part isa PJRTArray{Float64,ndims(host[I...]),SECOND}
    @test same_bytes(Array(part), host[I...])
    @test !Base.mightalias(part, d)
end

@testset "writing $I" for I in INDICES
    host = zeros(3, 4)
    values = rand(size(host[I...])...)
    device = PJRTArray(values)
    pinned = PJRTArray(values; space=PINNED)
    for source in (values, device, pinned, Float32.(values))
        d = PJRTArray(host)
        d[I...] = source
        expected = copy(host)
        expected[I...] = Array(source)
        @test Array(d) == expected
    end
    d, expected = PJRTArray(host), copy(host)
    view(d, I...) isa PJRTArray || continue
    d[I...] .= 5
    expected[I...] .= 5
    @test Array(d) == expected
end

@testset "indices on the device" begin
    host = collect(1:6)
    d = PJRTArray(host)
    @test Array(d[PJRTArray([3, 1])]) == [3, 1]
    @test Array(d[PJRTArray(isodd.(host))]) == [1, 3, 5]
    d[PJRTArray([2, 4])] = [20, 40]
    @test Array(d) == [1, 20, 3, 40, 5, 6]
end

@testset "errors are those of Array" begin
    d, host = PJRTArray([1 2; 3 4]), [1 2; 3 4]
    for A in (d, host)
        @test_throws BoundsError A[:, 3]
        @test_throws BoundsError A[5:6]
        @test_throws BoundsError A[[true, false, true]]
        @test_throws DimensionMismatch A[:, 1] = [1, 2, 3]
        @test_throws DimensionMismatch A[1:1, :] = [1 2 3]
        @test_throws ArgumentError A[:, 1] = 5
        @test_throws ArgumentError A["a"]
    end
    @test Array(d) == host
end

@testset "concatenation" begin
    d = PJRTArray([1, 2])
    @test Array(vcat(d, d)) == [1, 2, 1, 2]
    @test Array(hcat(d, d)) == [1 1; 2 2]
    @test Array(cat(d, d; dims=3)) == cat([1, 2], [1, 2]; dims=3)
    @test vcat(d, d) isa PJRTVector{Int}
end
