//! Random bytes as packets over all our programs: no panic, nothing leaks from one packet into another, every packet is accounted for.
//!
//! The share that runs with the other tests is small; ten million: `cargo test --release -p weir-switch --test any_bytes -- --ignored --nocapture`.

#![expect(clippy::disallowed_methods, reason = "tests read their programs")]

mod bench;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bench::{compile, start};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_ir::{Bits, Program};
use weir_switch::control::{
    Call, CloneSession, Entry, GroupMember, Match, MatchKind, MeterConfig, Replica, Target, Update,
};
use weir_switch::{Buffer, Device, Nanos, Packet, Port, Switch, SwitchConfig, Transmission};

/// All P4 programs of the repository that are for v1model: their names and their text.
fn programs() -> Vec<(String, String)> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder of programs") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "p4") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["testdata/programs", "testdata/switch", "testdata/stf", "python/weir/labs"] {
        collect(&root.join(folder), &mut found);
    }
    // What the tests of the switch have in common is no program by itself.
    found.retain(|path| !path.ends_with("testdata/stf/rest.p4"));
    found.sort();
    let name = |path: &Path| path.strip_prefix(&root).expect("below the root").display().to_string();
    let programs: Vec<_> =
        found.iter().map(|path| (name(path), fs::read_to_string(path).expect("a program"))).collect();
    assert!(programs.len() > 150, "{} programs", programs.len());
    programs
}

/// Where the controller is, for programs that know one.
const CPU_PORT: Port = 255;

/// Time between packets. With one pass a microsecond a packet that goes round for ever is given up after so many passes.
const GAP: Nanos = 64_000;

fn below(random: &mut Pcg64Mcg, end: u64) -> u64 {
    random.next_u64() % end
}

/// A number of the width, small more often than not.
fn number(random: &mut Pcg64Mcg, width: u32) -> Bits {
    match below(random, 4) {
        0 => {
            Bits::new(128, u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())).resize(width)
        }
        1 => Bits::ones(width),
        // The addresses of the packets below.
        2 => Bits::new(128, 0x0a00_0000 + u128::from(below(random, 4))).resize(width),
        _ => Bits::new(width, u128::from(below(random, 12))),
    }
}

fn settings() -> SwitchConfig {
    let ports = SwitchConfig::default().with_ports((0..=12).chain([CPU_PORT]));
    SwitchConfig { capacity: 1_000_000, priorities: 8, ..ports }
}

/// A switch with random entries, groups and sessions; the same ones for the same seed.
fn furnished(program: &Arc<Program>, settings: SwitchConfig, seed: u64) -> Switch {
    let random = &mut Pcg64Mcg::new(u128::from(seed) << 1 | 1);
    let mut switch = start(program, settings);
    let schema = switch.schema().clone();
    let mut control = switch.control();
    for group in 1..=9u16 {
        let replica = |rid| Replica { port: below(random, 13) as Port, rid };
        let replicas = Some((0..group % 4).map(replica).collect());
        control.write(&[Update::SetMulticastGroup { group, replicas }]).unwrap();
    }
    for session in 0..=9 {
        let config = CloneSession {
            port: Some(below(random, 13) as Port),
            group: (session % 3 == 2).then_some(session as u16),
            truncate: (session % 4 == 3).then_some(20),
        };
        control.write(&[Update::SetCloneSession { session, config: Some(config) }]).unwrap();
    }
    let call = |random: &mut Pcg64Mcg, action: &str| {
        let params = schema.action(action).unwrap().params.iter();
        Call {
            action: action.to_owned(),
            args: params.map(|p| (p.name.clone(), number(random, p.width))).collect(),
        }
    };
    for profile in schema.profiles.iter().filter(|profile| !profile.tables.is_empty()) {
        let table = schema.table(&profile.tables[0]).unwrap();
        for member in 0..profile.size.min(6) as u32 {
            let action = &table.actions[below(random, table.actions.len() as u64) as usize].action;
            let action = call(random, action);
            // An action may be for defaults alone, or not for all tables.
            let _ = control.write(&[Update::InsertMember {
                profile: profile.name.clone(),
                member: Some(member),
                action,
            }]);
        }
        let members: Vec<_> = control.profile(&profile.name).unwrap().members.keys().copied().collect();
        for group in 0..if profile.is_selector { 3 } else { 0 } {
            let members = members.iter().skip(group as usize * 2);
            let members = members.map(|member| GroupMember { member: *member, weight: 1 + member }).collect();
            control
                .write(&[Update::InsertGroup { profile: profile.name.clone(), group: Some(group), members }])
                .unwrap();
        }
    }
    for meter in &schema.meters {
        for index in 0..meter.size.min(16) {
            let [committed_rate, committed_burst, above, peak_burst] = [0; 4].map(|_| below(random, 2_000));
            let peak_rate = committed_rate + above;
            let config = MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst };
            control.write_meter(&meter.name, index, Some(config)).unwrap();
        }
    }
    for table in &schema.tables {
        for _ in 0..12 {
            let matches = table.keys.iter().map(|key| {
                let (a, b) = (number(random, key.width), number(random, key.width));
                let accepts = match key.kind {
                    kind if kind != MatchKind::Exact && below(random, 2) == 0 => Match::Any,
                    MatchKind::Lpm => Match::Lpm(a, below(random, u64::from(key.width) + 1) as u32),
                    MatchKind::Ternary => Match::Ternary(a, b),
                    MatchKind::Range if a.compare(&b, false).is_le() => Match::Range(a, b),
                    _ => Match::Exact(a),
                };
                (key.name.clone(), accepts)
            });
            let matches = matches.collect();
            let action = match below(random, 3) {
                0 if table.profile.is_some() => Target::Member(below(random, 6) as u32),
                _ if table.profile.is_some() => Target::Group(below(random, 3) as u32),
                _ => {
                    let action = &table.actions[below(random, table.actions.len() as u64) as usize].action;
                    Target::Action(call(random, action))
                }
            };
            let priority = table.needs_priority.then(|| below(random, 100) as u32);
            let idle_timeout = table.support_timeout.then(|| 1 + below(random, 1_000_000));
            // Constant, full, there already, or for the default only: then the table has one entry less.
            let _ = control.insert(&table.name, Entry { matches, priority, action, idle_timeout });
        }
    }
    switch
}

