//! Computes values that take many operations at the place where the program computes them.
//!
//! Cranelift moves operations without effects to their uses, and repeats an operation if it has
//! several uses that do not follow each other. If side branches read a long chain of assignments at
//! many places, each branch would repeat the chain from its start, so the code would grow with the
//! square of the chain's length. A store keeps the computation of a value at its place.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value, ValueDef};

use super::Emit;

/// The maximum number of operations that may be repeated.
const MAX_REPEATED: usize = 24;

impl Emit<'_, '_, '_> {
    /// Keeps the computation of a value at the current place if it takes many operations.
    pub(super) fn anchor(&mut self, value: Value) {
        if !self.takes_many_operations(value) {
            return;
        }
        let slot = match self.anchor {
            Some(slot) => slot,
            None => {
                let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3);
                *self.anchor.insert(self.b.create_sized_stack_slot(data))
            }
        };
        self.b.ins().stack_store(I64, value, slot, 0);
        self.anchored.insert(value);
    }

    fn takes_many_operations(&self, value: Value) -> bool {
        let dfg = &self.b.func.dfg;
        let (mut open, mut operations) = (vec![value], 0);
        while let Some(value) = open.pop() {
            let value = dfg.resolve_aliases(value);
            let ValueDef::Result(inst, _) = dfg.value_def(value) else { continue };
            let opcode = dfg.insts[inst].opcode();
            let stays = opcode.is_call()
                || opcode.can_load()
                || opcode.can_trap()
                || opcode.other_side_effects()
                || self.anchored.contains(&value);
            if stays {
                continue;
            }
            operations += 1;
            if operations > MAX_REPEATED {
                return true;
            }
            open.extend(dfg.inst_args(inst));
        }
        false
    }
}
