//! Directions of links, at times that the test chooses.

mod qdisc;

use weir_impair::{Jitter, Loss};
use weir_ports::{Checksum, Gso, GsoKind, Metadata};

use super::*;
use crate::settings::Limit;

const MILLISECOND: Nanos = 1_000_000;

fn direction(settings: DirectionSettings) -> LinkDirection {
    LinkDirection::new(settings, 7, "a->b", true)
}

fn impaired_direction(delay: Nanos, impairments: Impairments) -> LinkDirection {
    direction(DirectionSettings { delay, impairments, ..DirectionSettings::default() })
}

fn numbered_frame(number: u32) -> Frame<'static> {
    Frame::copy_of(&[&[0; 56][..], &number.to_be_bytes()].concat(), Metadata::default())
}

/// Reads the number of a frame that [`numbered_frame`] made.
fn frame_number(frame: &Frame<'_>) -> u32 {
    u32::from_be_bytes(frame.bytes()[56..].try_into().unwrap())
}

/// Lets frames leave, and returns their numbers, each with its time.
fn departures(way: &mut LinkDirection) -> Vec<(Nanos, u32)> {
    let mut all = Vec::new();
    while let Some(due) = way.next_departure() {
        let mut out = Vec::new();
        way.take_due(due, usize::MAX, &mut out);
        for frame in &out {
            let WireSize { frames, bytes } = wire_size(frame);
            let after = TransmitCounts { frames, bytes, ..Default::default() };
            way.count_left(std::slice::from_ref(frame), TransmitCounts::default(), after);
        }
        all.extend(out.iter().map(|frame| (due, frame_number(frame))));
    }
    all
}

/// Makes a GSO frame with three TCP segments of 1000 bytes.
fn gso_frame() -> Frame<'static> {
    let mut bytes = vec![0; 14 + 20 + 20 + 3000];
    bytes[12..14].copy_from_slice(&[8, 0]);
    bytes[14] = 0x45;
    bytes[14 + 9] = 6;
    bytes[34 + 12] = 0x50;
    let checksum = Checksum::Partial { start: 34, offset: 16 };
    let gso = Gso { kind: GsoKind::TcpV4, size: 1448, network: 14, in_tunnel: false, ecn: false };
    Frame::copy_of(&bytes, Metadata { checksum, gso: Some(gso), ..Metadata::default() })
}

#[test]
fn frames_are_transmitted_at_the_rate_one_after_the_other() {
    // 60 bytes at 1 Mbit/s take 0.48 ms.
    let settings = DirectionSettings { rate: Some(1_000_000), delay: MILLISECOND, ..Default::default() };
    let mut way = direction(DirectionSettings {
        own_limit: Some(Limit { packets: 3, bytes: 1000 }),
        ..settings.clone()
    });
    for n in 0..4 {
        way.receive(0, &numbered_frame(n));
    }
    assert_eq!(departures(&mut way), [(1_480_000, 0), (1_960_000, 1), (2_440_000, 2)]);
    // The dropped frame did not delay the following frames.
    way.receive(MILLISECOND, &numbered_frame(5));
    way.set_settings(MILLISECOND, DirectionSettings { rate: None, ..settings.clone() });
    way.receive(MILLISECOND, &numbered_frame(6));
    assert_eq!(
        departures(&mut way),
        [(2_440_000, 5), (2_440_000, 6)],
        "the frame before leaves until 1.44 ms"
    );
    assert_eq!(way.counts().dropped_limit, 1);
    way.set_settings(5 * MILLISECOND, settings);
    way.receive(5 * MILLISECOND, &gso_frame());
    assert_eq!(way.waiting().0, 3, "each segment takes its own time");
}

#[test]
fn frames_leave_after_the_delay_in_their_order() {
    let mut way = impaired_direction(5 * MILLISECOND, Impairments::default());
    for n in 0..10 {
        way.receive(Nanos::from(n) * MILLISECOND, &numbered_frame(n));
    }
    assert_eq!(way.next_departure(), Some(5 * MILLISECOND));
    let mut frames = Vec::new();
    way.take_due(5 * MILLISECOND - 1, 64, &mut frames);
    assert!(frames.is_empty());
    let expected: Vec<_> = (0..10).map(|n| (Nanos::from(n + 5) * MILLISECOND, n)).collect();
    assert_eq!(departures(&mut way), expected);
    assert_eq!((way.counts().delivered_packets, way.counts().delivered_bytes), (10, 600));
    assert_eq!((way.waiting(), way.counts().waiting_max), ((0, 0), 10));
}

