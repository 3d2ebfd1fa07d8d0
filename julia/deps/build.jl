# Run by Pkg.build: builds the library if there is none yet.

include(joinpath(@__DIR__, "..", "src", "locate.jl"))

"Whether the library is there; a setting of the user counts even if it is wrong."
function library_found()
    library_setting() === nothing || return true
    return any(isfile, library_places())
end

function build_library()
    manifest = joinpath(repository(), "Cargo.toml")
    isfile(manifest) || error(
        "the pjrtmem library cannot be built: there is no $manifest. Use PJRTMemory from \
         its repository, or name the library in the environment variable PJRTMEM_LIBRARY \
         or in the preference \"library\".",
    )
    cargo = Sys.which("cargo")
    cargo === nothing && error(
        "the pjrtmem library cannot be built: there is no cargo on PATH. Install Rust \
         (https://rustup.rs), or name a built library in the environment variable \
         PJRTMEM_LIBRARY or in the preference \"library\".",
    )
    target = joinpath(repository(), "target")
    run(`$cargo build --release --manifest-path $manifest --target-dir $target`)
    find_library()
    return nothing
end

library_found() || build_library()
