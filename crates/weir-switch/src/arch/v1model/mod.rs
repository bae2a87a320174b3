//! The architecture v1model with the behavior of `simple_switch`: `V1Switch(parser, verify,
//! ingress, egress, update, deparser)`.
//!
//! The path follows p4lang/behavioral-model's `docs/simple_switch.md`:
//!
//! - A parser error ends parsing and sets `parser_error`; the packet continues.
//! - After ingress, in this order: clone, digest, then resubmit, or multicast (if `mcast_grp` is
//!   not 0), or drop (if `egress_spec` is the drop port), or the queue of the port `egress_spec`.
//! - After egress: clone, then drop (if `egress_spec` is the drop port), or deparse and
//!   recirculate, or deparse and send to `egress_port`.
//! - An ingress clone is parsed again, from the bytes and the metadata at the start of the pass,
//!   but with a different `instance_type`. After parsing, its metadata is 0 except for
//!   `instance_type` and the fields in the field list. An egress clone keeps its headers and starts
//!   at egress.
//! - `truncate` cuts the deparsed packet to the smallest length that was requested in the pass.
//!   `packet_length` is the length at the start of the pass, until the packet is recirculated. A
//!   clone has its full length, or the length that its session specifies.
//! - A recirculated packet is parsed again. Its metadata, including `ingress_port`, is 0 except for
//!   `instance_type`, `packet_length` and the fields in the field list. A resubmitted packet keeps
//!   its bytes and its `ingress_port`.
//! - `ingress_global_timestamp` is the time when the packet was received, before it waits for its
//!   pass. The field is 0 for recirculated and resubmitted packets and for clones, which were not
//!   received.
//!
//! In contrast to `simple_switch`, `deq_timedelta` is the time in the queue, rounded down, and not
//! the difference between two rounded times.

mod calculations;
mod control_view;
mod externs;
mod metadata;
mod steps;
mod tables;

use std::collections::BTreeMap;

use weir_ir::{ControlId, Package, PackageArg, ParserId, Program, VarId};

use super::GressKind::{Egress, Ingress};
use super::assembly::{Parts, assemble};
use super::externs::{Known, objects};
use super::{Architecture, BlockRole, Loaded, PortSpace, Settings};
use crate::error::{LoadError, LoadErrorKind, LoadWarning};

pub(super) use control_view::{CONTROL_VIEW, EXTERNS as VIEWED_EXTERNS};

const PARSER: usize = 0;
const VERIFY: usize = 1;
const INGRESS: usize = 2;
const EGRESS: usize = 3;
const UPDATE: usize = 4;
const DEPARSER: usize = 5;

pub(super) const ARCHITECTURE: Architecture = Architecture {
    package: "V1Switch",
    target_macro: "__TARGET_BMV2__",
    blocks: &[
        BlockRole::new(&[PARSER], "the parser", Ingress),
        BlockRole::new(&[VERIFY], "checksum verification", Ingress),
        BlockRole::new(&[INGRESS], "ingress", Ingress),
        BlockRole::new(&[EGRESS], "egress", Egress),
        BlockRole::new(&[UPDATE], "checksum update", Egress),
        BlockRole::new(&[DEPARSER], "the deparser", Egress),
    ],
    shared: &[
        // headers
        &[(PARSER, 0), (VERIFY, 0), (INGRESS, 0), (EGRESS, 0), (UPDATE, 0), (DEPARSER, 0)],
        // user metadata
        &[(PARSER, 1), (VERIFY, 1), (INGRESS, 1), (EGRESS, 1), (UPDATE, 1)],
        // standard metadata
        &[(PARSER, 2), (INGRESS, 2), (EGRESS, 2)],
    ],
    pipes: &[],
    optional_params: false,
    calls: || externs::EXTERNS.iter().flat_map(|family| family.calls()).collect(),
    load,
    warnings,
    egress_port,
    last_port_drops: true,
    recirculation_port: None,
    recirculation_calls: &["recirculate", "recirculate_preserving_field_list"],
    hidden: &[],
    check: |_, _| Vec::new(),
    prepare,
};

/// The blocks of the package, by their roles.
#[derive(Clone, Copy, Debug)]
struct Blocks {
    parser: ParserId,
    verify: ControlId,
    ingress: ControlId,
    egress: ControlId,
    update: ControlId,
    deparser: ControlId,
}

/// Returns the variable of `egress_spec`. Blocks share the variable once the program is bound.
fn egress_port(program: &Program, package: &Package) -> Option<VarId> {
    let ingress = blocks(program, package).ok()?.ingress;
    let standard = &program.controls[ingress].params.get(2)?.storage;
    let place = standard.paths.iter().position(|path| path == "egress_spec")?;
    standard.vars.get(place).copied()
}

/// Warns of parts of a program that the switch ignores.
fn warnings(program: &Program) -> Vec<LoadWarning> {
    let of_externs = externs::EXTERNS.iter().flat_map(|family| family.warnings(program));
    tables::warnings(program).into_iter().chain(of_externs).collect()
}

/// Adds the names of the program's calculations.
fn prepare(program: &mut Program) {
    let blocks = program.main.as_ref().map(|package| blocks(program, package));
    if let Some(Ok(blocks)) = blocks {
        calculations::add_names(program, blocks);
    }
}

fn load(program: &Program, package: &Package, settings: &Settings<'_>) -> Loaded {
    let blocks = blocks(program, package).map_err(|error| vec![error])?;
    let objects = objects(program, externs::EXTERNS, settings).map_err(|error| vec![error])?;
    let fields = metadata::Fields::new(program, &blocks).map_err(|error| vec![error])?;
    let ports = PortSpace::new(fields.port_width(program)).dropping_last().dropping(settings.drop_port);
    let drop_port = ports.drop.map_or(0, u64::from);
    let parts = Parts {
        objects,
        steps: steps::steps(program, &blocks, &fields, drop_port),
        metadata: fields.metadata(),
        sessions: BTreeMap::new(),
        mistakes: tables::check_meters(program),
    };
    let model = externs::V1Model::new(program, fields, drop_port);
    let known_externs = Known::new("v1model", externs::EXTERNS, settings);
    assemble(program, &model, &known_externs, &tables::PROPERTIES, parts)
}

fn blocks(program: &Program, package: &Package) -> Result<Blocks, LoadError> {
    // Only a package that the program itself declares can have other arguments.
    let wrong_block = |position: usize, wanted: &str, params: usize| {
        let message = format!(
            "this package `V1Switch` is not v1model's: its argument {} is not a {wanted} with {params} parameters",
            position + 1
        );
        LoadError::new(program, LoadErrorKind::UnknownArchitecture, package.loc, message)
    };
    let parser = |position: usize, count: usize| match package.args.get(position) {
        Some((_, PackageArg::Parser(id))) if program.parsers[*id].params.len() == count => Ok(*id),
        _ => Err(wrong_block(position, "parser", count + 1)),
    };
    let control = |position: usize, count: usize, packet: usize| match package.args.get(position) {
        Some((_, PackageArg::Control(id))) if program.controls[*id].params.len() == count => Ok(*id),
        _ => Err(wrong_block(position, "control", count + packet)),
    };
    Ok(Blocks {
        parser: parser(PARSER, 3)?,
        verify: control(VERIFY, 2, 0)?,
        ingress: control(INGRESS, 3, 0)?,
        egress: control(EGRESS, 3, 0)?,
        update: control(UPDATE, 2, 0)?,
        deparser: control(DEPARSER, 1, 1)?,
    })
}
