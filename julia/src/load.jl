# Loading a plugin with its options.

"""
    PJRTMemory.load(plugin; options...)

Load a PJRT plugin and return its address spaces: device by device, each device's default
memory first. The first address space ever loaded becomes the [`default_space`](@ref).

`plugin` is a path (it has a `/`) or a name, which is looked up in the environment variable
`PJRT_NAMES_AND_LIBRARY_PATHS` (`name:path,name:path`) and then in the cache of fetched
plugins. `options` are the plugin's own: strings (or symbols), integers, floats, booleans
and vectors of integers. The same file with equal options is loaded once.

Throws [`PJRTError`](@ref) if there is no such plugin, if the file is none, if its version
does not fit or if it refuses an option; `ArgumentError` for an option of another type, and
beyond the 256 address spaces that Julia can name. Safe from any thread.

```julia
device0, = PJRTMemory.load(:cpu)
PJRTMemory.load("/opt/plugins/cpu.so"; cpu_device_count = 2)
```
"""
function load(plugin::Union{AbstractString,Symbol}; options...)
    client = Ref{UInt32}()
    with_options(options) do handle
        @pjrtmem gc_safe load(
            String(plugin)::Cstring, handle::Ptr{Cvoid}, client::Ptr{UInt32}
        )
    end
    info = client_info(client[])
    ids = info.first_space:(info.first_space + info.space_count - UInt32(1))
    last(ids) < SPACE_LIMIT || throw_too_many_spaces(plugin, ids)
    loaded = AddressSpace[AddressSpace(id) for id in ids]
    adopt_default!(first(loaded))
    return loaded
end

function throw_too_many_spaces(plugin, ids)
    throw(ArgumentError("$plugin has the address spaces $(first(ids)) to $(last(ids)), and \
                         Julia has 256 address spaces per backend, 0 to 255. They are \
                         never given out again: start a new process."))
end

function with_options(f, options)
    handle = Ref{Ptr{Cvoid}}()
    @pjrtmem options_new(handle::Ptr{Ptr{Cvoid}})
    try
        for (name, value) in options
            set_option(handle[], String(name), value)
        end
        return f(handle[])
    finally
        @ccall $(library().options_free)(handle[]::Ptr{Cvoid})::Cvoid
    end
end

function set_option(handle, name, value::Union{AbstractString,Symbol})
    @pjrtmem options_set_string(handle::Ptr{Cvoid}, name::Cstring, String(value)::Cstring)
end
function set_option(handle, name, value::Bool)
    @pjrtmem options_set_boolean(handle::Ptr{Cvoid}, name::Cstring, value::Bool)
end
function set_option(handle, name, value::Integer)
    @pjrtmem options_set_integer(handle::Ptr{Cvoid}, name::Cstring, value::Int64)
end
function set_option(handle, name, value::AbstractFloat)
    @pjrtmem options_set_float(handle::Ptr{Cvoid}, name::Cstring, value::Cfloat)
end
function set_option(handle, name, values::AbstractVector{<:Integer})
    integers = Vector{Int64}(values)
    @pjrtmem options_set_integers(
        handle::Ptr{Cvoid}, name::Cstring, integers::Ptr{Int64}, length(integers)::Csize_t
    )
end
function set_option(_, name, value)
    throw(ArgumentError("the option $name is a $(typeof(value)); a plugin takes strings, \
                         integers, floats, booleans and vectors of integers"))
end
