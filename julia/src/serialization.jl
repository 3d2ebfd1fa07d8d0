# Copies of whole object graphs. What is written is the data, never a handle or an address
# space: it is restored into the default address space of the reader.

function Base.deepcopy_internal(memory::DeviceMemory, copied::IdDict)
    return get!(() -> copy(memory), copied, memory)::typeof(memory)
end

# Arrays over one memory are over one memory again, as for `Array`.
function Base.deepcopy_internal(A::PJRTArray, copied::IdDict)
    return get!(copied, A) do
        memory = Base.deepcopy_internal(A.ref.mem, copied)
        unsafe_array(part(memoryref(memory), start_offset(A) + 1, length(A)), size(A))
    end::typeof(A)
end

# Stand in the stream for the types that have an address space in them.
struct StoredMemory end
struct StoredArray end
struct StoredReference end

function Serialization.serialize(s::AbstractSerializer, memory::DeviceMemory)
    return store(s, StoredMemory, memory, Array(memory))
end
function Serialization.serialize(s::AbstractSerializer, A::PJRTArray)
    return store(s, StoredArray, A, Array(A))
end
function Serialization.serialize(s::AbstractSerializer, reference::DeviceMemoryRef)
    Serialization.serialize_type(s, StoredReference)
    Serialization.serialize(s, reference.mem)
    return Serialization.serialize(s, Base.memoryrefoffset(reference))
end

function store(s, type, x, data)
    Serialization.serialize_cycle(s, x) && return nothing
    Serialization.serialize_type(s, type, true)
    return Serialization.serialize(s, data)
end

function Serialization.deserialize(s::AbstractSerializer, ::Type{StoredMemory})
    return restored(s, A -> A.ref.mem)
end
function Serialization.deserialize(s::AbstractSerializer, ::Type{StoredArray})
    return restored(s, identity)
end
function Serialization.deserialize(s::AbstractSerializer, ::Type{StoredReference})
    memory = Serialization.deserialize(s)
    return memoryref(memory, Serialization.deserialize(s))
end

function restored(s, f)
    x = f(PJRTArray(Serialization.deserialize(s)))
    Serialization.deserialize_cycle(s, x)
    return x
end
