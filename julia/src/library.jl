# The shared library, opened when it is first needed, and the calls into it.

const FUNCTIONS = (
    :error_code,
    :error_message,
    :error_free,
    :code_name,
    :options_new,
    :options_set_string,
    :options_set_integer,
    :options_set_float,
    :options_set_boolean,
    :options_set_integers,
    :options_free,
    :load,
    :get_client_info,
    :space_count,
    :get_space_info,
    :alloc,
    :free,
    :retain,
    :release,
    :get_buffer_info,
    :host_address,
    :copy_from_host,
    :copy_to_host,
    :copy,
    :fill,
    :get_memory_info,
    :reclaim,
    :exiting,
)

"The first two parts of the library's version must be these: they name the C interface."
const LIBRARY_VERSION = v"0.1"

# One pointer for each function, so that a call costs one load and no symbol lookup.
@eval mutable struct Library
    @atomic open::Bool
    $((:($name::Ptr{Cvoid}) for name in FUNCTIONS)...)
    Library() = new(false, $((C_NULL for _ in FUNCTIONS)...))
end

const LIBRARY = Library()
const LIBRARY_LOCK = ReentrantLock()

"The table of functions. The first call finds and opens the library, or throws."
library() = (@atomic :acquire LIBRARY.open) ? LIBRARY : open_library()

@noinline function open_library()
    @lock LIBRARY_LOCK begin
        (@atomic LIBRARY.open) && return LIBRARY
        path = find_library()
        handle = Libdl.dlopen(path)
        check_library_version(handle, path)
        for name in FUNCTIONS
            setfield!(LIBRARY, name, Libdl.dlsym(handle, Symbol(:pjrtmem_, name)))
        end
        # Finalizers still run after this hook; from then on the library ignores them.
        atexit(() -> @ccall $(LIBRARY.exiting)()::Cvoid)
        @atomic :release LIBRARY.open = true
    end
    return LIBRARY
end

function check_library_version(handle, path)
    pointer = Libdl.dlsym(handle, :pjrtmem_version)
    version = VersionNumber(unsafe_string(@ccall $pointer()::Cstring))
    (version.major, version.minor) == (LIBRARY_VERSION.major, LIBRARY_VERSION.minor) ||
        error("$path is pjrtmem $version; this PJRTMemory needs $LIBRARY_VERSION.x")
    return nothing
end

"""
    @pjrtmem name(argument::Type, ...)
    @pjrtmem gc_safe name(argument::Type, ...)

Call `pjrtmem_name`, written as for `@ccall`, and throw the error that it returns. With
`gc_safe`, other threads can collect garbage while the call runs (Julia 1.11 has no such
calls and makes a plain one).
"""
macro pjrtmem(call)
    return esc(checked_ccall(__source__, call))
end
macro pjrtmem(mode, call)
    mode === :gc_safe || throw(ArgumentError("the mode of @pjrtmem is gc_safe"))
    options = VERSION >= v"1.12-" ? (:(gc_safe = true),) : ()
    return esc(checked_ccall(__source__, call, options...))
end

function checked_ccall(source, call, options...)
    name, arguments... = call.args
    table = Expr(:., :(library()), QuoteNode(name))
    signature = :($(Expr(:call, Expr(:$, table), arguments...))::Ptr{Cvoid})
    return :(check($(Expr(:macrocall, Symbol("@ccall"), source, options..., signature))))
end

"""
    sized(T)

A `T` of zeros whose first field, as the library asks of its info structures, is its size.
"""
function sized(::Type{T}) where {T}
    return T(sizeof(T), ntuple(i -> fieldtype(T, i + 1)(0), Val(fieldcount(T) - 1))...)
end
