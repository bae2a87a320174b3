//! Action profiles and idle time-outs on several threads: `testdata/switch/profiles.p4`.

use crate::bench::{call, compile, entry, exact, start};
use crate::by_name::{ByName, GroupMember, Target, Update, WeightedCall};
use weir_device::{Buffer, Device, Nanos};
use weir_switch::{Switch, SwitchConfig};

/// Returns a packet for a group and a source, or for a table.
fn flow(group: u8, way: u8, source: u32) -> Vec<u8> {
    let mut bytes = vec![group, way];
    bytes.extend(source.to_be_bytes());
    bytes.extend([0; 8]);
    bytes
}

fn profiles() -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/profiles.p4"), &[]);
    let mut switch =
        start(&program, SwitchConfig { pass_latency: 0, ..SwitchConfig::default().with_ports(0..=8) });
    let mut control = switch.by_name();
    for port in 1..=4 {
        let action = call("send", &[("port", u128::from(port))]);
        let profile = "paths".to_owned();
        control.write(&[Update::InsertMember { profile, member: Some(port), action }]).unwrap();
    }
    let members = [(1, 1), (2, 2), (3, 1)].map(|(member, weight)| GroupMember::new(member, weight)).to_vec();
    let profile = "paths".to_owned();
    control.write(&[Update::InsertGroup { profile, group: Some(9), members }]).unwrap();
    let weighted = |port| WeightedCall::new(call("send", &[("port", port)]), 1);
    let targets = [Target::Member(4), Target::Group(9), vec![weighted(5), weighted(6)].into()];
    for (group, target) in targets.into_iter().enumerate() {
        let with = entry(&[("group", exact(group as u128))], call("drop", &[]));
        control.insert("balance", crate::by_name::Entry { action: target, ..with }).unwrap();
    }
    switch
}

#[test]
fn selectors_choose_the_same_members_on_all_threads() {
    let run = |by_worker: bool| {
        let mut switch = profiles();
        let mut worker = by_worker.then(|| switch.worker());
        let mut buffers: Vec<_> = (0..300).map(|_| Buffer::new(32)).collect();
        for (index, buffer) in buffers.iter_mut().enumerate() {
            buffer.receive(0, 0, &flow(index as u8 % 4, 0, index as u32 / 4));
        }
        match &mut worker {
            Some(worker) => worker.forward(0, &mut buffers, &mut Vec::new(), &mut Vec::new()),
            None => switch.forward(0, &mut buffers, &mut Vec::new()),
        }
        buffers.iter().map(|buffer| buffer.metadata.egress_port).collect::<Vec<_>>()
    };
    let chosen = run(true);
    assert_eq!(chosen, run(false));
    for port in 1..=6 {
        assert!(chosen.contains(&Some(port)), "port {port}");
    }
}

#[test]
fn hits_on_other_threads_prevent_time_outs() {
    let mut switch = profiles();
    let young = |source| crate::by_name::Entry {
        idle_timeout: Some(1_000),
        ..entry(&[("source", exact(source))], call("mark", &[("with", source)]))
    };
    let mut control = switch.by_name();
    control.insert("age", young(1)).unwrap();
    control.insert("age", young(2)).unwrap();
    let mut worker = switch.worker();
    let mut hit = |now: Nanos, source: u32| {
        let mut buffers = [Buffer::new(32)];
        buffers[0].receive(1, 0, &flow(0, 3, source));
        worker.forward(now, &mut buffers, &mut Vec::new(), &mut Vec::new());
    };
    let notices = |switch: &mut Switch, now: Nanos| {
        switch.advance(now, &mut Vec::new());
        let notices = switch.by_name().take_idle_notices();
        notices.into_iter().map(|notice| (notice.time, notice.handle)).collect::<Vec<_>>()
    };
    hit(900, 1);
    hit(950, 1);
    assert_eq!(notices(&mut switch, 1_500), [(1_000, 1)]);
    hit(1_600, 2);
    assert_eq!(
        notices(&mut switch, 3_000),
        [(1_950, 0), (2_600, 1)],
        "after its notice an entry that is hit is young again"
    );
}
