//! Action profiles and selectors.

use std::collections::BTreeMap;

use crate::bench::{call, compile, entry, exact, run, start, table_schema};
use crate::by_name::{
    ActionSet, ByName, Control, EntryRef, GroupMember, Match, Target, Update, WeightedCall,
};
use weir_device::{Device, Packet};
use weir_ir::Bits;
use weir_switch::trace::StepKind;
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/profiles.p4"), &[]);
    start(&program, SwitchConfig::default().with_ports(0..=16))
}

struct Flow {
    group: u8,
    way: u8,
    source: u32,
    destination: u32,
    port: u16,
}

impl Flow {
    fn packet(&self, id: u64) -> Packet {
        let mut bytes = vec![self.group, self.way];
        bytes.extend(self.source.to_be_bytes());
        bytes.extend(self.destination.to_be_bytes());
        bytes.extend(self.port.to_be_bytes());
        bytes.extend([0, 0]);
        Packet::new(id, bytes)
    }
}

/// Returns flows of clients in a /16 network that open connections to two servers, each with the
/// next port.
fn flows(count: u32) -> impl Iterator<Item = Flow> {
    (0..count).map(|n| Flow {
        group: 1,
        way: 0,
        source: 0x0a01_0000 | (n.wrapping_mul(40_503) >> 3) & 0xffff,
        destination: 0x0a02_0001 + n % 2,
        port: 1024 + (n.wrapping_mul(7) % 50_000) as u16,
    })
}

/// Returns the port through which each flow leaves; 0 if it does not leave.
fn egress_ports(switch: &mut Switch, flows: impl Iterator<Item = Flow>) -> Vec<u32> {
    flows
        .map(|flow| {
            let now = switch.next_deadline().unwrap_or(0);
            switch.receive(now, 1, flow.packet(0));
            run(switch).first().map_or(0, |out| out.port)
        })
        .collect()
}

fn counts(egress_ports: &[u32]) -> BTreeMap<u32, u32> {
    let mut counts = BTreeMap::new();
    egress_ports.iter().for_each(|port| *counts.entry(*port).or_default() += 1);
    counts
}

fn send(port: u128) -> crate::by_name::Call {
    call("send", &[("port", port)])
}

fn members_of_equal_weight(members: impl IntoIterator<Item = u32>) -> Vec<GroupMember> {
    members.into_iter().map(|member| GroupMember::new(member, 1)).collect()
}

/// Adds members 1 to `count`, each of which sends to the port with its number, and group 7 of all
/// members. The table `balance` sends group 1 to it.
fn balanced(control: &mut Control<'_>, count: u32) {
    let members = (1..=count).map(|member| Update::InsertMember {
        profile: "paths".into(),
        member: Some(member),
        action: send(u128::from(member)),
    });
    let group = Update::InsertGroup {
        profile: "paths".into(),
        group: Some(7),
        members: members_of_equal_weight(1..=count),
    };
    let entry = entry(&[("group", exact(1))], Target::Group(7));
    let all: Vec<_> = members.chain([group, Update::Insert { table: "balance".into(), entry }]).collect();
    let answers = control.write(&all).unwrap();
    assert_eq!((answers[0], answers[count as usize]), (Some(1), Some(7)));
}

#[test]
fn members_of_a_group_share_flows_evenly() {
    for count in 2..=4 {
        let mut switch = switch();
        balanced(&mut switch.by_name(), count);
        let shares = counts(&egress_ports(&mut switch, flows(10_000)));
        let equal = 10_000 / count;
        assert_eq!(shares.len(), count as usize);
        assert!(shares.values().all(|n| n.abs_diff(equal) * 20 <= equal), "{count} members: {shares:?}");
    }
    // With more members, chance alone makes the shares differ by more than five per cent. The test
    // allows what chance allows.
    let mut switch = switch();
    balanced(&mut switch.by_name(), 16);
    let shares = counts(&egress_ports(&mut switch, flows(10_000)));
    let pearson: f64 = shares.values().map(|n| (f64::from(*n) - 625.0).powi(2) / 625.0).sum();
    assert!(
        shares.len() == 16 && pearson < 37.7,
        "0.1 % of all draws lie beyond 37.7: {pearson}, {shares:?}"
    );
}

