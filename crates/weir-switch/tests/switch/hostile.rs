//! Sends random control requests, most of them wrong. No request may make the switch panic, and no
//! failed request may change anything.

use crate::bench::{compile, start, table_schema};
use crate::by_name::{
    ActionSet, ByName, Call, CloneSession, Control, CounterValue, CrcParameters, Entry, EntryRef,
    GroupMember, Match, MeterConfig, MeterCounts, Replica, Schema, Target, Update, WeightedCall,
};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_device::{Device, Packet};
use weir_ir::{Bits, ValidProgram};
use weir_switch::{Rate, Switch, SwitchConfig};

struct Chance(Pcg64Mcg);

impl Chance {
    fn number_below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.number_below(times) == 0
    }

    /// Returns a random number: mostly small, and sometimes one of the largest numbers.
    fn number(&mut self) -> u64 {
        match self.number_below(8) {
            0 => u64::MAX - self.number_below(2),
            1 => self.0.next_u64(),
            2 => 1 << self.number_below(64),
            _ => self.number_below(10),
        }
    }

    fn bits(&mut self) -> Bits {
        let width = match self.number_below(6) {
            0 => 0,
            1 => self.number_below(2049) as u32,
            _ => self.number_below(65) as u32,
        };
        match self.number_below(3) {
            0 => Bits::ones(width),
            _ => Bits::new(128, u128::from(self.number())).resize(width),
        }
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.number_below(items.len() as u64) as usize) }
    }

    fn random_list<T>(&mut self, most: u64, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.number_below(most + 1)).map(|_| make(self)).collect()
    }

    /// Returns a random name: mostly one of the given names, in full or only its last part.
    fn name<'a>(&mut self, names: impl Iterator<Item = &'a str>) -> String {
        const STRANGE: [&str; 7] = ["", ".", "I.", "to", "nothing", "\u{0}", "I.\u{301}é.all_kinds"];
        let names: Vec<&str> = names.collect();
        match (self.number_below(12), self.pick(&names)) {
            (0, _) | (_, None) => STRANGE[self.number_below(STRANGE.len() as u64) as usize].to_owned(),
            (1..=6, Some(name)) => (*name).to_owned(),
            (_, Some(name)) => name.rsplit('.').next().unwrap_or_default().to_owned(),
        }
    }

    fn accepts(&mut self) -> Match {
        match self.number_below(6) {
            0 => Match::Lpm(self.bits(), self.number() as u32),
            1 => Match::Ternary(self.bits(), self.bits()),
            2 => Match::Range(self.bits(), self.bits()),
            3 => Match::Any,
            _ => Match::Exact(self.bits()),
        }
    }

    /// Makes matches that fit the table's keys by their kinds, or no matches.
    fn matches(&mut self, schema: &Schema, table: &str) -> Vec<(String, Match)> {
        let Some(table) = table_schema(schema, table).filter(|_| !self.one_in(8)) else {
            return self.random_list(4, |chance| ("hdr.request.what".to_owned(), chance.accepts()));
        };
        let small =
            |chance: &mut Self, width: u32| Bits::new(64, u128::from(chance.number_below(4))).resize(width);
        let mut matches: Vec<_> = table
            .keys
            .iter()
            .map(|key| {
                let value = small(self, key.width);
                let accepts = match key.kind.name() {
                    _ if self.one_in(10) => self.accepts(),
                    "lpm" => Match::Lpm(value, self.number_below(u64::from(key.width) + 1) as u32),
                    "ternary" => Match::Ternary(value, small(self, key.width)),
                    "range" => Match::Range(value, Bits::ones(key.width)),
                    _ => Match::Exact(value),
                };
                (key.name.clone(), accepts)
            })
            .collect();
        if self.one_in(10) {
            matches.pop();
        }
        if self.one_in(10) {
            matches.extend(matches.last().cloned());
        }
        matches
    }

    fn priority(&mut self, schema: &Schema, table: &str) -> Option<u32> {
        let needed = table_schema(schema, table).is_some_and(|table| table.needs_priority());
        (needed != self.one_in(8)).then(|| self.number() as u32)
    }

    fn call(&mut self, schema: &Schema) -> Call {
        let action = self.name(schema.actions.iter().map(|action| action.name.as_str()));
        let declared = schema.actions.iter().find(|known| known.name.ends_with(&action));
        let mut args: Vec<_> = declared
            .map_or(&[][..], |action| &action.params)
            .iter()
            .map(|param| (param.name.clone(), Bits::new(param.width, u128::from(self.number_below(5)))))
            .collect();
        if self.one_in(6) {
            args.push((self.name(["what", "port"].into_iter()), self.bits()));
        }
        Call { action, args }
    }

    fn target(&mut self, schema: &Schema) -> Target {
        match self.number_below(8) {
            0 | 1 => Target::Member(self.number() as u32),
            2 | 3 => Target::Group(self.number() as u32),
            4 => Target::OneOf(ActionSet {
                actions: self.random_list(3, |chance| WeightedCall {
                    action: chance.call(schema),
                    weight: chance.number() as u32,
                    watch: chance.one_in(3).then(|| chance.number_below(9) as u32),
                }),
                at_random: self.one_in(3),
                group_action: self.one_in(3).then(|| self.call(schema)),
            }),
            _ => Target::Action(self.call(schema)),
        }
    }

    fn entry_ref(&mut self, schema: &Schema, table: &str) -> EntryRef {
        if self.one_in(3) {
            EntryRef::Handle(self.number())
        } else {
            let (matches, priority) = (self.matches(schema, table), self.priority(schema, table));
            EntryRef::Key { matches, priority }
        }
    }

    fn rates(&mut self) -> Option<MeterConfig> {
        let [committed, committed_burst, peak, peak_burst] = std::array::from_fn(|_| self.number());
        let config = MeterConfig::per_second(committed, committed_burst, peak, peak_burst);
        (!self.one_in(4)).then_some(config)
    }

    fn members(&mut self) -> Vec<GroupMember> {
        self.random_list(4, |chance| GroupMember {
            watch: chance.one_in(3).then(|| chance.number_below(9) as u32),
            ..GroupMember::new(chance.number() as u32, chance.number_below(4) as u32)
        })
    }

    fn update(&mut self, schema: &Schema) -> Update {
        let table = self.name(schema.tables.iter().map(|table| table.name.as_str()));
        let counter = self.name(schema.counters.iter().map(|counter| counter.name.as_str()));
        let register = self.name(schema.registers.iter().map(|register| register.name.as_str()));
        let meter = self.name(schema.meters.iter().map(|meter| meter.name.as_str()));
        let profile = self.name(schema.profiles.iter().map(|profile| profile.name.as_str()));
        let value = CounterValue { packets: self.number(), bytes: self.number() };
        let timeout = self.one_in(2).then(|| self.number());
        let number = self.number() as u32;
        let wish = self.one_in(2).then_some(number);
        let port = self.one_in(2).then(|| self.number() as u32);
        let priority = self.one_in(2).then(|| self.number() as usize);
        match self.number_below(32) {
            0..=5 => {
                let entry = Entry {
                    matches: self.matches(schema, &table),
                    priority: self.priority(schema, &table),
                    action: self.target(schema),
                    idle_timeout: timeout.filter(|_| self.one_in(2)),
                };
                Update::Insert { table, entry }
            }
            6 | 7 => {
                let (entry, action) = (self.entry_ref(schema, &table), self.target(schema));
                Update::Modify { table, entry, action }
            }
            8 => Update::Delete { entry: self.entry_ref(schema, &table), table },
            9 => Update::Clear { table },
            10 => Update::SetDefault { table, action: self.target(schema) },
            11 => Update::ResetDefault { table },
            12 => Update::SetIdleTimeout { entry: self.entry_ref(schema, &table), table, timeout },
            13 | 14 => Update::InsertMember { profile, member: wish, action: self.call(schema) },
            15 => Update::ModifyMember { profile, member: number, action: self.call(schema) },
            16 => Update::DeleteMember { profile, member: number },
            17 => Update::InsertGroup { profile, group: wish, members: self.members() },
            18 => Update::ModifyGroup { profile, group: number, members: self.members() },
            19 => Update::DeleteGroup { profile, group: number },
            20 => Update::SetCrc {
                calculation: self.name(["crc16_custom", "crc32_custom"].into_iter()),
                parameters: CrcParameters {
                    polynomial: self.number() as u32,
                    initial: self.number() as u32,
                    final_xor: number,
                    reflect_in: self.one_in(2),
                    reflect_out: self.one_in(2),
                },
            },
            21 => Update::WriteCounter { counter, index: self.number(), value },
            22 => Update::WriteDirectCounter { entry: self.entry_ref(schema, &table), table, value },
            23 => match self.number_below(4) {
                0 => Update::ResetCounter { counter },
                1 => Update::ResetDirectCounter { table },
                2 => Update::ResetRegister { register },
                _ => Update::Reset,
            },
            24 => Update::WriteRegister { register, index: self.number(), value: self.bits() },
            25 => Update::WriteMeter { meter, index: self.number(), config: self.rates() },
            26 => match self.number_below(5) {
                0 => Update::WriteMeterArray { meter, config: self.rates() },
                1 => Update::WriteDirectMeterArray { table, config: self.rates() },
                2 => Update::WriteMeterCounts { meter, index: self.number(), counts: MeterCounts::default() },
                3 => Update::WriteDirectMeterCounts {
                    entry: self.entry_ref(schema, &table),
                    counts: MeterCounts { yellow: value, ..MeterCounts::default() },
                    table,
                },
                _ => Update::WriteDirectMeter {
                    entry: self.entry_ref(schema, &table),
                    config: self.rates(),
                    table,
                },
            },
            27 => {
                let set = self.name(schema.value_sets.iter().map(|set| set.name.as_str()));
                let members = self.random_list(4, |chance| chance.random_list(2, Self::accepts));
                Update::SetValueSet { set, members }
            }
            28 => {
                let replica =
                    |chance: &mut Self| Replica::new(chance.number_below(9) as u32, chance.number() as u16);
                let replicas = (!self.one_in(4)).then(|| self.random_list(3, replica));
                Update::SetMulticastGroup { group: self.number_below(4) as u16, replicas }
            }
            29 => Update::SetQueueDepth { port, priority, depth: self.number() as usize },
            30 => {
                let rate = match self.number_below(3) {
                    0 => None,
                    1 => Some(Rate::PacketsPerSecond(self.number())),
                    _ => Some(Rate::BitsPerSecond(self.number())),
                };
                Update::SetQueueRate { port, priority, rate }
            }
            _ => {
                let config = CloneSession {
                    port,
                    group: self.one_in(2).then(|| self.number_below(4) as u16),
                    truncate: priority,
                    priority,
                    replicas: self.random_list(2, |chance| {
                        Replica::new(chance.number_below(9) as u32, chance.number() as u16)
                    }),
                    ..CloneSession::default()
                };
                Update::SetCloneSession { session: number, config: (!self.one_in(4)).then_some(config) }
            }
        }
    }
}

