//! Statements. The functions for statements return whether the end is reachable.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block as Label, InstBuilder, Value};
use cranelift_frontend::{Switch, Variable};
use weir_exec::LOOP_LIMIT;
use weir_ir::{
    BinaryOp, Bits, Block, Expr, ExprKind, HeaderId, HeaderRef, Place, Stmt, StmtKind, Type, UnaryOp, VarId,
    VarRole,
};

use super::{Emit, Loop};
use crate::abi::{Registers, status};
use crate::analysis::Body;
use crate::options::InjectedBug;

/// A bit that is known within a branch.
struct AssumedBit {
    register: Variable,
    before: Value,
    value: Value,
}

/// Collects the bits that are known if a condition is true, or if it is false.
fn implied_bits(condition: &Expr, truth: bool, bits: &mut Vec<(VarId, bool)>) {
    match &condition.kind {
        ExprKind::Var(var) if condition.ty.width() == 1 => bits.push((*var, truth)),
        ExprKind::Unary(UnaryOp::Not, operand) => implied_bits(operand, !truth, bits),
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
            if (*op == BinaryOp::And) == truth =>
        {
            implied_bits(left, truth, bits);
            implied_bits(right, truth, bits);
        }
        _ => {}
    }
}

/// Returns the headers that the statements at the beginning emit.
fn emitted_first(stmts: &[Stmt]) -> Vec<HeaderId> {
    let header = |stmt: &Stmt| match stmt.kind {
        StmtKind::Emit(HeaderRef::Header(header)) => Some(header),
        _ => None,
    };
    stmts.iter().map_while(header).collect()
}

