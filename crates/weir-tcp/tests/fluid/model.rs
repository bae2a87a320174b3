//! Senders with unlimited data, one bottleneck with a queue, and ACKs that return after a fixed
//! time.
//!
//! There are no retransmissions. A lost segment is detected when a later segment of its flow
//! arrives, or after a second of silence.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use weir_tcp::math::{SECOND, bytes_in, mul_div, splitmix};
use weir_tcp::{
    Acked, Algorithm, Cause, Congestion, CongestionControl, Delivery, Nanos, Pacer, SendStamp, Start,
    controller,
};

pub const MS: Nanos = 1_000_000;
pub const MSS: u64 = 1000;

pub enum Loss {
    None,
    /// Every n-th segment is lost, starting with the 100th, so slow start ends near the window that
    /// these losses lead to.
    Every(u64),
    Random(f64),
}

pub struct Path {
    /// The rate of the bottleneck in bits per second; 0 if there is none.
    pub rate: u64,
    /// The RTT of an empty path.
    pub rtt: Nanos,
    /// Maximum bytes in the queue.
    pub buffer: u64,
    /// The number of bytes in the queue above which segments are ECN-marked.
    pub mark: u64,
    pub loss: Loss,
    /// The maximum additional delay of ACKs, which stay in order.
    pub jitter: Nanos,
}

impl Path {
    pub fn unlimited(rtt: Nanos, loss: Loss) -> Self {
        Path { rate: 0, rtt, buffer: 0, mark: u64::MAX, loss, jitter: 0 }
    }

    /// Returns a bottleneck with a buffer of `buffer` BDPs.
    pub fn bottleneck(rate: u64, rtt: Nanos, buffer: f64) -> Self {
        let buffer = (bytes_in(rate, rtt) as f64 * buffer) as u64;
        Path { rate, rtt, buffer, mark: u64::MAX, loss: Loss::None, jitter: 0 }
    }

    pub fn bdp_bytes(&self) -> u64 {
        bytes_in(self.rate, self.rtt)
    }
}

struct Outstanding {
    number: u64,
    sent: Nanos,
    stamp: SendStamp,
}

pub struct Flow {
    pub controller: Box<dyn CongestionControl>,
    pub delivered: u64,
    pub congestions: u64,
    pub timeouts: u64,
    outstanding: VecDeque<Outstanding>,
    next: u64,
    round_end: u64,
    recovery: Option<u64>,
    /// The position up to which slow start lasts after a time-out.
    after_timeout: Option<u64>,
    srtt: Nanos,
    min_rtt: Nanos,
    delivery: Delivery,
    pacer: Pacer,
    waiting: bool,
    last_ack: Nanos,
    heard: Nanos,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Ack { flow: usize, number: u64, marked: bool },
    Send { flow: usize },
    Check { flow: usize },
}

pub struct World {
    pub path: Path,
    pub flows: Vec<Flow>,
    pub now: Nanos,
    pub dropped: u64,
    pub marked: u64,
    /// The initial window of flows that are added from now on.
    pub initial_window: u64,
    events: BinaryHeap<Reverse<(Nanos, u64, Event)>>,
    made: u64,
    busy_until: Nanos,
    sent: u64,
    waited: Nanos,
    random: u64,
}

impl World {
    pub fn new(path: Path, seed: u64) -> Self {
        World {
            path,
            flows: Vec::new(),
            now: 0,
            dropped: 0,
            marked: 0,
            initial_window: 10 * MSS,
            events: BinaryHeap::new(),
            made: 0,
            busy_until: 0,
            sent: 0,
            waited: 0,
            random: seed,
        }
    }

