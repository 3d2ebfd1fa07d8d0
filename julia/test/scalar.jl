@testset "single elements throw, and the error says what to do" begin
    d = PJRTArray([1 2; 3 4])
    memory = d.ref.mem
    for use in (
        () -> d[1],
        () -> d[1, 2],
        () -> d[CartesianIndex(1, 2)],
        () -> (d[1] = 1),
        () -> (d[1, 2] = 1),
        () -> first(d),
        () -> iterate(d),
        () -> sum(d),
        () -> maximum(d),
        () -> map(x -> x + 1, d),
        () -> 1 in d,
        () -> findfirst(==(2), d),
        () -> sort(vec(d)),
        () -> memory[1],
        () -> (memory[1] = 1),
        () -> iterate(memory),
        () -> d.ref[],
        () -> (d.ref[] = 1),
    )
        message = message_of(use, HostAccessError)
        for hint in ("Array(d)", "hostview(d)", "allowscalar", "copyto!")
            @test occursin(hint, message)
        end
    end
    @test_throws BoundsError d[5]
    @test_throws BoundsError d[3, 1]
    @test_throws BoundsError memory[5]
end

@testset "allowscalar" begin
    d = PJRTArray([1 2; 3 4])
    PJRTMemory.allowscalar() do
        @test d[2] == 3
        @test d[1, 2] == 2
        @test d[CartesianIndex(2, 2)] == 4
        d[1] = 5
        d[2, 2] = 6.0
        @test [x for x in d] == [5 2; 3 6]
        @test sum(d) == 16
        @test d.ref.mem[1] == 5
        d.ref.mem[1] = 7
        @test d.ref[] == 7
        d.ref[] = 1
        @test fetch(Threads.@spawn d[1]) == 1
        @test_throws BoundsError d[5]
        @test_throws InexactError d[1] = 1.5
        @test PJRTArray(fill(9))[] == 9
    end
    @test Array(d) == [1 2; 3 6]
    @test PJRTMemory.@allowscalar(d[2] + d[1]) == 4
    @test_throws HostAccessError d[1]
    @test PJRTMemory.allowscalar(() -> d[1]) == 1
end

@testset "every element type" for T in ELEMENTS
    host = patterns(T)
    d = PJRTArray(host)
    PJRTMemory.allowscalar() do
        @test same_bytes([d[i] for i in eachindex(d)], host)
        d[1] = host[2]
        @test same_bytes([d[1]], host[2:2])
    end
end

@testset "which elements are assigned" begin
    d = PJRTArray([1 2; 3 4])
    @test isassigned(d, 4) && isassigned(d, 2, 2)
    @test !isassigned(d, 5) && !isassigned(d, 3, 1)
end

@static if isdefined(Base, :getindex_atomic)
    @testset "atomic access throws, permitted or not" begin
        m = PJRTArray([1, 2]).ref.mem
        for use in (
            () -> Base.getindex_atomic(m, :monotonic, 1),
            () -> Base.setindex_atomic!(m, :monotonic, 1, 1),
            () -> Base.setindexonce_atomic!(m, :monotonic, :monotonic, 1, 1),
            () -> Base.modifyindex_atomic!(m, :monotonic, +, 1, 1),
            () -> Base.swapindex_atomic!(m, :monotonic, 1, 1),
            () -> Base.replaceindex_atomic!(m, :monotonic, :monotonic, 1, 2, 1),
            () -> @atomic(m[1]),
            () -> @atomic(m[1] = 2),
            () -> @atomic(m[1] += 2),
            () -> @atomicswap(m[1] = 2),
            () -> @atomicreplace(m[1], 1 => 2),
            () -> @atomiconce(m[1] = 2),
        )
            @test occursin("atomic", message_of(use, HostAccessError))
            @test_throws HostAccessError PJRTMemory.allowscalar(use)
        end
        @test Array(m) == [1, 2]
    end
end

@testset "splatting" begin
    d = PJRTArray([1, 2])
    memory = d.ref.mem
    for use in (
        () -> tuple(d...),
        () -> circshift(d, memory),
        () -> circshift!(similar(d), d, memory),
        () -> methods(+, memory),
        () -> which(+, memory),
        () -> hasmethod(+, memory),
    )
        @test_throws HostAccessError use()
    end
end

# Base's reflection splats what it is given for argument types, in one place.
@testset "a memory is no list of argument types" begin
    memory = PJRTArray(Float64[1, 2]; space=SPACE).ref.mem
    for f in (
        () -> code_typed(+, memory),
        () -> code_typed(+, memory; optimize=false),
        () -> code_lowered(+, memory; generated=true),
        () -> hasmethod(+, memory),
        () -> hasmethod(+, memory, (:a,)),
        () -> hasmethod(+, memory; world=typemax(UInt)),
        () -> methods(+, memory),
        () -> methods(+, memory, Base),
        () -> which(+, memory),
        () -> functionloc(+, memory),
        () -> parentmodule(+, memory),
        () -> Base.return_types(+, memory),
        () -> Base.code_ircode(+, memory),
        () -> Base.infer_effects(+, memory),
    )
        @test_throws HostAccessError f()
    end
end
