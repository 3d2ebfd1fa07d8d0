//! Linker arguments of the shared library: a soname, so that a program linked
//! with one version of the ABI never loads another, and `nodelete`, because the
//! plugins' threads and the handlers of fork and exit outlive a `dlclose`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        let major = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets it");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libpjrtmem.so.{major}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
