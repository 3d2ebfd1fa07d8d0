//! The declarations of `pjrt::sys` are those of the official header, which the
//! wheel of the plugin `cpu` ships: a C program that asserts every size and
//! offset compiles.

mod common;

use std::fmt::Write;
use std::process::Command;

use pjrtmem::pjrt::sys::{SLOTS, STRUCTS};

#[test]
fn sizes_and_offsets_are_those_of_the_official_header() {
    let Some(header) = common::pjrt_header() else {
        return common::skip("the header pjrt_c_api.h is not in the cache; `make plugin`");
    };
    let mut program = format!("#include {header:?}\n");
    let mut require = |assertion: String| {
        writeln!(program, "_Static_assert({assertion}, \"{assertion}\");").expect("a string");
    };
    for layout in STRUCTS {
        let name = layout.name;
        require(format!("{name}_STRUCT_SIZE == {}", layout.size));
        for (field, offset) in layout.fields {
            // The union in a named value has no name in C.
            let named_value = name == "PJRT_NamedValue" && *field == "value";
            let field = if named_value { "string_value" } else { field };
            let field = field.trim_start_matches("r#");
            require(format!("offsetof({name}, {field}) == {offset}"));
        }
    }
    for (slot, offset) in SLOTS {
        require(format!("offsetof(PJRT_Api, {slot}) == {offset}"));
    }
    assert!(program.lines().count() > 200, "the lists are not empty");

    let source = common::scratch("declarations").join("declarations.c");
    std::fs::write(&source, program).expect("the program can be written");
    let compiled = Command::new(common::cc())
        .args(["-std=c11", "-fsyntax-only", "-Wall", "-Werror"])
        .arg(&source)
        .output()
        .expect("a C compiler; set CC");
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{messages}");
}
