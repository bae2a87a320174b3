//! The control interface: entries, defaults, batches, and its errors.

use crate::bench::{Bench, call, entry, exact, packet, run, send, table_schema};
use crate::by_name::{
    ByName, Call, CounterValue, Entry, EntryRef, Match, MatchKind, TableState, Target, Update,
};
use weir_device::Device;
use weir_ir::{Bits, TableId};
use weir_switch::Switch;
use weir_switch::control::ControlError;

const TABLES: &str = "
extern ingress.hits: direct_counter(CounterType::packets_and_bytes)
table ingress.route @100:5 {
  key hdr.tag.port: lpm hdr.tag.port @101:9
  action ingress.forward
  action ingress.drop default_only
  action NoAction
  default ingress.drop()
  size 3
  attached counters = ingress.hits
}
table ingress.acl @110:5 {
  key hdr.tag.count: ternary hdr.tag.count @111:9
  key sm.ingress_port: exact sm.ingress_port @112:9
  key seen: range hdr.tag.seen @113:9
  action ingress.drop
  action NoAction
  action ingress.forward table_only
  default NoAction() const
  entry (16w1 &&& 16w3, 9w1, 16w0 .. 16w9) -> ingress.drop() priority 7 const
}
table egress.route @120:5 {
  action ingress.drop
  action NoAction
  default NoAction()
}
table ingress.fixed @130:5 {
  key hdr.tag.port: exact hdr.tag.port @131:9
  action ingress.drop
  default ingress.drop()
  entry (16w1) -> ingress.drop()
  const_entries
}
";

const BENCH: Bench = Bench {
    items: TABLES,
    verify: "",
    ingress: "apply ingress.route; apply ingress.acl;",
    egress: "",
    update: "",
    package: "V1Switch",
};

fn lpm_match(value: u128, len: u32) -> Match {
    Match::Lpm(Bits::new(16, value), len)
}

fn forward_call(port: u128) -> Call {
    call("forward", &[("port", port)])
}

fn route_entry(value: u128, len: u32, port: u128) -> Entry {
    entry(&[("hdr.tag.port", lpm_match(value, len))], forward_call(port))
}

fn out_port(switch: &mut Switch, to: u16) -> Option<u32> {
    send(switch, 0, 3, packet(0, to, b"")).first().map(|t| t.port)
}

fn by_key(matches: &[(&str, Match)], priority: Option<u32>) -> EntryRef {
    EntryRef::Key { matches: entry(matches, forward_call(1)).matches, priority }
}

#[test]
fn entries_are_changed_and_read() {
    let mut switch = BENCH.switch();
    assert_eq!(out_port(&mut switch, 0x1234), None, "the default drops");
    let wide = switch.by_name().insert("ingress.route", route_entry(0x12ff, 8, 2)).unwrap();
    let narrow = switch.by_name().insert("ingress.route", route_entry(0x1230, 12, 4)).unwrap();
    assert_eq!(
        (out_port(&mut switch, 0x1234), out_port(&mut switch, 0x1334), out_port(&mut switch, 0x1200)),
        (Some(4), None, Some(2))
    );

    let mut control = switch.by_name();
    let entries = control.entries("ingress.route").unwrap();
    assert_eq!(entries.iter().map(|e| e.handle).collect::<Vec<_>>(), [wide, narrow]);
    assert_eq!(entries[0].entry.matches, [("hdr.tag.port".to_owned(), lpm_match(0x1200, 8))]);
    assert_eq!(
        entries[0].entry.action,
        Target::Action(Call {
            action: "ingress.forward".into(),
            args: vec![("port".into(), Bits::new(9, 2))]
        })
    );
    assert_eq!(entries[0].hits, Some(CounterValue { packets: 1, bytes: 8 }));
    let TableState { entries, hits, misses, memory } = control.table_state("ingress.route").unwrap();
    assert_eq!((entries, hits, misses), (2, 2, 2));
    assert!((1..1 << 18).contains(&memory), "{memory} bytes");
    assert_eq!(
        control.direct_counter("ingress.route", &EntryRef::Handle(narrow)),
        Ok(CounterValue { packets: 1, bytes: 8 })
    );

    control.modify("ingress.route", EntryRef::Handle(wide), forward_call(5)).unwrap();
    control.delete("ingress.route", by_key(&[("port", lpm_match(0x1230, 12))], None)).unwrap();
    assert_eq!(out_port(&mut switch, 0x1234), Some(5));
    switch.by_name().set_default("ingress.route", forward_call(6)).unwrap();
    assert_eq!(out_port(&mut switch, 0), Some(6));
    let default = switch.by_name().default_action("ingress.route").unwrap();
    assert!(matches!(default, Target::Action(call) if call.action == "ingress.forward"));
    switch.by_name().reset_default("ingress.route").unwrap();
    assert_eq!(out_port(&mut switch, 0), None);
    switch.by_name().clear("ingress.route").unwrap();
    assert_eq!(out_port(&mut switch, 0x1234), None);
}

