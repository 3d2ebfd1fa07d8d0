# The package in a fresh environment with a depot of its own and a registry without
# packages: develop, build, using and a first array, with nothing downloaded.

const EMPTY_REGISTRY = """
name = "Empty"
uuid = "7a1e5f3c-6f0d-4f0e-9d0f-3b1f5c2a9e10"
repo = ""

[packages]
"""

const FRESH_ENVIRONMENT = """
import Pkg
Pkg.activate(ENVIRONMENT)
Pkg.develop(; path=PACKAGE)
Pkg.build("PJRTMemory")
using PJRTMemory
PJRTMemory.load(PLUGIN)
print(stdout, Array(PJRTArray([1, 2, 3])))
"""

@testset "develop, build, using" begin
    mktempdir() do directory
        registry = mkpath(joinpath(directory, "depot", "registries", "Empty"))
        write(joinpath(registry, "Registry.toml"), EMPTY_REGISTRY)
        code = """
            const ENVIRONMENT = $(repr(joinpath(directory, "environment")))
            const PACKAGE = $(repr(pkgdir(PJRTMemory)))
            const PLUGIN = $(repr(PLUGIN))
            $FRESH_ENVIRONMENT
            """
        result = child(code, ``, (
            "JULIA_DEPOT_PATH" => joinpath(directory, "depot") * ":",
            "JULIA_LOAD_PATH" => "@:@stdlib",
            "JULIA_PROJECT" => nothing,
            "JULIA_PKG_OFFLINE" => "true",
            "JULIA_PKG_SERVER" => "",
        ))
        result.code == 0 || print(result.err)
        @test (result.code, result.out) == (0, "[1, 2, 3]")
    end
end

"Run a copy of build.jl in a repository; `prepare` gets its directory. And what is left
there." function build_in(prepare, path)
    mktempdir() do directory
        package = joinpath(directory, "julia")
        for file in (joinpath("deps", "build.jl"), joinpath("src", "locate.jl"))
            copied = joinpath(package, file)
            mkpath(dirname(copied))
            cp(joinpath(pkgdir(PJRTMemory), file), copied)
        end
        prepare(directory)
        build = "include($(repr(joinpath(package, "deps", "build.jl"))))"
        result = child(build, ``, ("PJRTMEM_LIBRARY" => nothing, "PATH" => path(directory)))
        return result, isfile(joinpath(directory, "target", "release", "libpjrtmem.so"))
    end
end

@testset "build says what is missing" begin
    result, built = build_in(identity, _ -> ENV["PATH"])
    @test result.code == 1 && !built
    @test occursin("there is no ", result.err) && occursin("Cargo.toml", result.err)
    touch_manifest(directory) = touch(joinpath(directory, "Cargo.toml"))
    result, built = build_in(touch_manifest, identity)
    @test result.code == 1 && !built
    @test occursin("there is no cargo on PATH", result.err)
end

# Stands for cargo: makes the file where it is told to, and says what it was called with.
const CARGO = """
#!/bin/sh
echo "\$1 \$2 \$3"
for target; do :; done
mkdir -p "\$target/release"
: > "\$target/release/libpjrtmem.so"
"""

@testset "build calls cargo if the library is missing, and only then" begin
    function with_cargo(directory)
        touch(joinpath(directory, "Cargo.toml"))
        cargo = joinpath(mkpath(joinpath(directory, "bin")), "cargo")
        write(cargo, CARGO)
        chmod(cargo, 0o755)
    end
    function with_library(directory)
        with_cargo(directory)
        touch(joinpath(directory, "julia", "deps", "libpjrtmem.so"))
    end
    path(directory) = joinpath(directory, "bin") * ":" * ENV["PATH"]
    result, built = build_in(with_cargo, path)
    @test result.code == 0 && built
    @test result.out == "build --release --manifest-path\n"
    result, built = build_in(with_library, path)
    @test result.code == 0 && !built
    @test result.out == ""
end
