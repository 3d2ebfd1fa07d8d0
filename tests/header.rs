//! `include/pjrtmem.h` is what cbindgen makes of the sources.

use std::path::Path;

#[test]
fn the_header_is_what_the_sources_give() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut generated = Vec::new();
    cbindgen::generate(root).expect("cbindgen reads the sources").write(&mut generated);
    let generated = String::from_utf8(generated).expect("UTF-8");
    let header = root.join("include/pjrtmem.h");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&header, &generated).expect("the header can be written");
    }
    let checked_in = std::fs::read_to_string(&header).unwrap_or_default();
    assert!(
        checked_in == generated,
        "include/pjrtmem.h is not what the sources give; `make header` makes it anew"
    );
}
