//! Controlled delay (CoDel: K. Nichols, V. Jacobson 2012; RFC 8289; tc-codel).
//!
//! The sojourn time of a frame is measured when it leaves. When sojourn times have exceeded the
//! target for an interval, one frame is dropped or marked, which begins a series. The n-th drop of
//! a series follows interval / √n after the previous one. The series ends when a sojourn time is
//! below the target.

use weir_device::Nanos;

use super::fifo::QUEUE_FULL;
use super::timed_queue::TimedQueue;
use super::{CodelConfig, Dequeued, Discipline, FrameId, FrameStore, KindStats, QdiscContext, QueuedFrame};
use weir_impair::math;

/// The reason for drops by CoDel.
const LATE: &str = "dropped by CoDel";
/// If at most this many bytes wait after a frame, there is no standing queue: one full Ethernet
/// frame, independent of the interface's MTU.
const FULL_FRAME: u64 = 1514;
/// After this many intervals without drops, a new series starts from the beginning.
const MEMORY: u64 = 16;

/// A queue controlled by CoDel.
#[derive(Debug, Default)]
pub(super) struct CodelQueue {
    waiting: TimedQueue,
    /// While sojourn times are above the target, the time at which they have been above it for an
    /// interval.
    due: Option<Nanos>,
    /// Whether a series of drops is in progress.
    dropping: bool,
    /// The time at which the next drop of the series is due.
    next_drop: Nanos,
    /// The number of drops in this series.
    count: u32,
    /// The value of `count` when the series began.
    last_count: u32,
    /// The sojourn time of the last frame.
    wait: Nanos,
}

/// The numbers of frames that were marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// The number of frames marked instead of dropped.
    pub(super) ecn: u64,
    /// The number of frames marked because their sojourn time exceeded
    /// [`CodelConfig::ce_threshold`].
    pub(super) ce: u64,
}

impl CodelQueue {
    /// Visits the numbers of all frames.
    pub(super) fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.waiting.visit_frames(visit);
    }

    /// Adds a frame to the end of the queue.
    #[inline]
    pub(super) fn push(&mut self, now: Nanos, waiting: QueuedFrame) {
        self.waiting.push(now, waiting);
    }

    /// Returns the first frame and the time at which it was added.
    #[inline]
    pub(super) fn pop_front(&mut self) -> Option<(Nanos, QueuedFrame)> {
        self.waiting.pop_front()
    }

    /// Takes frames until one may leave. `other_bytes` is the number of bytes in other queues for
    /// the same link.
    pub(super) fn pop(
        &mut self,
        config: &CodelConfig,
        other_bytes: u64,
        marks: &mut Marks,
        context: &mut QdiscContext<'_, impl FrameStore>,
    ) -> Option<QueuedFrame> {
        let (now, marked) = (context.now, context.marked);
        let (mut next, mut late) = self.next_frame(config, other_bytes, now);
        if self.dropping {
            self.dropping = late;
            while self.dropping && now >= self.next_drop {
                self.count = self.count.saturating_add(1);
                let signal = self.mark_or_drop(next?, config, marks, context);
                if !signal {
                    (next, late) = self.next_frame(config, other_bytes, now);
                    self.dropping = late;
                }
                if self.dropping {
                    self.next_drop = control_law(self.next_drop, config.interval, self.count);
                }
                if signal {
                    break;
                }
            }
        } else if late {
            if !self.mark_or_drop(next?, config, marks, context) {
                (next, _) = self.next_frame(config, other_bytes, now);
            }
            self.dropping = true;
            // Shortly after a series, the next one starts at about the drop rate that was reached.
            let reached = self.count - self.last_count;
            let recent = now < self.next_drop.saturating_add(config.interval.saturating_mul(MEMORY));
            self.count = if recent && reached > 1 { reached } else { 1 };
            self.last_count = self.count;
            self.next_drop = control_law(now, config.interval, self.count);
        }
        let Some(waiting) = next else {
            self.dropping = false;
            return None;
        };
        // A frame that was just marked is not marked again.
        if config.ce_threshold.is_some_and(|threshold| self.wait > threshold)
            && (context.marked > marked || context.mark(waiting.frame))
        {
            marks.ce += 1;
        }
        Some(waiting)
    }

    /// Returns the next frame, and whether sojourn times have been above the target for an
    /// interval.
    #[inline]
    fn next_frame(
        &mut self,
        config: &CodelConfig,
        other_bytes: u64,
        now: Nanos,
    ) -> (Option<QueuedFrame>, bool) {
        let Some((since, waiting)) = self.pop_front() else {
            self.due = None;
            return (None, false);
        };
        self.wait = now.saturating_sub(since);
        if self.wait < config.target || self.bytes() + other_bytes <= FULL_FRAME {
            self.due = None;
            return (Some(waiting), false);
        }
        let due = *self.due.get_or_insert(now.saturating_add(config.interval));
        (Some(waiting), now >= due)
    }

    /// Marks or drops a frame. Returns whether the frame is forwarded.
    fn mark_or_drop(
        &self,
        waiting: QueuedFrame,
        config: &CodelConfig,
        marks: &mut Marks,
        context: &mut QdiscContext<'_, impl FrameStore>,
    ) -> bool {
        let marked = config.ecn && context.mark(waiting.frame);
        if marked {
            marks.ecn += 1;
        } else {
            context.drop(waiting.frame, LATE);
        }
        marked
    }

    /// Increases the drop rate, because frames were dropped for lack of space.
    pub(super) fn raise_drop_rate(&mut self, dropped: u32) {
        self.count = self.count.saturating_add(dropped);
    }

    /// Returns the number of frames in the queue.
    #[inline]
    pub(super) fn packets(&self) -> usize {
        self.waiting.packets()
    }

    /// Returns the bytes of the frames in the queue.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.waiting.bytes()
    }
}

