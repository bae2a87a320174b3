//! The Portable NIC Architecture, versions 0.5 and 0.7: `PNA_NIC(parser, control, deparser)`. In
//! version 0.5, a control that may request decryption runs before the main control.
//!
//! A pass consists of a parser, a control and a deparser, for packets of both directions. Weir
//! decides where the specification leaves a choice:
//!
//! - A packet for which neither `send_to_port` nor `drop_packet` is called is dropped. Of these
//!   calls, the last one counts. `drop_packet` also prevents a recirculation, `send_to_port` does
//!   not.
//! - A recirculated packet keeps its port and thus its direction. Its metadata is 0.
//! - The pre control runs after the main parser, with its headers and metadata. A packet for which
//!   it requests decryption is dropped, because Weir has no accelerator.
//! - Mirrored packets are copies of the deparsed packet, and leave through the ports of their
//!   session without another pass.
//! - A transition to `reject` drops the packet, as in PSA.
//! - Metadata that the specification calls undefined is 0.

mod externs;
mod steps;
mod tables;
mod version_5;

use weir_ir::{Package, Program, VarId};

use super::GressKind::Ingress;
use super::assembly::{Parts, assemble, warnings};
use super::blocks::{Blocks, Shape};
use super::externs::{Known, objects};
use super::families::portable::{add_sums, first_sessions, internet_steps, shared_checksums};
use super::rejection::{self, REJECTED};
use super::{Architecture, BlockRole, Loaded, Settings, hidden};

const PARSER: usize = 0;
const CONTROL: usize = 1;
const DEPARSER: usize = 2;
/// The control before the main control, in version 0.5.
const PRE: usize = 3;

/// Version 0.5, also in the form of p4c's DPDK target.
pub(super) const VERSION_5: Architecture = Architecture {
    blocks: &[
        BlockRole::new(&[0], "the main parser", Ingress),
        BlockRole::new(&[2], "the main control", Ingress),
        BlockRole::new(&[3], "the main deparser", Ingress),
        BlockRole::new(&[1], "the pre control", Ingress),
    ],
    shared: &[
        &[(PARSER, 0), (PRE, 0), (CONTROL, 0), (DEPARSER, 0)],
        &[(PARSER, 1), (PRE, 1), (CONTROL, 1), (DEPARSER, 1)],
        &[(CONTROL, 3), (DEPARSER, 2)],
    ],
    load: |program, package, settings| load(program, package, settings, &SHAPE_5),
    egress_port: |program, package| output_port(program, package, &SHAPE_5),
    hidden: &[HIDDEN[0], HIDDEN[1], HIDDEN[2], (FROM_HOST, 1)],
    prepare: |program| {
        prepare(program);
        version_5::prepare(program);
    },
    ..VERSION_7
};

/// Version 0.7.
pub(super) const VERSION_7: Architecture = Architecture {
    package: "PNA_NIC",
    target_macro: "__TARGET_DPDK__",
    blocks: &[
        BlockRole::new(&[0], "the main parser", Ingress),
        BlockRole::new(&[1], "the main control", Ingress),
        BlockRole::new(&[2], "the main deparser", Ingress),
    ],
    shared: &[
        &[(PARSER, 0), (CONTROL, 0), (DEPARSER, 0)],
        &[(PARSER, 1), (CONTROL, 1), (DEPARSER, 1)],
        &[(CONTROL, 3), (DEPARSER, 2)],
    ],
    pipes: &[],
    optional_params: false,
    calls: || externs::EXTERNS.iter().flat_map(|family| family.calls()).collect(),
    load: |program, package, settings| load(program, package, settings, &SHAPE_7),
    warnings: |program| warnings(program, externs::EXTERNS, &tables::PROPERTIES),
    egress_port: |program, package| output_port(program, package, &SHAPE_7),
    last_port_drops: false,
    recirculation_port: None,
    recirculation_calls: &["recirculate"],
    hidden: &HIDDEN,
    check: |_, _| Vec::new(),
    prepare,
};

const SHAPE_5: Shape = Shape {
    architecture: "PNA",
    roles: VERSION_5.blocks,
    blocks: &[(true, 3, 3), (false, 4, 4), (false, 3, 3), (false, 4, 4)],
};

const SHAPE_7: Shape = Shape {
    architecture: "PNA",
    roles: VERSION_7.blocks,
    blocks: &[(true, 3, 3), (false, 4, 4), (false, 3, 3)],
};

/// The hidden state of a packet: what the calls of the main control have decided.
#[derive(Clone, Copy)]
struct Decision {
    /// One of the numbers below.
    fate: VarId,
    /// The port to which the packet goes.
    port: VarId,
}

/// No call has decided.
const UNDECIDED: u64 = 0;
/// The packet goes to the port.
const SENT: u64 = 1;
/// The packet is dropped.
const DROPPED: u64 = 2;

/// The names of the hidden variables, and their widths.
const HIDDEN: [(&str, u32); 3] = [("$fate", 2), ("$output_port", 32), (REJECTED, 1)];

/// The hidden variable of version 0.5 that says whether the packet comes from the host.
const FROM_HOST: &str = "$from_host";

impl Decision {
    /// Finds the hidden variables of a program that was prepared.
    fn find(program: &Program) -> Option<Self> {
        let [fate, port, _] = HIDDEN.map(|(name, _)| hidden::find(program, name));
        Some(Self { fate: fate?, port: port? })
    }
}

/// Returns the variable of the output port. Before a program is prepared, returns the variable of
/// another port, which has the same width.
fn output_port(program: &Program, package: &Package, shape: &Shape) -> Option<VarId> {
    let hidden = Decision::find(program).map(|decision| decision.port);
    hidden.or_else(|| {
        Blocks::new(program, package, shape).ok()?.find_field(program, (CONTROL, 2), "input_port")
    })
}

/// Brings tables into the form that the switch reads, adds variables for sums, and records
/// rejections.
fn prepare(program: &mut Program) {
    tables::PROPERTIES.prepare(program);
    add_sums(program, internet_steps);
    rejection::record(program);
}

fn load(program: &Program, package: &Package, settings: &Settings<'_>, shape: &Shape) -> Loaded {
    let as_list = |error| vec![error];
    let blocks = Blocks::new(program, package, shape).map_err(as_list)?;
    let objects = objects(program, externs::EXTERNS, settings).map_err(as_list)?;
    let decision = Decision::find(program).ok_or_else(|| vec![hidden::not_prepared(program)])?;
    let has_pre_control = shape.roles.len() > PRE;
    let fields = steps::Fields::new(program, &blocks, has_pre_control).map_err(as_list)?;
    let known_externs = Known::new("PNA", externs::EXTERNS, settings);
    let parts = Parts {
        objects,
        steps: steps::steps(program, &blocks, &fields, decision),
        metadata: fields.metadata(),
        sessions: first_sessions(),
        mistakes: shared_checksums(program, package, shape.roles),
    };
    assemble(program, &decision, &known_externs, &tables::PROPERTIES, parts)
}
