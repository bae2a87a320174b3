//! Tables with the program's own entries and those of the control plane:
//! `testdata/switch/tables.p4`.

use crate::bench::{call, compile, entry, exact, run, start};
use crate::by_name::{ByName, Entry, EntryRef, Match, Update};
use weir_device::{Device, Packet};
use weir_ir::Bits;
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/tables.p4"), &[]);
    start(&program, SwitchConfig::default().with_ports(1..=1))
}

/// Returns the result of a lookup in the table, and whether it was a hit.
fn find(switch: &mut Switch, table: u8, a: u16, wide: &Bits) -> (u8, bool) {
    let bytes = [&[table][..], &a.to_be_bytes(), &wide.to_be_bytes(), &[0, 0]].concat();
    let now = switch.next_deadline().unwrap_or(0);
    switch.receive(now, 1, Packet::new(0, bytes));
    let output = run(switch).remove(0).packet.bytes;
    (output[28], output[29] == 1)
}

fn short(switch: &mut Switch, table: u8, a: u16) -> (u8, bool) {
    find(switch, table, a, &Bits::zero(200))
}

fn found(what: u128) -> crate::by_name::Call {
    call("found", &[("what", what)])
}

fn with_priority(priority: u32, entry: Entry) -> Entry {
    Entry { priority: Some(priority), ..entry }
}

#[test]
fn entries_are_ordered_by_priority() {
    let mut switch = switch();
    assert_eq!(
        [0x0101, 0x01ff, 0x1101, 0x2000].map(|a| short(&mut switch, 1, a)),
        [(2, true), (1, true), (2, true), (255, false)]
    );
    assert!(find(&mut switch, 1, 0x0103, &Bits::new(200, 7)).1);
    let mut control = switch.by_name();
    let entries = control.entries("by_priority").unwrap();
    let listed: Vec<_> = entries.iter().map(|e| (e.handle, e.entry.priority, e.is_const)).collect();
    assert_eq!((listed[0], listed[1]), ((0, Some(10), true), (1, Some(20), false)));
    // Initial entries can be changed, except for the constant one.
    control.modify("by_priority", EntryRef::Handle(1), found(22)).unwrap();
    let error = control.delete("by_priority", EntryRef::Handle(0)).unwrap_err().to_string();
    assert_eq!(error, "entry 0 of table `I.by_priority` is constant");
    let all = with_priority(15, entry(&[("a", Match::Any)], found(4)));
    control.insert("by_priority", all.clone()).unwrap();
    assert_eq!(
        control.insert("by_priority", all.clone()).unwrap_err().to_string(),
        "table `I.by_priority` has this entry already, with handle 3"
    );
    control.insert("by_priority", with_priority(16, all.clone())).unwrap();
    assert_eq!(
        control.insert("by_priority", with_priority(17, all)).unwrap_err().to_string(),
        "table `I.by_priority` is full: its size is 5"
    );
    assert_eq!([0x0101, 0x01ff, 0x2000].map(|a| short(&mut switch, 1, a).0), [22, 4, 4]);
    switch.by_name().clear("by_priority").unwrap();
    assert_eq!(
        [0x0101, 0x01ff, 0x2000].map(|a| short(&mut switch, 1, a).0),
        [1, 1, 255],
        "the constant one stays"
    );
}

#[test]
fn programs_can_let_the_smaller_priority_win() {
    let mut switch = switch();
    assert_eq!([7, 4, 101].map(|a| short(&mut switch, 2, a)), [(1, true), (2, true), (9, false)]);
    let mut control = switch.by_name();
    assert_eq!(
        control.set_default("least_first", call("none", &[])).unwrap_err().to_string(),
        "I.none is not for the default of table I.least_first (@tableonly)"
    );
    let of_default = with_priority(1, entry(&[("a", Match::Any)], call("none", &[])));
    assert_eq!(
        control.insert("by_priority", of_default).unwrap_err().to_string(),
        "I.none is for the default of table I.by_priority only (@defaultonly)"
    );
}

#[test]
fn a_plain_value_is_a_prefix_of_full_length() {
    let mut switch = switch();
    assert_eq!(
        [0x0a0b, 0x0a0c, 0x0b00].map(|a| short(&mut switch, 3, a)),
        [(16, true), (8, true), (1, true)]
    );
    let plain = entry(&[("a", exact(0x0b0b)), ("which", exact(3))], found(77));
    let mut control = switch.by_name();
    let handle = control.insert("by_prefix", plain).unwrap();
    let read = control.entry("by_prefix", &EntryRef::Handle(handle)).unwrap().entry.matches;
    assert_eq!(read[0].1, Match::Lpm(Bits::new(16, 0x0b0b), 16));
    let as_prefix = entry(&[("a", Match::Lpm(Bits::new(16, 0x0b0b), 16)), ("which", exact(3))], found(78));
    assert!(control.insert("by_prefix", as_prefix).is_err(), "it is the same entry");
    assert_eq!(
        control.set_default("by_prefix", found(1)).unwrap_err().to_string(),
        "the default action of table `I.by_prefix` is constant"
    );
    assert_eq!([0x0b0b, 0x0b0c].map(|a| short(&mut switch, 3, a).0), [77, 1]);
}

#[test]
fn constant_entries_and_wide_keys() {
    let mut switch = switch();
    let top = Bits::new(200, 1).shl(199);
    let answers =
        [(&top, 1), (&Bits::new(200, 1), 1), (&top, 2)].map(|(wide, a)| find(&mut switch, 4, a, wide));
    assert_eq!(answers, [(1, true), (2, true), (255, false)]);
    let mut control = switch.by_name();
    let insert = control.insert("by_all_bits", entry(&[("wide", exact(1)), ("a", exact(2))], found(1)));
    assert_eq!(insert.unwrap_err().to_string(), "the entries of table `I.by_all_bits` are constant");
    let clear = control.write(&[Update::Clear { table: "by_all_bits".into() }]).unwrap_err();
    assert_eq!(clear.to_string(), "update 0: the entries of table `I.by_all_bits` are constant");
}
