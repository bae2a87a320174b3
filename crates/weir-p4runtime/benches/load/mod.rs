//! A switch, batches of its entries, and clocks.

#![allow(dead_code, reason = "each benchmark takes what it needs")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use weir_interp::Interpreter;
use weir_p4runtime::p4info;
use weir_p4runtime::proto::config::P4Info;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::field_match::{self, FieldMatchType};
use weir_p4runtime::proto::v1::{entity::Entity, table_action, update};
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

/// The number of entries in a batch.
pub const BATCH: usize = 1000;

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

/// Creates a switch with an LPM table and an exact table.
pub fn switch() -> Switch {
    let loader = MemoryLoader::new()
        .with("program.p4", PROGRAM)
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"));
    let program = weir_compiler::compile("program.p4", &loader, &[]).program.expect("it compiles");
    let program = arch::bind(program).expect("it is a v1model program");
    Switch::new(Arc::new(Interpreter::new(program)), SwitchConfig::default()).expect("it loads")
}

/// Returns the P4Info of a switch's program.
pub fn info(switch: &Switch) -> P4Info {
    p4info::p4info(switch.program()).expect("the program has a P4Info")
}

/// Returns the id of a table or of an action.
pub fn id(info: &P4Info, name: &str) -> u32 {
    let tables = info.tables.iter().filter_map(|table| table.preamble.as_ref());
    let actions = info.actions.iter().filter_map(|action| action.preamble.as_ref());
    tables.chain(actions).find(|preamble| preamble.alias == name).expect("the program has it").id
}

/// Returns the big-endian bytes of a number, without leading zero bytes.
pub fn bytes(value: u64) -> Vec<u8> {
    let zeros = (value | 1).leading_zeros() as usize / 8;
    value.to_be_bytes()[zeros..].to_vec()
}

/// The entries of a table.
#[derive(Clone, Copy)]
pub struct Entries {
    /// The table's name.
    pub name: &'static str,
    /// The table.
    pub table: u32,
    /// The action, which has the argument `port`.
    pub action: u32,
    /// Makes the match of the entry with this number; each number has a different match.
    pub match_of: fn(usize) -> FieldMatchType,
}

impl Entries {
    /// Returns the entries of both tables.
    pub fn all(info: &P4Info) -> [Self; 2] {
        let action = id(info, "forward");
        [
            Self { name: "lpm", table: id(info, "routes"), action, match_of: route },
            Self { name: "exact", table: id(info, "flows"), action, match_of: flow },
        ]
    }

    /// Returns a batch of changes to the entries that begin with the number `first`.
    pub fn batch(&self, kind: update::Type, first: usize) -> v1::WriteRequest {
        let updates = (first..first + BATCH).map(|number| {
            let params = vec![v1::action::Param { param_id: 1, value: bytes(number as u64 % 500) }];
            let action = table_action::Type::Action(v1::Action { action_id: self.action, params });
            let entry = v1::TableEntry {
                table_id: self.table,
                r#match: vec![v1::FieldMatch {
                    field_id: 1,
                    field_match_type: Some((self.match_of)(number)),
                }],
                action: Some(v1::TableAction { r#type: Some(action) }),
                ..v1::TableEntry::default()
            };
            let entity = Some(v1::Entity { entity: Some(Entity::TableEntry(entry)) });
            v1::Update { r#type: kind.into(), entity }
        });
        v1::WriteRequest { updates: updates.collect(), ..v1::WriteRequest::default() }
    }
}

fn route(number: usize) -> FieldMatchType {
    // Three in four routes have the prefix length 24.
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

/// Returns the processor time of this thread since `since` if the system provides it, otherwise the
/// wall-clock time.
pub fn processor_time(since: Instant) -> Duration {
    // A yield makes the kernel count the thread's time up to now. Otherwise, the kernel counts it
    // only at its ticks, every few milliseconds.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = text.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// Returns the processor time of all threads of this process, where the system provides it.
pub fn process_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name in parentheses may contain spaces. After it, the 12th and the 13th field
    // are the user and system time in hundredths of a second.
    let ticks = text.rsplit(')').next()?.split_whitespace().skip(11).take(2);
    Some(Duration::from_millis(ticks.map(|ticks| ticks.parse::<u64>().unwrap_or(0)).sum::<u64>() * 10))
}

/// Formats the rate of `entries` entries in `time`.
pub fn rate(entries: usize, time: Duration) -> String {
    format!(
        "{:9.0} entries/s ({:5.0} ns each)",
        entries as f64 / time.as_secs_f64(),
        time.as_nanos() as f64 / entries as f64
    )
}