#[test]
fn a_batch_is_done_completely_or_not_at_all() {
    let mut switch = BENCH.switch();
    let first = switch.by_name().insert("ingress.route", route_entry(0x1200, 8, 2)).unwrap();
    let before = |switch: &mut Switch| {
        let mut state = Vec::new();
        for table in ["ingress.route", "acl"] {
            let control = switch.by_name();
            state.push((control.entries(table).unwrap(), control.default_action(table).unwrap()));
        }
        state
    };
    let old = before(&mut switch);
    let table = || "ingress.route".to_owned();
    let mut updates = vec![
        Update::Insert { table: table(), entry: route_entry(0, 1, 1) },
        Update::Modify { table: table(), entry: EntryRef::Handle(first), action: forward_call(8).into() },
        Update::SetDefault { table: table(), action: forward_call(7).into() },
        Update::Delete { table: table(), entry: EntryRef::Handle(first) },
        Update::Insert { table: table(), entry: route_entry(0x1200, 8, 3) },
        Update::Clear { table: table() },
        Update::SetCloneSession { session: 1, config: Some(Default::default()) },
        Update::SetMulticastGroup { group: 1, replicas: Some(vec![]) },
        Update::Delete { table: table(), entry: EntryRef::Handle(first) },
    ];
    let error = switch.by_name().write(&updates).unwrap_err();
    assert_eq!(error.index, 8);
    assert_eq!(error.to_string(), "update 8: table `ingress.route` has no entry with handle 0");
    assert_eq!(before(&mut switch), old);
    assert_eq!(switch.by_name().clone_session(1), None);
    assert_eq!(switch.by_name().multicast_group(1), None);
    assert_eq!(out_port(&mut switch, 0x1234), Some(2), "the entry taken back is found again");
    updates.pop();
    let handles = switch.by_name().write(&updates).unwrap();
    assert_eq!(handles.iter().flatten().count(), 2);
    assert_eq!(switch.by_name().entries("ingress.route").unwrap(), []);
    assert_eq!(out_port(&mut switch, 0x1234), Some(7));
}

#[test]
fn updates_apply_between_passes() {
    let mut switch = BENCH.switch();
    switch.by_name().insert("ingress.route", route_entry(0, 0, 2)).unwrap();
    let mut transmissions = Vec::new();
    switch.receive(0, 3, packet(0, 1, b""));
    switch.advance(500, &mut transmissions);
    assert_eq!(switch.in_flight(), 1);
    switch.by_name().clear("ingress.route").unwrap();
    switch.receive(500, 3, packet(1, 1, b""));
    transmissions.extend(run(&mut switch));
    assert_eq!(transmissions.iter().map(|t| t.packet.id).collect::<Vec<_>>(), [0]);
}

