//! Tests types translated to `string`. Digits stand for the number that they spell. Other texts
//! need a name, or get numbers on request. The same rules hold in keys, parameters, replicas,
//! watched ports, packets and digests.

use std::sync::Arc;

use weir_device::{Device, Packet};
use weir_p4runtime::p4info::p4info;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_data::Data;
use weir_p4runtime::{Code, Texts, Translations, entities};
use weir_switch::control::Replica;

use crate::bench::{Bench, CPU_PORT, compiled_from, message, outcomes, text};

const PROGRAM: &str = include_str!("texts.p4");

fn bench(program: &str) -> Bench {
    let executor = compiled_from(program);
    let info = p4info(weir_exec::Executor::program(&*executor)).unwrap();
    Bench::with_program(executor, info)
}

/// Returns a switch with texts from a file.
fn with_file(file: &str) -> Bench {
    let mut bench = bench(PROGRAM);
    let texts = Texts::read("texts.json", file).unwrap();
    bench.pipeline.set_translations(&Translations { cpu: Some(CPU_PORT), texts });
    bench
}

/// Returns the code and message of an update.
fn write(bench: &mut Bench, update: &str) -> (Code, String) {
    let request = message("p4.v1.WriteRequest", &format!("updates {{ {update} }}"));
    match bench.write(&request) {
        Ok(()) => (Code::Ok, String::new()),
        Err(status) => outcomes(&status).remove(0),
    }
}

/// Returns an entry that matches one port and sends to another.
fn entry(from: &str, to: &str) -> String {
    format!(
        r#"entity {{ table_entry {{ table_id: @TABLE match {{ field_id: 1 exact {{ value: "{from}" }} }}
        action {{ action {{ action_id: @SEND params {{ param_id: 1 value: "{to}" }} }} }} }} }}"#
    )
}

/// Returns an update with the ids of the program's objects.
fn named(bench: &Bench, update: &str) -> String {
    let info = bench.pipeline.p4info();
    let table = |alias: &str| {
        let preambles = info.tables.iter().filter_map(|table| table.preamble.as_ref());
        preambles.into_iter().find(|preamble| preamble.alias == alias).unwrap().id.to_string()
    };
    let action = |alias: &str| {
        let preambles = info.actions.iter().filter_map(|action| action.preamble.as_ref());
        preambles.into_iter().find(|preamble| preamble.alias == alias).unwrap().id.to_string()
    };
    let profile = info.action_profiles[0].preamble.as_ref().unwrap().id.to_string();
    update
        .replace("@TABLE", &table("from_port"))
        .replace("@SPREAD", &table("spread"))
        .replace("@SEND", &action("send"))
        .replace("@ENTER", &action("enter"))
        .replace("@WAYS", &profile)
}

fn insert(bench: &mut Bench, entity: &str) -> (Code, String) {
    let update = named(bench, &format!("type: INSERT {entity}"));
    write(bench, &update)
}

/// Returns the entities that a request reads, as text.
fn read(bench: &mut Bench, request: &str) -> Vec<String> {
    let request = message("p4.v1.Entity", &named(bench, request));
    let (entities, _, done) = bench.read(&[request]);
    done.unwrap();
    entities.iter().map(text).collect()
}

/// Returns the ports at which a frame leaves the switch after it arrives at this port.
fn output_ports(bench: &mut Bench, port: u32) -> Vec<u32> {
    bench.switch.receive(bench.now, port, Packet::new(0, vec![0, 7]));
    let mut sent = Vec::new();
    bench.now += 1_000_000;
    bench.switch.advance(bench.now, &mut sent);
    sent.iter().map(|sent| sent.port).collect()
}

#[test]
fn digits_and_names_stand_for_numbers() {
    let mut bench = bench(PROGRAM);
    assert_eq!(insert(&mut bench, &entry("7", "3")).0, Code::Ok);
    assert_eq!(insert(&mut bench, &entry("Ethernet0", "Ethernet4")).0, Code::Ok);
    assert_eq!(output_ports(&mut bench, 7), [3]);
    assert_eq!(output_ports(&mut bench, 2), [1]);
    // If a number has a name, controllers may also write its digits, which are read back as the
    // name.
    let (code, problem) = insert(&mut bench, &entry("2", "1"));
    assert_eq!(code, Code::AlreadyExists, "{problem}");
    let entries = read(&mut bench, "table_entry { table_id: @TABLE }").join(" ");
    for value in ["\"7\"", "\"3\"", "\"Ethernet0\"", "\"Ethernet4\""] {
        assert!(entries.contains(value), "{entries}");
    }
}

