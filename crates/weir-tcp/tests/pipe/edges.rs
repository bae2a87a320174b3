//! Opening and closing, and unusual wires.

use weir_tcp::{Closed, Config, Pacing, State};

use crate::wire::{Fate, MS, Wire};
use crate::{ALL, config, counting_config, info};

#[test]
fn a_clean_wire_needs_no_repetition() {
    for congestion in ALL {
        let settings = Config { congestion, ..config() };
        let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
        wire.send([200_000, 50_000]);
        wire.run_until_closed(60_000 * MS);
        for end in 0..2 {
            let info = info(&wire, end);
            assert_eq!((info.retransmits, info.timeouts, info.spurious), (0, 0, 0));
            assert_eq!((info.tail_probes, info.recoveries), (0, 0));
            assert_eq!(info.srtt / MS, 20);
        }
        assert!(wire.now < 1000 * MS, "took {} ms", wire.now / MS);
    }
}

#[test]
fn one_side_enters_time_wait() {
    let mut wire = Wire::new(config(), config(), 10 * MS);
    wire.send([1000, 0]);
    wire.run_until_closed(60_000 * MS);
    let states: Vec<State> = wire.ends.iter().map(|end| end.connection.as_ref().unwrap().state()).collect();
    assert!(states.iter().all(|state| matches!(state, State::TimeWait | State::Closed)), "{states:?}");
    wire.run_for(61_000 * MS);
    for end in &wire.ends {
        let connection = end.connection.as_ref().unwrap();
        assert_eq!((connection.state(), connection.next_deadline()), (State::Closed, None));
    }
}

#[test]
fn unanswered_pings_are_lost() {
    let mut wire = Wire::new(config(), config(), MS);
    wire.fates[0] = vec![Fate::Lost; 100];
    wire.send([10, 0]);
    wire.run_for(200_000 * MS);
    assert_eq!(wire.ends[0].closed, Some(Closed::TimedOut));
    // The retries take 1 + 2 + 4 + 8 + 16 + 32 + 64 s.
    assert_eq!(wire.carried[0], 7);
    assert_eq!(wire.ended_at[0] / MS, 127_000);
}

#[test]
fn the_peer_falls_silent() {
    let mut wire = Wire::new(Config { data_retries: 5, ..config() }, config(), MS);
    wire.fates[1] = vec![Fate::Whole; 1];
    wire.fates[1].extend(vec![Fate::Lost; 1000]);
    wire.send([100_000, 0]);
    wire.run_for(100_000 * MS);
    assert_eq!(wire.ends[0].closed, Some(Closed::TimedOut));
    assert_eq!(info(&wire, 0).timeouts, 5);
}

/// RFC 9293 section 3.5.1: a reset tells an end that still has a connection that the other end does
/// not have it.
#[test]
fn a_peer_without_the_connection_resets_it() {
    let mut wire = Wire::new(config(), config(), 10 * MS);
    wire.ends[0].stays = true;
    wire.ends[1].stays = true;
    wire.send([100_000, 0]);
    wire.run_for(500 * MS);
    assert_eq!(info(&wire, 0).state, State::Established);
    wire.ends[1].forgot = true;
    wire.ends[0].connection.as_mut().unwrap().write(b"still there?");
    wire.send_segments_of(0);
    wire.run_for(1000 * MS);
    assert_eq!(wire.ends[0].closed, Some(Closed::Reset));
}

#[test]
fn both_open_at_once() {
    let mut wire = Wire::crossing(config(), config(), 10 * MS);
    wire.send([5000, 7000]);
    wire.run_until_closed(60_000 * MS);
}

#[test]
fn both_close_at_once() {
    // The FINs cross on the wire: each stream is short enough to be sent at once.
    let mut wire = Wire::crossing(config(), config(), 10 * MS);
    wire.send([1000, 1000]);
    wire.run_until_closed(60_000 * MS);
    for end in 0..2 {
        assert_eq!(
            (info(&wire, end).state, info(&wire, end).retransmits),
            (State::TimeWait, 1),
            "the SYN-ACK"
        );
    }
}

/// Each segment of opening and closing is lost once, and then twice.
#[test]
fn any_single_segment_may_be_lost() {
    for congestion in ALL {
        for (side, at, times) in
            (0..2).flat_map(|side| (0..8).flat_map(move |at| [(side, at, 1), (side, at, 2)]))
        {
            let settings = Config { congestion: congestion.clone(), time_wait: 600_000 * MS, ..config() };
            let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
            wire.fates[side] = vec![Fate::Whole; at];
            wire.fates[side].extend(vec![Fate::Lost; times]);
            wire.send([4000, 3000]);
            wire.run_until_closed(60_000 * MS);
        }
    }
}

