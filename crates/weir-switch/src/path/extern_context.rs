//! The context in which the operations of extern calls run.

use std::cell::Cell;

use rand_core::Rng;
use weir_exec::{FrameValue, PacketView};
use weir_ir::wire::Writer;
use weir_ir::{Bits, ExternId, TableId, VarId};

use super::{Deferred, PathContext, valid_values};
use crate::externs::ExternState;
use crate::externs::hash::HashKind;
use crate::externs::meter::Colour;
use crate::externs::meter_array::MeterArray;
use crate::externs::register::RegisterArray;
use crate::packet::PacketId;
use crate::state::LogLine;
use crate::tables::FewWords;
use crate::trace::StepKind;

/// A packet's bytes.
#[derive(Clone, Copy)]
pub(super) enum Bytes<'a> {
    Slice(&'a [u8]),
    /// A packet in memory that a pipeline works on.
    View(PacketView<'a>),
}

/// The data that extern calls of a packet use: the packet, the state of the switch, and the work
/// that is deferred to the end of the block.
pub(crate) struct ExternContext<'a, 'b> {
    pub context: &'a mut PathContext<'b>,
    pub id: PacketId,
    /// The packet's length in bytes when the pass began.
    pub length: usize,
    /// The packet. The parser consumed its first `parsed` bytes; the remaining bytes are payload.
    pub(super) bytes: Bytes<'a>,
    pub(super) parsed: usize,
    pub deferred: Deferred,
    /// Metadata that the current call writes.
    pub(super) assignments: Vec<(VarId, u64)>,
    /// Colours from direct meters in this block.
    pub(super) colours: Vec<(ExternId, Colour)>,
    /// The entries that lookups in this block found, of tables whose direct counters and meters
    /// calls use, or whose entries calls change. The slot `None` is the default's.
    pub(super) cells: Vec<(TableId, Option<u32>)>,
    /// The last lookup that missed, in a table to which packets may add entries: the words of the
    /// key.
    pub(super) missed: Option<(TableId, FewWords)>,
    /// The ones' complement sums of checksum objects in this block; 0 at first.
    pub(super) sums: Vec<(ExternId, u16)>,
    /// The bytes that checksum objects have gathered in this block.
    pub(super) gathered: Vec<(ExternId, Vec<u8>)>,
    /// Bytes to be hashed.
    pub(super) hashed: Vec<u8>,
}

impl<'a, 'b> ExternContext<'a, 'b> {
    /// Creates the context for a packet whose first `parsed` bytes the parser consumed.
    #[inline]
    pub(super) fn new(
        context: &'a mut PathContext<'b>,
        id: PacketId,
        bytes: Bytes<'a>,
        parsed: usize,
    ) -> Self {
        let length = match bytes {
            Bytes::Slice(bytes) => bytes.len(),
            Bytes::View(view) => view.len(),
        };
        ExternContext {
            context,
            id,
            length,
            bytes,
            parsed,
            deferred: Deferred::default(),
            assignments: Vec::new(),
            colours: Vec::new(),
            cells: Vec::new(),
            missed: None,
            sums: Vec::new(),
            gathered: Vec::new(),
            hashed: Vec::new(),
        }
    }

    /// Begins a packet: all of it is new to the calls.
    #[inline]
    pub(super) fn begin(&mut self, view: PacketView<'a>) {
        self.length = view.len();
        (self.bytes, self.parsed) = (Bytes::View(view), self.length);
        self.colours.clear();
        self.cells.clear();
        self.missed = None;
        self.sums.clear();
        self.gathered.clear();
    }

    /// Computes the checksum or hash of the written data, followed by the payload if
    /// `with_payload`.
    pub(crate) fn hash(
        &mut self,
        kind: HashKind,
        with_payload: bool,
        write: impl FnOnce(&mut Writer<'_>),
    ) -> u64 {
        let HashKind::Data(algorithm) = kind else { return self.context.thread.random.next_u64() };
        self.hashed.clear();
        write(&mut Writer::new(&mut self.hashed));
        if with_payload {
            match self.bytes {
                Bytes::Slice(packet) => self.hashed.extend_from_slice(&packet[self.parsed..]),
                Bytes::View(view) => self.hashed.extend(view.bytes()[self.parsed..].iter().map(Cell::get)),
            }
        }
        self.context.control.settings.hashes.compute(algorithm, &self.hashed)
    }

    /// Packs values into bytes, without fields of invalid headers.
    pub(crate) fn pack(&mut self, data: &[FrameValue], words: &[u64]) -> &[u8] {
        self.pack_after_zeros(0, data, words)
    }

    /// Packs this number of zero bits, and then values, into bytes, without fields of invalid
    /// headers.
    pub(crate) fn pack_after_zeros(&mut self, zeros: u32, data: &[FrameValue], words: &[u64]) -> &[u8] {
        self.hashed.clear();
        let mut writer = Writer::new(&mut self.hashed);
        if zeros > 0 {
            writer.push(&Bits::zero(zeros));
        }
        for value in valid_values(words, data) {
            writer.push_words(value.bits(words), &words[value.words()]);
        }
        &self.hashed
    }

    /// Returns the sum of a checksum object, which is initially 0.
    pub(crate) fn sum_mut(&mut self, object: ExternId) -> &mut u16 {
        let known = self.sums.iter().position(|(of, _)| *of == object);
        let position = known.unwrap_or_else(|| {
            self.sums.push((object, 0));
            self.sums.len() - 1
        });
        &mut self.sums[position].1
    }

    /// Adds values to the bytes that a checksum object has gathered. The values of each call begin
    /// with a new byte.
    pub(crate) fn gather(&mut self, object: ExternId, data: &[FrameValue], words: &[u64]) {
        let bytes = self.pack(data, words).to_vec();
        match self.gathered.iter_mut().find(|(of, _)| *of == object) {
            Some((_, gathered)) => gathered.extend(bytes),
            None => self.gathered.push((object, bytes)),
        }
    }

    /// Forgets the bytes that a checksum object has gathered.
    pub(crate) fn clear_gathered(&mut self, object: ExternId) {
        self.gathered.retain(|(of, _)| *of != object);
    }

    /// Computes the checksum of the bytes that a checksum object has gathered.
    pub(crate) fn hash_gathered(&mut self, object: ExternId, kind: HashKind) -> u64 {
        let HashKind::Data(algorithm) = kind else { return self.context.thread.random.next_u64() };
        let gathered = self.gathered.iter().find(|(of, _)| *of == object);
        let bytes = gathered.map_or(&[][..], |(_, bytes)| bytes);
        self.context.control.settings.hashes.compute(algorithm, bytes)
    }

    /// Returns the entry that the last lookup in a table found in this block. The slot `None` means
    /// the default entry.
    pub(crate) fn last_found(&self, table: TableId) -> Option<Option<u32>> {
        self.cells.iter().rev().find(|(of, _)| *of == table).map(|(_, slot)| *slot)
    }

    /// Returns which of these tables was looked up last, and the entry that the lookup found, as in
    /// [`ExternContext::last_found`].
    pub(crate) fn last_lookup(&self, tables: &[TableId]) -> Option<(TableId, Option<u32>)> {
        self.cells.iter().rev().find(|(of, _)| tables.contains(of)).copied()
    }

    /// Returns the table of the last lookup that missed, in a table to which packets may add
    /// entries; `None` if a later lookup there was a hit, or if the key has been taken.
    pub(crate) fn missed_table(&self) -> Option<TableId> {
        self.missed.as_ref().map(|(table, _)| *table)
    }

    /// Takes the table and the words of the key of this lookup. A packet can add an entry only once
    /// for a lookup.
    pub(crate) fn take_missed_key(&mut self) -> Option<(TableId, FewWords)> {
        self.missed.take()
    }

    /// Returns an extern object.
    #[inline]
    pub(crate) fn object(&self, id: ExternId) -> &'b ExternState {
        &self.context.control.settings.externs[id.index()]
    }

    /// Returns a register. If the register needs the register lock, acquires the lock first.
    #[inline]
    pub(crate) fn register(&mut self, id: ExternId) -> Option<&'b RegisterArray> {
        let ExternState::Register(register) = self.object(id) else { return None };
        if register.needs_lock {
            self.context.thread.register_lock.acquire();
        }
        Some(register)
    }

    /// Returns a meter. If the meter needs the register lock, acquires the lock first.
    #[inline]
    pub(crate) fn meter(&mut self, id: ExternId) -> Option<&'b MeterArray> {
        let ExternState::Meter(meter) = self.object(id) else { return None };
        if meter.needs_lock {
            self.context.thread.register_lock.acquire();
        }
        Some(meter)
    }

    /// Returns the colour from a direct meter. It is the colour of the last lookup in the meter's
    /// table.
    pub(crate) fn colour(&self, meter: ExternId) -> Colour {
        self.colours.iter().rev().find(|(of, _)| *of == meter).map_or(Colour::Green, |(_, colour)| *colour)
    }

    /// Sets a metadata field after the current call. Only for calls that [write
    /// metadata](super::ResolvedCall::writing_metadata).
    pub(crate) fn assign(&mut self, field: Option<VarId>, value: u64) {
        self.assignments.extend(field.map(|field| (field, value)));
    }

    /// Records a step of the packet, if it is traced.
    pub(crate) fn trace(&mut self, step: impl FnOnce() -> StepKind) {
        self.context.trace.record(self.context.now, self.id, step);
    }

    /// Sends a line to the control plane's log.
    pub(crate) fn log(&mut self, text: String) {
        let line = LogLine { time: self.context.now, packet: self.id.packet, text };
        self.trace(|| StepKind::Logged(line.text.clone()));
        self.context.thread.messages.log(line);
    }
}
