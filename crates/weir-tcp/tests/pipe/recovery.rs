//! Losses that are repaired without a time-out.

use weir_tcp::{Algorithm, Config, Pacing, Reduction, TraceKind};

use crate::wire::{Fate, MS, Wire};
use crate::{ALL, counting_config, info, window_of_40};

const RTT: u64 = 100 * MS;
const MSS: u64 = 1448;

/// Sends `segments`, the first 40 at once, of which those in `lost` do not arrive. Returns the
/// number of round trips that the recovery took.
fn recovery_round_trips(settings: &Config, segments: u64, lost: &[usize]) -> f64 {
    let mut wire = Wire::new(settings.clone(), settings.clone(), RTT / 2);
    // The first segment is the SYN. The ACK of the handshake is sent with the data.
    wire.fates[0] = vec![Fate::Whole; 1 + lost.last().unwrap_or(&0) + 1];
    for at in lost {
        wire.fates[0][1 + at] = Fate::Lost;
    }
    wire.send([segments * MSS, 0]);
    wire.ends[0].connection.as_mut().unwrap().trace(true);
    wire.run_until_closed(60_000 * MS);
    let sender = info(&wire, 0);
    let case = format!("{:?}, lost {lost:?}: {sender:?}", settings.congestion);
    assert_eq!((sender.timeouts, sender.retransmits, sender.recoveries), (0, lost.len() as u64, 1), "{case}");
    let trace = wire.ends[0].connection.as_mut().unwrap().take_trace();
    let time = |kind| trace.iter().find(|row| row.kind == kind).expect(&case).time;
    (time(TraceKind::Recovered) - time(TraceKind::Recovery)) as f64 / RTT as f64
}

/// Returns the maximum number of round trips for the recovery of `lost` of 40 segments: one for the
/// first retransmission, as many as slow start needs for all of them, and one until the last is
/// acknowledged. BBR first keeps the number of packets in flight constant for a round trip.
fn max_round_trips(congestion: &Algorithm, lost: usize) -> f64 {
    match congestion {
        Algorithm::Bbr | Algorithm::BbrDraft => 4.2,
        _ => 2.0 + lost as f64 / 20.0,
    }
}

#[test]
fn any_burst_is_recovered_without_timeout() {
    for congestion in ALL {
        let settings = window_of_40(&congestion);
        for run in 1..=36 {
            for first in 0..=36 - run {
                let lost: Vec<usize> = (first..first + run).collect();
                let took = recovery_round_trips(&settings, 200, &lost);
                assert!(
                    took <= max_round_trips(&congestion, run),
                    "{congestion:?}, {run} from {first} on: {took} round trips"
                );
            }
        }
    }
}

#[test]
fn alternate_losses_in_flight_are_recovered() {
    for congestion in ALL {
        for reduction in [Reduction::Prr, Reduction::Rfc6675] {
            let settings = Config { reduction, ..window_of_40(&congestion) };
            for count in 1..=18 {
                for first in 0..=36 - 2 * count {
                    let lost: Vec<usize> = (0..count).map(|at| first + 2 * at).collect();
                    let took = recovery_round_trips(&settings, 200, &lost);
                    assert!(
                        took <= max_round_trips(&congestion, count),
                        "{congestion:?}, {count} from {first} on: {took} round trips"
                    );
                }
            }
        }
    }
}

/// No segments follow the last ones of a stream: a probe finds their loss (RFC 8985 section 7).
#[test]
fn tail_losses_are_recovered_without_timeout() {
    for congestion in ALL {
        for run in 2..40 {
            let settings = Config { time_wait: 1, ..window_of_40(&congestion) };
            let mut wire = Wire::new(settings.clone(), settings, RTT / 2);
            wire.fates[0] = vec![Fate::Whole; 1 + 40 - run];
            wire.fates[0].extend(vec![Fate::Lost; run]);
            wire.send([40 * MSS, 0]);
            wire.run_until_closed(60_000 * MS);
            let sender = info(&wire, 0);
            assert_eq!((sender.timeouts, sender.tail_probes), (0, 1), "{congestion:?} {run}: {sender:?}");
            assert_eq!(sender.retransmits, run as u64, "{congestion:?}");
            // The time is that of the handshake, the data, two round trips until the probe, its
            // answer, and the retransmissions.
            assert!(wire.now <= 11 * RTT, "{congestion:?} {run}: {} ms", wire.now / MS);
        }
    }
}

#[test]
fn without_probes_recovery_takes_a_time_out() {
    let settings = Config { tail_loss_probe: false, ..window_of_40(&Algorithm::Reno) };
    let mut wire = Wire::new(settings.clone(), settings, RTT / 2);
    wire.fates[0] = vec![Fate::Whole; 1 + 39];
    wire.fates[0].push(Fate::Lost);
    wire.send([40 * MSS, 0]);
    wire.run_until_closed(60_000 * MS);
    assert_eq!(info(&wire, 0).timeouts, 1);
}

/// NewReno repairs one gap per round trip (RFC 6582).
#[test]
fn new_reno_recovers_without_sack() {
    for congestion in ALL {
        let settings = Config { sack: false, ..window_of_40(&congestion) };
        let took = recovery_round_trips(&settings, 200, &[10, 12, 14]);
        assert!((3.0..=3.1).contains(&took), "{congestion:?}: {took} round trips");
    }
}

#[test]
fn a_lost_retransmission_is_found_by_its_time() {
    for (congestion, rack) in ALL.iter().flat_map(|congestion| [(congestion, true), (congestion, false)]) {
        let settings = Config { rack, ..window_of_40(congestion) };
        let mut wire = Wire::new(settings.clone(), settings, RTT / 2);
        wire.fates[0] = vec![Fate::Whole; 41];
        wire.fates[0][12] = Fate::Lost;
        wire.lose_retransmitted = 1;
        wire.send([600 * MSS, 0]);
        wire.run_until_closed(60_000 * MS);
        let sender = info(&wire, 0);
        assert_eq!(sender.timeouts > 0, !rack, "{congestion:?}: {sender:?}");
    }
}

/// One of 40 segments arrives late, after up to 36 others. It may be retransmitted once, but the
/// window is restored, and later segments that are as late cause no retransmission.
#[test]
fn late_segments_restore_the_window_and_raise_the_threshold() {
    for congestion in [Algorithm::Reno, Algorithm::Cubic] {
        for timestamps in [true, false] {
            let settings =
                Config { timestamps, initial_window_segments: 100, mss: 1460, ..counting_config() };
            let settings =
                Config { congestion: congestion.clone(), pacing: Pacing::Rate(12_000_000), ..settings };
            let mut wire =
                Wire::new(settings.clone(), Config { pacing: Pacing::Controller, ..settings }, RTT / 2);
            wire.fates[0] = vec![Fate::Whole; 10];
            for _ in 0..10 {
                wire.fates[0].push(Fate::Late(9 * MS));
                wire.fates[0].extend(vec![Fate::Whole; 150]);
            }
            wire.send([2000 * MSS, 0]);
            wire.run_until_closed(60_000 * MS);
            let sender = info(&wire, 0);
            let case = format!("{congestion:?}, timestamps {timestamps}: {sender:?}");
            assert_eq!((sender.timeouts, sender.recoveries), (0, 1), "{case}");
            assert_eq!((sender.undone, sender.retransmits), (1, 1), "{case}");
            assert_eq!(sender.ssthresh, u64::MAX, "{case}");
        }
    }
}
