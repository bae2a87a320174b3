//! The parts in which the function that predicts keys differs: it has no effects, and ends at the
//! first table.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

use super::scope::PipelineFunction;
use super::{Emit, word_offset};
use crate::abi::Registers;

impl Emit<'_, '_, '_> {
    /// Returns whether the emitted function predicts keys.
    pub(super) fn predicts_keys(&self) -> bool {
        self.scope.as_ref().is_some_and(|scope| scope.function == PipelineFunction::PredictKeys)
    }

    /// Ends the prediction for the packet, because its first lookup cannot be predicted.
    pub(super) fn predict_nothing(&mut self) {
        let nothing = self.iconst(0);
        self.end_pipeline(nothing);
    }

    /// Emits code that reports the key of a packet's first table and ends the packet.
    pub(super) fn report_key(&mut self, table: usize, key: &[Value]) {
        let outputs = self.load_context(Registers::OUTPUTS);
        for (i, word) in key.iter().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), *word, outputs, word_offset(i));
        }
        let report = self.iconst(table as u64 + 1);
        if let Some(scope) = &self.scope {
            let exit = scope.packets.exit;
            self.b.ins().jump(exit, &[report.into()]);
        }
    }

    /// Stores the selector of a packet's key, or 0 if the packet's first table is not the wanted
    /// one.
    pub(super) fn report_selector(&mut self, guess: Value) {
        let zero = self.iconst(0);
        let wanted = self.load_context(Registers::WANTED_TABLE);
        let is_wanted = self.compare(IntCC::Equal, guess, wanted);
        let (key, bias) = (self.load_context(Registers::OUTPUTS), self.load_context(Registers::SLOT_BIAS));
        let selector = self.b.ins().isub(key, bias);
        let selector = self.select(is_wanted, selector, zero);
        let selectors = self.load_context(Registers::ENDS);
        self.b.ins().store(MemFlagsData::trusted(), selector, selectors, 0);
        self.advance_register(Registers::ENDS, 8);
        let slot_bytes = self.load_context(Registers::SLOT_BYTES);
        let step = self.select(is_wanted, slot_bytes, zero);
        let next = self.b.ins().iadd(key, step);
        self.store_context(Registers::OUTPUTS, next);
    }
}
