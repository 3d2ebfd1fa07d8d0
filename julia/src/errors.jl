# The errors of this package. `check` is the one way from an error of the library to Julia.

"""
    PJRTError

What the library or a plugin refused: `code` is the number of the C interface, `name` its
name (`"STALE_HANDLE"`), `message` says what happened.

```julia
try
    PJRTMemory.load("/no/such/plugin.so")
catch e
    e isa PJRTError && e.name == "PLUGIN_NOT_FOUND"
end
```
"""
struct PJRTError <: Exception
    code::Int32
    name::String
    message::String
end

function Base.showerror(io::IO, e::PJRTError)
    return print(io, "PJRTError: ", e.message, " (", e.name, ")")
end

"""
    HostAccessError

The host was to reach bytes in a way that this memory does not allow: element by element, or
through an address where the host cannot see the memory. The message says what to do
instead.
"""
struct HostAccessError <: Exception
    message::String
end

Base.showerror(io::IO, e::HostAccessError) = print(io, "HostAccessError: ", e.message)

"Throw what the library returned; null is success. The error object is freed here."
check(error::Ptr{Cvoid}) = error == C_NULL ? nothing : throw(take_error(error))

@noinline function take_error(error::Ptr{Cvoid})
    code = @ccall $(library().error_code)(error::Ptr{Cvoid})::Int32
    name = unsafe_string(@ccall $(library().code_name)(code::Int32)::Cstring)
    message = unsafe_string(@ccall $(library().error_message)(error::Ptr{Cvoid})::Cstring)
    free_error(error)
    return PJRTError(code, name, message)
end

free_error(error::Ptr{Cvoid}) = @ccall $(library().error_free)(error::Ptr{Cvoid})::Cvoid

const STALE_HANDLE = Int32(111)

@noinline function throw_freed()
    message = "this device memory was freed with free!; no array, view or memory over it " *
              "can be used any more"
    throw(PJRTError(STALE_HANDLE, "STALE_HANDLE", message))
end
