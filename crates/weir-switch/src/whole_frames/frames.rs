//! The frames of a layout with an offload, as a program sees them.

use std::collections::BTreeSet;
use std::ops::Range;

use weir_ir::{Program, VarId};

use super::bit::{Bit, Value};
use super::{FrameLayout, Offload};
use crate::path::{Fact, PacketPath, Step, StepSource};

/// All frames of a layout that have an offload.
pub(super) struct Frames<'a> {
    pub program: &'a Program,
    pub layout: FrameLayout,
    pub offload: Offload,
    /// The bits at the front of a frame.
    bits: Vec<Bit>,
    /// The metadata variables that differ between a frame and its segments.
    pub facts: BTreeSet<VarId>,
}

impl<'a> Frames<'a> {
    pub(super) fn new(
        program: &'a Program,
        path: &PacketPath,
        layout: FrameLayout,
        offload: Offload,
    ) -> Self {
        let mut bits = vec![Bit::Same; layout.header_bytes() * 8];
        for (at, mask, value) in layout.known() {
            for bit in 0..8 {
                if mask >> (7 - bit) & 1 == 1 {
                    bits[at * 8 + bit] = Bit::Known(value >> (7 - bit) & 1 == 1);
                }
            }
        }
        let differing = match offload {
            Offload::Whole => layout.differing(),
            Offload::Checksum => vec![layout.checksum_bits()],
        };
        differing.into_iter().flatten().for_each(|bit| bits[bit] = Bit::Differs);
        let facts = match offload {
            Offload::Whole => facts(path),
            Offload::Checksum => BTreeSet::new(),
        };
        Self { program, layout, offload, bits, facts }
    }

    /// Returns what is known about a bit of the packet's length.
    pub(super) fn length(&self) -> Bit {
        if self.offload == Offload::Whole { Bit::Differs } else { Bit::Same }
    }

    /// Returns what is known about a bit of a frame's headers.
    pub(super) fn bit(&self, at: usize) -> Bit {
        self.bits[at]
    }

    /// Returns the value of a variable before the parser sets it.
    pub(super) fn initial(&self, var: VarId) -> Value {
        let bit = if self.facts.contains(&var) { Bit::Differs } else { Bit::Same };
        vec![bit; self.program.vars[var].ty.width() as usize]
    }

    /// Returns whether a program may write these bits of a frame: no checksum covers them, and
    /// cutting the frame does not use them.
    pub(super) fn may_write(&self, bits: Range<usize>) -> bool {
        let network = self.layout.network() * 8;
        // A program may write the DS field and the TTL, or the traffic class, flow label and hop
        // limit.
        let mut free = if self.layout.v6 { vec![4..32, 56..64] } else { vec![8..16, 64..72] };
        if self.offload == Offload::Checksum && !self.layout.v6 {
            // It may also write the identification and the checksum.
            free.extend([32..48, 80..96]);
        }
        bits.into_iter().all(|bit| bit < network || free.iter().any(|free| free.contains(&(bit - network))))
    }

    /// Describes, for messages, what differs between a frame and its segments.
    pub(super) fn describe(&self, var: Option<VarId>) -> String {
        let why = match self.offload {
            Offload::Whole => "differs between a whole frame and its segments",
            Offload::Checksum => "is not complete yet",
        };
        match var {
            Some(var) => format!("`{}`, which {why}", self.program.vars[var].name),
            None => format!("the packet's length, which {why}"),
        }
    }
}

/// Returns the metadata variables that differ between a frame and its segments: the length, times,
/// and the fill levels of queues.
fn facts(path: &PacketPath) -> BTreeSet<VarId> {
    let differs = |fact: Fact| match fact {
        Fact::Length
        | Fact::IngressTime
        | Fact::PassTime
        | Fact::EgressTime
        | Fact::EnqueueTime
        | Fact::EnqueueDepth
        | Fact::QueueTime
        | Fact::DequeueDepth
        | Fact::Deflected => true,
        Fact::IngressPort
        | Fact::FromHost
        | Fact::Pass
        | Fact::Kind
        | Fact::EgressPort
        | Fact::Instance
        | Fact::Priority => false,
    };
    let inputs = path.metadata.inputs.iter().copied();
    let set = path.steps.iter().filter_map(|step| match step {
        Step::Set(var, StepSource::Fact(reading)) => Some((*var, *reading)),
        _ => None,
    });
    inputs.chain(set).filter(|(_, reading)| differs(reading.fact)).map(|(var, _)| var).collect()
}
