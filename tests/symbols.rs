//! The shared library exports the functions of the header and nothing else.

mod common;

use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn the_library_exports_the_functions_of_the_header_and_nothing_else() {
    let declared = common::declared_functions();

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
