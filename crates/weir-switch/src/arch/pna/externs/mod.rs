//! PNA's externs. To add an extern, add a file here, or a row for a family, and a line in
//! [`OWN`].

mod accelerator;
mod add_entry;
mod direction;
mod expiry;
mod flow_id;
mod forwarding;

use weir_ir::visit::reached_from_actions;
use weir_ir::{Program, StmtKind, Table, TableId};

use super::tables::{COUNTER, METER};
use super::{CONTROL, DROPPED, Decision, PRE, SENT};
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern};
use crate::arch::families::portable::{Algorithms, Common, Portable, joined};

impl Portable for Decision {
    const ALGORITHMS: Algorithms = Algorithms("PNA_HashAlgorithm_t");
    const COUNTER: &'static str = COUNTER;
    const METER: &'static str = METER;
}

/// All externs of PNA.
pub(super) const EXTERNS: &[&dyn Extern<Decision>] =
    &joined::<_, { OWN.len() + Common::<Decision>::EXTERNS.len() }>(OWN, Common::<Decision>::EXTERNS);

/// The externs that PSA does not have.
const OWN: &[&dyn Extern<Decision>] = &[
    &accelerator::Accelerator,
    &accelerator::KernelBuffer,
    &add_entry::AddEntry,
    &direction::Direction,
    &expiry::Expiry,
    &flow_id::FlowId,
    &forwarding::Forwarding,
];

type Site<'a> = CallSite<'a, Decision>;

/// Describes a call that has a meaning only in the main control.
const fn in_control(name: &'static str, help: &'static str) -> Call {
    Call::in_blocks(name, &[CONTROL], help)
}

/// Returns the tables whose actions make this call, or an equal one.
fn tables_of_actions(site: &Site<'_>, is_meant: impl Fn(&Table) -> bool) -> Vec<TableId> {
    let tables = site.program.tables.iter().filter(|(_, table)| is_meant(table) && calls(site, table));
    tables.map(|(id, _)| id).collect()
}

fn calls(site: &Site<'_>, table: &Table) -> bool {
    let program: &Program = site.program;
    let actions = table.actions.iter().map(|listed| listed.action);
    let stmts = reached_from_actions(program, actions.chain([table.default_action.action]));
    stmts.into_iter().any(|stmt| matches!(&stmt.kind, StmtKind::Extern(call) if call == site.call))
}
