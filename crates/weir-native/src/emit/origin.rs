//! Origins of values: bits of the packet, which do not change until headers are written, and the
//! pipeline's inputs. Such a value can be read again if keeping it would cost more. Adjacent fields
//! can be read together for checksums.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use weir_ir::HeaderId;

use super::packet_reads::Source;
use super::words::word_count;
use super::{Emit, word_offset};
use crate::abi::Registers;

/// The origin of a value that is a word of a variable, or all of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin {
    /// Bits of the packet.
    Packet(Bits),
    /// The low bits of an input.
    Input { position: usize, width: u32 },
}

/// A run of bits of a header in the packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits {
    /// The address of the header, and the header's length in the packet.
    pub address: Value,
    pub bytes: u32,
    /// The same address as a location (see `locations`).
    pub location: Value,
    /// The first bit in the header, and the number of bits.
    pub first: u32,
    pub width: u32,
}

impl Emit<'_, '_, '_> {
    /// Records that a field's words are in a header in the packet, from bit `first` on.
    pub(super) fn record_origin(
        &mut self,
        header: HeaderId,
        words: &[Value],
        source: Source,
        (first, width): (u32, u32),
    ) {
        let Source::Bytes { address, bytes } = source else { return };
        if self.scope.is_none() || !self.has_location(header) {
            return;
        }
        let location = self.location(header);
        for (i, word) in words.iter().enumerate() {
            let end = first + width - 64 * i as u32;
            let width = (width - 64 * i as u32).min(64);
            let bits = Bits { address, bytes, location, first: end - width, width };
            self.origins.insert(*word, Origin::Packet(bits));
        }
    }

    /// Emits code for the low bits of an input.
    pub(super) fn input_bits(&mut self, position: usize, width: u32) -> Value {
        if let Some(scope) = &mut self.scope {
            scope.packets.reads_inputs = true;
        }
        let inputs = self.load_context(Registers::INPUTS);
        let value = self.b.ins().load(I64, MemFlagsData::trusted(), inputs, word_offset(position));
        let mut words = [value];
        self.mask(&mut words, width);
        self.origins.insert(words[0], Origin::Input { position, width });
        words[0]
    }

    /// Returns where a value comes from, if this is known.
    fn origin(&self, value: Value) -> Option<Origin> {
        self.origins.get(&self.b.func.dfg.resolve_aliases(value)).copied()
    }

    /// Returns the bits of the packet that a value consists of.
    pub(super) fn packet_bits(&self, value: Value) -> Option<Bits> {
        match self.origin(value)? {
            Origin::Packet(bits) => Some(bits),
            Origin::Input { .. } => None,
        }
    }

    /// Emits code that reads a value again, if its origin is known.
    pub(super) fn reload_value(&mut self, value: Value) -> Value {
        match self.origin(value) {
            None => value,
            Some(Origin::Packet(Bits { address, bytes, first, width, .. })) => {
                self.read_word_at(Source::Bytes { address, bytes }, first, width)
            }
            Some(Origin::Input { position, width }) => self.input_bits(position, width),
        }
    }

    /// Returns whether words consist of the bits in the packet that begin at a bit of a header.
    pub(super) fn is_in_packet_at(
        &mut self,
        words: &[Value],
        header: HeaderId,
        (first, width): (u32, u32),
    ) -> bool {
        let location = self.location(header);
        let location = self.b.func.dfg.resolve_aliases(location);
        words.len() == word_count(width)
            && words.iter().enumerate().all(|(i, word)| {
                let end = first + width - 64 * i as u32;
                let bits = (width - 64 * i as u32).min(64);
                self.packet_bits(*word).is_some_and(|is| {
                    self.b.func.dfg.resolve_aliases(is.location) == location
                        && (is.first, is.width) == (end - bits, bits)
                })
            })
    }
}
