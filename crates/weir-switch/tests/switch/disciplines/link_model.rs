//! A link with a queueing discipline, to compare with a queue of the switch.

use weir_device::Nanos;
use weir_qdisc::{Dequeued, FrameId, FrameStore, Qdisc, QdiscConfig, QdiscContext, QueuedFrame, RateLimiter};

use super::packets::ecn_of;

/// Frames by the number of their packet.
#[derive(Default)]
struct Frames(Vec<Vec<u8>>);

impl FrameStore for Frames {
    fn bytes(&self, frame: FrameId) -> &[u8] {
        &self.0[frame.0 as usize]
    }
    fn bytes_mut(&mut self, frame: FrameId) -> &mut [u8] {
        &mut self.0[frame.0 as usize]
    }
    fn duplicate(&mut self, _: FrameId) -> FrameId {
        unreachable!("no netem")
    }
    fn depart(&mut self, _: FrameId) {}
}

/// An event of a packet: the time, the number, and the ECN field or the reason for a drop.
pub type Fate = (Nanos, u64, Result<u8, String>);

/// A link with a discipline before its rate.
pub struct LinkModel {
    qdisc: Qdisc,
    frames: Frames,
    rate: RateLimiter,
    not_before: Nanos,
    pub fates: Vec<Fate>,
}

impl LinkModel {
    pub fn new(config: &QdiscConfig, rate: u64, seed: u64, name: &str) -> Self {
        Self {
            qdisc: Qdisc::new(config, seed, name),
            frames: Frames::default(),
            rate: RateLimiter::new(rate),
            not_before: 0,
            fates: Vec::new(),
        }
    }

    pub fn enqueue(&mut self, now: Nanos, bytes: &[u8]) {
        self.send_until(now);
        let frame = FrameId(self.frames.0.len() as u32);
        self.frames.0.push(bytes.to_vec());
        let mut dropped = Vec::new();
        let waiting = QueuedFrame { frame, bytes: bytes.len() as u32, flow: 0, earliest: 0 };
        self.qdisc.enqueue(waiting, &mut QdiscContext::new(now, &mut self.frames, &mut dropped));
        self.drop_frames(now, dropped);
        self.not_before = now;
        self.send_until(now);
    }

    fn drop_frames(&mut self, now: Nanos, dropped: Vec<(FrameId, &'static str)>) {
        let fate = |(frame, reason): (FrameId, &str)| (now, u64::from(frame.0), Err(reason.to_owned()));
        self.fates.extend(dropped.into_iter().map(fate));
    }

    pub fn send_until(&mut self, now: Nanos) {
        while self.qdisc.packets() > 0 {
            let next = self.rate.ready().max(self.not_before);
            if next > now {
                return;
            }
            let mut dropped = Vec::new();
            let left = self.qdisc.dequeue(&mut QdiscContext::new(next, &mut self.frames, &mut dropped));
            self.drop_frames(next, dropped);
            match left {
                Dequeued::Frame(left) => {
                    self.rate.occupy(next, u64::from(left.bytes) * 8);
                    let ecn = ecn_of(self.frames.bytes(left.frame));
                    self.fates.push((next, u64::from(left.frame.0), Ok(ecn)));
                }
                Dequeued::At(time) => self.not_before = time.max(next + 1),
                Dequeued::Empty => return,
            }
        }
    }
}
