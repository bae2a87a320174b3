//! PNA's externs. To add an extern, add a file here, or a row for a family, and a line in
//! [`EXTERNS`].

mod accelerator;
mod add_entry;
mod direction;
mod expiry;
mod flow_id;
mod forwarding;

use weir_ir::visit::reached_from_actions;
use weir_ir::{Program, StmtKind, Table, TableId};

use super::tables::PROPERTIES;
use super::{CONTROL, DROPPED, Decision, PRE, SENT};
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern};
use crate::arch::families::portable::{self, Algorithms, COLOURS};
use crate::arch::families::{self, Out};

const ALGORITHMS: Algorithms = Algorithms("PNA_HashAlgorithm_t");

/// All externs of PNA.
pub(super) const EXTERNS: &[&dyn Extern<Decision>] = &[
    &accelerator::Accelerator,
    &accelerator::KernelBuffer,
    &families::ActionProfile {
        types: &["ActionProfile", "ActionSelector"],
        algorithms: ALGORITHMS.0,
        hash: Algorithms::named,
    },
    &add_entry::AddEntry,
    &families::Assert,
    &portable::Checksum(ALGORITHMS),
    &families::Counter { types: &["Counter"], calls: &[Call::in_all_blocks("Counter.count")] },
    &portable::Digest,
    &portable::DirectCounter(PROPERTIES.counter.name),
    &portable::DirectMeter { property: PROPERTIES.meter.name, colours: COLOURS, results: |_| None },
    &direction::Direction,
    &expiry::Expiry,
    &flow_id::FlowId,
    &forwarding::Forwarding,
    &portable::Hash(ALGORITHMS),
    &portable::InternetChecksum,
    &families::Meter {
        types: &["Meter"],
        calls: &[Call::in_all_blocks("Meter.execute"), Call::in_all_blocks("Meter.dpdk_execute")],
        colour: Out::Result,
        colours: COLOURS,
        results: |_| None,
    },
    &portable::Random,
    &families::Register {
        types: &["Register"],
        calls: &[Call::in_all_blocks("Register.read"), Call::in_all_blocks("Register.write")],
        cell: Out::Result,
    },
];

type Site<'a> = CallSite<'a, Decision>;

/// A call that has a meaning only in the main control.
const fn in_control(name: &'static str, help: &'static str) -> Call {
    Call::in_blocks(name, &[CONTROL], help)
}

/// The tables whose actions make this call, or an equal one.
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
