//! Tests idle entries.

use crate::bench::{call, compile, entry, exact, run, start};
use crate::by_name::{ByName, Control, Entry, EntryRef, Update};
use weir_device::{Device, Nanos, Packet};
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/profiles.p4"), &[]);
    start(&program, SwitchConfig { pass_latency: 100, ..SwitchConfig::default().with_ports(0..=2) })
}

fn entry_with_timeout(source: u128, timeout: Option<Nanos>) -> Entry {
    Entry { idle_timeout: timeout, ..entry(&[("source", exact(source))], call("mark", &[("with", source)])) }
}

fn hit_entry(switch: &mut Switch, now: Nanos, source: u32) {
    let mut bytes = vec![0, 3];
    bytes.extend(source.to_be_bytes());
    bytes.extend([0; 8]);
    switch.receive(now, 1, Packet::new(0, bytes));
    switch.advance(now, &mut Vec::new());
}

fn notices(control: &mut Control<'_>) -> Vec<(Nanos, u64)> {
    control.take_idle_notices().into_iter().map(|notice| (notice.time, notice.handle)).collect()
}

#[test]
fn idle_notices_come_exactly_on_time() {
    let mut switch = switch();
    let mut control = switch.by_name_at(50);
    control.insert("age", entry_with_timeout(1, Some(1_000))).unwrap();
    control.insert("age", entry_with_timeout(2, Some(400))).unwrap();
    control.insert("age", entry_with_timeout(3, None)).unwrap();
    assert_eq!(switch.next_deadline(), Some(450));
    hit_entry(&mut switch, 449, 2);
    hit_entry(&mut switch, 700, 1);
    // The time-out is due at the same nanosecond as a hit, and the hit comes first.
    hit_entry(&mut switch, 849, 2);
    assert_eq!(notices(&mut switch.by_name()), []);
    run(&mut switch);
    assert_eq!(notices(&mut switch.by_name()), [(1_249, 1), (1_700, 0)]);
    assert_eq!(notices(&mut switch.by_name()), [], "they are taken once");
    hit_entry(&mut switch, 5_000, 2);
    run(&mut switch);
    assert_eq!(notices(&mut switch.by_name())[0], (5_400, 1), "a hit begins again");
    let last_hits: Vec<_> = switch.by_name().entries("age").unwrap().iter().map(|e| e.last_hit).collect();
    assert_eq!(last_hits, [Some(700), Some(5_000), None]);
}

#[test]
fn notices_that_are_taken_repeat() {
    const MS: Nanos = 1_000_000;
    let mut switch = switch();
    switch.by_name().insert("age", entry_with_timeout(1, Some(5 * MS))).unwrap();
    switch.by_name().insert("age", entry_with_timeout(2, Some(700))).unwrap();
    let mut at = |time| {
        switch.advance(time, &mut Vec::new());
        (notices(&mut switch.by_name_at(time)), switch.next_deadline())
    };
    assert_eq!(at(700), (vec![(700, 1)], Some(MS + 700)), "at most one a millisecond");
    assert_eq!(at(MS + 699), (vec![], Some(MS + 700)));
    assert_eq!(at(MS + 700), (vec![(MS + 700, 1)], Some(2 * MS + 700)));
    // The notice is taken late: the notices in between are left out.
    assert_eq!(at(5 * MS + 800), (vec![(2 * MS + 700, 1), (5 * MS, 0)], Some(6 * MS + 700)));
    assert_eq!(at(6 * MS + 700), (vec![(6 * MS + 700, 1)], Some(7 * MS + 700)));
    // A hit shortly after a notice begins a time-out, which is exact again.
    hit_entry(&mut switch, 7 * MS, 2);
    let mut at = |time| {
        switch.advance(time, &mut Vec::new());
        notices(&mut switch.by_name_at(time))
    };
    assert_eq!(at(7 * MS + 800), [(7 * MS + 700, 1)]);
    switch.by_name().delete("age", EntryRef::Handle(1)).unwrap();
    run(&mut switch);
    assert_eq!(notices(&mut switch.by_name()), [(10 * MS, 0)], "one, until it is taken");
}

#[test]
fn only_the_newest_notices_wait() {
    let mut switch = switch();
    for round in 0..5_000 {
        let mut control = switch.by_name_at(round * 10);
        let handle = control.insert("age", entry_with_timeout(round.into(), Some(5))).unwrap();
        switch.advance(round * 10 + 5, &mut Vec::new());
        let again =
            Update::SetIdleTimeout { table: "age".into(), entry: EntryRef::Handle(handle), timeout: Some(2) };
        switch.by_name().change(&again).unwrap();
        switch.advance(round * 10 + 7, &mut Vec::new());
        switch.by_name().delete("age", EntryRef::Handle(handle)).unwrap();
    }
    assert_eq!(switch.next_deadline(), None);
    let taken = notices(&mut switch.by_name());
    assert_eq!((taken.len(), taken[4095].0), (4096, 49_997));
    assert_eq!(switch.next_deadline(), None, "entries that are gone are not idle");
}

