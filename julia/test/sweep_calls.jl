# The calls of the sweep, run one after the other by a child process of sweep.jl:
#
#     sweep_calls.jl PLUGIN LOG PART PARTS
#
# The log gets the call and a tab before each call, and the outcome and a newline after it.
# A process goes on behind the last line of the log, and ends after a batch.

using Base64
using CRC32c
using LinearAlgebra
using PJRTMemory
using Random
using SHA
using Serialization
using SparseArrays
using Statistics

const BATCH = 12_000

const MODULES = (
    Base,
    LinearAlgebra,
    LinearAlgebra.BLAS,
    LinearAlgebra.LAPACK,
    Random,
    Serialization,
    SparseArrays,
    Statistics,
    Base64,
    CRC32c,
    SHA,
)

# Not exported, and reads or writes elements in an order that the caller names.
const UNEXPORTED = (
    :getindex_atomic,
    :setindex_atomic!,
    :setindexonce_atomic!,
    :modifyindex_atomic!,
    :swapindex_atomic!,
    :replaceindex_atomic!,
)

const EXCLUDED = Dict(
    :exit => "ends the process on purpose",
    :atexit => "what it is given runs when the process ends",
    :finalizer => "what it is given runs in a collection, with its errors printed there",
)

"What is swept, by name; each value once, however many modules export it."
function swept_functions()
    seen = IdSet{Any}()
    found = Pair{String,Any}[]
    for (place, list) in [collect(MODULES .=> names.(MODULES)); Base => UNEXPORTED]
        for name in list
            isdefined(place, name) && !haskey(EXCLUDED, name) || continue
            value = getglobal(place, name)
            value isa Union{Function,Type} && !startswith(string(name), '@') || continue
            value in seen && continue
            push!(seen, value)
            push!(found, "$place.$name" => value)
        end
    end
    return sort!(found; by=first)
end

function targets()
    vector = PJRTArray(Float64[1, 2, 3, 4])
    return (
        "vector" => vector,
        "matrix" => PJRTArray(rand(4, 4)),
        "bytes" => PJRTArray(UInt8[0x61, 0x62, 0x63]),
        "memory" => vector.ref.mem,
        "reference" => vector.ref,
    )
end

host(d) = d isa GenericMemoryRef ? zeros(4) : zeros(eltype(d), size(d))

const TEMPLATES = (
    "(d)" => d -> (d,),
    "(d, 1)" => d -> (d, 1),
    "(1, d)" => d -> (1, d),
    "(d, 1, 1)" => d -> (d, 1, 1),
    "(d, 1:2)" => d -> (d, 1:2),
    "(d, d)" => d -> (d, d),
    "(d, d, d)" => d -> (d, d, d),
    "(1.0, d, d)" => d -> (1.0, d, d),
    "(host, d)" => d -> (host(d), d),
    "(d, host)" => d -> (d, host(d)),
    "(function, d)" => d -> (identity, d),
    "(+, d)" => d -> (+, d),
    "(+, d, d)" => d -> (+, d, d),
    "(io, d)" => d -> (IOBuffer(), d),
    "(io of bytes, d)" => d -> (IOBuffer(Base.zeros(UInt8, 1000)), d),
    "(type, d)" => d -> (Float64, d),
    "(Array, d)" => d -> (Array, d),
    "(Ptr, d)" => d -> (Ptr{Cvoid}, d),
    "('N', d)" => d -> ('N', d),
    "('N', d, d)" => d -> ('N', d, d),
    "(d, :monotonic, 1)" => d -> (d, :monotonic, 1),
    "(d, :monotonic, 1.0, 1)" => d -> (d, :monotonic, 1.0, 1),
)

# Not specialized, since most time would go into compiling this for one call each.
function outcome(@nospecialize(f), @nospecialize(arguments::Tuple))
    try
        applicable(f, arguments...) || return "inapplicable"
        return "returned $(type_name(f(arguments...)))"
    catch e
        return "threw $(type_name(e))"
    end
end

type_name(@nospecialize(x)) = nameof(typeof(x))

function main(plugin, log, part, parts)
    PJRTMemory.load(plugin)
    @assert !space_info(default_space()).host_visible
    functions = swept_functions()
    calls = [(f, target, t) for f in functions for target in targets() for t in TEMPLATES]
    mine = calls[(part + 1):parts:end]
    done = countlines(log)
    batch = mine[(done + 1):min(end, done + BATCH)]
    open(log; append=true) do io
        for ((name, f), (target, d), (template, arguments)) in batch
            print(io, name, template, ", d a ", target, '\t')
            flush(io)
            println(io, outcome(f, arguments(d)))
        end
        done + BATCH >= length(mine) && println(io, "end")
    end
    return nothing
end

main(ARGS[1], ARGS[2], parse(Int, ARGS[3]), parse(Int, ARGS[4]))
