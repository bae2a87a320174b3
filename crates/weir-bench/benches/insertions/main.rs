//! Benchmarks entries that packets add to a table (PNA): the additions per second on one core while
//! as many entries expire, the time of packets that hit an entry, and the memory, which must stay
//! the same.
//!
//! `cargo bench -p weir-bench --bench insertions [-- FLOWS]`: FLOWS is the number of flows in each
//! measurement, 2 000 000 by default. About half a million are in the table at a time.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]

#[path = "../by_hand/mod.rs"]
mod by_hand;
#[path = "../common/mod.rs"]
mod common;

use std::sync::Arc;

use weir_bench::measure::BATCH;
use weir_device::{Buffer, Nanos};
use weir_exec::Executor;
use weir_switch::{Switch, SwitchConfig};

const FLOWS: u64 = 2_000_000;
/// The time without a packet after which a flow expires.
const TIMEOUT: Nanos = 100_000_000;
/// The number of flows that send a packet within the time-out.
const ALIVE: u64 = 500_000;

/// A switch that gets packets of 64 bytes, one of each flow in turn.
struct Learning {
    switch: Switch,
    buffers: Vec<Buffer<'static>>,
    packet: [u8; 64],
    now: Nanos,
    /// The number of packets so far.
    packets: u64,
}

impl Learning {
    fn new(executor: Arc<dyn Executor>) -> Self {
        let config = SwitchConfig {
            pass_latency: 0,
            expire_times: vec![TIMEOUT],
            ..SwitchConfig::default().with_ports([1, 2])
        };
        let switch = Switch::new(executor, config).expect("the program runs in a switch");
        let mut packet = [0; 64];
        packet[12..15].copy_from_slice(&[0x08, 0x00, 0x45]);
        packet[23] = 17;
        let buffers = (0..BATCH).map(|_| Buffer::new(64)).collect();
        Self { switch, buffers, packet, now: 0, packets: 0 }
    }

    /// Sends a packet of each of these flows. Returns how many packets have left.
    fn send(&mut self, flows: impl Iterator<Item = u64>) -> u64 {
        let before = self.switch.stats().transmitted;
        let (mut flows, mut out) = (flows, Vec::new());
        loop {
            let mut filled = 0;
            for (buffer, flow) in self.buffers.iter_mut().zip(&mut flows) {
                self.packet[26..34].copy_from_slice(&flow.to_be_bytes());
                buffer.receive(1, self.packets, &self.packet);
                self.packets += 1;
                filled += 1;
            }
            if filled == 0 {
                return self.switch.stats().transmitted - before;
            }
            self.now += TIMEOUT / ALIVE * filled as u64;
            self.switch.forward(self.now, &mut self.buffers[..filled], &mut out);
            out.clear();
        }
    }
}

/// Returns the memory of this process in MB (Linux), or 0 on systems that do not provide it.
fn resident_megabytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or_default();
    pages * 4096.0 / 1e6
}

fn main() {
    let flows = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(FLOWS);
    let source = include_str!("../../../../benches/programs/flows.p4");
    for executor in common::executors(&common::program("flows.p4", source, &[])) {
        let name = executor.name();
        let mut learning = Learning::new(executor);
        assert_eq!(learning.send(0..flows), flows, "each packet adds its flow");
        let before = resident_megabytes();
        let mut sent = 0;
        let added = common::processor_seconds(|| sent = learning.send(flows..2 * flows));
        assert_eq!(sent, flows, "each packet adds its flow");
        let after = resident_megabytes();
        // Every flow is still in the table when its next packet comes.
        let last = 2 * flows - (ALIVE / 4).min(flows)..2 * flows;
        let repeats = flows / (last.end - last.start);
        let hit = common::processor_seconds(|| {
            sent = (0..repeats).map(|_| learning.send(last.clone())).sum();
        });
        let hits = repeats * (last.end - last.start);
        assert_eq!(sent, hits, "each packet hits its flow");
        let ns = |seconds: f64, packets: u64| seconds * 1e9 / packets as f64;
        println!(
            "{name:<7} {:.0} ns for a packet that adds an entry while another expires, {:.0} ns for one that \
             hits: {:.2} million additions a second; {before:.0} MB before {flows} additions, {after:.0} after",
            ns(added, flows),
            ns(hit, hits),
            flows as f64 / added / 1e6,
        );
    }
}
