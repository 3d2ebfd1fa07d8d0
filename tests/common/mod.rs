//! What several tests need.
#![allow(dead_code)]

pub mod abi;

use std::collections::BTreeSet;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;

use pjrtmem::memory;
use pjrtmem::pjrt::Options;

/// The plugins to test against, by name: `PJRTMEM_TEST_PLUGINS`, with commas.
pub fn plugins() -> Vec<String> {
    let named = std::env::var("PJRTMEM_TEST_PLUGINS").unwrap_or_else(|_| "cpu".to_owned());
    named.split(',').map(str::trim).filter(|name| !name.is_empty()).map(String::from).collect()
}

/// Says that a test did not run, and why. With `CI` set that is a failure.
pub fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "cannot be skipped in CI: {why}");
    eprintln!("SKIPPED: {why}");
}

/// The official header, as `make plugin` leaves it in the cache.
pub fn pjrt_header() -> Option<PathBuf> {
    let header = memory::cache().join("include/pjrt_c_api.h");
    header.is_file().then_some(header)
}

/// The C compiler.
pub fn cc() -> String {
    std::env::var("CC").unwrap_or_else(|_| "cc".to_owned())
}

/// An empty folder for one test.
pub fn scratch(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// The functions that the header declares.
pub fn declared_functions() -> BTreeSet<String> {
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
    declared
}

/// The shared library that was built along with the test.
pub fn library() -> PathBuf {
    deps().join("libpjrtmem.so")
}

/// Runs another test of the same file in a process of its own, once over each of
/// the real plugins, on the plugin that misbehaves when it is told to.
pub fn on_test_plugin(test: &str, faults: &str, variables: &[(&str, &str)]) {
    let test_plugin = deps().with_file_name("libpjrtmem_test_plugin.so");
    if !test_plugin.is_file() {
        return skip("there is no test plugin; `cargo build -p pjrtmem-test-plugin` makes it");
    }
    for plugin in plugins() {
        let name = CString::new(plugin).expect("a name");
        let real = memory::load(&name, &Options::default()).expect("a plugin");
        let run = Command::new(std::env::current_exe().expect("the test's own path"))
            .args(["--exact", "--include-ignored", "--nocapture", test])
            .env("PJRTMEM_TEST_PLUGINS", &test_plugin)
            .env("PJRTMEM_TEST_REAL_PLUGIN", real.plugin_path.to_str().expect("UTF-8"))
            .env("PJRTMEM_TEST_FAULTS", faults)
            .envs(variables.iter().copied())
            .output()
            .expect("the test runs");
        let output = String::from_utf8_lossy(&run.stdout);
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(
            run.status.success(),
            "{faults} on {name:?}, {}:\n{output}\n{errors}",
            run.status
        );
        assert!(output.contains("1 passed"), "{output}");
        println!("{output}");
    }
}

/// `target/<profile>/deps`, where the test itself is.
fn deps() -> PathBuf {
    let test = std::env::current_exe().expect("the test's own path");
    test.parent().expect("a folder").to_owned()
}
