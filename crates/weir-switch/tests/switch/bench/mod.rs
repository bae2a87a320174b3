//! A test bench, which runs v1model programs in the text form of the IR with given packets.
#![allow(dead_code, reason = "each test binary uses its own part of the bench")]

pub mod words;

use std::sync::Arc;

use crate::by_name::{Call, Entry, Match, Target};
use weir_device::{Device, Nanos, Packet, Port, Transmission};
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::{Bits, ValidProgram};
use weir_native::Native;
use weir_switch::control::{Schema, TableSchema};
use weir_switch::{LoadError, Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

/// The text for the gaps in `v1model.ir`.
#[derive(Clone, Copy, Debug)]
pub struct Bench {
    pub items: &'static str,
    pub verify: &'static str,
    pub ingress: &'static str,
    pub egress: &'static str,
    pub update: &'static str,
    pub package: &'static str,
}

/// The statement that sends each packet to the port in its tag.
pub const TO_TAG: &str = "sm.egress_spec = bit<9>(hdr.tag.port);";

/// Returns the executor for a program: native code, with the interpreter for traced packets; or the
/// interpreter alone if `WEIR_EXECUTOR=interp`.
pub fn executor(program: ValidProgram) -> Arc<dyn Executor> {
    let interpreter = Arc::new(Interpreter::new(program.clone()));
    #[allow(clippy::disallowed_methods, reason = "tests run with either executor")]
    match std::env::var("WEIR_EXECUTOR").as_deref() {
        Ok("interp") => interpreter,
        Ok("native") | Err(_) => Arc::new(Native::new(program).unwrap().with_tracer(interpreter)),
        Ok(other) => panic!("WEIR_EXECUTOR is native or interp, not {other}"),
    }
}

impl Default for Bench {
    fn default() -> Self {
        Self { items: "", verify: "", ingress: TO_TAG, egress: "", update: "", package: "V1Switch" }
    }
}

impl Bench {
    pub fn program(&self) -> ValidProgram {
        let metadata = [
            "ingress_port",
            "egress_spec",
            "egress_port",
            "instance_type",
            "packet_length",
            "enq_timestamp",
            "enq_qdepth",
            "deq_timedelta",
            "deq_qdepth",
            "ingress_global_timestamp",
            "egress_global_timestamp",
            "mcast_grp",
            "egress_rid",
            "checksum_error",
            "parser_error",
            "priority",
        ];
        let lines = metadata.map(|field| format!("{field}: sm.{field}"));
        let hdr = |direction| format!("param hdr: {direction} headers_t {{ tag: header hdr.tag }}");
        let sm = format!("param sm: inout standard_metadata_t {{ {} }}", lines.join(" "));
        let text = include_str!("v1model.ir")
            .replace("#ITEMS#", self.items)
            .replace("#VERIFY#", self.verify)
            .replace("#INGRESS#", self.ingress)
            .replace("#EGRESS#", self.egress)
            .replace("#UPDATE#", self.update)
            .replace("#PACKAGE#", self.package)
            .replace("#HDR OUT#", &hdr("out"))
            .replace("#HDR IN#", &hdr("in"))
            .replace("#HDR#", &hdr("inout"))
            .replace("#META#", "param meta: inout metadata_t { count: meta.count lost: meta.lost }")
            .replace("#SM#", &sm)
            .replace("#MARK#", &lines.join(", "));
        match weir_ir::text::parse(&text) {
            Ok(program) => {
                weir_ir::validate(program).unwrap_or_else(|violations| panic!("{violations:?}\n{text}"))
            }
            Err(error) => panic!("{error}\n{text}"),
        }
    }

    pub fn load(&self, config: SwitchConfig) -> Result<Switch, LoadError> {
        Switch::new(executor(self.program()), config)
    }

    /// Creates a switch with ports 1 to 8. A pass takes 1 us.
    pub fn switch(&self) -> Switch {
        self.load(config()).expect("the bench program loads")
    }
}

pub fn config() -> SwitchConfig {
    SwitchConfig::default().with_ports(1..=8)
}

/// Returns a packet that consists of a tag and a payload.
pub fn packet(id: u64, port: u16, payload: &[u8]) -> Packet {
    let mut bytes = port.to_be_bytes().to_vec();
    bytes.extend([0; 6]);
    bytes.extend(payload);
    Packet::new(id, bytes)
}

/// Runs the switch until all its work is done.
pub fn run(switch: &mut Switch) -> Vec<Transmission> {
    let mut transmissions = Vec::new();
    for _ in 0..1_000_000 {
        let Some(next) = switch.next_deadline() else {
            assert!(switch.stats().is_balanced(), "{:?}", switch.stats());
            return transmissions;
        };
        switch.advance(next, &mut transmissions);
    }
    panic!("the switch does not come to rest");
}

/// Sends one packet into the switch at `now`, and returns the packets that leave.
pub fn send(switch: &mut Switch, now: Nanos, port: Port, packet: Packet) -> Vec<Transmission> {
    switch.receive(now, port, packet);
    run(switch)
}

/// Returns the time, the port and the 16-bit `seen` of each packet.
pub fn arrivals_with_field(out: &[Transmission]) -> Vec<(Nanos, Port, u16)> {
    out.iter().map(|t| (t.time, t.port, word(t, 3))).collect()
}

/// Returns the 16-bit word at position `index` in the tag.
pub fn word(transmission: &Transmission, index: usize) -> u16 {
    let at = 2 * index;
    u16::from_be_bytes([transmission.packet.bytes[at], transmission.packet.bytes[at + 1]])
}

pub fn call(action: &str, args: &[(&str, u128)]) -> Call {
    let args = args.iter().map(|(name, value)| ((*name).to_owned(), Bits::new(64, *value))).collect();
    Call { action: action.to_owned(), args }
}

pub fn entry(matches: &[(&str, Match)], action: impl Into<Target>) -> Entry {
    let matches = matches.iter().map(|(name, m)| ((*name).to_owned(), m.clone())).collect();
    Entry { matches, priority: None, action: action.into(), idle_timeout: None }
}

pub fn exact(value: u128) -> Match {
    Match::Exact(Bits::new(64, value))
}

/// Compiles and binds a P4 program.
pub fn compile(text: &str, defines: &[(&str, &str)]) -> ValidProgram {
    const REST: &str = include_str!("../../../../../testdata/stf/rest.p4");
    let loader = MemoryLoader::new()
        .with("program.p4", text)
        .with("core.p4", include_str!("../../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../../p4include/v1model.p4"))
        .with("psa.p4", include_str!("../../../../../p4include/psa.p4"))
        .with("psa/architecture.p4", include_str!("../../../../../p4include/psa/architecture.p4"))
        .with("pna.p4", include_str!("../../../../../p4include/pna.p4"))
        .with("pna/architecture.p4", include_str!("../../../../../p4include/pna/architecture.p4"))
        .with("pna/externs.p4", include_str!("../../../../../p4include/pna/externs.p4"))
        .with("pna/types.p4", include_str!("../../../../../p4include/pna/types.p4"))
        .with("pna/version5.p4", include_str!("../../../../../p4include/pna/version5.p4"))
        .with("pna/version7.p4", include_str!("../../../../../p4include/pna/version7.p4"))
        .with("dpdk/pna.p4", include_str!("../../../../../p4include/dpdk/pna.p4"))
        .with("bmv2/pna.p4", include_str!("../../../../../p4include/bmv2/pna.p4"))
        .with("ebpf_model.p4", include_str!("../../../../../p4include/ebpf_model.p4"))
        .with("ubpf_model.p4", include_str!("../../../../../p4include/ubpf_model.p4"))
        .with("xdp_model.p4", include_str!("../../../../../p4include/xdp_model.p4"))
        .with("tna.p4", include_str!("../../../../../p4include/tna.p4"))
        .with("t2na.p4", include_str!("../../../../../p4include/t2na.p4"))
        .with("tna/widths1.p4", include_str!("../../../../../p4include/tna/widths1.p4"))
        .with("tna/widths2.p4", include_str!("../../../../../p4include/tna/widths2.p4"))
        .with("tna/types.p4", include_str!("../../../../../p4include/tna/types.p4"))
        .with("tna/metadata1.p4", include_str!("../../../../../p4include/tna/metadata1.p4"))
        .with("tna/metadata2.p4", include_str!("../../../../../p4include/tna/metadata2.p4"))
        .with("tna/externs.p4", include_str!("../../../../../p4include/tna/externs.p4"))
        .with("tna/registers1.p4", include_str!("../../../../../p4include/tna/registers1.p4"))
        .with("tna/registers2.p4", include_str!("../../../../../p4include/tna/registers2.p4"))
        .with("tna/blocks1.p4", include_str!("../../../../../p4include/tna/blocks1.p4"))
        .with("tna/blocks2.p4", include_str!("../../../../../p4include/tna/blocks2.p4"))
        // Programs of `testdata/stf` include it from their folder or from the one above.
        .with("rest.p4", REST)
        .with("../rest.p4", REST);
    let define = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let defines: Vec<_> = defines.iter().map(define).collect();
    let result = weir_compiler::compile("program.p4", &loader, &defines);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    arch::bind(program).unwrap()
}

/// Returns a switch that runs a program.
pub fn start(program: &ValidProgram, config: SwitchConfig) -> Switch {
    Switch::new(executor(program.clone()), config).unwrap()
}

/// Returns the program's description of the table of this name.
pub fn table_schema<'a>(schema: &'a Schema, name: &str) -> Option<&'a TableSchema> {
    let names = weir_control::Names::new(schema);
    names.table(name).ok().map(|id| names.table_schema(id))
}
