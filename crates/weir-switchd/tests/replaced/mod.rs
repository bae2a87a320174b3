//! A running program is replaced by another one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use weir_ports::{Batch, Frame, Metadata, Port as Ends};
use weir_switch::control::{CloneSession, Replica, Update};
use weir_switchd::Captures;
use weir_switchd::plane::{Plane, Waiting, Workers};

use crate::bench::{CPU_PORT, crossing_program, executor, frame, running_switch, spec};

/// Returns the frames that have arrived at a host.
fn receive_frames(host: &mut Ends) -> Vec<Vec<u8>> {
    let mut batch = Batch::new(1024);
    host.receive.receive(&mut batch).unwrap();
    batch.frames().iter().map(|frame| frame.bytes().to_vec()).collect()
}

#[test]
fn a_program_is_replaced_while_copies_of_packets_are_handed_over() {
    const COPIED: u16 = 0x0303;
    // Broadcasts of this type leave by both ports, and once more by port 1.
    let old = "if (hdr.ethernet.type == 0x0101";
    let clone = format!("if (hdr.ethernet.type == {COPIED}) {{ clone(CloneType.I2E, 5); }} {old}");
    let executor = executor(crossing_program().replace(old, &clone));
    let configured = move || {
        let mut switch = running_switch(Arc::clone(&executor));
        let replicas = [1, 2].map(|port| Replica::new(port, 0)).to_vec();
        let session = CloneSession { port: Some(1), ..Default::default() };
        let updates = [
            Update::SetMulticastGroup { group: 1, replicas: Some(replicas) },
            Update::SetCloneSession { session: 5, config: Some(session) },
        ];
        switch.control().write(&updates).unwrap();
        switch
    };
    let plane = Plane::new(None, configured(), Some(CPU_PORT), 0).unwrap();
    let captures = Arc::<Captures>::default();
    let (mut specs, mut hosts) = (Vec::new(), Vec::new());
    for number in 0..2 {
        let (spec, ends, _) = spec(&plane, &captures, number, Vec::new());
        specs.push(vec![spec]);
        hosts.push(ends);
    }
    let workers = Workers::start(specs, Waiting::Blocking).unwrap();
    let (changed, stop) = (Arc::clone(&plane), Arc::<AtomicBool>::default());
    let stops = Arc::clone(&stop);
    let changing = std::thread::spawn(move || {
        while !stops.load(Ordering::Relaxed) {
            let next = configured();
            changed.try_with_switch(|old, now| next.take_place_of(old, now)).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    // How often the frame with this worker and number arrived at a host.
    let mut seen: BTreeMap<(usize, usize, u32), u32> = BTreeMap::new();
    let look = |hosts: &mut [[Ends; 2]], seen: &mut BTreeMap<(usize, usize, u32), u32>| {
        for (worker, ends) in hosts.iter_mut().enumerate() {
            for (host, end) in ends.iter_mut().enumerate() {
                for bytes in receive_frames(end) {
                    let number = u32::from_be_bytes(bytes[14..18].try_into().unwrap());
                    assert_eq!(bytes, frame(0xff, COPIED, number), "a frame has changed");
                    *seen.entry((worker, host, number)).or_default() += 1;
                }
            }
        }
        seen.len()
    };
    let mut sent = 0;
    let mut send = |hosts: &mut [[Ends; 2]], count: u32| {
        let frames: Vec<_> = (sent..sent + count).map(|number| frame(0xff, COPIED, number)).collect();
        let frames: Vec<_> = frames.iter().map(|bytes| Frame::copy_of(bytes, Metadata::default())).collect();
        let numbers: Vec<u16> = (0..count as u16).collect();
        for (worker, ends) in hosts.iter_mut().enumerate() {
            // One worker's frames come from port 1, the other's from port 2.
            assert_eq!(ends[worker].transmit.transmit(&frames, &numbers).unwrap(), frames.len());
        }
        sent += count;
        sent
    };
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        send(&mut hosts, 32);
        let before = look(&mut hosts, &mut seen);
        if before > 500 && plane.program() > 20 {
            break;
        }
        let (mut came, program) = (before, plane.program());
        // All of these frames may have been dropped with the old program.
        while came == before && plane.program() < program + 2 && Instant::now() < end {
            std::thread::yield_now();
            came = look(&mut hosts, &mut seen);
        }
    }
    stop.store(true, Ordering::Relaxed);
    changing.join().unwrap();
    let copies = |seen: &BTreeMap<(usize, usize, u32), u32>, number| {
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(worker, host)| seen.get(&(worker, host, number)).copied())
    };
    let whole = [Some(2), Some(1), Some(2), Some(1)];
    // A worker may receive a frame in a turn that began with the previous program. All copies of a
    // frame that the last program processed must arrive.
    let mut has_followed = false;
    while !has_followed && Instant::now() < end {
        let number = send(&mut hosts, 1) - 1;
        let patience = Instant::now() + Duration::from_millis(500);
        while !has_followed && Instant::now() < patience {
            std::thread::yield_now();
            look(&mut hosts, &mut seen);
            has_followed = copies(&seen, number) == whole;
        }
    }
    assert!(has_followed, "no frame is copied whole");
    let last = send(&mut hosts, 1) - 1;
    plane.stop();
    workers.join();
    look(&mut hosts, &mut seen);
    assert_eq!(plane.failure(), None);
    let counts = plane.try_with_switch(|switch, _| {
        switch.collect_reports();
        (switch.stats().in_flight, switch.stats().is_balanced())
    });
    assert_eq!(counts, Some((0, true)));
    assert_eq!(copies(&seen, last), whole);
    // An earlier frame has arrived completely, or was dropped with the old program; it never
    // arrives twice.
    let most = |host: usize| if host == 0 { 2 } else { 1 };
    assert!(seen.iter().all(|((_, host, _), count)| *count <= most(*host)));
    assert!(seen.len() > 500, "{} frames came", seen.len());
}
