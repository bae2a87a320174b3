//! Transmits or drops packets that leave the fast path before they have completed the pipeline.

use weir_device::{Buffer, Port};
use weir_exec::PipelineEnd;

use super::{Fate, PacketPath, PathContext, Rule, Step, reason};
use crate::stats::{DropPlace, DropReason, PortCounters, Stats};

/// The exits and fault places of a pipeline, with the drops that are not in the statistics yet.
pub(super) struct EarlyEnds {
    /// Where faults of each stage drop packets.
    places: Vec<DropPlace>,
    /// The codes with which dropped packets leave the pipeline, one bit each.
    drop_codes: u64,
    /// The codes with which transmitted packets leave the pipeline, one bit each.
    transmit_codes: u64,
    /// Drops that are not in the statistics yet.
    drops: Vec<((DropPlace, DropReason), u64)>,
}

impl EarlyEnds {
    /// Describes a pipeline with the places of its stages and the codes of its exits.
    pub(super) fn new(places: Vec<DropPlace>, drop_codes: u64, transmit_codes: u64) -> Self {
        Self { places, drop_codes, transmit_codes, drops: Vec::new() }
    }

    /// Returns the codes of packets that do not continue in the slow path.
    pub(super) fn final_codes(&self) -> u64 {
        self.drop_codes | self.transmit_codes
    }

    /// Finishes a packet that the port of its queue has not transmitted. Returns false if the
    /// packet continues in the slow path.
    // Inlined, the rare ends would take registers from the loop over packets that complete.
    #[inline(never)]
    pub(super) fn finish(
        &mut self,
        path: &PacketPath,
        context: &mut PathContext<'_>,
        ports: &mut PortCounters,
        buffer: &mut Buffer<'_>,
        (end, egress_port): (PipelineEnd, Port),
    ) -> bool {
        if let PipelineEnd::Left { code, start, .. } = end
            && self.transmit_codes >> code & 1 == 1
            && ports.transmit(buffer, start, egress_port)
        {
            return true;
        }
        if let PipelineEnd::Left { start, .. } | PipelineEnd::NoRoom { start, .. } = end {
            buffer.set_start(start);
        }
        let Some(drop) = self.drop_place(path, end, egress_port) else { return false };
        match self.drops.iter_mut().find(|(known, _)| *known == drop) {
            Some((_, count)) => *count += 1,
            None => {
                self.drops.push((drop, 1));
                let prefix = match end {
                    PipelineEnd::Left { code, .. } => path.prefix_before(code as usize),
                    _ => 0,
                };
                context.thread.keep_dropped(drop.0, drop.1, &buffer.bytes()[prefix..]);
            }
        }
        true
    }

    /// Returns why and where a packet that did not leave through a port is dropped; `None` if the
    /// packet continues in the slow path.
    fn drop_place(
        &self,
        path: &PacketPath,
        end: PipelineEnd,
        egress_port: Port,
    ) -> Option<(DropPlace, DropReason)> {
        match end {
            PipelineEnd::Done { .. } => Some((DropPlace::Port(egress_port), DropReason::NoSuchPort)),
            PipelineEnd::Left { code, .. } if self.transmit_codes >> code & 1 == 1 => {
                Some((DropPlace::Port(egress_port), DropReason::NoSuchPort))
            }
            PipelineEnd::Left { code, .. } if self.drop_codes >> code & 1 == 1 => {
                match path.steps[code as usize] {
                    Step::Decide(Rule { fate: Fate::Drop(place), .. }) => Some((place, DropReason::DropPort)),
                    _ => unreachable!("the code is that of a drop"),
                }
            }
            PipelineEnd::Fault { fault, stage } => Some((self.places[stage], reason(fault))),
            PipelineEnd::Left { .. } | PipelineEnd::NoRoom { .. } => None,
        }
    }

    /// Moves the drops to the statistics. Returns how many packets they are.
    pub(super) fn settle(&mut self, stats: &mut Stats) -> u64 {
        let mut dropped = 0;
        for ((place, reason), count) in self.drops.drain(..) {
            stats.record_drops(place, reason, count);
            dropped += count;
        }
        dropped
    }
}
