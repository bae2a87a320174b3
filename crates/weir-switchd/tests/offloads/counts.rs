//! What ports count of GSO frames.

use std::sync::Arc;
use std::time::{Duration, Instant};

use weir_device::Port;
use weir_ports::{Frame, Gso, Metadata, Offloads, PortError, Transmit, TransmitCounts, memory};
use weir_switchd::plane::{Duty, Engine, Outputs, Plane, PortCounts, Sending, Waiting, WorkerPorts, Workers};
use weir_switchd::{Captures, GsoChoice};

use super::packets::{Shape, packet};
use super::programs::with;
use super::{ALL, switch};

/// The port by which the program sends what arrives at port 1.
const OUT: Port = 2;

/// Four segments.
fn gso() -> (Vec<u8>, Metadata) {
    let shape = Shape { v6: false, udp: false, tags: 0, flags: 0x18, options: 12, payload: 3005, seed: 7 };
    let (bytes, metadata) = packet(shape);
    let gso = metadata.gso.map(|gso| Gso { size: 1000, ..gso });
    (bytes, Metadata { gso, ..metadata })
}

fn plane(cpu_port: Option<Port>) -> Arc<Plane> {
    let plane = Plane::new(None, switch(&with(&[]), Some("interp")), cpu_port, 0).unwrap();
    plane.gso.set(GsoChoice::Auto).unwrap();
    plane
}

/// A port whose queue is full, or that fails.
struct Stuck {
    fails: bool,
}

impl Transmit for Stuck {
    fn transmit(&mut self, _: &[Frame<'_>], _: &[u16]) -> Result<usize, PortError> {
        let error = PortError::NotEthernet { port: "s1-eth2".to_owned(), link_type: 0 };
        if self.fails { Err(error) } else { Ok(0) }
    }

    fn offloads(&self) -> Offloads {
        ALL
    }

    fn counts(&self) -> TransmitCounts {
        TransmitCounts::default()
    }
}

#[test]
fn frames_that_do_not_leave_count_as_a_wire_has_them() {
    let count = |fails| {
        let (plane, captures) = (plane(None), Arc::<Captures>::default());
        let sending = vec![Sending::new(OUT, Box::new(Stuck { fails }))];
        let outputs = Outputs::new(Arc::clone(&plane), Arc::clone(&captures), sending);
        let mut engine = Engine::new(plane, captures, outputs).unwrap();
        engine.set_mtu(OUT, 1500);
        let (bytes, metadata) = gso();
        engine.forward(0, 1, &mut [Frame::copied(&bytes, metadata)]);
        engine.catch_up();
        let mut counts = PortCounts::default();
        engine.count(OUT, &mut counts);
        (counts.queue_full, counts.failed)
    };
    assert_eq!([count(false), count(true)], [(4, 0), (0, 4)]);
}

#[test]
fn packet_ins_count_as_a_wire_has_them() {
    let (plane, captures) = (plane(Some(OUT)), Arc::<Captures>::default());
    let ([near, mut far], _) = memory::pair(["near", "far"], 64, ALL).unwrap();
    let outputs = Outputs::new(Arc::clone(&plane), Arc::clone(&captures), Vec::new());
    let ports = WorkerPorts { receiving: vec![(1, near.receive)], links: Vec::new(), outputs };
    let duty = Duty { plane: Arc::clone(&plane), captures, number: 0, ports };
    let workers = Workers::start(vec![vec![duty]], Waiting::Blocking).unwrap();
    let (bytes, metadata) = gso();
    assert_eq!(far.transmit.transmit(&[Frame::copied(&bytes, metadata)], &[0]).unwrap(), 1);
    let end = Instant::now() + Duration::from_secs(20);
    let more = || plane.counts.more().get(&OUT).map_or(0, |[_, sent]| sent.frames);
    while more() == 0 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(more(), 3, "the switch itself counts one");
    plane.stop();
    workers.join();
}