    pub fn add(&mut self, algorithm: &Algorithm, starts: Nanos, hystart: bool, fast_convergence: bool) {
        let random = splitmix(&mut self.random);
        let (mss, initial_window) = (MSS as u32, self.initial_window);
        let paced = false;
        let start = Start { mss, initial_window, srtt: 0, random, paced, hystart, fast_convergence };
        let flow = self.flows.len();
        self.flows.push(Flow {
            controller: controller(algorithm, &start),
            delivered: 0,
            congestions: 0,
            timeouts: 0,
            outstanding: VecDeque::new(),
            next: 0,
            round_end: 0,
            recovery: None,
            after_timeout: None,
            srtt: 0,
            min_rtt: 0,
            delivery: Delivery::new(),
            pacer: Pacer::new(),
            waiting: true,
            last_ack: 0,
            heard: starts,
        });
        self.schedule(starts, Event::Send { flow });
        self.schedule(starts, Event::Check { flow });
    }

    pub fn single_flow(path: Path, algorithm: &Algorithm) -> Self {
        let mut world = World::new(path, 1);
        world.add(algorithm, 0, false, true);
        world
    }

    pub fn run(&mut self, until: Nanos) {
        while let Some(Reverse((time, _, _))) = self.events.peek()
            && *time <= until
        {
            let Some(Reverse((time, _, event))) = self.events.pop() else { return };
            self.now = time;
            match event {
                Event::Ack { flow, number, marked } => self.ack(flow, number, marked),
                Event::Send { flow } => {
                    self.flows[flow].waiting = false;
                    self.send(flow);
                }
                Event::Check { flow } => self.check(flow),
            }
        }
        self.now = until;
    }

    /// Returns the bits per second of each flow from now until `until`.
    pub fn rates(&mut self, until: Nanos) -> Vec<f64> {
        let (from, before) = (self.now, self.flows.iter().map(|flow| flow.delivered).collect::<Vec<_>>());
        self.run(until);
        let time = (until - from) as f64 / SECOND as f64;
        self.flows
            .iter()
            .zip(before)
            .map(|(flow, before)| (flow.delivered - before) as f64 * 8.0 / time)
            .collect()
    }

    /// Returns the mean number of queued bytes that segments found when they were sent, from now
    /// until `until`.
    pub fn mean_queue(&mut self, until: Nanos) -> f64 {
        (self.sent, self.waited) = (0, 0);
        self.run(until);
        self.waited as f64 / self.sent as f64 * self.path.rate as f64 / 8e9
    }

    pub fn window(&self) -> u64 {
        self.flows[0].controller.window() / MSS
    }

    fn schedule(&mut self, time: Nanos, event: Event) {
        self.made += 1;
        self.events.push(Reverse((time, self.made, event)));
    }

    fn chance(&mut self, p: f64) -> bool {
        ((splitmix(&mut self.random) >> 11) as f64) < p * (1u64 << 53) as f64
    }

    fn send(&mut self, number: usize) {
        loop {
            let now = self.now;
            let flow = &mut self.flows[number];
            let in_flight = flow.outstanding.len() as u64 * MSS;
            if in_flight + MSS > flow.controller.window() {
                return;
            }
            if let Some(rate) = flow.controller.pacing_rate() {
                let ready = flow.pacer.next_departure();
                if ready > now {
                    if !flow.waiting {
                        flow.waiting = true;
                        self.schedule(ready, Event::Send { flow: number });
                    }
                    return;
                }
                flow.pacer.sent(now, MSS as u32, rate);
            }
            if in_flight == 0 {
                flow.heard = now;
            }
            flow.controller.on_sent(now, MSS, in_flight + MSS, false);
            let stamp = flow.delivery.on_send(now, in_flight);
            let segment = flow.next;
            flow.outstanding.push_back(Outstanding { number: segment, sent: now, stamp });
            flow.next += 1;
            self.transmit(number, segment);
        }
    }

