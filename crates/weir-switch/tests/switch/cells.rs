//! Counters, registers, meters and value sets, cell by cell and as a whole:
//! `testdata/switch/control.p4`.

use crate::bench::{call, compile, entry, exact, run, start};
use crate::by_name::{
    ByName, CloneSession, CounterValue, EntryRef, Match, MeterConfig, MeterCounts, MeterRate, Replica,
    Target, Update,
};
use weir_device::{Device, Packet};
use weir_ir::Bits;
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/control.p4"), &[]);
    start(&program, SwitchConfig::default().with_ports(1..=8))
}

/// Sends a request to the program. Returns the answer in the packet that leaves, and the bytes
/// after it.
fn send_request(switch: &mut Switch, what: u8, index: u8, value: u16, rest: &[u8]) -> Option<(u32, Vec<u8>)> {
    let bytes = [&[what, index][..], &value.to_be_bytes(), rest].concat();
    let now = switch.next_deadline().unwrap_or(0);
    switch.receive(now, 1, Packet::new(0, bytes));
    let output = run(switch).into_iter().next()?.packet.bytes;
    Some((u32::from_be_bytes(output[4..8].try_into().unwrap()), output[8..].to_vec()))
}

fn lpm_match(value: u128, len: u32) -> Match {
    Match::Lpm(Bits::new(32, value), len)
}

const RATES: MeterConfig = MeterConfig::per_second(1, 10, 2, 20);

#[test]
fn a_register_keeps_a_header_with_its_validity() {
    let mut switch = switch();
    let noted = [5, 15, 25].map(|what| vec![exact(what), Match::Ternary(Bits::new(8, 3), Bits::new(8, 3))]);
    switch.by_name().write(&[Update::SetValueSet { set: "noted".into(), members: noted.into() }]).unwrap();
    let note = [0, 0, 0, 0, 0x12, 0x34, 1, 2, 3, 4, 5];
    assert_eq!(send_request(&mut switch, 6, 3, 0, &[0; 4]), Some((0, vec![])), "nothing there yet: invalid");
    assert_eq!(send_request(&mut switch, 5, 3, 0, &note), Some((0, note[4..].to_vec())));
    assert_eq!(send_request(&mut switch, 6, 3, 0, &[0; 4]), Some((0, note[4..].to_vec())));
    let schema = switch.schema().registers.iter().find(|r| r.name == "I.note").unwrap().clone();
    let fields = [("$valid$", 1), ("a", 16), ("b", 40)].map(|(name, width)| (name.to_owned(), width));
    assert_eq!((schema.width, schema.fields), (57, fields.to_vec()));
    let cell = Bits::new(57, 1 << 56 | 0x1234 << 40 | 0x01_0203_0405);
    assert_eq!(
        switch.by_name().registers("note"),
        Ok(vec![Bits::zero(57), Bits::zero(57), Bits::zero(57), cell,])
    );
    // Index 0 is not in the value set: its header stays invalid, and so does the cell.
    assert_eq!(send_request(&mut switch, 5, 4, 0, &note).unwrap().0, 0);
    assert_eq!(send_request(&mut switch, 5, 3, 0, &note).unwrap().0, 0);
    switch.by_name().write_register("note", 3, Bits::zero(57)).unwrap();
    assert_eq!(send_request(&mut switch, 6, 3, 0, &[0; 4]), Some((0, vec![])));
}