#[test]
fn selectors_move_few_flows() {
    let mut switch = switch();
    balanced(&mut switch.by_name(), 5);
    let before = egress_ports(&mut switch, flows(2_000));
    let regroup = |members| Update::ModifyGroup { profile: "paths".into(), group: 7, members };
    switch.by_name().write(&[regroup(members_of_equal_weight([5, 1, 2, 4]))]).unwrap();
    let without = egress_ports(&mut switch, flows(2_000));
    for (before, after) in before.iter().zip(&without) {
        assert!(*before == 3 || before == after);
    }
    assert!(counts(&without).len() == 4 && !without.contains(&3));
    switch.by_name().write(&[regroup(members_of_equal_weight(1..=5))]).unwrap();
    assert_eq!(egress_ports(&mut switch, flows(2_000)), before, "and back");
    let new = Update::InsertMember { profile: "paths".into(), member: None, action: send(6) };
    let answers = switch.by_name().write(&[new, regroup(members_of_equal_weight(1..=6))]).unwrap();
    assert_eq!(answers, [Some(6), None]);
    let with = egress_ports(&mut switch, flows(2_000));
    assert!(before.iter().zip(&with).all(|(before, after)| *after == 6 || before == after));
    assert!(with.contains(&6));
}

#[test]
fn weights_are_shares() {
    let mut switch = switch();
    balanced(&mut switch.by_name(), 3);
    let weighted = [(1, 1), (2, 2), (3, 5)].map(|(member, weight)| GroupMember::new(member, weight));
    let update = Update::ModifyGroup { profile: "paths".into(), group: 7, members: weighted.into() };
    switch.by_name().write(&[update]).unwrap();
    let shares = counts(&egress_ports(&mut switch, flows(8_000)));
    for (port, share) in [(1, 1_000), (2, 2_000), (3, 5_000u32)] {
        assert!(shares[&port].abs_diff(share) < 150, "{shares:?}");
    }
}

#[test]
fn entries_name_members_groups_or_actions() {
    let mut switch = switch();
    balanced(&mut switch.by_name(), 3);
    let one = |port, weight| WeightedCall::new(send(port), weight);
    let oneshot = Target::from(vec![one(11, 1), one(12, 3), one(12, 1)]);
    let mut control = switch.by_name();
    control.insert("balance", entry(&[("group", exact(2))], Target::Member(3))).unwrap();
    control.insert("balance", entry(&[("group", exact(3))], oneshot.clone())).unwrap();
    let read: Vec<_> = control.entries("balance").unwrap().into_iter().map(|e| e.entry.action).collect();
    let full = |port, weight| {
        let args = vec![("port".into(), Bits::new(9, port))];
        WeightedCall::new(crate::by_name::Call { action: "I.send".into(), args }, weight)
    };
    let oneshot_read = Target::from(vec![full(11, 1), full(12, 3), full(12, 1)]);
    assert_eq!(read, [Target::Group(7), Target::Member(3), oneshot_read]);
    let of_group = |group| move |flow: Flow| Flow { group, ..flow };
    assert_eq!(counts(&egress_ports(&mut switch, flows(300).map(of_group(2)))), BTreeMap::from([(3, 300)]));
    let shares = counts(&egress_ports(&mut switch, flows(5_000).map(of_group(3))));
    assert!(shares.len() == 2 && shares[&11].abs_diff(1_000) < 150, "{shares:?}");
    // On a miss, the default drops the packet, but then the program sends it to port 8.
    assert_eq!(counts(&egress_ports(&mut switch, flows(10).map(of_group(9)))), BTreeMap::from([(8, 10)]));

    // Without the first action, the flows of the other actions stay.
    let before = egress_ports(&mut switch, flows(500).map(of_group(3)));
    let fewer = Target::from(vec![one(12, 3), one(12, 1)]);
    switch.by_name().modify("balance", EntryRef::Handle(2), fewer).unwrap();
    assert!(egress_ports(&mut switch, flows(500).map(of_group(3))).iter().all(|port| *port == 12));
    switch.by_name().modify("balance", EntryRef::Handle(2), oneshot).unwrap();
    assert_eq!(egress_ports(&mut switch, flows(500).map(of_group(3))), before);
}

#[test]
fn entries_choose_at_random() {
    let one = |port, weight| WeightedCall::new(send(port), weight);
    let run = || {
        let mut switch = switch();
        let actions = vec![one(11, 1), one(12, 3)];
        let set = ActionSet { actions, at_random: true, group_action: None };
        let of_group = entry(&[("group", exact(3))], Target::OneOf(set));
        switch.by_name().insert("balance", of_group).unwrap();
        let read = switch.by_name().entries("balance").unwrap().remove(0).entry.action;
        assert!(matches!(read, Target::OneOf(set) if set.at_random && set.actions.len() == 2));
        let same = (0..4_000).map(|_| Flow { group: 3, way: 0, source: 1, destination: 2, port: 3 });
        egress_ports(&mut switch, same)
    };
    let (first, again) = (run(), run());
    assert_eq!(first, again, "the switch's seed decides");
    let shares = counts(&first);
    assert!(shares.len() == 2 && shares[&11].abs_diff(1_000) < 150, "{shares:?}");
}

