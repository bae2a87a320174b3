//! Guesses the table and the key of a packet's first lookup.

use weir_exec::PacketView;

use crate::abi::Registers;
use crate::code::Entry;

/// Runs the key predictor of a pipeline: machine code of the pipeline up to its first lookup,
/// without effects.
pub(crate) struct KeyPredictor<'a> {
    entry: Entry,
    /// The inputs of all packets, and the number of inputs of each packet.
    inputs: &'a [u64],
    inputs_each: usize,
    /// The number of words of the longest key.
    max_key_words: usize,
}

/// The keys that a [`KeyPredictor`] collects.
#[derive(Clone, Copy)]
pub(crate) struct WantedKeys {
    /// The position of the keys' table plus 1.
    pub table: usize,
    /// The number of words from one key to the next.
    pub slot_words: usize,
    /// The number that is subtracted from a key's address to get its selector.
    pub slot_bias: u64,
}

impl<'a> KeyPredictor<'a> {
    /// Creates a predictor for a pipeline with this many inputs, in a program whose keys have at
    /// most `max_key_words` words.
    pub(crate) fn new(entry: Entry, (inputs, inputs_each): (&'a [u64], usize), max_key_words: usize) -> Self {
        Self { entry, inputs, inputs_each, max_key_words }
    }

    /// Guesses the table of a packet's first lookup: its position plus 1, or 0 if that cannot be
    /// known without effects. The guess may be wrong.
    pub(crate) fn first_table(&self, packets: &[PacketView<'_>], at: usize, room: &mut [u64]) -> usize {
        let nothing = WantedKeys { table: usize::MAX, slot_words: 0, slot_bias: 0 };
        self.run((&packets[at..=at], at), nothing, (room, &mut [0])).0
    }

    /// For each packet from `first` on that goes to the wanted table first, writes the key to
    /// `room`. For every packet, writes the selector of its key, or 0. Returns the number of keys.
    pub(crate) fn collect(
        &self,
        packets: &[PacketView<'_>],
        first: usize,
        wanted: WantedKeys,
        into: (&mut [u64], &mut [u64]),
    ) -> usize {
        self.run((&packets[first..], first), wanted, into).1
    }

    /// Returns the guess about the last packet and the number of wanted keys.
    fn run(
        &self,
        (packets, first): (&[PacketView<'_>], usize),
        wanted: WantedKeys,
        (room, selectors): (&mut [u64], &mut [u64]),
    ) -> (usize, usize) {
        let inputs = &self.inputs[first * self.inputs_each..];
        assert!(inputs.len() >= packets.len() * self.inputs_each && selectors.len() >= packets.len());
        let needed =
            packets.len().checked_sub(1).map(|others| others * wanted.slot_words + self.max_key_words);
        assert!(
            needed.is_some_and(|needed| room.len() >= needed),
            "there are packets, and room for their keys"
        );
        let views = packets.as_ptr_range();
        let room = room.as_mut_ptr();
        let mut registers = Registers {
            packet_view: views.start.cast(),
            last_view: views.end.cast(),
            inputs: inputs.as_ptr(),
            outputs: room,
            ends: selectors.as_mut_ptr(),
            wanted_table: wanted.table as u64,
            slot_bytes: 8 * wanted.slot_words as u64,
            slot_bias: wanted.slot_bias,
            ..Registers::empty()
        };
        // SAFETY: a key predictor calls no function and uses no state, so the registers, with which
        // a context begins, are all it needs. It only reads packets, each within its view. By the
        // assertions above, each packet has its inputs and a word for its selector, and there is
        // room for the longest key after as many keys as there can be before.
        let guess = unsafe { self.entry.call((&raw mut registers).cast()) };
        let written = registers.outputs as usize - room as usize;
        (guess as usize, written.checked_div(8 * wanted.slot_words).unwrap_or(0))
    }
}
