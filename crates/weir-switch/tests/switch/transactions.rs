//! Batches: all updates or none, each update by itself, and parts of several updates.

use std::convert::Infallible;

use crate::bench::{Bench, config};
use weir_device::Buffer;
use weir_ir::{Bits, TableId};
use weir_switch::control::{Call, ControlError, Entry, EntryRef, Match, Target, Update};
use weir_switch::{Switch, SwitchConfig};

const BENCH: Bench = Bench {
    items: "
table ingress.route @100:5 {
  key hdr.tag.port: exact hdr.tag.port @101:9
  action ingress.forward
  action ingress.drop
  default ingress.drop()
  size 3
}
",
    verify: "",
    ingress: "apply ingress.route;",
    egress: "",
    update: "",
    package: "V1Switch",
};

fn route() -> TableId {
    TableId::new(0)
}

fn switch() -> Switch {
    BENCH.load(SwitchConfig { pass_latency: 0, ..config() }).unwrap()
}

fn forward(switch: &Switch, port: u128) -> Target {
    let forward = switch.schema().actions.iter().position(|action| action.name == "ingress.forward");
    let action = weir_ir::ActionId::new(forward.expect("the action is there"));
    Target::Action(Call { action, args: vec![Bits::new(if port < 512 { 9 } else { 10 }, port)] })
}

fn matches(key: u128) -> Vec<Match> {
    vec![Match::Exact(Bits::new(16, key))]
}

fn insert(switch: &Switch, key: u128, port: u128) -> Update {
    let action = forward(switch, port);
    Update::Insert {
        table: route(),
        entry: Entry { matches: matches(key), priority: None, action, idle_timeout: None },
    }
}

fn delete(key: u128) -> Update {
    Update::Delete { table: route(), entry: EntryRef::Key { matches: matches(key), priority: None } }
}

/// Returns the keys of the table, in order.
fn keys(switch: &mut Switch) -> Vec<u64> {
    let key = |entry: weir_switch::control::EntryState| match &entry.entry.matches[..] {
        [Match::Exact(value)] => value.low_u64(),
        other => panic!("{other:?}"),
    };
    switch.control().entries(route()).unwrap().into_iter().map(key).collect()
}

/// Does the updates that are right, in order, in one transaction.
fn write_each(switch: &mut Switch, updates: &[Update]) -> Vec<Result<Option<u64>, ControlError>> {
    let mut control = switch.control();
    let done: Result<_, Infallible> = control
        .transaction(|transaction| Ok(updates.iter().map(|update| transaction.write(update)).collect()));
    done.unwrap()
}

#[test]
fn all_valid_updates_are_done() {
    let mut switch = switch();
    let updates = [
        insert(&switch, 1, 1),
        insert(&switch, 1, 2),
        delete(7),
        insert(&switch, 2, 600),
        insert(&switch, 2, 2),
        Update::Clear { table: TableId::new(9) },
        insert(&switch, 3, 3),
        insert(&switch, 4, 4),
        delete(1),
        insert(&switch, 4, 4),
    ];
    let done = write_each(&mut switch, &updates);
    let handles: Vec<_> = done.iter().map(|done| done.as_ref().ok().copied()).collect();
    let inserted = |handle| Some(Some(handle));
    assert_eq!(
        handles,
        [inserted(0), None, None, None, inserted(1), None, inserted(2), None, Some(None), inserted(3)]
    );
    let errors: Vec<_> = done.into_iter().filter_map(Result::err).collect();
    assert_eq!(errors[0], ControlError::Duplicate { table: route(), handle: 0 });
    assert_eq!(errors[1], ControlError::NoSuchEntry { table: route(), handle: None });
    assert!(matches!(errors[2], ControlError::ValueTooWide { needs: 10, has: 9, .. }));
    assert_eq!(errors[3], ControlError::NoSuchTable(TableId::new(9)));
    assert_eq!(errors[4], ControlError::TableFull { table: route(), size: 3 });
    assert_eq!((errors.len(), keys(&mut switch)), (5, vec![2, 3, 4]));
}

#[test]
fn a_part_that_fails_changes_nothing() {
    let mut switch = switch();
    let updates = [1, 2, 3].map(|key| insert(&switch, key, key));
    let (again, modify) = (insert(&switch, 3, 3), forward(&switch, 8));
    let done: Result<Vec<bool>, Infallible> = switch.control().transaction(|transaction| {
        // Consecutive entries in separate parts: only the entries of the last part are removed.
        let mut done = vec![transaction.undo_on_error(|part| part.write(&updates[0])).is_ok()];
        let second = transaction.undo_on_error(|part| {
            part.write(&updates[1])?;
            part.write(&updates[2])?;
            part.write(&Update::Modify { table: route(), entry: EntryRef::Handle(0), action: modify })?;
            assert!(part.undo_on_error(|inner| inner.write(&again)).is_err(), "an inner part may fail");
            assert_eq!(part.control().table_state(route()).unwrap().entries, 3);
            part.write(&delete(9))
        });
        done.push(second.is_ok());
        done.push(transaction.write(&updates[1]).is_ok());
        Ok(done)
    });
    assert_eq!(done, Ok(vec![true, false, true]));
    assert_eq!(keys(&mut switch), [1, 2]);
    let first = switch.control().entry(route(), &EntryRef::Handle(0)).unwrap();
    assert_eq!(first.entry.action, forward(&switch, 1), "the change is taken back");
    let failed = switch.control().transaction(|transaction| {
        transaction.undo_on_error(|part| part.write(&Update::Clear { table: route() }))?;
        transaction.write(&delete(1))
    });
    assert!(failed.is_err());
    assert_eq!(keys(&mut switch), [1, 2], "a part that was right is taken back with the whole");
}

#[test]
fn workers_see_a_transaction_when_it_ends() {
    let mut switch = switch();
    let updates = [1, 2].map(|key| insert(&switch, key, key));
    let mut worker = switch.worker();
    let mut ports = || {
        let mut buffers = [1u8, 2].map(|key| {
            let mut buffer = Buffer::new(64);
            buffer.receive(3, 0, &[0, key, 0, 0, 0, 0, 0, 0]);
            buffer
        });
        worker.forward(0, &mut buffers, &mut Vec::new(), &mut Vec::new());
        buffers.map(|buffer| buffer.metadata.egress_port)
    };
    assert_eq!(ports(), [None, None]);
    let mut control = switch.control();
    let done: Result<(), ControlError> = control.transaction(|transaction| {
        for update in &updates {
            transaction.undo_on_error(|part| part.write(update))?;
            assert_eq!(ports(), [None, None], "not before the end");
        }
        Ok(())
    });
    assert_eq!((done, ports()), (Ok(()), [Some(1), Some(2)]));
    let each = write_each(&mut switch, &[delete(1), delete(1)]);
    assert_eq!((each.iter().filter(|done| done.is_ok()).count(), ports()), (1, [None, Some(2)]));
}
