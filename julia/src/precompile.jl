# What the first arrays of a session run, compiled into the package's image. No directive
# makes memory: that is refused while an image is written.

for T in (Float32, Float64, Int64), N in (1, 2), id in 0:3
    P = PJRTArray{T,N,AddressSpace(id)}
    A = Array{T,N}
    precompile(P, (UndefInitializer, Dims{N}))
    precompile(P, (A,))
    precompile(PJRTArray, (A,))
    precompile(A, (P,))
    precompile(copyto!, (P, A))
    precompile(copyto!, (A, P))
    precompile(copy, (P,))
    precompile(fill!, (P, T))
end
precompile(load, (Symbol,))
precompile(load, (String,))
precompile(library, ())
precompile(check_julia, ())
precompile(release, (Owner,))
