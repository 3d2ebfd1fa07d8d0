# What the loaded address spaces are, and which one is meant when none is named.

"The address spaces that Julia can name: their ID is one byte of a type."
const SPACE_LIMIT = 256

"""
    SpaceInfo

What an address space is; [`space_info`](@ref) gives it. Fields: `space`, `id`, `platform`
(`"cpu"`), `platform_version`, `plugin` (the file), `api_version` (PJRT's), `device_id`,
`device_kind`, `memory_kind`, `host_visible` (the host can read and write the bytes in
place), `default_memory` (the device's default).
"""
mutable struct SpaceInfo # mutable, so that one word in SPACE_INFO is the whole of it
    const space::AddressSpace
    const platform::String
    const platform_version::String
    const plugin::String
    const api_version::VersionNumber
    const device_id::Int
    const device_kind::String
    const memory_kind::String
    const host_visible::Bool
    const default_memory::Bool
end

function Base.getproperty(info::SpaceInfo, name::Symbol)
    return name === :id ? Int(space_id(info.space)) : getfield(info, name)
end
Base.propertynames(::SpaceInfo) = (:space, :id, fieldnames(SpaceInfo)[2:end]...)

"`cpu:0 device`: platform, device, memory kind."
label(info::SpaceInfo) = "$(info.platform):$(info.device_id) $(info.memory_kind)"

function Base.show(io::IO, info::SpaceInfo)
    return print(io, "SpaceInfo(", info.id, ": ", label(info), ')')
end

function Base.show(io::IO, ::MIME"text/plain", info::SpaceInfo)
    print(io, "address space ", info.id, " (", label(info), ')')
    for name in propertynames(info)
        name in (:space, :id) || print(io, "\n  ", rpad(name, 17), getproperty(info, name))
    end
    return nothing
end

# As in the C interface; strings live as long as the process.
struct RawSpaceInfo
    struct_size::Csize_t
    client::UInt32
    device_id::Int32
    device_kind::Ptr{UInt8}
    memory_kind::Ptr{UInt8}
    host_visible::Bool
    default_memory::Bool
end

struct RawClientInfo
    struct_size::Csize_t
    plugin_path::Ptr{UInt8}
    platform_name::Ptr{UInt8}
    platform_version::Ptr{UInt8}
    api_major::Int32
    api_minor::Int32
    first_space::UInt32
    space_count::UInt32
end

function client_info(client::UInt32)
    info = Ref(sized(RawClientInfo))
    @pjrtmem get_client_info(client::UInt32, info::Ptr{RawClientInfo})
    return info[]
end

function fetch_space_info(id::UInt8)
    info = Ref(sized(RawSpaceInfo))
    @pjrtmem get_space_info(id::UInt32, info::Ptr{RawSpaceInfo})
    raw = info[]
    client = client_info(raw.client)
    return SpaceInfo(
        AddressSpace(id),
        unsafe_string(client.platform_name),
        unsafe_string(client.platform_version),
        unsafe_string(client.plugin_path),
        VersionNumber(client.api_major, client.api_minor),
        raw.device_id,
        unsafe_string(raw.device_kind),
        unsafe_string(raw.memory_kind),
        raw.host_visible,
        raw.default_memory,
    )
end

# An address space never changes once it is there, so each is asked for once. The library is
# asked and not `load`: C code in the same process may load plugins too.
const SPACE_INFO = Memory{SpaceInfo}(undef, SPACE_LIMIT)

"What the address space of this number is; throws if it is not loaded."
function space_info(id::UInt8)
    slot = Int(id) + 1
    isassigned(SPACE_INFO, slot) && return SPACE_INFO[slot]
    id < space_count() || throw_not_loaded(id)
    return SPACE_INFO[slot] = fetch_space_info(id)
end

@noinline function throw_not_loaded(id)
    throw(ArgumentError("address space $id is not loaded; PJRTMemory.load(plugin) gives \
                         the address spaces of a plugin ($(space_count()) are loaded)"))
end

function space_count()
    count = Ref{UInt32}()
    @pjrtmem space_count(count::Ptr{UInt32})
    return Int(count[])
end

"""
    space_info(AS)

What the address space `AS` is: a [`PJRTMemory.SpaceInfo`](@ref). Throws `ArgumentError` if
it is not loaded.

```julia
space_info(default_space()).memory_kind     # "device"
```
"""
space_info(space) = space_info(space_id(space))

"""
    spaces()

The address spaces that are loaded in this process, in the order of their numbers.
"""
spaces() = AddressSpace[AddressSpace(id) for id in 0:min(space_count(), SPACE_LIMIT)-1]

mutable struct DefaultSpace
    @atomic id::Int
end

const NO_SPACE = -1
const DEFAULT_SPACE = DefaultSpace(NO_SPACE)
const SCOPED_SPACE = ScopedValue{Union{Nothing,AddressSpace}}(nothing)

"""
    default_space()

The address space of a new array for which none is named: the one that `default_space!(f,
AS)` set for this task, else the one of `default_space!(AS)`, else the first one that was
loaded. Throws `ArgumentError` if nothing is loaded.
"""
function default_space()
    scoped = SCOPED_SPACE[]
    scoped === nothing || return scoped
    id = @atomic DEFAULT_SPACE.id
    id == NO_SPACE && throw(ArgumentError("there is no default address space: nothing is \
                                           loaded yet, see PJRTMemory.load"))
    return AddressSpace(id)
end

"""
    default_space!(AS)
    default_space!(f, AS)

Make `AS` the default address space: for the whole process, or, given a function, only while
that runs, in this task and in tasks that it starts. Returns `AS`, or what `f` returns.
Throws `ArgumentError` if `AS` is not loaded.

```julia
default_space!(spaces()[2]) do
    PJRTArray([1.0, 2.0])           # in the second address space
end
```
"""
function default_space!(space)
    @atomic DEFAULT_SPACE.id = space_info(space).id
    return space
end
default_space!(f, space) = with(f, SCOPED_SPACE => space_info(space).space)

"Make `space` the default if there is none yet."
adopt_default!(space::AddressSpace) =
    @atomicreplace DEFAULT_SPACE.id NO_SPACE => Int(space_id(space))
