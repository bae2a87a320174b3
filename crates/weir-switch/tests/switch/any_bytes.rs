//! Sends random bytes as packets through all programs of the repository, and checks that no code
//! panics, that no state leaks from one packet to another, and that every packet is accounted for.
//!
//! Only few packets are sent together with the other tests. To send ten million packets, run `cargo
//! test --release --workspace --test switch any_bytes -- --ignored --nocapture`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::random_traffic::configured::{configured_switch, settings};
use crate::random_traffic::programs::{TestProgram, programs};
use crate::random_traffic::{GAP, bytes, port};
use rand_pcg::Pcg64Mcg;
use weir_device::{Device, Nanos, Packet, Port};
use weir_ir::Program;
use weir_switch::Switch;

#[derive(Debug, Default)]
struct Sum {
    received: u64,
    copied: u64,
    transmitted: u64,
    dropped: u64,
    going_round: u64,
    /// The number of programs that also took the packets in reverse order.
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

/// A switch that receives random packets, and a summary of their outcomes.
struct Subject<'a> {
    program: &'a TestProgram,
    seed: u64,
    switch: Switch,
    now: Nanos,
    sum: Sum,
}

/// The ports and bytes of the packets that leave for one packet; `None` if the packet recirculates.
type Outputs = Option<Vec<(Port, Vec<u8>)>>;

impl<'a> Subject<'a> {
    fn new(program: &'a TestProgram, seed: u64) -> Self {
        let mut switch = configured_switch(Arc::clone(program.executor()), settings(), seed);
        switch.record_drops(true);
        Self { program, seed, switch, now: 0, sum: Sum::default() }
    }

    fn send(&mut self, port: Port, bytes: Vec<u8>, id: u64) -> Outputs {
        let before = self.switch.stats().clone();
        self.switch.receive(self.now, port, Packet::new(id, bytes));
        self.now += GAP;
        let mut transmissions = Vec::new();
        self.switch.advance(self.now - 1, &mut transmissions);
        let drops = self.switch.take_drops();
        let stats = self.switch.stats();
        assert!(stats.is_balanced(), "{stats:?}");
        assert_eq!(stats.transmitted - before.transmitted, transmissions.len() as u64);
        assert_eq!(stats.dropped() - before.dropped(), drops.len() as u64);
        assert!(
            transmissions.iter().all(|t| t.packet.id == id) && drops.iter().all(|drop| drop.packet == id)
        );
        assert_eq!(stats.in_flight as usize, self.switch.in_flight());
        if stats.in_flight == 0 {
            return Some(transmissions.into_iter().map(|t| (t.port, t.packet.bytes)).collect());
        }
        // A packet that recirculates forever would disturb the packets after it.
        self.check_sums();
        let (sum, now) = (std::mem::take(&mut self.sum), 0);
        *self = Self { sum, now, ..Self::new(self.program, self.seed) };
        None
    }

    fn check_sums(&mut self) {
        let stats = self.switch.stats();
        self.sum.received += stats.received;
        self.sum.copied += stats.copied;
        self.sum.transmitted += stats.transmitted;
        self.sum.dropped += stats.dropped();
        self.sum.going_round += stats.in_flight;
    }
}

/// Returns whether the result of a packet depends on the packet alone, and not on earlier packets,
/// random numbers or the time.
fn is_stateless(program: &Program, text: &str) -> bool {
    let remembers = |kind: &str| {
        ["register", "directregister", "meter", "direct_meter", "directmeter", "random"]
            .contains(&&*kind.to_lowercase())
    };
    let uses = |word: &str| text.contains(word);
    !program.externs.values().any(|object| remembers(&object.kind))
        && !["random(", "HashAlgorithm.random", "timestamp", "BPF_KTIME_GET_NS", "add_entry"]
            .into_iter()
            .any(uses)
}

/// Sends `count` packets to a program, in rounds with different entries. If no state outlives a
/// packet, also sends them in reverse order.
fn send_random_packets(program: &TestProgram, count: u64, round: u64) -> Sum {
    let name = &program.name;
    let is_stateless = is_stateless(program.program(), &program.text);
    let mut total = Sum { backwards: u64::from(is_stateless), ..Sum::default() };
    for seed in 0..count.div_ceil(round) {
        let random = &mut Pcg64Mcg::new(u128::from(seed) << 8 | 1);
        let packets: Vec<_> =
            (0..round.min(count - seed * round)).map(|id| (port(random), bytes(random), id)).collect();
        let mut forwards = Subject::new(program, seed);
        let outputs: BTreeMap<u64, Outputs> =
            packets.iter().map(|(port, bytes, id)| (*id, forwards.send(*port, bytes.clone(), *id))).collect();
        if is_stateless {
            let mut backwards = Subject::new(program, seed);
            for (port, bytes, id) in packets.iter().rev() {
                let other = backwards.send(*port, bytes.clone(), *id);
                assert_eq!(
                    outputs[id], other,
                    "{name}, entries {seed}, packet {id} on port {port}: {bytes:02x?}"
                );
            }
        }
        forwards.check_sums();
        assert_eq!(forwards.sum.received, packets.len() as u64);
        total.add(&forwards.sum);
    }
    assert_eq!(total.received + total.copied, total.transmitted + total.dropped + total.going_round);
    total
}

/// Sends the same number of packets to every program, except to one whose packets take the longest
/// allowed time.
fn send_random_packets_to_all(packets: u64, round: u64) -> Sum {
    let mut total = Sum::default();
    let mut silent = Vec::new();
    for program in programs() {
        let name = &program.name;
        let packets = if name.ends_with("parser_loop.p4") { packets.div_ceil(100) } else { packets };
        let sum = send_random_packets(program, packets, round);
        // Some programs recirculate every packet more often than the time allows.
        if sum.transmitted + sum.going_round == 0 {
            silent.push(name);
        }
        total.add(&sum);
    }
    // With few packets, there may be no packet for which a router has a route.
    assert!(silent.len() <= if packets < 1_000 { 8 } else { 0 }, "nothing outputs out of {silent:?}");
    assert!(total.backwards > 100, "{total:?}");
    total
}

#[test]
fn some_packets_over_every_program() {
    assert!(send_random_packets_to_all(100, 50).received > 15_000);
}

#[test]
#[ignore = "minutes, even in a release build"]
#[expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]
fn ten_million_packets_over_every_program() {
    let programs = programs().len() as u64;
    println!(
        "{programs} programs: {:?}",
        send_random_packets_to_all(10_000_000_u64.div_ceil(programs - 1), 5_000)
    );
}
