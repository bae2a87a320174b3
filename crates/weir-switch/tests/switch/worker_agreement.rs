//! A switch and its workers handle packets alike: `testdata/switch/threads.p4`.

use weir_device::{Device, Nanos, Port, Transmission};
use weir_switch::Stats;

use crate::by_name::ByName;
use crate::threads::{BATCH, buffers, probe, switch};

/// The packets that left, followed by the state in the control interface (as if it left on port 0);
/// the statistics; and the packets of digests.
type Outcome = (Vec<(Port, Vec<u8>)>, Stats, Vec<u64>);

/// The component that forwards the packets.
#[derive(Clone, Copy, PartialEq)]
enum ForwardedBy {
    Switch,
    Worker,
    /// A worker that stops after each packet with which the switch must continue.
    WorkerInOrder,
}

/// Returns the outcome of packets of each kind, in order, if batches go through the switch itself
/// or through its worker.
fn outcome(by: ForwardedBy, whats: &[u8]) -> Outcome {
    let mut switch = switch();
    let mut worker = (by != ForwardedBy::Switch).then(|| switch.worker());
    let (mut buffers, mut out, mut left) = (buffers(), Vec::new(), Vec::new());
    let mut seen = Vec::new();
    for (round, whats) in whats.chunks(BATCH).enumerate() {
        let now = 1000 * round as Nanos;
        let buffers = &mut buffers[..whats.len()];
        for (index, (buffer, what)) in buffers.iter_mut().zip(whats).enumerate() {
            // Some packets arrive on a port that does not exist, some match no entry, and some are
            // too short.
            let port = 1 + (index as Port * 7 + Port::from(*what)) % 5;
            let bytes = probe(*what, index as u32 % 10);
            let bytes = if index % 13 == 12 { &bytes[..9] } else { &bytes };
            buffer.receive(port, index as u64, bytes);
        }
        match &mut worker {
            Some(worker) if by == ForwardedBy::WorkerInOrder => {
                // Packets that still wait in the switch come first.
                switch.advance(now, &mut out);
                let mut rest = &mut buffers[..];
                while !rest.is_empty() {
                    let done = worker.forward_in_order(now, now, rest, &mut out, &mut left);
                    assert!(done > 0);
                    switch.take_over(now, &mut left, &mut out);
                    rest = &mut rest[done..];
                }
            }
            Some(worker) => {
                worker.forward(now, buffers, &mut out, &mut left);
                switch.take_over(now, &mut left, &mut out);
            }
            None => switch.forward(now, buffers, &mut out),
        }
        for buffer in buffers {
            seen.extend(buffer.metadata.egress_port.map(|port| (port, buffer.bytes().to_vec())));
        }
        // Packets that took another path get their numbers later if a worker left them to the
        // switch.
        let mut others: Vec<_> =
            out.drain(..).map(|sent: Transmission| (sent.port, sent.packet.bytes)).collect();
        others.sort();
        seen.extend(others);
    }
    drop(worker);
    let mut control = switch.by_name();
    let digests = control.take_digests().iter().map(|digest| digest.packet).collect();
    let total = control.register("totals", 1).unwrap();
    seen.push((0, total.to_be_bytes()));
    for table in ["firsts", "seconds", "ports"] {
        let state = control.table_state(table).unwrap();
        seen.push((0, format!("{} {}", state.hits, state.misses).into_bytes()));
    }
    (seen, switch.stats().clone(), digests)
}

#[test]
fn workers_and_switch_agree() {
    let straight: Vec<u8> = (0..400u32).map(|n| [0, 5, 0xff, 6, 0][n as usize % 5]).collect();
    let (by_switch, by_worker) =
        (outcome(ForwardedBy::Switch, &straight), outcome(ForwardedBy::Worker, &straight));
    assert!(!by_switch.2.is_empty() && by_switch.1.drops.len() > 1);
    assert_eq!(by_switch, by_worker);
    // At the end of a batch, one packet of each other kind, so that no number depends on which
    // packet waits for which.
    for what in 1..=4 {
        let mut whats = vec![0; 20];
        whats[19] = what;
        whats.extend(vec![0; 12]);
        let (by_switch, by_worker) =
            (outcome(ForwardedBy::Switch, &whats[..20]), outcome(ForwardedBy::Worker, &whats[..20]));
        assert_eq!(by_switch, by_worker, "what {what}");
        assert!(by_worker.1.is_balanced());
        // In the middle only the numbers may differ.
        let (by_switch, by_worker) =
            (outcome(ForwardedBy::Switch, &whats), outcome(ForwardedBy::Worker, &whats));
        assert_eq!((by_switch.0.len(), by_switch.1), (by_worker.0.len(), by_worker.1), "what {what}");
    }
}

#[test]
fn packets_stay_in_order_around_those_that_leave_their_buffers() {
    let mixed: Vec<u8> = (0..600u32).map(|n| [0, 5, 1, 0xff, 6, 2, 3, 0, 4, 1][n as usize % 10]).collect();
    let by_switch = outcome(ForwardedBy::Switch, &mixed);
    assert!(by_switch.0.len() > 300 && by_switch.1.is_balanced());
    let in_order = outcome(ForwardedBy::WorkerInOrder, &mixed);
    let differs = by_switch.0.iter().zip(&in_order.0).position(|(one, other)| one != other);
    assert_eq!((differs, by_switch.0.len()), (None, in_order.0.len()));
    assert_eq!((by_switch.1, by_switch.2), (in_order.1, in_order.2));
}
