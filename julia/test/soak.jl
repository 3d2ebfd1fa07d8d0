# Many short lives on several threads, with collections in between, in a process of its own
# that has the threads.

const SOAK = """
const PER_THREAD = 300_000

# Each round makes an array and drops it, and now and then keeps one, or a part of one, for
# a while. What is kept must hold its own number until it is dropped.
function worker(seed, space)
    kept = Vector{Any}(undef, 64)
    fill!(kept, nothing)
    wrong = 0
    for i in 1:PER_THREAD
        d = fill!(PJRTArray{Int32,1,space}(undef, 8), seed + i)
        slot = i % 64 + 1
        part = kept[slot]
        if part !== nothing
            number, x = part
            wrong += !all(==(number), Array(x))
        end
        if i % 16 == 0
            kept[slot] = (seed + i, d)
        elseif i % 16 == 1
            kept[slot] = (seed + i, view(d, 3:6))
        elseif i % 16 == 2
            kept[slot] = (seed + i, reshape(d, 2, 4))
        elseif i % 16 == 3
            kept[slot] = (seed + i, hostview(d))
        elseif i % 16 == 4
            free!(d)
        end
        i % 1000 == 0 && GC.gc(false)
    end
    return wrong
end

function soak(spaces)
    workers = [Threads.@spawn worker(Int32(i) << 24, \$(spaces[i % 2 + 1])) for i in 1:4]
    return sum(fetch, workers)
end

wrong = soak(spaces())
GC.gc()
GC.gc()
reclaim()
print(wrong, " wrong, ", sum(live_buffers, spaces()), " live")
"""

@testset "1.2 million arrays on four threads" begin
    result = child(LOAD_IN_CHILD * SOAK, `-t4`)
    @test (result.code, result.out) == (0, "0 wrong, 0 live")
end