/// Formats all state that can be read.
fn snapshot(control: &Control<'_>) -> String {
    let schema = control.schema();
    let mut lines = Vec::new();
    for table in &schema.tables {
        let entries = control.entries(&table.name).unwrap();
        let meters: Vec<_> =
            entries.iter().map(|e| control.direct_meter(&table.name, &EntryRef::Handle(e.handle))).collect();
        lines.push(format!("{entries:?} {meters:?} {:?}", control.default_action(&table.name)));
    }
    lines.extend(schema.counters.iter().map(|c| format!("{:?}", control.counters(&c.name))));
    lines.extend(schema.registers.iter().map(|r| format!("{:?}", control.registers(&r.name))));
    lines.extend(schema.meters.iter().map(|m| format!("{:?}", control.meters(&m.name))));
    lines.extend(schema.profiles.iter().map(|p| format!("{:?}", control.profile(&p.name))));
    lines.extend(schema.value_sets.iter().map(|v| format!("{:?}", control.value_set(&v.name))));
    lines.extend(control.ports().map(|port| format!("{:?}", control.queues(port))));
    lines.extend(["crc16_custom", "crc32_custom"].map(|name| format!("{:?}", control.crc(name))));
    lines.push(format!("{:?}", control.multicast_groups().collect::<Vec<_>>()));
    lines.push(format!("{:?}", control.clone_sessions().collect::<Vec<_>>()));
    lines.join("\n")
}

