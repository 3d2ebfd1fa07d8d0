//! What a plugin can do is told as it is.

mod common;

use std::ffi::CString;

use pjrtmem::memory::{self, CAPABILITIES};
use pjrtmem::pjrt::Options;

/// The functions that the plugins under test lack.
fn lacking() -> Vec<Vec<&'static str>> {
    let of = |plugin: String| {
        let name = CString::new(plugin).unwrap();
        let client = memory::load(&name, &Options::default()).unwrap();
        let missing = CAPABILITIES.iter().filter(|it| !it.is_available(client));
        missing.map(|it| it.function.to_str().unwrap()).collect()
    };
    common::plugins().into_iter().map(of).collect()
}

#[test]
fn the_cpu_plugins_lack_only_the_raw_buffers() {
    for lacking in lacking() {
        assert_eq!(lacking, ["PJRT_RawBuffer_CopyRawHostToDevice"]);
    }
}

#[test]
#[ignore = "for the test plugin, see below"]
fn nothing_is_lacking() {
    assert_eq!(lacking(), [[""; 0]]);
}

#[test]
#[ignore = "for the test plugin, see below"]
fn much_is_lacking() {
    let expected = [
        "PJRT_Client_CreateUninitializedBuffer",
        "PJRT_Buffer_UnsafePointer",
        "PJRT_Buffer_OpaqueDeviceMemoryDataPointer",
        "PJRT_RawBuffer_CopyRawHostToDevice",
        "PJRT_Buffer_CopyRawToHost",
    ];
    assert_eq!(lacking(), [expected]);
}

#[test]
fn other_plugins_have_more_or_less() {
    common::on_test_plugin("nothing_is_lacking", "raw_buffer=1", &[]);
    common::on_test_plugin("much_is_lacking", "buffers_only=1", &[]);
}
