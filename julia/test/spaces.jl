@testset "what is loaded" begin
    @test issubset(LOADED, spaces())
    @test LOADED isa Vector{AddressSpace}
    @test length(LOADED) >= 6
    info = space_info(SPACE)
    @test info.space === SPACE
    @test info.id === Int(PJRTMemory.space_id(SPACE))
    @test info.platform == "cpu"
    @test info.default_memory
    @test isfile(info.plugin)
    @test info.api_version.major == 0
    @test space_info(PINNED).memory_kind == "pinned_host"
    @test !space_info(PINNED).default_memory
    @test space_info(SECOND).device_id != info.device_id
    @test space_info(SPACE) === info
end

@testset "how it shows" begin
    info = space_info(PINNED)
    @test repr(info) == "SpaceInfo($(info.id): cpu:$(info.device_id) pinned_host)"
    shown = repr("text/plain", info)
    title = "address space $(info.id) (cpu:$(info.device_id) pinned_host)"
    @test startswith(shown, title * "\n")
    @test occursin("\n  memory_kind      pinned_host\n", shown)
    @test count('\n', shown) == length(propertynames(info)) - 2
end

@testset "an address space that is not loaded" begin
    unloaded = AddressSpace(255)
    for use in (
        () -> space_info(unloaded),
        () -> DeviceMemory{Float32,unloaded}(undef, 3),
        () -> PJRTArray([1.0]; space=unloaded),
        () -> default_space!(unloaded),
        () -> live_bytes(unloaded),
    )
        message = message_of(use, ArgumentError)
        @test occursin("address space 255 is not loaded", message)
        @test occursin("PJRTMemory.load", message)
    end
    @test_throws ArgumentError DeviceMemory{Float32,Core.CPU}(undef, 3)
    @test_throws TypeError PJRTArray([1.0]; space=0)
end

@testset "the default" begin
    before = default_space()
    @test default_space!(SECOND) === SECOND
    @test default_space() === SECOND
    @test PJRTArray([1]) isa PJRTVector{Int,SECOND}
    inner = default_space!(PINNED) do
        spawned = fetch(Threads.@spawn default_space())
        (default_space(), spawned)
    end
    @test inner == (PINNED, PINNED)
    @test default_space() === SECOND
    default_space!(before)
    @test default_space() === before
end

@testset "the first one loaded becomes the default; before, there is none" begin
    result = child("""
        using PJRTMemory
        try
            default_space()
        catch e
            print(e.msg)
        end
        loaded = PJRTMemory.load($(repr(PLUGIN)))
        print(";", default_space() === first(loaded))
        """)
    @test occursin("no default address space", result.out)
    @test endswith(result.out, ";true")
end
