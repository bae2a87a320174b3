//! Tests which calls each block of v1model may make: all combinations of calls and blocks, the
//! places and texts of the errors, and the ways in which code reaches a call.

use weir_load::Checked;
use weir_syntax::{Diagnostic, Severity};

use crate::program::{checked, root};

/// The blocks in the order of the package: the name of each in messages, and its name in the
/// programs here.
const BLOCKS: [(&str, &str); 6] = [
    ("the parser", "Read"),
    ("checksum verification", "Verify"),
    ("ingress", "Enter"),
    ("egress", "Leave"),
    ("checksum update", "Update"),
    ("the deparser", "Write"),
];

/// Returns a program with declarations in one block and a statement in its code. Each block has a
/// header `h`, and line 1 has no call.
fn program(block: usize, top: &str, locals: &str, statement: &str) -> String {
    let part =
        |number: usize, text: &str| if number == block { format!("\n{text}\n") } else { String::new() };
    let [l0, l1, l2, l3, l4, l5] = std::array::from_fn(|number| part(number, locals));
    let [s0, s1, s2, s3, s4, s5] = std::array::from_fn(|number| part(number, statement));
    format!(
        "#include <v1model.p4>
header h_t {{ bit<16> a; bit<16> b; bit<32> c; }}
struct headers_t {{ h_t h; }}
struct data_t {{ bit<16> x; }}
struct meta_t {{ @field_list(1) bit<16> kept; }}
{top}
parser Read(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{{l0}
    state start {{ packet.extract(hdr.h); {s0} transition accept; }}
}}
control Verify(inout headers_t hdr, inout meta_t meta) {{{l1} apply {{ {s1} }} }}
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{{l2} apply {{ {s2} }} }}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {{{l3} apply {{ {s3} }} }}
control Update(inout headers_t hdr, inout meta_t meta) {{{l4} apply {{ {s4} }} }}
control Write(packet_out packet, in headers_t hdr) {{{l5} apply {{ {s5} packet.emit(hdr.h); }} }}
V1Switch(Read(), Verify(), Enter(), Leave(), Update(), Write()) main;
"
    )
}

fn errors(text: &str) -> Vec<Diagnostic> {
    let diagnostics = checked(text).diagnostics;
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).cloned().collect()
}

/// Each row has declarations, a statement, and one character for each block: `.` if the block may
/// make the call, `o` if only `p4c-bm2-ss` refuses the call, `x` if the call has no meaning in the
/// block, `-` if the language forbids it.
///
/// `p4c-bm2-ss` accepts each call marked `.`. It refuses each call marked `x`, except
/// `resubmit(data)` and `recirculate(data)` in the deparser, which it writes to a file that
/// `simple_switch` then refuses.
const MATRIX: &[(&str, &str, &str)] = &[
    ("", "clone(CloneType.I2E, 5);", "xx.xxx"),
    ("", "clone(CloneType.E2E, 5);", "xxx.xx"),
    ("bit<16> z = 3;", "clone3(CloneType.I2E, 5, { z });", "xxoxxx"),
    ("bit<16> z = 3;", "clone3(CloneType.E2E, 5, { z });", "xxxoxx"),
    ("", "clone_preserving_field_list(CloneType.I2E, 5, 1);", "xx.xxx"),
    ("", "clone_preserving_field_list(CloneType.E2E, 5, 1);", "xxx.xx"),
    ("", "resubmit_preserving_field_list(1);", "xx.xxx"),
    ("bit<16> z = 3;", "resubmit({ z });", "xxoxxx"),
    ("", "recirculate_preserving_field_list(1);", "xxo.xx"),
    ("bit<16> z = 3;", "recirculate({ z });", "xxooxx"),
    ("", "truncate(20);", "xx..x."),
    ("", "mark_to_drop();", "ooooxx"),
    ("standard_metadata_t other;", "mark_to_drop(other);", "oo..o."),
    ("", "verify_checksum(true, { hdr.h.a }, hdr.h.b, HashAlgorithm.csum16);", "o.ooxx"),
    ("", "verify_checksum_with_payload(true, { hdr.h.a }, hdr.h.b, HashAlgorithm.csum16);", "o.ooxx"),
    ("bit<16> r = 0;", "update_checksum(true, { hdr.h.a }, r, HashAlgorithm.csum16);", "oooo.o"),
    ("bit<16> r = 0;", "update_checksum_with_payload(true, { hdr.h.a }, r, HashAlgorithm.csum16);", "oooo.o"),
    ("Checksum16() sum; bit<16> r;", "r = sum.get({ hdr.h.a });", "oooooo"),
    ("", "digest<data_t>(1, { hdr.h.a });", "oo..o."),
    ("bit<16> r;", "random(r, 0, 9);", "oo..o."),
    ("bit<16> r;", "hash(r, HashAlgorithm.crc16, 16w0, { hdr.h.a }, 16w9);", "oo..o."),
    ("", "log_msg(\"here\");", ".o..o."),
    ("", "log_msg(\"here {}\", { hdr.h.a });", ".o..o."),
    ("", "assert(hdr.h.a == 1);", "oo..o."),
    ("", "assume(hdr.h.a == 1);", "oo..o."),
    ("", "verify(hdr.h.a == 1, error.NoMatch);", ".-----"),
    ("register<bit<16>>(2) cells; bit<16> r;", "cells.read(r, 0);", ".o..oo"),
    ("register<bit<16>>(2) cells;", "cells.write(0, 5);", "oo..oo"),
    ("counter(2, CounterType.packets) c;", "c.count(0);", "oo..oo"),
    ("meter(2, MeterType.bytes) m; bit<2> r;", "m.execute_meter(0, r);", "oo..oo"),
    (
        "direct_counter(CounterType.packets) c; action act() { c.count(); }
         table t { key = { hdr.h.a: exact; } actions = { act; NoAction; } counters = c; }",
        "t.apply();",
        "-o..oo",
    ),
    (
        "direct_meter<bit<2>>(MeterType.packets) m; bit<2> r; action act() { m.read(r); }
         table t { key = { hdr.h.a: exact; } actions = { act; NoAction; } meters = m; }",
        "t.apply();",
        "-o..oo",
    ),
    (
        "action_profile(4) p; action act() { }
         table t { key = { hdr.h.a: exact; } actions = { act; NoAction; } implementation = p; }",
        "t.apply();",
        "-o..oo",
    ),
    (
        "action_selector(HashAlgorithm.crc16, 4, 4) p; action act() { }
         table t {
             key = { hdr.h.a: exact; hdr.h.b: selector; } actions = { act; NoAction; } implementation = p;
         }",
        "t.apply();",
        "-o..oo",
    ),
    ("bit<16> r = 0;", "if (hdr.h.a == 1) { r = r + 1; }", ".o..oo"),
];

