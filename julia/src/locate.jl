# Where the shared library is looked for. Also included by deps/build.jl, so it uses Base
# only.

const PACKAGE_UUID = Base.UUID("23f275c9-ab3d-4a3a-98be-b16f3920d5b0")
const LIBRARY_FILE = "libpjrtmem." * Base.Libc.Libdl.dlext
const PACKAGE_DIRECTORY = dirname(@__DIR__)

"The Cargo project that this package is part of, where it lies in its repository."
repository() = dirname(PACKAGE_DIRECTORY)

"""
    library_setting()

The path that the user set, and where: the environment variable `PJRTMEM_LIBRARY`, else the
preference `library` of this package. `nothing` if there is neither.
"""
function library_setting()
    path = get(ENV, "PJRTMEM_LIBRARY", "")
    isempty(path) || return path, "the environment variable PJRTMEM_LIBRARY"
    path = get(Base.get_preferences(PACKAGE_UUID), "library", "")
    isempty(path) || return path, "the preference \"library\" of PJRTMemory"
    return nothing
end

"The places where a build of the library lies, best first."
function library_places()
    target = joinpath(repository(), "target")
    return [
        joinpath(PACKAGE_DIRECTORY, "deps", LIBRARY_FILE),
        joinpath(target, "release", LIBRARY_FILE),
        joinpath(target, "debug", LIBRARY_FILE),
    ]
end

"""
    find_library()

The path of the shared library. A setting of the user is never passed over: if it names no
file, that is the error.
"""
function find_library()
    setting = library_setting()
    if setting !== nothing
        path, source = setting
        isfile(path) && return abspath(path)
        error("no pjrtmem library at $(repr(path)), which is what $source says")
    end
    places = library_places()
    found = findfirst(isfile, places)
    found === nothing || return places[found]
    error(
        "the pjrtmem library was not found. Looked at: the environment variable ",
        "PJRTMEM_LIBRARY (not set), the preference \"library\" of PJRTMemory (not set)",
        (", $place (no such file)" for place in places)...,
        ". `import Pkg; Pkg.build(\"PJRTMemory\")` builds it where there is a cargo.",
    )
end