#[test]
fn shared_selectors_share_members() {
    let mut switch = switch();
    balanced(&mut switch.by_name(), 4);
    let half = Match::Lpm(Bits::new(8, 0x80), 1);
    switch.by_name().insert("balance_by_source", entry(&[("group", half)], Target::Group(7))).unwrap();
    let by_source = |flow: Flow| Flow { group: 0x81, way: 1, ..flow };
    let before = egress_ports(&mut switch, flows(200).map(by_source));
    let other_ports = egress_ports(
        &mut switch,
        flows(200).map(by_source).map(|flow| Flow { port: 5, destination: 6, ..flow }),
    );
    assert_eq!(before, other_ports, "only the source counts here");
    assert_eq!(counts(&before).len(), 4);
    let update = Update::ModifyMember { profile: "paths".into(), member: 2, action: send(9) };
    switch.by_name().write(&[update]).unwrap();
    let after = egress_ports(&mut switch, flows(200).map(by_source));
    assert!(before.iter().zip(&after).all(|(b, a)| if *b == 2 { *a == 9 } else { a == b }));
    assert!(egress_ports(&mut switch, flows(200)).contains(&9), "the other table goes with it");
}

#[test]
fn empty_groups_run_the_default_action() {
    let mut switch = switch();
    let group = Update::InsertGroup { profile: "paths".into(), group: None, members: vec![] };
    assert_eq!(switch.by_name().write(&[group]), Ok(vec![Some(0)]));
    switch.by_name().insert("balance", entry(&[("group", exact(1))], Target::Group(0))).unwrap();
    // On a miss the program would send the packet to port 8.
    assert_eq!(egress_ports(&mut switch, flows(3)), [0; 3]);
    assert_eq!(switch.by_name().table_state("balance").unwrap().hits, 3);
}

#[test]
fn used_memory_is_not_reused() {
    let mut switch = switch();
    let mut control = switch.by_name();
    balanced(&mut control, 3);
    control.insert("balance", entry(&[("group", exact(2))], Target::Member(3))).unwrap();
    control.set_default("balance_by_source", Target::Member(3)).unwrap();
    let delete = |member| Update::DeleteMember { profile: "paths".into(), member };
    let delete_group = || Update::DeleteGroup { profile: "I.paths".into(), group: 7 };
    let mut error = |update| control.write(&[update]).unwrap_err().error.to_string();
    assert_eq!(
        error(delete(3)),
        "member 3 of `I.paths` is in use by group 7, entry 1 of table `I.balance`, the default of table `I.balance_by_source`"
    );
    assert_eq!(error(delete_group()), "group 7 of `I.paths` is in use by entry 0 of table `I.balance`");
    assert_eq!(error(delete(9)), "`I.paths` has no member 9; its members: 1, 2, 3");
    let state = control.profile("paths").unwrap();
    assert_eq!(state.members.values().map(|member| member.users).collect::<Vec<_>>(), [1, 1, 3]);
    assert_eq!(state.groups[&7], (members_of_equal_weight(1..=3), 1));
    // An object can be removed once nothing refers to it. A batch is done as a whole or not at all.
    let unused = [
        Update::Clear { table: "balance".into() },
        delete_group(),
        delete(1),
        Update::ResetDefault { table: "balance_by_source".into() },
        delete(3),
    ];
    let mut broken = unused.to_vec();
    broken.push(delete(3));
    let before = control.profile("paths").unwrap();
    assert_eq!(control.write(&broken).unwrap_err().index, 5);
    assert_eq!(control.profile("paths").unwrap(), before);
    control.write(&unused).unwrap();
    assert_eq!(control.profile("paths").unwrap().members.keys().copied().collect::<Vec<_>>(), [2]);
}

