//! The token bucket filter (tc-tbf): all frames together are limited to one rate.

use super::bucket::Bucket;
use super::child::ChildQdisc;
use super::fifo::QUEUE_FULL;
use super::{
    Dequeued, Discipline, Dropped, FrameId, FrameStore, QdiscConfig, QdiscContext, QueuedFrame, Stats,
    TbfConfig,
};

/// The reason for drops of frames larger than the bucket.
const TOO_LARGE: &str = "larger than the token bucket";

/// The token bucket filter (TBF) discipline.
#[derive(Debug)]
pub(crate) struct Tbf {
    /// The longest frame that may pass, in bytes.
    longest: u64,
    /// The queue limit in bytes, including the head frame; `None` if the child has its own limit.
    limit: Option<u64>,
    bucket: Bucket,
    /// The bucket of the peak rate, if there is one.
    peak: Option<Bucket>,
    queue: ChildQdisc,
    /// The next frame, which waits for tokens.
    head: Option<QueuedFrame>,
}

/// Returns the settings of the child, or of the built-in FIFO.
fn queue(config: &TbfConfig) -> QdiscConfig {
    config.queue.as_deref().cloned().unwrap_or(QdiscConfig::Fifo { packets: None, bytes: None })
}

/// Returns the limit of the built-in FIFO in bytes; `None` if a child is configured.
fn limit(config: &TbfConfig) -> Option<u64> {
    config.queue.is_none().then_some(config.limit)
}

/// Makes the bucket of the peak rate, if one is set.
fn peak(config: &TbfConfig) -> Option<Bucket> {
    config.peak.map(|peak| Bucket::new(peak.rate, peak.burst))
}

impl Tbf {
    pub(super) fn new(config: &TbfConfig, seed: u64, name: &str) -> Self {
        Tbf {
            longest: config.max_frame_bytes(),
            limit: limit(config),
            bucket: Bucket::new(config.rate, config.burst),
            peak: peak(config),
            queue: ChildQdisc::new(Some(&queue(config)), seed, &format!("{name} tbf")),
            head: None,
        }
    }

    /// Changes the settings; the buckets keep their tokens.
    pub(super) fn change(&mut self, config: &TbfConfig, seed: u64, name: &str, dropped: &mut Dropped) {
        let mut bucket = Bucket::new(config.rate, config.burst);
        bucket.take_tokens_of(&self.bucket);
        (self.bucket, self.longest, self.limit) = (bucket, config.max_frame_bytes(), limit(config));
        let before = std::mem::replace(&mut self.peak, peak(config));
        if let (Some(peak), Some(before)) = (&mut self.peak, before) {
            peak.take_tokens_of(&before);
        }
        self.queue.replace(Some(&queue(config)), seed, &format!("{name} tbf"), dropped);
        // The head frame may be larger than the new bucket.
        if let Some(head) = self.head.take_if(|head| u64::from(head.bytes) > self.longest) {
            dropped.push((head.frame, TOO_LARGE));
        }
    }
}

impl Discipline for Tbf {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        let bytes = u64::from(waiting.bytes);
        if bytes > self.longest {
            return context.drop(waiting.frame, TOO_LARGE);
        }
        if self.limit.is_some_and(|limit| self.bytes() + bytes > limit) {
            return context.drop(waiting.frame, QUEUE_FULL);
        }
        self.queue.enqueue(waiting, context);
    }

    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        let head = match self.head.take() {
            Some(head) => head,
            None => match self.queue.dequeue(context) {
                Dequeued::Frame(waiting) => waiting,
                other => return other,
            },
        };
        // After the burst was reduced, the queue may contain longer frames. They wait for a full
        // bucket, which then goes into debt.
        let needed = u64::from(head.bytes).min(self.longest) as u32;
        let mut buckets = [Some(&mut self.bucket), self.peak.as_mut()];
        let mut time = context.now;
        for bucket in buckets.iter_mut().flatten() {
            bucket.refill(context.now);
            time = time.max(bucket.ready_at(context.now, needed));
        }
        if time > context.now {
            self.head = Some(head);
            return Dequeued::At(time);
        }
        buckets.into_iter().flatten().for_each(|bucket| bucket.take_tokens(head.bytes));
        Dequeued::Frame(head)
    }

    #[inline]
    fn packets(&self) -> usize {
        self.queue.packets() + usize::from(self.head.is_some())
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.queue.bytes() + self.head.map_or(0, |head| head.bytes.into())
    }

    fn drain(&mut self) -> Vec<FrameId> {
        let mut all: Vec<_> = self.head.take().map(|head| head.frame).into_iter().collect();
        all.append(&mut self.queue.drain());
        all
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.head.iter_mut().for_each(|head| visit(&mut head.frame));
        self.queue.visit_frames(visit);
    }

    fn duplicates(&self) -> u64 {
        self.queue.duplicates()
    }

    /// Returns the statistics of a configured child; `None` for the built-in FIFO.
    fn child(&self) -> Option<Box<Stats>> {
        if self.limit.is_some() { None } else { self.queue.stats() }
    }
}
