//! Queues with queueing disciplines.

mod link_model;
mod packets;

use std::sync::Arc;

use weir_device::{Buffer, Device, Nanos, Packet, Port, Transmission};
use weir_qdisc::{NoEffect, QdiscConfig, REPLACED};
use weir_switch::control::{ControlError, DisciplineError};
use weir_switch::{Rate, Switch, SwitchConfig};

use crate::bench::{config, run, start};
use crate::by_name::{ByName, Update};
use link_model::{Fate, LinkModel};
use packets::{ecn_of, frame, program};

const LATENCY: Nanos = 1_000;
/// The rate of port 2.
const RATE: u64 = 8_000_000;

fn switch_with(settings: SwitchConfig) -> Switch {
    let settings = SwitchConfig { pass_latency: LATENCY, input_queue: usize::MAX, ..settings };
    start(&program(""), settings)
}

/// Returns a switch whose port 2 has a rate.
fn rated_switch(priorities: usize) -> Switch {
    let mut switch = switch_with(SwitchConfig { priorities, seed: 7, ..config() });
    set_rate(&mut switch, RATE);
    switch
}

fn set_rate(switch: &mut Switch, rate: u64) {
    let rate = Some(Rate::BitsPerSecond(rate));
    switch.by_name().change(&Update::SetQueueRate { port: Some(2), priority: None, rate }).unwrap();
}

fn discipline(commands: &str) -> QdiscConfig {
    QdiscConfig::from_commands(commands.split(" ; ")).unwrap_or_else(|error| panic!("{commands}: {error}"))
}

fn update(port: Option<Port>, priority: Option<usize>, commands: &str) -> Update {
    let discipline = (commands != "none").then(|| Arc::new(discipline(commands)));
    Update::SetQueueDiscipline { port, priority, discipline }
}

fn set(switch: &mut Switch, commands: &str) {
    switch.by_name().change(&update(Some(2), None, commands)).unwrap();
}

/// Random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// Returns packets of several flows that arrive in bursts, on average somewhat faster than
/// [`RATE`].
fn traffic(count: u64, seed: u64, priorities: u64) -> Vec<(Nanos, Vec<u8>)> {
    let (mut random, mut now) = (Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1), 0);
    let packet = |_| {
        now += match random.below(3_000) {
            0 => 400_000_000,
            _ => random.below(1_200_000),
        };
        let (flow, ecn) = (random.below(5) as u16, random.below(4) as u8);
        let bytes = frame(random.below(priorities) as u8, flow, ecn, 20 + random.below(1_400) as usize);
        (now, bytes)
    };
    (0..count).map(packet).collect()
}

/// Sends packets from port 1 and returns those that leave.
fn offer(switch: &mut Switch, packets: &[(Nanos, Vec<u8>)]) -> Vec<Transmission> {
    let mut transmissions = Vec::new();
    for (id, (time, bytes)) in packets.iter().enumerate() {
        switch.advance(*time, &mut transmissions);
        switch.receive(*time, 1, Packet::new(id as u64, bytes.clone()));
    }
    transmissions.extend(run(switch));
    transmissions
}

/// Disciplines of all kinds that a switch's queue can have.
const DISCIPLINES: [&str; 12] = [
    "pfifo limit 20",
    "bfifo limit 20000",
    "codel target 2ms interval 20ms limit 60",
    "codel target 2ms interval 20ms ecn ce_threshold 30ms",
    "fq_codel target 2ms interval 20ms limit 50",
    "fq_codel target 2ms interval 20ms noecn flows 2 memory_limit 30000",
    "red limit 60000 avpkt 800 min 5000 max 20000 probability 0.1 bandwidth 8mbit ecn",
    "red limit 30000 avpkt 800 min 5000 max 20000 probability 0.1 bandwidth 8mbit adaptive",
    "dualpi2 target 5ms",
    "fq maxrate 3mbit limit 100",
    "tbf rate 6mbit burst 3000 limit 30000",
    "handle 1: htb default 10 ; class add parent 1: classid 1:10 htb rate 2mbit ; \
     class add parent 1: classid 1:20 htb rate 3mbit ceil 4mbit ; qdisc add parent 1:20 handle 2: codel ; \
     filter add parent 1: protocol ip u32 match ip sport 1 0xffff flowid 1:20",
];