#[test]
fn whole_arrays_can_be_read_and_reset() {
    let mut switch = switch();
    for index in [1, 2, 2] {
        send_request(&mut switch, 1, index, 0, &[0; 4]);
    }
    send_request(&mut switch, 2, 3, 0xffff, &[0; 4]);
    send_request(&mut switch, 3, 0, 0x77, &[0, 0, 0, 9]);
    let mut control = switch.by_name();
    let counts = |packets: &[u64]| {
        packets.iter().map(|n| CounterValue { packets: *n, bytes: 8 * n }).collect::<Vec<_>>()
    };
    assert_eq!(control.counters("both"), Ok(counts(&[0, 1, 2, 0, 0, 0, 0, 0])));
    assert_eq!(control.counters("bytes").unwrap()[2], CounterValue { packets: 0, bytes: 16 });
    let cells = [0, 0, 0, 0xffff].map(|value| Bits::new(48, value));
    assert_eq!(control.registers("number"), Ok(cells.to_vec()));
    assert_eq!(control.register("pair", 0), Ok(Bits::new(108, 0x77 << 100 | 9)));
    let all = Update::WriteMeterArray { meter: "by_bytes".into(), config: Some(RATES) };
    control.write(&[all]).unwrap();
    assert_eq!(control.meters("by_bytes"), Ok(vec![Some(RATES); 4]));

    // A batch that fails does not change any of the arrays.
    let resets = [
        Update::ResetCounter { counter: "both".into() },
        Update::ResetRegister { register: "number".into() },
        Update::WriteMeterArray { meter: "by_bytes".into(), config: None },
    ];
    let mut batch = resets.to_vec();
    batch.extend([Update::Reset, Update::ResetCounter { counter: "nothing".into() }]);
    let error = control.write(&batch).unwrap_err();
    assert!(error.to_string().starts_with("update 4: there is no counter \"nothing\""), "{error}");
    assert_eq!(control.counters("both"), Ok(counts(&[0, 1, 2, 0, 0, 0, 0, 0])));
    assert_eq!(control.registers("number"), Ok(cells.to_vec()));
    assert_eq!(control.meters("by_bytes"), Ok(vec![Some(RATES); 4]));
    control.write(&resets).unwrap();
    assert_eq!(control.counters("both"), Ok(counts(&[0; 8])));
    assert_eq!(control.registers("number"), Ok(vec![Bits::zero(48); 4]));
    assert_eq!(control.meters("by_bytes"), Ok(vec![None; 4]));
}

#[test]
fn the_cells_of_all_entries_are_set_at_once() {
    let mut switch = switch();
    let mut control = switch.by_name();
    for (value, len) in [(0x0100_0000, 8), (0x0200_0000, 8)] {
        let paced = entry(&[("answer", lpm_match(value, len))], call("paced", &[]));
        control.insert("prefixes", paced).unwrap();
    }
    let config = MeterConfig::per_second(0, 8, 0, 16);
    let set = |config| Update::WriteDirectMeterArray { table: "prefixes".into(), config };
    control.write(&[set(Some(config))]).unwrap();
    let colours = [1, 1, 1, 2].map(|net| send_request(&mut switch, 10, 0, 0, &[net, 0, 0, 0]).unwrap().0);
    assert_eq!(colours, [0, 1, 2, 0], "8 bytes each; each entry has a cell of its own");
    let mut control = switch.by_name();
    assert_eq!(control.direct_meter("prefixes", &EntryRef::Handle(1)), Ok(Some(config)));
    control.write(&[set(None)]).unwrap();
    assert_eq!(control.direct_meter("prefixes", &EntryRef::Handle(0)), Ok(None));
    let error = control.write(&[Update::WriteDirectMeterArray { table: "fixed".into(), config: None }]);
    assert_eq!(error.unwrap_err().error.to_string(), "table `I.fixed` has no direct meter");
    let error = control.write(&[Update::ResetDirectCounter { table: "fixed".into() }]);
    assert_eq!(error.unwrap_err().error.to_string(), "table `I.fixed` has no direct counter");

    let any = [("what", exact(9)), ("index", Match::Any)];
    let mut counted = entry(&any, call("to", &[("port", 2)]));
    counted.priority = Some(1);
    control.insert("all_kinds", counted).unwrap();
    send_request(&mut switch, 9, 0, 0, &[0; 4]);
    let mut control = switch.by_name();
    let of_entry = EntryRef::Handle(0);
    assert_eq!(control.direct_counter("all_kinds", &of_entry), Ok(CounterValue { packets: 1, bytes: 8 }));
    control.write(&[Update::ResetDirectCounter { table: "all_kinds".into() }]).unwrap();
    assert_eq!(control.direct_counter("all_kinds", &of_entry), Ok(CounterValue::default()));
}

