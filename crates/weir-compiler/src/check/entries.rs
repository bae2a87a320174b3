//! Checks the initial table entries and their priorities.

use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::constant::{Value, evaluate, representation, wrap};
use super::keyset::KeysetContext;
use super::table::PartialTable;
use crate::hir::{self, Entry, ItemKind, TypeId};

impl Checker<'_> {
    /// Evaluates a priority, which must be at least `least`.
    pub(super) fn priority_number(&mut self, written: &ast::Expr, least: i64) -> Option<i64> {
        let value = self.constant_integer(written, "priority")?;
        self.priority_in_range(value.to_i64(), least, written.span)
    }

    pub(super) fn priority_in_range(&mut self, value: Option<i64>, least: i64, span: Span) -> Option<i64> {
        let most = i64::from(i32::MAX);
        let valid = value.filter(|value| (least..=most).contains(value));
        if valid.is_none() {
            let diagnostic = Diagnostic::error("bad-priority", "this priority is out of range")
                .primary(span, format!("must be from {least} to {most}"));
            self.report(diagnostic);
        }
        valid
    }

    /// Checks a table's constant entries.
    pub(super) fn entries(
        &mut self,
        written: &ast::EntriesProperty,
        table: &PartialTable,
        name_span: Span,
    ) -> Vec<Entry> {
        if table.keys.is_empty() && !written.entries.is_empty() {
            let diagnostic =
                Diagnostic::error("entries-without-key", "a table without `key` cannot have `entries`")
                    .primary(name_span, "has `entries` but no `key`")
                    .note("a table without a key always runs its default action");
            self.report(diagnostic);
            return Vec::new();
        }
        let types: Vec<TypeId> = table.keys.iter().map(|key| key.expr.ty).collect();
        let mut entries = Vec::new();
        let mut priorities: Vec<Option<i64>> = Vec::new();
        for entry in &written.entries {
            let priority = match &entry.priority {
                None => None,
                Some(ast::EntryPriority::Literal(literal, span)) => {
                    self.priority_in_range(literal.value.to_i64(), 0, *span)
                }
                Some(ast::EntryPriority::Expr(expr)) => self.priority_number(expr, 0),
            };
            if let Some(written) = &entry.priority
                && self.needs_no_priorities(table)
            {
                let span = match written {
                    ast::EntryPriority::Literal(_, span) => *span,
                    ast::EntryPriority::Expr(expr) => expr.span,
                };
                let message = format!("entries of table `{}` cannot have priorities", table.name.text);
                let diagnostic = Diagnostic::error("bad-priority", message)
                    .primary(span, "all keys of the table are exact or lpm")
                    .secondary(table.name.span, "table declared here")
                    .note("at most one entry matches, or the one with the longest prefix wins");
                self.report(diagnostic);
            }
            let keyset = self.check_keyset(&entry.keyset, &types, KeysetContext::Entry);
            let call =
                self.action_call(&entry.action.name, entry.action.args.as_deref(), table, entry.action.span);
            let annotations = self.annotations(&entry.annotations, ItemKind::Entry, entry.span);
            let (Some(keyset), Some(call)) = (keyset, call) else { continue };
            let listed = &table.actions[call.action];
            if listed.annotations.contains("defaultonly") && listed.span != name_span {
                let message = format!("`{}` is marked @defaultonly", entry.action.name.name);
                let diagnostic = Diagnostic::error("action-not-allowed", message)
                    .primary(entry.action.span, "cannot be used in an entry")
                    .secondary(listed.span, "listed here");
                self.report(diagnostic);
            }
            self.refuse_group_action(listed, &entry.action.name, entry.action.span, "used in an entry");
            self.check_entry_kinds(&keyset, table);
            priorities.push(priority);
            entries.push(Entry {
                keyset,
                call,
                priority: 0,
                is_const: written.is_const || entry.is_const,
                annotations,
                span: entry.span,
            });
        }
        self.number_entries(&mut entries, &priorities, table);
        self.distinct_entries(&entries, table);
        entries
    }

    /// Reports entries with the same keys in tables whose keys are all exact, because only one of
    /// them could match (P4_16 section 14.2.1.4.1).
    fn distinct_entries(&mut self, entries: &[Entry], table: &PartialTable) {
        let exact = |key: &hir::TableKey| self.program.match_kinds[key.match_kind].0.name.text == "exact";
        if !table.keys.iter().all(exact) {
            return;
        }
        let mut seen: FxHashMap<Vec<Value>, Span> = FxHashMap::default();
        for entry in entries {
            let value = |element: &hir::KeysetElement| match element {
                hir::KeysetElement::Value(value) => evaluate(&self.program, value),
                _ => None,
            };
            let Some(values) = entry.keyset.elements.iter().map(value).collect::<Option<Vec<Value>>>() else {
                continue;
            };
            if let Some(&first) = seen.get(&values) {
                let message = format!("table `{}` has two entries with the same key", table.name.text);
                let diagnostic = Diagnostic::error("duplicate-entry", message)
                    .primary(entry.keyset.span, "again here")
                    .secondary(first, "first here");
                self.report(diagnostic);
                continue;
            }
            seen.insert(values, entry.keyset.span);
        }
    }

    /// Returns whether a lookup can match at most one entry, apart from `lpm` prefixes (P4_16
    /// section 14.2.1.4.1).
    pub(super) fn needs_no_priorities(&self, table: &PartialTable) -> bool {
        let kinds =
            table.keys.iter().map(|key| self.program.match_kinds[key.match_kind].0.name.text.as_str());
        let mut inexact_kinds = kinds.filter(|kind| *kind != "exact");
        // If there are two prefixes, neither of them wins by its length.
        inexact_kinds.next().is_none_or(|kind| kind == "lpm") && inexact_kinds.next().is_none()
    }

    /// Checks that entries use masks, ranges and don't-cares only for match kinds that support
    /// them. `_` is allowed for an exact key in a table whose entries are ordered (P4_16 section
    /// 14.2.1.4 has an example). In other tables it would let two entries match.
    pub(super) fn check_entry_kinds(&mut self, keyset: &hir::Keyset, table: &PartialTable) {
        let unordered = self.needs_no_priorities(table);
        for (element, key) in keyset.elements.iter().zip(&table.keys) {
            let kind = self.program.match_kinds[key.match_kind].0.name.text.clone();
            let (what, span) = match element {
                hir::KeysetElement::Mask { value, .. } => ("a mask", value.span),
                hir::KeysetElement::Range { low, .. } => ("a range", low.span),
                hir::KeysetElement::Any => ("`_`", keyset.span),
                _ => continue,
            };
            let mismatched =
                matches!(
                    (kind.as_str(), element),
                    ("exact", hir::KeysetElement::Mask { .. } | hir::KeysetElement::Range { .. })
                        | ("lpm" | "ternary" | "optional", hir::KeysetElement::Range { .. })
                        | ("optional", hir::KeysetElement::Mask { .. })
                ) || (unordered && kind == "exact" && matches!(element, hir::KeysetElement::Any));
            if let (hir::KeysetElement::Mask { mask, .. }, "lpm") = (element, kind.as_str()) {
                self.check_prefix(mask, &key.name);
            }
            if mismatched {
                let message = format!("{what} cannot be used for key `{}` with match kind {kind}", key.name);
                let diagnostic = Diagnostic::error("bad-keyset", message)
                    .primary(span, format!("not allowed for {kind} keys"))
                    .secondary(key.span, "key declared here");
                self.report(diagnostic);
            }
        }
    }

    /// Reports a mask that does not consist of ones followed by zeros.
    pub(super) fn check_prefix(&mut self, mask: &hir::Expr, key: &str) {
        let Some((_, width)) = representation(&self.program, mask.ty) else { return };
        let Some(Value::Int(value)) = evaluate(&self.program, mask) else { return };
        let bits = wrap(&value, false, width);
        let zeros = bits.trailing_zeros().unwrap_or(u64::from(width)).min(u64::from(width));
        let cleared = wrap(&!&bits, false, width);
        if cleared != (num_bigint::BigInt::from(1) << zeros) - 1 {
            let message = format!("the mask of lpm key `{key}` must be a prefix");
            let diagnostic = Diagnostic::error("bad-keyset", message)
                .primary(mask.span, "expected ones followed by zeros");
            self.report(diagnostic);
        }
    }

    /// Assigns priorities to entries without one (P4_16 section 14.2.1.4.1).
    pub(super) fn number_entries(
        &mut self,
        entries: &mut [Entry],
        given: &[Option<i64>],
        table: &PartialTable,
    ) {
        let delta = table.priority_delta;
        if given.iter().all(Option::is_none) {
            let count = entries.len();
            for (index, entry) in entries.iter_mut().enumerate() {
                let rank = if table.largest_priority_wins { count - 1 - index } else { index };
                entry.priority = (rank as i64).saturating_mul(delta).saturating_add(1);
            }
            return;
        }
        let mut last: Option<i64> = None;
        for (entry, priority) in entries.iter_mut().zip(given) {
            let next = match (priority, last) {
                (Some(priority), _) => *priority,
                (None, Some(last)) if table.largest_priority_wins => last.saturating_sub(delta),
                (None, Some(last)) => last.saturating_add(delta),
                (None, None) => {
                    let diagnostic = Diagnostic::error("bad-priority", "the first entry has no priority")
                        .primary(entry.span, "a later entry has a priority, so this one needs one too")
                        .note("write it as `priority = 10 : ...`");
                    self.report(diagnostic);
                    return;
                }
            };
            if priority.is_none() && self.priority_in_range(Some(next), 0, entry.span).is_none() {
                return;
            }
            entry.priority = next;
            last = Some(next);
        }
    }
}
