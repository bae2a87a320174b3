//! A queueing discipline attached below another one.

use super::{Dequeued, Dropped, FrameId, FrameStore, Qdisc, QdiscConfig, QueuedFrame, REPLACED};
use super::{QdiscContext, Stats};

/// The child discipline, if there is one. The number of duplicates is kept when the child is
/// removed.
#[derive(Debug, Default)]
pub(super) struct ChildQdisc {
    qdisc: Option<Box<Qdisc>>,
    duplicates: u64,
}

impl ChildQdisc {
    pub(super) fn new(config: Option<&QdiscConfig>, seed: u64, name: &str) -> Self {
        ChildQdisc { qdisc: config.map(|config| Box::new(Qdisc::new(config, seed, name))), duplicates: 0 }
    }

    /// Changes the settings or removes the child. Queued frames are kept or dropped as in
    /// [`Qdisc::replace`].
    pub(super) fn replace(
        &mut self,
        config: Option<&QdiscConfig>,
        seed: u64,
        name: &str,
        dropped: &mut Dropped,
    ) {
        match (&mut self.qdisc, config) {
            (Some(qdisc), Some(config)) => qdisc.replace(config, seed, name, dropped),
            (Some(_), None) => self.drop_child(dropped),
            (None, config) => self.qdisc = ChildQdisc::new(config, seed, name).qdisc,
        }
    }

    /// Removes the child and drops the frames in it.
    pub(super) fn drop_child(&mut self, dropped: &mut Dropped) {
        if let Some(mut qdisc) = self.qdisc.take() {
            self.duplicates += qdisc.duplicates();
            dropped.extend(qdisc.drain().into_iter().map(|frame| (frame, REPLACED)));
        }
    }

    /// Returns whether a child discipline is configured.
    #[inline]
    pub(super) fn exists(&self) -> bool {
        self.qdisc.is_some()
    }

    /// Passes a frame to the child; returns the frame if there is no child.
    pub(super) fn enqueue(
        &mut self,
        waiting: QueuedFrame,
        context: &mut QdiscContext<'_, impl FrameStore>,
    ) -> Option<QueuedFrame> {
        let Some(qdisc) = &mut self.qdisc else { return Some(waiting) };
        qdisc.enqueue(waiting, context);
        None
    }

    /// Takes the child's next frame.
    pub(super) fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        self.qdisc.as_mut().map_or(Dequeued::Empty, |qdisc| qdisc.dequeue(context))
    }

    /// Returns the number of frames in the child's queue.
    #[inline]
    pub(super) fn packets(&self) -> usize {
        self.qdisc.as_ref().map_or(0, |qdisc| qdisc.packets())
    }

    /// Returns the bytes of the frames in the child's queue.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.qdisc.as_ref().map_or(0, |qdisc| qdisc.bytes())
    }

    /// Removes and returns all frames of the child.
    pub(super) fn drain(&mut self) -> Vec<FrameId> {
        self.qdisc.as_mut().map_or(Vec::new(), |qdisc| qdisc.drain())
    }

    /// Visits the numbers of all frames of the child.
    pub(super) fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        if let Some(qdisc) = &mut self.qdisc {
            qdisc.visit_frames(visit);
        }
    }

    /// Returns the number of duplicates that all children so far created.
    pub(super) fn duplicates(&self) -> u64 {
        self.duplicates + self.qdisc.as_ref().map_or(0, |qdisc| qdisc.duplicates())
    }

    /// Returns the statistics of the child.
    pub(super) fn stats(&self) -> Option<Box<Stats>> {
        self.qdisc.as_ref().map(|qdisc| Box::new(qdisc.stats()))
    }
}
