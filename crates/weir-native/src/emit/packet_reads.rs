//! Reads bits of the packet, from whole bytes if possible.

use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value};

use super::Emit;
use super::words::word_count;
use crate::options::InjectedBug;
use crate::runtime;

/// Where a read gets its bits from: memory or a register.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// Whole bytes at an address, where this many bytes exist.
    Bytes { address: Value, bytes: u32 },
    /// The bits of the packet from a position on.
    Bits(Value),
}

impl Emit<'_, '_, '_> {
    pub(super) fn read_words(&mut self, source: Source, offset: u32, width: u32) -> Vec<Value> {
        (0..word_count(width) as u32)
            .map(|i| {
                let end = offset + width - 64 * i;
                let bits = (width - 64 * i).min(64);
                self.read_word_at(source, end - bits, bits)
            })
            .collect()
    }

    /// Emits code that reads 1 to 64 bits from a source.
    pub(super) fn read_word_at(&mut self, source: Source, offset: u32, width: u32) -> Value {
        let (address, bytes) = match source {
            Source::Bytes { address, bytes } => (address, bytes),
            Source::Bits(at) => {
                let (offset, width) = (self.iconst(u64::from(offset)), self.iconst(u64::from(width)));
                let at = self.b.ins().iadd(at, offset);
                return self
                    .call_runtime_for_word(runtime::read_bits as *const u8, &[self.context, at, width]);
            }
        };
        let (first, end) = (offset / 8, (offset + width).div_ceil(8));
        // This is the smallest load that covers the bits and stays within the bytes.
        let size = [1, 2, 4, 8].into_iter().find(|size| *size >= end - first && *size <= bytes);
        let Some(size) = size else {
            // Two loads are needed: the first is as large as fits into the bytes that the bits
            // take.
            let largest = [4, 2, 1].into_iter().find(|size| *size < end - first).unwrap_or(1);
            let head = 8 * (first + largest) - offset;
            let high = self.read_word_at(source, offset, head);
            let low = self.read_word_at(source, offset + head, width - head);
            let up = self.iconst(u64::from(width - head));
            let high = self.b.ins().ishl(high, up);
            return self.b.ins().bor(high, low);
        };
        let start = first.min(bytes - size);
        let mut value = if size == 1 || self.has_bug(InjectedBug::WrongEndianness) {
            load_long(self.b.ins(), size, address, start)
        } else {
            let ty = integer(size);
            let value = self.b.ins().load(ty, MemFlagsData::new().with_notrap(), address, start as i32);
            let value = self.b.ins().bswap(value);
            if ty == I64 { value } else { self.b.ins().uextend(I64, value) }
        };
        let spare = 8 * (start + size) - (offset + width);
        if spare > 0 {
            let down = self.iconst(u64::from(spare));
            value = self.b.ins().ushr(value, down);
        }
        if offset > 8 * start {
            let mut words = [value];
            self.mask(&mut words, width);
            value = words[0];
        }
        value
    }
}

/// Loads 1, 2, 4 or 8 bytes in memory order, extended to a word.
pub(super) fn load_long<'i>(at: impl InstBuilder<'i>, bytes: u32, address: Value, offset: u32) -> Value {
    let (flags, offset) = (MemFlagsData::new().with_notrap(), offset as i32);
    match bytes {
        1 => at.uload8(I64, flags, address, offset),
        2 => at.uload16(I64, flags, address, offset),
        4 => at.uload32(flags, address, offset),
        _ => at.load(I64, flags, address, offset),
    }
}

/// Returns the integer type of 1, 2, 4 or 8 bytes.
pub(super) fn integer(bytes: u32) -> Type {
    match bytes {
        1 => I8,
        2 => I16,
        4 => I32,
        _ => I64,
    }
}
