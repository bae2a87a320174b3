//! The metadata of the ghost thread of T2NA, which the thread itself fills from variables that the
//! path sets.

use weir_ir::{ControlId, Package, PackageArg, Program, VarId};

use super::super::build::{add_var, assign, set_valid, value};
use super::super::{ARCHITECTURE, GHOST};
use crate::arch::hidden::find;
use crate::path::Fact;

/// The facts in the metadata, with the fields that show them.
const FIELDS: [(&str, Fact); 2] = [("qlength", Fact::DequeueDepth), ("qid", Fact::Priority)];

fn var_name(field: &str) -> String {
    format!("$ghost.{field}")
}

/// Returns the ghost thread of a package, if there is one.
pub fn ghost_thread(package: &Package) -> Option<ControlId> {
    match ARCHITECTURE.blocks[GHOST].find(package)? {
        (_, PackageArg::Control(thread)) => Some(*thread),
        _ => None,
    }
}

/// Adds the statements that fill the metadata to the beginning of the thread.
pub(super) fn fill_metadata(program: &mut Program, package: &Package) {
    let Some(thread) = ghost_thread(package) else { return };
    let Some(storage) = program.controls[thread].params.first().map(|param| param.storage.clone()) else {
        return;
    };
    let mut stmts: Vec<_> = storage.headers.iter().map(|header| set_valid(*header)).collect();
    for (field, _) in FIELDS {
        if let Some(at) = storage.paths.iter().position(|path| path == field) {
            let to = storage.vars[at];
            let from = add_var(program, &var_name(field), program.vars[to].ty);
            stmts.push(assign(program, to, value(program, from)));
        }
    }
    program.controls[thread].body.0.splice(0..0, stmts);
}

/// Returns the variables that the path sets before the thread runs, with their facts.
pub fn ghost_facts(program: &Program) -> impl Iterator<Item = (VarId, Fact)> {
    FIELDS.into_iter().filter_map(|(field, fact)| Some((find(program, &var_name(field))?, fact)))
}
