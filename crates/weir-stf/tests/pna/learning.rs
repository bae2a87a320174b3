//! Entries that packets add, and when they expire.

use weir_device::{Buffer, Device, Nanos, Packet};
use weir_ir::TableId;
use weir_switch::control::{Entry, EntryRef, Match, Target, Update};
use weir_switch::{Switch, SwitchConfig};

use crate::{Random, SECOND, executors, text};

/// A switch that learns flows.
struct Learner {
    switch: Switch,
    sent: u64,
}

impl Learner {
    fn new(program: &str, config: SwitchConfig) -> Self {
        let [_, native] = executors(program);
        let switch = Switch::new(native, config.with_ports([1, 2, 300])).expect("the program loads");
        Self { switch, sent: 0 }
    }

    /// Sends a packet with these numbers at this time, and returns the byte in which the program
    /// reports what it found.
    fn send(&mut self, now: Nanos, what: u8, source: u8, destination: u8) -> u8 {
        self.answer(now, what, source, destination)[9]
    }

    /// Sends a packet like [`Learner::send`], and returns the packet that leaves.
    fn answer(&mut self, now: Nanos, what: u8, source: u8, destination: u8) -> Vec<u8> {
        let mut transmissions = Vec::new();
        // Time-outs come before packets of the same time.
        self.switch.advance(now, &mut transmissions);
        let bytes = flow(what, source, destination);
        self.switch.receive(now, 1, Packet::new(self.sent, bytes));
        self.sent += 1;
        self.switch.advance(now + 2000, &mut transmissions);
        transmissions[0].packet.bytes.to_vec()
    }

    fn entries(&mut self, table: &str) -> usize {
        let table = table_id(&self.switch, table);
        self.switch.control().entries(table).unwrap().len()
    }
}

fn table_id(switch: &Switch, name: &str) -> TableId {
    let entry = switch.program().tables.iter().find(|(_, table)| table.name == name);
    entry.expect("the table exists").0
}

fn flow(what: u8, source: u8, destination: u8) -> Vec<u8> {
    vec![what, 0, 0, 0, source, 0, 0, 0, destination, 0, 0, 0, 0, 0]
}

/// The flow was new, and its entry was added.
const ADDED: u8 = 0xaa;
/// The flow was new, and there was no room.
const REFUSED: u8 = 0xff;
/// The flow was known.
const KNOWN: u8 = 0x55;

#[test]
fn flows_of_a_new_program_have_other_numbers() {
    let program = text("pna/learning.p4");
    let mut learner = Learner::new(&program, SwitchConfig::default());
    assert_eq!(learner.answer(0, 0, 1, 2)[10..], [0, 0, 0, 1]);
    assert_eq!(learner.answer(SECOND, 0, 3, 4)[10..], [0, 0, 0, 2]);
    Learner::new(&program, SwitchConfig::default()).switch.take_place_of(&mut learner.switch, 2 * SECOND);
    assert_eq!(learner.answer(3 * SECOND, 0, 5, 6)[10..], [0, 0, 0, 3]);
}

#[test]
fn added_entries_expire_after_their_last_hit() {
    let mut learner = Learner::new(&text("pna/learning.p4"), SwitchConfig::default());
    assert_eq!(learner.send(0, 0, 1, 2), ADDED);
    assert_eq!(learner.entries("Learn.flows"), 1);
    // Profile 0 is 10 s, and each hit starts the time-out again.
    assert_eq!(learner.send(9 * SECOND, 0, 1, 2), KNOWN);
    assert_eq!(learner.send(19 * SECOND - 1, 0, 1, 2), KNOWN);
    let deadline = learner.switch.next_deadline();
    assert!(deadline.is_some_and(|time| time <= 29 * SECOND), "{deadline:?}");
    assert_eq!(learner.send(29 * SECOND, 0, 1, 2), ADDED);
    assert_eq!(learner.entries("Learn.flows"), 1);
    // Profile 1 is 30 s.
    // Such a packet also adds its source, twice: the second call adds nothing.
    assert_eq!(learner.send(30 * SECOND, 5, 3, 4), ADDED + 2);
    learner.switch.advance(59 * SECOND, &mut Vec::new());
    assert_eq!(learner.entries("Learn.flows"), 1, "the other flow has expired");
    learner.switch.advance(61 * SECOND, &mut Vec::new());
    assert_eq!(learner.entries("Learn.flows"), 0);
    assert_eq!(learner.switch.control().take_idle_notices(), []);
}

