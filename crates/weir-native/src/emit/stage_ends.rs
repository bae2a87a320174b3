//! Emits the ends of a pipeline's stages, and the code that leaves the pipeline.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Label, InstBuilder, MemFlagsData, Value};
use weir_exec::{Condition, Stage};
use weir_ir::VarId;

use super::Emit;
use super::scope::EarlyExit;
use crate::abi::status::{self, end};

impl Emit<'_, '_, '_> {
    /// Emits a block as one of several stages. The next stage follows after any end of the block
    /// except a fault.
    pub(super) fn between_stages(
        &mut self,
        position: usize,
        error: Option<VarId>,
        block: impl FnOnce(&mut Self) -> bool,
    ) {
        let Some(exit) = self.scope.as_ref().map(|scope| scope.packets.exit) else { return };
        let next = self.b.create_block();
        let dynamic = self.b.create_block();
        self.b.append_block_param(dynamic, I64);
        let outer = std::mem::replace(&mut self.epilogue, dynamic);
        if block(self) {
            self.end_with(status::DONE);
        }
        let mut ends: Vec<(u64, Label)> = self.ends.drain().collect();
        ends.sort_unstable();
        for (status, label) in ends {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
            if let Some(returns) = fault(status, position) {
                let returns = self.iconst(if self.predicts_keys() { 0 } else { returns });
                self.b.ins().jump(exit, &[returns.into()]);
                continue;
            }
            if let Some(error) = error {
                let number = self.iconst(status.saturating_sub(status::PARSER_ERROR));
                self.set_cut(error, number);
            }
            self.b.ins().jump(next, &[]);
        }
        // This block handles statuses that are computed at run time. If there are none, the block
        // is left out: variables that are constants on all other branches stay constants.
        self.b.switch_to_block(dynamic);
        self.b.seal_block(dynamic);
        if !self.b.is_unreachable() {
            self.end_of_stage(dynamic, (next, exit), position, error);
        }
        self.epilogue = outer;
        self.b.switch_to_block(next);
        self.b.seal_block(next);
    }

    /// Goes to the next stage or to the exit, depending on a status that is the parameter of this
    /// block.
    fn end_of_stage(
        &mut self,
        dynamic: Label,
        (next, exit): (Label, Label),
        position: usize,
        error: Option<VarId>,
    ) {
        let status = self.b.block_params(dynamic)[0];
        for known in [status::LOOP_LIMIT, status::ASSERTION_FAILED, status::EXTERN_FAILED, status::PANIC] {
            let same = self.compare_const(IntCC::Equal, status, known);
            let returns = self.iconst(fault(known, position).unwrap_or(0));
            let on = self.b.create_block();
            self.b.ins().brif(same, exit, &[returns.into()], on, &[]);
            self.b.switch_to_block(on);
            self.b.seal_block(on);
        }
        if let Some(error) = error {
            let base = self.iconst(status::PARSER_ERROR);
            let (zero, number) = (self.iconst(0), self.b.ins().isub(status, base));
            let is_error = self.compare(IntCC::UnsignedGreaterThanOrEqual, status, base);
            let number = self.b.ins().select(is_error, number, zero);
            self.set_cut(error, number);
        }
        self.b.ins().jump(next, &[]);
    }

    /// Leaves the pipeline if it is certain to be left directly after this stage.
    pub(super) fn leaves_for_certain(&mut self) -> bool {
        let exits = self.scope.as_ref().map(|scope| scope.early_exits.clone()).unwrap_or_default();
        for EarlyExit { condition, returns, keep } in exits {
            let condition = self.condition(condition);
            match self.as_const(condition) {
                Some(0) => {}
                Some(_) if !keep => {
                    let returns = self.iconst(if self.predicts_keys() { 0 } else { returns });
                    self.end_pipeline(returns);
                    return true;
                }
                _ => return false,
            }
        }
        false
    }

    /// Emits code for a condition on a stage's result.
    pub(super) fn condition(&mut self, condition: Condition) -> Value {
        let (var, comparison, value) = match condition {
            Condition::Is(var, value) => (var, IntCC::Equal, value),
            Condition::IsNot(var, value) => (var, IntCC::NotEqual, value),
            Condition::AtLeast(var, value) => (var, IntCC::UnsignedGreaterThanOrEqual, value),
            Condition::NotIn(var, set) => return self.not_in(var, set),
        };
        let word = self.read_word(var);
        self.compare_const(comparison, word, value)
    }

    /// Emits code that tests whether a variable's value is not in a set of the pipeline.
    fn not_in(&mut self, var: VarId, set: usize) -> Value {
        let Some(pipeline) = self.unit.pipeline else { return self.bool_const(true) };
        let set = &pipeline.spec().sets[set];
        let (word, first) = (self.read_word(var), self.iconst(set.first()));
        let position = self.minus(word, first);
        if let Some(count) = set.run_length() {
            return self.compare_const(IntCC::UnsignedGreaterThanOrEqual, position, count);
        }
        let bits = 64 * set.bits().len() as u64;
        let within = self.compare_const(IntCC::UnsignedLessThan, position, bits);
        let zero = self.iconst(0);
        let position = self.select(within, position, zero);
        let table = self.constant_address(set.bits().to_vec());
        let (bytes, bit) = (self.shift_right(position, 6), self.iconst(63));
        let (bytes, bit) = (self.times(bytes, 8), self.and(position, bit));
        let address = self.plus(table, bytes);
        let word = self.b.ins().load(I64, MemFlagsData::trusted(), address, 0);
        let bit = self.b.ins().ushr(word, bit);
        let one = self.iconst(1);
        let (bit, zero) = (self.and(bit, one), self.iconst(0));
        let bit = self.select(within, bit, zero);
        self.compare_const(IntCC::Equal, bit, 0)
    }

    /// Emits code that ends the pipeline if the condition holds.
    pub(super) fn leave_pipeline_if(&mut self, condition: Value, returns: u64, keep: bool) {
        self.leave_pipeline_with(condition, returns, |emit| {
            if keep {
                emit.keep_state();
            }
        });
    }

    /// Emits code that ends the pipeline, after the code of `last`, if the condition holds.
    pub(super) fn leave_pipeline_with(
        &mut self,
        condition: Value,
        returns: u64,
        last: impl FnOnce(&mut Self),
    ) {
        if self.as_const(condition) == Some(0) {
            return;
        }
        let (leave, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(leave);
        self.b.ins().brif(condition, leave, &[], on, &[]);
        self.b.switch_to_block(leave);
        self.b.seal_block(leave);
        last(self);
        if let Some(scope) = &self.scope {
            let exit = scope.packets.exit;
            let returns = self.iconst(if self.predicts_keys() { 0 } else { returns });
            self.b.ins().jump(exit, &[returns.into()]);
        }
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// Emits code that ends the pipeline. The code that follows is unreachable.
    pub(super) fn end_pipeline(&mut self, returns: Value) {
        if let Some(scope) = &self.scope {
            let exit = scope.packets.exit;
            self.b.ins().jump(exit, &[returns.into()]);
            self.begin_unreachable();
        }
    }

    /// Begins a block to which no code branches.
    pub(super) fn begin_unreachable(&mut self) {
        let block = self.b.create_block();
        self.b.switch_to_block(block);
        self.b.seal_block(block);
    }
}

/// Returns the conditions on which a pipeline is left before anything else happens.
pub(super) fn early_exits(stages: &[Stage]) -> Vec<EarlyExit> {
    let exit = |stage: &Stage| match *stage {
        Stage::LeaveIf { condition, code, keep } => {
            Some(EarlyExit { condition, returns: left_stage(code), keep })
        }
        _ => None,
    };
    stages.iter().map_while(exit).collect()
}

/// Returns the return value of a pipeline that a stage left.
pub(super) fn left_stage(code: u32) -> u64 {
    end::LEFT | u64::from(code) << end::SHIFT
}

/// Returns the return value of a pipeline for a status that is a fault.
fn fault(status: u64, stage: usize) -> Option<u64> {
    let stage = (stage as u64) << end::SHIFT;
    match status {
        status::LOOP_LIMIT => Some(end::LOOP_LIMIT | stage),
        status::ASSERTION_FAILED => Some(end::ASSERTION_FAILED | stage),
        status::EXTERN_FAILED => Some(end::EXTERN_FAILED | stage),
        status::PANIC => Some(end::PANIC | stage),
        _ => None,
    }
}
