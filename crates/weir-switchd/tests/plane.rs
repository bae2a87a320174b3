//! The data plane between ports in memory.

mod bench;
mod loops;
mod offloads;
mod replaced;
mod service;

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use weir_device::{Nanos, Port};
use weir_ports::{Batch, Frame, Link, LinkState, Metadata, PortError, Receive, ReceiveCounts, WaitOn};
use weir_switch::control::Update;
use weir_switchd::Captures;
use weir_switchd::plane::{Outputs, Plane, Waiting, WorkerPorts, WorkerSpec, Workers};

use bench::{Bench, CPU_PORT, frame, spec, switch};

#[test]
fn frames_cross_in_order_and_copies_reach_all_members() {
    let mut switch = switch();
    let replicas = [1, 2].map(|port| weir_switch::control::Replica::new(port, 0)).to_vec();
    let update = weir_switch::control::Update::SetMulticastGroup { group: 1, replicas: Some(replicas) };
    switch.control().change(&update).unwrap();
    let mut bench = Bench::start(switch);
    let frames: Vec<_> = (0..3000).map(|number| frame(2, 0x0800, number)).collect();
    bench.send(0, &frames);
    assert_eq!(bench.receive(1, 3000), frames);
    bench.send(1, &frames[..5]);
    assert_eq!(bench.receive(0, 5), frames[..5]);
    let broadcast = frame(0xff, 0x0806, 1);
    bench.send(0, std::slice::from_ref(&broadcast));
    assert_eq!([bench.receive(0, 1), bench.receive(1, 1)], [[broadcast.clone()], [broadcast]]);
    let counts = bench.plane.try_with_switch(|switch, _| {
        switch.collect_reports();
        (switch.stats().received, switch.stats().transmitted, switch.stats().is_balanced())
    });
    assert_eq!(counts, Some((3006, 3007, true)));
}

/// Frames of a port with a rate wait in its queueing discipline, which drops and counts the rest.
#[test]
fn frames_wait_in_a_queueing_discipline() {
    let mut switch = switch();
    let rate = Some(weir_switch::Rate::PacketsPerSecond(20));
    let discipline = weir_control::commands::read_queue_discipline(["pfifo limit 4"]).unwrap();
    let (port, priority, discipline) = (Some(2), None, Some(Arc::new(discipline)));
    let rated = Update::SetQueueRate { port, priority, rate };
    let limited = Update::SetQueueDiscipline { port, priority, discipline };
    switch.control().write(&[rated, limited]).unwrap();
    let mut bench = Bench::start(switch);
    let frames: Vec<_> = (0..30).map(|number| frame(2, 0x0800, number)).collect();
    let start = Instant::now();
    bench.send(0, &frames);
    let arrived = bench.receive(1, 5);
    assert_eq!(arrived[..2], frames[..2]);
    assert!(start.elapsed() > Duration::from_millis(190), "four frames wait 50 ms each");
    let counts = bench.plane.try_with_switch(|switch, _| {
        switch.collect_reports();
        let stats = switch.stats();
        let drops = stats.drops.iter().map(|((place, why), count)| (format!("{place}: {why}"), *count));
        (stats.received, stats.transmitted + stats.dropped(), drops.collect::<Vec<_>>())
    });
    let (received, gone, drops) = counts.unwrap();
    assert_eq!((received, gone), (30, 30));
    // If the thread was slow, a frame left before the last frame arrived.
    assert!(matches!(&drops[..], [(why, 20..=25)] if why == "queue 2: queue full"), "{drops:?}");
}

#[test]
fn recirculated_packets_leave_the_switch() {
    let mut bench = Bench::start(switch());
    let around: Vec<_> = (0..200).map(|number| frame(2, 0x0202, number)).collect();
    bench.send(0, &around);
    // Recirculated packets have the input port 0, for which the program's table has no entry.
    let end = Instant::now() + Duration::from_secs(20);
    let passes =
        || bench.plane.try_with_switch(|switch, _| (switch.stats().passes, switch.stats().in_flight));
    while passes() != Some((400, 0)) && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(passes(), Some((400, 0)));
}