#[test]
fn calls_restart_and_replace_time_outs() {
    let mut learner = Learner::new(&text("pna/learning.p4"), SwitchConfig::default());
    // Command 6 only looks up. A hit alone does not restart the time-out of 10 s.
    learner.send(0, 6, 1, 2);
    learner.send(5 * SECOND, 6, 1, 2);
    learner.switch.advance(10 * SECOND - 1, &mut Vec::new());
    assert_eq!(learner.entries("Learn.sources"), 1);
    learner.switch.advance(11 * SECOND, &mut Vec::new());
    assert_eq!(learner.entries("Learn.sources"), 0);
    // Command 2 restarts it, command 3 sets the profile of 30 s, command 4 one without a time.
    learner.send(20 * SECOND, 6, 1, 2);
    learner.send(29 * SECOND, 2, 1, 2);
    learner.switch.advance(38 * SECOND, &mut Vec::new());
    assert_eq!(learner.entries("Learn.sources"), 1);
    learner.send(38 * SECOND, 3, 1, 2);
    learner.switch.advance(67 * SECOND, &mut Vec::new());
    assert_eq!(learner.entries("Learn.sources"), 1);
    learner.send(67 * SECOND, 4, 1, 2);
    learner.switch.advance(100_000 * SECOND, &mut Vec::new());
    assert_eq!((learner.entries("Learn.sources"), learner.entries("Learn.flows")), (1, 0));
}

#[test]
fn times_of_profiles_are_settings() {
    let config = SwitchConfig { expire_times: vec![SECOND / 1000], ..SwitchConfig::default() };
    let mut learner = Learner::new(&text("pna/learning.p4"), config);
    assert_eq!(learner.send(0, 0, 1, 2), ADDED);
    assert_eq!(learner.send(SECOND / 2000, 0, 1, 2), KNOWN);
    assert_eq!(learner.send(SECOND, 0, 1, 2), ADDED);
}

