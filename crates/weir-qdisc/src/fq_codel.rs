//! FQ-CoDel (RFC 8290, tc-fq_codel): flows are hashed to queues, which are served by deficit round
//! robin. A queue that was empty is served first, so that sparse flows do not wait for bulk flows.

use std::collections::VecDeque;

use weir_device::Nanos;
use weir_tcp::math::splitmix;

use super::codel::{CodelQueue, Marks};
use super::fifo::QUEUE_FULL;
use super::{Dequeued, Discipline, FqCodelConfig, FrameId, FrameStore, KindStats, QdiscContext, QueuedFrame};
use weir_impair::Random;

/// The queue of one flow, with CoDel.
#[derive(Debug, Default)]
struct Flow {
    queue: CodelQueue,
    /// The remaining deficit in bytes.
    credit: i64,
    /// Whether the queue is in a list of queues to serve.
    listed: bool,
}

#[derive(Debug)]
pub(crate) struct FqCodel {
    config: FqCodelConfig,
    /// The hash key, which decides the flows that share a queue.
    hash_key: u64,
    flows: Vec<Flow>,
    /// The queues to serve: new ones first.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    packets: usize,
    bytes: u64,
    marks: Marks,
    /// The number of frames dropped because of the limits, and those of them because of the memory
    /// limit.
    overlimit: u64,
    overmemory: u64,
    /// The number of times that an empty queue became active.
    activations: u64,
}

impl FqCodel {
    pub(super) fn new(config: &FqCodelConfig, seed: u64, name: &str) -> Self {
        FqCodel {
            config: config.clone(),
            hash_key: Random::new(seed, &format!("{name} fq_codel")).next_u64(),
            flows: (0..config.flows).map(|_| Flow::default()).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            packets: 0,
            bytes: 0,
            marks: Marks::default(),
            overlimit: 0,
            overmemory: 0,
            activations: 0,
        }
    }

    /// Queued frames stay. If the number of queues changes, they are distributed again and CoDel's
    /// state is reset.
    pub(super) fn change(&mut self, config: &FqCodelConfig) {
        let again = config.flows != self.config.flows;
        self.config = config.clone();
        if again {
            let fresh = (0..config.flows).map(|_| Flow::default()).collect();
            (self.packets, self.bytes) = (0, 0);
            (self.new, self.old) = Default::default();
            for mut flow in std::mem::replace(&mut self.flows, fresh) {
                while let Some((since, waiting)) = flow.queue.pop_front() {
                    self.append(since, waiting);
                }
            }
        }
    }

    /// Returns the queue of a flow. Different flows may be hashed to the same queue.
    #[inline]
    fn queue_of(&self, flow: u64) -> usize {
        let mixed = splitmix(&mut (flow ^ self.hash_key));
        ((u128::from(mixed) * self.flows.len() as u128) >> 64) as usize
    }

    /// Appends a frame to the queue of its flow.
    #[inline]
    fn append(&mut self, since: Nanos, waiting: QueuedFrame) {
        let index = self.queue_of(waiting.flow);
        let flow = &mut self.flows[index];
        flow.queue.push(since, waiting);
        self.packets += 1;
        self.bytes += u64::from(waiting.bytes);
        if !flow.listed {
            (flow.listed, flow.credit) = (true, self.config.quantum.into());
            self.new.push_back(index);
            self.activations += 1;
        }
    }

    /// Drops frames from the head of the queue with the most bytes until it has half of them.
    fn drop_from_largest_queue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) {
        let largest = self.flows.iter_mut().rev().max_by_key(|flow| flow.queue.bytes());
        let Some(Flow { queue, .. }) = largest else { return };
        let half = queue.bytes() / 2;
        let mut dropped = 0;
        while dropped < self.config.drop_batch
            && queue.bytes() > half
            && let Some((_, waiting)) = queue.pop_front()
        {
            context.drop(waiting.frame, QUEUE_FULL);
            self.packets -= 1;
            self.bytes -= u64::from(waiting.bytes);
            dropped += 1;
        }
        queue.raise_drop_rate(dropped as u32);
        self.overlimit += dropped as u64;
    }
}

impl Discipline for FqCodel {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        let flow = context.flow(&waiting);
        self.append(context.now, QueuedFrame { flow, ..waiting });
        let short_of_memory = self.bytes > self.config.memory_limit;
        if self.packets > self.config.codel.limit || short_of_memory {
            let before = self.overlimit;
            self.drop_from_largest_queue(context);
            self.overmemory += if short_of_memory { self.overlimit - before } else { 0 };
        }
    }

    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new { &mut self.new } else { &mut self.old };
            let Some(index) = list.front().copied() else { return Dequeued::Empty };
            let flow = &mut self.flows[index];
            if flow.credit <= 0 {
                flow.credit += i64::from(self.config.quantum);
                list.pop_front();
                self.old.push_back(index);
                continue;
            }
            let before = (flow.queue.packets(), flow.queue.bytes());
            let other_bytes = self.bytes - before.1;
            let next = flow.queue.pop(&self.config.codel, other_bytes, &mut self.marks, context);
            self.packets -= before.0 - flow.queue.packets();
            self.bytes -= before.1 - flow.queue.bytes();
            if let Some(waiting) = next {
                flow.credit -= i64::from(waiting.bytes);
                return Dequeued::Frame(waiting);
            }
            list.pop_front();
            // A new queue moves to the old queues after its first turn, so that short flows do not
            // starve the old ones.
            if from_new && !self.old.is_empty() {
                self.old.push_back(index);
            } else {
                flow.listed = false;
            }
        }
    }

    #[inline]
    fn packets(&self) -> usize {
        self.packets
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Removes and returns all frames, by queue.
    fn drain(&mut self) -> Vec<FrameId> {
        let mut all = Vec::new();
        for flow in &mut self.flows {
            all.extend(std::iter::from_fn(|| flow.queue.pop_front()).map(|(_, waiting)| waiting.frame));
            *flow = Flow::default();
        }
        (self.packets, self.bytes) = (0, 0);
        (self.new, self.old) = Default::default();
        all
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        self.flows.iter_mut().for_each(|flow| flow.queue.visit_frames(visit));
    }

    fn kind_stats(&self) -> KindStats {
        KindStats::FqCodel {
            overlimit: self.overlimit,
            overmemory: self.overmemory,
            activations: self.activations,
            ecn_marked: self.marks.ecn,
            ce_marked: self.marks.ce,
            new: self.new.len(),
            old: self.old.len(),
        }
    }
}
