//! A pipeline up to its first look-up, which goes ahead of packets.

use weir_exec::PacketView;

use crate::Entry;
use crate::runtime::Registers;

/// Looks at packets of a batch.
pub(crate) struct Scout<'a> {
    entry: Entry,
    /// Of all packets, and of each.
    inputs: &'a [u64],
    inputs_each: usize,
    /// Words of the longest key.
    longest: usize,
}

/// Keys that are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    /// Of which table: its position plus 1.
    pub guess: usize,
    /// Words from one to the next.
    pub each: usize,
    /// What is subtracted from the address of one where it is told.
    pub bias: u64,
}

impl<'a> Scout<'a> {
    /// Whose pipeline has so many inputs, and keys of at most `longest` words.
    pub(crate) fn new(entry: Entry, (inputs, inputs_each): (&'a [u64], usize), longest: usize) -> Self {
        Self { entry, inputs, inputs_each, longest }
    }

    /// Guesses which table a packet will be looked up in first: its position plus 1, or 0 if that is not known without changing anything and asking anybody. It
    /// may be wrong.
    pub(crate) fn guess(&self, packets: &[PacketView<'_>], at: usize, room: &mut [u64]) -> usize {
        let nothing = Wanted { guess: usize::MAX, each: 0, bias: 0 };
        self.run((&packets[at..=at], at), nothing, (room, &mut [0])).0
    }

    /// Leaves the keys of those packets from one on that will be looked up in the wanted table in `room`, one behind the other, and by packet the
    /// biased address of its key, or 0. How many keys these are.
    pub(crate) fn gather(
        &self,
        packets: &[PacketView<'_>],
        first: usize,
        wanted: Wanted,
        into: (&mut [u64], &mut [u64]),
    ) -> usize {
        self.run((&packets[first..], first), wanted, into).1
    }

    /// The guess about the last packet, and how many keys were wanted.
    #[allow(unsafe_code, reason = "machine code is entered")]
    fn run(
        &self,
        (packets, first): (&[PacketView<'_>], usize),
        wanted: Wanted,
        (room, told): (&mut [u64], &mut [u64]),
    ) -> (usize, usize) {
        let inputs = &self.inputs[first * self.inputs_each..];
        assert!(inputs.len() >= packets.len() * self.inputs_each && told.len() >= packets.len());
        assert!(!packets.is_empty() && room.len() >= (packets.len() - 1) * wanted.each + self.longest);
        let ends = packets.as_ptr_range();
        let room = room.as_mut_ptr();
        let mut registers = Registers {
            window: ends.start.cast(),
            last: ends.end.cast(),
            inputs: inputs.as_ptr(),
            outputs: room,
            ends: told.as_mut_ptr(),
            wanted: wanted.guess as u64,
            stride: 8 * wanted.each as u64,
            bias: wanted.bias,
            ..Registers::empty()
        };
        // SAFETY: the scout calls nothing, so it needs no more than the registers that a context begins with, touches no state and reads packets only, each
        // within its window. For each of them there are inputs and a word for where its key is, and behind as many keys as there can be before, room for
        // the longest.
        let guess = unsafe { (self.entry.0)((&raw mut registers).cast()) };
        let written = registers.outputs as usize - room as usize;
        (guess as usize, written.checked_div(8 * wanted.each).unwrap_or(0))
    }
}
