//! Entries that nothing hits.

mod bench;

use bench::{call, compile, entry, exact, run, start};
use weir_control::ByName;
use weir_control::by_name::{Control, Entry, EntryRef, Update};
use weir_device::{Device, Nanos, Packet};
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    let program = compile(include_str!("../../../testdata/switch/profiles.p4"), &[]);
    start(&program, SwitchConfig { pass_latency: 100, ..SwitchConfig::default().with_ports(0..=2) })
}

fn young(source: u128, timeout: Option<Nanos>) -> Entry {
    Entry { idle_timeout: timeout, ..entry(&[("source", exact(source))], call("mark", &[("with", source)])) }
}

/// Hits the entry of `source` at `now`.
fn hit(switch: &mut Switch, now: Nanos, source: u32) {
    let mut bytes = vec![0, 3];
    bytes.extend(source.to_be_bytes());
    bytes.extend([0; 8]);
    switch.receive(now, 1, Packet { bytes, id: 0 });
    switch.advance(now, &mut Vec::new());
}

fn notices(control: &mut Control<'_>) -> Vec<(Nanos, u64)> {
    control.take_idle_notices().into_iter().map(|notice| (notice.time, notice.handle)).collect()
}

#[test]
fn idle_notices_come_exactly_on_time() {
    let mut switch = switch();
    let mut control = switch.by_name_at(50);
    control.insert("age", young(1, Some(1_000))).unwrap();
    control.insert("age", young(2, Some(400))).unwrap();
    control.insert("age", young(3, None)).unwrap();
    assert_eq!(switch.next_deadline(), Some(450));
    hit(&mut switch, 449, 2);
    hit(&mut switch, 700, 1);
    // Due at the same nanosecond as a hit: the hit comes in time.
    hit(&mut switch, 849, 2);
    assert_eq!(notices(&mut switch.by_name()), []);
    run(&mut switch);
    assert_eq!(notices(&mut switch.by_name()), [(1_249, 1), (1_700, 0)]);
    assert_eq!(notices(&mut switch.by_name()), [], "they are taken once");
    assert_eq!(switch.next_deadline(), None, "one notice for one idleness");
    hit(&mut switch, 5_000, 2);
    run(&mut switch);
    assert_eq!(notices(&mut switch.by_name()), [(5_400, 1)], "a hit begins again");
    let last_hits: Vec<_> = switch.by_name().entries("age").unwrap().iter().map(|e| e.last_hit).collect();
    assert_eq!(last_hits, [Some(700), Some(5_000), None]);
}

#[test]
fn a_notice_names_the_entry() {
    let mut switch = switch();
    switch.by_name().insert("age", young(7, Some(10))).unwrap();
    run(&mut switch);
    let notice = switch.by_name().take_idle_notices().remove(0);
    let as_read = switch.by_name().entries("age").unwrap().remove(0).entry;
    assert_eq!((notice.table.as_str(), notice.entry), ("I.age", as_read));
}

#[test]
fn time_outs_are_set_changed_and_removed() {
    let mut switch = switch();
    switch.by_name().insert("age", young(1, Some(1_000))).unwrap();
    switch.by_name().insert("age", young(2, Some(1_000))).unwrap();
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
    assert_eq!(notices(&mut switch.by_name()), [], "what is gone is not idle");
}

#[test]
fn wrong_time_outs_and_full_tables() {
    let mut switch = switch();
    let mut control = switch.by_name();
    let mut error = |table, entry| control.insert(table, entry).unwrap_err().to_string();
    assert_eq!(
        error("age", young(1, Some(0))),
        "an idle time-out of 0 would always have run out; omit it for none"
    );
    let place = Entry {
        idle_timeout: Some(1),
        ..entry(&[("group", exact(1))], weir_control::by_name::Target::OneOf(vec![]))
    };
    assert_eq!(
        error("balance", place),
        "table `I.balance` has no `support_timeout = true`: its entries take no idle time-out"
    );
    for source in 0..3 {
        control.insert("age", young(source, None)).unwrap();
    }
    assert_eq!(
        control.insert("age", young(9, None)).unwrap_err().to_string(),
        "table `I.age` is full: its size is 3"
    );
}

#[test]
fn many_timers_fire_in_order() {
    let mut switch = switch();
    let program = compile(
        &include_str!("../../../testdata/switch/profiles.p4").replace("size = 3;", "size = 10000;"),
        &[],
    );
    let mut many = start(&program, switch.config().clone());
    let mut control = many.by_name();
    for source in 0..10_000u64 {
        control.insert("age", young(u128::from(source), Some(1 + source * 7919 % 10_007))).unwrap();
    }
    run(&mut many);
    let mut taken = notices(&mut many.by_name());
    assert_eq!(taken.len(), 4096, "the newest are kept");
    assert!(taken.is_sorted_by_key(|(time, _)| *time));
    taken.retain(|(time, handle)| *time != 1 + handle * 7919 % 10_007);
    assert_eq!(taken, []);
    assert_eq!(run(&mut switch), []);
}
