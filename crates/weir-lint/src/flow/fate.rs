//! Finds drops that a later choice of a port undoes, and tables without a default action whose
//! misses neither drop nor send packets.
//!
//! Extern functions with `@drops_packet` drop the packet. A field of the architecture's metadata
//! with `@sends_unless(n)` sends it if a value other than `n` is written.

use rustc_hash::{FxHashMap, FxHashSet};
use weir_syntax::{Diagnostic, Span};

use super::Flow;
use super::fields::{field, is_neutral, value_without_effect};
use crate::facts::{Fact, Facts, Kind, States};
use crate::hir::walk::{self, Visitor};
use crate::hir::{ArgValue, Call, Callee, Expr, ExternFunctionId, Program, Stmt, StmtKind, TableId, Type};
use crate::storage::{Part, TrackedPlace};

/// The maximum number of calls with a fact about their drops. Further calls that drop packets cause
/// no warning.
const MAX_DROPS: usize = 12;

/// The decisions about packets that the analysis has found: to send or to drop.
pub(super) struct ForwardingDecisions {
    /// The calls that drop packets, each with a fact. The fact is true if the call was the last
    /// decision about the packet, and was conditional.
    drops: Vec<(Span, Fact)>,
    /// The drops after which all packets get a port. Such drops are assumed to be intended as a
    /// default.
    defaults: FxHashSet<Fact>,
    /// True if a port was chosen; exists only if `implied` has a table.
    sent: Option<Fact>,
    /// The tables without `default_action` whose actions choose a port or drop, with the fact that
    /// the lookup missed.
    implied: FxHashMap<TableId, Fact>,
    /// The number of conditions and tables that enclose the current statement.
    pub branches: usize,
}

impl ForwardingDecisions {
    pub fn new(program: &Program, facts: &mut Facts) -> ForwardingDecisions {
        let mut implied = FxHashMap::default();
        for (id, table) in program.tables.iter() {
            let is_implied = table.default_action.as_ref().is_some_and(|default| {
                default.call.span == table.name.span
                    && table.actions[default.call.action].span == table.name.span
            });
            let does = ActionEffects::summarize(program, id);
            if is_implied && !table.keys.is_empty() && does.sends && does.drops {
                implied.insert(id, facts.new_fact(Kind::Mark));
            }
        }
        let sent = (!implied.is_empty()).then(|| facts.new_fact(Kind::Mark));
        let mut calls = Drops { program, calls: Vec::new() };
        walk::program(program, &mut calls);
        let drops = calls.calls.into_iter().map(|span| (span, facts.new_fact(Kind::Mark))).collect();
        ForwardingDecisions { drops, defaults: FxHashSet::default(), sent, implied, branches: 0 }
    }
}

/// The first calls that drop packets.
struct Drops<'a> {
    program: &'a Program,
    calls: Vec<Span>,
}

impl Visitor for Drops<'_> {
    fn call(&mut self, call: &Call) {
        if let Callee::ExternFunction(id) = call.callee
            && drops(self.program, id)
            && self.calls.len() < MAX_DROPS
        {
            self.calls.push(call.span);
        }
    }
}

/// The effects of a table's actions.
struct ActionEffects<'a> {
    program: &'a Program,
    sends: bool,
    drops: bool,
}

impl ActionEffects<'_> {
    /// Collects whether the actions of a table send or drop packets.
    fn summarize(program: &Program, table: TableId) -> ActionEffects<'_> {
        let mut does = ActionEffects { program, sends: false, drops: false };
        for action in &program.tables[table].actions {
            walk::block(&program.actions[action.action].body, &mut does);
        }
        does
    }
}

impl Visitor for ActionEffects<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assign { target, value } = &stmt.kind
            && let Some((field, ..)) = field(self.program, target)
        {
            self.sends |=
                value_without_effect(field).is_some() && !is_neutral(self.program, field, Some(value));
        }
    }

    fn call(&mut self, call: &Call) {
        match call.callee {
            Callee::ExternFunction(id) => self.drops |= drops(self.program, id),
            // The recursion ends, because P4 has no recursive calls.
            Callee::Action(id) => walk::block(&self.program.actions[id].body, self),
            _ => {}
        }
    }
}

/// Returns whether an extern function drops the packet.
fn drops(program: &Program, function: ExternFunctionId) -> bool {
    program.extern_functions[function].0.annotations.contains("drops_packet")
}

