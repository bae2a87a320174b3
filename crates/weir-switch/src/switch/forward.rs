//! Forwards packets from memory to memory, at one instant.

use weir_device::{Buffer, Device, Nanos, Transmission};

use super::fast_path::FastPathUse;
use super::{Event, Switch};
use crate::packet::{Arrival, Origin, Verdict};
use crate::path::Extent;

impl Switch {
    /// Forwards packets at one instant. Packets that leave in their own buffer have
    /// [`ForwardingMetadata::egress_port`](weir_device::ForwardingMetadata::egress_port) set. The
    /// other packets were dropped, wait in the switch, or have left in another way. `out` contains
    /// the packets that left in another way, and all copies.
    ///
    /// In a switch with passes that take no time, the result is the same as that of
    /// [`Device::receive`] for each packet in turn and [`Device::advance`]. Packets take the fast
    /// path if [`pass_latency`](crate::SwitchConfig::pass_latency) is 0, queues have no rates,
    /// nothing waits, nothing is traced and no drops are recorded. Passes on the fast path do not
    /// count towards the limit of passes per second.
    pub fn forward(&mut self, now: Nanos, buffers: &mut [Buffer<'_>], out: &mut Vec<Transmission>) {
        self.forward_batch((now, now), buffers, out, false);
    }

    /// Forwards packets, which arrived at `arrived`, at the time `now`. Ingress sees the time
    /// `arrived`, and egress sees the time `now`. Stops after a packet that does not leave in its
    /// own buffer, so that the packets in `out` come after the handled buffers and before the
    /// remaining ones. Returns the number of handled buffers.
    #[must_use = "the rest of the packets waits"]
    pub fn forward_in_order(
        &mut self,
        arrived: Nanos,
        now: Nanos,
        buffers: &mut [Buffer<'_>],
        out: &mut Vec<Transmission>,
    ) -> usize {
        self.forward_batch((arrived, now), buffers, out, true)
    }

    fn forward_batch(
        &mut self,
        (arrived, now): (Nanos, Nanos),
        buffers: &mut [Buffer<'_>],
        out: &mut Vec<Transmission>,
        in_order: bool,
    ) -> usize {
        self.advance(now, out);
        let count = buffers.len();
        let purpose = if in_order { FastPathUse::Workers } else { FastPathUse::Batches };
        let extent = self.fast_path(purpose);
        let fast_path = extent.and_then(|extent| self.fast_paths.take_path(extent, &self.runner));
        let Some(mut fast_path) = fast_path else {
            for buffer in buffers {
                buffer.metadata.egress_port = None;
                self.receive_from(arrived, now, buffer.metadata.ingress_port, buffer.to_packet());
                self.advance(now, out);
            }
            return count;
        };
        let mut rest = buffers;
        while !rest.is_empty() {
            self.run(now, |path, context, stats| fast_path.step(path, context, arrived, &mut rest, stats));
            if !fast_path.verdicts.is_empty() {
                self.passes.occupy(now.max(self.passes.ready()), 1);
                for verdict in fast_path.verdicts.drain(..) {
                    self.apply_at_once(now, verdict, out);
                }
                // The verdict's events come before the next packet.
                self.advance(now, out);
                if in_order {
                    fast_path.take_back(rest);
                    break;
                }
            }
        }
        let handled = count - rest.len();
        fast_path.flush_port_counts(&mut self.runner.stats);
        self.fast_paths.return_path(Extent::Whole, fast_path);
        handled
    }

    /// Applies the verdict of a packet that left the fast path.
    pub(super) fn apply_at_once(&mut self, now: Nanos, verdict: Verdict, out: &mut Vec<Transmission>) {
        match verdict {
            // The packet waits for its turn, as after a pass that takes time.
            Verdict::Queue { .. } | Verdict::NextPass(Arrival { origin: Origin::Resubmitted(_), .. }) => {
                self.events.add(now, Event::Arrived(verdict));
            }
            verdict => self.apply_verdict(now, verdict, out),
        }
    }
}
