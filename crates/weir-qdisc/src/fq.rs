//! Fair queueing with pacing (tc-fq): one queue per flow, served by deficit round robin. No flow is
//! faster than `maxrate`, and no frame leaves before the time that its sender set.
//!
//! Two differences from Linux: flows never share a hash bucket, and `maxrate` is enforced per frame
//! instead of per quantum.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;
use weir_device::Nanos;

use super::fifo::QUEUE_FULL;
use super::{Dequeued, Discipline, FqConfig, FrameId, FrameStore, KindStats, QdiscContext, QueuedFrame};

/// The reason for drops because a flow has too many frames in the queue.
const FLOW_FULL: &str = "flow's queue full";
const BEYOND_HORIZON: &str = "departure time beyond the pacing horizon";
/// A flow that was idle for this long gets a new quantum (`refill_delay`).
const REFILL: Nanos = 40_000_000;
/// The time after which an idle flow is deleted.
const IDLE_LIFETIME: Nanos = 3_000_000_000;
const NANOBITS_PER_BYTE: u128 = 8 * 1_000_000_000;

/// The queue of one flow.
#[derive(Debug)]
struct Flow {
    key: u64,
    waiting: VecDeque<QueuedFrame>,
    credit: i64,
    /// The earliest time of the next frame under `maxrate`, and the fraction of a nanosecond by
    /// which that time was rounded, in units of 1/maxrate.
    next: Nanos,
    fraction: u64,
    /// The time at which the flow became idle; `None` while it has frames.
    idle: Option<Nanos>,
}

/// The Fair Queue (FQ) discipline.
#[derive(Debug)]
pub(crate) struct Fq {
    config: FqConfig,
    flows: Vec<Flow>,
    free: Vec<usize>,
    /// The flows' positions by key. The map is never iterated over, so its order does not matter.
    by_key: FxHashMap<u64, usize>,
    /// The flows to serve: new ones first.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// The flows whose first frame must wait, by its time.
    throttled: BTreeSet<(Nanos, usize)>,
    /// The flows that became idle, with the time, oldest first; some of them are active again.
    idle_since: VecDeque<(Nanos, usize)>,
    packets: usize,
    bytes: u64,
    /// The number of frames marked because of `ce_threshold`.
    marked: u64,
}

impl Fq {
    pub(super) fn new(config: &FqConfig) -> Self {
        Fq {
            config: config.clone(),
            flows: Vec::new(),
            free: Vec::new(),
            by_key: FxHashMap::default(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            throttled: BTreeSet::new(),
            idle_since: VecDeque::new(),
            packets: 0,
            bytes: 0,
            marked: 0,
        }
    }

    /// Changes the settings; queued frames stay, and waiting flows are scheduled by the new
    /// settings.
    pub(super) fn change(&mut self, config: &FqConfig) {
        if config.maxrate != self.config.maxrate {
            for flow in &mut self.flows {
                (flow.next, flow.fraction) = (0, 0);
            }
        }
        self.config = config.clone();
        self.old.extend(std::mem::take(&mut self.throttled).into_iter().map(|(_, flow)| flow));
    }

    /// Finds the flow of this key, or adds a new flow if there is none.
    #[inline]
    fn flow(&mut self, now: Nanos, key: u64) -> usize {
        self.forget(now);
        if let Some(index) = self.by_key.get(&key) {
            return *index;
        }
        let credit = self.config.initial_quantum.into();
        let flow = Flow { key, waiting: VecDeque::new(), credit, next: 0, fraction: 0, idle: Some(now) };
        let index = match self.free.pop() {
            Some(index) => {
                self.flows[index] = flow;
                index
            }
            None => {
                self.flows.push(flow);
                self.flows.len() - 1
            }
        };
        self.by_key.insert(key, index);
        self.idle_since.push_back((now, index));
        index
    }

    /// Deletes flows that have been idle for a long time.
    #[inline]
    fn forget(&mut self, now: Nanos) {
        while let Some((since, index)) = self.idle_since.front().copied() {
            let due = since.saturating_add(IDLE_LIFETIME).max(self.flows[index].next);
            let idle = self.flows[index].idle == Some(since);
            if idle && due > now {
                return;
            }
            self.idle_since.pop_front();
            if idle {
                self.by_key.remove(&self.flows[index].key);
                self.flows[index].idle = None;
                self.free.push(index);
            }
        }
    }

    #[inline]
    fn leave_front(&mut self, from_new: bool) {
        if from_new {
            self.new.pop_front()
        } else {
            self.old.pop_front()
        };
    }
}

impl Discipline for Fq {
    fn enqueue(&mut self, waiting: QueuedFrame, context: &mut QdiscContext<'_, impl FrameStore>) {
        let now = context.now;
        if self.packets >= self.config.limit {
            return context.drop(waiting.frame, QUEUE_FULL);
        }
        if self.config.pacing && waiting.earliest > now.saturating_add(self.config.horizon) {
            return context.drop(waiting.frame, BEYOND_HORIZON);
        }
        let key = context.flow(&waiting);
        let index = self.flow(now, key);
        let flow = &mut self.flows[index];
        if flow.waiting.len() >= self.config.flow_limit {
            return context.drop(waiting.frame, FLOW_FULL);
        }
        if let Some(since) = flow.idle.take() {
            if now.saturating_sub(since) > REFILL {
                flow.credit = flow.credit.max(self.config.quantum.into());
            }
            self.new.push_back(index);
        }
        flow.waiting.push_back(QueuedFrame { earliest: waiting.earliest.max(now), ..waiting });
        self.packets += 1;
        self.bytes += u64::from(waiting.bytes);
    }

