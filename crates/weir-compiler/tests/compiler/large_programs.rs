//! Tests warnings in programs with too many states to distinguish. Simple mistakes must still be
//! found, correct code must get no warning, and the work must grow in proportion to the program.

use std::fmt::Write;

use weir_syntax::preprocess::MemoryLoader;
use weir_syntax::{Diagnostics, SourceMap};

/// Returns the warnings about `text`, each as its id and the line of text.
fn warnings(text: &str) -> Vec<(&'static str, String)> {
    let core = include_str!("../../../../p4include/core.p4");
    let loader = MemoryLoader::new().with("main.p4", text).with("core.p4", core);
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::with_limit(1_000));
    let tree = weir_syntax::parse("main.p4", &loader, &[], &mut sources, &mut diagnostics);
    let program = weir_compiler::check(&tree, None, &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{}", diagnostics.render(&sources, false));
    weir_lint::lint(&program.expect("a valid program"), &mut diagnostics);
    let line = |d: &weir_syntax::Diagnostic| text.lines().nth(sources.line(d.span()) - 1).map(str::trim);
    diagnostics.iter().map(|d| (d.id, line(d).unwrap_or_default().to_owned())).collect()
}

/// Returns a switch of `count` headers. The parser accepts any of them. The control records in
/// Booleans and numbers which ones are present, applies tables whose actions depend on them, and
/// uses headers after tests of these records: `2^count` different states. `mistakes` come last in
/// its apply block.
fn fabric(count: usize, mistakes: &str) -> String {
    let mut text = String::from("#include <core.p4>\n");
    text.push_str("header h_t { bit<8> kind; bit<8> x; }\nstruct headers_t {\n");
    for i in 0..count {
        let _ = writeln!(text, "    h_t h{i};");
    }
    text.push_str("    h_t first;\n    h_t seldom;\n    h_t never;\n}\n");
    text.push_str("struct meta_t { bit<8> mode; bit<8> colour; }\n");
    text.push_str("parser P(packet_in b, out headers_t h, inout meta_t m) {\n");
    text.push_str(
        "    state start { b.extract(h.first); transition select(h.first.kind) { 1: rare; default: s0; } }\n",
    );
    text.push_str("    state rare { b.extract(h.seldom); transition s0; }\n");
    for i in 0..count {
        let next = if i + 1 < count { format!("s{}", i + 1) } else { "accept".to_owned() };
        let _ = writeln!(
            text,
            "    state s{i} {{ transition select(b.lookahead<bit<8>>()) {{ {0}: t{i}; default: {next}; }} }}\n    \
             state t{i} {{ b.extract(h.h{i}); transition {next}; }}",
            i % 200
        );
    }
    text.push_str("}\ncontrol I(inout headers_t h, inout meta_t m) {\n");
    for i in 0..count {
        let _ = writeln!(
            text,
            "    bool seen{i};\n    action mark{i}() {{ m.mode = {0}; seen{i} = h.h{i}.isValid(); }}\n    \
             action note{i}(bit<8> colour) {{ m.colour = colour; m.mode = {1}; }}\n    \
             table t{i} {{ key = {{ m.mode: exact; h.first.x: exact; }} actions = {{ mark{i}; note{i}; NoAction; }} }}",
            i % 50,
            (i + 1) % 50,
        );
    }
    text.push_str("    apply {\n");
    for i in 0..count {
        let _ = writeln!(text, "        seen{i} = h.h{i}.isValid();\n        t{i}.apply();");
        let _ = writeln!(text, "        if (m.mode == {}) {{ m.colour = m.colour + 1; }}", i % 50);
    }
    for i in 0..count {
        let _ = writeln!(text, "        if (seen{i}) {{ h.h{i}.x = h.h{i}.x + 1; }}");
        let _ = writeln!(text, "        if (h.h{i}.isValid()) {{ h.h{i}.x = h.h{i}.x - 1; }}");
    }
    text.push_str(mistakes);
    text.push_str("    }\n}\ncontrol D(packet_out b, in headers_t h) { apply { b.emit(h); } }\n");
    text.push_str(
        "parser Parse<H, M>(packet_in b, out H h, inout M m);\ncontrol Work<H, M>(inout H h, inout M m);\n",
    );
    text.push_str("control Write<H>(packet_out b, in H h);\n");
    text.push_str(
        "package Switch<H, M>(Parse<H, M> p, Work<H, M> w, Write<H> d);\nSwitch(P(), I(), D()) main;\n",
    );
    text
}

const NEVER: &str = "h.first.x = h.never.x;";
const SELDOM: &str = "h.first.x = h.seldom.x;";
const UNSET: &str = "h.first.kind = unset;";

#[test]
fn simple_mistakes_are_found_in_large_programs() {
    let mistakes = format!("        bit<8> unset;\n        {NEVER}\n        {SELDOM}\n        {UNSET}\n");
    for count in [1, 8, 40, 100] {
        let mut reported = warnings(&fabric(count, &mistakes));
        reported.sort_unstable();
        let expected = [
            ("invalid-header-read", NEVER.to_owned()),
            ("maybe-invalid-header", SELDOM.to_owned()),
            ("uninitialised", UNSET.to_owned()),
        ];
        if count <= 40 {
            assert_eq!(reported, expected, "{count} headers");
        } else {
            // Mistakes that exist only in some states can be found only by distinguishing states.
            reported.retain(|mistake| mistake.0 != "maybe-invalid-header");
            assert_eq!(reported, [expected[0].clone(), expected[2].clone()], "{count} headers");
        }
    }
}

#[test]
fn large_valid_programs_have_no_warnings() {
    for count in [1, 8, 40, 100] {
        assert_eq!(warnings(&fabric(count, "")), [], "{count} headers");
    }
}

/// The number of calls doubles with each function, so the analysis must not follow the innermost
/// calls every time.
#[test]
fn many_calls_take_no_long_time() {
    let mut text = String::from("header h_t { bit<8> x; }\nbit<8> f0(in bit<8> x) { return x + 1; }\n");
    for i in 1..60 {
        let _ = writeln!(text, "bit<8> f{i}(in bit<8> x) {{ return f{0}(x) + f{0}(x + 1); }}", i - 1);
    }
    text.push_str(
        "control c(inout h_t h) { apply {\n    bit<8> unset;\n    h.x = f59(h.x);\n    h.x = unset;\n} }\n",
    );
    assert_eq!(warnings(&text), [("uninitialised", "h.x = unset;".to_owned())]);
}
