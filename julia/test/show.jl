const PLACE = let info = space_info(SPACE)
    "in space $(info.id) (cpu:$(info.device_id) $(info.memory_kind))"
end

on_space(A) = PJRTArray(A; space=SPACE)
function plain(x, context...)
    return sprint(show, MIME("text/plain"), x; context=IOContext(stdout, context...))
end
limited(x) = plain(x, :limit => true, :displaysize => (12, 40))

"What Base prints for a host array, from its second line on."
elements(A) = last(split(limited(A), '\n'; limit=2))

@testset "text/plain: the summary, then what Base prints" begin
    @test limited(on_space(Float32[1 2; 3 4])) ==
        "2×2 PJRTMatrix{Float32} $PLACE:\n 1.0  2.0\n 3.0  4.0"
    @test limited(on_space([1, 2])) == "2-element PJRTVector{Int64} $PLACE:\n 1\n 2"
    for host in (rand(100), rand(100, 100), rand(2, 2, 20), fill(3), [true false], [1.0im])
        shown = limited(on_space(host))
        header, rest = split(shown, '\n'; limit=2)
        @test endswith(header, " $PLACE:")
        @test rest == elements(host)
    end
    cube, point = on_space(rand(2, 2, 2)), on_space(fill(3))
    @test startswith(limited(cube), "2×2×2 PJRTArray{Float64, 3} $PLACE:")
    @test startswith(limited(point), "0-dimensional PJRTArray{Int64, 0} $PLACE:")
    @test limited(on_space(zeros(0, 3))) == "0×3 PJRTMatrix{Float64} $PLACE"
    @test limited(on_space(Int[])) == "0-element PJRTVector{Int64} $PLACE"
    @test limited(on_space([1, 2]).ref.mem) ==
        "2-element DeviceMemory{Int64} $PLACE:\n 1\n 2"
end

@testset "in one line, as Array" begin
    for host in (Float32[1, 2], [1 2; 3 4], rand(100), Int8[], fill(3))
        for context in (:limit => true, :limit => false)
            @test repr(on_space(host); context) == repr(host; context)
        end
    end
    @test string(on_space([1, 2])) == "[1, 2]"
    @test "$(on_space([1.5]))" == "[1.5]"
    @test repr([on_space([1])]) isa String
end

@testset "summary" begin
    @test summary(on_space(Float32[1 2; 3 4])) == "2×2 PJRTMatrix{Float32} $PLACE"
    @test summary(view(on_space([1 2; 3 4]), 1, :)) ==
        "2-element view(::PJRTMatrix{Int64}, 1, :) with eltype Int64"
end

@testset "freed" begin
    d = on_space([1, 2])
    memory = d.ref.mem
    free!(d)
    @test plain(d) == repr(d) == "2-element PJRTVector{Int64} $PLACE, freed"
    @test plain(memory) == "2-element DeviceMemory{Int64} $PLACE, freed"
end

@testset "types show with their space" begin
    @test repr(PJRTVector{Int,AddressSpace(3)}) in (
        "PJRTVector{Int64, PJRTMemory.AddressSpace(3)}",
        "PJRTArray{Int64, 1, PJRTMemory.AddressSpace(3)}",
    )
end