/// A queue of the switch and a link before which the same packets wait treat each packet alike.
#[test]
fn a_queue_drops_and_marks_what_a_link_would() {
    for (seed, commands) in (1..).zip(DISCIPLINES) {
        let mut switch = rated_switch(1);
        set(&mut switch, commands);
        switch.record_drops(true);
        let packets = traffic(2_000, seed, 1);
        let output = offer(&mut switch, &packets);
        let sent = output.iter().map(|sent| (sent.time, sent.packet.id, Ok(ecn_of(&sent.packet.bytes))));
        let lost = switch.take_drops().into_iter().map(|drop| {
            assert_eq!(drop.place, "queue 2");
            (drop.time, drop.packet, Err(drop.reason))
        });
        let mut fates: Vec<Fate> = sent.chain(lost).collect();

        let mut model = LinkModel::new(&discipline(commands), RATE, 7, "queue 2 0");
        for (time, bytes) in &packets {
            model.enqueue(time + LATENCY, bytes);
        }
        model.send_until(Nanos::MAX - 1);
        let order = |fate: &Fate| (fate.0, fate.1);
        fates.sort_by_key(order);
        model.fates.sort_by_key(order);
        assert_eq!(fates, model.fates, "{commands}");
        let drops = fates.iter().filter(|fate| fate.2.is_err()).count();
        assert!(drops > 10 && drops < 1_500, "{commands}: {drops} drops");
        let state = switch.by_name().queues(2).unwrap().remove(0).discipline.unwrap();
        assert_eq!(state.counts.dropped, drops as u64, "{commands}");
        let ce = |ecn: &Fate| ecn.2 == Ok(3);
        let marks = fates.iter().filter(|fate| ce(fate) && packets[fate.1 as usize].1[15] & 3 != 3).count();
        let marking = ["ecn", "fq_codel target 2ms interval 20ms limit", "dualpi2"];
        let marks_packets =
            marking.iter().any(|word| commands.contains(&format!("{word} ")) || commands.ends_with(word))
                && !commands.contains("noecn");
        assert_eq!(marks > 0, marks_packets, "{commands}: {marks} marks");
    }
}

/// The queue's metadata describes what the discipline did with the packet.
#[test]
fn programs_see_the_depths_and_times_of_the_discipline() {
    let mut switch = rated_switch(1);
    set(&mut switch, "codel");
    // Three packets of 1000 bytes at once: each takes 1 ms.
    let packets: Vec<_> = (0..3).map(|_| (0, frame(0, 1, 0, 1000 - 42))).collect();
    let words = |sent: &Transmission| {
        [6, 8, 10].map(|at| u16::from_be_bytes([sent.packet.bytes[at], sent.packet.bytes[at + 1]]))
    };
    let seen: Vec<_> = offer(&mut switch, &packets).iter().map(words).collect();
    assert_eq!(seen, [[0, 0, 0], [0, 1, 999], [1, 0, 1_999]]);
}

#[test]
fn every_packet_is_accounted_for() {
    for seed in 1..=30 {
        let mut random = Random(0x1234_5678_9abc_def1_u64.wrapping_mul(seed));
        let mut switch = rated_switch(3);
        let mut transmissions = Vec::new();
        for (id, (time, bytes)) in traffic(400, seed, 4).into_iter().enumerate() {
            switch.advance(time, &mut transmissions);
            switch.receive(time, 1, Packet::new(id as u64, bytes));
            if random.below(12) == 0 {
                let commands = match random.below(14) {
                    12.. => "none",
                    chosen => DISCIPLINES[chosen as usize],
                };
                let priority = (random.below(2) == 0).then(|| random.below(3) as usize);
                let port = (random.below(3) > 0).then_some(2);
                switch.by_name().change(&update(port, priority, commands)).unwrap();
            }
            if random.below(40) == 0 {
                set_rate(&mut switch, 1_000_000 + random.below(20_000_000));
            }
            let stats = switch.stats();
            assert!(stats.is_balanced(), "seed {seed}: {stats:?}");
            let waiting: usize = switch.queue_lengths(2).iter().sum();
            assert!(waiting as u64 <= stats.in_flight, "seed {seed}");
        }
        transmissions.extend(run(&mut switch));
        let stats = switch.stats();
        assert_eq!((stats.in_flight, stats.transmitted), (0, transmissions.len() as u64), "seed {seed}");
        assert_eq!(stats.received, 400);
        let reasons: Vec<_> = stats.drops.keys().map(|(_, reason)| reason.to_string()).collect();
        assert!(reasons.iter().any(|reason| reason == "no such queue"), "seed {seed}: {reasons:?}");
    }
}

