//! Counters of packets or of bytes only (specification, "`CounterEntry` & `DirectCounterEntry`",
//! `CounterSpec.Unit`).

use weir_p4runtime::Code;
use weir_p4runtime::p4info::p4info;

use crate::bench::{Bench, compiled_from, message, outcomes};

#[test]
fn counters_of_one_unit() {
    let program = include_str!("program.p4");
    for (unit, other, kept) in
        [("bytes", "packet_count", "byte_count"), ("packets", "byte_count", "packet_count")]
    {
        let program = program.replace("CounterType.packets_and_bytes", &format!("CounterType.{unit}"));
        let executor = compiled_from(&program);
        let info = p4info(weir_exec::Executor::program(&*executor)).unwrap();
        let hits = info.counters[0].preamble.as_ref().unwrap().id;
        let table = info.direct_counters[0].direct_table_id;
        let mut bench = Bench::with_program(executor, info);
        for (index, data, code) in [
            ("index { index: 3 }", format!("{kept}: 7"), Code::Ok),
            ("index { index: 3 }", format!("{kept}: 7 {other}: 1"), Code::InvalidArgument),
            ("", format!("{other}: 1"), Code::InvalidArgument),
        ] {
            let cell = format!("counter_entry {{ counter_id: {hits} {index} data {{ {data} }} }}");
            check_write(&mut bench, &cell, code, other);
        }
        for (data, code) in [(kept, Code::Ok), (other, Code::InvalidArgument)] {
            let entry = format!("table_entry {{ table_id: {table} is_default_action: true }}");
            check_write(
                &mut bench,
                &format!("direct_counter_entry {{ {entry} data {{ {data}: 1 }} }}"),
                code,
                other,
            );
        }
    }
}

/// Writes an entity, and checks the code of the outcome and that an error names the count that must
/// be 0.
fn check_write(bench: &mut Bench, entity: &str, code: Code, named: &str) {
    let request = message("p4.v1.WriteRequest", &format!("updates {{ type: MODIFY entity {{ {entity} }} }}"));
    match bench.write(&request) {
        Ok(()) => assert_eq!(code, Code::Ok, "{entity}"),
        Err(status) => {
            let (found, message) = outcomes(&status).remove(0);
            assert_eq!(found, code, "{entity}: {message}");
            assert!(message.contains(&format!("`{named}` must be 0")), "{entity}: {message}");
        }
    }
}
