//! Tests of the parts of Tofino around the pipes: copies of multicast groups, deflection from full
//! queues, and packet generators.

use std::collections::{BTreeMap, BTreeSet};

use weir_device::{Device, Nanos, Packet, Port};
use weir_switch::config::Rate;
use weir_switch::control::{
    CloneSession, CopyChoice, GeneratorApp, GeneratorPort, GeneratorTrigger, MulticastBranch, MulticastLag,
    MulticastNode, MulticastTree, Replication, Update,
};
use weir_switch::{Switch, SwitchConfig};

use crate::programs::{executors, text};

/// Returns switches with the program of copies, on both executors.
fn switches(config: &SwitchConfig) -> [Switch; 2] {
    executors(&text("copies.p4")).map(|executor| {
        let config = config.clone().with_ports(1..=9);
        Switch::new(executor, config).expect("the program loads")
    })
}

/// The metadata that a packet sets.
#[derive(Clone, Copy, Default)]
struct Wish {
    group: u8,
    port: u8,
    choice: [u8; 5],
    deflect: u8,
}

impl Wish {
    fn packet(self, id: u64) -> Packet {
        let bytes = [&[self.group, self.port][..], &self.choice, &[self.deflect, 0xaa]].concat();
        Packet::new(id, bytes)
    }
}

/// Returns the packets that leave up to a time, each with its time, port and bytes.
fn left(switch: &mut Switch, until: Nanos) -> Vec<(Nanos, Port, Vec<u8>)> {
    let mut all = Vec::new();
    while let Some(time) = switch.next_deadline().filter(|time| *time <= until) {
        switch.advance(time, &mut all);
    }
    assert!(switch.stats().is_balanced());
    all.into_iter().map(|sent| (sent.time, sent.port, sent.packet.bytes)).collect()
}

/// Returns the ports and replication ids of the copies of a packet.
fn copies(switch: &mut Switch, wish: Wish) -> Vec<(Port, u8)> {
    let now = switch.now() + 10_000;
    left(switch, now);
    switch.receive(now, 1, wish.packet(0));
    left(switch, now + 9_000).into_iter().map(|(_, port, bytes)| (port, bytes[3])).collect()
}

fn node(rid: u16, ports: &[Port]) -> Option<MulticastNode> {
    Some(MulticastNode { rid, ports: ports.to_vec(), lags: Vec::new() })
}

fn branch(exclusion_id: Option<u16>, nodes: Vec<Option<MulticastNode>>) -> MulticastBranch {
    MulticastBranch { exclusion_id, nodes }
}

/// Returns a tree with a branch that packets can exclude, one that each packet gets, one with
/// alternatives, and one with a link aggregation group.
fn tree() -> MulticastTree {
    let lag = Some(MulticastNode { rid: 5, ports: Vec::new(), lags: vec![0] });
    let branches = vec![
        branch(Some(5), vec![node(1, &[2])]),
        branch(None, vec![node(2, &[3])]),
        branch(None, vec![node(3, &[4]), node(4, &[5])]),
        branch(None, vec![lag]),
    ];
    MulticastTree { branches }
}

/// Returns settings with the link aggregation group of the tree, and two ports that are pruned.
fn replication() -> Replication {
    let lag = MulticastLag { ports: BTreeSet::from([6, 7, 8]), remote: (0, 0) };
    let pruned = BTreeMap::from([(12, BTreeSet::from([3, 7]))]);
    Replication { lags: BTreeMap::from([(0, lag)]), pruned, ..Replication::default() }
}

