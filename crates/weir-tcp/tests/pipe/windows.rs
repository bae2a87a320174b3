//! Receive and send windows.

use weir_tcp::{Algorithm, Config, Pacing};

use crate::wire::{Fate, MS, Wire};
use crate::{ALL, config, counting_config, info};

#[test]
fn lost_window_updates_are_probed() {
    for congestion in ALL {
        let sender = Config { congestion, ..config() };
        let small = Config { receive_buffer: 20_000, ..config() };
        let mut wire = Wire::new(sender, small, 10 * MS);
        wire.ends[1].reads = false;
        wire.send([100_000, 0]);
        wire.run_for(3_000 * MS);
        let sender = info(&wire, 0);
        assert!(sender.acked <= 20_000 && sender.acked > 18_000, "{sender:?}");
        assert_eq!((sender.timeouts, sender.retransmits), (0, 0));
        wire.ends[1].reads = true;
        // The window update is lost.
        wire.fates[1] = vec![Fate::Whole; wire.carried[1]];
        wire.fates[1].push(Fate::Lost);
        wire.run_until_closed(120_000 * MS);
    }
}

/// If the application limits the sender, delivery rates reveal nothing about the path, so BBR keeps
/// its measurements (delivery rates, section 3.4).
#[test]
fn a_slow_application_is_not_a_slow_path() {
    let settings = Config { congestion: Algorithm::Bbr, receive_buffer: 200_000, ..counting_config() };
    let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
    wire.ends[0].stays = true;
    wire.send([5_000_000, 0]);
    wire.run_for(2000 * MS);
    let before = info(&wire, 0);
    assert_eq!((before.acked, before.in_flight), (5_000_000, 0));
    let measured = before.pacing_rate.unwrap();
    assert!(measured > 50_000_000, "{before:?}");
    // The application writes 2.3 Mbit/s, with data in flight at all times.
    for _ in 0..400 {
        wire.ends[0].connection.as_mut().unwrap().write_pattern(1448);
        wire.send_segments_of(0);
        wire.run_for(5 * MS);
    }
    let after = info(&wire, 0);
    assert_eq!((after.retransmits, after.timeouts), (0, 0));
    assert!(after.pacing_rate.unwrap() > measured / 2, "{measured}, then {after:?}");
}

/// A receive buffer of less than a segment.
#[test]
fn a_tiny_receiver_gets_everything() {
    for congestion in ALL {
        for receive_buffer in [1, 100, 1000, 1447, 1449] {
            let sender = Config { congestion: congestion.clone(), ..config() };
            let mut wire = Wire::new(sender, Config { receive_buffer, ..config() }, MS);
            wire.send([u64::from(receive_buffer) * 20, 0]);
            wire.run_until_closed(600_000 * MS);
            assert_eq!((info(&wire, 0).timeouts, info(&wire, 0).retransmits), (0, 0), "{receive_buffer}");
        }
    }
}

#[test]
fn all_segment_sizes_work() {
    for mss in [64, 88, 536, 8960] {
        let settings = Config { mss, ..config() };
        let mut wire = Wire::new(settings.clone(), settings, MS);
        wire.send([100_000, 0]);
        wire.run_until_closed(60_000 * MS);
        assert_eq!(info(&wire, 0).mss, u32::from(mss) - 12);
        let segments = 100_000_u64.div_ceil(u64::from(mss) - 12);
        assert!(info(&wire, 0).segments_out <= segments + 4, "{:?}", info(&wire, 0));
    }
}

#[test]
fn marks_slow_the_sender_once_a_window() {
    for congestion in [Algorithm::Reno, Algorithm::Cubic] {
        let settings = Config { ecn: true, congestion, ..counting_config() };
        let mut wire = Wire::new(settings.clone(), settings, 20 * MS);
        wire.fates[0] = vec![Fate::Whole; 30];
        wire.fates[0].extend([Fate::Marked, Fate::Marked]);
        wire.send([500_000, 0]);
        wire.run_until_closed(60_000 * MS);
        let sender = info(&wire, 0);
        assert_eq!((sender.ecn_reductions, sender.retransmits, sender.recoveries), (1, 0, 0), "{sender:?}");
        assert!(sender.ssthresh < 100_000, "{sender:?}");
    }
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    // BBR has no such rule: its window follows from its measurements.
    for congestion in [Algorithm::Reno, Algorithm::Cubic] {
        let mut wire = Wire::new(
            Config { send_buffer: 3000, congestion, ..counting_config() },
            counting_config(),
            10 * MS,
        );
        wire.send([300_000, 0]);
        wire.run_until_closed(60_000 * MS);
        assert_eq!(info(&wire, 0).cwnd, 14_480);
    }
}

/// A paced connection may have a millisecond of segments in the host's queue: 8 segments of 1500
/// bytes at 100 Mbit/s.
#[test]
fn a_millisecond_waits_in_the_hosts_own_queue() {
    let settings = Config {
        initial_window_segments: 40,
        pacing: Pacing::Rate(100_000_000),
        paced_ahead: 10 * MS,
        ..counting_config()
    };
    let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
    (wire.departs, wire.spaced) = (false, true);
    wire.send([1_000_000, 0]);
    wire.run_for(25 * MS);
    let info = info(&wire, 0);
    assert!((8..=9).contains(&info.segments_out), "{info:?}");
}

/// The host's queue holds at most two segments, regardless of the window.
#[test]
fn few_segments_wait_in_the_hosts_own_queue() {
    for (small_queue, most) in [(true, 3), (false, 40)] {
        let settings = Config { small_queue, initial_window_segments: 40, ..counting_config() };
        let mut wire = Wire::new(settings.clone(), settings, 10 * MS);
        wire.departs = false;
        wire.send([1_000_000, 0]);
        wire.run_for(25 * MS);
        let info = info(&wire, 0);
        // The SYN, and those in the queue.
        assert!((most - 1..=most + 1).contains(&info.segments_out), "{info:?}");
    }
}
