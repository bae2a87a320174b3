use super::*;
use crate::math::SECOND;

const MSS: u64 = 1000;

const START: Start = Start {
    mss: 1000,
    initial_window: 10_000,
    srtt: 0,
    paced: false,
    random: 0,
    hystart: false,
    fast_convergence: true,
};

fn cubic(fast_convergence: bool) -> Cubic {
    Cubic::new(&Start { fast_convergence, ..START })
}

fn loss_event(in_flight: u64) -> Congestion {
    Congestion { now: 0, cause: Cause::Loss, in_flight, srtt: 0, lost: MSS }
}

/// Gives a controller a window of 100 segments, and then congestion.
fn reduced(cubic: &mut Cubic) {
    cubic.set_window(100_000.0);
    cubic.on_congestion(&loss_event(100_000));
}

fn ack(cubic: &mut Cubic, now: Nanos) {
    let acked = Acked {
        now,
        acked: MSS,
        srtt: SECOND / 5,
        min_rtt: SECOND / 10,
        cwnd_limited: true,
        ..Acked::default()
    };
    cubic.on_ack(&acked);
}

#[test]
fn the_plateau_is_reached_at_k() {
    let mut cubic = cubic(true);
    reduced(&mut cubic);
    assert_eq!(cubic.window(), 70_000);
    // K = ∛(30/0.4) = 4.217 s; round trips of 200 ms, whose ACKs are spread evenly.
    let mut now = 0;
    while now < 4_217_000_000 {
        ack(&mut cubic, now);
        now += 200_000_000 * MSS / cubic.window();
    }
    assert!((cubic.window() as f64 - 100_000.0).abs() < 500.0, "{}", cubic.window());
    assert!((cubic.curve.reached - 4.217).abs() < 0.001);
}

#[test]
fn growth_targets_the_curve_one_rtt_ahead() {
    // W_cubic(0.4 s) = 100 + 0.4 · (0.4 − 4.217)³ = 77.75 segments. One of 70 ACKs adds a 70th of
    // the difference. 0.1 s earlier, it is 75.96, for Linux 76: one more segment for every
    // ⌊70/6⌋ = 11 acknowledged ones.
    for (mut cubic, expected) in [(Cubic::rfc(&START), 70_110.7), (Cubic::new(&START), 70_090.9)] {
        reduced(&mut cubic);
        ack(&mut cubic, 0);
        ack(&mut cubic, SECOND / 5);
        assert!((cubic.window - expected).abs() < 0.5, "{}: {}", cubic.name(), cubic.window);
        let before = cubic.window;
        ack(&mut cubic, 60 * SECOND);
        assert!((cubic.window - before - 500.0).abs() < 0.001);
    }
}

#[test]
fn linux_grows_by_a_twentieth_while_it_knows_no_maximum() {
    let growth = |mut cubic: Cubic, timeout: bool| {
        cubic.threshold = 5000;
        if timeout {
            cubic.on_congestion(&loss_event(200_000));
            cubic.on_timeout(&loss_event(0));
        }
        cubic.set_window(100_000.0);
        // A hundred ACKs arrive within a millisecond, while the cubic is flat.
        (0..=100).for_each(|i| ack(&mut cubic, i * 10_000));
        cubic.window - 100_000.0
    };
    assert!((growth(Cubic::new(&START), false) - 5000.0).abs() < 200.0);
    assert!((growth(Cubic::new(&START), true) - 5000.0).abs() < 200.0);
    assert!(growth(Cubic::rfc(&START), false) < 1000.0);
}

#[test]
fn linux_reaches_the_plateau_a_segment_early_and_leaves_it_a_segment_late() {
    let window = |seconds: f64| {
        let mut cubic = cubic(true);
        reduced(&mut cubic);
        let mut now = 0;
        while now < (seconds * 1e9) as Nanos {
            ack(&mut cubic, now);
            now += 200_000_000 * MSS / cubic.window();
        }
        cubic.window
    };
    // K = 4.217 s; the curve is within a segment of the plateau for ∛(1/0.4) = 1.357 s before and
    // after it.
    assert!((99_900.0..100_100.0).contains(&window(3.1)), "{}", window(3.1));
    assert!((100_000.0..100_400.0).contains(&window(5.4)), "{}", window(5.4));
    assert!(window(6.2) > 101_000.0, "{}", window(6.2));
}