#[test]
fn larger_priorities_leave_first_whatever_the_discipline() {
    let mut switch = rated_switch(2);
    switch.by_name().change(&update(Some(2), Some(0), "fq_codel")).unwrap();
    let low = (0..5).map(|_| (0, frame(0, 1, 0, 500)));
    let packets: Vec<_> = low.chain((0..5).map(|_| (1, frame(1, 1, 0, 500)))).collect();
    let order: Vec<_> = offer(&mut switch, &packets).iter().map(|sent| sent.packet.id).collect();
    assert_eq!(order, [0, 5, 6, 7, 8, 9, 1, 2, 3, 4]);
    let has = |state: &weir_switch::control::QueueState| state.discipline.is_some();
    assert_eq!(switch.by_name().queues(2).unwrap().iter().map(has).collect::<Vec<_>>(), [true, false]);
}

/// A shaping queue that keeps its packets does not hold up the queues of smaller priorities.
#[test]
fn queues_that_must_wait_let_others_pass() {
    let mut switch = rated_switch(2);
    let slow = "tbf rate 80kbit burst 1500 limit 100000";
    switch.by_name().change(&update(Some(2), Some(1), slow)).unwrap();
    let packets: Vec<_> = [1, 1, 0, 0].map(|priority| (0, frame(priority, 1, 0, 958))).to_vec();
    let output = offer(&mut switch, &packets);
    let order: Vec<_> = output.iter().map(|sent| sent.packet.id).collect();
    assert_eq!(order, [0, 2, 3, 1]);
    // 1500 bytes may be sent at once, and the second packet lacks 500 of its 1000 bytes.
    assert_eq!(output[3].time, LATENCY + 50_000_000);
}

#[test]
fn packets_stay_while_the_kind_stays() {
    let at_once: Vec<_> = (0..10).map(|_| (0, frame(0, 1, 0, 958))).collect();
    let waiting_and = |commands: &str| {
        let mut switch = rated_switch(1);
        set(&mut switch, "codel");
        let mut transmissions = Vec::new();
        for (id, (_, bytes)) in at_once.iter().enumerate() {
            switch.receive(0, 1, Packet::new(id as u64, bytes.clone()));
        }
        switch.advance(2 * LATENCY, &mut transmissions);
        assert_eq!(switch.queue_lengths(2), [9]);
        set(&mut switch, commands);
        transmissions.extend(run(&mut switch));
        let drops = switch
            .stats()
            .drops
            .iter()
            .map(|((place, reason), count)| (place.to_string(), reason.to_string(), *count));
        (transmissions.len(), drops.collect::<Vec<_>>())
    };
    assert_eq!(waiting_and("codel target 1ms"), (10, vec![]));
    let lost = vec![("queue 2".to_owned(), REPLACED.to_owned(), 9)];
    for commands in ["none", "fq_codel", "pfifo limit 100"] {
        assert_eq!(waiting_and(commands), (1, lost.clone()), "{commands}");
    }
}

#[test]
fn a_batch_that_fails_changes_no_discipline() {
    let mut switch = rated_switch(1);
    set(&mut switch, "codel");
    let batch = [update(None, None, "fq_codel"), update(Some(99), None, "codel")];
    assert!(switch.by_name().write(&batch).is_err());
    let state = |switch: &mut Switch| switch.by_name().queues(2).unwrap().remove(0).discipline;
    assert_eq!(*state(&mut switch).unwrap().config, discipline("codel"));
    assert!(switch.by_name().queues(1).unwrap()[0].discipline.is_none());
    switch.by_name().change(&update(None, None, "none")).unwrap();
    assert!(state(&mut switch).is_none());
}

