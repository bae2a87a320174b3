//! Packets from memory to memory for a while.

use std::time::{Duration, Instant};

use weir_device::{Buffer, Device, Nanos, Transmission};
use weir_switch::Switch;

use crate::workload::Workload;

/// Packets that go through a switch together.
pub const BATCH: usize = 64;

/// What was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Packets that went in.
    pub packets: u64,
    /// Packets that came out, copies among them.
    pub out: u64,
    /// Packets that the switch gave up.
    pub dropped: u64,
    /// Seconds of wall clock in all.
    pub seconds: f64,
    /// Nanoseconds a packet in the lowest tenth of windows of [`WINDOW`] packets: what it takes while nothing else runs on the core.
    pub ns_undisturbed: f64,
}

/// Packets between two looks at the clock.
pub const WINDOW: usize = 16 * BATCH;

/// Has windows of [`WINDOW`] packets handled for about `span`, at least one, telling each how long it has been. Gives nanoseconds a packet
/// in the lowest tenth of them, and seconds in all.
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
    /// Packets in a second.
    pub fn packets_per_second(&self) -> f64 {
        self.packets as f64 / self.seconds
    }

    /// Nanoseconds a packet.
    pub fn ns_per_packet(&self) -> f64 {
        self.seconds * 1e9 / self.packets as f64
    }
}

/// Sends the load's packets through the switch, over and over in batches of [`BATCH`], for about `span` of wall clock and at least
/// a window. Each packet is copied from the load into a buffer, goes in, and is left where it came out. The switch's time goes on by
/// as many nanoseconds as the machine's.
pub fn measure(switch: &mut Switch, load: &Workload, span: Duration) -> Measured {
    let mut buffers: Vec<Buffer> = (0..BATCH).map(|_| Buffer::new(load.longest())).collect();
    let mut out: Vec<Transmission> = Vec::new();
    let base: Nanos = switch.now();
    let (before, mut packets, mut at) = (switch.stats().clone(), 0, 0);
    // The clock is looked at once a window only: it costs as much as a packet.
    let (ns_undisturbed, seconds) = windows(span, |elapsed| {
        let now = base + elapsed.as_nanos() as Nanos;
        for _ in 0..WINDOW / BATCH {
            for buffer in &mut buffers {
                let (port, bytes) = load.packet(at);
                buffer.fill(port, packets, bytes);
                packets += 1;
                at += 1;
                if at == load.len() {
                    at = 0;
                }
            }
            switch.forward(now, &mut buffers, &mut out);
            out.clear();
        }
    });
    // What waits inside comes out, or goes round for ever and is left.
    for _ in 0..1_000 {
        let Some(next) = switch.next_deadline() else { break };
        switch.advance(next, &mut out);
    }
    let stats = switch.stats();
    Measured {
        packets,
        out: stats.transmitted - before.transmitted,
        dropped: stats.dropped() - before.dropped(),
        seconds,
        ns_undisturbed,
    }
}
