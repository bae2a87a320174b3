//! Ports that are down: members of groups and actions that watch them, and backups of replicas.

use std::collections::BTreeMap;

use crate::bench::{Bench, call, compile, config, entry, exact, packet, run, send, start, word};
use crate::by_name::{Backup, ByName, CloneSession, GroupMember, Replica, Target, Update, WeightedCall};
use weir_device::{Buffer, Device, Packet};
use weir_switch::{Switch, SwitchConfig};

const FLOWS: u32 = 400;

/// Returns a switch with group 7 of the members 1 to 3. Each member sends to the port with its
/// number and watches this port; member 4, if it exists, watches no port. Entry 1 names the group.
/// Entry 2 has the same actions in an action set.
fn balanced(config: SwitchConfig, with_fourth: bool) -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/profiles.p4"), &[]);
    let mut switch = start(&program, config.with_ports(0..=16));
    let members = 1..=3 + u32::from(with_fourth);
    let send = |port: u32| call("send", &[("port", u128::from(port))]);
    let watch = |port| (port < 4).then_some(port);
    let profile = || "paths".to_owned();
    let insert =
        |member| Update::InsertMember { profile: profile(), member: Some(member), action: send(member) };
    let mut updates: Vec<_> = members.clone().map(insert).collect();
    let group = members.clone().map(|port| GroupMember { watch: watch(port), ..GroupMember::new(port, 1) });
    updates.push(Update::InsertGroup { profile: profile(), group: Some(7), members: group.collect() });
    let actions = members.map(|port| WeightedCall { watch: watch(port), ..WeightedCall::new(send(port), 1) });
    for (key, target) in [(1, Target::Group(7)), (2, actions.collect::<Vec<_>>().into())] {
        updates
            .push(Update::Insert { table: "balance".into(), entry: entry(&[("group", exact(key))], target) });
    }
    switch.by_name().write(&updates).unwrap();
    switch
}

/// Returns a packet of a flow, with the key of its entry and the number that the selector hashes.
fn flow(key: u8, number: u32) -> Vec<u8> {
    let mut bytes = vec![key, 0];
    bytes.extend((0x0a01_0000 | number).to_be_bytes());
    bytes.extend([10, 2, 0, 1, 4, number as u8, 0, 0]);
    bytes
}

/// Returns the port through which each flow leaves; 0 if it does not leave.
fn egress_ports(switch: &mut Switch, key: u8) -> Vec<u32> {
    let way = |number| {
        let now = switch.now();
        switch.receive(now, 9, Packet::new(0, flow(key, number)));
        run(switch).first().map_or(0, |out| out.port)
    };
    (0..FLOWS).map(way).collect()
}

fn down(switch: &mut Switch, ports: &[u32]) {
    for port in 1..=4 {
        switch.set_port_up(switch.now(), port, !ports.contains(&port));
    }
}

fn shares(egress_ports: &[u32]) -> BTreeMap<u32, usize> {
    let mut shares = BTreeMap::new();
    egress_ports.iter().for_each(|port| *shares.entry(*port).or_default() += 1);
    shares
}

#[test]
fn members_take_part_while_the_port_that_they_watch_is_up() {
    let mut switch = balanced(SwitchConfig::default(), false);
    for key in [1, 2] {
        let before = egress_ports(&mut switch, key);
        assert_eq!(shares(&before).into_keys().collect::<Vec<_>>(), [1, 2, 3]);
        down(&mut switch, &[2]);
        assert!(switch.control().is_port_up(1) && !switch.control().is_port_up(2));
        let without = egress_ports(&mut switch, key);
        assert_eq!(shares(&without).into_keys().collect::<Vec<_>>(), [1, 3]);
        let moved = before.iter().zip(&without).filter(|(before, after)| before != after);
        assert!(
            moved.clone().count() > 0 && moved.clone().all(|(before, _)| *before == 2),
            "flows of port 2"
        );
        down(&mut switch, &[1, 2]);
        assert_eq!(shares(&egress_ports(&mut switch, key)), BTreeMap::from([(3, FLOWS as usize)]));
        down(&mut switch, &[1, 2, 3]);
        assert_eq!(
            egress_ports(&mut switch, key),
            [0; FLOWS as usize],
            "the default drops, as for an empty group"
        );
        down(&mut switch, &[]);
        assert_eq!(egress_ports(&mut switch, key), before, "and back");
    }
    let mut switch = balanced(SwitchConfig::default(), true);
    down(&mut switch, &[1, 2, 3, 4]);
    for key in [1, 2] {
        assert_eq!(
            shares(&egress_ports(&mut switch, key)),
            BTreeMap::from([(4, FLOWS as usize)]),
            "it watches nothing"
        );
    }
}