/// A retransmitted SYN or SYN-ACK gives no RTT (Karn's algorithm): the time since the first
/// transmission would include a second.
#[test]
fn repeated_handshakes_are_not_measured() {
    for side in 0..2 {
        let settings = Config { timestamps: false, ..config() };
        let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
        wire.fates[side] = vec![Fate::Lost];
        wire.send([50_000, 50_000]);
        wire.run_until_closed(60_000 * MS);
        for end in 0..2 {
            assert_eq!(info(&wire, end).srtt / MS, 20, "side {side}, end {end}");
        }
    }
}

#[test]
fn every_segment_arrives_twice() {
    for congestion in ALL {
        for sack in [true, false] {
            let settings = Config { congestion: congestion.clone(), sack, ..config() };
            let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
            wire.fates = [vec![Fate::Twice; 2000], vec![Fate::Twice; 2000]];
            wire.send([300_000, 20_000]);
            wire.run_until_closed(60_000 * MS);
            assert_eq!((info(&wire, 0).timeouts, info(&wire, 1).timeouts), (0, 0));
            // Without SACK, a duplicate looks like a segment after a gap (RFC 5681 section 4.2).
            if sack {
                assert_eq!((info(&wire, 0).retransmits, info(&wire, 0).recoveries), (0, 0));
            }
        }
    }
}

/// Every fourth segment is overtaken by `by` others.
#[test]
fn segments_are_overtaken() {
    for congestion in ALL {
        for by in [1, 2, 3, 5, 10, 30, 100] {
            let settings = Config { congestion: congestion.clone(), ..config() };
            let sender = Config { pacing: Pacing::Rate(12_000_000), ..settings.clone() };
            let mut wire = Wire::new(sender, settings, 100 * MS);
            wire.fates[0] = [Fate::Whole, Fate::Whole, Fate::Whole, Fate::Late(by * MS)].repeat(200);
            wire.send([800_000, 0]);
            wire.run_until_closed(60_000 * MS);
            let sender = info(&wire, 0);
            assert_eq!(sender.timeouts, 0, "{congestion:?} by {by}: {sender:?}");
            if by <= 2 {
                assert_eq!(
                    (sender.recoveries, sender.retransmits),
                    (0, 0),
                    "{congestion:?} by {by}: {sender:?}"
                );
            }
        }
    }
}

#[test]
fn damaged_segments_count_as_lost() {
    let mut wire = Wire::new(config(), config(), 10 * MS);
    for side in 0..2 {
        wire.fates[side] =
            (0..300).map(|at| if at % 3 == 2 { Fate::Damaged(at * 37) } else { Fate::Whole }).collect();
    }
    wire.send([200_000, 20_000]);
    wire.run_until_closed(600_000 * MS);
    assert!(info(&wire, 0).retransmits > 10);
}

/// The connection survives half a minute without a link, and is fast again as soon as a
/// retransmission gets through.
#[test]
fn an_outage_is_outlived() {
    for congestion in ALL {
        let settings = Config { congestion: congestion.clone(), ..counting_config() };
        let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
        wire.outage = (200 * MS, 30_200 * MS);
        wire.send([20_000_000, 0]);
        wire.run_for(30_200 * MS);
        let before = info(&wire, 0);
        assert!(before.acked < 20_000_000 && before.timeouts >= 6, "{congestion:?}: {before:?}");
        wire.run_until_closed(120_000 * MS);
        // The time-out had doubled to at most the duration of the outage.
        assert!(wire.now < 65_000 * MS, "{congestion:?}: {} ms", wire.now / MS);
    }
}

/// RFC 6298 section 5: after an outage of a second, the sender resumes at most twice its time-out
/// later, with a window of one segment.
#[test]
fn a_second_without_a_link() {
    for congestion in ALL {
        let settings = Config { congestion: congestion.clone(), ..counting_config() };
        let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
        wire.outage = (500 * MS, 1500 * MS);
        wire.ends[0].stays = true;
        wire.send([200_000_000, 0]);
        wire.run_for(1499 * MS);
        let stopped = info(&wire, 0);
        assert_eq!(stopped.cwnd, u64::from(stopped.mss), "{congestion:?}");
        assert!((2..=3).contains(&stopped.timeouts), "{congestion:?}: {stopped:?}");
        let rto = stopped.rto;
        wire.run_for(2 * rto + 100 * MS);
        assert!(info(&wire, 0).acked > stopped.acked + 100_000, "{congestion:?}: {:?}", info(&wire, 0));
    }
}

#[test]
fn an_abort_reaches_the_peer() {
    let mut wire = Wire::new(config(), config(), 10 * MS);
    wire.send([10_000_000, 0]);
    wire.run_for(100 * MS);
    wire.ends[0].connection.as_mut().unwrap().abort();
    wire.send_segments_of(0);
    wire.run_for(100 * MS);
    assert_eq!((wire.ends[0].closed, wire.ends[1].closed), (Some(Closed::Aborted), Some(Closed::Reset)));
    assert_eq!(wire.ends[0].connection.as_ref().unwrap().next_deadline(), None);
}