impl Emit<'_, '_, '_> {
    /// Emits a block; returns whether its end can be reached.
    pub(super) fn block(&mut self, block: &Block) -> bool {
        let last = std::mem::replace(&mut self.last, false);
        let mut rest = block.0.as_slice();
        let mut alive = true;
        while let ([stmt, others @ ..], true) = (rest, alive) {
            let emitted = emitted_first(rest);
            if emitted.len() >= self.unit.options.min_run {
                self.emit_in_order(&emitted);
                rest = &rest[emitted.len()..];
                continue;
            }
            self.last = last && others.is_empty();
            alive = self.stmt(stmt);
            rest = others;
        }
        self.last = last;
        alive && !(last && self.leaves_for_certain())
    }

    /// Emits a statement; returns whether its end can be reached.
    pub(super) fn stmt(&mut self, stmt: &Stmt) -> bool {
        let plain = |var: &VarId| self.unit.program.vars[*var].role == VarRole::Plain;
        match &stmt.kind {
            StmtKind::Extract { .. }
            | StmtKind::Lookahead(_)
            | StmtKind::Advance(_)
            | StmtKind::Verify { .. } => {}
            StmtKind::Assign(Place::Var(var), _) if plain(var) => {}
            // The statement may change the element that was extracted.
            _ => self.extracted = None,
        }
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
            StmtKind::SetValid(header) => {
                self.apply_to_header(header, |emit, header| emit.set_valid(header, true));
            }
            StmtKind::SetInvalid(header) => {
                self.apply_to_header(header, |emit, header| emit.set_valid(header, false));
            }
            StmtKind::InvalidateOthers(header) => self.invalidate_others(*header),
            StmtKind::Copy { to, from } => self.copy(to, from),
            StmtKind::SetNextIndex(stack, value) => {
                let value = self.eval_word(value);
                self.set(self.unit.program.stacks[*stack].next_index, &[value]);
            }
            StmtKind::PushFront(stack, count) => self.push_front(*stack, *count),
            StmtKind::PopFront(stack, count) => self.pop_front(*stack, *count),
            StmtKind::If { condition, then, otherwise } => {
                return self.if_else(condition, then, otherwise);
            }
            StmtKind::Switch { scrutinee, cases, default } => return self.switch(scrutinee, cases, default),
            StmtKind::Loop { condition, body, step } => return self.loop_stmt(condition, body, step),
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
                    None => self.end_with(status::DONE),
                }
                return false;
            }
            StmtKind::Exit => {
                self.end_with(status::EXIT);
                return false;
            }
            StmtKind::Call(id) => return self.run_body(Body::Procedure(*id)),
            StmtKind::CallAction(id) => return self.run_body(Body::Action(*id)),
            StmtKind::Apply { table, hit, action_run } => return self.apply(*table, *hit, *action_run),
            StmtKind::Extract { to, varbit_bits } => self.extract(to, varbit_bits.as_ref()),
            StmtKind::Lookahead(place) => self.lookahead(place),
            StmtKind::Advance(bits) => self.advance(bits),
            StmtKind::Verify { condition, error } => self.verify(condition, error),
            StmtKind::Emit(header) => self.apply_to_header(header, Self::emit_header),
            StmtKind::Extern(call) => self.call_extern(call),
        }
        true
    }

    /// Emits an `if` statement with its branches.
    fn if_else(&mut self, condition: &Expr, then: &Block, otherwise: &Block) -> bool {
        let (yes, no, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let reached = self.branch_on(condition, yes, no);
        let mut alive = false;
        for (label, reached, truth, block) in
            [(yes, reached.0, true, then), (no, reached.1, false, otherwise)]
        {
            if !reached {
                continue;
            }
            self.b.switch_to_block(label);
            self.b.seal_block(label);
            let mut implied = Vec::new();
            implied_bits(condition, truth, &mut implied);
            let assumed: Vec<_> =
                implied.into_iter().filter_map(|(var, value)| self.assume(var, value)).collect();
            if self.block(block) {
                assumed.into_iter().rev().for_each(|assumed| self.forget(assumed));
                self.b.ins().jump(after, &[]);
                alive = true;
            }
        }
        self.continue_at(after, alive)
    }

    /// Branches on a condition, and evaluates left operands first, as in C. Returns which of the
    /// targets are reachable.
    fn branch_on(&mut self, condition: &Expr, yes: Label, no: Label) -> (bool, bool) {
        let (left, right, both) = match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let (no, yes) = self.branch_on(operand, no, yes);
                return (yes, no);
            }
            ExprKind::Binary(BinaryOp::And, left, right) => (left, right, true),
            ExprKind::Binary(BinaryOp::Or, left, right) => (left, right, false),
            _ => {
                let truth = self.eval_bool(condition);
                match self.as_const(truth) {
                    Some(truth) => self.b.ins().jump(if truth == 0 { no } else { yes }, &[]),
                    None => self.b.ins().brif(truth, yes, &[], no, &[]),
                };
                let truth = self.as_const(truth);
                return (truth != Some(0), truth.is_none_or(|truth| truth == 0));
            }
        };
        let more = self.b.create_block();
        let (first_yes, first_no) =
            if both { self.branch_on(left, more, no) } else { self.branch_on(left, yes, more) };
        if !(if both { first_yes } else { first_no }) {
            return (first_yes, first_no);
        }
        self.b.switch_to_block(more);
        self.b.seal_block(more);
        let (second_yes, second_no) = self.branch_on(right, yes, no);
        if both { (second_yes, first_no || second_no) } else { (first_yes || second_yes, second_no) }
    }

    /// Sets a bit to its value within the current branch, so that it is a constant in the branch.
    fn assume(&mut self, var: VarId, value: bool) -> Option<AssumedBit> {
        let [Some(register), None] = *self.registers.get(&var)? else { return None };
        let before = self.b.use_var(register);
        if self.as_const(before).is_some() {
            return None;
        }
        let value = self.iconst(u64::from(value));
        self.b.def_var(register, value);
        Some(AssumedBit { register, before, value })
    }

    /// Restores the bit at the end of the branch, unless it was written, so that both branches have
    /// the same value.
    fn forget(&mut self, assumed: AssumedBit) {
        if self.b.use_var(assumed.register) == assumed.value {
            self.b.def_var(assumed.register, assumed.before);
        }
    }

    /// Emits a `switch` statement; returns whether its end can be reached.
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
        self.continue_at(after, alive)
    }

    fn loop_stmt(&mut self, condition: &Expr, body: &Block, step: &Block) -> bool {
        self.last = false;
        let [header, turn, next, after] = [(); 4].map(|()| self.b.create_block());
        self.b.ins().jump(header, &[]);
        self.b.switch_to_block(header);
        let condition = self.eval_bool(condition);
        self.b.ins().brif(condition, turn, &[], after, &[]);
        self.b.switch_to_block(turn);
        self.b.seal_block(turn);
        if self.predicts_keys() {
            self.predict_nothing();
        }
        // The iterations of all loops in one run of a block are counted together, even in different
        // functions.
        let turns = self.load_context(Registers::ITERATIONS);
        let turn = self.iconst(self.unit.work.iteration_weight(self.unit.program, body, step).into());
        let turns = self.b.ins().iadd(turns, turn);
        self.store_context(Registers::ITERATIONS, turns);
        let limit = u64::from(LOOP_LIMIT) + u64::from(self.has_bug(InjectedBug::ExtraIteration));
        let past = self.compare_const(IntCC::UnsignedGreaterThan, turns, limit);
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
