//! Any text as JSON, and as p4c's JSON for BMv2, which controllers send too.

use weir_json::Document;

pub fn run(bytes: &[u8]) {
    let Ok(document) = Document::parse("main.json", String::from_utf8_lossy(bytes)) else { return };
    match weir_bmv2::read(&document) {
        Ok(program) => {
            let violations = weir_ir::violations(&program);
            assert!(violations.is_empty(), "the reader made an invalid program: {violations:?}");
        }
        Err(diagnostic) => assert!(!diagnostic.to_string().is_empty()),
    }
}