#[test]
fn links_that_go_down_are_known_to_the_switch_and_come_back() {
    let mut bench = Bench::start(switch());
    bench.cable.set_up(false);
    std::thread::sleep(Duration::from_millis(400));
    bench.send(1, &[frame(1, 0x0800, 1)]);
    let end = Instant::now() + Duration::from_secs(20);
    let sent = || {
        bench.plane.try_with_switch(|switch, _| {
            switch.collect_reports();
            switch.stats().transmitted
        })
    };
    while sent() == Some(0) && Instant::now() < end {
        std::thread::yield_now();
    }
    // The worker counts a frame before it passes the frame to the port.
    std::thread::sleep(Duration::from_millis(100));
    bench.cable.set_up(true);
    bench.send(1, &[frame(1, 0x0800, 2)]);
    assert_eq!(bench.receive(0, 1), [frame(1, 0x0800, 2)], "the first frame had no link");
}

/// A port whose receive call takes three milliseconds.
struct Slow(Box<dyn Receive>);

impl Receive for Slow {
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError> {
        std::thread::sleep(Duration::from_millis(3));
        self.0.receive(batch)
    }

    fn wait_on(&self) -> WaitOn<'_> {
        self.0.wait_on()
    }

    fn counts(&mut self) -> ReceiveCounts {
        self.0.counts()
    }
}

/// Egress and the queues use their own time, not the time of receipt.
#[test]
fn ingress_has_the_time_of_arrival_and_egress_the_time_of_the_run() {
    let shows = "apply { hdr.ethernet.src = sm.egress_global_timestamp - sm.ingress_global_timestamp;
                 hdr.ethernet.type = (bit<16>)(sm.egress_global_timestamp - (bit<48>)sm.enq_timestamp);
                 if (hdr.ethernet.type";
    let text = bench::crossing_program().replacen("apply {\n        if (hdr.ethernet.type", shows, 1);
    for is_slow_path in [false, true] {
        let mut switch = bench::running_switch(bench::executor(text.clone()));
        if is_slow_path {
            switch.trace_next(2);
        }
        let plane = Plane::new(None, switch, None, 0).unwrap();
        let (mut spec, mut hosts, _cable) = spec(&plane, &Arc::default(), 0, Vec::new());
        let (port, receive) = spec.ports.receiving.remove(0);
        spec.ports.receiving.push((port, Box::new(Slow(receive))));
        let workers = Workers::start(vec![vec![spec]], Waiting::Blocking).unwrap();
        let frames = [Frame::copy_of(&frame(2, 0x0800, 1), Metadata::default())];
        assert_eq!(hosts[0].transmit.transmit(&frames, &[0]).unwrap(), 1);
        let end = Instant::now() + Duration::from_secs(20);
        let payload = loop {
            let mut batch = Batch::new(1);
            hosts[1].receive.receive(&mut batch).unwrap();
            if let [frame] = batch.frames() {
                break frame.bytes().to_vec();
            }
            assert!(Instant::now() < end, "the frame has not come");
            std::thread::yield_now();
        };
        let transit = payload[6..12].iter().fold(0, |time, byte| time << 8 | u64::from(*byte));
        assert!((3_000..20_000_000).contains(&transit), "{transit} us, slow path: {is_slow_path}");
        assert_eq!(payload[12..14], [0, 0], "it does not wait in the queue, slow path: {is_slow_path}");
        plane.stop();
        workers.join();
    }
}

/// A port whose code panics.
struct Broken;

impl Receive for Broken {
    fn receive<'a>(&'a mut self, _: &mut Batch<'a>) -> Result<(), PortError> {
        panic!("the ring has no frame 7")
    }

    fn wait_on(&self) -> WaitOn<'_> {
        WaitOn::Nothing
    }

    fn counts(&mut self) -> ReceiveCounts {
        ReceiveCounts::default()
    }
}

#[test]
fn a_panic_of_a_worker_is_reported() {
    let plane = Plane::new(None, switch(), None, 0).unwrap();
    let captures = Arc::<Captures>::default();
    let outputs = Outputs::new(Arc::clone(&plane), Arc::clone(&captures), Vec::new());
    let receiving: Vec<(Port, Box<dyn Receive>)> = vec![(1, Box::new(Broken))];
    let ports = WorkerPorts { receiving, links: Vec::new(), outputs };
    let workers =
        Workers::start(vec![vec![WorkerSpec { plane, captures, number: 0, ports }]], Waiting::Blocking);
    let workers = workers.unwrap();
    let end = workers.ended.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(end, Err("the ring has no frame 7".to_owned()));
    workers.join();
}

/// A port that fails whenever it is asked, and is always ready.
struct Failing {
    event: OwnedFd,
    asked: Arc<AtomicU64>,
}