#[test]
fn forced_choices_are_among_those_that_take_part() {
    let mut switch = balanced(SwitchConfig::default(), false);
    down(&mut switch, &[2]);
    for key in [1, 2] {
        let mut forced = |option| {
            switch.want_choices(vec![option]);
            switch.receive(switch.now(), 9, Packet::new(0, flow(key, 1)));
            run(&mut switch)[0].port
        };
        assert_eq!([forced(0), forced(1)], [1, 3]);
        let usual = forced(2);
        assert!([1, 3].contains(&usual), "there is no third: {usual}");
    }
}

#[test]
fn workers_know_which_ports_are_down() {
    let mut switch = balanced(SwitchConfig { pass_latency: 0, ..SwitchConfig::default() }, false);
    let mut worker = switch.worker();
    let mut ports = || {
        let mut buffers: Vec<_> = (0..FLOWS)
            .map(|number| {
                let mut buffer = Buffer::new(64);
                buffer.receive(9, 0, &flow(1 + (number % 2) as u8, number));
                buffer
            })
            .collect();
        worker.forward(0, &mut buffers, &mut Vec::new(), &mut Vec::new());
        shares(&buffers.iter().filter_map(|buffer| buffer.metadata.egress_port).collect::<Vec<_>>())
    };
    let before = ports();
    assert_eq!(before.keys().copied().collect::<Vec<_>>(), [1, 2, 3]);
    down(&mut switch, &[1]);
    assert_eq!(ports().into_keys().collect::<Vec<_>>(), [2, 3]);
    down(&mut switch, &[]);
    assert_eq!(ports(), before);
}

#[test]
fn a_port_to_watch_must_exist() {
    let mut switch = balanced(SwitchConfig::default(), false);
    let member = GroupMember { watch: Some(77), ..GroupMember::new(1, 1) };
    let group = Update::ModifyGroup { profile: "paths".into(), group: 7, members: vec![member] };
    let one = WeightedCall { watch: Some(99), ..WeightedCall::new(call("send", &[("port", 1)]), 1) };
    let mut control = switch.by_name();
    let error = control.write(&[group]).unwrap_err().to_string();
    assert!(error.contains("the switch has no port 77"), "{error}");
    let error = control.modify("balance", crate::by_name::EntryRef::Handle(1), vec![one]);
    assert!(error.unwrap_err().to_string().contains("the switch has no port 99"));
    let read = control.profile("paths").unwrap().groups.remove(&7).unwrap().0;
    assert_eq!(read[1], GroupMember { member: 2, weight: 1, watch: Some(2) });
}

#[test]
fn a_replica_goes_to_the_first_port_that_is_up() {
    let bench = Bench {
        ingress: "sm.mcast_grp = 16w1;
                  extern clone(in type = CloneType::I2E, in session = 32w5);",
        egress: "hdr.tag.seen = (bit<16>(sm.instance_type) << 8w12) | sm.egress_rid;",
        ..Bench::default()
    };
    let mut switch = bench.load(config()).unwrap();
    let backups = [(2, 0x12), (3, 0x13)].map(|(port, rid)| Backup { port, rid }).to_vec();
    let replicas = vec![Replica { backups, ..Replica::new(1, 0x11) }, Replica::new(4, 0x14)];
    switch.by_name().set_multicast_group(1, Some(replicas.clone())).unwrap();
    let session = CloneSession { replicas, ..CloneSession::default() };
    switch.by_name().set_clone_session(5, Some(session)).unwrap();
    let mut copies = |ports: &[u32]| {
        down(&mut switch, ports);
        let output = send(&mut switch, 0, 8, packet(0, 0, b""));
        let mut copies: Vec<_> = output.iter().map(|t| (t.port, word(t, 3))).collect();
        copies.sort_unstable_by_key(|(_, seen)| *seen);
        copies
    };
    for (ports, port, rid) in [
        (&[][..], 1, 0x11),
        (&[2][..], 1, 0x11),
        (&[1][..], 2, 0x12),
        (&[1, 2, 4][..], 3, 0x13),
        (&[1, 2, 3][..], 1, 0x11),
        (&[][..], 1, 0x11),
    ] {
        let expected = [(port, 0x1000 | rid), (4, 0x1014), (port, 0x5000 | rid), (4, 0x5014)];
        assert_eq!(copies(ports), expected, "down: {ports:?}");
    }
    // After a reset of the state, and with another program, the same ports are down.
    down(&mut switch, &[1]);
    switch.by_name().change(&Update::Reset).unwrap();
    assert!(!switch.control().is_port_up(1));
    let now = switch.now();
    bench.load(config()).unwrap().take_place_of(&mut switch, now);
    assert!(!switch.control().is_port_up(1) && switch.control().is_port_up(2));
    assert!(!switch.control().is_port_up(77), "there is no such port");
}
