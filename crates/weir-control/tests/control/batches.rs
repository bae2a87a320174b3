//! Batches by names: each name is looked up once, so that names in other orders and forms, other
//! tables and other actions in between must not be mistaken for those before.

use crate::common;

use weir_control::ByName;
use weir_control::by_name::{Call, Entry, EntryRef, Match, Target, Update};
use weir_ir::Bits;
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    common::switch(include_str!("../../../../testdata/switch/control.p4"), SwitchConfig::default())
}

fn call(action: &str, args: &[(&str, u32, u128)]) -> Call {
    let args = args.iter().map(|(name, width, value)| ((*name).to_owned(), Bits::new(*width, *value)));
    Call { action: action.to_owned(), args: args.collect() }
}

fn entry(matches: Vec<(&str, Match)>, priority: Option<u32>, action: Call) -> Entry {
    let matches = matches.into_iter().map(|(name, accepts)| (name.to_owned(), accepts)).collect();
    Entry { matches, priority, action: action.into(), idle_timeout: None }
}

fn insert(table: &str, entry: Entry) -> Update {
    Update::Insert { table: table.to_owned(), entry }
}

fn what(value: u128) -> Match {
    Match::Exact(Bits::new(8, value))
}

fn index(value: u128) -> Match {
    Match::Ternary(Bits::new(8, value), Bits::new(8, 0xff))
}

fn prefix(value: u128, length: u32) -> Match {
    Match::Lpm(Bits::new(32, value), length)
}

fn batch() -> Vec<Update> {
    let to = |port| call("to", &[("port", 9, port)]);
    let answer = |value| call("I.answer", &[("what", 32, value)]);
    let prefixes = |table: &str, value: u128, action| {
        insert(table, entry(vec![("hdr.request.answer", prefix(value << 24, 8))], None, action))
    };
    let all = |keys, priority, action| insert("all_kinds", entry(keys, Some(priority), action));
    let key = || EntryRef::Key { matches: vec![("answer".to_owned(), prefix(2 << 24, 8))], priority: None };
    vec![
        prefixes("prefixes", 1, to(1)),
        prefixes("prefixes", 2, answer(2)),
        prefixes("I.prefixes", 3, to(3)),
        all(vec![("hdr.request.what", what(1)), ("hdr.request.index", index(2))], 1, to(4)),
        // The same keys in another order and in short, then fewer and more.
        all(vec![("index", index(3)), ("what", what(4))], 2, answer(5)),
        all(vec![("hdr.request.what", what(5))], 3, call("NoAction", &[])),
        all(
            vec![
                ("value", Match::Range(Bits::new(16, 1), Bits::new(16, 9))),
                ("index", index(6)),
                ("what", what(6)),
            ],
            4,
            to(6),
        ),
        prefixes("prefixes", 4, call("drop", &[])),
        Update::Modify { table: "prefixes".to_owned(), entry: key(), action: Target::Action(to(7)) },
        Update::Modify { table: "prefixes".to_owned(), entry: key(), action: Target::Action(answer(8)) },
        prefixes("prefixes", 5, to(9)),
        Update::Delete { table: "prefixes".to_owned(), entry: key() },
        prefixes("prefixes", 2, to(10)),
    ]
}

#[test]
fn a_batch_does_what_its_updates_do_one_by_one() {
    let (mut at_once, mut one_by_one) = (switch(), switch());
    let updates = batch();
    let handles = at_once.by_name().write(&updates).unwrap();
    let single: Vec<_> = updates.iter().map(|update| one_by_one.by_name().change(update).unwrap()).collect();
    assert_eq!(handles, single);
    for table in ["prefixes", "all_kinds"] {
        let entries = at_once.by_name().entries(table).unwrap();
        assert_eq!(entries, one_by_one.by_name().entries(table).unwrap());
        assert!(entries.len() >= 4);
    }
}

#[test]
fn wrong_names_are_refused_wherever_they_stand() {
    let to = || call("to", &[("port", 9, 1)]);
    let key = |name: &'static str, value: u128| vec![(name, prefix(value << 24, 8))];
    for (wrong, message) in [
        (insert("prefixs", entry(key("answer", 9), None, to())), "there is no table \"prefixs\""),
        (insert("prefixes", entry(key("answr", 9), None, to())), "table I.prefixes has no key \"answr\""),
        (
            insert("prefixes", entry(key("answer", 9), None, call("too", &[("port", 9, 1)]))),
            "has no action \"too\"",
        ),
        (
            insert("prefixes", entry(key("answer", 9), None, call("to", &[("prt", 9, 1)]))),
            "has no parameter \"prt\"",
        ),
        (insert("prefixes", entry(vec![], None, call("to", &[]))), "action I.to needs the parameter port"),
        (
            insert("prefixes", entry([key("answer", 9), key("answer", 8)].concat(), None, to())),
            "key hdr.request.answer is set twice",
        ),
        // The table of the previous update, named in short, has this action; this table does not.
        (insert("fixed", entry(vec![("index", what(9))], None, to())), "table I.fixed has no action \"to\""),
    ] {
        let mut switch = switch();
        let mut updates = batch();
        updates.push(wrong);
        let error = switch.by_name().write(&updates).unwrap_err();
        assert_eq!(error.index, updates.len() - 1);
        assert!(error.error.to_string().contains(message), "{}", error.error);
        assert_eq!(switch.by_name().entries("prefixes").unwrap(), [], "no part of the batch is done");
    }
}