#[test]
fn the_control_plane_sees_changes_and_deletes_added_entries() {
    let mut learner = Learner::new(&text("pna/learning.p4"), SwitchConfig::default());
    assert_eq!(learner.send(0, 0, 1, 2), ADDED);
    let table = table_id(&learner.switch, "Learn.flows");
    let entry = learner.switch.control().entries(table).unwrap().remove(0);
    let values = |entry: &Entry| {
        let exact = |one: &Match| match one {
            Match::Exact(value) => value.low_u64(),
            other => panic!("{other:?}"),
        };
        let args = match &entry.action {
            Target::Action(call) => call.args.iter().map(|arg| arg.low_u64()).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        (entry.matches.iter().map(exact).collect::<Vec<_>>(), args)
    };
    assert_eq!(values(&entry.entry), (vec![1, 2], vec![1, 0x55]));
    assert_eq!((entry.entry.idle_timeout, entry.is_const), (Some(10 * SECOND), false));
    assert_eq!(learner.send(SECOND, 0, 1, 2), KNOWN);
    let again = learner.switch.control().entries(table).unwrap().remove(0);
    assert_eq!(again.hits.map(|hits| hits.packets), Some(1), "the counter of the entry starts with 0");
    // The default's cell counts the packets that missed.
    let key = EntryRef::Handle(entry.handle);
    learner.switch.control().change(&Update::Delete { table, entry: key }).unwrap();
    assert_eq!(learner.send(2 * SECOND, 0, 1, 2), ADDED);
    // An entry of the control plane takes room, and has no time-out unless it gets one.
    let own = Entry { idle_timeout: None, ..entry.entry };
    let duplicate = learner.switch.control().change(&Update::Insert { table, entry: own.clone() });
    assert!(duplicate.is_err(), "the packet's entry has this key");
    learner.switch.control().change(&Update::Clear { table }).unwrap();
    learner.switch.control().change(&Update::Insert { table, entry: own }).unwrap();
    learner.switch.advance(1000 * SECOND, &mut Vec::new());
    assert_eq!(learner.entries("Learn.flows"), 1);
}

#[test]
fn tables_without_a_size_hold_1024_added_entries() {
    let without_size = text("pna/learning.p4").replace("        size = 4;\n", "");
    let mut learner = Learner::new(&without_size, SwitchConfig::default());
    let answers: Vec<u8> = (0..1100u32)
        .map(|number| learner.send(u64::from(number) * 10_000, 0, number as u8, (number >> 8) as u8))
        .collect();
    assert_eq!(answers.iter().filter(|answer| **answer == ADDED).count(), 1024);
    assert!(answers[1024..].iter().all(|answer| *answer == REFUSED));
    assert_eq!(learner.entries("Learn.flows"), 1024);
}

/// Two workers hand all packets of this program to the owner of the switch, so the switch adds each
/// flow once, and all later packets of the flow find it.
#[test]
fn workers_add_each_flow_once() {
    let without_size = text("pna/learning.p4").replace("        size = 4;\n", "");
    let [_, native] = executors(&without_size);
    let config = SwitchConfig { pass_latency: 0, capacity: u64::MAX, ..SwitchConfig::default() }
        .with_ports([1, 2, 300]);
    let mut switch = Switch::new(native, config).expect("the program loads");
    let mut workers = [switch.worker(), switch.worker()];
    let (mut random, mut found) = (Random(7), Vec::new());
    for round in 0..40u64 {
        let mut left = std::thread::scope(|scope| {
            let seeds = [random.below(1 << 40), random.below(1 << 40)];
            let running = workers.each_mut();
            let handles: Vec<_> = running
                .into_iter()
                .zip(seeds)
                .map(|(worker, seed)| {
                    scope.spawn(move || {
                        let (mut random, mut left) = (Random(seed + 1), Vec::new());
                        for id in 0..25 {
                            let mut buffer = Buffer::new(64);
                            buffer.receive(1, id, &flow(0, 1, random.below(50) as u8));
                            worker.forward(
                                round,
                                std::slice::from_mut(&mut buffer),
                                &mut Vec::new(),
                                &mut left,
                            );
                        }
                        left
                    })
                })
                .collect();
            handles.into_iter().flat_map(|handle| handle.join().expect("no thread fails")).collect::<Vec<_>>()
        });
        let mut transmissions = Vec::new();
        switch.take_over(round, &mut left, &mut transmissions);
        found.extend(transmissions.into_iter().map(|sent| (sent.packet.bytes[8], sent.packet.bytes[9])));
    }
    assert_eq!(found.len(), 40 * 50);
    for destination in 0..50 {
        let of_flow: Vec<u8> =
            found.iter().filter(|(to, _)| *to == destination).map(|(_, found)| *found).collect();
        assert_eq!(of_flow[0], ADDED, "flow {destination}");
        assert!(of_flow[1..].iter().all(|found| *found == KNOWN), "flow {destination}: {of_flow:?}");
    }
    let table = table_id(&switch, "Learn.flows");
    assert_eq!(switch.control().entries(table).unwrap().len(), 50);
    assert!(switch.stats().is_balanced());
}

#[test]
fn idle_entries_of_other_tables_send_notices() {
    let notifying = text("pna/learning.p4").replace("AUTO_DELETE", "NOTIFY_CONTROL");
    let mut learner = Learner::new(&notifying, SwitchConfig::default());
    learner.send(0, 0, 1, 2);
    learner.switch.advance(11 * SECOND, &mut Vec::new());
    assert_eq!(learner.switch.control().take_idle_notices().len(), 1);
    assert_eq!(learner.entries("Learn.flows"), 1);
    let without = text("pna/learning.p4").replacen(
        "        pna_idle_timeout = PNA_IdleTimeout_t.AUTO_DELETE;\n",
        "",
        1,
    );
    let mut learner = Learner::new(&without, SwitchConfig::default());
    learner.send(0, 0, 1, 2);
    learner.switch.advance(1_000_000 * SECOND, &mut Vec::new());
    assert_eq!(learner.entries("Learn.flows"), 1, "entries of this table have no time-outs");
}
