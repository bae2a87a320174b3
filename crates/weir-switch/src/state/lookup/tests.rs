//! Tests that lookups by words and lookups by values find the same entries, with
//! `testdata/switch/lookups.p4`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use proptest::prelude::*;
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_ir::{Program, ValidProgram};
use weir_syntax::preprocess::MemoryLoader;

use super::*;
use crate::SwitchConfig;
use crate::arch;
use crate::control::{
    ActionSet, Call, Control, Entry, EntryRef, GroupMember, Match, MatchKind, MeterConfig, Schema, Scratch,
    Target, Update, WeightedCall,
};
use crate::state::ControlState;
use crate::traffic_manager::TrafficManager;

fn program() -> ValidProgram {
    let loader = MemoryLoader::new()
        .with("lookups.p4", include_str!("../../../../../testdata/switch/lookups.p4"))
        .with("core.p4", include_str!("../../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../../p4include/v1model.p4"));
    let result = weir_compiler::compile("lookups.p4", &loader, &[]);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    arch::bind(program).expect("it is of v1model")
}

/// The state of one of the two switches, and of its thread.
struct Half {
    state: ControlState,
    thread: ThreadState,
}

impl Half {
    fn new(program: &Program, seed: u64) -> Self {
        let externs = arch::load(program, &arch::Settings::default()).expect("it loads").externs;
        let state = ControlState::new(program, externs).expect("it loads");
        Self { thread: ThreadState::new(state.tables.len(), seed), state }
    }

    /// Records the hits of lookups.
    fn record(&mut self) {
        self.state.record_thread(&mut self.thread);
    }
}

/// The states of two switches, to which the same changes are made.
struct Pair {
    program: ValidProgram,
    schema: Schema,
    config: SwitchConfig,
    /// The first switch looks up by values, the second by words.
    halves: [Half; 2],
    random: Pcg64Mcg,
    now: Nanos,
}

/// The tables `exact_one`, `exact_many`, `routes`, `long_routes`, `rules`, `no_key`, `balance`,
/// `chance` and `named`.
const TABLES: usize = 9;

impl Pair {
    fn new(program: &ValidProgram, seed: u64) -> Self {
        let externs = arch::load(program, &arch::Settings::default()).expect("it loads").externs;
        let schema = Schema::new(program, arch::control_view(program), &externs);
        let halves = [0, 1].map(|_| Half::new(program, seed));
        let random = Pcg64Mcg::new(u128::from(seed) << 1 | 1);
        let config = SwitchConfig::default().with_ports(0..8);
        Self { program: program.clone(), schema, config, halves, random, now: 0 }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.random.next_u64() % end
    }

    /// Draws a value from a small set, so that keys often match entries.
    fn value(&mut self, width: u32) -> Bits {
        let few = self.below(4);
        let low = Bits::new(width, u128::from(few));
        if self.below(2) == 0 { low.shl(u64::from(width.saturating_sub(2))) } else { low }
    }

    fn call(&mut self, table: usize) -> Call {
        let listed = self.schema.tables[table].actions.clone();
        let listed = &listed[self.below(listed.len() as u64) as usize];
        let params = self.schema.actions[listed.id.index()].params.clone();
        let args = params.iter().map(|param| {
            let words: Vec<u64> = (0..4).map(|_| self.random.next_u64()).collect();
            Bits::from_words(param.width, &words)
        });
        Call { action: listed.id, args: args.collect() }
    }

    fn target(&mut self, table: usize, as_default: bool) -> Target {
        let number = self.below(4) as u32;
        match (self.schema.tables[table].profile.is_some(), self.below(4)) {
            (false, _) => Target::Action(self.call(table)),
            (true, 0) if as_default => Target::Action(self.call(table)),
            (true, 0 | 1) => Target::Member(number),
            (true, 2) => Target::Group(number),
            (true, _) => {
                let count = self.below(4);
                let calls = (0..count).map(|weight| WeightedCall::new(self.call(table), weight as u32 + 1));
                let calls = calls.collect();
                Target::OneOf(ActionSet { actions: calls, at_random: self.below(2) == 0, group_action: None })
            }
        }
    }

    fn entry(&mut self, table: usize) -> Entry {
        let schema = self.schema.tables[table].clone();
        let matches = schema.keys.iter().map(|key| {
            let (value, other) = (self.value(key.width), self.value(key.width));
            match key.kind {
                MatchKind::Lpm => Match::Lpm(value, self.below(u64::from(key.width) + 1) as u32),
                MatchKind::Ternary => Match::Ternary(value, other),
                MatchKind::Range => {
                    let up = value.compare(&other, false).is_le();
                    if up { Match::Range(value, other) } else { Match::Range(other, value) }
                }
                MatchKind::Optional if self.below(2) == 0 => Match::Any,
                MatchKind::Exact | MatchKind::Optional => Match::Exact(value),
            }
        });
        let matches = matches.collect();
        Entry {
            matches,
            priority: schema.needs_priority().then(|| self.below(4) as u32),
            action: self.target(table, false),
            idle_timeout: schema.support_timeout.then(|| 1 + self.below(50)),
        }
    }

