//! The shared library exports the functions of the header and nothing else.

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn the_library_exports_the_functions_of_the_header_and_nothing_else() {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/pjrtmem.h");
    let header = std::fs::read_to_string(header).expect("the header");
    let declared: BTreeSet<String> = header
        .lines()
        .filter(|line| !line.starts_with("//") && !line.starts_with(' '))
        .filter_map(|line| line.split_once('('))
        .filter_map(|(before, _)| before.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("pjrtmem_"))
        .map(String::from)
        .collect();
    assert!(declared.len() > 20, "{declared:?}");

    let listed = Command::new("nm")
        .args(["-D", "--defined-only", "--format=posix"])
        .arg(common::library())
        .output()
        .expect("nm, of the binutils");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let exported: BTreeSet<String> = String::from_utf8(listed.stdout)
        .expect("UTF-8")
        .lines()
        .filter_map(|line| line.split(' ').next())
        .map(String::from)
        .collect();
    assert_eq!(exported, declared);
}