#[test]
fn jitter_keeps_the_order_unless_frames_may_overtake() {
    let jitter = Jitter::Uniform(10 * MILLISECOND);
    for overtake in [false, true] {
        let mut way =
            impaired_direction(0, Impairments { jitter: jitter.clone(), overtake, ..Impairments::default() });
        for n in 0..1000 {
            way.receive(Nanos::from(n) * 1000, &numbered_frame(n));
        }
        let arrived = departures(&mut way);
        assert_eq!(arrived.len(), 1000);
        let late: Vec<_> = arrived.iter().map(|(at, n)| at - Nanos::from(*n) * 1000).collect();
        assert!(late.iter().all(|late| (0..=10 * MILLISECOND).contains(late)), "overtake: {overtake}");
        // Frames that must not overtake others wait for the slowest frame before them.
        let average = late.iter().sum::<Nanos>() / 1000;
        assert_eq!((4 * MILLISECOND..6 * MILLISECOND).contains(&average), overtake, "{average}");
        assert_eq!(arrived.is_sorted_by_key(|(_, n)| *n), !overtake);
    }
}

#[test]
fn the_same_seed_and_name_lose_the_same_frames_as_links_of_virtual_networks() {
    let impairments = Impairments { loss: Loss::Random(0.1), ..Impairments::default() };
    let mut impairer = Impairer::new(&impairments, 7, "link a->b");
    let frames_kept: Vec<u32> = (0..1000).filter(|_| !impairer.next_effects().lost).collect();
    let mut way = impaired_direction(0, impairments);
    (0..1000).for_each(|n| way.receive(0, &numbered_frame(n)));
    assert_eq!(departures(&mut way).into_iter().map(|(_, n)| n).collect::<Vec<_>>(), frames_kept);
    assert_eq!(way.counts().dropped_loss, 1000 - frames_kept.len() as u64);
    assert_eq!(way.counts().delivered_packets, frames_kept.len() as u64);
}

#[test]
fn reordered_frames_are_overtaken_and_duplicates_follow_at_once() {
    let settings = Impairments { reorder: Some((0.1, 5000)), duplicate: 0.1, ..Impairments::default() };
    let mut way = impaired_direction(100, settings);
    (0..1000).for_each(|n| way.receive(Nanos::from(n) * 1000, &numbered_frame(n)));
    let arrived = departures(&mut way);
    let late = |(at, n): &&(Nanos, u32)| *at == Nanos::from(*n) * 1000 + 5100;
    let count = arrived.iter().filter(late).count();
    assert!((70..140).contains(&count), "{count}");
    assert!(arrived.iter().all(|one| late(&one) || one.0 == Nanos::from(one.1) * 1000 + 100));
    let twins = arrived.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    assert!(twins > 0 && twins == way.counts().duplicates);
}

#[test]
fn frames_beyond_a_limit_are_dropped_and_counted() {
    for limit in [Limit { packets: 3, bytes: 1000 }, Limit { packets: 1000, bytes: 3 * 60 }] {
        let mut way = direction(DirectionSettings {
            delay: 10,
            own_limit: Some(limit),
            ..DirectionSettings::default()
        });
        (0..5).for_each(|n| way.receive(0, &numbered_frame(n)));
        assert_eq!((way.counts().dropped_limit, way.waiting()), (2, (3, 180)));
        assert_eq!(departures(&mut way).len(), 3);
        way.receive(0, &numbered_frame(9));
        assert_eq!(departures(&mut way), [(10, 9)], "there is room again");
    }
}

#[test]
fn frames_that_have_left_at_the_rate_take_no_room_in_the_queue() {
    // 60 bytes at 1 Mbit/s take 0.48 ms: twenty frames are in flight at once, two in the queue.
    for limit in [Limit { packets: 2, bytes: 1000 }, Limit { packets: 1000, bytes: 2 * 60 }] {
        let settings = DirectionSettings {
            rate: Some(1_000_000),
            delay: 10 * MILLISECOND,
            own_limit: Some(limit),
            ..Default::default()
        };
        let mut way = direction(settings);
        (0..20).for_each(|n| way.receive(Nanos::from(n) * 480_000, &numbered_frame(n)));
        assert_eq!((way.counts().dropped_limit, way.waiting().0), (0, 20));
        // The last frame leaves at 9.6 ms, and one more frame fits.
        (20..23).for_each(|n| way.receive(9_599_999, &numbered_frame(n)));
        assert_eq!((way.counts().dropped_limit, way.waiting().0), (2, 21));
        way.set_up(false);
        way.set_up(true);
        (30..33).for_each(|n| way.receive(9_599_999, &numbered_frame(n)));
        assert_eq!(way.waiting().0, 2, "a link that was down has an empty queue");
    }
}

#[test]
fn a_link_that_goes_down_loses_frames_in_flight() {
    let mut way = impaired_direction(10, Impairments::default());
    way.receive(0, &numbered_frame(1));
    way.receive(0, &gso_frame());
    way.set_up(false);
    way.receive(5, &numbered_frame(2));
    assert_eq!((way.counts().dropped_down, way.next_departure(), way.waiting()), (1 + 3 + 1, None, (0, 0)));
    way.set_up(true);
    way.receive(6, &numbered_frame(3));
    assert_eq!(departures(&mut way), [(16, 3)]);
}