#[test]
fn wrong_requests_are_refused_with_a_reason() {
    let mut switch = switch();
    let mut control = switch.by_name();
    balanced(&mut control, 2);
    let text = |result: Result<u64, weir_control::Error>| result.unwrap_err().to_string();
    let mut insert = |table, matches: &[(&str, Match)], target: Target| {
        text(control.insert(table, entry(matches, target)))
    };
    let one = [("group", exact(5))];
    assert_eq!(
        insert("balance", &one, send(1).into()),
        "the actions of table `I.balance` are in its action profile `I.paths`: an entry names a member, a group, or a \
         list of actions with weights"
    );
    assert_eq!(insert("balance", &one, Target::Group(8)), "`I.paths` has no group 8; its groups: 7");
    assert_eq!(
        insert("age", &[("source", exact(1))], Target::Member(1)),
        "table `I.age` has no action profile: its entries name actions, not members or groups"
    );
    assert_eq!(
        insert("balance", &[("group", exact(5)), ("hdr.flow.source", exact(1))], Target::Member(1)),
        "table I.balance has no key \"hdr.flow.source\" (its keys: hdr.flow.group)"
    );
    let weighted = |weight| Target::from(vec![WeightedCall::new(send(1), weight)]);
    assert_eq!(insert("balance", &one, weighted(0)), "a weight of 0 means no share; weights begin at 1");
    assert_eq!(
        insert("balance", &one, weighted(5000)),
        "the weights add up to 5000, at most 4096 are possible"
    );
    let place = |value| {
        let entry = entry(&[("destination", Match::Any)], Target::Group(value));
        crate::by_name::Entry { priority: Some(1), ..entry }
    };
    assert_eq!(
        text(control.insert("place", place(1))),
        "I.places is an action profile without selector: it has no groups"
    );
    let mut error = |update| control.write(&[update]).unwrap_err().error.to_string();
    let member =
        |profile: &str, member, action| Update::InsertMember { profile: profile.into(), member, action };
    assert_eq!(error(member("paths", Some(2), send(1))), "`I.paths` has a member 2 already");
    assert_eq!(
        error(member("pats", None, send(1))),
        "there is no action profile \"pats\"; did you mean \"I.paths\"?"
    );
    assert_eq!(
        error(member("paths", None, call("mark", &[("with", 1)]))),
        "table I.balance has no action \"mark\" (its actions: I.send, I.drop, NoAction)"
    );
    // The action is valid for one of the tables that share the selector, but not for the other.
    assert_eq!(
        error(member("paths", None, call("NoAction", &[]))),
        "NoAction is for the default of table I.balance only (@defaultonly)"
    );
    let twice = vec![GroupMember::new(1, 1), GroupMember::new(1, 2)];
    assert_eq!(
        error(Update::ModifyGroup { profile: "paths".into(), group: 7, members: twice }),
        "member 1 of `I.paths` is listed twice; give it a larger weight instead"
    );
    for number in 0..4 {
        control.write(&[member("places", None, call("mark", &[("with", number)]))]).unwrap();
    }
    assert_eq!(
        control.write(&[member("places", None, call("NoAction", &[]))]).unwrap_err().to_string(),
        "update 0: action profile `I.places` is full: its size is 4"
    );
    let schema = control.schema();
    let profiles: Vec<_> =
        schema.profiles.iter().map(|p| (p.name.as_str(), p.size, p.is_selector, p.tables.len())).collect();
    assert_eq!(profiles, [("I.paths", 64, true, 2), ("I.places", 4, false, 1)]);
    let balance = table_schema(schema, "balance").unwrap();
    let keys: Vec<_> = balance.selector_keys.iter().map(|key| (key.name.as_str(), key.width)).collect();
    assert_eq!(keys, [("hdr.flow.source", 32), ("hdr.flow.destination", 32), ("hdr.flow.port", 16)]);
    assert_eq!((balance.keys.len(), balance.profile), (1, Some(schema.profiles[0].id)));
}

#[test]
fn a_trace_shows_the_chosen_member() {
    let mut switch = switch();
    balanced(&mut switch.by_name(), 3);
    switch.trace_next(1);
    let way = egress_ports(&mut switch, flows(1))[0];
    let (steps, _) = switch.take_trace();
    let selected = steps.iter().find(|step| matches!(step.what, StepKind::Selected { .. })).unwrap();
    assert_eq!(
        selected.what.to_string(),
        format!("table I.balance selects member {way} of group 7, one of 3")
    );
}

#[test]
fn the_width_of_a_selector_truncates_its_hash() {
    let program = compile(include_str!("../../../../testdata/switch/control.p4"), &[]);
    let mut switch = start(&program, SwitchConfig::default().with_ports(1..=8));
    let members = (0..8).map(|member| Update::InsertMember {
        profile: "ways".into(),
        member: Some(member),
        action: call("to", &[("port", u128::from(member) + 1)]),
    });
    let group = Update::InsertGroup {
        profile: "ways".into(),
        group: Some(0),
        members: members_of_equal_weight(0..8),
    };
    let entry =
        Update::Insert { table: "balance".into(), entry: entry(&[("index", exact(1))], Target::Group(0)) };
    let all: Vec<_> = members.chain([group, entry]).collect();
    switch.by_name().write(&all).unwrap();
    let egress_ports: Vec<u32> = (0..400u16)
        .map(|value| {
            let [high, low] = value.to_be_bytes();
            let now = switch.next_deadline().unwrap_or(0);
            switch.receive(now, 1, Packet::new(0, vec![12, 1, high, low, 0, 0, 0, 0]));
            run(&mut switch)[0].port
        })
        .collect();
    // Two bits are four flows, which at most four members can get.
    let counts = counts(&egress_ports);
    assert!(
        (2..=4).contains(&counts.len()) && counts.values().all(|n| n % 100 < 40 || n % 100 > 60),
        "{counts:?}"
    );
}