#[test]
fn packets_exclude_and_choose_copies() {
    for mut switch in switches(&SwitchConfig::default()) {
        let updates = [
            Update::SetReplication { replication: Box::new(replication()) },
            Update::SetMulticastTree { group: 1, tree: tree() },
        ];
        switch.control().write(&updates).expect("they fit");
        assert_eq!(*switch.control().replication(), replication());
        assert_eq!(switch.control().multicast_tree(1), Some(&tree()));
        let of = |choice| Wish { group: 1, choice, ..Wish::default() };
        assert_eq!(copies(&mut switch, of([0, 0, 0, 0, 0])), [(2, 1), (3, 2), (4, 3), (6, 5)]);
        assert_eq!(copies(&mut switch, of([0, 0, 0, 3, 4])), [(2, 1), (3, 2), (5, 4), (7, 5)]);
        assert_eq!(copies(&mut switch, of([5, 0, 0, 0, 2])), [(3, 2), (4, 3), (8, 5)]);
        // The level 2 exclusion id excludes ports only for copies of the packet's own rid.
        assert_eq!(copies(&mut switch, of([5, 12, 2, 0, 1])), [(4, 3), (7, 5)]);
        assert_eq!(copies(&mut switch, of([5, 12, 5, 0, 1])), [(3, 2), (4, 3)]);
        assert_eq!(copies(&mut switch, of([5, 13, 5, 0, 1])), [(3, 2), (4, 3), (7, 5)]);
        // Sessions have a choice of their own.
        let choice = CopyChoice { level1_exclusion_id: 5, level1_hash: 1, ..CopyChoice::default() };
        let config = CloneSession { group: Some(1), choice, ..CloneSession::default() };
        let session = Update::SetCloneSession { session: 3, config: Some(config.clone()) };
        switch.control().write(&[session]).expect("it fits");
        assert_eq!(switch.control().clone_session(3), Some(config));
        // A group without a copy for the packet is like an empty one.
        let tree = MulticastTree { branches: vec![branch(Some(5), vec![node(1, &[2])])] };
        let group = Update::SetMulticastTree { group: 1, tree };
        switch.control().write(&[group]).expect("it fits");
        assert!(copies(&mut switch, of([5, 0, 0, 0, 0])).is_empty());
        let both = Wish { port: 3, ..of([5, 0, 0, 0, 0]) };
        assert_eq!(copies(&mut switch, both), [(3, 0)]);
    }
}

#[test]
fn a_failed_batch_restores_what_excludes_copies() {
    for mut switch in switches(&SwitchConfig::default()) {
        let set = |ports: &[Port]| {
            let pruned = BTreeMap::from([(1, ports.iter().copied().collect())]);
            Update::SetReplication { replication: Box::new(Replication { pruned, ..Default::default() }) }
        };
        let deflection = Update::SetDeflection { to: Some((4, 7)) };
        let error = switch.control().write(&[set(&[2]), deflection]).expect_err("there is one queue");
        assert_eq!(error.index, 1);
        assert_eq!(*switch.control().replication(), Replication::default());
        switch.control().write(&[set(&[2])]).expect("it fits");
        switch.control().write(&[set(&[3]), set(&[512])]).expect_err("no port has 10 bits");
        assert_eq!(switch.control().replication().pruned[&1], BTreeSet::from([2]));
    }
}

/// Sends packets at one time. Returns the ports through which they leave, and whether they were
/// deflected.
fn ports_and_flags(switch: &mut Switch, wishes: &[Wish]) -> Vec<(Port, u8)> {
    let now = switch.now() + 100_000;
    for (id, wish) in (0..).zip(wishes) {
        switch.receive(now, 1, wish.packet(id));
    }
    let mut all: Vec<_> =
        left(switch, now + 50_000).into_iter().map(|(_, port, bytes)| (port, bytes[4])).collect();
    all.sort_unstable();
    all
}

#[test]
fn packets_are_deflected_from_full_queues() {
    let config = SwitchConfig {
        pass_latency: 0,
        queue_depth: 1,
        queue_rate: Some(Rate::PacketsPerSecond(1_000_000)),
        ..SwitchConfig::default()
    };
    for mut switch in switches(&config) {
        let wish = |deflect| Wish { port: 3, deflect, ..Wish::default() };
        // One packet leaves at once and one waits. Without a place for it, the third is dropped.
        assert_eq!(ports_and_flags(&mut switch, &[wish(1); 3]), [(3, 0), (3, 0)]);
        switch.control().write(&[Update::SetDeflection { to: Some((4, 0)) }]).expect("there is a queue");
        let wishes = [wish(1), wish(1), wish(0), wish(1)];
        assert_eq!(ports_and_flags(&mut switch, &wishes), [(3, 0), (3, 0), (4, 1)]);
        assert_eq!(switch.stats().dropped(), 2);
    }
}

