# Comparing whole arrays: each side that is on a device is read in one transfer.

for equal in (:(==), :isequal)
    for (X, Y) in (
        (OnDevice, OnDevice), (OnDevice, AbstractArray), (AbstractArray, OnDevice)
    )
        @eval function Base.$equal(x::$X, y::$Y)
            return axes(x) == axes(y) && $equal(on_host(x), on_host(y))
        end
    end
end

Base.hash(x::OnDevice, seed::UInt) = hash(Array(x), seed)
