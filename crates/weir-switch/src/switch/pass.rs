//! Runs the fast path in a switch with passes that take time. All work is done when the pass
//! starts, and the packet leaves at the same time as on the slow path.

use weir_device::{Buffer, Nanos, Port, ReceiveOutcome};

use super::fast_path::FastPathUse;
use super::{Event, Switch};
use crate::packet::Verdict;

impl Switch {
    /// Runs a packet's pass on the fast path, as far as [`Switch::fast_path`] allows. The remaining
    /// steps run at their own times. Returns `None`, and changes nothing, if the fast path is not
    /// allowed.
    pub(super) fn receive_fast(
        &mut self,
        now: Nanos,
        port: Port,
        frame: &mut Buffer<'_>,
    ) -> Option<ReceiveOutcome> {
        let start = self.passes.ready().max(now);
        let extent = self.fast_path(FastPathUse::Pass { now, start })?;
        let mut fast_path = self.fast_paths.take_path(extent, &self.runner)?;
        if !fast_path.has_port(port) {
            self.fast_paths.return_path(extent, fast_path);
            return None;
        }
        self.now = self.now.max(now);
        frame.metadata.ingress_port = port;
        self.passes.occupy(start, 1);
        let mut rest = std::slice::from_mut(frame);
        self.run(start, |path, context, stats| fast_path.step(path, context, now, &mut rest, stats));
        fast_path.flush_port_counts(&mut self.runner.stats);
        let time = start.saturating_add(self.runner.config.pass_latency);
        let outcome = match frame.metadata.egress_port {
            Some(port) => ReceiveOutcome::Forwarded { time, port },
            None if fast_path.verdicts.is_empty() => ReceiveOutcome::Dropped,
            None => {
                for verdict in fast_path.verdicts.drain(..) {
                    match verdict {
                        Verdict::Drop { place, reason, id } => self.drop_packet(now, place, reason, id),
                        verdict => self.events.add(time, Event::Arrived(verdict)),
                    }
                }
                ReceiveOutcome::Held
            }
        };
        self.fast_paths.return_path(extent, fast_path);
        Some(outcome)
    }
}
