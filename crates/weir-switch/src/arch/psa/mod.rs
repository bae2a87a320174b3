//! The Portable Switch Architecture, version 1.2: `PSA_Switch(IngressPipeline(parser, ingress,
//! deparser), …, EgressPipeline(parser, egress, deparser), …)`.
//!
//! The path follows the specification (section "Packet paths") with these decisions where it leaves
//! a choice:
//!
//! - Deparsers run for all packets, also for those that are then dropped or resubmitted: their code
//!   may set the metadata of clones, and send digests.
//! - Metadata that the specification calls undefined is 0.
//! - A packet whose class of service no queue has belongs to class 0. With a single queue, all
//!   classes share it and keep their numbers.
//! - Counters and meters in egress count the bytes that the egress parser gets.
//! - Times are in microseconds since the switch started.

mod externs;
mod metadata;
mod steps;
mod sums;
mod tables;

use std::collections::BTreeMap;

use weir_device::Port;
use weir_ir::{Block, Package, PackageArg, Param, Program, VarId};

use super::GressKind::{Egress, Ingress};
use super::externs::{Known, objects, operations};
use super::{Architecture, BlockRole, Loaded, LoadedArchitecture, Settings};
use crate::error::{LoadError, LoadErrorKind, LoadWarning};
use crate::path::PacketPath;
use crate::state::{CloneSession, Replica};

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
/// The port of the control plane.
const PORT_CPU: Port = 0xffff_fffd;
/// The clone session to the control plane, which every switch has.
const CLONE_SESSION_TO_CPU: u32 = 0;

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
    calls: || externs::EXTERNS.iter().flat_map(|of| of.calls()).collect(),
    load,
    warnings,
    egress_port: |program, package| {
        let params = Blocks::new(program, package).ok()?.params(program, IG)?;
        metadata::find(params, 3, "egress_port")
    },
    last_port_drops: false,
    recirculation_port: Some(PORT_RECIRCULATE),
    prepare,
};

/// The blocks of the package.
struct Blocks<'a>([&'a PackageArg; 6]);

impl<'a> Blocks<'a> {
    /// For each block, whether it is a parser, and the number of its parameters apart from the
    /// packet.
    const SHAPES: [(bool, usize); 6] = [(true, 5), (false, 4), (false, 6), (true, 6), (false, 4), (false, 6)];

    fn new(program: &Program, package: &'a Package) -> Result<Self, LoadError> {
        let mut found = Vec::new();
        for (role, (is_parser, count)) in ARCHITECTURE.blocks.iter().zip(Self::SHAPES) {
            let block = role.find(package).map(|(_, block)| block);
            let fits = match block {
                Some(PackageArg::Parser(id)) => is_parser && program.parsers[*id].params.len() == count,
                Some(PackageArg::Control(id)) => !is_parser && program.controls[*id].params.len() == count,
                _ => false,
            };
            // Only packages that the program itself declares can have other blocks.
            let (true, Some(block)) = (fits, block) else {
                let what = if is_parser { "parser" } else { "control" };
                let message = format!(
                    "this package `PSA_Switch` is not the one of PSA: {} is not a {what} with {count} parameters \
                     besides the packet",
                    role.name
                );
                let kind = LoadErrorKind::UnknownArchitecture;
                return Err(LoadError::new(program, kind, package.loc, message));
            };
            found.push(block);
        }
        found.try_into().map(Self).map_err(|_| {
            let message = "this package `PSA_Switch` is not the one of PSA".to_owned();
            LoadError::new(program, LoadErrorKind::UnknownArchitecture, package.loc, message)
        })
    }

    /// The parameters of a block, without the packet.
    fn params(&self, program: &'a Program, block: usize) -> Option<&'a [Param]> {
        super::params(program, self.0[block])
    }

    /// The variables of a parameter.
    fn vars(&self, program: &Program, block: usize, param: usize) -> Vec<VarId> {
        let param = self.params(program, block).and_then(|params| params.get(param));
        param.map_or_else(Vec::new, |param| param.storage.vars.clone())
    }
}

/// Warns of parts of a program that the switch ignores.
fn warnings(program: &Program) -> Vec<LoadWarning> {
    let of_externs = externs::EXTERNS.iter().flat_map(|of| of.warnings(program));
    tables::warnings(program).into_iter().chain(of_externs).collect()
}

/// Brings tables into the form that the switch reads, adds variables for sums, and clears `out`
/// parameters that share their storage with a parser's.
fn prepare(program: &mut Program) {
    tables::prepare(program);
    sums::add_sums(program);
    let Some(package) = program.main.clone() else { return };
    let Ok(blocks) = Blocks::new(program, &package) else { return };
    // The metadata of resubmission is that of the last pass, and the metadata of egress clones may
    // be that of the clone that the deparser processes.
    for (block, param) in [(ID, 1), (ED, 0)] {
        let PackageArg::Control(id) = *blocks.0[block] else { continue };
        let storage = program.controls[id].params[param].storage.clone();
        let mut stmts = metadata::clearing(program, &storage, program.controls[id].loc);
        let Block(body) = &mut program.controls[id].body;
        stmts.append(body);
        *body = stmts;
    }
}

fn load(program: &Program, package: &Package, settings: &Settings<'_>) -> Loaded {
    let blocks = Blocks::new(program, package).map_err(|error| vec![error])?;
    let objects = objects(program, externs::EXTERNS, settings).map_err(|error| vec![error])?;
    let fields = metadata::Fields::new(program, &blocks).map_err(|error| vec![error])?;
    let (mut steps, in_egress) = steps::steps(&blocks, &fields);
    let first_of_egress = steps.len();
    steps.extend(in_egress);
    let metadata = fields.metadata(program, &blocks);
    let mut errors = Vec::new();
    let known = Known { architecture: "PSA", externs: externs::EXTERNS, settings };
    let operations = operations(program, &objects, &fields, &known, &mut errors);
    errors.extend(program.tables.values().filter_map(|table| tables::check(program, table, &objects).err()));
    errors.extend(externs::shared_checksums(program, package));
    if !errors.is_empty() {
        return Err(errors);
    }
    let to_cpu = CloneSession {
        replicas: vec![Replica::new(PORT_CPU, 0)],
        priority: Some(0),
        ..CloneSession::default()
    };
    Ok(LoadedArchitecture {
        path: PacketPath { steps, first_of_egress, metadata, operations },
        externs: objects,
        sessions: BTreeMap::from([(CLONE_SESSION_TO_CPU, to_cpu)]),
    })
}