impl Receive for Failing {
    fn receive<'a>(&'a mut self, _: &mut Batch<'a>) -> Result<(), PortError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let source = std::io::Error::from_raw_os_error(5);
        Err(PortError::System { port: "s1-eth3".to_owned(), step: "receive", source })
    }

    fn wait_on(&self) -> WaitOn<'_> {
        WaitOn::Readable(self.event.as_fd())
    }

    fn counts(&mut self) -> ReceiveCounts {
        ReceiveCounts::default()
    }
}

#[test]
fn a_port_that_fails_does_not_hold_up_the_others() {
    let event = rustix::event::eventfd(1, rustix::event::EventfdFlags::empty()).unwrap();
    let asked = Arc::<AtomicU64>::default();
    let failing = Failing { event, asked: Arc::clone(&asked) };
    let began = Instant::now();
    let mut bench = Bench::start_with(switch(), vec![(3, Box::new(failing))]);
    // How many frames cross, one by one, while the port is paused.
    let (mut most, mut crossed, mut last) = (0, 0, 0);
    for number in 0..100_000 {
        bench.send(0, &[frame(2, 0x0800, number)]);
        assert_eq!(bench.receive(1, 1), [frame(2, 0x0800, number)]);
        let now = asked.load(Ordering::Relaxed);
        crossed = if now == last { crossed + 1 } else { 0 };
        (most, last) = (most.max(crossed), now);
        if most >= 5 && began.elapsed() > Duration::from_millis(600) {
            break;
        }
    }
    assert!(most >= 5, "{most} frames crossed while the port was left alone");
    // The pauses are 10, 20, 40, 80 and 160 ms, and then 250 ms each.
    let asked = u128::from(asked.load(Ordering::Relaxed));
    assert!((2..=6 + began.elapsed().as_millis() / 250).contains(&asked), "asked {asked} times");
}

/// A link that cannot be checked because the process has no file descriptors left.
struct Unseen(Arc<AtomicU64>);

impl Link for Unseen {
    fn check(&mut self) -> Result<LinkState, PortError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let source = std::io::Error::other("too many open files");
        Err(PortError::NotSeen { port: "s1-eth2".to_owned(), source })
    }
}

#[test]
fn a_link_that_cannot_be_looked_at_stays_up() {
    let plane = Plane::new(None, switch(), Some(CPU_PORT), 0).unwrap();
    let looks = Arc::<AtomicU64>::default();
    let (mut spec, hosts, cable) = spec(&plane, &Arc::default(), 0, Vec::new());
    spec.ports.links[1].1 = Box::new(Unseen(Arc::clone(&looks)));
    let workers = Some(Workers::start(vec![vec![spec]], Waiting::Blocking).unwrap());
    let mut bench = Bench { plane, workers, hosts, cable };
    let end = Instant::now() + Duration::from_secs(20);
    while looks.load(Ordering::Relaxed) < 2 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    bench.send(0, &[frame(2, 0x0800, 1)]);
    assert_eq!(bench.receive(1, 1), [frame(2, 0x0800, 1)]);
}

#[test]
fn a_panic_in_a_controllers_call_stops_the_workers_and_disables_the_switch() {
    let mut bench = Bench::start(switch());
    bench.send(0, &[frame(2, 0x0800, 1)]);
    assert_eq!(bench.receive(1, 1).len(), 1);
    assert_eq!(bench.plane.failure(), None);
    let plane = Arc::clone(&bench.plane);
    let call = std::thread::spawn(move || plane.try_with_switch(|_, _| panic!("entry 7 has no action")));
    assert!(call.join().is_err());
    assert_eq!(bench.plane.failure(), Some("entry 7 has no action"));
    // The worker drains frames for up to a second; a switch with wrong tables must not do so.
    let workers = bench.workers.take().unwrap();
    let end = workers.ended.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(end, Ok(()));
    bench.send(0, &[frame(2, 0x0800, 2)]);
    let mut batch = Batch::new(64);
    bench.hosts[1].receive.receive(&mut batch).unwrap();
    assert_eq!(batch.frames().len(), 0);
    assert_eq!(bench.plane.try_with_switch(|switch, _| switch.stats().received), None);
    workers.join();
}

#[test]
fn time_passes_as_on_a_clock() {
    let plane = Plane::new(None, switch(), None, 0).unwrap();
    let (before, start) = (plane.clock.now(), Instant::now());
    std::thread::sleep(Duration::from_millis(5));
    let passed = plane.clock.now() - before;
    assert!(passed >= 5_000_000 && u128::from(passed) <= start.elapsed().as_nanos() + 5_000_000);
    assert_eq!(plane.next_deadline(), Nanos::MAX);
}
