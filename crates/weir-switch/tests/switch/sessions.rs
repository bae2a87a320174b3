//! Clone sessions: several replicas, instances, truncation, queues.

use crate::bench::{Bench, compile, config, packet, run, send, start, word};
use crate::by_name::{ByName, CloneSession, Replica, Update};
use weir_device::Device;
use weir_switch::{Rate, Switch, SwitchConfig};

const BENCH: Bench = Bench {
    items: "",
    verify: "",
    ingress: "sm.egress_spec = 9w2;
              extern clone(in type = CloneType::I2E, in session = 32w5);",
    egress: "hdr.tag.seen = (bit<16>(sm.instance_type) << 8w12) | sm.egress_rid;
             hdr.tag.count = bit<16>(sm.priority);",
    update: "",
    package: "V1Switch",
};

fn set(switch: &mut Switch, session: CloneSession) {
    switch.by_name().set_clone_session(5, Some(session)).unwrap();
}

fn replica(port: u32, rid: u16) -> Replica {
    Replica::new(port, rid)
}

/// Returns the port, the instance type and replication id, the priority, and the length of the
/// packets that leave for one packet.
fn copies(switch: &mut Switch) -> Vec<(u32, u16, u16, usize)> {
    let output = send(switch, 0, 1, packet(0, 2, b"payload"));
    let mut copies: Vec<_> =
        output.iter().map(|t| (t.port, word(t, 3), word(t, 1), t.packet.bytes.len())).collect();
    copies.sort_unstable();
    copies
}

#[test]
fn each_replica_is_a_clone() {
    let mut switch = BENCH.switch();
    let all = CloneSession {
        port: Some(3),
        replicas: vec![replica(4, 0x11), replica(4, 0x12), replica(5, 0)],
        group: Some(1),
        truncate: Some(10),
        ..CloneSession::default()
    };
    switch.by_name().set_multicast_group(1, Some(vec![replica(6, 0x21), replica(7, 0x22)])).unwrap();
    set(&mut switch, all.clone());
    let clones = [(3, 0x1000), (4, 0x1011), (4, 0x1012), (5, 0x1000), (6, 0x1021), (7, 0x1022)];
    let clones = clones.map(|(port, seen)| (port, seen, 0, 10));
    let original = (2, 0, 0, 15);
    assert_eq!(copies(&mut switch), [&[original], &clones[..]].concat());
    assert_eq!((switch.stats().copied, switch.stats().transmitted), (6, 7));
    assert_eq!(switch.by_name().clone_session(5), Some(all.clone()));

    set(&mut switch, CloneSession { port: None, group: None, ..all });
    assert_eq!(copies(&mut switch), [&[original], &clones[1..4]].concat());
    set(&mut switch, CloneSession::default());
    assert_eq!(copies(&mut switch), [original], "no destination, no clone");
}

#[test]
fn clones_of_egress_go_to_all_replicas() {
    let egress = "hdr.tag.seen = (bit<16>(sm.instance_type) << 8w12) | sm.egress_rid;
                  if sm.instance_type == 32w0 { extern clone(in type = CloneType::E2E, in session = 32w5); }";
    let mut switch = Bench { ingress: "sm.egress_spec = 9w2;", egress, ..BENCH }.switch();
    set(
        &mut switch,
        CloneSession { replicas: vec![replica(4, 1), replica(6, 2)], ..CloneSession::default() },
    );
    let copies: Vec<_> = copies(&mut switch).into_iter().map(|(port, seen, ..)| (port, seen)).collect();
    assert_eq!(copies, [(2, 0), (4, 0x2001), (6, 0x2002)]);
}

#[test]
fn a_session_chooses_the_queue_of_its_clones() {
    let mut switch = BENCH.load(SwitchConfig { priorities: 4, ..config() }).unwrap();
    let session = |priority| CloneSession {
        replicas: vec![replica(4, 0)],
        priority: Some(priority),
        ..CloneSession::default()
    };
    for (priority, queue) in [(0, 0), (2, 2), (3, 3)] {
        set(&mut switch, session(priority));
        assert_eq!(copies(&mut switch)[1], (4, 0x1000, queue, 15), "session of priority {priority}");
    }
    // The clones wait in the queues, and the largest priority leaves first.
    switch
        .by_name()
        .write(&[Update::SetQueueRate {
            port: Some(4),
            priority: None,
            rate: Some(Rate::PacketsPerSecond(1_000)),
        }])
        .unwrap();
    let mut now = switch.now();
    for (id, priority) in (0..).zip([0, 0, 1, 2]) {
        set(&mut switch, session(priority));
        now += 10_000;
        switch.receive(now, 1, packet(id, 2, b""));
        switch.advance(now + 5_000, &mut Vec::new());
    }
    assert_eq!(switch.queue_lengths(4), [1, 1, 1, 0]);
    let left: Vec<_> = run(&mut switch).iter().filter(|t| t.port == 4).map(|t| t.packet.id).collect();
    assert_eq!(left, [3, 2, 1]);
}

#[test]
fn a_session_with_a_class_that_clones_cannot_have_is_refused() {
    // All classes of v1model share a single queue.
    for (priorities, last, priority) in [(1, 7, 8), (4, 3, 4), (4, 3, usize::MAX)] {
        let mut switch = BENCH.load(SwitchConfig { priorities, ..config() }).unwrap();
        let set = |priority| {
            let config = CloneSession { port: Some(4), priority: Some(priority), ..CloneSession::default() };
            Update::SetCloneSession { session: 5, config: Some(config) }
        };
        let refused = switch.by_name().write(&[set(last), set(priority)]).unwrap_err();
        let expected = format!(
            "update 1: clones cannot have the class of service {priority}: the classes are 0 to {last}"
        );
        assert_eq!(refused.to_string(), expected);
        assert_eq!(switch.by_name().clone_session(5), None, "the batch is undone");
        switch.by_name().write(&[set(last)]).unwrap();
    }
}

/// Every switch for PNA has the session for the control plane, whose port most switches do not
/// have.
#[test]
fn copies_of_sessions_that_nobody_set_are_not_reported() {
    let program = compile(include_str!("../../../../testdata/pna/externs.p4"), &[]);
    let mut switch = start(&program, SwitchConfig::default().with_ports(1..=2));
    assert_eq!(switch.control().all_lost_copies(), []);
    let own = CloneSession { replicas: vec![replica(7, 0)], ..CloneSession::default() };
    switch.by_name().set_clone_session(0, Some(own)).unwrap();
    let lost: Vec<u32> = switch.control().all_lost_copies().iter().map(|copies| copies.port).collect();
    assert_eq!(lost, [7]);
}
