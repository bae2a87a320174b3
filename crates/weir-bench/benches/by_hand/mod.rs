//! Hand-written loops for comparison, one for each job, as a C programmer would write them. They do
//! the same work as the program and the switch: they copy each packet into a buffer, count packets
//! and bytes per port on arrival and departure, and process packets in batches, so that the memory
//! of one packet is fetched while others are processed.

#![allow(dead_code, reason = "each benchmark takes the loops it compares with")]

pub mod router;
pub mod router6;
pub mod switch;
#[path = "../../../weir-tables/benches/by_hand/tables.rs"]
mod tables;

use std::time::Duration;

use weir_bench::measure::{BATCH, WINDOW, windows};
use weir_bench::programs::PORTS;
use weir_bench::{Benchmark, Workload};

use tables::prefetch;

/// A packet buffer in the form that the loops use.
pub struct Frame {
    pub bytes: [u8; 128],
    pub length: usize,
    /// The port on which the packet arrived.
    pub port: u32,
    /// The port through which the packet leaves; `None` if it is dropped.
    pub out: Option<u16>,
}

/// The packets and bytes that went through a port.
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub packets_in: u64,
    pub bytes_in: u64,
    pub packets_out: u64,
    pub bytes_out: u64,
}

/// One job, such as routing.
pub trait Forward {
    /// Processes a batch of packets: rewrites headers in place, and sets [`Frame::out`].
    fn forward(&self, frames: &mut [Frame]);
}

/// Returns the loop for this benchmark, if there is one.
pub fn forwarder(benchmark: &Benchmark) -> Option<Box<dyn Forward>> {
    match benchmark.file {
        "router.p4" | "router_psa.p4" | "router_pna.p4" | "router_tna.p4" => {
            Some(Box::new(router::Router::new(benchmark)))
        }
        "router6.p4" => Some(Box::new(router6::Router6::new(benchmark))),
        "switch.p4" => Some(Box::new(switch::new_switch(benchmark))),
        _ => None,
    }
}

/// A loop with its buffers and the packets that it processes.
pub struct Run<'a> {
    forward: &'a dyn Forward,
    load: &'a Workload,
    frames: Vec<Frame>,
    pub counts: [Count; PORTS as usize],
    at: usize,
}

impl<'a> Run<'a> {
    pub fn new(forward: &'a dyn Forward, load: &'a Workload) -> Self {
        let frame = || Frame { bytes: [0; 128], length: 0, port: 0, out: None };
        let frames = (0..BATCH).map(|_| frame()).collect();
        Self { forward, load, frames, counts: Default::default(), at: 0 }
    }

    /// Processes the next batch of the load and returns it.
    pub fn batch(&mut self) -> &[Frame] {
        for frame in &mut self.frames {
            let (port, bytes) = self.load.packet(self.at);
            frame.bytes[..bytes.len()].copy_from_slice(bytes);
            (frame.length, frame.port) = (bytes.len(), port);
            self.at = if self.at + 1 == self.load.len() { 0 } else { self.at + 1 };
        }
        self.forward.forward(&mut self.frames);
        for frame in &self.frames {
            let count = &mut self.counts[frame.port as usize];
            count.packets_in += 1;
            count.bytes_in += frame.length as u64;
            if let Some(count) = frame.out.and_then(|port| self.counts.get_mut(usize::from(port))) {
                count.packets_out += 1;
                count.bytes_out += frame.length as u64;
            }
        }
        &self.frames
    }
}

/// Nanoseconds per packet of a loop while nothing else runs on its core.
pub fn measure(forward: &dyn Forward, load: &Workload, span: Duration) -> f64 {
    let mut run = Run::new(forward, load);
    let (ns, _) = windows(span, |_| {
        for _ in 0..WINDOW / BATCH {
            run.batch();
        }
    });
    ns
}

/// A next hop.
#[derive(Clone, Copy, Default)]
pub struct NextHop {
    pub dst: [u8; 6],
    pub src: [u8; 6],
    pub port: u16,
}

/// Returns the next hops of the benchmarks' programs, by number.
pub fn next_hops(benchmark: &Benchmark) -> Vec<NextHop> {
    let table =
        benchmark.tables.iter().find(|table| table.name == "next_hops").expect("a router has next hops");
    let hops = table.contents.entries.iter().map(|(_, _, _, data)| {
        let call = (table.call)(*data);
        let word = |name: &str| {
            let arg = call.args.iter().find(|(arg, _)| *arg == name).expect("next hops have it");
            arg.1.low_u64()
        };
        let mac = |name: &str| word(name).to_be_bytes()[2..].try_into().expect("six of eight bytes");
        NextHop { dst: mac("dst"), src: mac("src"), port: word("port") as u16 }
    });
    hops.collect()
}
