//! Calls of the [runtime's](crate::runtime) functions.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use cranelift_module::Module;

use super::{Emit, signature, word_offset};

impl Emit<'_, '_, '_> {
    /// Stores words in the scratch memory and returns its address. Its former contents are lost.
    pub(super) fn store_arguments(&mut self, values: &[Value]) -> Value {
        self.reserve(values.len());
        let address = self.scratch_at(0);
        for (i, value) in values.iter().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), *value, address, word_offset(i));
        }
        address
    }

    /// Makes the scratch memory large enough for these words.
    pub(super) fn reserve(&mut self, words: usize) {
        let slot = &mut self.b.func.sized_stack_slots[self.scratch];
        slot.size = slot.size.max(word_offset(words) as u32);
    }

    pub(super) fn scratch_at(&mut self, word: usize) -> Value {
        self.b.ins().stack_addr(I64, self.scratch, word_offset(word))
    }

    /// Calls a function of the runtime that returns nothing.
    pub(super) fn call_runtime(&mut self, function: *const u8, args: &[Value]) {
        self.call_address(function, args, false);
    }

    /// Calls a function of the runtime that returns a word.
    pub(super) fn call_runtime_for_word(&mut self, function: *const u8, args: &[Value]) -> Value {
        match self.call_address(function, args, true) {
            Some(result) => result,
            None => self.iconst(0),
        }
    }

    fn call_address(&mut self, function: *const u8, args: &[Value], result: bool) -> Option<Value> {
        if self.predicts_keys() {
            self.predict_nothing();
            return None;
        }
        let convention = self.module.isa().default_call_conv();
        let signature = *self
            .signatures
            .entry((args.len(), result))
            .or_insert_with(|| self.b.import_signature(signature(convention, args.len(), result)));
        let address = self.iconst(function as usize as u64);
        let call = self.b.ins().call_indirect(signature, address, args);
        self.b.inst_results(call).first().copied()
    }
}
