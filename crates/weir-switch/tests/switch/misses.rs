//! Packets that miss are counted and metered in the cells that belong to the table's default entry.

use std::sync::Arc;

use crate::bench::compile;
use crate::by_name::{ByName, Call, Entry, Match, Target};
use weir_device::{Device, FailedLookups, Packet};
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::{Bits, TableId, ValidProgram};
use weir_native::Native;
use weir_switch::control::{Control, ControlError, CounterValue, EntryRef, MeterConfig, MeterCounts, Update};
use weir_switch::{Switch, SwitchConfig};

/// A program that sends each packet to the port with the number of its colour, plus 4 if it hit an
/// entry.
const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>

header key_t { bit<8> key; }
struct headers_t { key_t key; }
struct meta_t { bit<8> colour; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.key); transition accept; }
}
control None(inout headers_t hdr, inout meta_t meta) { apply {} }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets_and_bytes) counted;
    direct_meter<bit<8>>(MeterType.packets) metered;
    action on_hit() { metered.read(meta.colour); sm.egress_spec = (bit<9>) meta.colour + 4; }
    action on_miss() { metered.read(meta.colour); sm.egress_spec = (bit<9>) meta.colour; }
    table looked_up {
        key = { hdr.key.key: exact; }
        actions = { on_hit; on_miss; }
        default_action = on_miss();
        counters = counted;
        meters = metered;
    }
    apply { looked_up.apply(); }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), None(), I(), E(), None(), D()) main;
"#;

/// Returns the table of the program.
fn table() -> TableId {
    TableId::new(0)
}

fn executors() -> [Arc<dyn Executor>; 2] {
    let program: ValidProgram = compile(PROGRAM, &[]);
    [Arc::new(Interpreter::new(program.clone())), Arc::new(Native::new(program).unwrap())]
}

/// Returns a switch whose table has one entry, for the key 1.
fn start(executor: Arc<dyn Executor>) -> Switch {
    let mut switch = Switch::new(executor, SwitchConfig::default().with_ports(0..8)).unwrap();
    let matches = [("hdr.key.key".to_owned(), Match::Exact(Bits::new(8, 1)))].into_iter().collect();
    let action = Target::Action(Call { action: "on_hit".into(), args: Default::default() });
    let entry = Entry { matches, priority: None, action, idle_timeout: None };
    switch.by_name().insert("looked_up", entry).unwrap();
    switch
}

/// Sends packets of 3 bytes with these keys at once. Returns the ports through which they leave.
fn send(switch: &mut Switch, keys: &[u8]) -> Vec<u32> {
    let mut transmissions = Vec::new();
    let now = switch.now();
    keys.iter().for_each(|key| switch.receive(now, 0, Packet::new(0, vec![*key, 0, 0])));
    switch.advance(now + 1_000_000, &mut transmissions);
    transmissions.iter().map(|sent| sent.port).collect()
}

fn count(packets: u64) -> CounterValue {
    CounterValue { packets, bytes: 3 * packets }
}

fn counts(control: &Control<'_>) -> [CounterValue; 2] {
    [EntryRef::Handle(0), EntryRef::Default].map(|entry| control.direct_counter(table(), &entry).unwrap())
}

#[test]
fn misses_are_counted() {
    for executor in executors() {
        let mut switch = start(executor);
        assert_eq!(send(&mut switch, &[1, 2, 3, 1, 4]), [4, 0, 0, 4, 0]);
        assert_eq!(counts(&switch.control()), [count(2), count(3)]);
        let mut control = switch.control();
        let write = Update::WriteDirectCounter { table: table(), entry: EntryRef::Default, value: count(40) };
        control.change(&write).unwrap();
        assert_eq!(counts(&control), [count(2), count(40)]);
        // A batch that fails changes nothing.
        let wrong =
            Update::WriteDirectCounter { table: table(), entry: EntryRef::Handle(9), value: count(1) };
        let reset = Update::ResetDirectCounter { table: table() };
        control.write(&[reset.clone(), wrong]).unwrap_err();
        assert_eq!(counts(&control), [count(2), count(40)]);
        control.change(&reset).unwrap();
        assert_eq!(counts(&control), [count(0); 2]);
        send(&mut switch, &[9]);
        assert_eq!(counts(&switch.control()), [count(0), count(1)]);
        switch.control().change(&Update::Reset).unwrap();
        assert_eq!(switch.control().direct_counter(table(), &EntryRef::Default), Ok(count(0)));
    }
}

/// A table without matching entries may explain why packets are lost.
#[test]
fn misses_are_reported_to_the_world() {
    for executor in executors() {
        let mut switch = start(executor);
        send(&mut switch, &[1]);
        assert_eq!(switch.failed_lookups(), []);
        send(&mut switch, &[1, 2, 3]);
        let missed = FailedLookups {
            place: "I.looked_up".to_owned(),
            part: "ingress",
            count: 2,
            size: 1,
            then: Some("I.on_miss".to_owned()),
        };
        assert_eq!(switch.failed_lookups(), [missed]);
    }
}

#[test]
fn misses_are_metered() {
    for executor in executors() {
        let mut switch = start(executor);
        assert_eq!(switch.control().direct_meter(table(), &EntryRef::Default), Ok(None));
        for (config, ports) in [
            (MeterConfig::per_second(1, 1, 1, 2), [0, 1, 2, 4, 2]),
            (MeterConfig::single_rate(1, 1, 2), [0, 1, 1, 4, 2]),
        ] {
            let config = Some(config);
            let write = Update::WriteDirectMeter { table: table(), entry: EntryRef::Default, config };
            switch.control().change(&write).unwrap();
            assert_eq!(switch.control().direct_meter(table(), &EntryRef::Default), Ok(config));
            assert_eq!(send(&mut switch, &[2, 3, 4, 1, 5]), ports);
            let counts = switch.control().direct_meter_counts(table(), &EntryRef::Default).unwrap();
            let count_of = |colour| count(ports.iter().filter(|port| **port == colour).count() as u64);
            assert_eq!(counts, MeterCounts { green: count_of(0), yellow: count_of(1), red: count_of(2) });
            let zero = MeterCounts::default();
            let reset =
                Update::WriteDirectMeterCounts { table: table(), entry: EntryRef::Default, counts: zero };
            switch.control().change(&reset).unwrap();
            assert_eq!(switch.control().direct_meter_counts(table(), &EntryRef::Default), Ok(zero));
        }
    }
}

#[test]
fn the_default_is_not_an_entry() {
    let mut switch = start(executors()[0].clone());
    let mut control = switch.control();
    let missing = ControlError::NoSuchEntry { table: table(), handle: None };
    assert_eq!(control.entry(table(), &EntryRef::Default), Err(missing.clone()));
    let delete = Update::Delete { table: table(), entry: EntryRef::Default };
    assert_eq!(control.change(&delete), Err(missing));
    let config = MeterConfig { excess_burst: 1, ..MeterConfig::per_second(1, 1, 2, 1) };
    let write = Update::WriteDirectMeter { table: table(), entry: EntryRef::Default, config: Some(config) };
    assert_eq!(control.change(&write), Err(ControlError::ExcessBurst));
}
