# Each in a process of its own: the library is opened once in a process.

const FIRST_CALL = "using PJRTMemory; try; spaces(); catch e; print(e.msg); end"

@testset "a wrong setting is the error, and nothing else is tried" begin
    result = child(FIRST_CALL, ``, ("PJRTMEM_LIBRARY" => "/no/such/libpjrtmem.so",))
    @test result.code == 0
    @test occursin("/no/such/libpjrtmem.so", result.out)
    @test occursin("the environment variable PJRTMEM_LIBRARY", result.out)
end

@testset "the preference is found" begin
    mktempdir() do directory
        uuid = PJRTMemory.PACKAGE_UUID
        write(joinpath(directory, "Project.toml"), "[extras]\nPJRTMemory = \"$uuid\"\n")
        write(
            joinpath(directory, "LocalPreferences.toml"),
            "[PJRTMemory]\nlibrary = \"/preferred/libpjrtmem.so\"\n",
        )
        load_path = join([directory; Base.load_path()], ':')
        environment = ("PJRTMEM_LIBRARY" => nothing, "JULIA_LOAD_PATH" => load_path)
        result = child(FIRST_CALL, ``, environment)
        @test occursin("/preferred/libpjrtmem.so", result.out)
        @test occursin("the preference \"library\"", result.out)
    end
end

"The file that knows the places, where `directory` is the repository."
function located_in(directory)
    source = joinpath(pkgdir(PJRTMemory), "src", "locate.jl")
    copied = joinpath(mkpath(joinpath(directory, "julia", "src")), "locate.jl")
    cp(source, copied)
    located = Module()
    Base.include(located, copied)
    return located
end

function check_places(located)
    message = message_of(located.find_library, ErrorException)
    for place in located.library_places()
        @test occursin(place, message)
    end
    @test occursin("PJRTMEM_LIBRARY", message)
    @test occursin("Pkg.build", message)
    for place in reverse(located.library_places())
        write(joinpath(mkpath(dirname(place)), basename(place)), "")
        @test located.find_library() == place
    end
end

@testset "the error names every place, and the first one there is wins" begin
    mktempdir() do directory
        located = located_in(directory)
        withenv("PJRTMEM_LIBRARY" => nothing) do
            Base.invokelatest(check_places, located)
        end
    end
end