#[test]
fn linux_estimate_of_reno_never_grows_by_a_segment_per_round_trip() {
    let reno = |mut cubic: Cubic| {
        reduced(&mut cubic);
        cubic.curve.prior = 0.0;
        ack(&mut cubic, 0);
        (0..70).for_each(|_| ack(&mut cubic, 0));
        cubic.curve.reno - 70_000.0
    };
    let (linux, rfc) = (reno(Cubic::new(&START)), reno(Cubic::rfc(&START)));
    assert!((480.0..=529.5).contains(&linux), "{linux}");
    assert!((930.0..=1000.5).contains(&rfc), "{rfc}");
}

#[test]
fn a_window_below_the_last_maximum_yields() {
    for (fast_convergence, plateau) in [(true, 80_000.0 * 0.85), (false, 80_000.0)] {
        let mut cubic = cubic(fast_convergence);
        reduced(&mut cubic);
        cubic.set_window(80_000.0);
        cubic.on_congestion(&loss_event(80_000));
        assert_eq!(cubic.curve.plateau, plateau);
        assert_eq!(cubic.window(), 56_000);
    }
}

#[test]
fn times_without_data_do_not_count_for_the_curve() {
    let (mut busy, mut pausing) = (cubic(true), cubic(true));
    for cubic in [&mut busy, &mut pausing] {
        reduced(cubic);
        for i in 0..100 {
            ack(cubic, i * 10_000_000);
        }
    }
    pausing.on_sent(31 * SECOND, MSS, MSS, true);
    ack(&mut busy, 1_000_000_000);
    ack(&mut pausing, 31_010_000_000);
    assert_eq!(busy.window(), pausing.window());
}

#[test]
fn a_late_segment_restores_everything() {
    let mut cubic = cubic(true);
    reduced(&mut cubic);
    for i in 0..300 {
        ack(&mut cubic, i * 10_000_000);
    }
    let (window, threshold, plateau) = (cubic.window, cubic.threshold, cubic.curve.plateau);
    cubic.on_congestion(&loss_event(50_000));
    assert!(cubic.window < window);
    cubic.undo();
    assert_eq!((cubic.window, cubic.threshold, cubic.curve.plateau), (window, threshold, plateau));
    cubic.undo();
    assert_eq!(cubic.window, window);
}

#[test]
fn timeouts_reset_the_window_and_plateau() {
    let mut cubic = cubic(true);
    reduced(&mut cubic);
    cubic.on_timeout(&loss_event(70_000));
    assert_eq!((cubic.window(), cubic.slow_start_threshold()), (1000, 49_000));
    cubic.on_timeout(&loss_event(1000));
    assert_eq!(cubic.slow_start_threshold(), 49_000, "the same flight is not halved twice");
    let mut now = 0;
    while cubic.window() < 49_000 {
        now += 10_000_000;
        ack(&mut cubic, now);
    }
    ack(&mut cubic, now + 1);
    assert_eq!((cubic.curve.reached, cubic.curve.plateau), (0.0, 49_000.0));
}

#[test]
fn marks_reduce_the_window_once() {
    let mut cubic = cubic(true);
    cubic.set_window(100_000.0);
    let mark = |in_flight| Congestion { cause: Cause::Ecn, ..loss_event(in_flight) };
    cubic.on_congestion(&mark(100_000));
    cubic.on_congestion(&mark(100_000));
    assert_eq!(cubic.window(), 70_000);
    cubic.on_ack(&Acked { acked: 100_000, ..Acked::default() });
    cubic.on_congestion(&mark(70_000));
    assert_eq!(cubic.window(), 49_000);
    cubic.on_ack(&Acked { acked: 70_000, ..Acked::default() });
    cubic.on_congestion(&mark(1000));
    assert_eq!((cubic.window(), cubic.slow_start_threshold()), (1000, 2000));
}
