//! Random bytes as packets over all our programs: no panic, nothing leaks from one packet into
//! another, every packet is accounted for.
//!
//! The share that runs with the other tests is small; ten million: `cargo test --release -p
//! weir-switch --test any_bytes -- --ignored --nocapture`.

#![expect(clippy::disallowed_methods, reason = "tests read their programs")]

mod bench;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_control::ByName;

use bench::words::{CALLS, Worded};
use bench::{Bench, compile, executor};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_control::by_name::{
    Call, CloneSession, Entry, GroupMember, Match, MatchKind, MeterConfig, Replica, Target, Update,
};
use weir_device::{Buffer, Device, Nanos, Packet, Port, ReceiveOutcome, Transmission};
use weir_exec::Executor;
use weir_ir::{Bits, Program, ValidProgram};
use weir_switch::config::Rate;
use weir_switch::{Switch, SwitchConfig};

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

/// Time between packets. With one pass a microsecond a packet that goes round for ever is given up
/// after so many passes.
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
fn configured_switch(executor: Arc<dyn Executor>, settings: SwitchConfig, seed: u64) -> Switch {
    let random = &mut Pcg64Mcg::new(u128::from(seed) << 1 | 1);
    let mut switch = Switch::new(executor, settings).unwrap();
    let schema = switch.schema().clone();
    let mut control = switch.by_name();
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
        let params = schema.actions.iter().find(|known| known.name == action).unwrap().params.iter();
        Call {
            action: action.to_owned(),
            args: params.map(|p| (p.name.clone(), number(random, p.width))).collect(),
        }
    };
    for profile in schema.profiles.iter().filter(|profile| !profile.tables.is_empty()) {
        let table = &schema.tables[profile.tables[0].index()];
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
            let config = MeterConfig::per_second(committed_rate, committed_burst, peak_rate, peak_burst);
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
            // Constant, full, there already, or for the default only: then the table has one entry
            // less.
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

/// A switch that gets random packets, and a summary of what it did.
struct Subject<'a> {
    program: &'a ValidProgram,
    seed: u64,
    switch: Switch,
    now: Nanos,
    sum: Sum,
}

/// Ports and bytes that outputs out for a packet; none if it goes round.
type Outputs = Option<Vec<(Port, Vec<u8>)>>;

impl<'a> Subject<'a> {
    fn new(program: &'a ValidProgram, seed: u64) -> Self {
        let mut switch = configured_switch(executor(program.clone()), settings(), seed);
        switch.record_drops(true);
        Self { program, seed, switch, now: 0, sum: Sum::default() }
    }

