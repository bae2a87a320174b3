//! Actions, procedures, tables and externs.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Label, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Switch;
use cranelift_module::Module;
use weir_exec::{CallFrame, ExternSemantics};
use weir_ir::{ArgValue, Direction, ExternCall, Leaf, TableId, Type, VarId, VarRole};

use super::parse::handed;
use super::places::NOWHERE;
use super::wide::count;
use super::{Emit, Inlined, word_offset};
use crate::analysis::{Body, block_of};
use crate::recall::{self, Part};
use crate::runtime::{self, ExternSite, FAILED, HIT, Registers, TableSite, status};

/// Numbers that are compared with one after the other. More are looked up.
const MOST_COMPARED: usize = 3;

impl Emit<'_, '_, '_> {
    /// Runs an action or a procedure, copied to here or as a function. Whether it comes back.
    pub(super) fn run(&mut self, body: Body) -> bool {
        if !self.analysis.inline(body) {
            self.call(body);
            return true;
        }
        let after = self.b.create_block();
        self.inlined.push(Inlined { after, used: false });
        let program = self.unit.program;
        let mut alive = self.block(block_of(program, body));
        if alive {
            self.b.ins().jump(after, &[]);
        }
        alive |= self.inlined.pop().is_some_and(|inlined| inlined.used);
        self.go_on(after, alive)
    }

    fn call(&mut self, body: Body) {
        let facts = self.analysis.body(body);
        if self.scouting() {
            return self.give_up();
        }
        if self.fusion.is_some() {
            match facts.externs {
                0 => self.spill(Some(&mut self.with_validity(&facts).iter())),
                _ => self.spill(None),
            }
            for header in &facts.remade {
                let nowhere = self.k(NOWHERE);
                self.set_place(*header, nowhere);
            }
        }
        let function = self.shared.function(self.module, body);
        let function = self.module.declare_func_in_func(function, self.b.func);
        if facts.parses {
            self.keep_position();
        }
        let call = self.b.ins().call(function, &[self.context]);
        let status = self.b.inst_results(call)[0];
        if facts.parses {
            self.take_position();
        }
        self.leave_unless_done(status);
        if facts.externs > 0 {
            self.load_words();
            self.reload(None);
        } else {
            self.reload(Some(&mut facts.changed.iter()));
        }
    }

    pub(super) fn apply(&mut self, table: TableId, hit: Option<VarId>, action_run: Option<VarId>) -> bool {
        let program = self.unit.program;
        let of = &program.tables[table];
        let varbit = of.keys.iter().any(|key| matches!(key.expr.ty, Type::Varbit { .. }));
        let words: Vec<Value> = of
            .keys
            .iter()
            .flat_map(|key| match key.expr.ty {
                Type::Varbit { .. } => vec![self.varbit(&key.expr)],
                _ => self.eval(&key.expr),
            })
            .collect();
        if self.scouting() {
            if varbit {
                self.give_up();
            }
            self.report_key(table.index(), &words);
            return false;
        }
        if self.fusion.is_some() && !varbit {
            return self.apply_by_words(table, &words, hit, action_run);
        }
        let site = self.shared.sites.tables.len() as u64;
        let keys = of.keys.iter().map(|key| handed(key.expr.ty)).collect();
        self.shared.sites.tables.push(TableSite { table, keys });
        let (words, site) = (self.hand_over(&words), self.k(site));
        let found = self.ask_host(runtime::look_up as *const u8, &[self.context, site, words]);
        let failed = self.compare_k(IntCC::Equal, found, FAILED);
        self.leave_if(failed, status::PANIC);
        if let Some(hit) = hit {
            let up = self.k(u64::from(HIT.trailing_zeros()));
            let value = self.b.ins().ushr(found, up);
            self.set(hit, &[value]);
        }
        let low = self.k(HIT - 1);
        let position = self.b.ins().band(found, low);
        if let Some(action_run) = action_run {
            self.set(action_run, &[position]);
        }
        self.choose(
            position,
            of.actions.len(),
            |emit, i| {
                let action = of.actions[i].action;
                // The look-up left the action data in memory.
                let params = &program.actions[action].params;
                emit.reload(Some(&mut params.iter().map(|param| &param.var)));
                emit.run(Body::Action(action))
            },
            |_| true,
        )
    }

    /// The look-up tells where the words of what the entry does lie.
    fn apply_by_words(
        &mut self,
        table: TableId,
        words: &[Value],
        hit: Option<VarId>,
        action_run: Option<VarId>,
    ) -> bool {
        let program = self.unit.program;
        let of = &program.tables[table];
        let found = self.b.create_block();
        let [was_hit, row] = [(); 2].map(|()| self.b.append_block_param(found, I64));
        let part = self.shared.recall.iter().copied().find(|part| part.table == table);
        let keep = match part {
            Some(part) => self.recall(part, words, found),
            None => self.k(0),
        };
        self.ask_by_words(table, words, keep, found);
        self.b.switch_to_block(found);
        self.b.seal_block(found);
        if let Some(hit) = hit {
            self.set(hit, &[was_hit]);
        }
        let action = self.b.ins().load(I64, MemFlagsData::trusted(), row, 0);
        let labels: Vec<_> = of.actions.iter().map(|_| self.b.create_block()).collect();
        let (past, after) = (self.b.create_block(), self.b.create_block());
        let mut ways: Vec<(u64, Label)> = Vec::with_capacity(labels.len());
        for (listed, label) in of.actions.iter().zip(&labels) {
            let number = listed.action.index() as u64;
            if ways.iter().all(|(known, _)| *known != number) {
                ways.push((number, *label));
            }
        }
        self.go_by(action, &ways, past);
        let mut alive = false;
        for (position, (listed, label)) in of.actions.iter().zip(labels).enumerate() {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
            if let Some(action_run) = action_run {
                self.set_k(action_run, position as u64);
            }
            let mut at = 0;
            for param in &program.actions[listed.action].params {
                let words = count(program.vars[param.var].ty.width());
                let values: Vec<Value> = (at..at + words)
                    .map(|word| self.b.ins().load(I64, MemFlagsData::trusted(), row, word_offset(1 + word)))
                    .collect();
                self.set(param.var, &values);
                at += words;
            }
            if self.run(Body::Action(listed.action)) {
                self.b.ins().jump(after, &[]);
                alive = true;
            }
        }
        self.b.switch_to_block(past);
        self.b.seal_block(past);
        self.b.set_cold_block(past);
        let table = self.k(table.index() as u64);
        self.call_host(runtime::refuse_action as *const u8, &[self.context, table, action], false);
        self.leave(status::PANIC);
        self.go_on(after, alive)
    }

    /// Goes to the label of a number, or `past` those that are there.
    fn go_by(&mut self, number: Value, ways: &[(u64, Label)], past: Label) {
        if ways.len() > MOST_COMPARED {
            let mut switch = Switch::new();
            ways.iter().for_each(|(number, label)| switch.set_entry(u128::from(*number), *label));
            return switch.emit(&mut self.b, number, past);
        }
        for (known, label) in ways {
            let same = self.compare_k(IntCC::Equal, number, *known);
            let on = self.b.create_block();
            self.b.ins().brif(same, *label, &[], on, &[]);
            self.b.switch_to_block(on);
            self.b.seal_block(on);
        }
        self.b.ins().jump(past, &[]);
    }

    /// Goes to `found` if the key is the one that was looked up ahead, or one of those that are kept. Tells how its answer is to be kept if it is neither:
    /// see [`runtime::look_up_words`].
    fn recall(&mut self, part: Part, key: &[Value], found: Label) -> Value {
        let [look, hashed, compare, same, ask] = [(); 5].map(|()| self.b.create_block());
        let [place, keep] = [(); 2].map(|()| self.b.append_block_param(compare, I64));
        let kept = self.b.append_block_param(ask, I64);
        let trusted = MemFlagsData::trusted();
        let base = self.load_context(Registers::RECALL);
        let whither = self.b.ins().load(I64, trusted, base, part.whither());
        let nowhere = self.k(0);
        self.b.ins().brif(whither, look, &[], ask, &[nowhere.into()]);
        self.b.switch_to_block(look);
        self.b.seal_block(look);
        let one = self.k(1);
        let in_use = self.b.ins().band(whither, one);
        self.b.ins().brif(in_use, hashed, &[], compare, &[whither.into(), nowhere.into()]);
        self.b.switch_to_block(hashed);
        self.b.seal_block(hashed);
        let spread = self.k(recall::SPREAD);
        let turn = self.k(u64::from(recall::TURN));
        let mut hash = self.b.ins().imul(key[0], spread);
        for word in &key[1..] {
            let turned = self.b.ins().rotl(hash, turn);
            let joined = self.b.ins().bxor(turned, *word);
            hash = self.b.ins().imul(joined, spread);
        }
        let step = self.k(part.step());
        let number = self.down(hash, recall::DOWN);
        let offset = self.b.ins().imul(number, step);
        let of_key = self.b.ins().iadd(base, offset);
        self.b.ins().jump(compare, &[of_key.into(), whither.into()]);
        self.b.switch_to_block(compare);
        self.b.seal_block(compare);
        let mut differs = None;
        for (i, word) in key.iter().enumerate() {
            let known = self.b.ins().load(I64, trusted, place, part.first() + word_offset(i));
            let differ = self.b.ins().bxor(known, *word);
            differs = Some(differs.map_or(differ, |differs| self.b.ins().bor(differs, differ)));
        }
        let differs = differs.unwrap_or(base);
        self.b.ins().brif(differs, ask, &[keep.into()], same, &[]);
        self.b.switch_to_block(same);
        self.b.seal_block(same);
        let behind = part.first() + word_offset(part.key_words);
        let hit = self.b.ins().load(I64, trusted, place, behind);
        for (count, more) in [(part.asked(), one), (part.hits(), hit)] {
            let before = self.b.ins().load(I64, trusted, base, count);
            let after = self.b.ins().iadd(before, more);
            self.b.ins().store(trusted, after, base, count);
        }
        let behind = self.k(behind as u64 + 8);
        let row = self.b.ins().iadd(place, behind);
        self.b.ins().jump(found, &[hit.into(), row.into()]);
        self.b.switch_to_block(ask);
        self.b.seal_block(ask);
        kept
    }

    /// Asks the environment and goes to `found`.
    fn ask_by_words(&mut self, table: TableId, key: &[Value], keep: Value, found: Label) {
        let row_words = recall::row_words(self.unit.program, table);
        self.reserve(key.len() + row_words);
        let words = self.hand_over(key);
        let (table, sizes) =
            (self.k(table.index() as u64), self.k(key.len() as u64 | (row_words as u64) << 32));
        let answer =
            self.ask_host(runtime::look_up_words as *const u8, &[self.context, table, sizes, words, keep]);
        let failed = self.compare_k(IntCC::Equal, answer, 0);
        self.leave_if(failed, status::PANIC);
        let one = self.k(1);
        let hit = self.b.ins().band(answer, one);
        let row = self.b.ins().bxor(answer, hit);
        self.b.ins().jump(found, &[hit.into(), row.into()]);
    }

    pub(super) fn call_extern(&mut self, call: &ExternCall) {
        let meaning = self.unit.pipeline.map_or(&ExternSemantics::Call, |pipeline| pipeline.semantics(call));
        match meaning {
            ExternSemantics::Set(values) => {
                for (var, value) in values {
                    let value = self.k(*value);
                    self.set_cut(*var, value);
                }
            }
            // The scout takes sums for right, and does nothing that could be seen.
            _ if self.scouting() => {}
            ExternSemantics::VerifyChecksum { condition, data, given, error } => {
                self.verify_checksum(call, (*condition, *data, *given), *error);
            }
            ExternSemantics::UpdateChecksum { condition, data, field } => {
                self.update_checksum(call, (*condition, *data, *field));
            }
            ExternSemantics::Words(number) => self.call_by_words(call, *number),
            ExternSemantics::Call => self.call_by_value(call),
        }
    }

    fn call_by_words(&mut self, call: &ExternCall, number: u32) {
        let program = self.unit.program;
        let Some(frame) = CallFrame::of(program, call) else { return self.call_by_value(call) };
        let mut words = Vec::with_capacity(frame.words);
        for arg in &call.args {
            match &arg.value {
                ArgValue::Leaves(leaves) => {
                    for leaf in leaves {
                        match leaf {
                            Leaf::Value(value) => words.extend(self.eval(value)),
                            Leaf::Header(header) => {
                                words.push(self.is_valid(*header));
                                for field in &program.headers[*header].fields {
                                    words.extend(self.read(*field));
                                }
                            }
                        }
                    }
                }
                ArgValue::Vars { vars, .. } => vars.iter().for_each(|var| words.extend(self.read(*var))),
                ArgValue::Text(_) | ArgValue::Extern(_) => {}
            }
        }
        let zero = self.k(0);
        words.resize(frame.words, zero);
        let address = self.hand_over(&words);
        let (number, length) = (self.k(u64::from(number)), self.k(frame.words as u64));
        let status =
            self.ask_host(runtime::call_words as *const u8, &[self.context, number, address, length]);
        self.leave_unless_done(status);
        // All are read before one is written: writing may use the same memory.
        let outs = call.args.iter().zip(&frame.args).filter_map(|(arg, parts)| match &arg.value {
            ArgValue::Vars { vars, .. } if arg.direction != Direction::In => Some(vars.iter().zip(parts)),
            _ => None,
        });
        let outs: Vec<_> = outs.flatten().chain(call.result.iter().zip(&frame.result)).collect();
        let mut values = Vec::with_capacity(outs.len());
        for (var, part) in outs {
            let words: Vec<Value> = part
                .words()
                .map(|word| self.b.ins().load(I64, MemFlagsData::trusted(), address, word_offset(word)))
                .collect();
            values.push((*var, words));
        }
        for (var, words) in values {
            self.write(var, &words);
        }
    }

    fn call_by_value(&mut self, call: &ExternCall) {
        let mut words = Vec::new();
        let mut values = Vec::new();
        for arg in &call.args {
            let ArgValue::Leaves(leaves) = &arg.value else { continue };
            for leaf in leaves {
                let Leaf::Value(value) = leaf else { continue };
                values.push(handed(value.ty));
                match value.ty {
                    Type::Varbit { .. } => words.push(self.varbit(value)),
                    _ => words.extend(self.eval(value)),
                }
            }
        }
        let site = self.shared.sites.externs.len() as u64;
        self.shared.sites.externs.push(ExternSite { call: call.clone(), values });
        let (words, site) = (self.hand_over(&words), self.k(site));
        if self.fusion.is_some() {
            self.spill(None);
        }
        let status = self.ask_host(runtime::call_extern as *const u8, &[self.context, site, words]);
        self.leave_unless_done(status);
        self.load_words();
        self.reload(None);
        // Headers that it made or changed as a whole.
        let given =
            call.args.iter().filter(|arg| arg.direction != Direction::In).filter_map(|arg| {
                match &arg.value {
                    ArgValue::Vars { vars, .. } => Some(vars),
                    _ => None,
                }
            });
        for var in given.flatten().chain(&call.result) {
            if let VarRole::Validity(header) = self.unit.program.vars[*var].role {
                let nowhere = self.k(NOWHERE);
                self.set_place(header, nowhere);
            }
        }
    }
}