/// Returns the time of the next drop, after the `count`-th drop of the series at the time `from`.
fn control_law(from: Nanos, interval: Nanos, count: u32) -> Nanos {
    let pause = interval as f64 / f64::from(count.max(1)).sqrt();
    from.saturating_add(math::round_to_i64(pause).max(1) as Nanos)
}

/// The CoDel queueing discipline.
#[derive(Debug)]
pub(crate) struct Codel {
    config: CodelConfig,
    queue: CodelQueue,
    marks: Marks,
    /// The number of frames dropped because the queue was full.
    refused: u64,
}

impl Codel {
    pub(super) fn new(config: &CodelConfig) -> Self {
        Codel { config: config.clone(), queue: CodelQueue::default(), marks: Marks::default(), refused: 0 }
    }

    /// Changes the settings. Frames that exceed a smaller limit stay in the queue.
    pub(super) fn change(&mut self, config: &CodelConfig) {
        self.config = config.clone();
    }
}

impl Discipline for Codel {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        if self.queue.packets() >= self.config.limit {
            self.refused += 1;
            return context.drop(waiting.frame, QUEUE_FULL);
        }
        self.queue.push(context.now, waiting);
    }

    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        self.queue.pop(&self.config, 0, &mut self.marks, context).map_or(Dequeued::Empty, Dequeued::Frame)
    }

    #[inline]
    fn packets(&self) -> usize {
        self.queue.packets()
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }

    fn drain(&mut self) -> Vec<FrameId> {
        std::mem::take(&mut self.queue).waiting.drain().collect()
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.queue.visit_frames(visit);
    }

    fn kind_stats(&self) -> KindStats {
        let CodelQueue { count, last_count, wait, dropping, .. } = self.queue;
        KindStats::Codel {
            count,
            last_count,
            wait,
            dropping,
            ecn_marked: self.marks.ecn,
            ce_marked: self.marks.ce,
            refused: self.refused,
        }
    }
}
