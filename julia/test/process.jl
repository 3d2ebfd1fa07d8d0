# How a process that holds device memory ends, and what it must not do.

# A plugin may write to stderr when it is loaded; from then on there must be silence.
const QUIET_LOAD = """
redirect_stderr(devnull)
$LOAD_IN_CHILD
redirect_stderr(original)
"""

function quiet_child(code, flags=``)
    return child("const original = stderr\n" * QUIET_LOAD * code, flags)
end

const HOLDING = """
const kept = [PJRTArray(rand(100)) for _ in 1:1000]
const shown = [hostview(d) for d in kept[1:10]]
"""

@testset "exit with live buffers: $name" for (name, ending, code) in (
    ("the end of the program", "", 0),
    ("exit()", "exit()", 0),
    ("a status of its own", "exit(7)", 7),
    ("in the middle of a transfer", "Threads.@spawn copy(kept[1]); exit(3)", 3),
    ("a late free", "atexit(() -> foreach(free!, kept[11:end]))", 0),
)
    result = quiet_child(HOLDING * ending, `-t2`)
    @test (result.code, result.signal, result.err) == (code, 0, "")
end

@testset "an exception ends it with Julia's status" begin
    result = quiet_child(HOLDING * "error(\"of its own\")")
    @test (result.code, result.signal) == (1, 0)
    @test startswith(result.err, "ERROR: of its own")
end

# A forked child cannot compile, so everything that it runs has been run before.
const FORKING = """
function name_of_error(f)
    try
        f()
        return "no error"
    catch e
        return e.name
    end
end

report(text) = (@ccall(printf("%s;"::Cstring; text::Cstring)::Cint); nothing)

function use(d)
    report(name_of_error(() -> Array(d)))
    report(name_of_error(() -> PJRTArray{Float64,1,SPACE}(undef, 3)))
    @ccall fflush(C_NULL::Ptr{Cvoid})::Cint
    return nothing
end

function use_in_child(d)
    child = @ccall fork()::Cint
    if child == 0
        use(d)
        @ccall _exit(0::Cint)::Cvoid
    end
    @ccall waitpid(child::Cint, C_NULL::Ptr{Cvoid}, 0::Cint)::Cint
    return nothing
end

d = PJRTArray([1.0])
use(d)
name_of_error(() -> PJRTMemory.load("/no/such/plugin.so"))
use_in_child(d)
"""

@testset "a forked child gets an error, and does not hang" begin
    result = quiet_child(FORKING)
    @test (result.code, result.err) == (0, "")
    @test result.out == "no error;no error;FORKED;FORKED;"
end

const HOLDER_PROJECT = """
name = "Holder"
uuid = "1ad3bd2b-95cb-4c01-bb3f-a3d0c5d1a7f2"
[deps]
PJRTMemory = "$(PJRTMemory.PACKAGE_UUID)"
"""

const HOLDER = """
module Holder
using PJRTMemory
PJRTMemory.load($(repr(PLUGIN)))
const message = try
    PJRTArray([1.0])
    "no error"
catch e
    sprint(showerror, e)
end
end
"""

@testset "while Julia precompiles, memory is refused" begin
    mktempdir() do directory
        packages = mkpath(joinpath(directory, "packages"))
        symlink(pkgdir(PJRTMemory), joinpath(packages, "PJRTMemory"))
        source = mkpath(joinpath(packages, "Holder", "src"))
        write(joinpath(packages, "Holder", "Project.toml"), HOLDER_PROJECT)
        write(joinpath(source, "Holder.jl"), HOLDER)
        environment = (
            "JULIA_LOAD_PATH" => "$packages:@stdlib",
            "JULIA_DEPOT_PATH" => join([directory; DEPOT_PATH], ':'),
        )
        result = child("using Holder; print(Holder.message)", ``, environment)
        @test occursin("cannot be made while Julia precompiles", result.out)
    end
end

@testset "a Julia that does not fit is refused, naming those that do" begin
    result = child("""
        using PJRTMemory
        PJRTMemory.eval(:(layout_fits() = false))
        Base.invokelatest(PJRTMemory.__init__)
        """)
    @test result.code == 1
    @test occursin("PJRTMemory does not fit this Julia ($VERSION, 64 bits)", result.err)
    @test occursin("1.11.0, 1.12.0 and 1.13.0", result.err)
end