fn program() -> ValidProgram {
    compile(include_str!("../../../../testdata/switch/control.p4"), &[])
}

fn new_switch(program: &ValidProgram) -> Switch {
    start(program, SwitchConfig { priorities: 4, ..SwitchConfig::default().with_ports(0..=5) })
}

#[test]
fn requests_never_panic_and_failed_ones_change_nothing() {
    let program = program();
    let (mut done, mut failed) = (0, 0);
    for seed in 0..60 {
        let mut chance = Chance(Pcg64Mcg::new(seed << 1 | 1));
        let mut switch = new_switch(&program);
        let schema = switch.schema().clone();
        for step in 0..80u64 {
            let now = step * 1_000_000;
            let batch = chance.random_list(3, |chance| chance.update(&schema));
            switch.set_port_up(now, chance.number_below(9) as u32, chance.one_in(2));
            let mut control = switch.by_name_at(now);
            let before = snapshot(&control);
            match control.write(&batch) {
                Ok(made) => {
                    done += 1;
                    assert_eq!(made.len(), batch.len());
                }
                Err(error) => {
                    failed += 1;
                    assert!(error.index < batch.len() && !error.to_string().is_empty());
                    assert_eq!(snapshot(&control), before, "seed {seed}, step {step}: {batch:?}\n{error}");
                }
            }
            let request = chance.number_below(20) as u8;
            let bytes =
                [request, chance.number_below(9) as u8, 0, chance.number_below(5) as u8, 0, 0, 0, 1].to_vec();
            switch.receive(now, chance.number_below(6) as u32, Packet::new(step, bytes));
            let mut transmissions = Vec::new();
            // A queue with a very low rate would keep its packets for a long time.
            while let Some(next) = switch.next_deadline().filter(|next| *next < now + 900_000) {
                switch.advance(next, &mut transmissions);
            }
        }
    }
    assert!(done > 800 && failed > 800, "both happen: {done}, {failed}");
}

