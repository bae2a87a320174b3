//! The last steps in loading a program, which are the same for all architectures.

use std::collections::BTreeMap;

use weir_ir::Program;

use super::externs::{Extern, Known, operations};
use super::families::TableProperties;
use super::{Loaded, LoadedArchitecture};
use crate::error::{LoadError, LoadWarning};
use crate::externs::ExternState;
use crate::path::{Metadata, PacketPath, Step};
use crate::state::CloneSession;

/// The parts of a program's architecture that are made before its calls are resolved.
pub(super) struct Parts {
    /// The states of the program's objects.
    pub objects: Vec<ExternState>,
    /// The steps of ingress and those of egress.
    pub steps: (Vec<Step>, Vec<Step>),
    pub metadata: Metadata,
    /// The clone sessions that exist at first.
    pub sessions: BTreeMap<u32, CloneSession>,
    /// The mistakes that only this architecture can find.
    pub mistakes: Vec<LoadError>,
}

/// Resolves the calls of a program and checks its tables.
pub(super) fn assemble<A>(
    program: &Program,
    model: &A,
    known: &Known<'_, A>,
    properties: &TableProperties,
    parts: Parts,
) -> Loaded {
    let Parts { objects, steps: (mut steps, in_egress), metadata, sessions, mistakes } = parts;
    let mut errors = Vec::new();
    let operations = operations(program, &objects, model, known, &mut errors);
    errors.extend(program.tables.values().filter_map(|table| properties.check(program, table).err()));
    errors.extend(mistakes);
    if !errors.is_empty() {
        return Err(errors);
    }
    let first_of_egress = steps.len();
    steps.extend(in_egress);
    let path = PacketPath { steps, first_of_egress, metadata, operations };
    Ok(LoadedArchitecture { path, externs: objects, sessions })
}

/// Warns of the properties of tables and the uses of externs that the switch ignores.
pub(super) fn warnings<A>(
    program: &Program,
    externs: &[&dyn Extern<A>],
    properties: &TableProperties,
) -> Vec<LoadWarning> {
    let of_externs = externs.iter().flat_map(|family| family.warnings(program));
    let of_tables = program.tables.values().flat_map(|table| properties.warnings(program, table));
    of_tables.chain(of_externs).collect()
}