impl Flow<'_> {
    /// Returns whether the packet is dropped in some of the current states.
    pub(super) fn may_be_dropped(&mut self) -> bool {
        !self.facts.where_fact(&self.now, self.dropped, true).is_none()
    }

    /// Resets the facts to the states before any decision about the packet.
    pub(super) fn states_before_decisions(&mut self) {
        self.forget_drops();
        let facts: Vec<Fact> =
            self.fate.sent.into_iter().chain(self.fate.implied.values().copied()).collect();
        for fact in facts {
            self.now = self.facts.set_fact(&self.now, fact, false);
        }
    }

    /// Removes the drops so far from the current states.
    pub(super) fn forget_drops(&mut self) {
        for index in 0..self.fate.drops.len() {
            let fact = self.fate.drops[index].1;
            self.now = self.facts.set_fact(&self.now, fact, false);
        }
    }

    /// Models a call that drops the packet: the fields that control sending get the values for
    /// which the packet is not sent.
    pub(super) fn drop_packet(&mut self, call: &Call) {
        self.now = self.facts.set_fact(&self.now, self.dropped, true);
        self.forget_drops();
        for arg in &call.args {
            if let ArgValue::Expr(value) = &arg.value {
                self.write_neutral(value);
            }
        }
        let span = call.span;
        let earlier = self.fate.drops.iter().find(|(earlier, _)| *earlier == span);
        if let Some(&(_, fact)) = earlier
            && self.fate.branches > 0
        {
            self.now = self.facts.set_fact(&self.now, fact, true);
        }
    }

    fn write_neutral(&mut self, metadata: &Expr) {
        let program = self.program;
        let Type::Record { decl, .. } = program.types[metadata.ty] else { return };
        let Some(TrackedPlace::Part(part)) = self.tracked_place(metadata) else { return };
        let Part::Struct(members) = self.storage.part(part).clone() else { return };
        for (field, member) in program.records[decl].fields.iter().zip(members) {
            if let Some(value) = value_without_effect(field) {
                self.now = self.storage.set_value(
                    &mut self.facts,
                    self.now.clone(),
                    TrackedPlace::Part(member),
                    value,
                );
            }
        }
    }

    /// Models a write of `value`, if it is known, to `target`.
    pub(super) fn decide(&mut self, target: &Expr, value: Option<&Expr>) {
        if self.now.is_none() {
            return;
        }
        let Some((field, ..)) = field(self.program, target) else { return };
        if value_without_effect(field).is_none() {
            return;
        }
        if let Some(sent) = self.fate.sent {
            self.now = self.facts.set_fact(&self.now, sent, true);
        }
        if is_neutral(self.program, field, value) {
            return;
        }
        let drops: Vec<(Span, Fact)> = self.fate.drops.clone();
        let mut other_states = self.now.clone();
        for &(_, fact) in &drops {
            other_states = self.facts.where_fact(&other_states, fact, false);
        }
        for (span, fact) in drops {
            let undone = self.facts.where_fact(&self.now, fact, true);
            if other_states.is_none() && !undone.is_none() {
                self.fate.defaults.insert(fact);
            }
            if undone.is_some() && !other_states.is_none() && !self.fate.defaults.contains(&fact) {
                let diagnostic = Diagnostic::warning("drop-overwritten", "this sends packets that were dropped")
                    .primary(target.span, "a dropped packet that gets here is sent after all")
                    .secondary(span, "dropped here")
                    .note("leave the block after the drop, for example by `exit`, or choose the port only for packets that are not dropped");
                self.warn(diagnostic);
            }
        }
        self.forget_drops();
        self.now = self.facts.set_fact(&self.now, self.dropped, false);
    }

    /// Records that the current states follow a miss of the table, whose lookup is the latest so
    /// far.
    pub(super) fn record_miss(&mut self, table: TableId) {
        let facts: Vec<(TableId, Fact)> = self.fate.implied.iter().map(|(&id, &fact)| (id, fact)).collect();
        if self.fate.implied.contains_key(&table) {
            for (id, fact) in facts {
                self.now = self.facts.set_fact(&self.now, fact, id == table);
            }
        }
    }

    /// Returns whether the analysed block decides where packets go.
    fn decides_forwarding(&self) -> bool {
        let Some((_, stage)) = self.timing.stage else { return false };
        self.program.records.iter().flat_map(|(_, record)| &record.fields).any(|field| {
            value_without_effect(field).is_some()
                && self.named_stage(field, "read_after").is_some_and(|(position, _)| position == stage)
        })
    }

    /// Checks the states at the end of a block: reports the tables without a `default_action` if
    /// only packets that missed them are neither sent nor dropped.
    pub(super) fn check_decided(&mut self, ended: &States) {
        let Some(sent) = self.fate.sent else { return };
        if !self.decides_forwarding() || !self.facts.where_fact(ended, self.dropped, true).is_some() {
            return;
        }
        let undecided = self.facts.where_fact(ended, sent, false);
        let undecided = self.facts.where_fact(&undecided, self.dropped, false);
        let mut tables: Vec<(TableId, Fact)> =
            self.fate.implied.iter().map(|(&id, &fact)| (id, fact)).collect();
        tables.sort_unstable_by_key(|(id, _)| id.index());
        let mut other_states = undecided.clone();
        for &(_, fact) in &tables {
            other_states = self.facts.where_fact(&other_states, fact, false);
        }
        if !other_states.is_none() {
            return;
        }
        for (id, fact) in tables {
            if !self.facts.where_fact(&undecided, fact, true).is_some() {
                continue;
            }
            let name = &self.program.tables[id].name;
            let message = format!("a miss of table `{}` neither sends nor drops the packet", name.text);
            let diagnostic = Diagnostic::warning("implied-default", message)
                .primary(name.span, "has no `default_action`, so a miss runs `NoAction`")
                .note("on all other paths, the port is chosen or the packet is dropped")
                .note("write the default action: one that drops, or `NoAction` if this is intended");
            self.warn(diagnostic);
        }
    }
}