    fn transmit(&mut self, flow: usize, number: u64) {
        let lost = match self.path.loss {
            Loss::None => false,
            Loss::Every(n) => number % n == 99,
            Loss::Random(p) => self.chance(p),
        };
        if lost {
            return;
        }
        let mut leaves = self.now;
        let mut marked = false;
        if self.path.rate > 0 {
            let wait = self.busy_until.saturating_sub(self.now);
            let backlog = bytes_in(self.path.rate, wait);
            if backlog + MSS > self.path.buffer {
                self.dropped += 1;
                return;
            }
            marked = backlog > self.path.mark;
            self.marked += u64::from(marked);
            self.sent += 1;
            self.waited += wait;
            self.busy_until = self.now.max(self.busy_until) + mul_div(MSS * 8, SECOND, self.path.rate);
            leaves = self.busy_until;
        }
        let late = if self.path.jitter > 0 { splitmix(&mut self.random) % self.path.jitter } else { 0 };
        let arrives = (leaves + self.path.rtt + late).max(self.flows[flow].last_ack);
        self.flows[flow].last_ack = arrives;
        self.schedule(arrives, Event::Ack { flow, number, marked });
    }

    fn ack(&mut self, number: usize, segment: u64, marked: bool) {
        let now = self.now;
        let flow = &mut self.flows[number];
        let prior_in_flight = flow.outstanding.len() as u64 * MSS;
        let mut lost = 0;
        while flow.outstanding.front().is_some_and(|first| first.number < segment) {
            flow.outstanding.pop_front();
            lost += MSS;
        }
        if flow.outstanding.front().is_none_or(|first| first.number != segment) {
            return; // t The rest was given up at a time-out.
        }
        let Some(arrived) = flow.outstanding.pop_front() else { return };
        let rtt = now - arrived.sent;
        flow.srtt = if flow.srtt == 0 { rtt } else { (flow.srtt * 7 + rtt) / 8 };
        flow.min_rtt = if flow.min_rtt == 0 { rtt } else { flow.min_rtt.min(rtt) };
        flow.heard = now;
        flow.delivered += MSS;
        flow.delivery.on_delivered(now, &arrived.stamp, MSS as u32);
        let rate = flow.delivery.take_sample(now, flow.min_rtt);
        let round_start = segment >= flow.round_end;
        if round_start {
            flow.round_end = flow.next;
        }
        if flow.recovery.is_some_and(|point| segment >= point) {
            flow.recovery = None;
            flow.controller.on_recovered(now);
        }
        if flow.after_timeout.is_some_and(|point| segment >= point) {
            flow.after_timeout = None;
            flow.controller.on_recovered(now);
        }
        if flow.recovery.is_none() && (lost > 0 || marked) {
            flow.recovery = Some(flow.next);
            flow.congestions += 1;
            let cause = if lost > 0 { Cause::Loss } else { Cause::Ecn };
            let in_flight = prior_in_flight;
            flow.controller.on_congestion(&Congestion { now, cause, in_flight, srtt: flow.srtt, lost });
        }
        flow.controller.on_ack(&Acked {
            now,
            delivered: MSS,
            acked: MSS,
            newly_lost: lost,
            rtt: Some(rtt),
            srtt: flow.srtt,
            min_rtt: flow.min_rtt,
            in_flight: flow.outstanding.len() as u64 * MSS,
            prior_in_flight,
            cwnd_limited: true,
            in_recovery: flow.recovery.is_some(),
            round_start,
            rate,
            departure: flow.pacer.next_departure(),
        });
        self.send(number);
    }

    fn check(&mut self, number: usize) {
        let now = self.now;
        let flow = &mut self.flows[number];
        if !flow.outstanding.is_empty() && now - flow.heard > SECOND {
            let in_flight = flow.outstanding.len() as u64 * MSS;
            flow.outstanding.clear();
            flow.recovery = None;
            flow.after_timeout = Some(flow.next);
            flow.timeouts += 1;
            flow.heard = now;
            let event = Congestion { now, cause: Cause::Loss, in_flight, srtt: flow.srtt, lost: in_flight };
            flow.controller.on_timeout(&event);
            self.send(number);
        }
        self.schedule(now + 100 * MS, Event::Check { flow: number });
    }
}

/// Computes Jain's fairness index: 1 for equal shares, 1/n if one flow has everything.
pub fn jain(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

#[track_caller]
pub fn assert_close(measured: f64, theory: f64, share: f64) {
    let off = measured / theory - 1.0;
    assert!(off.abs() <= share, "{measured:.1} is {:+.1} % off {theory:.1}", off * 100.0);
}
