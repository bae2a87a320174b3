//! Statements. Each tells whether what follows it can be reached.

use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_frontend::Switch;
use weir_ir::exec::LOOP_LIMIT;
use weir_ir::{Bits, Block, Expr, Stmt, StmtKind, Type};

use super::{Emit, Loop};
use crate::analysis::Body;
use crate::compile::Broken;
use crate::runtime::{Registers, status};

impl Emit<'_, '_, '_> {
    pub(super) fn block(&mut self, block: &Block) -> bool {
        block.0.iter().all(|stmt| self.stmt(stmt))
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                if matches!(value.ty, Type::Varbit { .. }) {
                    let from = self.varbit(value);
                    self.write_varbit_place(place, from);
                } else {
                    let words = self.eval(value);
                    self.write_place(place, &words);
                }
            }
            StmtKind::SetValid(header) => self.at_header(header, |emit, header| emit.set_valid(header, true)),
            StmtKind::SetInvalid(header) => {
                self.at_header(header, |emit, header| emit.set_valid(header, false));
            }
            StmtKind::Copy { to, from } => self.copy(to, from),
            StmtKind::SetNextIndex(stack, value) => {
                let value = self.one(value);
                self.set(self.unit.program.stacks[*stack].next_index, &[value]);
            }
            StmtKind::PushFront(stack, count) => self.push_front(*stack, *count),
            StmtKind::PopFront(stack, count) => self.pop_front(*stack, *count),
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.truth(condition);
                return self.branch(condition, |emit| emit.block(then), |emit| emit.block(otherwise));
            }
            StmtKind::Switch { scrutinee, cases, default } => return self.switch(scrutinee, cases, default),
            StmtKind::Loop { condition, body, step } => return self.turns(condition, body, step),
            StmtKind::Break => {
                if let Some(around) = self.loops.last_mut() {
                    around.breaks = true;
                    let after = around.after;
                    self.b.ins().jump(after, &[]);
                }
                return false;
            }
            StmtKind::Continue => {
                if let Some(around) = self.loops.last_mut() {
                    around.continues = true;
                    let step = around.step;
                    self.b.ins().jump(step, &[]);
                }
                return false;
            }
            StmtKind::Return => {
                match self.inlined.last_mut() {
                    Some(inlined) => {
                        inlined.used = true;
                        let after = inlined.after;
                        self.b.ins().jump(after, &[]);
                    }
                    None => self.leave(status::DONE),
                }
                return false;
            }
            StmtKind::Exit => {
                self.leave(status::EXIT);
                return false;
            }
            StmtKind::Call(id) => return self.run(Body::Procedure(*id)),
            StmtKind::CallAction(id) => return self.run(Body::Action(*id)),
            StmtKind::Apply { table, hit, action_run } => return self.apply(*table, *hit, *action_run),
            StmtKind::Extract { to, varbit_bits } => self.extract(to, varbit_bits.as_ref()),
            StmtKind::Lookahead(place) => self.lookahead(place),
            StmtKind::Advance(bits) => self.advance(bits),
            StmtKind::Verify { condition, error } => self.verify(condition, error),
            StmtKind::Emit(header) => self.at_header(header, Self::emit_header),
            StmtKind::Extern(call) => self.call_extern(call),
        }
        true
    }

    fn switch(&mut self, scrutinee: &Expr, cases: &[(Vec<Bits>, Block)], default: &Block) -> bool {
        let words = self.eval(scrutinee);
        let after = self.b.create_block();
        let labels: Vec<_> = cases.iter().map(|_| self.b.create_block()).collect();
        let past = self.b.create_block();
        if let [word] = words.as_slice() {
            let mut switch = Switch::new();
            for ((values, _), label) in cases.iter().zip(&labels) {
                values.iter().for_each(|value| switch.set_entry(u128::from(value.low_u64()), *label));
            }
            switch.emit(&mut self.b, *word, past);
        } else {
            for ((values, _), label) in cases.iter().zip(&labels) {
                for value in values {
                    let value = self.constant(value);
                    let same = self.same(&words, &value);
                    let on = self.b.create_block();
                    self.b.ins().brif(same, *label, &[], on, &[]);
                    self.b.switch_to_block(on);
                    self.b.seal_block(on);
                }
            }
            self.b.ins().jump(past, &[]);
        }
        let mut alive = false;
        let blocks = cases.iter().map(|(_, block)| block).chain([default]);
        for (label, block) in labels.into_iter().chain([past]).zip(blocks) {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
            if self.block(block) {
                self.b.ins().jump(after, &[]);
                alive = true;
            }
        }
        self.go_on(after, alive)
    }

    fn turns(&mut self, condition: &Expr, body: &Block, step: &Block) -> bool {
        let [header, turn, next, after] = [(); 4].map(|()| self.b.create_block());
        self.b.ins().jump(header, &[]);
        self.b.switch_to_block(header);
        let condition = self.truth(condition);
        self.b.ins().brif(condition, turn, &[], after, &[]);
        self.b.switch_to_block(turn);
        self.b.seal_block(turn);
        if self.scouting() {
            self.give_up();
        }
        // All loops of one run of one block count together, whatever function they are in.
        let turns = self.load_context(Registers::TURNS);
        let one = self.k(1);
        let turns = self.b.ins().iadd(turns, one);
        self.store_context(Registers::TURNS, turns);
        let limit = u64::from(LOOP_LIMIT) + u64::from(self.broken(Broken::OneTurnMore));
        let past = self.compare_k(IntCC::UnsignedGreaterThan, turns, limit);
        self.leave_if(past, status::LOOP_LIMIT);
        self.loops.push(Loop { step: next, after, breaks: false, continues: false });
        let mut alive = self.block(body);
        if alive {
            self.b.ins().jump(next, &[]);
        }
        let around = self.loops.pop();
        alive |= around.is_some_and(|around| around.continues);
        if alive {
            self.b.switch_to_block(next);
            self.b.seal_block(next);
            if self.block(step) {
                self.b.ins().jump(header, &[]);
            }
        }
        self.b.seal_block(header);
        self.b.switch_to_block(after);
        self.b.seal_block(after);
        true
    }
}
