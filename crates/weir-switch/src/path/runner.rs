//! A program's path on one thread.

use std::sync::Arc;

use weir_device::Nanos;
use weir_exec::Executor;

use super::{PacketPath, PathContext};
use crate::config::SwitchConfig;
use crate::state::{ControlView, ThreadState};
use crate::stats::Stats;
use crate::trace::Recorder;

/// The program and its path, and the state of the thread that runs packets.
pub(crate) struct PathRunner {
    pub executor: Arc<dyn Executor>,
    pub path: Arc<PacketPath>,
    pub config: SwitchConfig,
    pub thread: ThreadState,
    pub stats: Stats,
    pub trace: Recorder,
}

impl PathRunner {
    /// Runs a part of the path at the time `now`. The part returns the number of verdicts that it
    /// gave for one packet. All verdicts except one are for copies, which are then in flight. Hits
    /// of entries stay in the state of the thread ([`ThreadState::hits`]).
    #[inline]
    pub(crate) fn run(
        &mut self,
        control: ControlView<'_>,
        now: Nanos,
        part: impl FnOnce(&PacketPath, &mut PathContext<'_>, &mut Stats) -> usize,
    ) {
        let Self { executor, path, config, thread, stats, trace } = self;
        let mut context = PathContext { executor: &**executor, control, thread, config, now, trace };
        let copies = part(path, &mut context, stats).saturating_sub(1) as u64;
        stats.copied += copies;
        stats.in_flight += copies;
    }
}
