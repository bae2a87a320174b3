//! Losses of many segments of a window.

use weir_sim::tcp::{Algorithm, Config, TraceKind};
use weir_sim::{Loss, TcpFlow, TcpFlowConfig};

use crate::ALL;
use crate::dumbbell::{Dumbbell, MSS, Path, config};
use crate::world::{MS, address};

const RTT: u64 = 100 * MS;

/// Returns the maximum number of round trips for the recovery of `lost` of 40 segments: one for the
/// first retransmission, as many as slow start needs for all of them, and one until the last one is
/// acknowledged. BBR first keeps the packets in flight constant for a round trip.
fn max_round_trips(congestion: &Algorithm, lost: u64) -> f64 {
    match congestion {
        Algorithm::Bbr | Algorithm::BbrDraft => 4.2,
        _ => 2.0 + lost as f64 / 20.0,
    }
}

/// Sends 200 segments, 40 of them at once; the segments `lost`, counted from 0, are lost. Checks
/// that they are retransmitted without a time-out, and that no other segment is retransmitted.
fn check_recovery(congestion: &Algorithm, lost: impl Iterator<Item = u64>) {
    // The SYN is frame 1; the handshake's ACK is sent with the data.
    let frames: Vec<u64> = lost.map(|segment| segment + 2).collect();
    let count = frames.len() as u64;
    let path = Path::unlimited(RTT, Loss::Frames(frames.clone().into()));
    let settings = Config { initial_window_segments: 40, hystart: Some(false), ..config(congestion) };
    let mut world = Dumbbell::new(1, 1, path, &settings);
    let flow = TcpFlowConfig::new((address(2), 5201), 1);
    let flow = TcpFlowConfig { bytes: Some(200 * MSS), duration: None, trace: true, ..flow };
    let app = world.network.start_tcp_flow("h1", "h2", flow).unwrap();
    world.network.run_until_finished(60_000 * MS);
    let report = world.network.app::<TcpFlow>(app).unwrap().report();
    let sender = report.info.unwrap();
    let case = format!("{congestion:?}, frames {frames:?}: {sender:?}");
    assert_eq!((sender.timeouts, sender.retransmits, sender.recoveries), (0, count, 1), "{case}");
    assert_eq!(report.received, 200 * MSS, "{case}");
    let time = |kind| report.trace.iter().find(|row| row.kind == kind).expect(&case).time;
    let took = (time(TraceKind::Recovered) - time(TraceKind::Recovery)) as f64 / RTT as f64;
    assert!(took <= max_round_trips(congestion, count), "{took} round trips, {case}");
}

#[test]
fn lost_bursts_are_recovered_without_timeout() {
    for congestion in ALL {
        for run in [1, 2, 3, 7, 15, 30, 36] {
            for first in (0..=36 - run).step_by(6) {
                check_recovery(&congestion, first..first + run);
            }
        }
    }
}

#[test]
fn alternate_losses_are_recovered_without_timeout() {
    for congestion in ALL {
        for count in [2, 5, 10, 18] {
            check_recovery(&congestion, (0..count).map(|at| 2 * at));
        }
    }
}
