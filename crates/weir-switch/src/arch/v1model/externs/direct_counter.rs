//! `direct_counter`, a count for each table entry.

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::visit::{reached_from_actions, reached_statements};
use weir_ir::{ActionId, ExternCall, ExternId, Loc, Program, StmtKind};

use super::{Call, Extern, Site, V1Model};
use crate::arch::externs::Object;
use crate::arch::families::unit;
use crate::error::{LoadError, LoadWarning};
use crate::externs::ExternState;
use crate::path::ResolvedCall;

pub(super) struct DirectCounter;

impl Extern<V1Model> for DirectCounter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("direct_counter.count")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["direct_counter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::direct_counter(unit(object)?))
    }

    fn resolve(&self, _site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        // The hits of its table are counted automatically.
        Ok(ResolvedCall::no_effect())
    }
    fn warnings(&self, program: &Program) -> Vec<LoadWarning> {
        outside_tables(program)
    }
}

/// Warns of calls of direct counters outside the actions of the table that names the counter. Such
/// a call has no entry whose cell it could count in. A direct meter may be read anywhere after its
/// table: the colour is that of the packet's last hit.
fn outside_tables(program: &Program) -> Vec<LoadWarning> {
    let mut warnings = Vec::new();
    let mut places = BTreeSet::new();
    let blocks = program.main.iter().flat_map(|main| &main.args);
    let mut called: BTreeMap<ExternId, Vec<(&ExternCall, Loc)>> = BTreeMap::new();
    for stmt in blocks.flat_map(|(_, block)| reached_statements(program, block)) {
        if let StmtKind::Extern(call) = &stmt.kind {
            call.instance.iter().for_each(|id| called.entry(*id).or_default().push((call, stmt.loc)));
        }
    }
    for table in program.tables.values() {
        for (_, object) in table.attached.iter().filter(|(property, _)| property == "counters") {
            let mut actions: Vec<ActionId> = table.actions.iter().map(|listed| listed.action).collect();
            actions.push(table.default_action.action);
            let inside = calls_of(program, actions, *object);
            for (call, loc) in called.get(object).into_iter().flatten() {
                let is_inside = inside.iter().any(|one| std::ptr::eq(*one, *call));
                if is_inside || !places.insert((loc.file, loc.line, loc.column)) {
                    continue;
                }
                let (name, table) = (&program.externs[*object].name, &table.name);
                let message = format!("`{name}` counts nothing here: it counts the hits of table `{table}`");
                let help = "the switch counts each hit; use a `counter` to count elsewhere";
                let id = LoadWarning::DETACHED_COUNTER;
                warnings.push(LoadWarning::new(program, id, *loc, message, help.to_owned()));
            }
        }
    }
    warnings
}

/// Returns the calls to an object in these actions and in the code that they call.
fn calls_of(program: &Program, actions: Vec<ActionId>, object: ExternId) -> Vec<&ExternCall> {
    let stmts = reached_from_actions(program, actions).into_iter();
    let calls = stmts.filter_map(|stmt| match &stmt.kind {
        StmtKind::Extern(call) if call.instance == Some(object) => Some(call),
        _ => None,
    });
    calls.collect()
}
