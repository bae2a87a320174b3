//! Elements of large arrays (see [`Arrays`](crate::analysis::Arrays)): they are in the state, and
//! the code for an element at run time is the code for the first element with other addresses.

use std::ops::Range;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use weir_ir::{HeaderId, StackId, VarId};

use super::Emit;

/// The words of the state that code refers to in place of other words, which are known only at run
/// time.
pub(super) struct DisplacedWords {
    words: Range<usize>,
    /// The distance from these words to the other words, in bytes.
    bytes: Value,
}

impl Emit<'_, '_, '_> {
    /// Returns the distance of the elements of a stack in words, if the stack is a large array.
    pub(super) fn array_stride(&self, stack: StackId) -> Option<u32> {
        let stack = &self.unit.program.stacks[stack];
        let stride = self.unit.arrays().stack_stride(stack)?;
        stack.elements.iter().all(|element| self.is_in_state(*element)).then_some(stride)
    }

    /// Returns the distance of the variables of a row in words, if the row is a large array.
    pub(super) fn row_stride(&self, vars: &[VarId]) -> Option<u32> {
        let stride = self.unit.arrays().stride(vars)?;
        vars.iter().all(|var| !self.registers.contains_key(var)).then_some(stride)
    }

    /// Returns whether none of a header's variables has registers.
    pub(super) fn is_in_state(&self, header: HeaderId) -> bool {
        let parts = &self.unit.program.headers[header];
        !self.registers.contains_key(&parts.valid)
            && parts.fields.iter().all(|field| !self.registers.contains_key(field))
    }

    /// Returns whether an index is less than the number of elements, as a value at run time.
    pub(super) fn is_within(&mut self, index: Value, count: usize) -> Value {
        self.compare_const(IntCC::UnsignedLessThan, index, count as u64)
    }

    /// Replaces an index that is past the end by 0.
    pub(super) fn clamp_index(&mut self, index: Value, count: usize) -> (Value, Value) {
        let (within, zero) = (self.is_within(index, count), self.iconst(0));
        let index = self.select(within, index, zero);
        (within, index)
    }

    /// Emits code for the variables of an array's first element; the code accesses the variables of
    /// another element, which is `index` elements further on.
    pub(super) fn with_displaced<R>(
        &mut self,
        first: &[VarId],
        (index, stride): (Value, u32),
        with: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let ends = first.iter().map(|var| {
            let slot = self.unit.layout.slot(*var);
            let start = slot.word as usize;
            (start - usize::from(slot.varbit), start + slot.width.div_ceil(64) as usize)
        });
        let (start, end) =
            ends.fold((usize::MAX, 0), |(start, end), (from, to)| (start.min(from), end.max(to)));
        let bytes = self.times(index, u64::from(stride) * 8);
        let outer = self.displaced.replace(DisplacedWords { words: start..end, bytes });
        let result = with(self);
        self.displaced = outer;
        result
    }

    /// Returns the variables of a header.
    pub(super) fn vars_of(&self, header: HeaderId) -> Vec<VarId> {
        let parts = &self.unit.program.headers[header];
        parts.fields.iter().copied().chain([parts.valid]).collect()
    }

    /// Emits code for the address to which the offset of a word of the state is added.
    pub(super) fn words_for(&mut self, word: usize) -> Value {
        let words = self.state_address();
        match &self.displaced {
            Some(displaced) if displaced.words.contains(&word) => {
                let bytes = displaced.bytes;
                self.b.ins().iadd(words, bytes)
            }
            _ => words,
        }
    }
}