    /// Makes a random change. The switch refuses many of them.
    fn update(&mut self) -> Update {
        let at = self.below(TABLES as u64) as usize;
        let table = TableId::new(at);
        let entry = EntryRef::Handle(self.below(40));
        let profile = self.below(3) as usize;
        let profile = self.schema.profiles[profile].id;
        let number = self.below(4) as u32;
        match self.below(12) {
            0 => Update::Delete { table, entry },
            1 => Update::Modify { table, entry, action: self.target(at, false) },
            2 => Update::SetDefault { table, action: self.target(at, true) },
            3 => Update::ResetDefault { table },
            4 => {
                let config = match self.below(2) {
                    0 => MeterConfig::per_second(9, 200, 18, 300),
                    _ => MeterConfig::single_rate(9, 200, 300),
                };
                let entry = if self.below(2) == 0 { EntryRef::Default } else { entry };
                Update::WriteDirectMeter { table: TableId::new(2), entry, config: Some(config) }
            }
            5 => {
                let members = (0..self.below(4) as u32).map(|member| GroupMember::new(member, 1 + member));
                Update::InsertGroup { profile, group: Some(number), members: members.collect() }
            }
            6 | 7 => Update::InsertMember { profile, member: Some(number), action: self.call(6) },
            8 => Update::ModifyMember { profile, member: number, action: self.call(6) },
            9 if number == 0 => Update::Clear { table },
            _ => Update::Insert { table, entry: self.entry(at) },
        }
    }

    fn change(&mut self) {
        let update = self.update();
        let (program, schema, config, now) = (&self.program, &self.schema, &self.config, self.now);
        let [one, two] = self.halves.each_mut().map(|half| {
            half.record();
            let mut queues = TrafficManager::new(config);
            let (state, queues, ports) = (&mut half.state, &mut queues, &config.ports);
            let scratch = &mut Scratch::default();
            Control { program, schema, state, scratch, queues, ports, now }
                .write(std::slice::from_ref(&update))
        });
        assert_eq!(one, two);
    }

    fn key(&mut self, table: usize) -> Vec<Bits> {
        let widths: Vec<u32> =
            self.program.tables[TableId::new(table)].keys.iter().map(|key| key.expr.ty.width()).collect();
        widths.into_iter().map(|width| self.value(width)).collect()
    }

    /// Looks up a key in both ways. Returns whether an entry was hit.
    fn look_up(&mut self, table: usize, key: &[Bits]) -> bool {
        let id = TableId::new(table);
        self.now += self.below(20);
        let length = self.below(100) as usize;
        let [by_values, by_words] = &mut self.halves;
        let found = by_values.thread.lookup(by_values.state.view(), id, key, self.now, length);
        let room = [(); 8].map(|()| AtomicU64::new(u64::MAX));
        let words = words(&by_words.state, table, key);
        let (control, thread) = (by_words.state.view(), &mut by_words.thread);
        let hit = match control.tables.get(id).shape.is_plain {
            true => Found {
                lookup: thread.lookup_plain(id, control.tables.get(id), &words),
                colour: None,
                chosen: None,
                cells: None,
            },
            false => thread.lookup_words(control, id, &words, &room, self.now, length),
        };
        let call = found.lookup.call;
        let mut wanted = Vec::new();
        crate::tables::key_words(&call.args, &mut wanted);
        let data: Vec<u64> = (0..wanted.len()).map(|word| hit.lookup.word(word)).collect();
        assert_eq!(data, wanted);
        assert_eq!((hit.lookup.hit, hit.lookup.action()), (found.lookup.hit, call.action));
        assert_eq!((hit.colour, hit.chosen), (found.colour, found.chosen));
        by_values.record();
        by_words.record();
        found.lookup.hit
    }

    /// Compares the states of both switches, as the control interface shows them.
    fn compare(&mut self) {
        let (program, schema, config, now) = (&self.program, &self.schema, &self.config, self.now);
        let [one, two] = self.halves.each_mut().map(|half| {
            let timers_and_random = (half.state.idle.next_time(), half.thread.random.next_u64());
            let mut queues = TrafficManager::new(config);
            let (state, queues, ports) = (&mut half.state, &mut queues, &config.ports);
            let scratch = &mut Scratch::default();
            let control = Control { program, schema, state, scratch, queues, ports, now };
            let ids = (0..TABLES).map(TableId::new);
            let tables: Vec<_> = ids.map(|id| (control.entries(id), control.table_state(id))).collect();
            let misses = (0..TABLES).map(TableId::new).map(|id| {
                let default = &EntryRef::Default;
                (control.direct_counter(id, default), control.direct_meter_counts(id, default))
            });
            (timers_and_random, tables, misses.collect::<Vec<_>>())
        });
        assert_eq!(one, two);
    }
}

