//! Whole connections through one bottleneck with a queue. ACKs come back after a fixed time, unhindered.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use weir_tcp::math::{SECOND, bytes_in, mul_div, splitmix};
use weir_tcp::{Config, Connection, Flags, Info, Nanos, PseudoSum, Segment};

pub const MS: Nanos = 1_000_000;
/// Payload of a full segment, timestamps taken off, and what it is on an Ethernet link.
pub const MSS: u64 = 1448;
pub const FRAME: u64 = 1514;
/// Ethernet's and IPv4's headers.
const BELOW: u64 = 34;
const PSEUDO: PseudoSum = PseudoSum(0x1111);

pub enum Loss {
    None,
    /// Each n-th segment with data, the 100th first: slow start ends near where the losses hold the window.
    Every(u64),
    /// Each segment with data, with this probability.
    Random(f64),
}

pub struct Path {
    /// Bits a second; 0: no bottleneck.
    pub rate: u64,
    /// The round trip of an empty path.
    pub rtt: Nanos,
    /// Bytes that may wait.
    pub buffer: u64,
    /// Waiting bytes above which packets that can be are marked (RFC 3168).
    pub mark: u64,
    pub loss: Loss,
    /// ACKs are late by up to this much, in order: without noise flows of equal round trips lock one another out of a queue.
    pub jitter: Nanos,
}

impl Path {
    pub fn unlimited(rtt: Nanos, loss: Loss) -> Self {
        Path { rate: 0, rtt, buffer: 0, mark: u64::MAX, loss, jitter: 0 }
    }

    /// A bottleneck with room for `buffer` products of bandwidth and delay.
    pub fn bottleneck(rate: u64, rtt: Nanos, buffer: f64) -> Self {
        let buffer = (bytes_in(rate, rtt) as f64 * buffer) as u64;
        Path { rate, rtt, buffer, mark: u64::MAX, loss: Loss::None, jitter: 0 }
    }

    pub fn product(&self) -> f64 {
        bytes_in(self.rate, self.rtt) as f64
    }
}

struct Flow {
    config: Config,
    ends: [Option<Connection>; 2],
    armed: [Nanos; 2],
    last_ack: Nanos,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Start(usize),
    Timer { flow: usize, end: usize },
    Arrive { flow: usize, end: usize, slot: usize, marked: bool },
    Sent,
}

pub struct Net {
    pub path: Path,
    pub now: Nanos,
    pub dropped: u64,
    flows: Vec<Flow>,
    events: BinaryHeap<Reverse<(Nanos, u64, Event)>>,
    made: u64,
    /// Segments on the way, and free places for more.
    slots: Vec<Vec<u8>>,
    free: Vec<usize>,
    /// Flow, place, whether it was marked.
    queue: VecDeque<(usize, usize, bool)>,
    queued: u64,
    sending: bool,
    data: u64,
    random: u64,
    /// Bytes waiting, times nanoseconds; and since when they are as they are.
    waited: u128,
    since: Nanos,
    pub busy: Nanos,
}

impl Net {
    pub fn new(path: Path, seed: u64) -> Self {
        Net {
            path,
            now: 0,
            dropped: 0,
            flows: Vec::new(),
            events: BinaryHeap::new(),
            made: 0,
            slots: Vec::new(),
            free: Vec::new(),
            queue: VecDeque::new(),
            queued: 0,
            sending: false,
            data: 0,
            random: seed,
            waited: 0,
            since: 0,
            busy: 0,
        }
    }

    pub fn one(path: Path, config: Config) -> Self {
        let mut net = Net::new(path, 1);
        net.add(config, 0);
        net
    }

    /// A flow of endless data from `start` on.
    pub fn add(&mut self, config: Config, start: Nanos) {
        self.flows.push(Flow { config, ends: [None, None], armed: [Nanos::MAX; 2], last_ack: 0 });
        self.at(start, Event::Start(self.flows.len() - 1));
    }

    /// Uniform below `bound`.
    pub fn draw(&mut self, bound: u64) -> u64 {
        mul_div(splitmix(&mut self.random), bound, u64::MAX)
    }

    pub fn sender(&self, flow: usize) -> Info {
        self.flows[flow].ends[0].as_ref().expect("it has begun").info()
    }

    /// Bytes that have arrived in order.
    pub fn received(&self, flow: usize) -> u64 {
        self.flows[flow].ends[1].as_ref().map_or(0, |end| end.info().received)
    }

    /// Bits of payload a second that each flow delivers until `until`.
    pub fn rates(&mut self, until: Nanos) -> Vec<f64> {
        let before: Vec<u64> = (0..self.flows.len()).map(|flow| self.received(flow)).collect();
        let from = self.now;
        self.run(until);
        let span = (until - from) as f64 / SECOND as f64;
        before
            .iter()
            .enumerate()
            .map(|(flow, before)| (self.received(flow) - before) as f64 * 8.0 / span)
            .collect()
    }

    /// Mean of waiting bytes until `until`.
    pub fn mean_queue(&mut self, until: Nanos) -> f64 {
        self.account();
        self.waited = 0;
        let from = self.now;
        self.run(until);
        self.account();
        self.waited as f64 / (until - from) as f64
    }

