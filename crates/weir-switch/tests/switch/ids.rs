//! Requests by ids: a request with any ids and counts is refused or done, and never panics.

use crate::bench::{compile, start};
use weir_ir::{ActionId, Bits, ExternId, TableId, ValueSetId};
use weir_switch::control::{
    Calculation, Call, ControlError, CounterValue, CrcAlgorithm, CrcParameters, Entry, EntryRef, Field,
    Match, MeterCounts, Update,
};
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/control.p4"), &[]);
    start(&program, SwitchConfig::default().with_ports(0..=5))
}

fn table(switch: &Switch, name: &str) -> TableId {
    TableId::new(switch.schema().tables.iter().position(|table| table.name == name).unwrap())
}

#[test]
fn unknown_ids_are_refused() {
    let mut switch = switch();
    let counter = switch.schema().counters[0].id;
    let register = switch.schema().registers[0].id;
    let (far, none) = (TableId::new(1000), ExternId::new(1000));
    let mut control = switch.control();
    let entry = EntryRef::Handle(0);
    assert_eq!(control.entries(far), Err(ControlError::NoSuchTable(far)));
    assert_eq!(control.table_state(far), Err(ControlError::NoSuchTable(far)));
    assert_eq!(control.default_action(far), Err(ControlError::NoSuchTable(far)));
    assert_eq!(control.direct_counter(far, &entry), Err(ControlError::NoSuchTable(far)));
    assert_eq!(control.direct_meter(far, &entry), Err(ControlError::NoSuchTable(far)));
    let set = ValueSetId::new(1000);
    assert_eq!(control.value_set(set), Err(ControlError::NoSuchValueSet(set)));
    for id in [none, register] {
        assert_eq!(control.counters(id), Err(ControlError::NoSuchExtern { what: "counter", id }));
        assert_eq!(control.meters(id), Err(ControlError::NoSuchExtern { what: "meter", id }));
        assert_eq!(control.profile(id), Err(ControlError::NoSuchExtern { what: "action profile", id }));
    }
    assert_eq!(control.registers(counter), Err(ControlError::NoSuchExtern { what: "register", id: counter }));
    let call = Call { action: ActionId::new(1000), args: vec![] };
    let value = CounterValue::default();
    for update in [
        Update::Delete { table: far, entry: entry.clone() },
        Update::Clear { table: far },
        Update::SetDefault { table: far, action: call.clone().into() },
        Update::ResetDefault { table: far },
        Update::SetIdleTimeout { table: far, entry: entry.clone(), timeout: None },
        Update::WriteDirectCounter { table: far, entry: entry.clone(), value },
        Update::WriteDirectMeterCounts { table: far, entry, counts: MeterCounts::default() },
        Update::ResetDirectCounter { table: far },
        Update::WriteDirectMeterArray { table: far, config: None },
    ] {
        assert_eq!(control.change(&update), Err(ControlError::NoSuchTable(far)), "{update:?}");
    }
    for update in [
        Update::InsertMember { profile: none, member: None, action: call },
        Update::DeleteMember { profile: none, member: 0 },
        Update::InsertGroup { profile: none, group: None, members: vec![] },
        Update::DeleteGroup { profile: none, group: 0 },
        Update::WriteCounter { counter: none, index: 0, value },
        Update::ResetCounter { counter: register },
        Update::WriteRegister { register: counter, index: 0, value: Bits::zero(1) },
        Update::ResetRegister { register: counter },
        Update::WriteMeter { meter: none, index: 0, config: None },
        Update::WriteMeterArray { meter: counter, config: None },
        Update::WriteMeterCounts { meter: register, index: 0, counts: MeterCounts::default() },
    ] {
        let refused = control.change(&update);
        assert!(matches!(refused, Err(ControlError::NoSuchExtern { .. })), "{update:?}: {refused:?}");
    }
}

#[test]
fn wrong_keys_and_arguments_are_refused() {
    let mut switch = switch();
    let prefixes = table(&switch, "I.prefixes");
    let listed = |name| switch.schema().tables[prefixes.index()].actions.iter().find(|a| a.action == name);
    let (drop, paced) = (listed("I.drop").unwrap().id, listed("I.paced").unwrap().id);
    let fixed = table(&switch, "I.fixed");
    let of_table = &switch.schema().tables[prefixes.index()].actions;
    let ids = (0..switch.schema().actions.len()).map(ActionId::new);
    let other = ids.into_iter().find(|id| of_table.iter().all(|listed| listed.id != *id)).unwrap();
    let other = Call { action: other, args: vec![] };
    let mut control = switch.control();
    let entry = |matches: Vec<Match>, action: Call| Entry {
        matches,
        priority: None,
        action: action.into(),
        idle_timeout: None,
    };
    let mut insert =
        |matches, action| control.change(&Update::Insert { table: prefixes, entry: entry(matches, action) });
    let call = |action, args| Call { action, args };
    let any = || vec![Match::Any];
    let error = ControlError::KeyCount { table: prefixes, given: 0 };
    assert_eq!(insert(vec![], call(drop, vec![])), Err(error));
    let error = ControlError::ArgumentCount { action: drop, given: 1 };
    assert_eq!(insert(any(), call(drop, vec![Bits::zero(1)])), Err(error));
    let far = ActionId::new(1000);
    let error = ControlError::ActionNotInTable { table: prefixes, action: far };
    assert_eq!(insert(any(), call(far, vec![])), Err(error));
    let error = ControlError::ActionNotInTable { table: prefixes, action: other.action };
    assert_eq!(insert(any(), other), Err(error));
    let value = Bits::ones(33);
    let error = ControlError::ValueTooWide {
        field: Field::Key(prefixes, 0),
        value: value.clone(),
        needs: 33,
        has: 32,
    };
    assert_eq!(insert(vec![Match::Lpm(value, 8)], call(drop, vec![])), Err(error));
    assert_eq!(insert(any(), call(paced, vec![])), Ok(Some(0)));
    let matches = vec![Match::Exact(Bits::zero(8)), Match::Any];
    let refused = control.entry(fixed, &EntryRef::Key { matches, priority: None });
    assert_eq!(refused, Err(ControlError::KeyCount { table: fixed, given: 2 }));
    let parameters = CrcParameters {
        polynomial: 0x1_0000,
        initial: 0,
        final_xor: 0,
        reflect_in: false,
        reflect_out: false,
    };
    let refused =
        control.change(&Update::SetCrc { calculation: Calculation::All(CrcAlgorithm::Crc16), parameters });
    assert!(matches!(refused, Err(ControlError::ValueTooWide { field: Field::Crc(..), .. })), "{refused:?}");
}
