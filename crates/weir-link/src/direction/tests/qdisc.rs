//! Tests queueing disciplines of directions, at times that the test chooses.

use weir_qdisc::{Dequeued, FrameId, FrameStore, Qdisc, QdiscContext, QueuedFrame, TcCommand};

use super::*;

/// Returns the discipline that these commands configure.
fn qdisc(commands: &[&str]) -> TcInterface {
    let mut interface = TcInterface::default();
    for command in commands {
        TcCommand::parse_for_queue(command).unwrap().apply(&mut interface).unwrap();
    }
    interface
}

/// Makes a direction with a rate (0 for none) and a queueing discipline.
fn direction_with_queue(rate: u64, commands: &[&str]) -> LinkDirection {
    let rate = (rate > 0).then_some(rate);
    direction(DirectionSettings { rate, qdisc: qdisc(commands), ..DirectionSettings::default() })
}

/// Makes a UDP frame of 1000 bytes to a port, with this ECN field.
fn udp_frame(port: u16, ecn: u8) -> Frame<'static> {
    let mut bytes = vec![0; 1000];
    bytes[12..24].copy_from_slice(&[8, 0, 0x45, ecn, 3, 0xda, 0, 0, 0, 0, 64, 17]);
    bytes[26..34].copy_from_slice(&[10, 0, 0, 1, 10, 0, 0, 2]);
    bytes[36..38].copy_from_slice(&port.to_be_bytes());
    Frame::copy_of(&bytes, Metadata::default())
}

/// Offers frames of ECN-capable transports for 20 s, 5 % faster than they leave. Returns the frames
/// that left, and the time at which the last one left.
fn send_overload(way: &mut LinkDirection) -> (Vec<Frame<'static>>, Nanos) {
    let mut left = Vec::new();
    let mut now = 0;
    while now < 20_000 * MILLISECOND {
        way.receive(now, &udp_frame(7, 2));
        now += 950_000;
        way.take_due(now, usize::MAX, &mut left);
    }
    while let Some(due) = way.next_departure() {
        now = due;
        way.take_due(due, usize::MAX, &mut left);
    }
    (left, now)
}