#[test]
fn meters_count_packets_and_bytes_by_colour() {
    let mut switch = switch();
    let marked = |packets: [u64; 3]| {
        let [green, yellow, red] = packets.map(|packets| CounterValue { packets, bytes: 12 * packets });
        MeterCounts { green, yellow, red }
    };
    // Packets have 12 bytes; one meter counts packets, the other bytes.
    let config = Some(MeterConfig::per_second(0, 1, 0, 3));
    switch.by_name().write_meter("by_packets", 2, config).unwrap();
    let mut colours = |what: u8, index: u8| {
        [(); 5].map(|()| send_request(&mut switch, what, index, 0, &[0, 0, 0, 0, 1, 2, 3, 4]).unwrap().0)
    };
    assert_eq!((colours(7, 2), colours(8, 1), colours(7, 9)), ([0, 1, 1, 2, 2], [0; 5], [0; 5]));
    let mut control = switch.by_name();
    assert_eq!(control.meter_counts("by_packets", 2), Ok(marked([1, 2, 2])));
    assert_eq!(control.meter_counts("by_bytes", 1), Ok(marked([5, 0, 0])), "without rates, too");
    assert_eq!(control.meter_counts("by_packets", 0), Ok(marked([0; 3])));
    assert!(control.meter_counts("by_packets", 4).is_err());

    // New rates do not change the counts, and a batch that fails changes neither.
    let meter = || "by_packets".to_owned();
    let batch = [
        Update::WriteMeterCounts { meter: meter(), index: 2, counts: marked([0, 0, 7]) },
        Update::WriteMeterArray { meter: meter(), config: None },
        Update::WriteMeterCounts { meter: meter(), index: 4, counts: marked([0; 3]) },
    ];
    assert_eq!(control.write(&batch).unwrap_err().index, 2);
    assert_eq!(
        (control.meter_counts("by_packets", 2), control.meter("by_packets", 2)),
        (Ok(marked([1, 2, 2])), Ok(config))
    );
    control.write(&batch[1..2]).unwrap();
    assert_eq!(
        (control.meter_counts("by_packets", 2), control.meter("by_packets", 2)),
        (Ok(marked([1, 2, 2])), Ok(None))
    );
    control.write(&batch[..1]).unwrap();
    assert_eq!(control.meter_counts("by_packets", 2), Ok(marked([0, 0, 7])));
    control.write(&[Update::Reset]).unwrap();
    assert_eq!(control.meter_counts("by_packets", 2), Ok(marked([0; 3])));
}

#[test]
fn direct_meters_count_for_each_entry() {
    let mut switch = switch();
    let paced = |net: u128| entry(&[("answer", lpm_match(net << 24, 8))], call("paced", &[]));
    for net in [1, 2] {
        switch.by_name().insert("prefixes", paced(net)).unwrap();
    }
    for net in [1, 1, 2, 3] {
        send_request(&mut switch, 10, 0, 0, &[net, 0, 0, 0]);
    }
    let green = |packets| MeterCounts {
        green: CounterValue { packets, bytes: 8 * packets },
        ..MeterCounts::default()
    };
    let mut control = switch.by_name();
    assert_eq!([0, 1].map(|handle| control.meter_counts("pace", handle)), [Ok(green(2)), Ok(green(1))]);
    let of_first = || EntryRef::Key { matches: paced(1).matches, priority: None };
    let table = || "prefixes".to_owned();
    let batch = [
        Update::WriteDirectMeterCounts { table: table(), entry: EntryRef::Handle(1), counts: green(9) },
        Update::Delete { table: table(), entry: of_first() },
        Update::Delete { table: table(), entry: of_first() },
    ];
    assert_eq!(control.write(&batch).unwrap_err().index, 2);
    assert_eq!([0, 1].map(|handle| control.meter_counts("pace", handle)), [Ok(green(2)), Ok(green(1))]);
    control.write(&batch[..2]).unwrap();
    assert_eq!(control.meter_counts("pace", 1), Ok(green(9)));
    let again = control.insert("prefixes", paced(1)).unwrap();
    assert_eq!(control.meter_counts("pace", again), Ok(green(0)), "a new entry starts from 0");
}

