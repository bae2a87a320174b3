use super::*;

const START: Start = Start {
    mss: 1000,
    initial_window: 10_000,
    srtt: 0,
    random: 1,
    paced: false,
    hystart: false,
    fast_convergence: true,
};

fn bbr() -> BbrDraft {
    BbrDraft::new(&START)
}

/// Delivers segments of 1000 bytes, one each millisecond (8 Mbit/s), 20 ms after they were sent.
fn deliver(bbr: &mut BbrDraft, from: Nanos, segments: u64, in_flight: u64, app_limited: bool) {
    for i in 1..=segments {
        let delivered = bbr.delivered + 1000;
        let prior_delivered = delivered.saturating_sub(20_000);
        let rate = RateSample {
            bits_per_second: 8_000_000,
            delivered: delivered - prior_delivered,
            prior_delivered,
            interval: 20 * MS,
            app_limited,
        };
        bbr.on_ack(&Acked {
            now: from + i * MS,
            delivered: 1000,
            acked: 1000,
            rtt: Some(20 * MS),
            srtt: 20 * MS,
            min_rtt: 20 * MS,
            in_flight,
            prior_in_flight: in_flight + 1000,
            cwnd_limited: true,
            rate: Some(rate),
            ..Acked::default()
        });
    }
}

fn loss_event(in_flight: u64, lost: u64) -> Congestion {
    Congestion { now: 0, cause: Cause::Loss, in_flight, srtt: 20 * MS, lost }
}

#[test]
fn from_startup_through_drain_to_two_products() {
    let mut bbr = bbr();
    deliver(&mut bbr, 0, 100, 50_000, false);
    assert_eq!((bbr.mode, bbr.filled), (Mode::Drain, true));
    assert_eq!(bbr.pacing, scale(8_000_000, 1.0 / HIGH_GAIN));
    deliver(&mut bbr, 100 * MS, 100, 20_000, false);
    assert_eq!(bbr.mode, Mode::ProbeBandwidth);
    assert_eq!(bbr.window(), 2 * 20_000 + 3000);
}

#[test]
fn initial_window_is_paced() {
    // The rate is 80 000 bits in 20 ms, or in the draft's 1 ms if no round trip is known.
    let measured = BbrDraft::new(&Start { srtt: 20 * MS, ..START });
    assert_eq!(measured.pacing, scale(4_000_000, HIGH_GAIN));
    assert_eq!(bbr().pacing, scale(80_000_000, HIGH_GAIN));
}

#[test]
fn small_sends_do_not_end_startup() {
    let mut bbr = bbr();
    deliver(&mut bbr, 0, 500, 10_000, true);
    assert_eq!(bbr.mode, Mode::Startup);
}

#[test]
fn a_connection_may_begin_at_any_time() {
    let mut bbr = bbr();
    deliver(&mut bbr, 3600 * SECOND, 5, 20_000, false);
    assert_eq!(bbr.mode, Mode::Startup);
}

#[test]
fn recovery_conserves_packets() {
    let mut bbr = bbr();
    deliver(&mut bbr, 0, 100, 50_000, false);
    deliver(&mut bbr, 100 * MS, 100, 20_000, false);
    let window = bbr.window();
    bbr.on_congestion(&loss_event(40_000, 5000));
    assert_eq!(bbr.window(), 36_000);
    deliver(&mut bbr, 200 * MS, 10, 30_000, false);
    assert_eq!(bbr.window(), 36_000, "what arrives is replaced, no more");
    bbr.on_recovered(211 * MS);
    assert_eq!(bbr.window(), window);
}

#[test]
fn windows_recover_after_a_timeout() {
    let mut bbr = bbr();
    deliver(&mut bbr, 0, 100, 50_000, false);
    deliver(&mut bbr, 100 * MS, 100, 20_000, false);
    let window = bbr.window();
    bbr.on_timeout(&loss_event(window, window));
    assert_eq!(bbr.window(), 1000);
    bbr.on_recovered(SECOND);
    assert_eq!(bbr.window(), window);
}

#[test]
fn marks_do_not_reduce_the_window() {
    let mut bbr = bbr();
    bbr.on_congestion(&Congestion { cause: Cause::Ecn, ..loss_event(10_000, 0) });
    assert_eq!(bbr.window(), 10_000);
}

#[test]
fn cycles_do_not_start_draining() {
    for random in 0..100 {
        let mut bbr = bbr();
        bbr.random = random;
        bbr.enter_probe_bandwidth(0);
        assert_ne!(bbr.cycle, 1);
    }
}
