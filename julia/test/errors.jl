@testset "an error of the library" begin
    e = try
        PJRTMemory.load("/no/such/plugin.so")
    catch e
        e
    end
    @test e isa PJRTError
    @test e.code == 100
    @test e.name == "PLUGIN_NOT_FOUND"
    @test occursin("/no/such/plugin.so", e.message)
    @test sprint(showerror, e) == "PJRTError: $(e.message) (PLUGIN_NOT_FOUND)"
end

@testset "other errors show their message" begin
    @test sprint(showerror, HostAccessError("no")) == "HostAccessError: no"
end
