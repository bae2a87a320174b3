//! Matches a client's P4Info with the program.

use weir_p4runtime::Pipeline;
use weir_p4runtime::proto::config;

use weir_p4runtime::proto::v1::{self, entity::Entity};
use weir_switch::control::OtherSchema;

use crate::bench::{Bench, outcomes, p4info};

type Change = fn(&mut config::P4Info);

/// Returns the differences after a change of the P4Info.
fn differs(change: impl FnOnce(&mut config::P4Info)) -> Vec<String> {
    let bench = Bench::new();
    let mut info = p4info();
    change(&mut info);
    match Pipeline::new(info, bench.switch.program(), bench.switch.schema()) {
        Ok(_) => Vec::new(),
        Err(error) => error.0,
    }
}

#[test]
fn a_p4info_may_leave_objects_out() {
    assert_eq!(differs(|_| {}), [""; 0]);
    assert_eq!(differs(|info| *info = config::P4Info::default()), [""; 0]);
    assert_eq!(differs(|info| info.registers.clear()), [""; 0]);
    assert_eq!(differs(|info| drop(info.tables[0].action_refs.pop())), [""; 0]);
}

#[test]
fn unknown_objects_are_listed_with_the_nearest_name() {
    let problems = differs(|info| {
        info.tables[0].preamble.as_mut().unwrap().name = "MyIngress.exact_mach".to_owned();
        info.tables[1].match_fields[0].name = "hdr.flow.dts".to_owned();
        info.actions[1].params[0].name = "prt".to_owned();
        info.counters[0].preamble.as_mut().unwrap().name = "hit".to_owned();
        info.controller_packet_metadata[0].metadata[1].name = "reasons".to_owned();
    });
    for part in [
        "the program has no table `MyIngress.exact_mach`; did you mean `MyIngress.exact_match`?",
        "the table `MyIngress.lpm_match` has no match field `hdr.flow.dts`; did you mean `hdr.flow.dst`?",
        "the action `MyIngress.forward` has no parameter `prt`; did you mean `port`?",
        "the program has no counter `hit`; did you mean `MyIngress.hits`?",
        "the controller header `packet_in` has no field `reasons`; did you mean `reason`?",
    ] {
        assert!(problems.iter().any(|problem| problem == part), "{part}\n{problems:#?}");
    }
}

#[test]
fn differences_from_the_program_are_listed() {
    let cases: [(&str, Change); 18] = [
        ("has 17 bits, in the program 16", |info| info.tables[0].match_fields[0].bitwidth = 17),
        ("is matched `exact` in the program", |info| {
            let lpm = config::match_field::MatchType::Lpm as i32;
            info.tables[0].match_fields[0].r#match = Some(config::match_field::Match::MatchType(lpm));
        }),
        ("has 1 match fields, in the program 2", |info| drop(info.tables[0].match_fields.pop())),
        ("has 0 parameters, in the program 1", |info| info.actions[1].params.clear()),
        ("has its part 1 twice", |info| {
            let fields = &mut info.tables[0].match_fields;
            (fields[1].name, fields[1].bitwidth) = (fields[0].name.clone(), fields[0].bitwidth);
        }),
        ("has two parts with the id 1", |info| info.tables[0].match_fields[1].id = 1),
        ("has the id 0, which no object may have", |info| info.tables[0].preamble.as_mut().unwrap().id = 0),
        ("which another has", |info| info.tables[0].preamble.as_mut().unwrap().id = 0x0200_0002),
        ("a table has no `preamble`", |info| info.tables[0].preamble = None),
        ("which the P4Info does not have", |info| info.tables[0].action_refs[0].id = 77),
        ("has another implementation in the program", |info| info.tables[8].implementation_id = 0),
        ("which is not an action profile", |info| info.tables[8].implementation_id = 0x0200_0001),
        ("is a selector in the program", |info| info.action_profiles[1].with_selector = false),
        ("has no idle time-outs in the program", |info| info.tables[0].idle_timeout_behavior = 1),
        ("belongs to no table in the program", |info| info.direct_counters[0].direct_table_id = 0x0200_0001),
        ("has cells of another type in the program", |info| {
            info.registers[0].type_spec = info.registers[1].type_spec.clone();
        }),
        ("the P4Info has no `type_info`", |info| drop(info.type_info.take())),
        ("has no extern objects of the type", |info| info.externs.push(config::Extern::default())),
    ];
    for (part, change) in cases {
        let problems = differs(change);
        assert!(problems.iter().any(|problem| problem.contains(part)), "{part}\n{problems:#?}");
    }
}

/// Types that contain themselves are refused, and resolving them terminates.
#[test]
fn types_without_end_are_refused() {
    let problems = differs(|info| {
        let types = info.type_info.as_mut().unwrap();
        let pair = types.structs.get_mut("pair_t").unwrap();
        let name = config::P4NamedType { name: "pair_t".to_owned() };
        let own =
            config::P4DataTypeSpec { type_spec: Some(config::p4_data_type_spec::TypeSpec::Struct(name)) };
        for member in &mut pair.members {
            member.type_spec = Some(own.clone());
        }
    });
    assert!(problems.iter().any(|problem| problem.contains("contains too many others")), "{problems:#?}");
}

#[test]
fn objects_without_messages_have_names_but_no_entries() {
    let mut bench = Bench::new();
    let mut schema = bench.switch.schema().clone();
    let (name, of_type) = ("MyIngress.tally".to_owned(), "Tally".to_owned());
    schema.other_objects.push(OtherSchema { name, of_type, type_number: 0x81 });
    let pipeline = |type_id, name: &str| {
        let preamble = config::Preamble { id: 0x8100_0007, name: name.to_owned(), ..Default::default() };
        let instances = vec![config::ExternInstance { preamble: Some(preamble), info: None }];
        let tallies =
            config::Extern { extern_type_id: type_id, extern_type_name: "Tally".to_owned(), instances };
        let info = config::P4Info { externs: vec![tallies], ..p4info() };
        Pipeline::new(info, bench.switch.program(), &schema).map_err(|error| error.0)
    };
    assert_eq!(
        pipeline(0x82, "MyIngress.taly").unwrap_err(),
        [
            "the extern type `Tally` has the id 0x82, not 0x81",
            "the program has no extern object `MyIngress.taly`; did you mean `MyIngress.tally`?"
        ]
    );
    bench.pipeline = pipeline(0x81, "MyIngress.tally").unwrap();
    for (extern_id, part) in [
        (
            0x8100_0007,
            "the extern object `MyIngress.tally` of the type `Tally` can be neither read nor written",
        ),
        (0x8100_0008, "the P4Info has no extern object with the id 0x81000008"),
        (0, "Weir has no messages for externs"),
    ] {
        let entry = v1::ExternEntry { extern_type_id: 0x81, extern_id, entry: None };
        let entity = v1::Entity { entity: Some(Entity::ExternEntry(entry)) };
        let (_, _, read) = bench.read(std::slice::from_ref(&entity));
        let update = v1::Update { r#type: v1::update::Type::Insert as i32, entity: Some(entity) };
        let request = v1::WriteRequest { updates: vec![update], ..v1::WriteRequest::default() };
        let written = outcomes(&bench.write(&request).unwrap_err());
        assert!(read.unwrap_err().message().contains(part), "{part}");
        assert!(written[0].1.contains(part), "{written:?}");
    }
}
