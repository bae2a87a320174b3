//! Tests of disciplines in front of a transmitter: which frames leave, and when.

mod codel;
mod conservation;
mod dualpi2;
mod fq;
mod fq_codel;
mod htb;
mod netem;
mod red;
mod tbf;

use std::collections::BTreeMap;

use super::*;

const SECOND: Nanos = 1_000_000_000;

/// A store of frames for tests.
#[derive(Default)]
pub(crate) struct Frames {
    frames: Vec<Option<Vec<u8>>>,
}

impl Frames {
    /// Adds a frame of zeros.
    pub(crate) fn allocate(&mut self, bytes: usize) -> FrameId {
        self.allocate_copy(&vec![0; bytes])
    }

    fn allocate_copy(&mut self, bytes: &[u8]) -> FrameId {
        self.frames.push(Some(bytes.to_vec()));
        FrameId(self.frames.len() as u32 - 1)
    }

    fn release(&mut self, frame: FrameId) {
        assert!(self.frames[frame.0 as usize].take().is_some(), "released twice");
    }

    fn in_use(&self) -> usize {
        self.frames.iter().flatten().count()
    }
}

impl FrameStore for Frames {
    fn bytes(&self, frame: FrameId) -> &[u8] {
        self.frames[frame.0 as usize].as_ref().expect("the frame was not released")
    }

    fn bytes_mut(&mut self, frame: FrameId) -> &mut [u8] {
        self.frames[frame.0 as usize].as_mut().expect("the frame was not released")
    }

    fn duplicate(&mut self, frame: FrameId) -> FrameId {
        let copy = self.bytes(frame).to_vec();
        self.allocate_copy(&copy)
    }

    fn depart(&mut self, _: FrameId) {}
}

/// A discipline and the transmitter after it.
struct Bench {
    qdisc: Qdisc,
    frames: Frames,
    /// The link rate in bits per second.
    rate: u64,
    now: Nanos,
    dropped: Dropped,
    /// The number of frames of the pool that have been released.
    returned: usize,
    /// The frames in the queue, by flow.
    waiting: BTreeMap<u64, usize>,
    /// The start of transmission, the flow and the bytes of each sent frame.
    sent: Vec<(Nanos, u64, u32)>,
    /// For each sent frame, whether it carries a congestion mark.
    sent_marked: Vec<bool>,
    /// Time, flow and reason of each drop.
    drops: Vec<(Nanos, u64, &'static str)>,
    /// The ECN field of added frames.
    ecn: u8,
}

impl Bench {
    fn new(config: &QdiscConfig, rate: u64) -> Self {
        config.check().unwrap();
        let qdisc = Qdisc::new(config, 1, "qdisc h1-eth0");
        Bench {
            qdisc,
            frames: Frames::default(),
            rate,
            now: 0,
            dropped: Vec::new(),
            returned: 0,
            waiting: BTreeMap::new(),
            sent: Vec::new(),
            sent_marked: Vec::new(),
            drops: Vec::new(),
            ecn: 0,
        }
    }

    /// Adds a UDP frame to the port `flow` now.
    fn enqueue_udp(&mut self, flow: u64, bytes: u32, earliest: Nanos) {
        let mut packet = udp(flow as u16, bytes as usize);
        packet[15] = self.ecn;
        let frame = self.frames.allocate_copy(&packet);
        let waiting = QueuedFrame { frame, bytes, flow: 0, earliest };
        *self.waiting.entry(flow).or_default() += 1;
        let dropped = &mut self.dropped;
        self.qdisc.enqueue(waiting, &mut QdiscContext::new(self.now, &mut self.frames, dropped));
        self.return_dropped();
    }

    fn return_dropped(&mut self) {
        for (frame, reason) in &self.dropped[self.returned..] {
            let flow = destination_port(self.frames.bytes(*frame));
            self.drops.push((self.now, flow, reason));
            let count = self.waiting.entry(flow).or_default();
            *count = count.saturating_sub(1);
            self.frames.release(*frame);
        }
        self.returned = self.dropped.len();
    }

    /// Sends until a time; `refill` is called before each frame to keep queues full.
    fn send_until(&mut self, until: Nanos, mut refill: impl FnMut(&mut Bench)) {
        loop {
            refill(self);
            let dropped = &mut self.dropped;
            let next = self.qdisc.dequeue(&mut QdiscContext::new(self.now, &mut self.frames, dropped));
            self.return_dropped();
            match next {
                Dequeued::Frame(waiting) => {
                    let bytes = self.frames.bytes(waiting.frame);
                    let flow = destination_port(bytes);
                    self.sent_marked.push(bytes[15] == 0b11);
                    let count = self.waiting.entry(flow).or_default();
                    *count = count.saturating_sub(1);
                    self.sent.push((self.now, flow, waiting.bytes));
                    self.frames.release(waiting.frame);
                    self.now += u64::from(waiting.bytes) * 8 * SECOND / self.rate;
                }
                Dequeued::At(time) => {
                    assert!(time > self.now, "{time} is not after {}", self.now);
                    self.now = time;
                }
                Dequeued::Empty => {
                    assert_eq!(self.qdisc.packets(), 0);
                    return;
                }
            }
            if self.now > until {
                return;
            }
        }
    }

    /// Keeps 20 frames of this many bytes of each flow in the queue, until a time.
    fn keep_saturated(&mut self, flows: &[(u64, u32)], until: Nanos) {
        self.send_until(until, |bench| {
            for (flow, bytes) in flows {
                for _ in bench.waiting.get(flow).copied().unwrap_or(0)..20 {
                    bench.enqueue_udp(*flow, *bytes, 0);
                }
            }
        });
    }

    /// Returns the times at which marked frames of a flow left.
    fn mark_times(&self, flow: u64) -> Vec<Nanos> {
        let sent = self.sent.iter().zip(&self.sent_marked);
        sent.filter(|((_, of, _), marked)| **marked && *of == flow).map(|((time, ..), _)| *time).collect()
    }

    /// Returns the rate of a flow between two times in bits per second.
    fn rate_of(&self, flow: u64, from: Nanos, to: Nanos) -> f64 {
        let within = self.sent.iter().filter(|(time, sent, _)| *sent == flow && (from..to).contains(time));
        within.map(|(_, _, bytes)| f64::from(*bytes) * 8.0).sum::<f64>() * 1e9 / (to - from) as f64
    }
}

/// Makes an IPv4 UDP frame from 10.0.0.1:1000 to 10.0.0.2 and this port.
fn udp(port: u16, bytes: usize) -> Vec<u8> {
    let mut frame = vec![0; bytes.max(42)];
    frame[12..24].copy_from_slice(&[8, 0, 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17]);
    frame[26..34].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
    frame[34..36].copy_from_slice(&1000u16.to_be_bytes());
    frame[36..38].copy_from_slice(&port.to_be_bytes());
    frame
}

fn destination_port(frame: &[u8]) -> u64 {
    u16::from_be_bytes([frame[36], frame[37]]).into()
}

fn is_close(found: f64, expected: f64, share: f64) -> bool {
    (found - expected).abs() <= expected * share
}