#[test]
fn texts_without_a_number_are_refused() {
    let mut bench = bench(PROGRAM);
    for (text, expected) in [
        (
            "Ethernet9",
            "no number stands for \"Ethernet9\" in the type `port_id_t`; did you mean \"Ethernet0\"?",
        ),
        (
            "\\x02",
            "no number stands for the bytes 0x02 in the type `port_id_t`, which has \"Ethernet0\", \"Ethernet4\"",
        ),
        ("02", "no number stands for \"02\""),
        ("0x2", "no number stands for \"0x2\""),
        ("-1", "no number stands for \"-1\""),
        ("", "no number stands for \"\""),
        ("512", "the value needs 10 bits, but the program has 9"),
    ] {
        for update in [entry(text, "1"), entry("1", text)] {
            let (code, problem) = insert(&mut bench, &update);
            assert!(code != Code::Ok && problem.contains(expected), "{text}: {code:?} {problem}");
        }
    }
    let update = r#"entity { table_entry { table_id: @TABLE match { field_id: 1 exact { value: "1" } }
        action { action { action_id: @ENTER params { param_id: 1 value: "blue" } } } } }"#;
    let (code, problem) = insert(&mut bench, update);
    assert_eq!(code, Code::InvalidArgument);
    assert!(problem.contains("in the type `vrf_id_t`, which has no names"), "{problem}");
}

#[test]
fn replicas_and_watched_ports_are_texts_like_keys() {
    for (kind, number) in
        [("multicast_group_entry", "multicast_group_id"), ("clone_session_entry", "session_id")]
    {
        let mut bench = bench(PROGRAM);
        let replicas = |ports: &str| {
            format!("entity {{ packet_replication_engine_entry {{ {kind} {{ {number}: 1 {ports} }} }} }}")
        };
        let given = r#"replicas { port: "Ethernet0" instance: 1 backup_replicas { port: "5" instance: 2 } }
            replicas { port: "4" instance: 3 } replicas { egress_port: 6 instance: 4 }"#;
        assert_eq!(insert(&mut bench, &replicas(given)), (Code::Ok, String::new()));
        let read = read(&mut bench, &format!("packet_replication_engine_entry {{ {kind} {{ }} }}")).join("");
        for part in ["port:\"Ethernet0\"", "port:\"5\"", "port:\"4\"", "egress_port:6"] {
            assert!(read.replace(": ", ":").contains(part), "{read}");
        }
        let control = bench.switch.control();
        let found = match kind {
            "clone_session_entry" => control.clone_session(1).unwrap().replicas,
            _ => control.multicast_group(1).unwrap().to_vec(),
        };
        assert_eq!(found.iter().map(|replica| replica.port).collect::<Vec<_>>(), [2, 4, 6]);
        assert_eq!(found[0].backups[0].port, 5);
        for (port, expected) in [
            ("Ethernet9", "no number stands for \"Ethernet9\""),
            ("\\x02", "no number stands for the bytes 0x02"),
        ] {
            let wrong = replicas(&format!("replicas {{ port: \"{port}\" instance: 1 }}"))
                .replace(": 1 rep", ": 2 rep");
            let (code, problem) = insert(&mut bench, &wrong);
            assert!(code == Code::InvalidArgument && problem.contains(expected), "{code:?} {problem}");
        }
    }
    let mut bench = bench(PROGRAM);
    let set = |port: &str| {
        format!(
            r#"entity {{ table_entry {{ table_id: @SPREAD match {{ field_id: 1 exact {{ value: "\x07" }} }}
            action {{ action_profile_action_set {{ action_profile_actions {{ weight: 1 watch_port: "{port}"
            action {{ action_id: @SEND params {{ param_id: 1 value: "4" }} }} }} }} }} }} }}"#
        )
    };
    let (code, problem) = insert(&mut bench, &set("Ethernet9"));
    assert!(code == Code::InvalidArgument && problem.contains("no number stands for"), "{problem}");
    assert_eq!(insert(&mut bench, &set("Ethernet4")), (Code::Ok, String::new()));
    let found = read(&mut bench, "table_entry { table_id: @SPREAD }").join("");
    assert!(found.contains("\"Ethernet4\""), "{found}");
}

