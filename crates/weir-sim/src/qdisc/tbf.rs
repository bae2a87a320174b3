//! The token bucket filter (tc-tbf): all frames together leave at one rate.

use super::bucket::Bucket;
use super::child::Child;
use super::fifo::QUEUE_FULL;
use super::{Dropped, Moment, Next, QdiscConfig, Stats, TbfConfig, Waiting};
use crate::frames::FrameId;

/// Why a frame is dropped for which the bucket never has tokens enough.
const TOO_LARGE: &str = "larger than the token bucket";

#[derive(Debug)]
pub(crate) struct Tbf {
    burst: u64,
    /// Bytes that may wait, the head among them; none if the queue has a limit of its own.
    limit: Option<u64>,
    bucket: Bucket,
    queue: Child,
    /// The next frame, which waits for its tokens.
    head: Option<Waiting>,
}

fn queue(config: &TbfConfig) -> QdiscConfig {
    config.queue.as_deref().cloned().unwrap_or(QdiscConfig::Fifo { packets: None, bytes: None })
}

fn limit(config: &TbfConfig) -> Option<u64> {
    config.queue.is_none().then_some(config.limit)
}

impl Tbf {
    pub(super) fn new(config: &TbfConfig, seed: u64, name: &str) -> Self {
        Tbf {
            burst: config.burst,
            limit: limit(config),
            bucket: Bucket::new(config.rate, config.burst),
            queue: Child::new(Some(&queue(config)), seed, &format!("{name} tbf")),
            head: None,
        }
    }

    pub(super) fn change(&mut self, config: &TbfConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        let mut bucket = Bucket::new(config.rate, config.burst);
        bucket.take_over(&self.bucket);
        (self.bucket, self.burst, self.limit) = (bucket, config.burst, limit(config));
        self.queue.replace(Some(&queue(config)), seed, &format!("{name} tbf"), dropped);
        // The head may no longer fit.
        if let Some(head) = self.head.take_if(|head| u64::from(head.bytes) > config.burst) {
            dropped.push((head.frame, TOO_LARGE));
        }
    }

    pub(super) fn enqueue(&mut self, waiting: Waiting, moment: &mut Moment<'_>) {
        let bytes = u64::from(waiting.bytes);
        if bytes > self.burst {
            return moment.drop(waiting.frame, TOO_LARGE);
        }
        if self.limit.is_some_and(|limit| self.bytes() + bytes > limit) {
            return moment.drop(waiting.frame, QUEUE_FULL);
        }
        self.queue.enqueue(waiting, moment);
    }

    pub(super) fn dequeue(&mut self, moment: &mut Moment<'_>) -> Next {
        let head = match self.head.take() {
            Some(head) => head,
            None => match self.queue.dequeue(moment) {
                Next::Frame(waiting) => waiting,
                other => return other,
            },
        };
        self.bucket.refill(moment.now);
        // A burst that was made smaller may leave longer frames behind in the queue; they wait for a full bucket and go into debt.
        let needed = u64::from(head.bytes).min(self.burst) as u32;
        let time = self.bucket.ready_at(moment.now, needed);
        if time > moment.now {
            self.head = Some(head);
            return Next::At(time);
        }
        self.bucket.take(head.bytes);
        Next::Frame(head)
    }

    pub(super) fn packets(&self) -> usize {
        self.queue.packets() + usize::from(self.head.is_some())
    }

    pub(super) fn bytes(&self) -> u64 {
        self.queue.bytes() + self.head.map_or(0, |head| head.bytes.into())
    }

    pub(super) fn drain(&mut self) -> Vec<FrameId> {
        let mut all: Vec<_> = self.head.take().map(|head| head.frame).into_iter().collect();
        all.append(&mut self.queue.drain());
        all
    }

    pub(super) fn made(&self) -> u64 {
        self.queue.made()
    }

    /// The figures of its queue, if that is one of its own.
    pub(super) fn child(&self) -> Option<Box<Stats>> {
        if self.limit.is_some() { None } else { self.queue.stats() }
    }
}
