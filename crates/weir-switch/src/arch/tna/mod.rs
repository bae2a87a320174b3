//! The Tofino Native Architecture, TNA, and that of Tofino 2, T2NA: `Switch(Pipeline(parser,
//! ingress, deparser, parser, egress, deparser))`, with a pipeline for each pipe.
//!
//! `prepare` rewrites a program so that its packets need only steps that other architectures have,
//! too. The metadata that the chip puts before packets are headers, which a control emits before
//! the parser runs ([`Step::Prefix`](crate::path::Step)). Requests of deparsers to the chip (to
//! mirror or resubmit a packet) become variables, which rules read.
//!
//! `docs/reference/tna.md` lists what runs, and the decisions where the public documents leave a
//! choice.

mod arguments;
mod build;
mod chip;
mod externs;
mod hidden;
mod limits;
mod prepare;
mod steps;
mod tables;
mod unwritten;

use std::collections::BTreeMap;

use weir_ir::{Package, Program};

use super::GressKind::{Egress, Ingress};
use super::assembly::{Parts, assemble, warnings};
use super::blocks::{Blocks, Shape};
use super::externs::{Known, objects};
use super::families::portable::shared_checksums;
use super::{Architecture, BlockRole, Loaded, Settings};
pub use chip::Chip;
use externs::Lengths;
use hidden::Hidden;

/// The ingress parser, ingress, and the ingress deparser.
const IP: usize = 0;
const IG: usize = 1;
const ID: usize = 2;
/// The egress parser, egress, and the egress deparser.
const EP: usize = 3;
const EG: usize = 4;
const ED: usize = 5;
/// The ghost thread of T2NA, which a pipe need not have.
const GHOST: usize = 6;

/// Parameters of ingress and egress: the metadata from the parser, for the deparser, and (only in
/// ingress) for the traffic manager.
const PRSR: usize = 3;
const DPRSR: usize = 4;
const TM: usize = 5;
/// The parameter of ingress for the metadata of the ghost thread.
const GHOST_MD: usize = 6;

/// The port number of packets that go to no port.
const NO_PORT: u64 = 511;

pub(super) const ARCHITECTURE: Architecture = Architecture {
    package: "Switch",
    target_macro: "__TARGET_TOFINO__",
    blocks: &[
        BlockRole::new(&[0, 0], "the ingress parser", Ingress),
        BlockRole::new(&[0, 1], "ingress", Ingress),
        BlockRole::new(&[0, 2], "the ingress deparser", Ingress),
        BlockRole::new(&[0, 3], "the egress parser", Egress),
        BlockRole::new(&[0, 4], "egress", Egress),
        BlockRole::new(&[0, 5], "the egress deparser", Egress),
        BlockRole::new(&[0, 6], "the ghost thread", Egress),
    ],
    shared: &[
        // Headers and metadata of the program, then the chip's metadata: from the port, from the
        // parser, for the deparser, for the traffic manager.
        &[(IP, 0), (IG, 0), (ID, 0)],
        &[(IP, 1), (IG, 1), (ID, 1)],
        &[(IP, 2), (IG, 2), (ID, 3)],
        &[(IP, 4), (IG, PRSR)],
        &[(IG, DPRSR), (ID, 2)],
        &[(IP, 3), (IG, TM)],
        &[(EP, 0), (EG, 0), (ED, 0)],
        &[(EP, 1), (EG, 1), (ED, 1)],
        &[(EP, 2), (EG, 2), (ED, 3)],
        &[(EP, 3), (EG, PRSR), (ED, 4)],
        &[(EP, 4), (EG, DPRSR), (ED, 2)],
        &[(GHOST, 0), (IG, GHOST_MD)],
    ],
    pipes: &[2, 3, 4, 5, 8, 9, 10, 11],
    optional_params: true,
    calls: externs::calls,
    load,
    warnings: |program| {
        let ignored = warnings(program, externs::EXTERNS, &tables::PROPERTIES);
        ignored.into_iter().chain(limits::warnings(program)).collect()
    },
    egress_port: |program, package| {
        let blocks = Blocks::new(program, package, &SHAPE).ok()?;
        let port = blocks.find_field(program, (IG, TM), "ucast_egress_port");
        port.or_else(|| super::hidden::find(program, "$port"))
    },
    last_port_drops: true,
    recirculation_port: Some(68),
    recirculation_calls: &[],
    hidden: &[],
    check: arguments::check,
    prepare: prepare::prepare,
};

/// The blocks, each with the minimum and maximum number of its parameters.
const SHAPE: Shape = Shape {
    architecture: "TNA",
    roles: ARCHITECTURE.blocks,
    blocks: &[(true, 2, 5), (false, 2, 7), (false, 2, 4), (true, 2, 5), (false, 2, 6), (false, 2, 5)],
};

/// Returns the chip for which a program was written; `None` if it is for another architecture.
pub fn chip_of(program: &Program) -> Option<Chip> {
    let package = program.main.as_ref().filter(|package| package.kind == ARCHITECTURE.package)?;
    Blocks::new(program, package, &SHAPE).ok().map(|blocks| Chip::of(program, &blocks))
}

fn load(program: &Program, package: &Package, settings: &Settings<'_>) -> Loaded {
    let one = |error| vec![error];
    let blocks = Blocks::new(program, package, &SHAPE).map_err(one)?;
    let chip = Chip::of(program, &blocks);
    let hidden = Hidden::find(program, chip).map_err(one)?;
    let objects = objects(program, externs::EXTERNS, settings).map_err(one)?;
    let ingress = steps::ingress(program, &blocks, &hidden, chip).map_err(one)?;
    let egress = steps::egress(program, package, &blocks, &hidden, chip).map_err(one)?;
    let lengths = Lengths::new(program, &blocks, chip);
    let known = Known { length_offset: Lengths::offset, ..Known::new("TNA", externs::EXTERNS, settings) };
    let has_pipes = prepare::joins_pipes(program, blocks.parser(IP));
    let parts = Parts {
        objects,
        steps: (ingress, egress),
        metadata: steps::metadata(program, &blocks, &hidden, chip, has_pipes),
        sessions: BTreeMap::new(),
        mistakes: shared_checksums(program, package, ARCHITECTURE.blocks),
    };
    assemble(program, &lengths, &known, &tables::PROPERTIES, parts)
}