#[test]
fn disciplines_without_effect_are_refused() {
    let mut switch = rated_switch(1);
    let mut refusal = |port, config: QdiscConfig| {
        let update = Update::SetQueueDiscipline { port, priority: None, discipline: Some(Arc::new(config)) };
        let error = switch.by_name().change(&update).unwrap_err();
        (*error.cause.unwrap(), error.message)
    };
    let refused = |why| ControlError::Discipline(why);
    let no_rate = |text: &str| refused(DisciplineError::NoEffect(NoEffect::NoRate(text.to_owned())));
    let fifo = discipline("pfifo limit 9");
    let (cause, message) = refusal(Some(1), fifo);
    assert_eq!(cause, no_rate("pfifo limit 9"));
    assert!(
        message.contains("without a rate no frame waits") && message.contains("set the rate"),
        "{message}"
    );
    assert_eq!(refusal(Some(2), discipline("netem delay 1ms")).0, refused(DisciplineError::Netem));
    let below =
        "handle 1: tbf rate 1mbit burst 2000 limit 9000 ; qdisc add parent 1: handle 2: netem loss 1%";
    assert_eq!(refusal(Some(2), discipline(below)).0, refused(DisciplineError::Netem));
    let horizon = discipline("fq horizon 1s");
    assert_eq!(refusal(None, horizon).0, refused(DisciplineError::NoEffect(NoEffect::Horizon)));
    let QdiscConfig::Codel(codel) = discipline("codel") else { panic!("it is CoDel") };
    let config = QdiscConfig::Codel(weir_qdisc::CodelConfig { interval: 0, ..codel });
    let (cause, message) = refusal(Some(2), config);
    assert!(matches!(cause, ControlError::Discipline(DisciplineError::OutOfRange(_))), "{cause:?}");
    assert_eq!(message, "codel interval: 0 ns is out of range; expected 1 ns or more");
    assert!(matches!(refusal(Some(77), discipline("codel")).0, ControlError::NoSuchPort { port: 77, .. }));
}

#[test]
fn a_new_program_keeps_the_discipline() {
    let mut switch = rated_switch(1);
    set(&mut switch, "codel");
    let mut transmissions = Vec::new();
    for id in 0..5 {
        switch.receive(0, 1, Packet::new(id, frame(0, 1, 0, 958)));
    }
    switch.advance(2 * LATENCY, &mut transmissions);
    let settings = switch.config().clone();
    start(&program("hdr.ethernet.dst = 5;"), settings).take_place_of(&mut switch, 3 * LATENCY);
    let dropped: Vec<_> =
        switch.stats().drops.iter().map(|((_, reason), count)| (reason.to_string(), *count)).collect();
    assert_eq!(dropped, [("program replaced".to_owned(), 4)]);
    let state = switch.by_name().queues(2).unwrap().remove(0).discipline.unwrap();
    assert_eq!((*state.config).clone(), discipline("codel"));
    assert_eq!(offer(&mut switch, &[(1_000_000_000, frame(0, 1, 0, 9))]).len(), 1);
}

/// A mark must not depend on what egress does with the headers; recirculated packets keep their
/// mark.
#[test]
fn marks_survive_egress() {
    let always = "codel ecn ce_threshold 1us";
    for (egress, passes) in [
        ("", 1),
        ("hdr.ipv4.dscp = 9;", 1),
        ("if (hdr.ipv4.ttl == 63) { recirculate_preserving_field_list(0); }", 2),
    ] {
        let settings = SwitchConfig { pass_latency: LATENCY, ..config() };
        let mut switch = start(&program(egress), settings);
        set_rate(&mut switch, RATE);
        set(&mut switch, always);
        let packets: Vec<_> = (0..4).map(|ecn| (0, frame(0, 1, ecn, 500))).collect();
        let mut output = offer(&mut switch, &packets);
        output.sort_by_key(|sent| sent.packet.id);
        assert_eq!(switch.stats().passes, 4 * passes, "{egress}");
        let seen: Vec<_> = output.iter().map(|sent| ecn_of(&sent.packet.bytes)).collect();
        // The first packet need not wait, unless it comes back; it is not ECN-capable.
        assert_eq!(seen, [0, 3, 3, 3], "{egress}");
    }
}

/// The fast path has no queues, so a discipline disables it, also for workers.
#[test]
fn packets_of_a_batch_wait_in_a_discipline() {
    let mut switch = start(&program(""), SwitchConfig { pass_latency: 0, ..config() });
    let mut worker = switch.worker();
    assert!(worker.forwards_at_once());
    set(&mut switch, "tbf rate 8mbit burst 1500 limit 100000");
    assert!(!worker.forwards_at_once());
    let mut buffers = [0, 1, 2].map(|id| {
        let mut buffer = Buffer::new(2048);
        buffer.receive(1, id, &frame(0, 1, 0, 958));
        buffer
    });
    let (mut out, mut left) = (Vec::new(), Vec::new());
    worker.forward(0, &mut buffers, &mut out, &mut left);
    assert_eq!((out.len(), left.len()), (0, 3));
    switch.take_over(0, &mut left, &mut out);
    out.extend(run(&mut switch));
    let times: Vec<_> = out.iter().map(|sent| sent.time).collect();
    assert_eq!(times, [0, 500_000, 1_500_000]);
    set(&mut switch, "none");
    switch.advance(2_000_000, &mut out);
    assert!(worker.forwards_at_once());
}
