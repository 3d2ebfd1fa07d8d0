@testset "equality" begin
    host = [1.0 2; 3 NaN]
    d = PJRTArray(host)
    same = PJRTArray([1 2; 3 4])
    @test same == [1 2; 3 4] && [1 2; 3 4] == same
    @test same == PJRTArray([1.0 2; 3 4]; space=SECOND)
    @test same == same.ref.mem |> m -> reshape(m, (2, 2))
    @test same.ref.mem == [1, 3, 2, 4]
    @test same != [1 2; 3 5] && same != [1, 3, 2, 4]
    @test d != host && isequal(d, host) && isequal(host, d) && isequal(d, copy(d))
    @test !isequal(PJRTArray([0.0]), [-0.0]) && PJRTArray([0.0]) == [-0.0]
end

@testset "hash goes with isequal" begin
    host = rand(20)
    d = PJRTArray(host)
    @test hash(d) == hash(host)
    @test hash(d, UInt(7)) == hash(host, UInt(7))
    @test haskey(Dict(host => 1), d)
    @test length(Set([d, copy(d), host])) == 1
end
