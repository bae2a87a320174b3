//! The Portable Switch Architecture, version 1.2: `PSA_Switch(IngressPipeline(parser, ingress,
//! deparser), …, EgressPipeline(parser, egress, deparser), …)`.
//!
//! The path follows the specification (section "Packet paths") with these decisions where it leaves
//! a choice:
//!
//! - Deparsers run for all packets, even for those that are then dropped or resubmitted: their code
//!   may set the metadata of clones, and send digests.
//! - Metadata that the specification calls undefined is 0.
//! - A packet belongs to class 0 if no queue has its class of service. With a single queue, all
//!   classes share it and keep their numbers.
//! - Counters and meters in egress count the bytes that the egress parser gets.
//! - A transition to `reject` drops the packet. Errors of parsers do not.
//! - Times are in microseconds since the switch started.

mod externs;
mod metadata;
mod steps;
mod tables;

use weir_device::Port;
use weir_ir::{Block, Package, Program};

use super::GressKind::{Egress, Ingress};
use super::assembly::{Parts, assemble, warnings};
use super::blocks::{Blocks, Shape};
use super::externs::{Known, objects};
use super::families::portable::{add_sums, first_sessions, internet_steps, shared_checksums};
use super::rejection::{self, REJECTED};
use super::{Architecture, BlockRole, Loaded, Settings};

/// The ingress parser, ingress, and the ingress deparser.
const IP: usize = 0;
const IG: usize = 1;
const ID: usize = 2;
/// The egress parser, egress, and the egress deparser.
const EP: usize = 3;
const EG: usize = 4;
const ED: usize = 5;

/// The port through which packets are recirculated.
const PORT_RECIRCULATE: Port = 0xffff_fffa;

pub(super) const ARCHITECTURE: Architecture = Architecture {
    package: "PSA_Switch",
    target_macro: "__TARGET_BMV2__",
    blocks: &[
        BlockRole::new(&[0, 0], "the ingress parser", Ingress),
        BlockRole::new(&[0, 1], "ingress", Ingress),
        BlockRole::new(&[0, 2], "the ingress deparser", Ingress),
        BlockRole::new(&[2, 0], "the egress parser", Egress),
        BlockRole::new(&[2, 1], "egress", Egress),
        BlockRole::new(&[2, 2], "the egress deparser", Egress),
    ],
    shared: &[
        // Headers, metadata and results of ingress, and then those of egress.
        &[(IP, 0), (IG, 0), (ID, 3)],
        &[(IP, 1), (IG, 1), (ID, 4)],
        &[(IG, 3), (ID, 5)],
        &[(EP, 0), (EG, 0), (ED, 2)],
        &[(EP, 1), (EG, 1), (ED, 3)],
        &[(EG, 3), (ED, 4)],
        // The metadata that packets carry between deparsers and parsers: to egress, in clones of
        // ingress and of egress, and into another pass.
        &[(ID, 2), (EP, 3)],
        &[(ID, 0), (EP, 4)],
        &[(ED, 0), (EP, 5)],
        &[(ID, 1), (IP, 3)],
        &[(ED, 1), (IP, 4)],
    ],
    pipes: &[],
    optional_params: false,
    calls: || externs::EXTERNS.iter().flat_map(|family| family.calls()).collect(),
    load,
    warnings: |program| warnings(program, externs::EXTERNS, &tables::PROPERTIES),
    egress_port: |program, package| {
        Blocks::new(program, package, &SHAPE).ok()?.find_field(program, (IG, 3), "egress_port")
    },
    last_port_drops: false,
    recirculation_port: Some(PORT_RECIRCULATE),
    recirculation_calls: &[],
    hidden: &[(REJECTED, 1)],
    check: |_, _| Vec::new(),
    prepare,
};

/// The blocks, each with the number of its parameters.
const SHAPE: Shape = Shape {
    architecture: "PSA",
    roles: ARCHITECTURE.blocks,
    blocks: &[(true, 5, 5), (false, 4, 4), (false, 6, 6), (true, 6, 6), (false, 4, 4), (false, 6, 6)],
};

/// Brings tables into the form that the switch reads, adds variables for sums, records rejections,
/// and clears `out` parameters that share their storage with a parser's.
fn prepare(program: &mut Program) {
    tables::PROPERTIES.prepare(program);
    add_sums(program, internet_steps);
    rejection::record(program);
    let Some(package) = program.main.clone() else { return };
    let Ok(blocks) = Blocks::new(program, &package, &SHAPE) else { return };
    // The metadata of resubmission is that of the last pass, and the metadata of egress clones may
    // be that of the clone that the deparser processes.
    for (block, param) in [(ID, 1), (ED, 0)] {
        let id = blocks.control(block);
        let storage = program.controls[id].params[param].storage.clone();
        let mut stmts = metadata::clearing(program, &storage, program.controls[id].loc);
        let Block(body) = &mut program.controls[id].body;
        stmts.append(body);
        *body = stmts;
    }
}

fn load(program: &Program, package: &Package, settings: &Settings<'_>) -> Loaded {
    let blocks = Blocks::new(program, package, &SHAPE).map_err(|error| vec![error])?;
    let objects = objects(program, externs::EXTERNS, settings).map_err(|error| vec![error])?;
    let fields = metadata::Fields::new(program, &blocks).map_err(|error| vec![error])?;
    let known_externs = Known::new("PSA", externs::EXTERNS, settings);
    let parts = Parts {
        objects,
        steps: steps::steps(program, &blocks, &fields),
        metadata: fields.metadata(program, &blocks),
        sessions: first_sessions(),
        mistakes: shared_checksums(program, package, ARCHITECTURE.blocks),
    };
    assemble(program, &fields, &known_externs, &tables::PROPERTIES, parts)
}