/// Returns an application with packets of three bytes that arrive on port 68 of the pipe.
fn app(trigger: GeneratorTrigger) -> GeneratorApp {
    GeneratorApp {
        trigger,
        offset: 32,
        length: 3,
        source_port: 68,
        increments_source_port: false,
        batches: 2,
        packets_per_batch: 2,
        batch_gap: (1_000, 0),
        packet_gap: (100, 0),
    }
}

/// Sets application 3 of pipe 0.
fn generate(switch: &mut Switch, trigger: GeneratorTrigger) {
    let settings = GeneratorPort { generates: true, matches_patterns: true };
    let updates = [
        Update::WriteGeneratorBuffer { pipe: 0, offset: 32, bytes: vec![0xca, 0xfe, 0x01] },
        Update::SetGeneratorPort { port: 68, settings },
        Update::SetGenerator { pipe: 0, app: 3, config: Some(app(trigger)) },
    ];
    switch.control().write(&updates).expect("they fit");
}

/// Returns a packet of the application.
fn generated(key: [u8; 3], packet: u8) -> Vec<u8> {
    [&[3][..], &key, &[0, packet, 0xca, 0xfe, 0x01]].concat()
}

#[test]
fn generators_make_packets_at_their_times() {
    for mut switch in switches(&SwitchConfig::default()) {
        generate(&mut switch, GeneratorTrigger::Periodic(10_000));
        assert_eq!(switch.next_deadline(), Some(10_000));
        let made = left(&mut switch, 29_000);
        // Each pass takes a microsecond.
        let at = |time: Nanos, batch, packet| (time + 1_000, 3, generated([0, 0, batch], packet));
        let first = [at(10_000, 0, 0), at(10_100, 0, 1), at(11_000, 1, 0), at(11_100, 1, 1)];
        let second = first.clone().map(|(time, port, bytes)| (time + 10_000, port, bytes));
        assert_eq!(made, [first, second].concat());
        let (config, counts) = switch.control().generator(0, 3);
        assert_eq!(config, Some(app(GeneratorTrigger::Periodic(10_000))));
        assert_eq!((counts.triggers, counts.batches, counts.packets), (2, 4, 8));
        // Other packets keep their way, and a batch that fails changes nothing.
        assert!(copies(&mut switch, Wish { port: 2, ..Wish::default() }).contains(&(2, 0)));
        let end = Update::SetGenerator { pipe: 0, app: 3, config: None };
        let wrong = Update::RearmGenerator { port: 600 };
        switch.control().write(&[end.clone(), wrong]).expect_err("there is no pipe 4");
        assert!(switch.next_deadline().is_some());
        switch.control().write(&[end]).expect("there is an application");
        let end = switch.now() + 10_000;
        left(&mut switch, end);
        assert_eq!(switch.next_deadline(), None);
    }
}

#[test]
fn ports_that_go_down_and_recirculated_packets_trigger_generators() {
    for mut switch in switches(&SwitchConfig::default()) {
        generate(&mut switch, GeneratorTrigger::PortDown(None));
        switch.set_port_up(5_000, 7, false);
        let made: Vec<_> = left(&mut switch, 20_000).into_iter().map(|(_, _, bytes)| bytes).collect();
        let key = [0, 0, 7];
        assert_eq!(made, [generated(key, 0), generated(key, 1), generated(key, 0), generated(key, 1)]);
        for up in [true, false, false] {
            switch.set_port_up(20_000, 7, up);
        }
        assert_eq!(switch.next_deadline(), None);

        generate(&mut switch, GeneratorTrigger::Recirculated { value: 0xaa00_0000, mask: 0xff00_0000 });
        switch.receive(30_000, 1, Packet::new(0, vec![0, 68, 0, 0, 0, 0, 0, 0, 0xaa, 1, 2, 3, 4]));
        let made: Vec<_> = left(&mut switch, 60_000).into_iter().map(|(_, _, bytes)| bytes).collect();
        // The recirculated packet is forwarded, too.
        let expected = [
            vec![0xaa, 1, 2, 3, 4],
            generated([1, 2, 3], 0),
            generated([1, 2, 3], 1),
            generated([1, 2, 4], 0),
            generated([1, 2, 4], 1),
        ];
        let (mut made, mut expected) = (made, expected.to_vec());
        made.sort();
        expected.sort();
        assert_eq!(made, expected);
    }
}
