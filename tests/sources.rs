//! What the sources of the C ABI promise, read off them.

use std::path::Path;

struct Export {
    name: String,
    body: String,
}

fn exports() -> Vec<Export> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/capi");
    let mut exports = Vec::new();
    for entry in std::fs::read_dir(folder).expect("src/capi") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("a source");
        for part in text.split("#[unsafe(no_mangle)]").skip(1) {
            let (_, after) = part.split_once("extern \"C\" fn ").expect("an exported function");
            let (name, _) = after.split_once('(').expect("its arguments");
            // rustfmt closes a function, and nothing in it, in the first column.
            let (body, _) = after.split_once("\n}").expect("its end");
            exports.push(Export { name: name.to_owned(), body: body.to_owned() });
        }
    }
    exports
}

#[test]
fn every_export_goes_through_the_boundary() {
    let exports = exports();
    assert!(exports.len() > 20);
    for Export { name, body } in exports {
        assert!(name.starts_with("pjrtmem_"), "{name}");
        assert!(
            body.contains("boundary(") || body.contains("boundary_or("),
            "a panic could leave {name}"
        );
    }
}

#[test]
fn every_object_that_is_handed_out_can_be_given_back() {
    let names: Vec<String> = exports().into_iter().map(|export| export.name).collect();
    for (made_by, freed_by) in names
        .iter()
        .filter_map(|name| Some((name, name.strip_suffix("_new")?)))
        .map(|(name, object)| (name.as_str(), format!("{object}_free")))
        .chain([("pjrtmem_alloc", "pjrtmem_free".to_owned())])
        .chain([("every function", "pjrtmem_error_free".to_owned())])
    {
        assert!(names.contains(&freed_by), "what {made_by} makes needs a {freed_by}");
    }
}