    fn dequeue(&mut self, context: &mut QdiscContext<'_, impl FrameStore>) -> Dequeued {
        let now = context.now;
        while let Some((time, index)) = self.throttled.first().copied().filter(|(time, _)| *time <= now) {
            self.throttled.remove(&(time, index));
            self.old.push_back(index);
        }
        loop {
            let from_new = !self.new.is_empty();
            let Some(index) = self.new.front().or(self.old.front()).copied() else {
                return self.throttled.first().map_or(Dequeued::Empty, |(time, _)| Dequeued::At(*time));
            };
            let flow = &mut self.flows[index];
            if flow.credit <= 0 {
                flow.credit += i64::from(self.config.quantum);
                self.leave_front(from_new);
                self.old.push_back(index);
                continue;
            }
            let Some(head) = flow.waiting.front().copied() else {
                // A new flow moves to the old flows after its first turn, so that short flows do
                // not starve the old ones.
                let pass = from_new && !self.old.is_empty();
                self.leave_front(from_new);
                if pass {
                    self.old.push_back(index);
                } else {
                    self.flows[index].idle = Some(now);
                    self.idle_since.push_back((now, index));
                }
                continue;
            };
            let time = head.earliest.max(flow.next);
            if self.config.pacing && time > now {
                self.leave_front(from_new);
                self.throttled.insert((time, index));
                continue;
            }
            flow.waiting.pop_front();
            flow.credit -= i64::from(head.bytes);
            if let Some(maxrate) = self.config.maxrate.filter(|_| self.config.pacing) {
                flow.pace(now, head.bytes, maxrate, self.config.quantum);
            }
            self.packets -= 1;
            self.bytes -= u64::from(head.bytes);
            let late = self.config.ce_threshold.is_some_and(|threshold| now.saturating_sub(time) > threshold);
            self.marked += u64::from(late && context.mark(head.frame));
            return Dequeued::Frame(head);
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

    /// Removes and returns all frames, by flow.
    fn drain(&mut self) -> Vec<FrameId> {
        let all = self
            .flows
            .iter_mut()
            .flat_map(|flow| flow.waiting.drain(..))
            .map(|waiting| waiting.frame)
            .collect();
        *self = Fq { marked: self.marked, ..Fq::new(&self.config) };
        all
    }

    fn visit_frames(&mut self, visit: &mut dyn FnMut(&mut FrameId)) {
        let waiting = self.flows.iter_mut().flat_map(|flow| &mut flow.waiting);
        waiting.for_each(|waiting| visit(&mut waiting.frame));
    }

    fn kind_stats(&self) -> KindStats {
        let idle = self.flows.iter().filter(|flow| flow.idle.is_some()).count();
        let (flows, throttled) = (self.by_key.len(), self.throttled.len());
        KindStats::Fq { flows, idle, throttled, ce_marked: self.marked }
    }
}

impl Flow {
    /// Updates the earliest time of the flow's next frame after a frame has left. A flow that could
    /// have sent earlier catches up by at most a quantum.
    #[inline]
    fn pace(&mut self, now: Nanos, bytes: u32, maxrate: u64, quantum: u32) {
        let rate = u128::from(maxrate);
        let preceded_by = u128::from(quantum) * NANOBITS_PER_BYTE / rate;
        let earliest = now.saturating_sub(Nanos::try_from(preceded_by).unwrap_or(Nanos::MAX));
        if self.next < earliest {
            (self.next, self.fraction) = (earliest, 0);
        }
        let work = u128::from(bytes) * NANOBITS_PER_BYTE + u128::from(self.fraction);
        self.fraction = (work % rate) as u64;
        self.next = self.next.saturating_add(Nanos::try_from(work / rate).unwrap_or(Nanos::MAX / 4));
    }
}
