# What the test files share: the plugin, its address spaces, child processes.

using LinearAlgebra
using PJRTMemory
using Random
using Serialization
using Test

const PLUGIN = get(ENV, "PJRTMEM_TEST_PLUGIN", "cpu")
const LOADED = PJRTMemory.load(PLUGIN; cpu_device_count=2)

"The address space of this device and memory kind (the device's default, given none)."
function find_space(device, kind=nothing)
    wanted = filter(LOADED) do space
        info = space_info(space)
        matches = kind === nothing ? info.default_memory : info.memory_kind == kind
        return info.device_id == device && matches
    end
    return only(wanted)
end

const DEVICES = sort!(unique(space_info(space).device_id for space in LOADED))
const SPACE = find_space(DEVICES[1])
const PINNED = find_space(DEVICES[1], "pinned_host")
const SECOND = find_space(DEVICES[2])

const ELEMENTS = first.(PJRTMemory.ELEMENT_TYPES)

"Some elements of every kind of bit pattern: all zeros, all ones, signs, NaN payloads."
function patterns(T)
    T === Bool && return [false, true, true, false]
    bytes = rand(Xoshiro(1), UInt8, 64 * sizeof(T))
    bytes[1:sizeof(T)] .= 0x00
    bytes[(sizeof(T) + 1):(2 * sizeof(T))] .= 0xff
    return collect(reinterpret(T, bytes))
end

"Equal bit for bit: NaNs of one payload are, zeros of other signs are not."
function same_bytes(a, b)
    return typeof(a) == typeof(b) && size(a) == size(b) && bytes_of(a) == bytes_of(b)
end
bytes_of(a) = GC.@preserve a copy(unsafe_wrap(Array, Ptr{UInt8}(pointer(a)), sizeof(a)))

"Live buffers once all that is out of reach is found and given back."
function settled_buffers(space=SPACE)
    GC.gc()
    reclaim()
    return live_buffers(space)
end

"Run `f` and return how many more buffers live than before, once all is settled."
function buffers_left_by(f, space=SPACE)
    before = settled_buffers(space)
    f()
    return settled_buffers(space) - before
end

const LOAD_IN_CHILD = """
using PJRTMemory
const SPACE = first(PJRTMemory.load($(repr(PLUGIN)); cpu_device_count=2))
"""

"Run Julia code in a process of its own: exit code, signal, standard output and error."
function child(code, flags=``, environment=())
    out, err = IOBuffer(), IOBuffer()
    julia = `$(Base.julia_cmd()) --startup-file=no --project=$(Base.active_project())`
    command = addenv(`$julia $flags -e $code`, environment...)
    process = run(pipeline(ignorestatus(command); stdin=devnull, stdout=out, stderr=err))
    return (
        code=process.exitcode,
        signal=process.termsignal,
        out=String(take!(out)),
        err=String(take!(err)),
    )
end

"The message of the `E` that `f` throws."
function message_of(f, E)
    try
        f()
    catch e
        e isa E || rethrow()
        return sprint(showerror, e)
    end
    return error("nothing was thrown")
end