#[test]
fn reads_never_panic() {
    let program = program();
    let mut switch = new_switch(&program);
    let schema = switch.schema().clone();
    let mut chance = Chance(Pcg64Mcg::new(7));
    let mut successful = 0;
    for _ in 0..5_000 {
        let table = chance.name(schema.tables.iter().map(|table| table.name.as_str()));
        let entry = chance.entry_ref(&schema, &table);
        let (index, port) = (chance.number(), chance.number() as u32);
        let name = chance.name(["I.both", "I.note", "I.by_bytes", "I.ways", "P.noted"].into_iter());
        let control = switch.by_name();
        let results = [
            control.counter(&name, index).is_ok(),
            control.counters(&name).is_ok(),
            control.register(&name, index).is_ok(),
            control.registers(&name).is_ok(),
            control.meter(&name, index).is_ok(),
            control.meters(&name).is_ok(),
            control.profile(&name).is_ok(),
            control.value_set(&name).is_ok(),
            control.entries(&table).is_ok(),
            control.entry(&table, &entry).is_ok(),
            control.direct_counter(&table, &entry).is_ok(),
            control.direct_meter(&table, &entry).is_ok(),
            control.queues(port).is_ok(),
            control.multicast_group(index as u16).is_some(),
            control.clone_session(port).is_some(),
        ];
        successful += results.into_iter().filter(|is_successful| *is_successful).count();
    }
    assert!(successful > 5_000);
}
