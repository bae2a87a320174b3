//! Lookups in tables, and the actions that they lead to.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Label, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Switch;
use weir_ir::{TableId, Type, VarId};

use super::words::word_count;
use super::{Emit, word_offset};
use crate::abi::status::{FAILED, HIT};
use crate::abi::{Registers, TableSite, row_words, status, value_form};
use crate::analysis::Body;
use crate::lookup_cache::{HASH_MULTIPLIER, HASH_ROTATION, HASH_SHIFT, Region};
use crate::runtime;

/// The maximum number of values that are compared one after the other.
const MAX_COMPARED: usize = 3;

/// The address of a row, in the cache or in the environment's memory (see
/// [`runtime::look_up_words`]). The row is read before any code that may call the environment: the
/// block that gets the address as a parameter, and the blocks of the actions, load from it first.
struct Row(Value);

impl Emit<'_, '_, '_> {
    /// Emits the application of a table; returns whether its end can be reached.
    pub(super) fn apply(&mut self, table: TableId, hit: Option<VarId>, action_run: Option<VarId>) -> bool {
        let program = self.unit.program;
        let declaration = &program.tables[table];
        let varbit = declaration.keys.iter().any(|key| matches!(key.expr.ty, Type::Varbit { .. }));
        let words: Vec<Value> = declaration
            .keys
            .iter()
            .flat_map(|key| match key.expr.ty {
                Type::Varbit { .. } => vec![self.varbit(&key.expr)],
                _ => self.eval(&key.expr),
            })
            .collect();
        if self.predicts_keys() {
            if varbit {
                self.predict_nothing();
            }
            self.report_key(table.index(), &words);
            return false;
        }
        if self.scope.is_some() && !varbit {
            return self.apply_by_words(table, &words, hit, action_run);
        }
        let site = self.output.sites.tables.len() as u64;
        let keys = declaration.keys.iter().map(|key| value_form(key.expr.ty)).collect();
        self.output.sites.tables.push(TableSite { table, keys });
        let (words, site) = (self.store_arguments(&words), self.iconst(site));
        let result = self.call_runtime_for_word(runtime::look_up as *const u8, &[self.context, site, words]);
        let failed = self.compare_const(IntCC::Equal, result, FAILED);
        self.leave_if(failed, status::PANIC);
        if let Some(hit) = hit {
            let up = self.iconst(u64::from(HIT.trailing_zeros()));
            let value = self.b.ins().ushr(result, up);
            self.set(hit, &[value]);
        }
        let low = self.iconst(HIT - 1);
        let position = self.b.ins().band(result, low);
        self.switch_on_index(
            position,
            declaration.actions.len(),
            |emit, i| {
                if let Some(action_run) = action_run {
                    emit.set_const(action_run, declaration.run_position(i) as u64);
                }
                let action = declaration.actions[i].action;
                // The lookup stored the action data in the state.
                let params = &program.actions[action].params;
                emit.reload_registers(Some(&mut params.iter().map(|param| &param.var)));
                emit.run_body(Body::Action(action))
            },
            |_| true,
        )
    }

    /// Applies a table with a lookup by words, first in the cache and then in the environment.
    fn apply_by_words(
        &mut self,
        table: TableId,
        key: &[Value],
        hit: Option<VarId>,
        action_run: Option<VarId>,
    ) -> bool {
        let program = self.unit.program;
        let declaration = &program.tables[table];
        let after_lookup = self.b.create_block();
        let [was_hit, row] = [(); 2].map(|()| self.b.append_block_param(after_lookup, I64));
        let row = Row(row);
        let region = self.output.regions.iter().position(|region| region.table == table);
        let selector = match region {
            Some(position) => self.look_in_cache(self.output.regions[position], key, after_lookup),
            None => self.iconst(0),
        };
        self.call_look_up_words((table, region), key, selector, after_lookup);
        self.b.switch_to_block(after_lookup);
        self.b.seal_block(after_lookup);
        if let Some(hit) = hit {
            self.set(hit, &[was_hit]);
        }
        let action = self.row_word(&row, 0);
        let labels: Vec<_> = declaration.actions.iter().map(|_| self.b.create_block()).collect();
        let (unlisted, after) = (self.b.create_block(), self.b.create_block());
        let mut cases: Vec<(u64, Label)> = Vec::with_capacity(labels.len());
        for (listed, label) in declaration.actions.iter().zip(&labels) {
            let number = listed.action.index() as u64;
            if cases.iter().all(|(known, _)| *known != number) {
                cases.push((number, *label));
            }
        }
        self.branch_on_value(action, &cases, unlisted);
        let mut alive = false;
        for (position, (listed, label)) in declaration.actions.iter().zip(labels).enumerate() {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
            if let Some(action_run) = action_run {
                self.set_const(action_run, declaration.run_position(position) as u64);
            }
            let mut next_word = 1;
            for param in &program.actions[listed.action].params {
                let words = word_count(program.vars[param.var].ty.width());
                let values: Vec<Value> =
                    (next_word..next_word + words).map(|word| self.row_word(&row, word)).collect();
                self.set(param.var, &values);
                next_word += words;
            }
            if self.run_body(Body::Action(listed.action)) {
                self.b.ins().jump(after, &[]);
                alive = true;
            }
        }
        self.b.switch_to_block(unlisted);
        self.b.seal_block(unlisted);
        self.b.set_cold_block(unlisted);
        let table = self.iconst(table.index() as u64);
        self.call_runtime(runtime::refuse_action as *const u8, &[self.context, table, action]);
        self.end_with(status::PANIC);
        self.continue_at(after, alive)
    }

    fn row_word(&mut self, row: &Row, word: usize) -> Value {
        self.b.ins().load(I64, MemFlagsData::trusted(), row.0, word_offset(word))
    }

    /// Goes to the label of a value, or to `other`.
    fn branch_on_value(&mut self, value: Value, cases: &[(u64, Label)], other: Label) {
        if cases.len() > MAX_COMPARED {
            let mut switch = Switch::new();
            cases.iter().for_each(|(number, label)| switch.set_entry(u128::from(*number), *label));
            return switch.emit(&mut self.b, value, other);
        }
        for (known, label) in cases {
            let same = self.compare_const(IntCC::Equal, value, *known);
            let on = self.b.create_block();
            self.b.ins().brif(same, *label, &[], on, &[]);
            self.b.switch_to_block(on);
            self.b.seal_block(on);
        }
        self.b.ins().jump(other, &[]);
    }

    /// Jumps to `found` with the result if the key is in the slot that the region's selector gives.
    /// Otherwise the code continues with the selector for storing the result, or 0.
    fn look_in_cache(&mut self, region: Region, key: &[Value], found: Label) -> Value {
        let [look, hash_key, compare, same, miss] = [(); 5].map(|()| self.b.create_block());
        let [slot, store_by] = [(); 2].map(|()| self.b.append_block_param(compare, I64));
        let result = self.b.append_block_param(miss, I64);
        let trusted = MemFlagsData::trusted();
        let cache = self.load_context(Registers::LOOKUP_CACHE);
        let selector = self.b.ins().load(I64, trusted, cache, region.selector_offset());
        let nothing = self.iconst(0);
        self.b.ins().brif(selector, look, &[], miss, &[nothing.into()]);
        self.b.switch_to_block(look);
        self.b.seal_block(look);
        let one = self.iconst(1);
        let by_hash = self.b.ins().band(selector, one);
        self.b.ins().brif(by_hash, hash_key, &[], compare, &[selector.into(), nothing.into()]);
        self.b.switch_to_block(hash_key);
        self.b.seal_block(hash_key);
        let multiplier = self.iconst(HASH_MULTIPLIER);
        let rotation = self.iconst(u64::from(HASH_ROTATION));
        let mut hash = self.b.ins().imul(key[0], multiplier);
        for word in &key[1..] {
            let rotated = self.b.ins().rotl(hash, rotation);
            let mixed = self.b.ins().bxor(rotated, *word);
            hash = self.b.ins().imul(mixed, multiplier);
        }
        let slot_bytes = self.iconst(region.slot_bytes());
        let number = self.shift_right(hash, HASH_SHIFT);
        let offset = self.b.ins().imul(number, slot_bytes);
        let of_key = self.b.ins().iadd(cache, offset);
        self.b.ins().jump(compare, &[of_key.into(), selector.into()]);
        self.b.switch_to_block(compare);
        self.b.seal_block(compare);
        let mut differs = None;
        for (i, word) in key.iter().enumerate() {
            let cached = self.b.ins().load(I64, trusted, slot, region.slots_offset() + word_offset(i));
            let differ = self.b.ins().bxor(cached, *word);
            differs = Some(differs.map_or(differ, |differs| self.b.ins().bor(differs, differ)));
        }
        let differs = differs.unwrap_or(cache);
        self.b.ins().brif(differs, miss, &[store_by.into()], same, &[]);
        self.b.switch_to_block(same);
        self.b.seal_block(same);
        let hit_offset = region.slots_offset() + word_offset(region.key_words);
        let hit = self.b.ins().load(I64, trusted, slot, hit_offset);
        for (count, more) in [(region.lookups_offset(), one), (region.hits_offset(), hit)] {
            let before = self.b.ins().load(I64, trusted, cache, count);
            let after = self.b.ins().iadd(before, more);
            self.b.ins().store(trusted, after, cache, count);
        }
        let row_offset = self.iconst(hit_offset as u64 + 8);
        let row = self.b.ins().iadd(slot, row_offset);
        self.b.ins().jump(found, &[hit.into(), row.into()]);
        self.b.switch_to_block(miss);
        self.b.seal_block(miss);
        result
    }

    /// Looks up the key of a table with this region in the environment, and jumps to `found` with
    /// the result.
    fn call_look_up_words(
        &mut self,
        (table, region): (TableId, Option<usize>),
        key: &[Value],
        selector: Value,
        found: Label,
    ) {
        let row_words = row_words(self.unit.program, table);
        self.reserve(key.len() + row_words);
        let words = self.store_arguments(key);
        let region = region.map_or(0, |position| position as u64 + 1);
        let table = self.iconst(table.index() as u64 | region << 32);
        let sizes = self.iconst(key.len() as u64 | (row_words as u64) << 32);
        let look_up = runtime::look_up_words as *const u8;
        let result = self.call_runtime_for_word(look_up, &[self.context, table, sizes, words, selector]);
        let failed = self.compare_const(IntCC::Equal, result, 0);
        self.leave_if(failed, status::PANIC);
        let one = self.iconst(1);
        let hit = self.b.ins().band(result, one);
        let row = self.b.ins().bxor(result, hit);
        self.b.ins().jump(found, &[hit.into(), row.into()]);
    }
}
