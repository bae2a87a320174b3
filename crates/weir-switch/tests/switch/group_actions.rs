//! Action sets with a group action, which runs before the action that the selector chooses.

use crate::bench::{call, compile, entry, exact, run, start};
use crate::by_name::{ActionSet, ByName, Call, EntryRef, Target, Update, WeightedCall};
use weir_device::{Device, Packet};
use weir_ir::Bits;
use weir_switch::trace::StepKind;
use weir_switch::{Switch, SwitchConfig};

const PROGRAM: &str = include_str!("../../../../testdata/switch/group_actions.p4");

fn switch() -> Switch {
    start(&compile(PROGRAM, &[]), SwitchConfig::default().with_ports(0..=16))
}

fn send(port: u128) -> Call {
    call("send", &[("port", port)])
}

fn set(group_action: Option<Call>, ports: &[u128]) -> Target {
    let actions = ports.iter().map(|port| WeightedCall::new(send(*port), 1)).collect();
    Target::OneOf(ActionSet { actions, at_random: false, group_action })
}

fn tag_some() -> Call {
    call("tag_some", &[("tag", 0x7a67), ("long", 0x1234 << 40 | 5)])
}

/// Returns the port, mark and tag of a request's packet, and the number of the action that
/// `action_run` names.
fn outcome(switch: &mut Switch, group: u8, way: u8, source: u32) -> (u32, u16, u16, u8) {
    let mut bytes = vec![group, way];
    bytes.extend(source.to_be_bytes());
    bytes.extend([0; 5]);
    let now = switch.next_deadline().unwrap_or(0);
    switch.receive(now, 1, Packet::new(0, bytes));
    let output = run(switch).remove(0);
    let word = |at: usize| u16::from_be_bytes([output.packet.bytes[at], output.packet.bytes[at + 1]]);
    (output.port, word(6), word(8), output.packet.bytes[10])
}

#[test]
fn a_group_action_runs_before_the_chosen_action() {
    let mut switch = switch();
    let mark = call("mark", &[("port", 77)]);
    for (group, first) in [(1, Some(mark)), (2, Some(tag_some())), (3, None)] {
        switch.by_name().insert("balance", entry(&[("group", exact(group))], set(first, &[3, 4]))).unwrap();
    }
    let mut ports = [0; 5];
    for source in 0..200 {
        let (port, mark, tag, ran) = outcome(&mut switch, 1, 0, source);
        assert_eq!((mark, tag, ran), (77, 0, 2));
        assert_eq!(outcome(&mut switch, 2, 0, source), (port, 0x1234, 0x7a67, 2), "the choice is the same");
        assert_eq!(outcome(&mut switch, 3, 0, source), (port, 0, 0, 2));
        ports[port as usize] += 1;
    }
    assert!(ports[3] > 50 && ports[4] > 50, "{ports:?}");
    // `return` ends only the group action; `exit` ends the control.
    assert!(matches!(outcome(&mut switch, 2, 1, 0), (3 | 4, 0x1234, 0, 2)));
    assert_eq!(outcome(&mut switch, 2, 2, 0), (9, 0x1234, 0, 0));
}

#[test]
fn without_an_action_that_takes_part_the_default_runs_alone() {
    let mut switch = switch();
    let none = set(Some(call("mark", &[("port", 1)])), &[]);
    switch.by_name().insert("balance", entry(&[("group", exact(1))], none)).unwrap();
    assert_eq!(outcome(&mut switch, 1, 0, 0), (0, 0, 0, 5));
}

#[test]
fn sets_read_back_as_they_were_written() {
    let mut switch = switch();
    let (first, second) = (set(Some(tag_some()), &[3, 4]), set(Some(call("mark", &[("port", 9)])), &[5]));
    let key = [("group", exact(1))];
    let handle = switch.by_name().insert("balance", entry(&key, first.clone())).unwrap();
    let read = |switch: &mut Switch| {
        let names = switch.by_name();
        names.entries("balance").unwrap().remove(0).entry.action
    };
    // When read back, values have the widths of the parameters, and names are full.
    let qualified = |target: Target| {
        let Target::OneOf(mut of) = target else { panic!("a set was written") };
        let actions = of.actions.iter_mut().map(|one| &mut one.action);
        for call in actions.chain(&mut of.group_action) {
            for (name, value) in &mut call.args {
                let width = match (call.action.as_str(), name.as_str()) {
                    ("send", _) => 9,
                    (_, "long") => 72,
                    _ => 16,
                };
                *value = Bits::new(width, value.to_u128().unwrap());
            }
            call.action.insert_str(0, "I.");
        }
        Target::OneOf(of)
    };
    assert_eq!(read(&mut switch), qualified(first.clone()));
    let modify = |action| Update::Modify { table: "balance".into(), entry: EntryRef::Handle(handle), action };
    // A failed batch restores the first set.
    let failing = [modify(second.clone()), modify(Target::Group(8))];
    switch.by_name().write(&failing).unwrap_err();
    assert_eq!(read(&mut switch), qualified(first));
    assert_eq!(outcome(&mut switch, 1, 0, 0).1, 0x1234);
    switch.by_name().write(&[modify(second.clone())]).unwrap();
    assert_eq!(read(&mut switch), qualified(second));
    assert_eq!(outcome(&mut switch, 1, 0, 0), (5, 9, 0, 2));
}

#[test]
fn only_marked_actions_can_be_group_actions() {
    let mut switch = switch();
    let mark = || call("mark", &[("port", 1)]);
    let mut refused = |action: Target| {
        let error = switch.by_name().insert("balance", entry(&[("group", exact(1))], action)).unwrap_err();
        error.to_string()
    };
    let not_marked = "cannot be a group action of table";
    assert!(refused(set(Some(send(1)), &[2])).contains(not_marked));
    let only = "is for the group action of action sets of table I.balance only (@groupaction)";
    let error = refused(vec![WeightedCall::new(mark(), 1)].into());
    assert!(error.contains(only), "{error}");
    let member = Update::InsertMember { profile: "paths".into(), member: Some(1), action: mark() };
    let error = switch.by_name().write(&[member]).unwrap_err().to_string();
    assert!(error.contains(only), "{error}");
    let default = switch.by_name().set_default("balance", mark()).unwrap_err().to_string();
    assert!(default.contains(only), "{default}");
}

#[test]
fn composed_actions_are_in_the_text_of_the_ir_and_in_traces_only() {
    let program = compile(PROGRAM, &[]);
    let text = weir_ir::text::print(&program);
    assert_eq!(weir_ir::text::parse(&text).unwrap(), *program);
    assert_eq!(text.matches(" composed ").count(), 5, "two firsts and two seconds, one first and one second");
    let mut switch = switch();
    let tables = switch.control().schema().tables.clone();
    let names: Vec<_> = tables[0].actions.iter().map(|listed| listed.action.as_str()).collect();
    assert_eq!(names, ["I.mark", "I.send", "I.drop", "I.tag_some", "NoAction"]);
    let target = set(Some(call("mark", &[("port", 7)])), &[3]);
    switch.by_name().insert("balance", entry(&[("group", exact(1))], target)).unwrap();
    switch.trace_next(1);
    outcome(&mut switch, 1, 0, 0);
    let (steps, _) = switch.take_trace();
    let actions = steps.iter().filter_map(|step| match &step.what {
        StepKind::Action { action, .. } => Some(action.as_str()),
        _ => None,
    });
    assert_eq!(actions.take(3).collect::<Vec<_>>(), ["I.mark, I.send", "I.mark", "I.send"]);
}