/// Ports of groups that someone other than a controller configured are also read as texts.
#[test]
fn ports_of_others_are_read_as_their_texts() {
    let mut bench = bench(PROGRAM);
    let replicas = Some(vec![Replica::new(2, 0), Replica::new(9, 0)]);
    let update = weir_switch::control::Update::SetMulticastGroup { group: 3, replicas };
    bench.switch.control().write(&[update]).unwrap();
    let groups = read(&mut bench, "packet_replication_engine_entry { multicast_group_entry { } }").join("");
    let groups = groups.replace(": ", ":");
    assert!(groups.contains("port:\"Ethernet0\"") && groups.contains("port:\"9\""), "{groups}");
}

#[test]
fn packets_and_digests_have_the_texts_of_ports() {
    let mut bench = bench(PROGRAM);
    let packet = entities::packet_in(&bench.pipeline, &[0x01, 0x00, 0xaa]).unwrap();
    let metadata: Vec<_> = packet.metadata.iter().map(|one| one.value.clone()).collect();
    assert_eq!(metadata, [b"Ethernet0".to_vec(), vec![0]]);
    let packet = entities::packet_in(&bench.pipeline, &[0x03, 0x80, 0xaa]).unwrap();
    assert_eq!(packet.metadata[0].value, b"7");
    let send = |port: &str| {
        let one = |id, value: &[u8]| v1::PacketMetadata { metadata_id: id, value: value.to_vec() };
        let metadata = vec![one(1, port.as_bytes()), one(2, &[0])];
        entities::packet_out(&bench.pipeline, &v1::PacketOut { payload: vec![0xaa], metadata })
    };
    assert_eq!(send("Ethernet4").unwrap(), [0x00, 0x80, 0xaa]);
    assert_eq!(send("3").unwrap(), [0x01, 0x80, 0xaa]);
    let problem = send("Ethernet9").unwrap_err().message;
    assert!(problem.contains("`egress_port`") && problem.contains("no number stands for"), "{problem}");
    assert_eq!(output_ports(&mut bench, 2), [0]);
    let sent = bench.switch.control().take_digests();
    let (_, data) = entities::digest(&bench.pipeline, &sent[0]).unwrap();
    let Some(Data::Struct(members)) = data.data else { panic!("it is a struct") };
    assert_eq!(members.members[1].data, Some(Data::Bitstring(b"Ethernet0".to_vec())));
}

#[test]
fn a_file_sets_names_and_allocates_numbers() {
    let file = r#"{
        "port_id_t": {"texts": {"eth0": 2}},
        "vrf_id_t": {"texts": {"": 0}, "allocate": true}
    }"#;
    let mut bench = with_file(file);
    // The file's names replace the program's.
    assert_eq!(insert(&mut bench, &entry("eth0", "3")).0, Code::Ok);
    assert_eq!(output_ports(&mut bench, 2), [3]);
    let (code, problem) = insert(&mut bench, &entry("Ethernet4", "3"));
    assert!(code == Code::InvalidArgument && problem.contains("which has \"eth0\""), "{problem}");
    let enter = |port: u8, vrf: &str| {
        format!(
            r#"entity {{ table_entry {{ table_id: @TABLE match {{ field_id: 1 exact {{ value: "{port}" }} }}
            action {{ action {{ action_id: @ENTER params {{ param_id: 1 value: "{vrf}" }} }} }} }} }}"#
        )
    };
    for (port, vrf) in [(3, "blue"), (4, ""), (5, "red"), (6, "blue"), (7, "9")] {
        assert_eq!(insert(&mut bench, &enter(port, vrf)), (Code::Ok, String::new()));
    }
    let (code, problem) = insert(&mut bench, &enter(8, "1"));
    assert!(code == Code::InvalidArgument && problem.contains("was given to the text \"blue\""), "{problem}");
    let entries = read(&mut bench, "table_entry { table_id: @TABLE }").join("");
    for (text, times) in [("\"blue\"", 2), ("\"red\"", 1), ("\"9\"", 1)] {
        assert_eq!(entries.matches(text).count(), times, "{entries}");
    }
    // If a text has no number, the error also names a misspelt type of the file.
    let mut bench = with_file(r#"{"vrf_idt": {"allocate": true}}"#);
    let (_, problem) = insert(&mut bench, &enter(3, "blue"));
    assert!(problem.contains("the file of texts has the type `vrf_idt`, not `vrf_id_t`"), "{problem}");
}

