//! Table entries in the program, default actions and keysets.

use num_traits::ToPrimitive;
use weir_ir as ir;
use weir_syntax::{Diagnostic, Span};

use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, KeysetElement};

/// The maximum number of ranges that are split in one entry.
const MAX_SPLIT_RANGES: usize = 6;

impl Lowerer<'_> {
    /// Lowers a call of an action with constant action data.
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
            // An argument with members becomes several parameters, one for each scalar, in the same
            // order.
            constant_parts(&self.constant_value(arg)?, &mut args);
        }
        Ok(ir::ActionCall { action: item.action, args })
    }

    /// Lowers the entries of a table. Priorities are converted so that the largest wins.
    pub(super) fn entries(
        &mut self,
        table: &hir::Table,
        keys: &[ir::Key],
        actions: &[ir::ActionRef],
    ) -> Lowered<Vec<ir::Entry>> {
        let prefixes = keys.iter().filter(|key| key.match_kind == "lpm").count();
        let prioritised =
            prefixes > 1 || keys.iter().any(|key| !matches!(key.match_kind.as_str(), "exact" | "lpm"));
        let priorities = self.priorities(table)?;
        let mut entries = Vec::with_capacity(table.entries.len());
        for (entry, ranked) in table.entries.iter().zip(priorities) {
            let keysets = entry
                .keyset
                .elements
                .iter()
                .zip(keys)
                .map(|(element, key)| {
                    let keyset = self.constant_keyset(element, &key.match_kind, entry.span)?;
                    Ok(without_sign(keyset, key.expr.ty))
                })
                .collect::<Lowered<Vec<Vec<ir::Keyset>>>>()?;
            if keysets.iter().filter(|parts| parts.len() > 1).count() > MAX_SPLIT_RANGES {
                let feature =
                    format!("an entry with more than {MAX_SPLIT_RANGES} ranges from below 0 to above");
                return self.unsupported(entry.span, &feature);
            }
            let call = self.entry_call(&entry.call, actions)?;
            let copies = keysets.iter().map(Vec::len).product::<usize>();
            self.count_code(copies * (1 + keysets.len() + call.args.len()), entry.span)?;
            let priority = match (prioritised, u32::try_from(ranked)) {
                (false, _) => None,
                (true, Ok(priority)) => Some(priority),
                (true, Err(_)) => {
                    return self.refuse(
                        Diagnostic::error("entry-priority", "a priority must be between 0 and 4294967295")
                            .primary(entry.span, ""),
                    );
                }
            };
            let loc = self.loc(entry.span);
            let is_const = entry.is_const || table.const_entries;
            entries.extend(combinations(&keysets).into_iter().map(|keysets| ir::Entry {
                keysets,
                call: call.clone(),
                priority,
                is_const,
                loc,
            }));
        }
        Ok(entries)
    }

    /// Computes the priorities of the entries; the largest wins.
    ///
    /// `@priority(n)` on an entry is an older form of `priority = n`. With it, entries are numbered
    /// from 1 in source order, the annotation replaces the number of its entry, and the smallest
    /// number wins.
    fn priorities(&mut self, table: &hir::Table) -> Lowered<Vec<i64>> {
        let annotated = table.entries.iter().any(|entry| entry.annotations.contains("priority"));
        if !annotated && table.largest_priority_wins {
            return Ok(table.entries.iter().map(|entry| entry.priority).collect());
        }
        let mut numbers: Vec<i64> = table.entries.iter().map(|entry| entry.priority).collect();
        if annotated {
            if !numbered_by_position(&numbers, table.largest_priority_wins) {
                return self.refuse(
                    Diagnostic::error("entry-priority", "`@priority` and `priority =` cannot be used in the same table")
                        .primary(table.name.span, "in the entries of this table")
                        .note("use `priority = n :` for all entries; the largest wins unless `largest_priority_wins` is false"),
                );
            }
            for (position, entry) in table.entries.iter().enumerate() {
                numbers[position] = match entry.annotations.get("priority") {
                    Some(annotation) => self.annotated_priority(annotation)?,
                    None => position as i64 + 1,
                };
            }
        }
        let highest = numbers.iter().copied().max().unwrap_or(0);
        Ok(numbers.into_iter().map(|number| highest.saturating_sub(number) + 1).collect())
    }

    fn annotated_priority(&mut self, annotation: &hir::Annotation) -> Lowered<i64> {
        if let [hir::AnnotationValue::Int(value)] = annotation.values()
            && let Some(value) = value.to_u32()
        {
            return Ok(i64::from(value));
        }
        self.refuse(
            Diagnostic::error("entry-priority", "a priority must be between 0 and 4294967295")
                .primary(annotation.span, "")
                .note("write `@priority(1)`"),
        )
    }

    fn constant_keyset(
        &mut self,
        element: &KeysetElement,
        match_kind: &str,
        span: Span,
    ) -> Lowered<ir::Keyset> {
        Ok(match element {
            KeysetElement::Any => ir::Keyset::Any,
            KeysetElement::Value(value) => ir::Keyset::Value(self.constant_bits(value)?),
            KeysetElement::Mask { value, mask } if match_kind == "range" => {
                let (value, mask) = (self.constant_bits(value)?, self.constant_bits(mask)?);
                match masked_range(&value, &mask) {
                    Some(range) => range,
                    None => return self.unsupported(span, "a mask of a range key that is not a prefix"),
                }
            }
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

/// Splits a keyset into keysets that compare plain bits. The bits of a negative number, read
/// without a sign, are larger than those of the other numbers. So a range of signed values that
/// begins below 0 and ends above it becomes two ranges.
fn without_sign(keyset: ir::Keyset, key: ir::Type) -> Vec<ir::Keyset> {
    match keyset {
        ir::Keyset::Range(low, high) if key.is_signed() && low.sign_bit() && !high.sign_bit() => {
            let (ones, zero) = (ir::Bits::ones(low.width()), ir::Bits::new(high.width(), 0));
            vec![ir::Keyset::Range(low, ones), ir::Keyset::Range(zero, high)]
        }
        whole => vec![whole],
    }
}

/// Returns all combinations of one part for each key.
fn combinations(keysets: &[Vec<ir::Keyset>]) -> Vec<Vec<ir::Keyset>> {
    keysets.iter().fold(vec![Vec::new()], |chosen, parts| {
        let longer = |chosen: Vec<ir::Keyset>| {
            parts.iter().map(move |part| chosen.iter().chain([part]).cloned().collect())
        };
        chosen.into_iter().flat_map(longer).collect()
    })
}

/// Returns the values that a mask matches, as a range; `None` unless the mask is ones followed by
/// zeros.
fn masked_range(value: &ir::Bits, mask: &ir::Bits) -> Option<ir::Keyset> {
    let free = mask.not();
    let low = value.and(mask);
    let prefix = free.and(&free.add(&ir::Bits::new(free.width(), 1))).is_zero();
    prefix
        .then(|| if mask.is_zero() { ir::Keyset::Any } else { ir::Keyset::Range(low.clone(), low.or(&free)) })
}

/// Returns whether the priorities are the implicit ones: the smallest is 1, and all steps are
/// equal.
fn numbered_by_position(priorities: &[i64], largest_wins: bool) -> bool {
    let mut upwards = priorities.to_vec();
    if largest_wins {
        upwards.reverse();
    }
    let step = upwards.get(1).map_or(1, |second| second - 1);
    step > 0 && upwards.iter().zip(0..).all(|(&priority, rank)| priority == 1 + step * rank)
}

/// Collects the scalars of a constant in the order of action data: the validity of a header comes
/// before its fields, and stack counters are left out.
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