fn port(random: &mut Pcg64Mcg) -> Port {
    let port = below(random, 14) as Port;
    if port == 13 { CPU_PORT } else { port }
}

fn bytes(random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = vec![0; below(random, 100) as usize];
    match below(random, 4) {
        0 => random.fill_bytes(&mut bytes),
        1 => bytes.iter_mut().for_each(|byte| *byte = below(random, 10) as u8),
        _ => {
            // Ethernet and IPv4 with a few bytes changed.
            let header = [
                2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0, 0x45, 0, 0, 40, 0, 1, 0, 0, 64, 17, 0x66, 0xc2, 10,
                0, 0, 1, 10, 0, 0, 2, 0, 80, 0, 53, 0, 20, 0, 0,
            ];
            let length = bytes.len().min(header.len());
            bytes[..length].copy_from_slice(&header[..length]);
            for _ in 0..below(random, 6) {
                let place = below(random, bytes.len().max(1) as u64) as usize;
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = if below(random, 2) == 0 { below(random, 256) } else { below(random, 10) } as u8;
                }
            }
        }
    }
    bytes
}

#[derive(Debug, Default)]
struct Sum {
    received: u64,
    copied: u64,
    transmitted: u64,
    dropped: u64,
    going_round: u64,
    /// Programs that took the packets backwards, too.
    backwards: u64,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.received += other.received;
        self.copied += other.copied;
        self.transmitted += other.transmitted;
        self.dropped += other.dropped;
        self.going_round += other.going_round;
        self.backwards += other.backwards;
    }
}

/// A switch under fire, and all that is known of what it did.
struct Lane<'a> {
    program: &'a Arc<Program>,
    seed: u64,
    switch: Switch,
    now: Nanos,
    sum: Sum,
}

/// Ports and bytes that came out for a packet; none if it goes round.
type Came = Option<Vec<(Port, Vec<u8>)>>;

impl<'a> Lane<'a> {
    fn new(program: &'a Arc<Program>, seed: u64) -> Self {
        let mut switch = furnished(program, settings(), seed);
        switch.note_drops(true);
        Self { program, seed, switch, now: 0, sum: Sum::default() }
    }

    fn send(&mut self, port: Port, bytes: Vec<u8>, id: u64) -> Came {
        let before = self.switch.stats().clone();
        self.switch.receive(self.now, port, Packet { bytes, id });
        self.now += GAP;
        let mut out = Vec::new();
        self.switch.advance(self.now - 1, &mut out);
        let drops = self.switch.take_drops();
        let stats = self.switch.stats();
        assert!(stats.balanced(), "{stats:?}");
        assert_eq!(stats.transmitted - before.transmitted, out.len() as u64);
        assert_eq!(stats.dropped() - before.dropped(), drops.len() as u64);
        assert!(out.iter().all(|t| t.packet.id == id) && drops.iter().all(|drop| drop.packet == id));
        assert_eq!(stats.in_flight as usize, self.switch.in_flight());
        if stats.in_flight == 0 {
            return Some(out.into_iter().map(|t| (t.port, t.packet.bytes)).collect());
        }
        // What goes round for ever would disturb the packets after it.
        self.add_up();
        let (sum, now) = (std::mem::take(&mut self.sum), 0);
        *self = Self { sum, now, ..Self::new(self.program, self.seed) };
        None
    }

    fn add_up(&mut self) {
        let stats = self.switch.stats();
        self.sum.received += stats.received;
        self.sum.copied += stats.copied;
        self.sum.transmitted += stats.transmitted;
        self.sum.dropped += stats.dropped();
        self.sum.going_round += stats.in_flight;
    }
}

