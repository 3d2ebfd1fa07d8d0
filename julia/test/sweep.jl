# No call on device memory ends the process: whatever Base and the standard library export,
# tried on memory that the host cannot touch, in child processes that are started again
# after a death. The calls are those of sweep_calls.jl. The table of calls and outcomes is
# written to the file that PJRTMEM_SWEEP_TABLE names, if it is set.

const TARGET = joinpath(dirname(pkgdir(PJRTMemory)), "target")

"The plugin that hides addresses; it stands before the real one."
function hostile_plugin()
    file = "libpjrtmem_test_plugin.so"
    built = joinpath.(TARGET, ("release", "debug"), file)
    places = [get(ENV, "PJRTMEM_HOSTILE", ""), built...]
    found = findfirst(isfile, places)
    return found === nothing ? nothing : places[found]
end

const SWEEPER_ENVIRONMENT = (
    "PJRTMEM_TEST_REAL_PLUGIN" => space_info(SPACE).plugin,
    "PJRTMEM_TEST_FAULTS" => "hide_addresses=1",
    # More of the standard library is swept than the tests depend on.
    "JULIA_LOAD_PATH" => join([Base.load_path(); "@stdlib"], ':'),
)

const SILENCE_LIMIT = 60 # seconds in one call until it counts as hanging

"""
Run every call of one part, each in its turn, and return the lines of the log: a call, a
tab, an outcome. A call that ends its process, or hangs, is one more outcome.
"""
function sweep_part(plugin, part, parts)
    mktempdir() do directory
        log = joinpath(directory, "log")
        touch(log)
        while !endswith(read(log, String), "\nend\n")
            outcome = run_sweeper(plugin, log, part, parts)
            outcome === nothing || open(io -> println(io, outcome), log; append=true)
        end
        return filter(!in(("", "end")), readlines(log))
    end
end

"Run one child until it is done with its batch: `nothing`, or how the last call ended it."
function run_sweeper(plugin, log, part, parts)
    script = joinpath(@__DIR__, "sweep_calls.jl")
    julia = `$(Base.julia_cmd()) --startup-file=no --project=$(Base.active_project()) -O0`
    command = addenv(`$julia $script $plugin $log $part $parts`, SWEEPER_ENVIRONMENT...)
    silent = pipeline(command; stdin=devnull, stdout=devnull, stderr=devnull)
    process = run(silent; wait=false)
    hung = !ends_or_advances(process, log)
    hung && kill(process, Base.SIGKILL)
    wait(process)
    hung && return "HUNG"
    success(process) && return nothing
    return "DIED ($(process.exitcode), signal $(process.termsignal))"
end

function ends_or_advances(process, log)
    size, since = filesize(log), time()
    while process_running(process)
        sleep(0.2)
        filesize(log) == size || ((size, since) = (filesize(log), time()))
        time() - since > SILENCE_LIMIT && return false
    end
    return true
end

function report_sweep(lines)
    rows = sort!([split(line, '\t') for line in lines])
    table = get(ENV, "PJRTMEM_SWEEP_TABLE", "")
    isempty(table) || open(table, "w") do io
        foreach(row -> println(io, rpad(row[1], 64), ' ', row[2]), rows)
    end
    counts = Dict{String,Int}()
    for (_, outcome) in rows
        kind = first(split(outcome))
        counts[kind] = get(counts, kind, 0) + 1
    end
    summed = join(("$(counts[kind]) $kind" for kind in sort!(collect(keys(counts)))), ", ")
    println("sweep: $(length(rows)) calls: $summed")
    return filter(row -> startswith(row[2], r"DIED|HUNG"), rows)
end

@testset "no call ends the process" begin
    plugin = hostile_plugin()
    if plugin === nothing
        @test_skip "there is no libpjrtmem_test_plugin.so; cargo builds it"
    else
        parts = [Threads.@spawn(sweep_part(plugin, part, 2)) for part in 0:1]
        lines = reduce(vcat, fetch.(parts))
        @test length(lines) > 10_000
        @test isempty(report_sweep(lines))
    end
end
