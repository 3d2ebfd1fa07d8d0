@testset "$T, every kind of bit pattern, at every offset" for T in ELEMENTS
    host = patterns(T)
    d = PJRTArray(host)
    @test d isa PJRTVector{T}
    @test same_bytes(Array(d), host)
    @test sizeof(d) == sizeof(host)
    for first in (2, length(host) - 1)
        @test same_bytes(Array(view(d, first:length(host))), host[first:end])
    end
    target = similar(d)
    copyto!(target, d)
    @test same_bytes(Array(target), host)
    filled = fill!(similar(d), host[2])
    @test same_bytes(Array(filled), fill(host[2], length(host)))
end

@testset "other types are refused, and the error says which are not" begin
    for T in (Any, String, Int128, Tuple{Int,Int}, Union{Int,Missing}, Union{}, Real)
        @test_throws ArgumentError PJRTArray{T}(undef, 3)
        @test_throws ArgumentError DeviceMemory{T,SPACE}(undef, 3)
    end
    message = message_of(() -> PJRTArray(["a"]), ArgumentError)
    @test occursin("String", message)
    @test all(T -> occursin(string(T), message), ELEMENTS)
end
