//! Transitions of parser states (P4_16 spec, section 12.6).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Label, InstBuilder, Value};
use cranelift_frontend::Switch;
use rustc_hash::FxHashSet;
use weir_ir::{Expr, Keyset, ParserState, SelectCase, Transition, Type};

use super::Emit;
use super::words::word_count;
use crate::abi::{ValueSetSite, status, value_form};
use crate::runtime;

/// The maximum number of values that are compared one after the other.
const MAX_COMPARED_CASES: usize = 4;

/// Returns the only values of the keys that a case matches, joined to one number of at most 64 bits
/// with the last key lowest; `None` if the case may match other values.
fn plain_value(keys: &[Expr], case: &SelectCase) -> Option<u64> {
    if case.keysets.len() != keys.len() || keys.iter().map(|key| key.ty.width()).sum::<u32>() > 64 {
        return None;
    }
    keys.iter().zip(&case.keysets).try_fold(0_u64, |before, (key, keyset)| match (key.ty, keyset) {
        (Type::Varbit { .. }, _) => None,
        (ty, Keyset::Value(value)) => Some(before.checked_shl(ty.width()).unwrap_or(0) | value.low_u64()),
        _ => None,
    })
}

impl Emit<'_, '_, '_> {
    /// Emits the transition at the end of a state.
    pub(super) fn transition(&mut self, state: &ParserState, labels: &[Label]) {
        let (keys, cases) = match &state.transition {
            Transition::Goto(target) => {
                let label = self.target(*target, labels);
                self.b.ins().jump(label, &[]);
                return;
            }
            Transition::Select { keys, cases, .. } => (keys, cases),
        };
        let values: Vec<Vec<Value>> = keys
            .iter()
            .map(|key| match key.ty {
                Type::Varbit { .. } => vec![self.varbit(key)],
                _ => self.eval(key),
            })
            .collect();
        let mut rest = cases.as_slice();
        let plain = cases.iter().take_while(|case| plain_value(keys, case).is_some()).count();
        if plain > if keys.len() == 1 { 0 } else { MAX_COMPARED_CASES } {
            let word = self.join_keys(keys, &values);
            rest = self.plain_cases(word, keys, cases, labels);
        }
        for case in rest {
            let label = self.target(case.target, labels);
            if !self.case(case, keys, &values, label) {
                return;
            }
        }
        self.end_with(self.error(self.unit.errors.no_match));
    }

    /// Joins the keys to one number with the last key lowest, like [`plain_value`].
    fn join_keys(&mut self, keys: &[Expr], values: &[Vec<Value>]) -> Value {
        let mut joined = None;
        for (key, words) in keys.iter().zip(values).filter(|(key, _)| key.ty.width() > 0) {
            let word = self.word(words[0]);
            joined = Some(match joined {
                None => word,
                Some(before) => {
                    let up = self.times(before, 1 << key.ty.width());
                    self.or(up, word)
                }
            });
        }
        joined.unwrap_or_else(|| self.iconst(0))
    }

    /// Emits the first cases, as far as they are single values, as comparisons or as a jump table.
    /// Returns the other cases.
    fn plain_cases<'c>(
        &mut self,
        word: Value,
        keys: &[Expr],
        cases: &'c [SelectCase],
        labels: &[Label],
    ) -> &'c [SelectCase] {
        let mut found: Vec<(u64, Label)> = Vec::new();
        let mut values = FxHashSet::default();
        let mut plain = 0;
        for case in cases {
            let Some(value) = plain_value(keys, case) else { break };
            let label = self.target(case.target, labels);
            // The first of two cases with the same value wins.
            if values.insert(value) {
                found.push((value, label));
            }
            plain += 1;
        }
        if found.len() <= MAX_COMPARED_CASES && self.as_const(word).is_none() {
            for (value, label) in found {
                let (same, on) = (self.compare_const(IntCC::Equal, word, value), self.b.create_block());
                self.b.ins().brif(same, label, &[], on, &[]);
                self.b.switch_to_block(on);
                self.b.seal_block(on);
            }
        } else if plain > 0 {
            let mut switch = Switch::new();
            found.into_iter().for_each(|(value, label)| switch.set_entry(u128::from(value), label));
            let on = self.b.create_block();
            switch.emit(&mut self.b, word, on);
            self.b.switch_to_block(on);
            self.b.seal_block(on);
        }
        &cases[plain..]
    }

    /// Goes to the label if all keysets match. Returns whether the next case is reachable.
    fn case(&mut self, case: &SelectCase, keys: &[Expr], values: &[Vec<Value>], label: Label) -> bool {
        let other = self.b.create_block();
        let mut matches: Option<Value> = None;
        let mut tests_value_set = false;
        for (i, keyset) in case.keysets.iter().enumerate() {
            let here = match keyset {
                Keyset::Any => continue,
                Keyset::Set(set) => {
                    // The environment is called only if the preceding keysets match.
                    if let Some(so_far) = matches.take() {
                        let on = self.b.create_block();
                        self.b.ins().brif(so_far, on, &[], other, &[]);
                        self.b.switch_to_block(on);
                        self.b.seal_block(on);
                        tests_value_set = true;
                    }
                    let covered = i..i + self.unit.program.value_sets[*set].fields.len();
                    self.in_value_set(*set, &keys[covered.clone()], &values[covered])
                }
                other => self.keyset_matches(other, &keys[i], &values[i]),
            };
            matches = Some(match matches {
                None => here,
                Some(before) => self.b.ins().band(before, here),
            });
        }
        let is_unconditional = matches.is_none() && !tests_value_set;
        match matches {
            Some(matches) => {
                self.b.ins().brif(matches, label, &[], other, &[]);
            }
            None => {
                self.b.ins().jump(label, &[]);
            }
        }
        self.continue_at(other, !is_unconditional)
    }

    /// Emits code that tells whether a keyset other than a value set matches.
    fn keyset_matches(&mut self, keyset: &Keyset, key: &Expr, words: &[Value]) -> Value {
        let width = key.ty.width();
        if let (Type::Varbit { .. }, Keyset::Value(value)) = (key.ty, keyset) {
            let mut constant = vec![0; 1 + word_count(width)];
            constant[0] = u64::from(value.width());
            value.write_words(&mut constant[1..]);
            let wanted = self.constant_address(constant);
            let max = self.iconst(u64::from(width));
            let same =
                self.call_runtime_for_word(runtime::same_varbit as *const u8, &[words[0], wanted, max]);
            return self.compare_const(IntCC::NotEqual, same, 0);
        }
        match keyset {
            Keyset::Value(value) => {
                let value = self.constant(value);
                self.same(words, &value)
            }
            Keyset::Mask(value, mask) => {
                let (value, mask) = (self.constant(&value.and(mask)), self.constant(mask));
                let masked: Vec<Value> =
                    words.iter().zip(mask).map(|(word, mask)| self.b.ins().band(*word, mask)).collect();
                self.same(&masked, &value)
            }
            Keyset::Range(low, high) => {
                let signed = key.ty.is_signed();
                let (low, high) = (self.constant(low), self.constant(high));
                let under = self.less_than(words, &low, width, signed);
                let over = self.less_than(&high, words, width, signed);
                let outside = self.b.ins().bor(under, over);
                self.not(outside)
            }
            Keyset::Any | Keyset::Set(_) => self.bool_const(true),
        }
    }

    fn in_value_set(&mut self, set: weir_ir::ValueSetId, keys: &[Expr], values: &[Vec<Value>]) -> Value {
        let site = self.output.sites.value_sets.len() as u64;
        let keys = keys.iter().map(|key| value_form(key.ty)).collect();
        self.output.sites.value_sets.push(ValueSetSite { set, keys });
        let words: Vec<Value> = values.iter().flatten().copied().collect();
        let (words, site) = (self.store_arguments(&words), self.iconst(site));
        let answer =
            self.call_runtime_for_word(runtime::in_value_set as *const u8, &[self.context, site, words]);
        let failed = self.compare_const(IntCC::Equal, answer, status::FAILED);
        self.leave_if(failed, status::PANIC);
        self.compare_const(IntCC::NotEqual, answer, 0)
    }
}