#[test]
fn wrong_mappings_of_a_program_are_refused_with_their_place() {
    for (from, to, expected) in [
        ("{\"Ethernet4\", 1}", "{\"Ethernet4\", 512}", "the number 512 of \"Ethernet4\" does not fit 9 bits"),
        (
            "{\"Ethernet4\", 1}",
            "{\"Ethernet4\", 2}",
            "the number 2 has two texts: \"Ethernet0\" and \"Ethernet4\"",
        ),
        ("{\"Ethernet4\", 1}", "{Ethernet4, 1}", "expected a text in quotes"),
        (
            "(\"\", string)\n@p4",
            "(\"\", 32)\n@p4",
            "has no effect: only types translated to `string` have texts",
        ),
    ] {
        assert!(PROGRAM.contains(from));
        let executor = compiled_from(&PROGRAM.replacen(from, to, 1));
        let errors = p4info(weir_exec::Executor::program(&*executor)).unwrap_err();
        let error = errors[0].to_string();
        assert!(error.contains(expected) && error.contains("port_id_t"), "{error}");
    }
}

/// Texts keep their allocated numbers when a program is matched again.
#[test]
fn allocated_numbers_outlive_a_program() {
    let texts = Texts::read("texts.json", r#"{"port_id_t": {"allocate": true}}"#).unwrap();
    let seen = |texts: &Arc<Texts>, ports: &[&str]| {
        let mut bench = bench(PROGRAM);
        bench.pipeline.set_translations(&Translations { cpu: None, texts: Arc::clone(texts) });
        let port = |port: &&str| {
            assert_eq!(insert(&mut bench, &entry(port, "0")).0, Code::Ok);
        };
        ports.iter().for_each(port);
        let control = bench.switch.control();
        let entries = control.entries(weir_ir::TableId::new(0)).unwrap();
        entries.iter().map(|entry| format!("{:?}", entry.entry.matches)).collect::<Vec<_>>()
    };
    let first = seen(&texts, &["a", "b"]);
    let second = seen(&texts, &["b", "a"]);
    assert_eq!(first, [second[1].clone(), second[0].clone()]);
    assert_ne!(first[0], first[1]);
}

/// A refused request frees the numbers that it allocated to its texts, and a read allocates none.
#[test]
fn refused_requests_take_no_numbers() {
    let mut bench = with_file(r#"{"port_id_t": {"allocate": true}}"#);
    let first = |bench: &mut Bench, text: &str| {
        assert_eq!(insert(bench, &entry(text, "0")).0, Code::Ok);
        let control = bench.switch.control();
        let entries = control.entries(weir_ir::TableId::new(0)).unwrap();
        format!("{:?}", entries.last().unwrap().entry.matches)
    };
    let first_entry = first(&mut bench, "known");
    // A number is allocated for the key, and then the parameter is refused.
    let wrong = entry("new", "70000");
    assert_ne!(insert(&mut bench, &wrong).0, Code::Ok);
    // An earlier update of a batch that is undone.
    let updates = [entry("other", "0"), wrong].map(|entity| named(&bench, &format!("type: INSERT {entity}")));
    let [good, bad] = updates;
    let batch = format!("atomicity: ROLLBACK_ON_ERROR updates {{ {good} }} updates {{ {bad} }}");
    assert!(bench.write(&message("p4.v1.WriteRequest", &batch)).is_err());
    let question = r#"table_entry { table_id: @TABLE match { field_id: 1 exact { value: "asked" } } }"#;
    let question = message("p4.v1.Entity", &named(&bench, question));
    bench.read(&[question]).2.unwrap_or_default();
    let mut fresh = with_file(r#"{"port_id_t": {"allocate": true}}"#);
    assert_eq!(first(&mut fresh, "known"), first_entry);
    assert_eq!(first(&mut fresh, "next"), first(&mut bench, "next"));
}
