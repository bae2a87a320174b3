//! Rewrites the features that only TNA has (headers before packets, functions, code on cells of
//! registers, requests of deparsers to the traffic manager), so that the packet path and the
//! executors know only what all architectures share.

mod decisions;
mod engines;
mod functions;
mod ghost;
mod kept_fields;
mod key_masks;
mod mentioned;
mod padding;
mod parser_counters;
mod pipes;
mod port_metadata;
mod prefixes;
mod queues;

use std::collections::BTreeSet;

use weir_ir::passes::{CellCall, expand_cell_calls};
use weir_ir::visit::reached_statements;
use weir_ir::{Package, PackageArg, ParserId, Program, Transition, VarId};

use super::super::families::portable::add_sums;
use super::chip::Chip;
use super::externs::checksum_steps;
use super::hidden::{self, Hidden};
use super::{ARCHITECTURE, Blocks, ED, EG, ID, IG, IP, SHAPE, tables};
use engines::Gress;
pub(super) use ghost::{ghost_facts, ghost_thread};
use pipes::Pipes;
pub(super) use pipes::joins_pipes;

/// The calls that run code of the program on a cell.
const CELL_CALLS: [CellCall; 8] = [
    on_register("RegisterAction.execute"),
    on_register("RegisterAction2.execute"),
    on_register("RegisterAction3.execute"),
    on_register("RegisterAction4.execute"),
    on_entry("DirectRegisterAction.execute"),
    on_entry("DirectRegisterAction2.execute"),
    on_entry("DirectRegisterAction3.execute"),
    on_entry("DirectRegisterAction4.execute"),
];

const fn on_register(call: &'static str) -> CellCall {
    CellCall { call, method: "apply", read: "Register.read", write: "Register.write" }
}

const fn on_entry(call: &'static str) -> CellCall {
    CellCall { call, method: "apply", read: "DirectRegister.read", write: "DirectRegister.write" }
}

pub(super) use prefixes::egress_var;

/// Returns whether the program reads this field of the egress metadata.
pub(super) fn reads_egress(program: &Program, field: &str) -> bool {
    let fields = program.headers.values().filter_map(|header| {
        let ty = &program.header_types[header.ty];
        let position = ty.fields.iter().position(|known| known.name == field)?;
        (ty.name == "egress_intrinsic_metadata_t").then(|| header.fields[position])
    });
    let fields: BTreeSet<VarId> = fields.collect();
    let parsers = program.parsers.iter().map(|(id, _)| PackageArg::Parser(id));
    let controls = program.controls.iter().map(|(id, _)| PackageArg::Control(id));
    let selects = program.parsers.values().flat_map(|parser| parser.states.values()).any(|state| {
        matches!(&state.transition, Transition::Select { keys, .. }
            if keys.iter().any(|key| mentioned::reads_expr(key, &fields)))
    });
    selects
        || parsers
            .chain(controls)
            .any(|block| mentioned::reads(program, &reached_statements(program, &block), &fields))
}

pub(super) fn prepare(program: &mut Program) {
    let Some(package) = program.main.clone() else { return };
    let Ok(blocks) = Blocks::new(program, &package, &SHAPE) else { return };
    let chip = Chip::of(program, &blocks);
    let hidden = Hidden::add(program, chip);
    tables::prepare(program);
    let pipes = Pipes::new(&package);
    let parsers = ingress_parsers(&package);
    port_metadata::unpack(program, (&pipes, &parsers), &hidden, chip);
    pipes::join(program, &pipes, &hidden);
    let Some(package) = program.main.clone() else { return };
    let Ok(blocks) = Blocks::new(program, &package, &SHAPE) else { return };
    ghost::fill_metadata(program, &package);
    padding::pad_headers(program);
    key_masks::add(program);
    kept_fields::keep(program, [blocks.control(IG), blocks.control(EG)]);
    queues::replace(program);
    expand_cell_calls(program, &CELL_CALLS);
    functions::replace(program, &blocks);
    parser_counters::replace(program);
    prefixes::add(program, &hidden, chip);
    let ingress = Gress {
        engines: hidden::INGRESS_ENGINES,
        mirrored: hidden::INGRESS_MIRROR,
        mirror: (hidden.mirror, hidden.mirror_session),
    };
    engines::separate(program, blocks.control(ID), &ingress, &hidden, chip);
    let egress = Gress {
        engines: hidden::EGRESS_ENGINES,
        mirrored: hidden::EGRESS_MIRROR,
        mirror: (hidden.egress_mirror, hidden.egress_mirror_session),
    };
    engines::separate(program, blocks.control(ED), &egress, &hidden, chip);
    for deparser in [blocks.control(ID), blocks.control(ED)] {
        pipes::join_emits(program, &pipes, deparser);
    }
    decisions::add(program, &blocks, &hidden, chip);
    add_sums(program, checksum_steps);
}

/// Returns the ingress parsers of the pipes that have programs of their own.
fn ingress_parsers(package: &Package) -> Vec<ParserId> {
    let pipes = ARCHITECTURE.pipes_of(package);
    let parser = |pipe: &usize| match ARCHITECTURE.blocks[IP].find_in(package, *pipe)?.1 {
        PackageArg::Parser(id) => Some(*id),
        _ => None,
    };
    pipes.iter().filter_map(parser).collect()
}