#[test]
fn priorities_and_mixed_keys() {
    let mut switch = BENCH.switch();
    switch.by_name().insert("ingress.route", route_entry(0, 0, 2)).unwrap();
    let mut insert = |matches: &[(&str, Match)], priority, action: &str| {
        let entry = Entry { priority: Some(priority), ..entry(matches, call(action, &[])) };
        switch.by_name().insert("acl", entry).unwrap()
    };
    insert(&[("ingress_port", exact(3))], 1, "drop");
    let range = Match::Range(Bits::new(16, 5), Bits::new(16, 6));
    insert(&[("ingress_port", exact(3)), ("seen", range)], 2, "NoAction");
    let mut passes = |seen: u8| {
        let mut packet = packet(0, 1, b"");
        packet.bytes[7] = seen;
        send(&mut switch, 0, 3, packet).len()
    };
    assert_eq!([4, 5, 6, 7].map(&mut passes), [0, 1, 1, 0]);
    let entries = switch.by_name().entries("acl").unwrap();
    assert_eq!(entries[0].entry.priority, Some(7));
    assert!(entries[0].is_const && !entries[1].is_const);
    switch.by_name().clear("acl").unwrap();
    assert_eq!(switch.by_name().entries("acl").unwrap().len(), 1, "constant entries stay");
}

#[test]
fn the_schema_lists_all_objects() {
    let switch = BENCH.switch();
    let schema = switch.schema();
    let route = table_schema(schema, "ingress.route").unwrap();
    assert_eq!(
        (route.keys[0].name.as_str(), route.keys[0].width, route.keys[0].kind),
        ("hdr.tag.port", 16, MatchKind::Lpm)
    );
    let default = route.default_action.as_ref().unwrap();
    assert_eq!(
        (route.size, route.needs_priority(), schema.actions[default.action.index()].name.as_str()),
        (Some(3), false, "ingress.drop")
    );
    assert_eq!(route.direct_counter.as_deref(), Some("ingress.hits"));
    let acl = table_schema(schema, "acl").unwrap();
    assert!(acl.needs_priority() && acl.const_default);
    let forward = schema.actions.iter().find(|action| action.name == "ingress.forward").unwrap();
    assert_eq!((forward.params[0].name.as_str(), forward.params[0].width), ("port", 9));
}

