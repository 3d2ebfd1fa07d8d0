# What is allocated.

# As in the C interface.
struct RawMemoryInfo
    struct_size::Csize_t
    live_bytes::UInt64
    live_buffers::UInt64
    queued_bytes::UInt64
    queued_buffers::UInt64
    peak_bytes::UInt64
    total_bytes::UInt64
    total_buffers::UInt64
end

function memory_info(space)
    id = space_info(space).id
    info = Ref(sized(RawMemoryInfo))
    @pjrtmem get_memory_info(id::UInt32, info::Ptr{RawMemoryInfo})
    return info[]
end

"""
    live_bytes(AS)

The bytes allocated in the address space `AS` and not yet given back to the plugin. What a
finalizer released counts until the library gets to it; [`reclaim`](@ref) sees to that.
"""
live_bytes(space) = Int(memory_info(space).live_bytes)

"""
    live_buffers(AS)

The number of buffers behind [`live_bytes`](@ref).
"""
live_buffers(space) = Int(memory_info(space).live_buffers)

"""
    reclaim()

Give everything that finalizers have released back to the plugins before returning. Collects
no garbage itself: call `GC.gc()` first to free what is out of reach but not yet found.
"""
function reclaim()
    @pjrtmem gc_safe reclaim()
    return nothing
end

"""
    memory_status([io])

Print a table of the address spaces that are loaded: live buffers and bytes (those released
but not yet given back in parentheses), the peak, and all bytes ever allocated.
"""
function memory_status(io::IO=stdout)
    rows = [("space", "", "buffers", "live", "peak", "allocated")]
    append!(rows, map(status_row, spaces()))
    widths = [maximum(row -> textwidth(row[i]), rows) for i in 1:length(first(rows))]
    for row in rows
        left = join((rpad(row[i], widths[i]) for i in 1:2), "  ")
        right = join((lpad(row[i], widths[i]) for i in 3:length(row)), "  ")
        println(io, left, "  ", right)
    end
    return nothing
end

function status_row(space)
    place, info = space_info(space), memory_info(space)
    return (
        string(place.id),
        label(place),
        with_queued(string, info.live_buffers, info.queued_buffers),
        with_queued(Base.format_bytes, info.live_bytes, info.queued_bytes),
        Base.format_bytes(info.peak_bytes),
        Base.format_bytes(info.total_bytes),
    )
end

function with_queued(format, live, queued)
    return queued == 0 ? format(live) : "$(format(live)) ($(format(queued)))"
end
