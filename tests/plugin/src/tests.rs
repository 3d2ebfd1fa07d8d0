//! The declarations here against the official header, which `make plugin` puts into the cache.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use crate::{faults, names, sys};

/// The header's path, or None, said aloud, where it was never fetched.
fn header() -> Option<PathBuf> {
    let cache = env::var_os("PJRTMEM_CACHE").map(PathBuf::from).or_else(|| {
        let base = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let base = base.or_else(|| env::home_dir().map(|home| home.join(".cache")))?;
        Some(base.join("pjrtmem"))
    })?;
    let header = cache.join("include/pjrt_c_api.h");
    if !header.is_file() {
        println!("SKIPPED: {} is missing: run `make plugin`", header.display());
        return None;
    }
    Some(header)
}

#[test]
fn the_table_has_the_functions_of_the_header_in_its_order() {
    let Some(header) = header() else { return };
    let text = fs::read_to_string(header).unwrap();
    let (_, table) = text.split_once("typedef struct PJRT_Api {").unwrap();
    let functions: Vec<&str> = table
        .split("_PJRT_API_STRUCT_FIELD(")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
        .collect();
    assert_eq!(functions, names::NAMES[..names::IN_HEADER]);
}

#[test]
fn the_fields_are_where_the_header_has_them() {
    let Some(header) = header() else { return };
    let folder = env::temp_dir().join(format!("pjrtmem-test-plugin-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let source = folder.join("offsets.c");
    let mut text = format!("#include \"{}\"\n#include <stddef.h>\n", header.display());
    for (name, field, offset) in sys::FIELDS {
        let field = field.trim_start_matches("r#");
        writeln!(
            text,
            "_Static_assert(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");"
        )
        .unwrap();
    }
    fs::write(&source, text).unwrap();
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status =
        Command::new(compiler).args(["-std=c11", "-fsyntax-only"]).arg(&source).status();
    fs::remove_dir_all(&folder).unwrap();
    assert!(status.unwrap().success());
}

#[test]
fn every_name_is_found_with_and_without_its_prefix() {
    for (slot, name) in names::NAMES.iter().enumerate() {
        assert_eq!(names::find(name), Some(slot));
        assert_eq!(names::find(name.strip_prefix("PJRT_").unwrap()), Some(slot));
    }
    assert_eq!(names::find("PJRT_Nothing"), None);
}

#[test]
fn wrong_settings_are_refused() {
    for (key, value) in [
        ("nothing", "1"),
        ("hide_addresses", "yes"),
        ("refuse", "Nothing"),
        ("fail_nth", "Buffer_Destroy"),
        ("fail_nth", "Buffer_Destroy:0"),
        ("fail_nth", "Buffer_Destroy:1:NO_CODE"),
        ("fail_nth", "Buffer_Destroy:1:INTERNAL:1"),
        ("limit_bytes", "-1"),
        ("delay_ms", "x"),
        ("struct_size", "99999"),
        ("minor", "x"),
    ] {
        assert!(faults::set(key, value).is_err(), "{key}={value}");
    }
}
