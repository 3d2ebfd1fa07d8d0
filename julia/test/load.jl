@testset "the same file with equal options is one client" begin
    @test PJRTMemory.load(PLUGIN; cpu_device_count=2) == LOADED
    @test isempty(intersect(PJRTMemory.load(PLUGIN; cpu_device_count=1), LOADED))
    '/' in PLUGIN || @test PJRTMemory.load(Symbol(PLUGIN); cpu_device_count=2) == LOADED
end

@testset "options have the type of their value" begin
    message = message_of(() -> PJRTMemory.load(PLUGIN; layout=(1, 2)), ArgumentError)
    @test occursin("the option layout is a Tuple{Int64, Int64}", message)
    # Of the wrong type for the plugin, so that the library or the plugin has to notice.
    @test_throws PJRTError PJRTMemory.load(PLUGIN; cpu_device_count="two")
    @test_throws PJRTError PJRTMemory.load(PLUGIN; cpu_device_count=-1)
    @test_throws InexactError PJRTMemory.load(PLUGIN; cpu_device_count=big(2)^70)
    @test_throws ArgumentError PJRTMemory.load("a\0b")
end

@testset "all five kinds of options arrive at the library" begin
    options = (; text="a", symbol=:b, whole=3, real=1.5, flag=true, list=[1, 2])
    PJRTMemory.with_options(pairs(options)) do handle
        @test handle != C_NULL
    end
end

@testset "errors name the file" begin
    message = message_of(() -> PJRTMemory.load("/no/such.so"), PJRTError)
    @test occursin("/no/such.so", message)
    mktempdir() do directory
        path = joinpath(directory, "text.so")
        write(path, "not a library")
        @test occursin(path, message_of(() -> PJRTMemory.load(path), PJRTError))
    end
end