#[test]
fn invalid_rates_are_refused() {
    let mut switch = switch();
    let wrong = MeterConfig { committed_rate: MeterRate::per_second(3), ..RATES };
    let error = switch.by_name().write_meter("by_packets", 0, Some(wrong)).unwrap_err();
    assert_eq!(error.to_string(), "the committed rate 3 is above the peak rate 2: no packet could be yellow");
    assert_eq!(switch.by_name().meter("by_packets", 0), Ok(None));
}

#[test]
fn counts_wrap_around() {
    let mut switch = switch();
    let full = CounterValue { packets: u64::MAX, bytes: u64::MAX };
    switch.by_name().write_counter("both", 1, full).unwrap();
    send_request(&mut switch, 1, 1, 0, &[0; 4]);
    assert_eq!(switch.by_name().counter("both", 1), Ok(CounterValue { packets: 0, bytes: 7 }));
}

#[test]
fn value_sets_are_read_back() {
    let mut switch = switch();
    let mut control = switch.by_name();
    let value = |n| Match::Exact(Bits::new(8, n));
    let masked = |value, mask| Match::Ternary(Bits::new(8, value), Bits::new(8, mask));
    let members = vec![vec![value(1), masked(4, 12)], vec![value(2), masked(0, 0)]];
    let set = |members| Update::SetValueSet { set: "P.noted".into(), members };
    control.write(&[set(members.clone())]).unwrap();
    assert_eq!(control.value_set("noted"), Ok(members.clone()));
    let twice = [&members[..], &members[..1]].concat();
    assert_eq!(
        control.write(&[set(twice)]).unwrap_err().error.to_string(),
        "the members of value set `P.noted` are not distinct: number 3 equals one before it"
    );
    assert_eq!(control.value_set("noted"), Ok(members.clone()));
    let many = (0..4).map(|n| vec![value(n), Match::Any]).collect();
    assert_eq!(
        control.write(&[set(many)]).unwrap_err().error.to_string(),
        "value set `P.noted` takes 3 members, not 4"
    );
    assert_eq!(control.value_set("noted"), Ok(members));
    assert!(control.value_set("notde").unwrap_err().to_string().ends_with("did you mean \"P.noted\"?"));
}

#[test]
fn a_reset_restores_the_program_s_state() {
    let mut switch = switch();
    let mut control = switch.by_name();
    let member =
        Update::InsertMember { profile: "ways".into(), member: None, action: call("to", &[("port", 3)]) };
    let led =
        Update::Insert { table: "balance".into(), entry: entry(&[("index", exact(1))], Target::Member(0)) };
    let group = Update::SetMulticastGroup { group: 1, replicas: Some(vec![Replica::new(1, 0)]) };
    let session = CloneSession { port: Some(2), ..CloneSession::default() };
    let session = Update::SetCloneSession { session: 4, config: Some(session) };
    let default =
        Update::SetDefault { table: "no_key".into(), action: call("answer", &[("what", 3)]).into() };
    control.write(&[member, led, group, session, default]).unwrap();
    control.write(&[Update::Reset]).unwrap();
    assert!(control.entries("balance").unwrap().is_empty());
    assert!(control.profile("ways").unwrap().members.is_empty());
    assert_eq!(control.entries("fixed").unwrap().len(), 2);
    assert_eq!((control.multicast_groups().count(), control.clone_sessions().count()), (0, 1));
    assert_eq!(send_request(&mut switch, 14, 0, 0, &[0; 4]), Some((0, vec![])));
}
