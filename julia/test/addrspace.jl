@testset "an address space" begin
    space = AddressSpace(7)
    @test space isa AddressSpace
    @test PJRTMemory.space_id(space) === 0x07
    @test repr(space) == "PJRTMemory.AddressSpace(7)"
    @test_throws InexactError AddressSpace(256)
    @test isbitstype(AddressSpace)
    @test_throws ArgumentError PJRTMemory.space_id(Core.CPU)
    @test_throws ArgumentError PJRTMemory.space_id(3)
end

@testset "the layout check finds a layout that does not fit" begin
    @test PJRTMemory.check_julia() === nothing
    @test PJRTMemory.layout_fits()
    M = DeviceMemory{Int32,AddressSpace(0)}
    owner = Ref(1)
    @test PJRTMemory.memory_fits(M, Ptr{Cvoid}(64), owner)
    # Of another type of the same words: what the check compares is what it made.
    other = DeviceMemory{Int64,AddressSpace(0)}
    @test !PJRTMemory.memory_fits(other, Ptr{Cvoid}(64), owner)
end

struct Token
    number::Int
end

mutable struct Count
    @atomic collected::Int
end

mutable struct Counted
    const token::Token
    function Counted(number, count)
        return finalizer(new(Token(number))) do _
            @atomic count.collected += 1
        end
    end
end

# Inlined into its caller on purpose: the owner is then seen by nobody but the memory.
@inline function memory_with_inline_owner(number, count)
    M = DeviceMemory{Float64,AddressSpace(0)}
    return PJRTMemory.new_memory(M, 8, Ptr{Cvoid}(4096), Counted(number, count))
end

@testset "the owner lives as long as the memory, with collections in between" begin
    count = Count(0)
    for round in 1:20
        memories = [memory_with_inline_owner(i, count) for i in 1:500]
        GC.gc(round % 5 == 0)
        @test all(
            PJRTMemory.memory_owner(memories[i]).token === Token(i) for i in 1:500
        )
    end
    GC.gc()
    GC.gc()
    @test 19 * 500 <= count.collected <= 20 * 500
end

const HELD = Ref{Any}()

# Functions, and not inlined, since a frame keeps what it has seen until it returns.
@noinline function hold_reference(count)
    HELD[] = memoryref(memory_with_inline_owner(1, count), 5)
    return nothing
end
@noinline held_token() = PJRTMemory.memory_owner(HELD[].mem).token

@testset "a reference keeps the owner alive" begin
    count = Count(0)
    hold_reference(count)
    GC.gc()
    @test count.collected == 0
    @test held_token() === Token(1)
    HELD[] = nothing
    GC.gc()
    @test count.collected == 1
end
