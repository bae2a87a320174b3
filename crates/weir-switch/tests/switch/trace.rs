//! The trace of a packet shows its path in the program's names and lines, and the origin of each
//! copy.

use crate::bench;

use crate::bench::{Bench, call, entry, exact, packet, send};
use crate::by_name::{ByName, CloneSession, GroupMember, Replica, Target, Update};
use weir_device::{Device, Packet};
use weir_ir::Bits;
use weir_switch::control::Match;
use weir_switch::trace::{HitEntry, Step, StepKind};
use weir_switch::{Choice, Switch};

fn lines(steps: impl IntoIterator<Item = Step>) -> String {
    steps.into_iter().map(|step| step.to_string()).collect::<Vec<_>>().join("\n")
}

/// Returns the switch of `testdata/trace/forks.p4`, where each bit of a packet's first byte
/// requests another way to fork.
fn forks() -> Switch {
    let program = bench::compile(include_str!("../../../../testdata/trace/forks.p4"), &[]);
    let mut switch = bench::start(&program, bench::config());
    let replicas = vec![Replica::new(3, 11), Replica::new(4, 12)];
    let session = |session, port, group| Update::SetCloneSession {
        session,
        config: Some(CloneSession { port, group, truncate: None, ..Default::default() }),
    };
    let member = |member, port| Update::InsertMember {
        profile: "ways".to_owned(),
        member: Some(member),
        action: call("to", &[("port", port)]),
    };
    let one_of = |member| GroupMember::new(member, 1);
    let group = Update::InsertGroup {
        profile: "ways".to_owned(),
        group: Some(0),
        members: vec![one_of(10), one_of(20), one_of(30)],
    };
    let updates = [
        Update::SetMulticastGroup { group: 1, replicas: Some(replicas) },
        session(5, Some(5), Some(1)),
        member(10, 4),
        member(20, 5),
        member(30, 6),
        group,
    ];
    switch.by_name().write(&updates).unwrap();
    switch.by_name().insert("routes", entry(&[("what", exact(0xc0))], Target::Group(0))).unwrap();
    switch
}

fn order(id: u64, what: u8) -> Packet {
    Packet::new(id, vec![what, 0, 0, 7])
}

#[test]
fn a_packet_s_path_step_by_step() {
    let bench = Bench {
        items: "table ingress.t @100:5 {
                  key hdr.tag.port: exact hdr.tag.port @101:9
                  action ingress.forward
                  action ingress.drop
                  default ingress.drop()
                }",
        ingress: "apply ingress.t; @61:9",
        egress: "if meta.count < 8w1 @71:9 {
                   meta.count = 8w1; @72:13
                   extern recirculate_preserving_field_list(in index = 8w1); @73:13
                 }",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    switch.by_name().insert("t", entry(&[("port", exact(2))], call("forward", &[("port", 4)]))).unwrap();
    switch.trace_next(1);
    send(&mut switch, 0, 1, packet(0, 2, b"x"));
    send(&mut switch, 5_000, 1, packet(1, 2, b"x"));
    let (steps, lost) = switch.take_trace();
    assert_eq!(lost, 0);
    insta::assert_snapshot!(lines(steps));
    assert!(switch.take_trace().0.is_empty(), "the second packet was not chosen");
}

#[test]
fn each_copy_shows_its_origin() {
    let mut switch = forks();
    switch.trace_next(u64::MAX);
    let tells = |step: &Step| {
        matches!(
            step.what,
            StepKind::Received { .. }
                | StepKind::Copied { .. }
                | StepKind::Multicast { .. }
                | StepKind::NotCloned { .. }
                | StepKind::Resubmitted
                | StepKind::Recirculated
                | StepKind::Digested { .. }
                | StepKind::Transmitted { .. }
                | StepKind::Dropped { .. }
        )
    };
    // A clone of ingress to a port and a group; of egress without session; multicast with a digest;
    // one pass more after ingress and after egress.
    for (id, what) in [0b10, 0b100, 0b10_0001, 0b1_1000].into_iter().enumerate() {
        send(&mut switch, 100_000 * id as u64, 1, order(id as u64, what));
    }
    let steps = switch.take_trace().0;
    insta::assert_snapshot!(lines(steps.into_iter().filter(tells)));
}

/// Keys that feed a selector do not belong to an entry.
#[test]
fn a_hit_says_what_its_entry_accepts() {
    let mut switch = forks();
    switch.trace_next(1);
    send(&mut switch, 0, 1, order(0, 0xc0));
    let entry = switch.take_trace().0.into_iter().find_map(|step| match step.what {
        StepKind::Applied { entry, .. } => entry,
        _ => None,
    });
    let HitEntry { matches, priority, .. } = entry.unwrap();
    assert_eq!(matches, [("hdr.order.what".to_owned(), Match::Exact(Bits::new(8, 0xc0)))]);
    assert_eq!(priority, None);
}

#[test]
fn stopped_traces_record_nothing() {
    let mut switch = Bench::default().switch();
    switch.trace_next(u64::MAX);
    send(&mut switch, 0, 1, packet(0, 2, b"x"));
    // The packet is in the switch when recording stops.
    switch.receive(1_000_000, 1, packet(1, 2, b"x"));
    switch.stop_trace();
    assert_eq!(switch.trace_left(), 0);
    send(&mut switch, 2_000_000, 1, packet(2, 2, b"x"));
    assert!(switch.take_trace().0.is_empty());
    switch.trace_next(1);
    assert_eq!(switch.trace_left(), 1);
    send(&mut switch, 3_000_000, 1, packet(3, 2, b"x"));
    let (steps, _) = switch.take_trace();
    assert!(steps.iter().all(|step| (step.packet, step.copy) == (3, 3)), "{steps:?}");
}

#[test]
fn tests_choose_undefined_outcomes() {
    let mut switch = forks();
    switch.trace_next(u64::MAX);
    let mut ways = Vec::new();
    for (id, wanted) in [vec![], vec![0, 2], vec![2, 0], vec![1], vec![9, 9]].into_iter().enumerate() {
        switch.want_choices(wanted);
        let output = send(&mut switch, 100_000 * id as u64, 1, order(id as u64, 0xc0));
        let choices = switch.take_trace().0.into_iter().filter_map(|step| match step.what {
            StepKind::Selected { choice, .. } => choice,
            StepKind::Drawn { choice, .. } => Some(choice),
            _ => None,
        });
        let choices: Vec<Choice> = choices.collect();
        assert!(choices.iter().all(|choice| choice.options == 3 && choice.taken < 3), "{choices:?}");
        let taken: Vec<_> = choices.iter().map(|choice| choice.taken).collect();
        let usual: Vec<_> = choices.iter().map(|choice| choice.usual).collect();
        ways.push((output[0].port, output[0].packet.bytes[3], taken, usual));
    }
    // The random number comes first, then the member.
    assert_eq!((ways[1].0, ways[1].1, &*ways[1].2), (6, 3, &[0, 2][..]));
    assert_eq!((ways[2].0, ways[2].1, &*ways[2].2), (4, 5, &[2, 0][..]));
    assert_eq!((ways[3].1, ways[3].2[0], ways[3].2[1]), (4, 1, ways[3].3[1]));
    for usual in [&ways[0], &ways[4]] {
        assert_eq!(usual.2, usual.3, "nothing was wanted, or what is not there");
    }
}