    fn send(&mut self, port: Port, bytes: Vec<u8>, id: u64) -> Outputs {
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

/// Whether what becomes of a packet depends on the packet alone, and not on those before it, on
/// chance or on the time.
fn forgets(program: &Program, text: &str) -> bool {
    let remembers = |kind: &str| matches!(kind, "register" | "meter" | "direct_meter");
    let uses = |word: &str| text.contains(word);
    !program.externs.values().any(|object| remembers(&object.kind))
        && !["random(", "HashAlgorithm.random", "timestamp"].into_iter().any(uses)
}

/// Fires `count` packets at a program, in rounds with entries of their own; where nothing outlives
/// a packet, backwards too.
fn assault(name: &str, text: &str, count: u64, round: u64) -> Sum {
    let program = compile(text, &[]);
    let forgets = forgets(&program, text);
    let mut total = Sum { backwards: u64::from(forgets), ..Sum::default() };
    for seed in 0..count.div_ceil(round) {
        let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
        let packets: Vec<_> =
            (0..round.min(count - seed * round)).map(|id| (port(random), bytes(random), id)).collect();
        let mut forwards = Subject::new(&program, seed);
        let outputs: BTreeMap<u64, Outputs> =
            packets.iter().map(|(port, bytes, id)| (*id, forwards.send(*port, bytes.clone(), *id))).collect();
        if forgets {
            let mut backwards = Subject::new(&program, seed);
            for (port, bytes, id) in packets.iter().rev() {
                let other = backwards.send(*port, bytes.clone(), *id);
                assert_eq!(
                    outputs[id], other,
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

/// The same number of packets for every program, but for one whose packets take as long as anything
/// is let to take.
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
    assert!(silent.len() <= if packets < 1_000 { 4 } else { 0 }, "nothing outputs out of {silent:?}");
    assert!(total.backwards > 100, "{total:?}");
    total
}

/// The packets that leave a switch whose passes take no time, and its counts: on the fast path in
/// buffers, and on the slow path.
#[test]
fn the_fast_path_is_the_slow_path() {
    for (name, text) in programs() {
        let executor = executor(compile(&text, &[]));
        let taken = two_ways(&name, &executor, &executor, 1);
        // This one sends every packet round.
        let goes_round = name == "testdata/switch/delay.p4";
        if !name.starts_with("testdata/stf") {
            assert_eq!(taken > 0, !goes_round, "{name}: {taken} packets took the fast path");
        }
    }
}

/// The same where tables and externs are asked by words.
#[test]
fn calls_by_words_are_calls_by_value() {
    for (name, text) in programs() {
        let program = compile(&text, &[]);
        let words: Arc<dyn Executor> = Arc::new(Worded::new(program.clone()));
        two_ways(&name, &words, &executor(program), 1);
    }
    let (by_words, others) = CALLS.get();
    assert!(by_words > 20 * others && others > 0, "{by_words} calls by words, {others} others");
}

/// What becomes of packets in a batch, and of the same packets each in a batch of its own.
#[test]
fn together_is_one_by_one() {
    for (name, text) in programs() {
        // What goes round takes its turn between the packets, as many as there are in its batch.
        if !text.contains("recirculate") && !text.contains("resubmit") {
            let words: Arc<dyn Executor> = Arc::new(Worded::new(compile(&text, &[])));
            two_ways(&name, &words, &words, 8);
        }
    }
}

/// The packets that leave a switch whose passes take time, and when: on the fast path where
/// possible, and on the slow path.
#[test]
fn the_fast_path_in_time_is_the_slow_path() {
    let mut all = 0;
    for (name, text) in programs() {
        let program = compile(&text, &[]);
        let words: Arc<dyn Executor> = Arc::new(Worded::new(program.clone()));
        let executor = executor(program);
        let taken: u32 = [(0, &executor), (1_000, &words), (340_000, &executor)]
            .map(|(l, e)| in_time(&name, e, l))
            .iter()
            .sum();
        // Egress of these asks tables or externs, or nobody comes through ingress in one pass.
        all += u32::from(taken > 0);
    }
    assert!(all > 80, "packets took the fast path in {all} programs");
}

/// Sends packets to one switch in place and to another by value, with a few in flight at once;
/// returns how many took the fast path.
fn in_time(name: &str, executor: &Arc<dyn Executor>, latency: Nanos) -> u32 {
    let mut taken = 0;
    let packets = if name == "testdata/stf/undefined/parser_loop.p4" { 3 } else { 24 };
    let slow = Some(Rate::PacketsPerSecond(700_000));
    for (seed, capacity, queue_rate) in
        [(0, 1_000_000, None), (1, 1_000_000_000, None), (2, 1_000_000_000, slow)]
    {
        let settings = SwitchConfig { pass_latency: latency, capacity, queue_rate, ..settings() };
        let [mut one, mut other] =
            [0; 2].map(|_| configured_switch(Arc::clone(executor), settings.clone(), seed));
        let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
        let (mut now, mut fast, mut slow) = (0, Vec::new(), Vec::new());
        let mut buffer = Buffer::new(128);
        for id in 0..packets {
            now += match below(random, 4) {
                0 => 0,
                1 => 1 + below(random, 1_500),
                // Just when something else is due.
                2 => latency,
                _ => 1 + below(random, latency + 1_000),
            };
            let (port, bytes) = (port(random), bytes(random));
            buffer.fill(port, id, &bytes);
            until(&mut one, now, &mut fast);
            until(&mut other, now, &mut slow);
            match one.receive_in_place(now, port, &mut buffer) {
                ReceiveOutcome::Forwarded { time, port } => {
                    taken += 1;
                    let packet = Packet { bytes: buffer.bytes().to_vec(), id: buffer.id };
                    fast.push(Transmission { time, port, packet });
                }
                ReceiveOutcome::Dropped | ReceiveOutcome::Held => {}
            }
            other.receive(now, port, Packet { bytes, id });
        }
        // Those that go round for ever are left alone.
        let end = now + 10 * latency + 2 * GAP;
        until(&mut one, end, &mut fast);
        until(&mut other, end, &mut slow);
        let order = |sent: &Transmission| (sent.time, sent.packet.id, sent.port, sent.packet.bytes.clone());
        fast.sort_by_key(order);
        slow.sort_by_key(order);
        assert_eq!(fast, slow, "{name}, entries {seed}, {latency} ns a pass");
        assert_eq!(one.stats(), other.stats(), "{name}, entries {seed}, {latency} ns a pass");
        assert!(one.stats().balanced());
        assert_eq!(memory(&mut one), memory(&mut other), "{name}, entries {seed}, {latency} ns a pass");
    }
    taken
}

/// Calls a switch whenever it wants to be called before `end`.
fn until(switch: &mut Switch, end: Nanos, out: &mut Vec<Transmission>) {
    while let Some(time) = switch.next_deadline().filter(|time| *time < end) {
        switch.advance(time, out);
    }
}

/// Sends packets to one switch in batches, and one by one to another, which takes the slow path if
/// batches have one packet; returns how many took the fast path.
fn two_ways(name: &str, one: &Arc<dyn Executor>, other: &Arc<dyn Executor>, batch: usize) -> u32 {
    let (mut taken, mut buffers) = (0, vec![Buffer::new(128); batch]);
    // The longer programs, and many short ones.
    let (seeds, rounds) = match name {
        "testdata/stf/undefined/parser_loop.p4" => (1, 2),
        name if name.starts_with("testdata/stf") => (1, 12),
        _ => (30, 40 / batch as u64),
    };
    for seed in 0..seeds {
        let settings = SwitchConfig { pass_latency: 0, ..settings() };
        let mut one = configured_switch(Arc::clone(one), settings.clone(), seed);
        let mut other = configured_switch(Arc::clone(other), settings, seed);
        let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
        for round in 0..rounds {
            let now = round * GAP;
            let (mut fast, mut slow) = (Vec::new(), Vec::new());
            for (id, buffer) in buffers.iter_mut().enumerate() {
                let (port, bytes, id) = (port(random), bytes(random), id as u64);
                buffer.fill(port, id, &bytes);
                if batch > 1 {
                    let mut alone = [buffer.clone()];
                    other.forward(now, &mut alone, &mut slow);
                    left(&alone, now, &mut slow);
                } else {
                    other.receive(now, port, Packet { bytes, id });
                    other.advance(now, &mut slow);
                }
            }
            one.forward(now, &mut buffers, &mut fast);
            taken += left(&buffers, now, &mut fast);
            one.advance(now + GAP - 1, &mut fast);
            other.advance(now + GAP - 1, &mut slow);
            // A packet's own are in order, whatever lies between them.
            fast.sort_by_key(|sent| sent.packet.id);
            slow.sort_by_key(|sent| sent.packet.id);
            assert_eq!(fast, slow, "{name}, entries {seed}, round {round}");
            assert_eq!(one.stats(), other.stats(), "{name}, entries {seed}, round {round}");
            if one.in_flight() > 0 {
                break;
            }
        }
        assert_eq!(memory(&mut one), memory(&mut other), "{name}, entries {seed}");
    }
    taken
}

/// Notes what left in its buffer, and how many did.
fn left(buffers: &[Buffer], now: Nanos, sent: &mut Vec<Transmission>) -> u32 {
    let before = sent.len();
    sent.extend(buffers.iter().filter_map(|buffer| {
        let packet = Packet { bytes: buffer.bytes().to_vec(), id: buffer.id };
        Some(Transmission { time: now, port: buffer.egress_port?, packet })
    }));
    (sent.len() - before) as u32
}

/// What packets leave behind: registers, counters, digests, log lines, and how often entries were
/// met.
fn memory(switch: &mut Switch) -> Vec<String> {
    let schema = switch.schema().clone();
    let mut control = switch.by_name();
    let mut all = Vec::new();
    for register in &schema.registers {
        let cells = (0..register.size.min(16)).map(|index| control.register(&register.name, index));
        all.push(format!("{} {:?}", register.name, cells.collect::<Vec<_>>()));
    }
    for counter in &schema.counters {
        let cells = (0..counter.size.min(16)).map(|index| control.counter(&counter.name, index));
        all.push(format!("{} {:?}", counter.name, cells.collect::<Vec<_>>()));
    }
    for table in &schema.tables {
        all.push(format!("{} {:?}", table.name, control.entries(&table.name)));
    }
    all.push(format!("{:?} {:?}", control.take_digests(), control.take_log()));
    all
}

/// A program of random calls, of any widths, whose results go into registers.
fn random_calls(random: &mut Pcg64Mcg) -> ValidProgram {
    const ALGORITHMS: [&str; 8] =
        ["crc32", "crc32_custom", "crc16", "crc16_custom", "random", "identity", "csum16", "xor16"];
    const WIDTHS: [u32; 12] = [1, 7, 8, 16, 32, 48, 63, 64, 65, 128, 129, 300];
    let width = |random: &mut Pcg64Mcg| WIDTHS[below(random, WIDTHS.len() as u64) as usize];
    let value = |random: &mut Pcg64Mcg, width| match below(random, 3) {
        0 => format!("{width}w{}", number(random, width)),
        // Among few cells, or a power of two.
        1 => format!("{width}w{}", Bits::new(width, 1 << below(random, 7))),
        _ => format!("{width}w{}", Bits::new(width, u128::from(below(random, 5)))),
    };
    let data = |random: &mut Pcg64Mcg| {
        let leaf = |random: &mut Pcg64Mcg| match below(random, 5) {
            0 => "hdr.tag.count".to_owned(),
            1 => "header hdr.tag".to_owned(),
            2 => "header hdr.none".to_owned(),
            _ => {
                let width = width(random);
                value(random, width)
            }
        };
        let leaves: Vec<_> = (0..1 + below(random, 3)).map(|_| leaf(random)).collect();
        leaves.join(", ")
    };
    let (mut items, mut ingress) = (String::new(), String::from("sm.egress_spec = 9w1;\n"));
    for call in 0..12 {
        let (wide, index_width) = (width(random), width(random));
        let index = value(random, index_width);
        items += &format!(
            "var r.{call}: bit<{wide}>
             var s.{call}: bit<{wide}>
             var alg.{call}: HashAlgorithm
             extern ingress.out{call}: register<bit<{wide}>>(32w4)
             extern ingress.both{call}: register<bit<{wide}>>(32w4)
             extern ingress.counts{call}: counter(32w4, CounterType::packets_and_bytes)
             extern ingress.pace{call}: meter(32w4, MeterType::bytes)
             extern ingress.sum{call}: Checksum16()\n"
        );
        let constant = format!("HashAlgorithm::{}", ALGORITHMS[below(random, 8) as usize]);
        let algorithm = if below(random, 2) == 0 {
            constant
        } else {
            ingress += &format!("alg.{call} = {constant};\n");
            format!("alg.{call}")
        };
        let condition = ["true", "false", "hdr.tag.$valid$"][below(random, 3) as usize];
        let payload = ["", "_with_payload"][below(random, 2) as usize];
        let (one, other) = (data(random), data(random));
        ingress += &match below(random, 10) {
            0..=2 => {
                let (base, max) = (width(random), width(random));
                let (base, max) = (value(random, base), value(random, max));
                format!(
                    "extern hash(out result = &[r.{call}], in algo = {algorithm}, in base = {base},
                       in data = {{ {one} }}, in max = {max});"
                )
            }
            3 => format!(
                "extern random(out result = &[r.{call}], in lo = {}, in hi = {});",
                value(random, wide),
                value(random, wide)
            ),
            4 => format!("extern counter.count on ingress.counts{call}(in index = {index});"),
            5 => format!(
                "r.{call} = {};
                 extern meter.execute_meter on ingress.pace{call}(in index = {index}, out result = &[r.{call}]);",
                value(random, wide)
            ),
            6 => format!("extern tmp16 = Checksum16.get on ingress.sum{call}(in data = {{ {one} }}); r.{call} = bit<{wide}>(tmp16);"),
            7 => format!(
                "extern update_checksum{payload}(in condition = {condition}, in data = {{ {one} }},
                   inout checksum = &[r.{call}], in algo = {algorithm});
                 extern update_checksum{payload}(in condition = {condition}, in data = {{ {other} }},
                   inout checksum = &[hdr.tag.check], in algo = {algorithm});
                 extern verify_checksum{payload}(in condition = {condition}, in data = {{ {one} }},
                   in checksum = hdr.tag.seen, in algo = {algorithm});"
            ),
            8 => format!(
                "extern digest(in receiver = {index}, in data = {{ {one} }});
                 extern log_msg(in msg = \"{{}} {{}} {{}}\", in data = {{ {other} }});"
            ),
            // A cell of several fields, one of them the validity of a header.
            _ => format!(
                "extern register.write on ingress.both{call}(in index = {index}, in value = {{ header hdr.tag, {} }});
                 extern register.read on ingress.out{call}(out result = &[s.{call}], in index = {index});
                 r.{call} = s.{call} + {};",
                value(random, wide),
                value(random, wide)
            ),
        };
        ingress += &format!(
            "\nextern register.write on ingress.out{call}(in index = {index}, in value = r.{call});
             extern register.write on ingress.out{call}(in index = 32w3, in value = r.{call});\n"
        );
    }
    items += "header hdr.none: tag_t";
    let bench = Bench { items: items.leak(), ingress: ingress.leak(), ..Bench::default() };
    bench.program()
}

/// Random calls of any widths, by words and by value.
#[test]
fn any_widths_by_words() {
    CALLS.set((0, 0));
    for seed in 0..60 {
        let program = random_calls(&mut Pcg64Mcg::new(seed << 1 | 1));
        let words: Arc<dyn Executor> = Arc::new(Worded::new(program.clone()));
        two_ways("testdata/stf, but random", &words, &executor(program), 1);
    }
    let (by_words, others) = CALLS.get();
    assert!(by_words > 5_000 && others > 0, "{by_words} calls by words, {others} others");
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
