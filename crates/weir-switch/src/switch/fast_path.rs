//! Decides whether packets may take the fast path, and stores the compiled paths of the owner's
//! thread.

use weir_device::Nanos;

use super::Switch;
use crate::path::{Extent, FastPath, PathRunner};

/// The maximum time in nanoseconds before the start of its pass at which a packet may be processed.
/// Packets that arrive at the same time from links of the same rate start one after the other.
const MAX_EARLY: Nanos = 100;

/// The purpose for which a caller wants to use the fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FastPathUse {
    /// Batches of packets at one instant, on the owner's thread.
    Batches,
    /// Batches of packets on workers' threads.
    Workers,
    /// A packet that arrived at `now` and whose pass starts at `start`, in a switch with passes
    /// that take time.
    Pass { now: Nanos, start: Nanos },
}

/// The compiled fast paths of the owner's thread. Each is compiled when it is first needed.
#[derive(Default)]
pub(super) struct FastPaths {
    whole: CompiledPath,
    to_queues: CompiledPath,
    is_egress_pure: Option<bool>,
}

#[derive(Default)]
enum CompiledPath {
    #[default]
    NotYet,
    /// The program or the ports do not allow this path.
    Impossible,
    Ready(Box<FastPath>),
}

impl Switch {
    /// Returns the part of a pass that packets may currently run as one pipeline, or `None` if they
    /// must take the slow path.
    ///
    /// - Single packets must not be observed: none of the next packets is traced, and drops are not
    ///   recorded.
    /// - Batches run at one instant. Therefore passes must take no time, no packet may wait in a
    ///   queue, no queue may have a rate, and no other work may be in progress on the owner's
    ///   thread.
    /// - A pass that takes time runs at its start, if the result is the same as if egress ran
    ///   later. Therefore the pass must start now or very soon, no other packet may wait for a
    ///   pass, no earlier event may be due in the switch, and no workers may run packets. Egress
    ///   runs at once only if no queue can delay the packet and egress depends on the packet alone.
    ///
    /// [`FastPath::new`] decides whether the program and the ports allow a fast path at all.
    // This function is inlined, because it runs for each packet of a network, and the purpose is a
    // constant at every call.
    #[inline(always)]
    pub(super) fn fast_path(&mut self, purpose: FastPathUse) -> Option<Extent> {
        let is_watched =
            self.runner.trace.remaining() > 0 || self.recorded_drops.is_some() || !self.has_program;
        let is_instant = || self.runner.config.pass_latency == 0 && self.queues.never_delays();
        let is_idle = || self.input.is_empty() && self.events.next_time().is_none();
        match purpose {
            _ if is_watched => None,
            FastPathUse::Batches => (is_instant() && is_idle()).then_some(Extent::Whole),
            FastPathUse::Workers => is_instant().then_some(Extent::Whole),
            FastPathUse::Pass { now, start } => {
                let is_due = |time: Option<Nanos>| time.is_some_and(|time| time <= start);
                let may_start = self.input.is_empty()
                    && (start == now || self.may_start_early(start - now))
                    && !is_due(self.events.next_time())
                    && !is_due(self.state.idle.next_time())
                    && !is_due(self.state.generators.next_time())
                    && (self.mailboxes.is_empty() || self.runner.path.changes_entries());
                may_start.then(|| {
                    let Self { fast_paths, runner, queues, .. } = self;
                    if queues.never_delays() && fast_paths.is_egress_pure(runner) {
                        Extent::Whole
                    } else {
                        Extent::ToQueues
                    }
                })
            }
        }
    }

    /// Returns whether a packet that must wait this long for its pass may be processed immediately.
    /// The wait must be short, and the input queue must have room for the packet.
    fn may_start_early(&self, wait: Nanos) -> bool {
        // The number of waiting packets is at most the number of passes until then.
        let before = wait.saturating_mul(self.runner.config.capacity) / 1_000_000_000 + 2;
        wait <= MAX_EARLY && before <= self.runner.config.input_queue as u64
    }

    /// Compiles the program now, as far as packets would otherwise wait for it: the path of
    /// [workers](Switch::worker) and batches, and the blocks of packets that leave it.
    pub fn compile_ahead(&mut self) {
        if let Some(fast_path) = self.fast_paths.take_path(Extent::Whole, &self.runner) {
            // Workers share its code as long as the switch keeps it.
            self.fast_paths.return_path(Extent::Whole, fast_path);
        }
        self.runner.executor.compile_blocks();
    }

    /// Tells the workers whether they may use the fast path.
    pub(super) fn update_workers(&mut self) {
        if self.state.publisher.is_some() {
            let is_open = self.fast_path(FastPathUse::Workers).is_some();
            self.state.publisher.iter().for_each(|publisher| publisher.shared.open_fast_path(is_open));
        }
    }
}

impl FastPaths {
    /// Returns whether egress depends on the packet alone.
    #[inline]
    fn is_egress_pure(&mut self, runner: &PathRunner) -> bool {
        let is_pure = || runner.path.is_egress_pure(runner.executor.program());
        *self.is_egress_pure.get_or_insert_with(is_pure)
    }

    /// Takes the compiled path of this extent, or returns `None` if this path is impossible.
    /// [`FastPaths::return_path`] must return it.
    #[inline]
    pub(super) fn take_path(&mut self, extent: Extent, runner: &PathRunner) -> Option<Box<FastPath>> {
        let compiled = self.path_of(extent);
        match std::mem::take(compiled) {
            CompiledPath::Ready(fast_path) => Some(fast_path),
            CompiledPath::Impossible => {
                *compiled = CompiledPath::Impossible;
                None
            }
            CompiledPath::NotYet => {
                let fast_path = FastPath::new(runner, extent);
                if fast_path.is_none() {
                    *compiled = CompiledPath::Impossible;
                }
                fast_path.map(Box::new)
            }
        }
    }

    pub(super) fn return_path(&mut self, extent: Extent, fast_path: Box<FastPath>) {
        *self.path_of(extent) = CompiledPath::Ready(fast_path);
    }

    fn path_of(&mut self, extent: Extent) -> &mut CompiledPath {
        match extent {
            Extent::Whole => &mut self.whole,
            Extent::ToQueues => &mut self.to_queues,
        }
    }
}