/// Whether what becomes of a packet depends on the packet alone, and not on those before it, on chance or on the time.
fn forgets(program: &Program, text: &str) -> bool {
    let remembers = |kind: &str| matches!(kind, "register" | "meter" | "direct_meter");
    let uses = |word: &str| text.contains(word);
    !program.externs.values().any(|object| remembers(&object.kind))
        && !["random(", "HashAlgorithm.random", "timestamp"].into_iter().any(uses)
}

/// Fires `count` packets at a program, in rounds with entries of their own; where nothing outlives a packet, backwards too.
fn assault(name: &str, text: &str, count: u64, round: u64) -> Sum {
    let program = compile(text, &[]);
    let forgets = forgets(&program, text);
    let mut total = Sum { backwards: u64::from(forgets), ..Sum::default() };
    for seed in 0..count.div_ceil(round) {
        let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
        let packets: Vec<_> =
            (0..round.min(count - seed * round)).map(|id| (port(random), bytes(random), id)).collect();
        let mut forwards = Lane::new(&program, seed);
        let came: BTreeMap<u64, Came> =
            packets.iter().map(|(port, bytes, id)| (*id, forwards.send(*port, bytes.clone(), *id))).collect();
        if forgets {
            let mut backwards = Lane::new(&program, seed);
            for (port, bytes, id) in packets.iter().rev() {
                let other = backwards.send(*port, bytes.clone(), *id);
                assert_eq!(
                    came[id], other,
                    "{name}, entries {seed}, packet {id} on port {port}: {bytes:02x?}"
                );
            }
        }
        forwards.add_up();
        assert_eq!(forwards.sum.received, packets.len() as u64);
        total.add(&forwards.sum);
    }
    assert_eq!(total.received + total.copied, total.transmitted + total.dropped + total.going_round);
    total
}

/// The same number of packets for every program, but for one whose packets take as long as anything is let to take.
fn assault_all(packets: u64, round: u64) -> Sum {
    let mut total = Sum::default();
    let mut silent = Vec::new();
    for (name, text) in programs() {
        let packets = if name.ends_with("parser_loop.p4") { packets.div_ceil(100) } else { packets };
        let sum = assault(&name, &text, packets, round);
        // Some send every packet round more often than there is time for.
        if sum.transmitted + sum.going_round == 0 {
            silent.push(name);
        }
        total.add(&sum);
    }
    // Among few packets there may be none that a router knows the way for.
    assert!(silent.len() <= if packets < 1_000 { 4 } else { 0 }, "nothing came out of {silent:?}");
    assert!(total.backwards > 100, "{total:?}");
    total
}

/// What leaves a switch that takes no time, and how it counts: packets straight through in buffers, and packets the long way.
#[test]
fn straight_through_is_the_long_way() {
    for (name, text) in programs() {
        let program = compile(&text, &[]);
        let (mut straight, mut buffers) = (0, vec![Buffer::new(128)]);
        // The longer programs, and many short ones.
        let (seeds, packets) = match name.as_str() {
            "testdata/stf/undefined/parser_loop.p4" => (1, 2),
            name if name.starts_with("testdata/stf") => (1, 12),
            _ => (30, 40),
        };
        for seed in 0..seeds {
            let settings = SwitchConfig { pass_latency: 0, ..settings() };
            let mut one = furnished(&program, settings.clone(), seed);
            let mut other = furnished(&program, settings, seed);
            let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
            for id in 0..packets {
                let (now, port, bytes) = (id * GAP, port(random), bytes(random));
                let (mut fast, mut slow) = (Vec::new(), Vec::new());
                buffers[0].fill(port, id, &bytes);
                one.forward(now, &mut buffers, &mut fast);
                fast.extend(buffers[0].out.map(|port| Transmission {
                    time: now,
                    port,
                    packet: Packet { bytes: buffers[0].bytes().to_vec(), id },
                }));
                straight += u32::from(buffers[0].out.is_some());
                one.advance(now + GAP - 1, &mut fast);
                other.receive(now, port, Packet { bytes, id });
                other.advance(now + GAP - 1, &mut slow);
                assert_eq!(fast, slow, "{name}, entries {seed}, packet {id} on port {port}");
                assert_eq!(one.stats(), other.stats(), "{name}, entries {seed}, packet {id}");
                if one.in_flight() > 0 {
                    break;
                }
            }
        }
        // This one sends every packet round.
        let goes_round = name == "testdata/switch/delay.p4";
        if seeds > 1 {
            assert_eq!(straight > 0, !goes_round, "{name}: {straight} packets went straight through");
        }
    }
}

#[test]
fn some_packets_over_every_program() {
    assert!(assault_all(100, 50).received > 15_000);
}

#[test]
#[ignore = "minutes, even in a release build"]
#[expect(clippy::print_stdout, reason = "whoever runs it wants to see the figures")]
fn ten_million_packets_over_every_program() {
    let programs = programs().len() as u64;
    println!("{programs} programs: {:?}", assault_all(10_000_000_u64.div_ceil(programs - 1), 5_000));
}