#[test]
fn errors_say_what_was_expected() {
    let mut switch = BENCH.switch();
    let mut control = switch.by_name();
    let mut said = |table: &str, entry: Entry| control.insert(table, entry).unwrap_err().to_string();
    let with = |matches: &[(&str, Match)], priority, action: &Call| Entry {
        priority,
        ..entry(matches, action.clone())
    };
    let go = forward_call(1);
    let port = || ("hdr.tag.port", lpm_match(0, 8));

    assert_eq!(
        said("ingress.rout", with(&[port()], None, &go)),
        "there is no table \"ingress.rout\"; did you mean \"ingress.route\"?"
    );
    assert_eq!(
        said("route", with(&[port()], None, &go)),
        "table \"route\" is ambiguous: ingress.route, egress.route"
    );
    assert_eq!(
        said("ingress.route", with(&[("hdr.tag.prot", lpm_match(0, 8))], None, &go)),
        "table ingress.route has no key \"hdr.tag.prot\"; did you mean \"hdr.tag.port\"?"
    );
    assert_eq!(said("ingress.route", with(&[port(), port()], None, &go)), "key hdr.tag.port is set twice");
    assert_eq!(
        said("ingress.route", with(&[("port", lpm_match(0, 17))], None, &go)),
        "key field `hdr.tag.port` of table `ingress.route`: prefix length 17 is more than the field's 16 bits"
    );
    assert_eq!(
        said("ingress.route", with(&[("port", exact(0x1ffff))], None, &go)),
        "key field `hdr.tag.port` of table `ingress.route`: value 0x1ffff needs 17 bits, field has 16"
    );
    assert_eq!(
        said("ingress.route", with(&[("port", Match::Ternary(Bits::zero(16), Bits::zero(16)))], None, &go)),
        "key field `hdr.tag.port` of table `ingress.route` is matched `lpm`, it takes a value and a prefix length, not a mask"
    );
    assert_eq!(
        said("ingress.route", with(&[port()], Some(1), &go)),
        "table ingress.route has no ternary, range or optional key: its entries have no priority"
    );
    assert_eq!(
        said("ingress.acl", with(&[("ingress_port", exact(1))], None, &call("NoAction", &[]))),
        "table ingress.acl has the ternary key hdr.tag.count: its entries need a priority of 1 or more"
    );
    assert_eq!(
        said("ingress.acl", with(&[], Some(1), &call("NoAction", &[]))),
        "table ingress.acl needs a value for the exact key sm.ingress_port"
    );
    let range = Match::Range(Bits::new(16, 9), Bits::new(16, 8));
    assert_eq!(
        said("acl", with(&[("ingress_port", exact(1)), ("seen", range)], Some(1), &call("NoAction", &[]))),
        "key field `seen` of table `ingress.acl`: the range 0x9 .. 0x8 is empty, its low end is above its high end"
    );
    assert_eq!(
        said("ingress.route", with(&[port()], None, &call("forwrad", &[("port", 1)]))),
        "table ingress.route has no action \"forwrad\"; did you mean \"ingress.forward\"?"
    );
    assert_eq!(
        said("ingress.route", with(&[port()], None, &call("drop", &[]))),
        "ingress.drop is for the default of table ingress.route only (@defaultonly)"
    );
    assert_eq!(
        said("ingress.route", with(&[port()], None, &forward_call(512))),
        "parameter `port` of action `ingress.forward`: value 0x200 needs 10 bits, field has 9"
    );
    assert_eq!(
        said("ingress.route", with(&[port()], None, &call("forward", &[]))),
        "action ingress.forward needs the parameter port (9 bits)"
    );
    assert_eq!(
        said("ingress.route", with(&[port()], None, &call("forward", &[("prot", 1)]))),
        "action ingress.forward has no parameter \"prot\"; did you mean \"port\"?"
    );
    assert_eq!(
        said("egress.route", with(&[], None, &call("NoAction", &[]))),
        "table egress.route has no keys: it takes a default action, no entries"
    );
    assert_eq!(
        said("fixed", with(&[("port", exact(2))], None, &call("drop", &[]))),
        "the entries of table `ingress.fixed` are constant"
    );
    assert_eq!(
        control.set_default("acl", call("NoAction", &[])).unwrap_err().to_string(),
        "the default action of table `ingress.acl` is constant"
    );
    assert_eq!(
        control.delete("acl", EntryRef::Handle(0)).unwrap_err().to_string(),
        "entry 0 of table `ingress.acl` is constant"
    );
    assert_eq!(
        control.delete("ingress.route", by_key(&[("port", lpm_match(7, 16))], None)).unwrap_err().to_string(),
        "table `ingress.route` has no entry with this key"
    );
    assert_eq!(
        control.set_multicast_group(0, None).unwrap_err().to_string(),
        "multicast group 0 means no multicast; groups are numbered from 1"
    );
    assert_eq!(
        control.direct_counter("acl", &EntryRef::Handle(0)).unwrap_err().cause,
        Some(Box::new(ControlError::NoDirectCounter(TableId::new(1))))
    );
    for value in 0..3 {
        control.insert("ingress.route", route_entry(value, 16, 1)).unwrap();
    }
    assert_eq!(
        control.insert("ingress.route", route_entry(1, 16, 2)).unwrap_err().to_string(),
        "table `ingress.route` has this entry already, with handle 1"
    );
    assert_eq!(
        control.insert("ingress.route", route_entry(4, 16, 2)).unwrap_err().to_string(),
        "table `ingress.route` is full: its size is 3"
    );
}
