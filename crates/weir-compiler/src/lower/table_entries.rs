//! Entries that the program gives, default actions, and sets of values.

use weir_ir as ir;
use weir_syntax::{Diagnostic, Span};

use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, KeysetElement};

impl Lowerer<'_> {
    /// An action with constant data.
    pub(super) fn entry_call(
        &mut self,
        call: &hir::ActionCall,
        actions: &[ir::ActionRef],
    ) -> Lowered<ir::ActionCall> {
        let Some(item) = actions.get(call.action) else {
            return self.unsupported(call.span, "an action that is not in the table's list");
        };
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            // One with members is as many parameters as it has parts, in the same order.
            constant_parts(&self.constant_value(arg)?, &mut args);
        }
        Ok(ir::ActionCall { action: item.action, args })
    }

    /// A table's entries. Priorities are turned so that the larger wins.
    pub(super) fn entries(
        &mut self,
        table: &hir::Table,
        keys: &[ir::Key],
        actions: &[ir::ActionRef],
    ) -> Lowered<Vec<ir::Entry>> {
        let prioritised = keys.iter().any(|key| !matches!(key.match_kind.as_str(), "exact" | "lpm"));
        let highest = table.entries.iter().map(|entry| entry.priority).max().unwrap_or(0);
        let mut entries = Vec::with_capacity(table.entries.len());
        for entry in &table.entries {
            let keysets = entry
                .keyset
                .elements
                .iter()
                .map(|element| self.constant_keyset(element, entry.span))
                .collect::<Lowered<_>>()?;
            let call = self.entry_call(&entry.call, actions)?;
            let ranked = if table.largest_priority_wins {
                entry.priority
            } else {
                highest.saturating_sub(entry.priority) + 1
            };
            let priority = match (prioritised, u32::try_from(ranked)) {
                (false, _) => None,
                (true, Ok(priority)) => Some(priority),
                (true, Err(_)) => {
                    return self.refuse(
                        Diagnostic::error("entry-priority", "a priority is a number from 0 to 4294967295")
                            .primary(entry.span, ""),
                    );
                }
            };
            let loc = self.loc(entry.span);
            entries.push(ir::Entry {
                keysets,
                call,
                priority,
                is_const: entry.is_const || table.const_entries,
                loc,
            });
        }
        Ok(entries)
    }

    fn constant_keyset(&mut self, element: &KeysetElement, span: Span) -> Lowered<ir::Keyset> {
        Ok(match element {
            KeysetElement::Any => ir::Keyset::Any,
            KeysetElement::Value(value) => ir::Keyset::Value(self.constant_bits(value)?),
            KeysetElement::Mask { value, mask } => {
                let mask = self.constant_bits(mask)?;
                ir::Keyset::Mask(self.constant_bits(value)?.and(&mask), mask)
            }
            KeysetElement::Range { low, high } => {
                ir::Keyset::Range(self.constant_bits(low)?, self.constant_bits(high)?)
            }
            KeysetElement::ValueSet(_) => return self.unsupported(span, "a value set in a table's entry"),
        })
    }
}

/// The scalars of a constant as action data has them: a header's validity before its fields, no stack counters.
fn constant_parts(value: &Value, into: &mut Vec<ir::Bits>) {
    match value {
        Value::Scalar(expr) => into.extend(super::fold::as_const(expr).cloned()),
        Value::Header { valid, members, .. } => {
            into.extend(super::fold::as_const(valid).cloned());
            members.iter().for_each(|member| constant_parts(member, into));
        }
        Value::Group(members) | Value::Union(members) | Value::Array { elements: members, .. } => {
            members.iter().for_each(|member| constant_parts(member, into));
        }
        Value::Int(_) | Value::Text(_) | Value::Object(_) | Value::Nothing => {}
    }
}