#[test]
fn each_call_in_each_block() {
    for (locals, statement, expected) in MATRIX {
        assert_eq!(expected.len(), BLOCKS.len(), "{statement}");
        for (block, wanted) in expected.chars().enumerate() {
            let (role, name) = BLOCKS[block];
            let text = program(block, "", locals, statement);
            let reported = errors(&text);
            let ids: Vec<&str> = reported.iter().map(|diagnostic| diagnostic.id).collect();
            let case = format!("{statement} in {role}: {ids:?}");
            match wanted {
                '.' | 'o' => assert!(reported.is_empty(), "{case}"),
                '-' => assert!(!reported.is_empty() && !ids.contains(&"extern-in-block"), "{case}"),
                _ => {
                    assert_eq!(ids, ["extern-in-block"], "{case}");
                    let message = &reported[0].message;
                    assert!(
                        message.ends_with(&format!(" cannot be called in {role} (`{name}`)")),
                        "{message}"
                    );
                    assert!(message.contains(statement.split('(').next().unwrap()), "{message}");
                    let help = reported[0].notes.first().map_or("", |note| note.as_str());
                    assert!(help.len() > 20, "{case}: {help}");
                    let at = checked(&text).sources.location(reported[0].span()).expect("a place");
                    let line = text.lines().position(|line| line == *statement).unwrap() + 1;
                    assert_eq!((at.line, at.column), (line, 1), "{case}");
                }
            }
        }
    }
}

/// The matrix lists all functions and methods of v1model.
#[test]
fn the_matrix_is_whole() {
    let text = std::fs::read_to_string(root().join("p4include/v1model.p4")).expect("v1model.p4");
    let mut names = Vec::new();
    for line in text.lines() {
        let function = line.strip_prefix("extern void ");
        let method = line.strip_prefix("    void ").or_else(|| line.strip_prefix("    bit<16> "));
        let Some(name) = function.or(method).filter(|rest| rest.contains('(')) else { continue };
        names.push(name.split(['(', '<']).next().unwrap());
    }
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let calls = |text: &str| text.contains(&format!("{name}(")) || text.contains(&format!("{name}<"));
        assert!(MATRIX.iter().any(|(locals, statement, _)| calls(locals) || calls(statement)), "{name}");
    }
}

/// Rows of declarations at the top level, declarations in egress, and statements of egress. Each
/// row leads to the same call, which only ingress can make.
const PATHS_TO_CALL: &[(&str, &str, &str, &str)] = &[
    ("an action", "", "action act() { resubmit_preserving_field_list(1); }", "act();"),
    ("an action with data", "", "action act(in bit<8> x) { resubmit_preserving_field_list(1); }", "act(3);"),
    (
        "a table",
        "",
        "action act() { resubmit_preserving_field_list(1); }
         table t { key = { hdr.h.a: exact; } actions = { act; NoAction; } }",
        "t.apply();",
    ),
    (
        "a default action",
        "",
        "action act() { resubmit_preserving_field_list(1); }
         table t { actions = { @defaultonly act; } default_action = act; }",
        "if (hdr.h.a == 1) { t.apply(); }",
    ),
    ("an action for all", "action act() { resubmit_preserving_field_list(1); }", "", "act();"),
    ("a function", "void f() { resubmit_preserving_field_list(1); }", "", "f();"),
    (
        "a function's function",
        "void f() { resubmit_preserving_field_list(1); } void g() { f(); } ",
        "",
        "switch (hdr.h.a) { 1: { g(); } }",
    ),
    (
        "a control",
        "control Sub(in bit<16> x) { apply { if (x == 1) { resubmit_preserving_field_list(1); } } }",
        "Sub() sub;",
        "sub.apply(hdr.h.a);",
    ),
    (
        "a control's table",
        "control Sub() {
             action act() { resubmit_preserving_field_list(1); }
             table t { actions = { act; } default_action = act; }
             apply { t.apply(); }
         }",
        "",
        "Sub.apply();",
    ),
];

