//! Tests that the client's P4Info determines the rules for selectors, meters and indices.

use weir_p4runtime::Code;
use weir_p4runtime::proto::config::action_profile::{SelectorSizeSemantics, SumOfMembers};
use weir_p4runtime::proto::config::{self, meter_spec};

use crate::bench::{Bench, message, outcomes, p4info};

const SELECTOR: &str = "action_profile_id: 0x11000002";
const DROP: &str = "action { action_id: 0x01000001 }";

/// Returns the codes and messages of single updates on a switch with a changed P4Info.
fn write(change: impl FnOnce(&mut config::P4Info), updates: &[String]) -> Vec<(Code, String)> {
    let mut info = p4info();
    change(&mut info);
    let mut bench = Bench::with(info);
    let outcome = |update: &String| {
        let request = format!("updates {{ {update} }}");
        match bench.write(&message("p4.v1.WriteRequest", &request)) {
            Ok(()) => (Code::Ok, String::new()),
            Err(status) => outcomes(&status).remove(0),
        }
    };
    updates.iter().map(outcome).collect()
}

fn check(found: &[(Code, String)], expected: &[(Code, &str)]) {
    let fits = |((code, message), (wanted, part)): (&(Code, String), &(Code, &str))| {
        code == wanted && message.contains(part)
    };
    assert!(found.len() == expected.len() && found.iter().zip(expected).all(fits), "{found:#?}");
}

fn member(id: u32) -> String {
    format!("type: INSERT entity {{ action_profile_member {{ {SELECTOR} member_id: {id} {DROP} }} }}")
}

fn group(id: u32, max_size: i32, members: &[(u32, i32)]) -> String {
    let members: String = members
        .iter()
        .map(|(member, weight)| format!("members {{ member_id: {member} weight: {weight} }}"))
        .collect();
    format!(
        "type: INSERT entity {{ action_profile_group {{ {SELECTOR} group_id: {id} max_size: {max_size} {members} }} }}"
    )
}

/// Returns an entry with an action set of these weights.
fn set(key: u8, weights: &[i32]) -> String {
    let actions: String = weights
        .iter()
        .map(|weight| format!("action_profile_actions {{ {DROP} weight: {weight} }}"))
        .collect();
    format!(
        r#"type: INSERT entity {{ table_entry {{ table_id: 0x0200000a
        match {{ field_id: 1 exact {{ value: "\x{key:02x}" }} }}
        action {{ action_profile_action_set {{ {actions} }} }} }} }}"#
    )
}

fn selector(info: &mut config::P4Info) -> &mut config::ActionProfile {
    &mut info.action_profiles[1]
}

/// Specification, "Rules on Setting `max_size`".
#[test]
fn groups_without_a_size_in_p4info_have_any_size() {
    let updates = [member(1), group(1, 0, &[(1, 9)]), group(2, 7, &[(1, 7)]), group(3, -1, &[])];
    let outcomes = write(|info| selector(info).max_group_size = 0, &updates);
    check(
        &outcomes,
        &[(Code::Ok, ""), (Code::Ok, ""), (Code::Ok, ""), (Code::InvalidArgument, "`max_size`")],
    );
    // The weights of all groups together may be at most 16.
    let updates = [member(1), group(1, 0, &[(1, 17)])];
    let outcomes = write(|info| selector(info).max_group_size = 0, &updates);
    assert_eq!(outcomes[1].0, Code::ResourceExhausted, "{outcomes:?}");
}

/// Specification, "`ActionProfile`": `sum_of_members` and `max_member_weight`.
#[test]
fn sizes_count_members_if_p4info_says_so() {
    let by_members = |info: &mut config::P4Info| {
        let sizes = SumOfMembers { max_member_weight: 100 };
        *selector(info) = config::ActionProfile {
            max_group_size: 2,
            selector_size_semantics: Some(SelectorSizeSemantics::SumOfMembers(sizes)),
            ..selector(info).clone()
        };
    };
    let members = [member(1), member(2), member(3)];
    let groups =
        [group(1, 2, &[(1, 100), (2, 50)]), group(2, 2, &[(1, 101)]), group(3, 2, &[(1, 1), (2, 1), (3, 1)])];
    let outcomes = write(by_members, &[members.as_slice(), &groups].concat());
    let refused = (Code::InvalidArgument, "must be at most 100, not 101");
    check(
        &outcomes[3..],
        &[(Code::Ok, ""), refused, (Code::ResourceExhausted, "the members are 3 together")],
    );
    let outcomes = write(by_members, &[set(1, &[100, 100]), set(2, &[101]), set(3, &[1, 1, 1])]);
    check(&outcomes, &[(Code::Ok, ""), refused, (Code::InvalidArgument, "the members are 3 together")]);
}