/// Counts the frames in which congestion is marked.
fn count_marked(frames: &[Frame<'_>]) -> u64 {
    frames.iter().filter(|frame| frame.bytes()[15] == 3).count() as u64
}

#[test]
fn codel_keeps_a_queue_shorter_than_first_in_first_out() {
    // 1000 bytes at 8 Mbit/s take 1 ms.
    let mut fifo = direction_with_queue(8_000_000, &[]);
    let (left, _) = send_overload(&mut fifo);
    // The limit includes the frame that leaves.
    let counts = fifo.counts();
    assert_eq!((counts.waiting_max, counts.dropped_queue, count_marked(&left)), (1000, 0, 0));
    for (discipline, marks) in
        [("codel", false), ("fq_codel noecn", false), ("codel ecn", true), ("fq_codel", true)]
    {
        let mut way = direction_with_queue(8_000_000, &[discipline]);
        let (left, _) = send_overload(&mut way);
        let counts = way.counts();
        let dropped = counts.dropped_queue + counts.dropped_limit;
        assert_eq!(counts.offered_packets, left.len() as u64 + dropped, "{discipline}");
        assert_eq!(counts.marked, count_marked(&left), "{discipline}");
        if marks {
            // The sender does not react to the marks.
            assert!(counts.marked > 500 && counts.dropped_queue == 0, "{discipline}: {counts:?}");
        } else {
            assert!(counts.waiting_max < 250 && counts.dropped_queue > 500, "{discipline}: {counts:?}");
            assert_eq!((counts.marked, counts.dropped_limit), (0, 0), "{discipline}");
        }
        let reasons: u64 = way.drops().map(|(_, count)| count).sum();
        assert_eq!((reasons, way.queue_stats().counts.marked), (counts.dropped_queue, counts.marked));
    }
}

#[test]
fn classes_share_a_link_as_their_rates_say() {
    let mut way = direction_with_queue(
        0,
        &[
            "handle 1: htb default 20",
            "class add parent 1: classid 1:10 htb rate 6mbit",
            "class add parent 1: classid 1:20 htb rate 2mbit",
            "filter add parent 1: protocol ip prio 1 u32 match ip dport 10 0xffff flowid 1:10",
        ],
    );
    let mut left = Vec::new();
    for now in (0..1000).map(|tick| tick * MILLISECOND) {
        way.receive(now, &udp_frame(10, 0));
        way.receive(now, &udp_frame(20, 0));
        way.take_due(now, usize::MAX, &mut left);
    }
    let to = |port: u8| left.iter().filter(|frame| frame.bytes()[37] == port).count();
    // In one second, 750 and 250 frames may leave, and also two bursts of 1600 bytes.
    assert!((748..=753).contains(&to(10)) && (248..=253).contains(&to(20)), "{} {}", to(10), to(20));
    assert!(way.next_departure().is_some_and(|due| due > 999 * MILLISECOND), "others wait for tokens");
    let waiting = way.waiting().0;
    way.set_up(false);
    assert_eq!((way.counts().dropped_down, way.waiting(), way.next_departure()), (waiting, (0, 0), None));
}

#[test]
fn the_next_frame_leaves_the_queue_when_the_frame_before_has_left() {
    // 60 bytes at 1 Mbit/s take 0.48 ms; the frame that leaves does not count in the limit.
    let settings = DirectionSettings {
        rate: Some(1_000_000),
        delay: MILLISECOND,
        qdisc: qdisc(&["pfifo limit 2"]),
        ..DirectionSettings::default()
    };
    let mut way = direction(settings);
    (0..5).for_each(|n| way.receive(0, &numbered_frame(n)));
    assert_eq!((way.counts().dropped_limit, way.counts().dropped_queue), (2, 0));
    assert_eq!(departures(&mut way), [(1_480_000, 0), (1_960_000, 1), (2_440_000, 2)]);
    // A frame that was read late does not turn the discipline's time back.
    way.receive(3 * MILLISECOND, &numbered_frame(6));
    way.receive(2 * MILLISECOND, &numbered_frame(7));
    assert_eq!(departures(&mut way), [(4_480_000, 6), (4_960_000, 7)]);
}

#[test]
fn a_discipline_of_another_kind_drops_queued_frames() {
    let mut way = direction_with_queue(10_000, &["pfifo limit 100"]);
    (0..5).for_each(|n| way.receive(0, &numbered_frame(n)));
    let with = |commands: &[&str]| DirectionSettings {
        rate: Some(10_000),
        qdisc: qdisc(commands),
        ..DirectionSettings::default()
    };
    way.set_settings(1, with(&["pfifo limit 3"]));
    assert_eq!(way.waiting().0, 5, "a queue that is too long drains");
    way.set_settings(2, with(&["codel"]));
    assert_eq!((way.waiting().0, way.counts().dropped_queue), (1, 4));
    assert_eq!(way.drops().collect::<Vec<_>>(), [("queueing discipline replaced", 4)]);
    way.receive(3, &numbered_frame(9));
    assert_eq!(departures(&mut way), [(48 * MILLISECOND, 0), (96 * MILLISECOND, 9)]);
}

#[test]
fn large_frames_are_cut_before_a_discipline() {
    let mut way = direction_with_queue(0, &["tbf rate 8mbit burst 2000 limit 100000"]);
    way.receive(0, &gso_frame());
    let mut left = Vec::new();
    while let Some(due) = way.next_departure() {
        way.take_due(due, 64, &mut left);
    }
    assert!(left.len() == 3 && left.iter().all(|frame| frame.metadata.gso.is_none()));
}

#[test]
fn a_bit_that_netem_flips_cannot_hide_behind_a_partial_checksum() {
    let checksum = Checksum::Partial { start: 34, offset: 6 };
    for (options, completed) in [("delay 1ms", false), ("delay 1ms corrupt 100%", true)] {
        let mut way = direction_with_queue(0, &[&format!("netem {options}")]);
        let plain = udp_frame(7, 0);
        way.receive(0, &Frame::copy_of(plain.bytes(), Metadata { checksum, ..Metadata::default() }));
        let mut left = Vec::new();
        way.take_due(MILLISECOND, 64, &mut left);
        assert_eq!(!matches!(left[0].metadata.checksum, Checksum::Partial { .. }), completed, "{options}");
    }
}

/// A store whose frames have no bytes.
struct Empty;

impl FrameStore for Empty {
    fn bytes(&self, _: FrameId) -> &[u8] {
        &[]
    }

    fn bytes_mut(&mut self, _: FrameId) -> &mut [u8] {
        &mut []
    }

    fn duplicate(&mut self, frame: FrameId) -> FrameId {
        frame
    }

    fn depart(&mut self, _: FrameId) {}
}

#[test]
fn the_same_seed_and_name_lose_the_same_frames_as_disciplines_of_virtual_networks() {
    let settings = qdisc(&["netem delay 1us loss 10%"]);
    let mut discipline = Qdisc::new(&settings.config().unwrap(), 7, "qdisc a->b");
    let mut dropped = Vec::new();
    for n in 0..1000 {
        let waiting = QueuedFrame { frame: FrameId(n), bytes: 60, flow: 0, earliest: 0 };
        discipline.enqueue(waiting, &mut QdiscContext::new(n.into(), &mut Empty, &mut dropped));
    }
    let mut frames_kept = Vec::new();
    let mut store = Empty;
    let mut context = QdiscContext::new(Nanos::MAX, &mut store, &mut dropped);
    while let Dequeued::Frame(waiting) = discipline.dequeue(&mut context) {
        frames_kept.push(waiting.frame.0);
    }
    let mut way = direction_with_queue(0, &["netem delay 1us loss 10%"]);
    (0..1000).for_each(|n| way.receive(n.into(), &numbered_frame(n)));
    assert_eq!(departures(&mut way).into_iter().map(|(_, n)| n).collect::<Vec<_>>(), frames_kept);
    assert!(frames_kept.len() < 950 && way.counts().dropped_queue == 1000 - frames_kept.len() as u64);
}
