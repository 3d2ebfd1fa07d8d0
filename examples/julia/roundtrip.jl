# Puts a record of measurements into device memory, moves it from one address space to
# another, gets it back and compares every byte.
#
#     roundtrip.jl [PLUGIN [FILE]]     PLUGIN: a name or a path, "cpu" if none is given

using PJRTMemory

const DEFAULT_FILE = joinpath(@__DIR__, "..", "data", "co2.csv")

"The CO2 column of the file; a week without a value is a NaN."
function read_weeks(path)
    lines = Iterators.drop(eachline(path), 1) # the column names
    values = (last(split(line, ',')) for line in lines)
    return [something(tryparse(Float64, value), NaN) for value in values]
end

"One address space of two devices, and host memory that the first one reads directly."
function choose_spaces(loaded)
    defaults = filter(space -> space_info(space).default_memory, loaded)
    pinned = filter(space -> space_info(space).memory_kind == "pinned_host", loaded)
    return first(defaults), last(defaults), first(pinned)
end

same_bytes(a, b) = reinterpret(UInt8, a) == reinterpret(UInt8, b)

"Compare, say so, and end the program on the first wrong byte."
function check(what, expected, found)
    if !same_bytes(expected, found)
        println(stderr, what, ": the bytes differ")
        exit(1)
    end
    println("  ", what, ": ", sizeof(found), " bytes, all right")
    return nothing
end

function main(plugin="cpu", path=DEFAULT_FILE)
    weeks = read_weeks(path)
    measured = count(!isnan, weeks)
    println(basename(path), ": ", length(weeks), " weeks, ", measured, " of them measured")

    loaded = PJRTMemory.load(plugin; cpu_device_count=2)
    first_device, second_device, pinned = choose_spaces(loaded)
    foreach(space -> println("  ", space_info(space)), unique(choose_spaces(loaded)))

    there = PJRTArray(weeks; space=first_device)
    println(summary(there))
    check("got back", weeks, Array(there))

    moved = PJRTArray{Float64}(undef, length(there); space=second_device)
    copyto!(moved, there)
    println(summary(moved))
    check("moved to the second device", weeks, Array(moved))

    host = PJRTArray(moved; space=pinned)
    println(summary(host))
    check("moved to pinned host memory", weeks, Array(host))

    year = moved[1:52]
    println(summary(year), ", the first year")
    check("a part taken on the device", weeks[1:52], Array(year))

    foreach(free!, (there, moved, host, year))
    println("live bytes at the end: ", sum(live_bytes, loaded))
    return nothing
end

main(ARGS...)
