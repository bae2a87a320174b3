//! Measures how fast a switch forwards packets from memory to memory.

use std::time::{Duration, Instant};

use weir_device::{Buffer, Device, Nanos, Packet, Transmission};
use weir_switch::Switch;

use crate::workload::Workload;

/// The number of packets in a batch.
pub const BATCH: usize = 64;

/// The result of a measurement: how many packets passed and how many were dropped, and the time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// The number of packets that were sent in.
    pub packets: u64,
    /// The number of packets that left, copies included.
    pub out: u64,
    /// The number of packets that the switch dropped.
    pub dropped: u64,
    /// The number of seconds of wall-clock time in total.
    pub seconds: f64,
    /// The number of nanoseconds per packet, the 10th percentile over windows of [`WINDOW`]
    /// packets: the cost while nothing else runs on the core.
    pub ns_undisturbed: f64,
    /// A packet that the program seems to repeat forever.
    pub endless: Option<Endless>,
}

/// A packet that the program seems to repeat forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endless {
    /// The position in the workload, from 0.
    pub packet: usize,
    /// The way in which the packet is repeated.
    pub how: Repetition,
}

/// The way in which a program repeats a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// The packet, or a copy of it, was still in the switch after many passes.
    Passes {
        /// The passes of a packet after the last packet came in, on average.
        passes: u64,
        /// The packets that were in the switch at the end.
        inside: usize,
    },
    /// The switch ended a chain of clones.
    Clones,
}

/// The number of passes after which the measurement gives up on a packet.
pub const MAX_PASSES: u64 = 1000;

/// The advance of the switch's clock in one step while packets are in the switch, in nanoseconds. A
/// pass takes one nanosecond of this clock, but more real time. Without this bound, each window
/// would contain more passes than the previous one.
const STEP: Nanos = 200_000;

/// The number of packets between two readings of the clock.
pub const WINDOW: usize = 16 * BATCH;

/// Runs windows of [`WINDOW`] packets for about `span`, at least one; each gets the time since the
/// start. Returns the 10th percentile of nanoseconds per packet, and seconds in total.
pub fn windows(span: Duration, mut window: impl FnMut(Duration)) -> (f64, f64) {
    let mut times: Vec<f32> = Vec::new();
    let start = Instant::now();
    let mut before = Duration::ZERO;
    loop {
        window(before);
        let now = start.elapsed();
        times.push((now - before).as_nanos() as f32 / WINDOW as f32);
        before = now;
        if now >= span {
            break;
        }
    }
    times.sort_by(f32::total_cmp);
    (f64::from(times[times.len() / 10]), before.as_secs_f64())
}

impl Measured {
    /// Returns the mean time per packet in nanoseconds.
    pub fn ns_per_packet(&self) -> f64 {
        self.seconds * 1e9 / self.packets as f64
    }
}

/// Sends the workload's packets through the switch, again and again in batches of [`BATCH`], for
/// about `span` of wall-clock time and at least one window. Each packet is copied from the workload
/// into a buffer and forwarded in place. The switch's time advances with the machine's, or slower
/// while packets stay in the switch. Ends soon after `span` even if the program recirculates,
/// resubmits or clones packets forever; the result then says so.
pub fn measure(switch: &mut Switch, load: &Workload, span: Duration) -> Measured {
    let mut buffers: Vec<Buffer> = (0..BATCH).map(|_| Buffer::new(load.longest_packet())).collect();
    let mut transmissions: Vec<Transmission> = Vec::new();
    let base: Nanos = switch.now();
    let mut clock = base;
    let (before, mut packets, mut at) = (switch.stats().clone(), 0, 0);
    // The clock is read only once per window: reading it costs as much as a packet.
    let (ns_undisturbed, seconds) = windows(span, |elapsed| {
        let now = (base + elapsed.as_nanos() as Nanos).max(clock);
        clock = if switch.in_flight() == 0 {
            now
        } else {
            work_until(switch, now.min(clock + STEP), &mut transmissions)
        };
        for _ in 0..WINDOW / BATCH {
            for buffer in &mut buffers {
                let (port, bytes) = load.packet(at);
                buffer.receive(port, packets, bytes);
                packets += 1;
                at += 1;
                if at == load.len() {
                    at = 0;
                }
            }
            switch.forward(clock, &mut buffers, &mut transmissions);
            transmissions.clear();
        }
    });
    let endless = drain_switch(switch, load.len());
    let stats = switch.stats();
    let measured = Measured {
        packets,
        out: stats.transmitted - before.transmitted,
        dropped: stats.dropped() - before.dropped(),
        seconds,
        ns_undisturbed,
        endless,
    };
    if endless.is_none() && switch.stats().ended_clone_chains() > before.ended_clone_chains() {
        return Measured { endless: find_clone_chain(switch, load), ..measured };
    }
    measured
}

/// Lets the packets inside the switch continue until a time, or until they have made about as many
/// passes and copies as [`MAX_PASSES`] allows a window: a pass can make many copies. Returns the
/// time.
fn work_until(switch: &mut Switch, end: Nanos, out: &mut Vec<Transmission>) -> Nanos {
    let before = count_work(switch);
    while let Some(due) = switch.next_deadline().filter(|due| *due <= end) {
        switch.advance(due, out);
        out.clear();
        if count_work(switch) - before >= WINDOW as u64 * MAX_PASSES {
            return switch.now();
        }
    }
    end
}

/// Returns the passes and copies that a switch has made.
fn count_work(switch: &Switch) -> u64 {
    switch.stats().passes + switch.stats().copied
}

/// Returns the first packet of a workload for which the switch ends a chain of clones.
fn find_clone_chain(switch: &mut Switch, load: &Workload) -> Option<Endless> {
    let mut transmissions = Vec::new();
    let packet = (0..load.len()).find(|&packet| {
        let (port, bytes) = load.packet(packet);
        let before = switch.stats().ended_clone_chains();
        switch.receive(switch.now(), port, Packet::new(packet as u64, bytes.to_vec()));
        switch.advance(switch.now() + STEP, &mut transmissions);
        transmissions.clear();
        switch.stats().ended_clone_chains() > before
    })?;
    Some(Endless { packet, how: Repetition::Clones })
}

/// Lets the packets inside the switch leave, in a workload of `load` packets. Returns the first
/// packet that does not leave.
fn drain_switch(switch: &mut Switch, load: usize) -> Option<Endless> {
    let inside = switch.in_flight() as u64;
    // More packets than a window has are copies, and their number only grows.
    let enough = inside.min(WINDOW as u64) * MAX_PASSES;
    let (passes, before) = (switch.stats().passes, count_work(switch));
    let is_enough = |switch: &Switch| count_work(switch) - before >= enough;
    let mut transmissions = Vec::new();
    // A packet that waits for its turn takes one event more than its passes.
    for _ in 0..4 * enough {
        if switch.in_flight() == 0 || is_enough(switch) {
            break;
        }
        let next = switch.next_deadline()?;
        switch.advance(next, &mut transmissions);
        transmissions.clear();
    }
    let packet = switch.first_waiting().filter(|_| is_enough(switch))?;
    let packet = (packet % load as u64) as usize;
    let passes = (switch.stats().passes - passes) / inside;
    let how = Repetition::Passes { passes, inside: switch.in_flight() };
    Some(Endless { packet, how })
}
