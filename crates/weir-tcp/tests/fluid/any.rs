//! Tests congestion controls with arbitrary input. They must neither panic nor return a window or
//! rate of 0.

use proptest::prelude::*;
use weir_tcp::{Acked, Algorithm, Cause, Congestion, Delivery, Pacer, RateSample, Start, controller};

#[derive(Clone, Debug)]
enum Event {
    Sent(u64, u64, u64),
    Ack(Acked),
    Congestion(Congestion),
    Recovered(u64),
    Timeout(Congestion),
    Idle(u64, u64),
    Undo,
    Mss(u32),
}

/// Draws small numbers, numbers as on real paths, and the largest number.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..10u64, 0..200_000u64, 0..20_000_000_000u64, any::<u64>(), Just(u64::MAX)]
}

fn rate() -> impl Strategy<Value = RateSample> {
    (number(), number(), number(), number(), any::<bool>()).prop_map(
        |(bits_per_second, delivered, prior_delivered, interval, app_limited)| RateSample {
            bits_per_second,
            delivered,
            prior_delivered,
            interval,
            app_limited,
        },
    )
}

fn ack() -> impl Strategy<Value = Acked> {
    let numbers =
        (number(), number(), number(), number(), number(), number(), number(), (number(), number()));
    (numbers, proptest::option::of(number()), any::<[bool; 3]>(), proptest::option::of(rate())).prop_map(
        |(numbers, rtt, [cwnd_limited, in_recovery, round_start], rate)| {
            let (now, delivered, acked, newly_lost, srtt, min_rtt, in_flight, rest) = numbers;
            let (prior_in_flight, departure) = rest;
            Acked {
                now,
                delivered,
                acked,
                newly_lost,
                rtt,
                srtt,
                min_rtt,
                in_flight,
                prior_in_flight,
                cwnd_limited,
                in_recovery,
                round_start,
                rate,
                departure,
            }
        },
    )
}

fn congestion() -> impl Strategy<Value = Congestion> {
    (number(), any::<bool>(), number(), number(), number()).prop_map(|(now, ecn, in_flight, srtt, lost)| {
        Congestion { now, cause: if ecn { Cause::Ecn } else { Cause::Loss }, in_flight, srtt, lost }
    })
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => (number(), number(), number()).prop_map(|(now, bytes, flight)| Event::Sent(now, bytes, flight)),
        8 => ack().prop_map(Event::Ack),
        1 => congestion().prop_map(Event::Congestion),
        1 => number().prop_map(Event::Recovered),
        1 => congestion().prop_map(Event::Timeout),
        1 => (number(), number()).prop_map(|(now, idle)| Event::Idle(now, idle)),
        1 => Just(Event::Undo),
        1 => prop_oneof![Just(0), 1..9000u32, any::<u32>()].prop_map(Event::Mss),
    ]
}

proptest! {
    #[test]
    fn controllers_survive_any_history(
        which in 0..Algorithm::NAMES.len(),
        start in (any::<u32>(), number(), any::<u64>(), any::<bool>(), any::<bool>()),
        small in any::<bool>(),
        events in proptest::collection::vec(event(), 0..200),
    ) {
        let (mss, initial_window, random, hystart, fast_convergence) = start;
        let mut mss = if small { mss % 9000 } else { mss };
        let algorithm = Algorithm::named(Algorithm::NAMES[which]).unwrap();
        let srtt = random % 1_000_000_000;
        let paced = random & 1 > 0;
        let start = Start { mss, initial_window, srtt, random, paced, hystart, fast_convergence };
        let mut controller = controller(&algorithm, &start);
        for event in events {
            match event {
                Event::Sent(now, bytes, in_flight) => controller.on_sent(now, bytes, in_flight, bytes & 1 > 0),
                Event::Ack(acked) => controller.on_ack(&acked),
                Event::Congestion(event) => controller.on_congestion(&event),
                Event::Recovered(now) => controller.on_recovered(now),
                Event::Timeout(event) => controller.on_timeout(&event),
                Event::Idle(now, idle) => controller.on_idle(now, idle),
                Event::Undo => controller.undo(),
                Event::Mss(next) => {
                    controller.on_mss(next);
                    mss = next;
                }
            }
            prop_assert!(controller.window() >= u64::from(mss).max(1));
            prop_assert!(controller.slow_start_threshold() >= 1);
            prop_assert_ne!(controller.pacing_rate(), Some(0));
        }
    }

    #[test]
    fn deliveries_and_pacers_take_any_numbers(
        steps in proptest::collection::vec((number(), number(), any::<u32>(), number(), any::<bool>()), 0..100),
    ) {
        let (mut delivery, mut pacer, mut stamps) = (Delivery::new(), Pacer::new(), Vec::new());
        let mut before = 0;
        for (now, flight, bytes, rate, send) in steps {
            if send {
                stamps.push(delivery.on_send(now, flight));
                pacer.sent(now, bytes, rate);
                prop_assert!(pacer.next_departure() >= before.max(now));
                before = pacer.next_departure();
            } else if let Some(stamp) = stamps.pop() {
                delivery.on_delivered(now, &stamp, bytes);
                let sample = delivery.take_sample(now, rate);
                prop_assert!(sample.is_none_or(|sample| sample.interval >= rate.max(1)));
            } else {
                delivery.app_limited(flight);
            }
        }
    }
}
