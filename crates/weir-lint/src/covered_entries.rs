//! Entries that can never match, because an entry that wins over them matches all their keys.

use num_traits::ToPrimitive;
use weir_syntax::{Diagnostic, Diagnostics};

use super::covered::{Rows, Values, values};
use crate::hir::{AnnotationValue, Entry, Expr, Program, Table};

/// Reports entries that are covered by another one.
pub(super) fn run(program: &Program, diagnostics: &mut Diagnostics) {
    for (_, table) in program.tables.iter() {
        check(program, table, diagnostics);
    }
}

/// Checks a table for entries that earlier entries cover.
fn check(program: &Program, table: &Table, diagnostics: &mut Diagnostics) {
    let kinds: Vec<&str> =
        table.keys.iter().map(|key| program.match_kinds[key.match_kind].0.name.text.as_str()).collect();
    // Entries with exact keys are all different: equal ones are an error.
    if table.entries.len() < 2 || kinds.iter().all(|&kind| kind == "exact") {
        return;
    }
    let match_kinds = ["exact", "lpm", "ternary", "range", "optional"];
    if !kinds.iter().all(|kind| match_kinds.contains(kind)) {
        return;
    }
    // With `@priority(n)`, an older form of entries, the smallest number wins.
    let annotated = |entry: &Entry| match entry.annotations.get("priority")?.values() {
        [AnnotationValue::Int(number)] => number.to_i64(),
        _ => None,
    };
    let is_annotated = table.entries.iter().any(|entry| entry.annotations.contains("priority"));
    // If all keys are exact or lpm, the longest prefix wins, so an entry is covered only by an
    // equal entry.
    let longest_wins = kinds.iter().all(|kind| matches!(*kind, "exact" | "lpm"));
    let mut order: Vec<(i64, &Entry)> = Vec::new();
    for (position, entry) in table.entries.iter().enumerate() {
        let rank = match annotated(entry) {
            Some(number) => number,
            None if is_annotated => position as i64 + 1,
            None if table.largest_priority_wins => entry.priority.saturating_neg(),
            None => entry.priority,
        };
        order.push((if longest_wins { 0 } else { rank }, entry));
    }
    // The sort is stable. The winner among equal priorities is undefined, so the first one is used.
    order.sort_by_key(|(rank, _)| *rank);
    let keys: Vec<&Expr> = table.keys.iter().map(|key| &key.expr).collect();
    let mut rows = Rows::new(program, &keys, longest_wins);
    for (_, entry) in order {
        if entry.keyset.elements.len() != keys.len() {
            continue;
        }
        let elements = keys.iter().zip(&entry.keyset.elements);
        let accepted: Vec<Values> = elements.map(|(key, element)| values(program, key, element)).collect();
        if let Some(first) = rows.add(&accepted, entry.keyset.span) {
            let message = format!("this entry of table `{}` can never match", table.name.text);
            let diagnostic = Diagnostic::warning("covered-entry", message)
                .primary(entry.keyset.span, "all packets that match it match another entry, which wins")
                .secondary(first, "the entry that wins");
            diagnostics.push(diagnostic);
        }
    }
}
