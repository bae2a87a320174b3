//! The context in which the operations of extern calls run.

use std::cell::Cell;

use rand_core::Rng;
use weir_exec::PacketView;
use weir_ir::wire::Writer;
use weir_ir::{ExternId, VarId};

use super::{Deferred, PathContext};
use crate::externs::ExternState;
use crate::externs::hash::HashKind;
use crate::externs::meter::Colour;
use crate::externs::meter_array::MeterArray;
use crate::externs::register::RegisterArray;
use crate::packet::PacketId;
use crate::state::LogLine;
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
    /// Bytes to be hashed.
    pub(super) hashed: Vec<u8>,
}

impl<'a, 'b> ExternContext<'a, 'b> {
    /// The context for a packet whose first `parsed` bytes the parser consumed.
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
            hashed: Vec::new(),
        }
    }

    /// The checksum or hash of the written data, followed by the payload if `with_payload`.
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

    /// An extern object.
    #[inline]
    pub(crate) fn object(&self, id: ExternId) -> &'b ExternState {
        &self.context.control.settings.externs[id.index()]
    }

    /// A register. If the register needs the register lock, acquires the lock first.
    #[inline]
    pub(crate) fn register(&mut self, id: ExternId) -> Option<&'b RegisterArray> {
        let ExternState::Register(register) = self.object(id) else { return None };
        if register.needs_lock {
            self.context.thread.register_lock.acquire();
        }
        Some(register)
    }

    /// A meter. If the meter needs the register lock, acquires the lock first.
    #[inline]
    pub(crate) fn meter(&mut self, id: ExternId) -> Option<&'b MeterArray> {
        let ExternState::Meter(meter) = self.object(id) else { return None };
        if meter.needs_lock {
            self.context.thread.register_lock.acquire();
        }
        Some(meter)
    }

    /// The colour from a direct meter, which is the colour of the last lookup in its table.
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
