//! How long a million entries take to write in batches of 1000, and to read: in memory, without
//! gRPC, in processor time where the system provides it.
//!
//! `cargo bench -p weir-p4runtime --bench entities [-- ENTRIES]`.

#![expect(clippy::print_stdout, reason = "whoever runs it wants to see the figures")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use prost::Message;
use weir_interp::Interpreter;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::field_match::{self, FieldMatchType};
use weir_p4runtime::proto::v1::{entity::Entity, table_action, update};
use weir_p4runtime::{Pipeline, entities, p4info};
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

/// Entries of a batch.
const BATCH: usize = 1000;

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header route_t { bit<32> dst; bit<64> flow; }
struct headers_t { route_t route; }
struct metadata_t {}
parser P(packet_in p, out headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    state start { p.extract(h.route); transition accept; }
}
control V(inout headers_t h, inout metadata_t m) { apply {} }
control I(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    action forward(bit<9> port) { s.egress_spec = port; }
    table routes { key = { h.route.dst: lpm; } actions = { forward; } size = 4194304; }
    table flows { key = { h.route.flow: exact; } actions = { forward; } size = 4194304; }
    apply { routes.apply(); flows.apply(); }
}
control E(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) { apply {} }
control C(inout headers_t h, inout metadata_t m) { apply {} }
control D(packet_out p, in headers_t h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

fn switch() -> Switch {
    let loader = MemoryLoader::new()
        .with("program.p4", PROGRAM)
        .with("core.p4", include_str!("../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../p4include/v1model.p4"));
    let program = weir_compiler::compile("program.p4", &loader, &[]).program.expect("it compiles");
    let program = arch::bind(program).expect("it is a v1model program");
    Switch::new(Arc::new(Interpreter::new(program)), SwitchConfig::default()).expect("it loads")
}

/// A number without its leading zeros.
fn bytes(value: u64) -> Vec<u8> {
    let zeros = (value | 1).leading_zeros() as usize / 8;
    value.to_be_bytes()[zeros..].to_vec()
}

/// Makes the match of an entry from its number; each number has another.
type Matches = fn(usize) -> FieldMatchType;

fn route(number: usize) -> FieldMatchType {
    // Three in four are /24.
    let (value, prefix_len) = match number % 4 {
        0 => ((number as u64) << 10, 22),
        _ => ((number as u64) << 8, 24),
    };
    FieldMatchType::Lpm(field_match::Lpm { value: bytes(value & 0xffff_ffff), prefix_len })
}

fn flow(number: usize) -> FieldMatchType {
    let value = bytes((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    FieldMatchType::Exact(field_match::Exact { value })
}

/// A batch as bytes.
fn batch(kind: update::Type, first: usize, ids: (u32, u32), of: Matches) -> Vec<u8> {
    let (table_id, action_id) = ids;
    let updates = (first..first + BATCH).map(|number| {
        let params = vec![v1::action::Param { param_id: 1, value: bytes(number as u64 % 500) }];
        let action = table_action::Type::Action(v1::Action { action_id, params });
        let entry = v1::TableEntry {
            table_id,
            r#match: vec![v1::FieldMatch { field_id: 1, field_match_type: Some(of(number)) }],
            action: Some(v1::TableAction { r#type: Some(action) }),
            ..v1::TableEntry::default()
        };
        let entity = Some(v1::Entity { entity: Some(Entity::TableEntry(entry)) });
        v1::Update { r#type: kind.into(), entity }
    });
    v1::WriteRequest { updates: updates.collect(), ..v1::WriteRequest::default() }.encode_to_vec()
}

/// Processor time of this thread where the system provides it, else wall-clock time.
fn processor_time(since: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = text.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

fn rate(entries: usize, time: Duration) -> String {
    format!(
        "{:9.0} entries/s ({:5.0} ns each)",
        entries as f64 / time.as_secs_f64(),
        time.as_nanos() as f64 / entries as f64
    )
}

fn main() {
    let count = std::env::args().find_map(|argument| argument.parse::<usize>().ok());
    let entries = count.unwrap_or(1_000_000) / BATCH * BATCH;
    let began = Instant::now();
    let mut switch = switch();
    let info = p4info::p4info(switch.program()).expect("the program has a P4Info");
    let id = |name: &str| {
        let table = info.tables.iter().filter_map(|table| table.preamble.as_ref());
        let action = info.actions.iter().filter_map(|action| action.preamble.as_ref());
        table.chain(action).find(|preamble| preamble.alias == name).expect("the program has it").id
    };
    let (routes, flows, forward) = (id("routes"), id("flows"), id("forward"));
    let mut pipeline = Pipeline::new(info, switch.program(), switch.schema()).expect("it fits itself");
    let cases: [(&str, u32, Matches); 2] = [("lpm", routes, route), ("exact", flows, flow)];
    for (name, table, of) in cases {
        for kind in [update::Type::Insert, update::Type::Modify, update::Type::Delete] {
            let (mut decoding, mut writing) = (Duration::ZERO, Duration::ZERO);
            for first in (0..entries).step_by(BATCH) {
                let batch = batch(kind, first, (table, forward), of);
                let start = processor_time(began);
                let request = v1::WriteRequest::decode(&*batch).expect("a request");
                let decoded = processor_time(began);
                entities::write(&mut pipeline, &mut switch, 0, &request, &|_| true).expect("all are right");
                writing += processor_time(began) - decoded;
                decoding += decoded - start;
            }
            println!(
                "{name:5} {:6} {}, decoding {}",
                kind.as_str_name(),
                rate(entries, writing),
                rate(entries, decoding)
            );
            if kind == update::Type::Modify {
                let start = processor_time(began);
                let wanted = v1::TableEntry { table_id: table, ..v1::TableEntry::default() };
                let request = [v1::Entity { entity: Some(Entity::TableEntry(wanted)) }];
                let (mut read, mut size) = (0, 0);
                let mut sink = |part: v1::ReadResponse| {
                    read += part.entities.len();
                    size += part.encode_to_vec().len();
                    true
                };
                entities::read(&pipeline, &mut switch, 0, &request, &|_| true, &mut sink)
                    .expect("it is right");
                println!("{name:5} READ   {}, {size} bytes", rate(read, processor_time(began) - start));
            }
        }
    }
}
