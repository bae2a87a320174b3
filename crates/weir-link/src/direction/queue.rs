//! The queue of a direction: a queueing discipline, and the frames in it.

use weir_device::Nanos;
use weir_ports::Frame;
use weir_ports::offload::wire_size;
use weir_qdisc::{Dequeued, Dropped, Qdisc, QdiscConfig, QdiscContext, QueuedFrame, Stats, TcInterface};

use super::frames::Frames;

/// The queue before the rate.
#[derive(Debug)]
pub(super) struct Queue {
    qdisc: Qdisc,
    frames: Frames,
    /// The settings of the discipline; empty for first in, first out.
    settings: TcInterface,
    seed: u64,
    name: String,
    /// The latest time that was passed to the discipline. Frames may be read from sockets in
    /// another order than they arrived, but the time of a discipline must never go back.
    now: Nanos,
    /// No frame leaves before this time, unless another frame arrives.
    not_before: Nanos,
    /// The frames that the discipline dropped; empty between calls.
    dropped: Dropped,
    /// The number of drops by reason, in the order in which the reasons first occurred.
    drops: Vec<(&'static str, u64)>,
    /// The number of frames in which the discipline marked congestion.
    marked: u64,
}

/// Returns the discipline of these settings. If no discipline is set, the queue is first in, first
/// out and has no limit, because the direction itself has a limit.
fn config(settings: &TcInterface) -> QdiscConfig {
    settings.config().unwrap_or(QdiscConfig::Fifo { packets: None, bytes: None })
}

impl Queue {
    /// Creates an empty queue. With the same seed and name of the direction, the discipline has the
    /// same random numbers as in a virtual network.
    pub(super) fn new(settings: &TcInterface, seed: u64, direction: &str) -> Self {
        let name = format!("qdisc {direction}");
        Self {
            qdisc: Qdisc::new(&config(settings), seed, &name),
            frames: Frames::default(),
            settings: settings.clone(),
            seed,
            name,
            now: 0,
            not_before: 0,
            dropped: Vec::new(),
            drops: Vec::new(),
            marked: 0,
        }
    }

    /// Changes the settings. Frames stay if the kind of the discipline stays; otherwise they are
    /// dropped.
    pub(super) fn set_config(&mut self, now: Nanos, settings: &TcInterface) {
        if self.settings == *settings {
            return;
        }
        self.settings = settings.clone();
        self.now = self.now.max(now);
        self.not_before = self.now;
        self.qdisc.replace(&config(settings), self.seed, &self.name, &mut self.dropped);
        self.count_dropped();
    }

    /// Adds a frame that arrived at a time.
    pub(super) fn push(&mut self, arrived: Nanos, frame: Frame<'static>) {
        self.now = self.now.max(arrived);
        self.not_before = self.now;
        let bytes = frame.len() as u32;
        let waiting = QueuedFrame { frame: self.frames.put(frame), bytes, flow: 0, earliest: 0 };
        let mut context = QdiscContext::new(self.now, &mut self.frames, &mut self.dropped);
        self.qdisc.enqueue(waiting, &mut context);
        self.marked += context.marked;
        self.count_dropped();
    }

    /// Returns the earliest time at which a frame may leave if the link is free from the time
    /// `free` on. `None` if no frame waits.
    pub(super) fn next(&self, free: Nanos) -> Option<Nanos> {
        (self.packets() > 0 && self.not_before < Nanos::MAX).then(|| free.max(self.not_before))
    }

    /// Removes and returns the frame that leaves at this time. If no frame may leave,
    /// [`Queue::next`] is later.
    pub(super) fn pop(&mut self, now: Nanos) -> Option<Frame<'static>> {
        self.now = self.now.max(now);
        let mut context = QdiscContext::new(self.now, &mut self.frames, &mut self.dropped);
        let next = self.qdisc.dequeue(&mut context);
        self.marked += context.marked;
        self.count_dropped();
        match next {
            Dequeued::Frame(waiting) => return Some(self.frames.take(waiting.frame)),
            Dequeued::At(time) => self.not_before = time.max(self.now.saturating_add(1)),
            Dequeued::Empty => self.not_before = Nanos::MAX,
        }
        None
    }

    fn count_dropped(&mut self) {
        for (frame, reason) in self.dropped.drain(..) {
            let lost = wire_size(&self.frames.take(frame)).frames;
            match self.drops.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += lost,
                None => self.drops.push((reason, lost)),
            }
        }
    }

    /// Removes all frames from the queue.
    pub(super) fn clear(&mut self) {
        for frame in self.qdisc.drain() {
            self.frames.take(frame);
        }
    }

    /// Returns the frames in the queue.
    pub(super) fn frames(&self) -> impl Iterator<Item = &Frame<'static>> {
        self.frames.iter()
    }

    /// Returns the number of frames that wait.
    pub(super) fn packets(&self) -> usize {
        self.qdisc.packets()
    }

    /// Returns the bytes of the frames that wait.
    pub(super) fn bytes(&self) -> u64 {
        self.qdisc.bytes()
    }

    /// Returns the number of drops by reason, in the order in which the reasons first occurred.
    pub(super) fn drops(&self) -> &[(&'static str, u64)] {
        &self.drops
    }

    /// Returns the number of frames that the discipline has marked.
    pub(super) fn marked(&self) -> u64 {
        self.marked
    }

    /// Returns the number of duplicates that the discipline has created.
    pub(super) fn duplicates(&self) -> u64 {
        self.qdisc.duplicates()
    }

    /// Returns the statistics of the discipline.
    pub(super) fn stats(&self) -> Stats {
        self.qdisc.stats()
    }
}
