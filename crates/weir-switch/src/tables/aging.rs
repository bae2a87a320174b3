//! The ages of entries, and the tables to which packets add entries, as programs declare them.

use weir_ir::visit::reached_from_actions;
use weir_ir::{Program, PropertyValue, StmtKind, Table};

use crate::externs::UseAt;

/// The calls that change when an entry expires.
pub(crate) const EXPIRY_CALLS: [&str; 4] =
    ["restart_expire_timer", "set_entry_expire_time", "set_entry_expire_time_if", "update_expire_info"];

/// The number of entries that packets may add to a table for which the program gives no size: P4's
/// usual size.
const USUAL_SIZE: u64 = 1024;

/// The rules for idle entries of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aging {
    pub at_end: AtEnd,
    /// When the time-out of an entry starts again: whenever a lookup hits the entry, or only when
    /// an action calls one of [`EXPIRY_CALLS`].
    pub restarts_at: UseAt,
}

/// The action on an entry at the end of its time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// The control plane gets a notice.
    Notify,
    /// The entry is deleted.
    Delete,
}

impl Aging {
    /// Finds how the entries of a table age; `None` if they have no time-outs.
    pub(crate) fn of_table(program: &Program, table: &Table) -> Option<Self> {
        let at_end = AtEnd::of_table(table)?;
        let listed = table.actions.iter().map(|listed| listed.action);
        let stmts = reached_from_actions(program, listed.chain([table.default_action.action]));
        let mut calls = stmts.into_iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Extern(call) => Some(call.callee.as_str()),
            _ => None,
        });
        let called = calls.any(|call| EXPIRY_CALLS.contains(&call));
        Some(Self { at_end, restarts_at: if called { UseAt::Call } else { UseAt::Lookup } })
    }
}

impl AtEnd {
    /// Finds what a program wants at the end of time-outs; `None` if a table's entries have no
    /// time-outs.
    pub(crate) fn of_table(table: &Table) -> Option<Self> {
        let of_property = |(name, value): &(String, PropertyValue)| match (name.as_str(), value) {
            ("support_timeout", PropertyValue::Bool(true)) => Some(Self::Notify),
            ("idle_timeout_with_auto_delete", PropertyValue::Bool(true)) => Some(Self::Delete),
            // The members of PSA_IdleTimeout_t and PNA_IdleTimeout_t are NO_TIMEOUT,
            // NOTIFY_CONTROL and, in PNA, AUTO_DELETE.
            ("psa_idle_timeout" | "pna_idle_timeout", PropertyValue::Int(member)) => {
                let ends = [None, Some(Self::Notify), Some(Self::Delete)];
                usize::try_from(member).ok().and_then(|member| ends.get(member).copied()).flatten()
            }
            _ => None,
        };
        let ends = table.properties.iter().filter_map(of_property);
        ends.max_by_key(|end| *end == Self::Delete)
    }
}

/// Returns whether the program lets the table's entries have time-outs.
pub(crate) fn supports_timeout(table: &Table) -> bool {
    AtEnd::of_table(table).is_some()
}

/// Returns the number of entries at which packets can no longer add entries to a table; `None` if
/// packets never can.
pub(crate) fn limit_of_added(table: &Table) -> Option<u64> {
    let adds = ("add_on_miss".to_owned(), PropertyValue::Bool(true));
    table.properties.contains(&adds).then(|| table.size.filter(|size| *size > 0).unwrap_or(USUAL_SIZE))
}