#[test]
fn frames_in_flight_keep_their_times_when_the_delay_changes() {
    let mut way = impaired_direction(10, Impairments::default());
    way.receive(0, &numbered_frame(1));
    way.set_settings(0, DirectionSettings { delay: 2, ..DirectionSettings::default() });
    way.receive(1, &numbered_frame(2));
    way.receive(20, &numbered_frame(3));
    assert_eq!(departures(&mut way), [(10, 1), (10, 2), (22, 3)]);
}

#[test]
fn frames_in_the_queue_leave_at_the_new_rate_with_the_new_delay() {
    // 60 bytes at 10 kbit/s take 48 ms, at 1 Mbit/s 0.48 ms.
    let slow = DirectionSettings { rate: Some(10_000), delay: MILLISECOND, ..Default::default() };
    for (rate, takes) in [(Some(1_000_000), 480_000), (None, 0)] {
        let mut way = direction(slow.clone());
        (0..5).for_each(|n| way.receive(0, &numbered_frame(n)));
        assert_eq!((way.waiting(), way.next_departure()), ((5, 300), Some(49 * MILLISECOND)));
        way.set_settings(
            50 * MILLISECOND,
            DirectionSettings { rate, delay: 2 * MILLISECOND, ..Default::default() },
        );
        // The first frame has left, the second one is being transmitted, and the others wait.
        let begun = [(49 * MILLISECOND, 0), (97 * MILLISECOND, 1)];
        let queued = (1..4).map(|n| (98 * MILLISECOND + Nanos::from(n) * takes, n + 1));
        assert_eq!(departures(&mut way), begun.into_iter().chain(queued).collect::<Vec<_>>());
        assert_eq!((way.waiting(), way.counts().waiting_max), ((0, 0), 5));
    }
    let mut way = direction(slow);
    (0..5).for_each(|n| way.receive(0, &numbered_frame(n)));
    way.set_up(false);
    assert_eq!((way.counts().dropped_down, way.waiting(), way.next_departure()), (5, (0, 0), None));
}

#[test]
fn frames_behind_a_rate_are_not_late_with_negative_jitter() {
    let impairments =
        Impairments { jitter: Jitter::UniformAround(MILLISECOND), overtake: true, ..Default::default() };
    let settings =
        DirectionSettings { rate: Some(1_000_000), delay: MILLISECOND, impairments, ..Default::default() };
    let mut way = direction(settings);
    (0..500).for_each(|n| way.receive(0, &numbered_frame(n)));
    let arrived = departures(&mut way);
    let times = arrived.iter().map(|(at, n)| at - Nanos::from(n + 1) * 480_000);
    assert!(
        times.clone().all(|time| time <= 2 * MILLISECOND) && times.clone().any(|time| time < MILLISECOND / 2)
    );
    assert_eq!((arrived.len(), way.late.max()), (500, 0));
}

#[test]
fn gso_frames_pass_whole_with_a_delay_and_are_cut_with_anything_else() {
    let mut plain = impaired_direction(10, Impairments::default());
    plain.receive(0, &gso_frame());
    let mut frames = Vec::new();
    plain.take_due(10, 64, &mut frames);
    assert_eq!((frames.len(), frames[0].metadata.gso.is_some()), (1, true));
    let mut lossy =
        impaired_direction(10, Impairments { loss: Loss::Frames([2].into()), ..Impairments::default() });
    lossy.receive(0, &gso_frame());
    let mut cut = Vec::new();
    lossy.take_due(10, 64, &mut cut);
    let lengths: Vec<usize> = cut.iter().map(Frame::len).collect();
    assert_eq!(lengths, [54 + 1448, 54 + 104]);
    assert!(cut.iter().all(|frame| frame.metadata.gso.is_none()));
    for counts in [plain.counts(), lossy.counts()] {
        assert_eq!((counts.offered_packets, counts.offered_bytes), (3, 3000 + 3 * 54));
    }
    assert_eq!(lossy.counts().dropped_loss, 1);
}

#[test]
fn a_flipped_bit_cannot_hide_behind_a_partial_checksum() {
    let mut way = impaired_direction(0, Impairments { corrupt: 1.0, ..Impairments::default() });
    let mut bytes = gso_frame().bytes()[..100].to_vec();
    // The length that the checksum of the pseudo-header covers does not matter here.
    bytes[16..18].copy_from_slice(&86u16.to_be_bytes());
    let checksum = Checksum::Partial { start: 34, offset: 16 };
    let frame = Frame::copy_of(&bytes, Metadata { checksum, ..Metadata::default() });
    way.receive(0, &frame);
    let mut frames = Vec::new();
    way.take_due(0, 64, &mut frames);
    assert!(!matches!(frames[0].metadata.checksum, Checksum::Partial { .. }));
    let mut whole = Frame::copy_of(&bytes, frame.metadata);
    weir_ports::offload::complete(&mut whole).unwrap();
    let flipped: u32 = frames[0].bytes().iter().zip(whole.bytes()).map(|(a, b)| (a ^ b).count_ones()).sum();
    assert_eq!((flipped, way.counts().corrupted), (1, 1));
}
