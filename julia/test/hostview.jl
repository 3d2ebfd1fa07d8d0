@testset "the same bytes" begin
    d = PJRTArray([1.0 2; 3 4])
    v = hostview(d)
    @test v isa Matrix{Float64}
    @test v == [1 2; 3 4]
    v[2, 1] = 7
    @test Array(d) == [1 2; 7 4]
    fill!(view(d, :, 2), 0)
    @test v == [1 0; 7 0]
    @test hostview(view(d, :, 1)) == [1, 7]
    @test hostview(d.ref.mem) == [1, 7, 0, 0]
    @test hostview(reshape(d, 4)) isa Vector{Float64}
    @test hostview(PJRTArray(fill(3)))[] == 3
    @test size(hostview(PJRTArray(zeros(0, 3)))) == (0, 3)
end

@testset "spans the viewed bytes and no more" begin
    d = PJRTArray(1:10)
    v = hostview(view(d, 3:5))
    @test length(getfield(v, :ref).mem) == 3
    push!(v, 9)                 # grows into memory of its own
    @test Array(d) == 1:10
end

function free_with_views(d)
    views = [hostview(d), hostview(d)]
    message = message_of(() -> free!(d), PJRTError)
    return message, isfreed(d), views[1] == Array(d)
end

@testset "free! waits for no view: it throws, and says how many" begin
    d = PJRTArray([1, 2])
    message, freed, same = free_with_views(d)
    @test occursin("2", message)
    @test !freed && same
    settled_buffers()
    free!(d)
    @test isfreed(d)
end

@testset "a string made from a view is its own" begin
    d = PJRTArray(Vector{UInt8}("some text"))
    v = hostview(d)
    text = String(copy(v))
    taken = String(v)
    fill!(d, UInt8('x'))
    @test text == taken == "some text"
    @test String(Array(d)) == "xxxxxxxxx"
end

@testset "pointers" begin
    d = PJRTArray([1.0 2; 3 4])
    GC.@preserve d begin
        @test pointer(d) isa Ptr{Float64}
        @test unsafe_load(pointer(d), 2) == 3
        @test unsafe_load(pointer(d, 3)) == 2
        @test pointer(view(d, :, 2)) == pointer(d) + 16
        @test pointer(memoryref(d.ref.mem, 2)) == pointer(d) + 8
        @test Base.unsafe_convert(Ptr{Cvoid}, d) == pointer(d)
        @test Base.unsafe_convert(Ptr{UInt8}, d.ref.mem) == pointer(d)
        host = [1.0, 3, 2, 4]
        @test 0 == @ccall memcmp(d::Ptr{Cvoid}, host::Ptr{Cvoid}, 32::Csize_t)::Cint
    end
end

@testset "BLAS and streams, through the address" begin
    A, B = rand(16, 16), rand(16, 16)
    dA, dB = PJRTArray(A), PJRTArray(B)
    @test Array(mul!(similar(dA), dA, dB)) ≈ A * B
    @test dot(vec(dA), vec(dB)) ≈ dot(A, B)
    io = IOBuffer()
    @test write(io, dA) == sizeof(A)
    @test Array(read!(seekstart(io), similar(dA))) == A
end
