//! Records the steps of traced packets.

use weir_device::Nanos;
use weir_exec::Event;
use weir_ir::Program;

use super::{CopyKind, Step, StepKind, read};
use crate::error::Place;
use crate::packet::PacketId;
use crate::state::ControlView;

/// The maximum number of steps that are kept for a reader. Later steps are lost and counted. The
/// limit is needed because each step takes more than a kilobyte in Python.
pub const MAX_STEPS: usize = 1 << 17;

/// The maximum number of steps within blocks that are kept between two steps of a packet outside of
/// blocks. Later steps are lost and counted. The limit is needed because a loop can execute
/// millions of steps.
const MAX_BLOCK_STEPS: usize = 1 << 14;

/// Records the steps of chosen packets.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// The number of upcoming packets to record.
    next: u64,
    /// The last number that was assigned. Packets that are not recorded, and their copies, have the
    /// number 0.
    last: u64,
    /// The last number that was assigned before recording was stopped. Packets with numbers up to
    /// this one are not recorded any more.
    stopped: u64,
    steps: Vec<Step>,
    /// The number of steps within blocks since the last step outside of blocks.
    in_blocks: usize,
    lost: u64,
}

impl Recorder {
    /// Starts to record the next packets.
    pub(crate) fn record_next(&mut self, count: u64) {
        self.next = count;
    }

    /// Stops recording, and discards the recorded steps.
    pub(crate) fn stop(&mut self) {
        *self = Self { last: self.last, stopped: self.last, ..Self::default() };
    }

    /// Returns the number of arriving packets that will still be recorded.
    pub(crate) fn remaining(&self) -> u64 {
        self.next
    }

    /// Assigns a number to a packet that has arrived.
    pub(crate) fn received(&mut self) -> u64 {
        if self.next == 0 {
            return 0;
        }
        self.next -= 1;
        self.last += 1;
        self.last
    }

    pub(crate) fn is_recorded(&self, id: PacketId) -> bool {
        id.copy > self.stopped
    }

    /// Assigns an identity to a copy of a packet.
    pub(crate) fn copied(&mut self, time: Nanos, from: PacketId, how: CopyKind) -> PacketId {
        if !self.is_recorded(from) {
            return PacketId { copy: 0, ..from };
        }
        self.last += 1;
        let id = PacketId { copy: self.last, ..from };
        self.record(time, id, || StepKind::Copied { from: from.copy, how });
        id
    }

    /// Records a step if its packet is recorded.
    pub(crate) fn record(&mut self, time: Nanos, id: PacketId, what: impl FnOnce() -> StepKind) {
        if self.is_recorded(id) {
            self.in_blocks = 0;
            self.push(Step { time, packet: id.packet, copy: id.copy, what: what(), place: None });
        }
    }

    /// Records a step of a block.
    pub(crate) fn event(
        &mut self,
        program: &Program,
        control: ControlView<'_>,
        time: Nanos,
        id: PacketId,
        event: &Event<'_>,
    ) {
        if self.in_blocks >= MAX_BLOCK_STEPS {
            self.lost += 1;
            return;
        }
        self.in_blocks += 1;
        let Some((what, loc)) = read::step(program, control, event) else { return };
        let place = loc.is_some().then(|| Place::new(program, loc));
        self.push(Step { time, packet: id.packet, copy: id.copy, what, place });
    }

    /// Records a step, or counts it as lost if there are too many.
    fn push(&mut self, step: Step) {
        if self.steps.len() < MAX_STEPS {
            self.steps.push(step);
        } else {
            self.lost += 1;
        }
    }

    /// Takes the steps so far, and the number of lost steps.
    pub(crate) fn take_steps(&mut self) -> (Vec<Step>, u64) {
        (std::mem::take(&mut self.steps), std::mem::take(&mut self.lost))
    }
}
