//! The rules for the frames that reach the program with their offloads.

use weir_device::CarriedOffload;
use weir_ports::Frame;
use weir_switch::Worker;
use weir_switch::whole_frames::{Offload, WholeFrames};

use super::frame_offload::carried_offload;
use crate::args::GsoChoice;

/// Decides which frames a program processes before their offloads are done.
pub struct OffloadRules {
    choice: GsoChoice,
    frames: WholeFrames,
}

impl OffloadRules {
    /// Returns the rules for a program, given the user's choice.
    pub fn new(choice: GsoChoice, frames: WholeFrames) -> Self {
        Self { choice, frames }
    }

    /// Returns the offloads that a frame keeps while the program runs; `None` if the offloads must
    /// be done before.
    #[inline]
    pub fn kept_offload(&self, frame: &Frame<'_>, worker: &Worker) -> Option<CarriedOffload> {
        if self.choice == GsoChoice::Off {
            return None;
        }
        let (layout, carried) = carried_offload(frame)?;
        let offload = if carried.gso.is_some() { Offload::Whole } else { Offload::Checksum };
        let is_proven = self.frames.reason(layout, offload).is_none();
        // Queues with rates count and time single packets, so GSO frames must be cut.
        let is_paced = offload == Offload::Whole && !worker.forwards_at_once();
        (self.choice == GsoChoice::Force || is_proven && !is_paced).then_some(carried)
    }

    /// Logs which frames the program of a switch processes with their offloads, and why other
    /// frames are cut or completed first.
    pub fn log(&self, switch: Option<&str>) {
        if self.choice == GsoChoice::Off {
            tracing::info!(
                switch,
                "GSO frames are cut and checksums completed before the program runs (--gso off)"
            );
            return;
        }
        for offload in [Offload::Whole, Offload::Checksum] {
            let (what, done) = offload.describe();
            let reasons = self.frames.reasons(offload);
            if reasons.is_empty() {
                tracing::info!(switch, "{what} pass the program as they are");
            }
            for (reason, frames) in reasons {
                if self.choice == GsoChoice::Force {
                    tracing::warn!(
                        switch, %reason, %frames, "{what} pass the program, which could tell (--gso force)"
                    );
                } else {
                    tracing::info!(switch, %reason, %frames, "{what} are {done} before the program runs");
                }
            }
        }
    }
}
