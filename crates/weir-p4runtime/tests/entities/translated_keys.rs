//! Tests masks of keys that controllers write as texts, and prefixes of keys that have another
//! width for controllers.

use weir_p4runtime::Code;
use weir_p4runtime::p4info::p4info;

use crate::bench::{Bench, compiled_from, message, outcomes};

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>

@p4runtime_translation("example.org/Name", string)
type bit<9> name_t;
@p4runtime_translation("example.org/Number", 32)
type bit<9> number_t;
struct headers_t {}
struct metadata_t { name_t name; number_t number; }

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { transition accept; }
}
control None(inout headers_t hdr, inout metadata_t meta) { apply {} }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    table masks { key = { meta.name: ternary; } actions = { NoAction; } }
    table prefixes { key = { meta.number: lpm; } actions = { NoAction; } }
    apply { masks.apply(); prefixes.apply(); }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply {} }
V1Switch(P(), None(), I(), E(), None(), D()) main;
"#;

/// Writes an entry with this match, and checks the code and a part of the message.
fn check(table: &str, (field, priority): (&str, i32), code: Code, part: &str) {
    let executor = compiled_from(PROGRAM);
    let info = p4info(weir_exec::Executor::program(&*executor)).unwrap();
    let entry = {
        let tables = info.tables.iter().filter_map(|table| table.preamble.as_ref());
        let table = tables.into_iter().find(|preamble| preamble.alias == table).unwrap().id;
        let action = info.actions[0].preamble.as_ref().unwrap().id;
        let action = format!("action {{ action {{ action_id: {action} }} }}");
        format!("table_id: {table} match {{ field_id: 1 {field} }} priority: {priority} {action}")
    };
    let mut bench = Bench::with_program(executor, info);
    let request = format!("updates {{ type: INSERT entity {{ table_entry {{ {entry} }} }} }}");
    let (found, problem) = match bench.write(&message("p4.v1.WriteRequest", &request)) {
        Ok(()) => (Code::Ok, String::new()),
        Err(status) => outcomes(&status).remove(0),
    };
    assert!(found == code && problem.contains(part), "{entry}: {found:?} {problem}");
}

#[test]
fn a_mask_for_a_text_has_a_bounded_length() {
    for (length, code, part) in
        [(1, Code::Ok, ""), (1024, Code::Ok, ""), (1025, Code::OutOfRange, "at most 1024 bytes")]
    {
        let mask = r"\xff".repeat(length);
        let field = format!(r#"ternary {{ value: "5" mask: "{mask}" }}"#);
        check("masks", (&field, 1), code, part);
    }
}

#[test]
fn a_translated_prefix_has_all_bits() {
    for (length, code, part) in [
        (32, Code::Ok, ""),
        (31, Code::InvalidArgument, "all 32 bits"),
        (33, Code::InvalidArgument, "has 1 to 32"),
    ] {
        let field = format!(r#"lpm {{ value: "\x05" prefix_len: {length} }}"#);
        check("prefixes", (&field, 0), code, part);
    }
}
