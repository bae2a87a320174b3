//! Which frames reach the program with their offloads.

use weir_ports::Frame;
use weir_switch::Worker;
use weir_switch::whole_frames::{FrameLayout, Offload, WholeFrames};

use super::carried::Carried;
use crate::args::GsoChoice;

/// Which frames reach a program with their offloads.
pub struct Passing {
    choice: GsoChoice,
    frames: WholeFrames,
}

impl Passing {
    /// For a program, and what the user chose.
    pub fn new(choice: GsoChoice, frames: WholeFrames) -> Self {
        Self { choice, frames }
    }

    /// What a frame keeps while the program runs; none if its offloads must be done before.
    #[inline]
    pub fn keeps(&self, frame: &Frame<'_>, worker: &Worker) -> Option<Carried> {
        if self.choice == GsoChoice::Off {
            return None;
        }
        let carried = Carried::of(frame)?;
        let (layout, offload) = carried.offload();
        let is_proven = self.frames.reason(layout, offload).is_none();
        // Queues with rates count packets and time.
        let is_paced = offload == Offload::Whole && !worker.forwards_at_once();
        (self.choice == GsoChoice::Force || is_proven && !is_paced).then_some(carried)
    }

    /// Logs which frames pass, and why others do not.
    pub fn log(&self) {
        if self.choice == GsoChoice::Off {
            tracing::info!("GSO frames are cut and checksums completed before the program runs (--gso off)");
            return;
        }
        for (offload, what) in [(Offload::Whole, "GSO frames"), (Offload::Checksum, "partial checksums")] {
            let mut rest: Vec<_> = self.frames.refused(offload).collect();
            if rest.is_empty() {
                tracing::info!("{what} pass the program as they are");
            }
            while let Some((_, reason)) = rest.first().copied() {
                let (same, others): (Vec<_>, _) = rest.iter().partition(|(_, other)| *other == reason);
                rest = others;
                let frames = listed(&same.iter().map(|(layout, _)| *layout).collect::<Vec<_>>());
                let done = if offload == Offload::Whole { "cut" } else { "completed" };
                if self.choice == GsoChoice::Force {
                    tracing::warn!(%reason, %frames, "{what} pass the program, which could tell (--gso force)");
                } else {
                    tracing::info!(%reason, %frames, "{what} are {done} before the program runs");
                }
            }
        }
    }
}

/// `all`, or the layouts.
fn listed(layouts: &[FrameLayout]) -> String {
    if layouts.len() == FrameLayout::COUNT {
        return "all".to_owned();
    }
    layouts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
