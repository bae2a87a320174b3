//! The token bucket filter (tc-tbf): all frames together leave at one rate.

use weir_switch::Nanos;

use super::bucket::Bucket;
use super::{Dropped, Next, Qdisc, QdiscConfig, TbfConfig, Waiting};
use crate::frames::{FrameId, Frames};

/// Why a frame is dropped for which the bucket never has tokens enough.
const TOO_LARGE: &str = "larger than the token bucket";

#[derive(Debug)]
pub(crate) struct Tbf {
    burst: u64,
    bucket: Bucket,
    queue: Box<Qdisc>,
    /// The next frame, which waits for its tokens.
    head: Option<Waiting>,
}

fn queue(config: &TbfConfig) -> QdiscConfig {
    config.queue.as_deref().cloned().unwrap_or(QdiscConfig::bytes(config.limit))
}

impl Tbf {
    pub(super) fn new(config: &TbfConfig, seed: u64, name: &str) -> Self {
        Tbf {
            burst: config.burst,
            bucket: Bucket::new(config.rate, config.burst),
            queue: Box::new(Qdisc::new(&queue(config), seed, &format!("{name} tbf"))),
            head: None,
        }
    }

    pub(super) fn change(&mut self, config: &TbfConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        let mut bucket = Bucket::new(config.rate, config.burst);
        bucket.take_over(&self.bucket);
        (self.bucket, self.burst) = (bucket, config.burst);
        self.queue.replace(&queue(config), seed, &format!("{name} tbf"), dropped);
        // The head may no longer fit.
        if let Some(head) = self.head.take_if(|head| u64::from(head.bytes) > config.burst) {
            dropped.push((head.frame, TOO_LARGE));
        }
    }

    pub(super) fn enqueue(
        &mut self,
        now: Nanos,
        waiting: Waiting,
        frames: &mut Frames,
        dropped: &mut Dropped,
    ) {
        if u64::from(waiting.bytes) > self.burst {
            return dropped.push((waiting.frame, TOO_LARGE));
        }
        self.queue.enqueue(now, waiting, frames, dropped);
    }

    pub(super) fn dequeue(&mut self, now: Nanos, frames: &mut Frames, dropped: &mut Dropped) -> Next {
        let head = match self.head.take() {
            Some(head) => head,
            None => match self.queue.dequeue(now, frames, dropped) {
                Next::Frame(waiting) => waiting,
                other => return other,
            },
        };
        self.bucket.refill(now);
        // A burst that was made smaller may leave longer frames behind in the queue; they wait for a full bucket and go into debt.
        let needed = u64::from(head.bytes).min(self.burst) as u32;
        let time = self.bucket.ready_at(now, needed);
        if time > now {
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
}
