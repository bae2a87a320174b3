//! The counts of ports for GSO frames.

use std::sync::Arc;
use std::time::{Duration, Instant};

use weir_device::Port;
use weir_ports::{Frame, Gso, Metadata, Offloads, PortError, Transmit, TransmitCounts, memory};
use weir_switchd::plane::{
    Engine, Outputs, Plane, PortCounts, SendingPort, Waiting, WorkerPorts, WorkerSpec, Workers,
};
use weir_switchd::{Captures, GsoChoice};

use super::packets::{Shape, packet};
use super::programs::fill_template;
use super::{ALL, switch};

/// The port through which the program sends the frames that arrive at port 1.
const OUT: Port = 2;

/// Returns a GSO frame of four segments.
fn gso() -> (Vec<u8>, Metadata) {
    let shape = Shape { v6: false, udp: false, tags: 0, flags: 0x18, options: 12, payload: 3005, seed: 7 };
    let (bytes, metadata) = packet(shape);
    let gso = metadata.gso.map(|gso| Gso { size: 1000, ..gso });
    (bytes, Metadata { gso, ..metadata })
}

fn plane(cpu_port: Option<Port>) -> Arc<Plane> {
    let plane = Plane::new(None, switch(&fill_template(&[]), Some("interp")), cpu_port, 0).unwrap();
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
        let sending = vec![SendingPort::new(OUT, Box::new(Stuck { fails }))];
        let outputs = Outputs::new(Arc::clone(&plane), Arc::clone(&captures), sending);
        let engine_plane = Arc::clone(&plane);
        let mut engine = Engine::new(plane, captures, outputs).unwrap();
        engine.set_mtu(OUT, 1500);
        let (bytes, metadata) = gso();
        engine.forward(0, 1, &mut [Frame::copy_of(&bytes, metadata)]);
        engine.catch_up();
        let mut counts = PortCounts::default();
        engine.count(OUT, &mut counts);
        let sent = engine_plane.counts.sent()[&OUT].frames;
        (counts.queue_full, counts.failed, sent)
    };
    assert_eq!([count(false), count(true)], [(4, 0, 0), (0, 4, 0)]);
}

/// Frames that the switch sends and the port drops do not count as sent.
#[test]
fn only_frames_that_leave_count_as_sent() {
    let (plane, captures) = (plane(None), Arc::<Captures>::default());
    let ([near, mut far], cable) = memory::connect(["near", "far"], 2, ALL).unwrap();
    let sending = vec![SendingPort::new(OUT, near.transmit)];
    let outputs = Outputs::new(Arc::clone(&plane), Arc::clone(&captures), sending);
    let mut engine = Engine::new(Arc::clone(&plane), captures, outputs).unwrap();
    engine.set_mtu(OUT, 1500);
    let (bytes, metadata) = gso();
    let segments = (4, 4 * (14 + 20 + 32) + 3005);
    let mut sends = |frames: usize| {
        let mut frames: Vec<_> = (0..frames).map(|_| Frame::copy_of(&bytes, metadata)).collect();
        engine.forward(0, 1, &mut frames);
        let mut counts = PortCounts::default();
        engine.count(OUT, &mut counts);
        let sent = plane.counts.sent()[&OUT];
        let passed = plane.try_with_switch(|switch, _| {
            switch.collect_reports();
            switch.stats().transmitted
        });
        ((sent.frames, sent.bytes), counts.sent.no_link, counts.queue_full, passed)
    };
    assert_eq!(sends(1), (segments, 0, 0, Some(1)));
    // The queue has room for one more.
    let [frames, bytes] = [2 * segments.0, 2 * segments.1];
    assert_eq!(sends(3), ((frames, bytes), 0, 8, Some(4)));
    cable.set_up(false);
    assert_eq!(sends(1), ((frames, bytes), 4, 8, Some(5)));
    let mut batch = weir_ports::Batch::new(8);
    far.receive.receive(&mut batch).unwrap();
    assert_eq!(batch.frames().len(), 2);
}

#[test]
fn packet_ins_count_as_a_wire_has_them() {
    let (plane, captures) = (plane(Some(OUT)), Arc::<Captures>::default());
    let ([near, mut far], _) = memory::connect(["near", "far"], 64, ALL).unwrap();
    let outputs = Outputs::new(Arc::clone(&plane), Arc::clone(&captures), Vec::new());
    let ports = WorkerPorts { receiving: vec![(1, near.receive)], links: Vec::new(), outputs };
    let spec = WorkerSpec { plane: Arc::clone(&plane), captures, number: 0, ports };
    let workers = Workers::start(vec![vec![spec]], Waiting::Blocking).unwrap();
    let (bytes, metadata) = gso();
    assert_eq!(far.transmit.transmit(&[Frame::copy_of(&bytes, metadata)], &[0]).unwrap(), 1);
    let end = Instant::now() + Duration::from_secs(20);
    while plane.counts.sent()[&OUT].frames < 4 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    let headers = 14 + 20 + 32;
    let sent = plane.counts.sent()[&OUT];
    assert_eq!((sent.frames, sent.bytes), (4, 4 * headers + 3005), "the switch itself counts one");
    plane.stop();
    workers.join();
}
