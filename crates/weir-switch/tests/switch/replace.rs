//! Tests that another program can replace a running one.

use crate::bench::{Bench, arrivals_with_field, config, packet, run};
use weir_device::{Buffer, Device, ReceiveOutcome};
use weir_switch::{Rate, Switch, SwitchConfig};

/// Sends everything to port 2, with the number of this program in the packet.
fn program(ingress: &'static str) -> Bench {
    Bench { ingress, ..Bench::default() }
}

fn first(settings: SwitchConfig) -> Switch {
    program("sm.egress_spec = 9w2; hdr.tag.seen = 16w1;").load(settings).unwrap()
}

fn second(settings: SwitchConfig) -> Switch {
    program("sm.egress_spec = 9w2; hdr.tag.seen = 16w2;").load(settings).unwrap()
}

#[test]
fn time_and_counts_continue_and_packets_inside_are_dropped() {
    let settings = SwitchConfig { queue_rate: Some(Rate::PacketsPerSecond(1_000)), ..config() };
    let mut switch = first(settings);
    switch.record_drops(true);
    switch.trace_next(u64::MAX);
    let mut transmissions = Vec::new();
    for id in 0..3 {
        switch.receive(0, 1, packet(id, 0, b""));
    }
    // One packet has left; two wait in the queue. Of two more packets, one waits for its pass and
    // one is in ingress.
    switch.advance(5_000, &mut transmissions);
    assert_eq!(transmissions.len(), 1);
    switch.receive(5_000, 1, packet(3, 0, b""));
    switch.receive(5_000, 1, packet(4, 0, b""));
    switch.advance(5_000, &mut transmissions);
    assert_eq!(switch.in_flight(), 4);

    let settings = switch.config().clone();
    second(settings).take_place_of(&mut switch, 6_000);
    assert_eq!((switch.now(), switch.in_flight()), (6_000, 0));
    let drops: Vec<_> = switch.take_drops();
    let mut ids: Vec<_> = drops.iter().map(|drop| drop.packet).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4]);
    assert!(drops.iter().all(|drop| drop.time == 6_000 && drop.reason == "program replaced"));
    assert!(switch.stats().is_balanced());
    assert_eq!((switch.stats().received, switch.stats().transmitted), (5, 1));
    assert!(switch.take_trace().0.iter().any(|step| step.what.to_string().contains("program replaced")));

    switch.receive(7_000, 1, packet(5, 0, b""));
    let transmissions = run(&mut switch);
    assert_eq!(arrivals_with_field(&transmissions), [(8_000, 2, 2)]);
    assert_eq!(switch.stats().ports[&2].packets_out, 2);
}

#[test]
fn rates_of_queues_do_not_change() {
    use crate::by_name::{ByName, Update};
    let mut switch = first(config());
    let rate = Some(Rate::PacketsPerSecond(10));
    switch.by_name().change(&Update::SetQueueRate { port: Some(2), priority: None, rate }).unwrap();
    second(config()).take_place_of(&mut switch, 1);
    assert_eq!(switch.by_name().queues(2).unwrap()[0].port_rate, rate);
}

#[test]
fn packets_before_the_first_program_are_dropped() {
    let mut switch = first(config());
    switch.wait_for_program();
    assert!(!switch.has_program());
    switch.record_drops(true);
    switch.receive(0, 1, packet(0, 0, b""));
    assert!(run(&mut switch).is_empty());
    assert_eq!(switch.take_drops()[0].reason, "no program yet");
    switch.record_drops(false);
    assert_eq!(switch.receive_in_place(0, 1, &mut Buffer::new(64)), ReceiveOutcome::Held);
    assert_eq!((switch.in_flight(), switch.stats().is_balanced()), (0, true));

    let settings = switch.config().clone();
    second(settings).take_place_of(&mut switch, 1_000);
    assert!(switch.has_program());
    switch.receive(2_000, 1, packet(1, 0, b""));
    assert_eq!(arrivals_with_field(&run(&mut switch)), [(3_000, 2, 2)]);
}