const EGRESS: usize = 3;

#[test]
fn calls_are_found_however_code_reaches_them() {
    for (way, top, locals, statement) in PATHS_TO_CALL {
        let reported = errors(&program(EGRESS, top, locals, statement));
        let messages: Vec<&str> = reported.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        let expected = "`resubmit_preserving_field_list` cannot be called in egress (`Leave`)";
        assert_eq!(messages, [expected], "{way}");
        // The error points to the call.
        let text = program(EGRESS, top, locals, statement);
        let at = checked(&text).sources.location(reported[0].span()).expect("a place");
        let line = text.lines().nth(at.line - 1).expect("a line");
        assert!(line[at.column - 1..].starts_with("resubmit_preserving_field_list(1)"), "{way}: {line}");
        assert_eq!(errors(&program(EGRESS - 1, top, locals, statement)), [], "{way}");
    }
}

#[test]
fn a_sub_parser_is_part_of_the_parser() {
    let top = "parser Sub() { state start { clone(CloneType.I2E, 1); transition accept; } }";
    let reported = errors(&program(0, top, "Sub() sub;", "sub.apply();"));
    let messages: Vec<&str> = reported.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(messages, ["`clone` with `CloneType.I2E` cannot be called in the parser (`Read`)"]);
}

/// Code that two blocks share may be wrong in one block and right in the other. Unreachable code is
/// accepted.
#[test]
fn shared_and_unreachable_code() {
    let top = "void f() { resubmit_preserving_field_list(1); }";
    let both = program(2, top, "", "f();").replace("sm) { apply {  } }", "sm) { apply { f(); } }");
    let reported = errors(&both);
    let messages: Vec<&str> = reported.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(messages, ["`resubmit_preserving_field_list` cannot be called in egress (`Leave`)"]);
    assert_eq!(errors(&program(3, top, "", "")), []);
    assert_eq!(errors(&program(3, top, "", "if (false) { f(); }")), []);
}

#[test]
fn the_type_of_a_clone_is_known() {
    let function = "void copy(in CloneType of) { clone(of, 7); }";
    for (block, member, wanted) in [(2, "I2E", 0), (2, "E2E", 1), (3, "I2E", 1), (3, "E2E", 0)] {
        let reported = errors(&program(block, function, "", &format!("copy(CloneType.{member});")));
        assert_eq!(reported.len(), wanted, "{block} {member}: {reported:?}");
    }
    let constant = "const CloneType KIND = CloneType.I2E;";
    assert_eq!(errors(&program(2, constant, "", "clone(KIND, 7);")), []);
    let text = program(
        2,
        "",
        "",
        "CloneType of = CloneType.I2E; if (hdr.h.a == 1) { of = CloneType.E2E; } clone(of, 7);",
    );
    let Checked { diagnostics, sources } = checked(&text);
    let rendered = diagnostics.render(&sources, false);
    let message =
        "the `CloneType` of `clone` in ingress (`Enter`) must be known when the program is compiled";
    assert!(rendered.contains(&format!("error[extern-in-block]: {message}\n")), "{rendered}");
    assert!(rendered.contains("write `CloneType.I2E` here"), "{rendered}");
}

/// `docs/reference/differences.md` shows the same matrix.
#[test]
fn the_documentation_has_the_matrix() {
    let page = std::fs::read_to_string(root().join("docs/reference/differences.md")).expect("the page");
    let object = |locals: &str| locals.split(['(', '<']).next().unwrap_or_default().to_owned();
    let mut missing = Vec::new();
    for (locals, statement, cells) in MATRIX {
        let cells = cells.chars().map(|cell| match cell {
            '.' => "both",
            'o' => "Weir",
            _ => "–",
        });
        let cells: Vec<&str> = cells.collect();
        let call = match *statement {
            "t.apply();" => format!("a table with `{}`", object(locals)),
            statement => format!("`{}`", statement.trim_end_matches(';')),
        };
        let row = format!("| {call} | {} |", cells.join(" | "));
        if !page.contains(&row) {
            missing.push(row);
        }
    }
    assert!(missing.is_empty(), "docs/reference/differences.md lacks\n{}", missing.join("\n"));
}