/// Converts a key to words, with additional bits set that must not matter.
fn words(state: &ControlState, table: usize, key: &[Bits]) -> Vec<u64> {
    let mut words = Vec::new();
    state.tables[table].shape.keys.write(key, &mut words);
    let mut at = 0;
    for value in key {
        at += value.width().div_ceil(64) as usize;
        words[at - 1] |= u64::MAX.checked_shl(value.width()).unwrap_or(0);
    }
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn lookups_by_words_and_by_values_agree(seed in any::<u64>()) {
        let mut pair = Pair::new(&program(), seed);
        let mut hits = 0;
        for _ in 0..40 {
            for _ in 0..pair.below(12) {
                pair.change();
            }
            let table = pair.below(TABLES as u64) as usize;
            let keys: Vec<Vec<Bits>> = (0..1 + pair.below(70)).map(|_| pair.key(table)).collect();
            if pair.below(2) == 0 {
                let all: Vec<u64> = keys.iter().flat_map(|key| words(&pair.halves[1].state, table, key)).collect();
                let half = &mut pair.halves[1];
                half.thread.prefetch_lookups(half.state.view(), TableId::new(table), &all);
            }
            for key in &keys {
                match pair.below(16) {
                    0 => pair.change(),
                    1 => {
                        let other = pair.key(table);
                        pair.look_up(table, &other);
                    }
                    2 => continue,
                    _ => {}
                }
                hits += u32::from(pair.look_up(table, key));
            }
        }
        pair.compare();
        prop_assert!(hits > 20, "{hits} hits");
    }
}

#[test]
fn prefetched_lookups_agree_with_lookups() {
    let mut hits = 0;
    for seed in 0..20 {
        let mut pair = Pair::new(&program(), seed);
        (0..60).for_each(|_| pair.change());
        for table in 0..TABLES {
            let id = TableId::new(table);
            if !pair.halves[1].state.tables[table].shape.is_plain {
                continue;
            }
            let keys: Vec<Vec<Bits>> = (0..64).map(|_| pair.key(table)).collect();
            let keys: Vec<Vec<u64>> =
                keys.iter().map(|key| words(&pair.halves[1].state, table, key)).collect();
            let (key_words, each) = (keys[0].len(), keys[0].len() + 9);
            let place = |key: &Vec<u64>| key.iter().copied().chain([7; 9]).collect::<Vec<_>>();
            let mut places: Vec<u64> = keys.iter().flat_map(place).collect();
            let mut batch = LookupBatch::new(&mut places, each, key_words);
            let half = &mut pair.halves[1];
            half.state.view().lookup_batch(id, &mut batch);
            assert!(batch.is_complete());
            for (key, place) in keys.iter().zip(places.chunks_exact(each)) {
                let answer = half.thread.lookup_plain(id, half.state.view().tables.get(id), key);
                assert_eq!(place[key_words], u64::from(answer.hit));
                let row: Vec<u64> = answer.row.iter().map(|word| word.load(Relaxed)).collect();
                assert_eq!(place[key_words + 1..][..row.len()], row);
                hits += u32::from(answer.hit);
            }
        }
    }
    assert!(hits > 100, "{hits} hits");
}

#[test]
fn batched_lookups_are_not_repeated() {
    let mut pair = Pair::new(&program(), 1);
    let one = |value| Bits::new(3, value);
    let none = pair.schema.tables[0].actions.iter().find(|listed| listed.action.ends_with(".none"));
    let action = none.expect("the table has it").id;
    let entry = Entry {
        matches: vec![Match::Exact(one(2))],
        priority: None,
        action: Target::Action(Call { action, args: Vec::new() }),
        idle_timeout: None,
    };
    let Half { state, thread } = &mut pair.halves[1];
    let mut queues = TrafficManager::new(&pair.config);
    let (program, schema, ports) = (&pair.program, &pair.schema, &pair.config.ports);
    let (queues, scratch) = (&mut queues, &mut Scratch::default());
    let inserted = Control { program, schema, state, scratch, queues, ports, now: 0 }
        .change(&Update::Insert { table: TableId::new(0), entry });
    inserted.expect("the table is empty");
    let id = TableId::new(0);
    thread.prefetch_lookups(state.view(), id, &[1, 2, 3]);
    let take = |thread: &mut ThreadState, state: &ControlState, key| {
        thread.tables[0]
            .prefetched
            .take_result(state.view().tables.get(id), &[key])
            .map(|place| place.map(Hit::slot))
    };
    assert_eq!(take(thread, state, 2), Some(Some(0)), "the first is skipped");
    assert_eq!(take(thread, state, 1), None, "it was skipped");
    assert_eq!(take(thread, state, 3), Some(None), "known to match nothing");
    thread.prefetch_lookups(state.view(), id, &[1, 2, 3]);
    let other = ControlState::new(program, state.settings.externs.clone()).expect("it loads");
    assert_eq!(take(thread, &other, 2), None, "it is another table");
    state.tables[0].entries.clear();
    assert_eq!(take(thread, state, 2), None, "the table has changed");
}