    pub fn run(&mut self, until: Nanos) {
        while let Some(Reverse((time, _, _))) = self.events.peek()
            && *time <= until
        {
            let Some(Reverse((time, _, event))) = self.events.pop() else { break };
            self.now = time;
            match event {
                Event::Start(flow) => self.start(flow),
                Event::Timer { flow, end } => self.timer(flow, end),
                Event::Arrive { flow, end, slot, marked } => self.arrive(flow, end, slot, marked),
                Event::Sent => self.sent(),
            }
        }
        self.now = until;
    }

    fn at(&mut self, time: Nanos, event: Event) {
        self.made += 1;
        self.events.push(Reverse((time, self.made, event)));
    }

    fn account(&mut self) {
        self.waited += u128::from(self.queued) * u128::from(self.now - self.since);
        self.since = self.now;
    }

    fn start(&mut self, flow: usize) {
        let random = splitmix(&mut self.random);
        let config = self.flows[flow].config.clone();
        self.flows[flow].ends[0] = Some(Connection::connect(self.now, config, (1, 2), random as u32, random));
        self.pump(flow, 0);
    }

    fn timer(&mut self, flow: usize, end: usize) {
        if self.flows[flow].armed[end] != self.now {
            return;
        }
        self.flows[flow].armed[end] = Nanos::MAX;
        if let Some(connection) = &mut self.flows[flow].ends[end] {
            connection.on_timer(self.now);
        }
        self.pump(flow, end);
    }

    fn arrive(&mut self, flow: usize, end: usize, slot: usize, marked: bool) {
        let segment = Segment::parse(&self.slots[slot], PSEUDO).expect("nothing damages segments");
        let Flow { config, ends, .. } = &mut self.flows[flow];
        match &mut ends[end] {
            Some(connection) => connection.on_segment(self.now, &segment, marked),
            None if segment.flags.has(Flags::SYN) => {
                ends[end] =
                    Some(Connection::accept(self.now, config.clone(), &segment, 77, self.made, false));
            }
            None => {}
        }
        self.free.push(slot);
        self.pump(flow, end);
    }

    /// The applications write and read as much as they can; segments leave; the timer is set.
    fn pump(&mut self, flow: usize, end: usize) {
        let Some(mut connection) = self.flows[flow].ends[end].take() else { return };
        while connection.next_event().is_some() {}
        if end == 0 {
            connection.write_pattern(u64::MAX);
        } else {
            connection.discard();
        }
        while let Some(outgoing) = connection.next_segment(self.now) {
            let slot = self.free.pop().unwrap_or_else(|| {
                self.slots.push(Vec::new());
                self.slots.len() - 1
            });
            self.slots[slot].resize(outgoing.len as usize, 0);
            connection.emit(&outgoing, PSEUDO, &mut self.slots[slot]);
            connection.departed(outgoing.len);
            if end == 0 {
                self.offer(flow, slot, outgoing.payload > 0, outgoing.ect);
            } else {
                let late = if self.path.jitter > 0 { self.draw(self.path.jitter) } else { 0 };
                let time = (self.now + self.path.rtt / 2 + late).max(self.flows[flow].last_ack);
                self.flows[flow].last_ack = time;
                self.at(time, Event::Arrive { flow, end: 0, slot, marked: false });
            }
        }
        if let Some(deadline) = connection.next_deadline()
            && deadline < self.flows[flow].armed[end]
        {
            self.flows[flow].armed[end] = deadline;
            self.at(deadline.max(self.now), Event::Timer { flow, end });
        } else if self.flows[flow].armed[end] == Nanos::MAX && connection.next_deadline().is_some() {
            unreachable!("a deadline that nobody waits for");
        }
        self.flows[flow].ends[end] = Some(connection);
    }

    fn offer(&mut self, flow: usize, slot: usize, data: bool, ect: bool) {
        self.data += u64::from(data);
        let lost = data
            && match self.path.loss {
                Loss::None => false,
                Loss::Every(n) => (self.data + n - 100).is_multiple_of(n),
                Loss::Random(p) => (splitmix(&mut self.random) as f64) < p * u64::MAX as f64,
            };
        let size = self.slots[slot].len() as u64 + BELOW;
        if lost || (self.path.rate > 0 && self.sending && self.queued + size > self.path.buffer) {
            self.dropped += 1;
            self.free.push(slot);
        } else if self.path.rate == 0 {
            self.at(
                self.now + self.path.rtt - self.path.rtt / 2,
                Event::Arrive { flow, end: 1, slot, marked: false },
            );
        } else {
            self.account();
            let marked = ect && self.queued > self.path.mark;
            self.queued += size;
            self.queue.push_back((flow, slot, marked));
            if !self.sending {
                self.send();
            }
        }
    }

    fn send(&mut self) {
        let Some((flow, slot, marked)) = self.queue.pop_front() else { return };
        self.account();
        let size = self.slots[slot].len() as u64 + BELOW;
        self.queued -= size;
        let time = mul_div(size * 8, SECOND, self.path.rate);
        self.sending = true;
        self.busy += time;
        self.at(self.now + time, Event::Sent);
        self.at(
            self.now + time + self.path.rtt - self.path.rtt / 2,
            Event::Arrive { flow, end: 1, slot, marked },
        );
    }

    fn sent(&mut self) {
        self.sending = false;
        self.send();
    }
}

/// Jain's index of fairness: 1 for equal shares, 1/n for one that has all.
pub fn jain(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

#[track_caller]
pub fn near(measured: f64, theory: f64, share: f64) {
    let off = measured / theory - 1.0;
    assert!(off.abs() <= share, "{measured:.2} is {:+.1} % off {theory:.2}", off * 100.0);
}