/// The size of a selector counts the members of all its groups. A group that is changed or deleted
/// frees its part of the size.
#[test]
fn groups_share_the_size_of_their_selector() {
    let by_members = |info: &mut config::P4Info| {
        let sizes = SumOfMembers { max_member_weight: 0 };
        selector(info).selector_size_semantics = Some(SelectorSizeSemantics::SumOfMembers(sizes));
    };
    // Each group has some of eight members, and the selector has room for 16.
    let insert = |id: u32, members: u32| {
        let members: Vec<_> = (1..=members).map(|member| (member, 5)).collect();
        group(id, 8, &members)
    };
    let modify = |id: u32, members: u32| insert(id, members).replace("INSERT", "MODIFY");
    let delete = |id: u32| insert(id, 0).replace("INSERT", "DELETE");
    let ok = (Code::Ok, "");
    let full = (Code::ResourceExhausted, "of all groups, the members are 17 together, of at most 16");
    let steps = [
        (insert(1, 8), ok),
        (insert(2, 8), ok),
        (modify(1, 7), ok),
        (insert(3, 2), full),
        (insert(3, 1), ok),
        (modify(1, 8), full),
        (delete(2), ok),
        (insert(4, 8), ok),
        (insert(5, 1), full),
    ];
    let updates: Vec<_> = (1..=8).map(member).chain(steps.iter().map(|(update, _)| update.clone())).collect();
    let outcomes = write(by_members, &updates);
    check(&outcomes[8..], &steps.map(|(_, outcome)| outcome));
}

/// Specification, "Group Programming", "One Shot Action Selector Programming":
/// `weights_disallowed`.
#[test]
fn weights_are_left_out_if_p4info_says_so() {
    let without = |info: &mut config::P4Info| selector(info).weights_disallowed = true;
    let outcomes = write(without, &[member(1), group(1, 8, &[(1, 0)]), group(2, 8, &[(1, 1)])]);
    check(&outcomes[1..], &[(Code::Ok, ""), (Code::InvalidArgument, "must be 0, not 1")]);
    let outcomes = write(without, &[set(1, &[0, 0]), set(2, &[1])]);
    check(&outcomes, &[(Code::Ok, ""), (Code::InvalidArgument, "must be 0, not 1")]);
}

/// Specification, "`MeterEntry` & `DirectMeterEntry`": the rates that each type of meter accepts.
#[test]
fn meters_have_the_rates_of_their_type() {
    use meter_spec::Type::{SingleRateThreeColor, SingleRateTwoColor, TwoRateThreeColor};
    let rates = ["cir: 1 cburst: 2 pir: 3 pburst: 4", "cir: 1 cburst: 2 pir: 1 pburst: 2 eburst: 5"];
    let one_rate = "cir: 1 cburst: 2 pir: 1 pburst: 2";
    let (ok, refused) = (Code::Ok, Code::InvalidArgument);
    for (ty, codes) in [
        (TwoRateThreeColor, [ok, refused, ok]),
        (SingleRateThreeColor, [refused, ok, ok]),
        (SingleRateTwoColor, [refused, refused, ok]),
    ] {
        let change = |info: &mut config::P4Info| {
            info.meters[0].spec.as_mut().unwrap().r#type = ty as i32;
            info.direct_meters[0].spec.as_mut().unwrap().r#type = ty as i32;
        };
        let update = |rates: &str| {
            format!("type: MODIFY entity {{ meter_entry {{ meter_id: 0x14000001 config {{ {rates} }} }} }}")
        };
        let direct = |(number, rates): (usize, &str)| {
            format!(
                r#"type: INSERT entity {{ table_entry {{ table_id: 0x02000002
                match {{ field_id: 1 lpm {{ value: "\x0{number}" prefix_len: 32 }} }}
                action {{ {DROP} }} meter_config {{ {rates} }} }} }}"#
            )
        };
        let all = [rates[0], rates[1], one_rate];
        let updates: Vec<_> =
            all.iter().map(|rates| update(rates)).chain(all.into_iter().enumerate().map(direct)).collect();
        let found_codes: Vec<_> = write(change, &updates).into_iter().map(|(code, _)| code).collect();
        assert_eq!(found_codes, [codes, codes].concat(), "{ty:?}");
    }
}

/// Specification, "Using Port as an Index to a Register, Indirect Counter or Indirect Meter".
#[test]
fn an_index_may_be_a_port() {
    let by_port = |info: &mut config::P4Info| {
        info.counters[0].index_type_name = Some(config::P4NamedType { name: "PortId_t".to_owned() });
    };
    let update = |index: i64| {
        format!(
            "type: MODIFY entity {{ counter_entry {{ counter_id: 0x12000001 index {{ index: {index} }} data {{ }} }} }}"
        )
    };
    let outcomes = write(by_port, &[update(3), update(0xffff_fffd), update(0xffff_fffa)]);
    // The controller's port is 500 in the switch.
    let cpu = (Code::OutOfRange, "500");
    check(&outcomes, &[(Code::Ok, ""), cpu, (Code::InvalidArgument, "no recirculation port")]);
}
