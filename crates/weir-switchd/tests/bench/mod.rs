//! A switch whose ports are in memory.

#![allow(dead_code, reason = "each test uses a part")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use weir_device::Port;
use weir_exec::Executor;
use weir_load::FileLoader;
use weir_ports::{Batch, Frame, Metadata, Offloads, Port as Ends, Receive, memory};
use weir_switch::{Switch, SwitchConfig};
use weir_switchd::Captures;
use weir_switchd::plane::{Outputs, Plane, SendingPort, Waiting, WorkerPorts, WorkerSpec, Workers};

pub const CPU_PORT: Port = 64;

pub fn switch() -> Switch {
    running_switch(executor(crossing_program()))
}

/// Returns the program `crossing.p4`.
pub fn crossing_program() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(here.join("tests/crossing.p4")).unwrap()
}

pub fn executor(text: String) -> Arc<dyn Executor> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let loader = FileLoader {
        root: ("crossing.p4".to_owned(), text),
        folders: vec![here.join("../../p4include")],
        is_confined: false,
    };
    let compiled = weir_load::compile("crossing.p4", &loader, &[]);
    let program = compiled.program.expect("the program compiles");
    weir_load::executors(program, None).unwrap().traced
}

pub fn running_switch(executor: Arc<dyn Executor>) -> Switch {
    let config = SwitchConfig {
        pass_latency: 0,
        capacity: u64::MAX,
        repeat_limit: 1 << 14,
        events_at_once: 1 << 14,
        ..SwitchConfig::default().with_ports([1, 2, CPU_PORT])
    };
    Switch::new(executor, config).unwrap()
}

/// A running data plane with two ports.
pub struct Bench {
    pub plane: Arc<Plane>,
    pub workers: Option<Workers>,
    /// The hosts that are connected to ports 1 and 2.
    pub hosts: [Ends; 2],
    pub cable: memory::Cable,
}

impl Bench {
    pub fn start(switch: Switch) -> Self {
        Self::start_with(switch, Vec::new())
    }

    /// Starts a data plane with more ports, which only receive.
    pub fn start_with(switch: Switch, more: Vec<(Port, Box<dyn Receive>)>) -> Self {
        let plane = Plane::new(None, switch, Some(CPU_PORT), 0).unwrap();
        let captures = Arc::<Captures>::default();
        let (spec, hosts, cable) = spec(&plane, &captures, 0, more);
        let workers = Some(Workers::start(vec![vec![spec]], Waiting::Blocking).unwrap());
        Self { plane, workers, hosts, cable }
    }

    pub fn send(&mut self, host: usize, frames: &[Vec<u8>]) {
        let frames: Vec<_> = frames.iter().map(|bytes| Frame::copy_of(bytes, Metadata::default())).collect();
        let numbers: Vec<u16> = (0..frames.len() as u16).collect();
        assert_eq!(self.hosts[host].transmit.transmit(&frames, &numbers).unwrap(), frames.len());
    }

    /// Waits until a host has this many frames.
    pub fn receive(&mut self, host: usize, count: usize) -> Vec<Vec<u8>> {
        let (mut found, end) = (Vec::new(), Instant::now() + Duration::from_secs(20));
        while found.len() < count && Instant::now() < end {
            let mut batch = Batch::new(64);
            self.hosts[host].receive.receive(&mut batch).unwrap();
            found.extend(batch.frames().iter().map(|frame| frame.bytes().to_vec()));
            std::thread::yield_now();
        }
        found
    }
}

/// Returns a worker with two ports in memory and more ports that only receive; and the other ends
/// of the two ports.
pub fn spec(
    plane: &Arc<Plane>,
    captures: &Arc<Captures>,
    number: usize,
    more: Vec<(Port, Box<dyn Receive>)>,
) -> (WorkerSpec, [Ends; 2], memory::Cable) {
    let (plane, captures, offloads) = (Arc::clone(plane), Arc::clone(captures), Offloads::default());
    let ([near1, far1], cable) = memory::connect(["s1-eth1", "h1-eth0"], 4096, offloads).unwrap();
    let ([near2, far2], _) = memory::connect(["s1-eth2", "h2-eth0"], 4096, offloads).unwrap();
    let (mut receiving, mut links, mut sending) = (more, Vec::new(), Vec::new());
    for (number, port) in [(1, near1), (2, near2)] {
        receiving.push((number, port.receive));
        links.push((number, port.link));
        sending.push(SendingPort::new(number, port.transmit));
    }
    let outputs = Outputs::new(Arc::clone(&plane), Arc::clone(&captures), sending);
    let ports = WorkerPorts { receiving, links, outputs };
    (WorkerSpec { plane, captures, number, ports }, [far1, far2], cable)
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.plane.stop();
        self.workers.take().into_iter().for_each(Workers::join);
    }
}

pub fn frame(dst: u8, kind: u16, number: u32) -> Vec<u8> {
    let mut bytes = vec![dst; 6];
    bytes.extend([8, 0, 0, 0, 0, 9]);
    bytes.extend(kind.to_be_bytes());
    bytes.extend(number.to_be_bytes());
    bytes.resize(60, 0xa5);
    bytes
}