#[test]
fn a_notice_names_the_entry() {
    let mut switch = switch();
    switch.by_name().insert("age", entry_with_timeout(7, Some(10))).unwrap();
    run(&mut switch);
    let notice = switch.by_name().take_idle_notices().remove(0);
    let as_read = switch.by_name().entries("age").unwrap().remove(0).entry;
    assert_eq!((notice.table.as_str(), notice.entry), ("I.age", as_read));
}

#[test]
fn time_outs_are_set_changed_and_removed() {
    let mut switch = switch();
    switch.by_name().insert("age", entry_with_timeout(1, Some(1_000))).unwrap();
    switch.by_name().insert("age", entry_with_timeout(2, Some(1_000))).unwrap();
    let set = |handle, timeout| Update::SetIdleTimeout {
        table: "age".into(),
        entry: EntryRef::Handle(handle),
        timeout,
    };
    switch.by_name_at(100).write(&[set(0, Some(5_000)), set(1, None)]).unwrap();
    // A batch that fails changes nothing.
    let error = switch.by_name_at(200).write(&[set(0, Some(1)), set(9, Some(1))]).unwrap_err();
    assert_eq!(error.to_string(), "update 1: table `I.age` has no entry with handle 9");
    assert_eq!(switch.by_name().entry("age", &EntryRef::Handle(0)).unwrap().entry.idle_timeout, Some(5_000));
    run(&mut switch);
    assert_eq!(notices(&mut switch.by_name()), [(5_100, 0)]);
    switch.by_name_at(6_000).write(&[set(1, Some(10))]).unwrap();
    switch.by_name().delete("age", EntryRef::Handle(1)).unwrap();
    run(&mut switch);
    assert_eq!(notices(&mut switch.by_name()), [(1_005_100, 0)], "what is gone is not idle");
}

#[test]
fn wrong_time_outs_and_full_tables() {
    let mut switch = switch();
    let mut control = switch.by_name();
    let mut error = |table, entry| control.insert(table, entry).unwrap_err().to_string();
    assert_eq!(
        error("age", entry_with_timeout(1, Some(0))),
        "an idle time-out of 0 would always have run out; omit it for none"
    );
    let place = Entry {
        idle_timeout: Some(1),
        ..entry(&[("group", exact(1))], Vec::<crate::by_name::WeightedCall>::new())
    };
    assert_eq!(
        error("balance", place),
        "table `I.balance` has no `support_timeout = true`: its entries take no idle time-out"
    );
    for source in 0..3 {
        control.insert("age", entry_with_timeout(source, None)).unwrap();
    }
    assert_eq!(
        control.insert("age", entry_with_timeout(9, None)).unwrap_err().to_string(),
        "table `I.age` is full: its size is 3"
    );
}

#[test]
fn many_timers_fire_in_order() {
    let mut switch = switch();
    let program = compile(
        &include_str!("../../../../testdata/switch/profiles.p4").replace("size = 3;", "size = 10000;"),
        &[],
    );
    let mut many = start(&program, switch.config().clone());
    let mut control = many.by_name();
    for source in 0..10_000u64 {
        control
            .insert("age", entry_with_timeout(u128::from(source), Some(1 + source * 7919 % 10_007)))
            .unwrap();
    }
    run(&mut many);
    let mut taken = notices(&mut many.by_name());
    assert_eq!(taken.len(), 4096, "the newest are kept");
    assert!(taken.is_sorted_by_key(|(time, _)| *time));
    taken.retain(|(time, handle)| *time != 1 + handle * 7919 % 10_007);
    assert_eq!(taken, []);
    assert_eq!(run(&mut switch), []);
}

#[test]
fn idle_times_count_from_insertion_or_reset() {
    let mut switch = switch();
    switch.by_name_at(1_000).insert("age", entry_with_timeout(1, None)).unwrap();
    let age = switch.schema().tables.iter().position(|table| table.name == "I.age").unwrap();
    let since = |switch: &mut Switch| switch.control().idle_since(weir_ir::TableId::new(age), 0).unwrap();
    assert_eq!(since(&mut switch), Some(1_000));
    hit_entry(&mut switch, 3_000, 1);
    run(&mut switch);
    assert_eq!(since(&mut switch), Some(3_000));
    switch.by_name_at(5_000).change(&Update::Reset).unwrap();
    assert_eq!(switch.reset_count(), 1);
    switch.by_name_at(6_000).insert("age", entry_with_timeout(1, None)).unwrap();
    assert_eq!(since(&mut switch), Some(6_000));
}
