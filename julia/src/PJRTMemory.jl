"""
    PJRTMemory

Arrays whose bytes live in the memory of a PJRT device, under Julia's garbage collector.

A PJRT plugin gives each (client, device, memory kind) as an address space. A
[`DeviceMemory`](@ref) is Julia's own `GenericMemory` in such an address space, and a
[`PJRTArray`](@ref) is the array over it, laid out as `Base.Array` is. The buffer behind a
memory is freed when the last memory, reference, view or reshape of it is gone, or at once
with [`free!`](@ref).

```julia
using PJRTMemory
PJRTMemory.load(:cpu)
d = PJRTArray(Float32[1, 2, 3])
fill!(view(d, 2:3), 7)
Array(d)                            # Float32[1, 7, 7]
```

Elements are reached in whole transfers (`copyto!`, `Array(d)`, ranges); reading or writing
single elements from the host throws, see [`PJRTMemory.allowscalar`](@ref).

All functions may be called from any thread and any task. Nothing guards two tasks that
write the same bytes of one array, as for `Array`.
"""
module PJRTMemory

using Base.Broadcast: Broadcast, Broadcasted
using Base.Libc: Libdl
using Base.ScopedValues: @with, ScopedValue, with
using Serialization: AbstractSerializer, Serialization

export AddressSpace, DeviceMemory, PJRTArray, PJRTMatrix, PJRTVector
export HostAccessError, PJRTError
export default_space, default_space!, space_info, spaces
export free!, hostview, isfreed, live_buffers, live_bytes, memory_status, reclaim
public @allowscalar, SpaceInfo, allowscalar, load, ones, zeros

include("locate.jl")
include("library.jl")
include("errors.jl")
include("addrspace.jl")
include("elements.jl")
include("spaces.jl")
include("load.jl")
include("owner.jl")
include("memory.jl")
include("array.jl")
include("region.jl")
include("scalar.jl")
include("transfer.jl")
include("indexing.jl")
include("hostview.jl")
include("compare.jl")
include("broadcast.jl")
include("show.jl")
include("serialization.jl")
include("status.jl")
include("precompile.jl")

__init__() = check_julia()

end
