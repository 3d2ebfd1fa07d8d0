# Making device memory, and where a memory, reference or array keeps its owner.

function (M::Type{DeviceMemory{T,AS}})(::UndefInitializer, n::Int) where {T,AS}
    owner, address = allocate(space_id(AS), element_code(T), sizeof(T), n)
    return new_memory(M, n, address, owner)::DeviceMemory{T,AS}
end

function (::Type{DeviceMemory{T}})(
    ::UndefInitializer, n::Integer; space::AddressSpace=default_space()
) where {T}
    return DeviceMemory{T,space}(undef, Int(n))
end

buffer_owner(memory::DeviceMemory) = memory_owner(memory)::Owner
buffer_owner(reference::DeviceMemoryRef) = buffer_owner(reference.mem)
function buffer_owner(x)
    throw(ArgumentError("a $(typeof(x)) is neither device memory nor an array over it"))
end

# Two objects may alias exactly if they lie over one buffer, and no two buffers have one
# address.
Base.dataids(memory::DeviceMemory) = (UInt(memory.ptr),)
