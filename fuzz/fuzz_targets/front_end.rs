//! Any text through preprocessor, parser, printer, checker, warnings and lowering. None may panic,
//! hang or use unbounded memory, and accepted texts must fulfil what the crates document.

use weir_syntax::preprocess::MemoryLoader;
use weir_syntax::{Diagnostics, SourceMap, ast, print};

const CORE: &str = include_str!("../../p4include/core.p4");
const V1MODEL: &str = include_str!("../../p4include/v1model.p4");

pub fn run(bytes: &[u8]) {
    let text: &str = &String::from_utf8_lossy(bytes);
    // The text can include itself.
    let loader = MemoryLoader::new().with("main.p4", text).with("core.p4", CORE).with("v1model.p4", V1MODEL);
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let tree = weir_syntax::parse("main.p4", &loader, &[], &mut sources, &mut found);
    if !found.has_errors() {
        printed_again(&tree);
        if let Some(program) = weir_compiler::check(&tree, None, &mut found) {
            weir_lint::lint(&program, &mut found);
            if let Some(lowered) = weir_compiler::lower(&program, &sources, &mut found) {
                let violations = weir_ir::violations(&lowered);
                assert!(violations.is_empty(), "the compiler made an invalid program: {violations:?}");
            }
        }
    }
    for diagnostic in &found {
        assert!(!diagnostic.render(&sources, false).is_empty());
        diagnostic.to_plain(&sources);
        assert_ne!(diagnostic.id, "compiler-bug", "{}", diagnostic.render(&sources, false));
    }
}

/// Tests that the printed form of a syntax tree parses to the same tree.
fn printed_again(tree: &ast::Program) {
    let text = print::program(tree);
    let loader = MemoryLoader::new().with("main.p4", text.as_str());
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let again = weir_syntax::parse("main.p4", &loader, &[], &mut sources, &mut found);
    assert!(!found.has_errors(), "{text}\n{}", found.render(&sources, false));
    assert!(ast::same_program(tree, &again), "{text}");
}
