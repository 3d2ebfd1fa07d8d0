include("support.jl")

@testset "PJRTMemory" begin
    @testset "$file" for file in (
        "locate",
        "errors",
        "addrspace",
        "elements",
        "spaces",
        "load",
        "owner",
        "memory",
        "array",
        "scalar",
        "transfer",
        "indexing",
        "hostview",
        "compare",
        "broadcast",
        "show",
        "serialization",
        "status",
        "interface",
        "process",
        "soak",
        "sweep",
        "offline",
    )
        include("$file.jl")
    end
end
