//! Programs as controllers send them.

mod bench;

use bench::{Bench, Controller, PROGRAM, config, set};
use tonic::{Code, Status};
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::ForwardingPipelineConfig as Config;
use weir_p4runtime::proto::v1::get_forwarding_pipeline_config_request::ResponseType;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;

async fn try_set(controller: &mut Controller, action: Action, config: Option<Config>) -> Result<(), Status> {
    controller.client.set_forwarding_pipeline_config(set(1, action, config)).await.map(|_| ())
}

async fn get(controller: &mut Controller, parts: ResponseType) -> Option<Config> {
    let request = v1::GetForwardingPipelineConfigRequest { device_id: 1, response_type: parts as i32 };
    controller.client.get_forwarding_pipeline_config(request).await.unwrap().into_inner().config
}

/// Sends everything to a port.
fn to_port(port: u16) -> String {
    let line = format!("sm.egress_spec = {port}; return;");
    PROGRAM.replace("/*INGRESS*/", &line)
}

const FRAME: [u8; 60] = [2; 60];

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_program_runs_once_it_is_committed() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    assert_eq!(get(&mut controller, ResponseType::All).await, None);
    assert!(bench.owner.send(1, &FRAME).is_empty());

    for action in [Action::Verify, Action::VerifyAndSave] {
        try_set(&mut controller, action, Some(config(to_port(2).as_bytes()))).await.unwrap();
        assert!(bench.owner.send(1, &FRAME).is_empty(), "the old program still runs");
    }
    try_set(&mut controller, Action::Commit, None).await.unwrap();
    let out = bench.owner.send(1, &FRAME);
    assert_eq!((out.len(), out[0].port), (1, 2));
    assert_eq!(try_set(&mut controller, Action::Commit, None).await.unwrap_err().code(), Code::NotFound);

    controller.start(1, &to_port(3)).await.unwrap();
    assert_eq!(bench.owner.send(1, &FRAME)[0].port, 3);
    assert_eq!(bench.owner.switch.lock().unwrap().stats().received, 5, "statistics go on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_was_set_can_be_read() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let cookie = Some(v1::forwarding_pipeline_config::Cookie { cookie: 77 });
    let text = to_port(2).into_bytes();
    let whole = Config { cookie, ..config(&text) };
    try_set(&mut controller, Action::VerifyAndCommit, Some(whole)).await.unwrap();
    let read = get(&mut controller, ResponseType::All).await.unwrap();
    assert_eq!((&read.p4_device_config, read.cookie), (&text, cookie));
    let none = Config { cookie, ..Config::default() };
    assert_eq!(get(&mut controller, ResponseType::CookieOnly).await.unwrap(), none);
    let tables = &read.p4info.as_ref().unwrap().tables;
    assert_eq!(tables[0].preamble.as_ref().unwrap().name, "TestIngress.destinations");
    let device = get(&mut controller, ResponseType::DeviceConfigAndCookie).await.unwrap();
    assert_eq!(device, Config { p4_device_config: text, ..none.clone() });
    let info = get(&mut controller, ResponseType::P4infoAndCookie).await.unwrap();
    assert_eq!(info, Config { p4info: read.p4info, ..none });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn actions_need_what_they_need() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let program = || Some(config(PROGRAM.as_bytes()));
    for (action, config, code) in [
        (Action::Unspecified, program(), Code::InvalidArgument),
        (Action::Verify, None, Code::InvalidArgument),
        (Action::VerifyAndSave, None, Code::InvalidArgument),
        (Action::VerifyAndCommit, None, Code::InvalidArgument),
        (Action::ReconcileAndCommit, None, Code::InvalidArgument),
        (Action::Commit, program(), Code::InvalidArgument),
        (Action::Commit, None, Code::NotFound),
    ] {
        let status = try_set(&mut controller, action, config).await.unwrap_err();
        assert_eq!(status.code(), code, "{action:?}: {status}");
    }
    let mut other = bench.client().await;
    let request = set(9, Action::VerifyAndCommit, program());
    let status = other.set_forwarding_pipeline_config(request).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_device_config_has_several_forms() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let program = weir_program::compile(
        "p.p4",
        &*weir_p4runtime::ProgramFiles::loader(&bench::Files, "p.p4", &to_port(4)),
        &[],
    );
    let ir = weir_ir::text::print(&program.program.unwrap());
    // PI's message: 1: true, 3: the program.
    let mut wrapped = vec![8, 1, 26];
    prost::encoding::encode_varint(to_port(3).len() as u64, &mut wrapped);
    wrapped.extend(to_port(3).bytes());
    for (text, port) in [(wrapped, 3), (ir.into_bytes(), 4)] {
        try_set(&mut controller, Action::VerifyAndCommit, Some(config(&text))).await.unwrap();
        assert_eq!(bench.owner.send(1, &FRAME)[0].port, port);
    }
    // Nothing keeps the program, BMv2's JSON names it.
    try_set(&mut controller, Action::VerifyAndCommit, Some(config(b""))).await.unwrap();
    assert_eq!(bench.owner.send(1, &FRAME)[0].port, 4);
    let json = br#"{"program": "known.p4", "tables": []}"#;
    try_set(&mut controller, Action::VerifyAndCommit, Some(config(json))).await.unwrap();
    assert!(bench.owner.send(1, &FRAME).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn programs_that_cannot_run_are_refused_with_the_reason() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    for (text, expected) in [
        (
            b"#include <core.p4>\nerror { A }\ncontrol c() { apply { x = 1; } }\n".as_slice(),
            "p4_device_config.p4:3:",
        ),
        (br#"{"program": "other.p4"}"#, "Send the text of the P4 program"),
        (b"\x7fELF\0", "binary (5 bytes)"),
        (b"file \"x\" nonsense", "no IR"),
    ] {
        let status = try_set(&mut controller, Action::Verify, Some(config(text))).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains(expected), "{}", status.message());
    }
    assert_eq!(get(&mut controller, ResponseType::All).await, None);
}

/// Entries of `destinations` and cells of the counter `seen`.
async fn held(controller: &mut Controller) -> (usize, Vec<i64>) {
    use v1::entity::Entity;
    let entries = controller.read(Entity::TableEntry(v1::TableEntry::default())).await.unwrap();
    let entries = entries
        .iter()
        .filter(|entity| matches!(entity, Entity::TableEntry(entry) if !entry.is_default_action));
    let cells = controller.read(Entity::CounterEntry(v1::CounterEntry::default())).await.unwrap();
    let cells = cells.into_iter().filter_map(|entity| match entity {
        Entity::CounterEntry(cell) => cell.data.map(|data| data.packet_count),
        _ => None,
    });
    (entries.count(), cells.collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_reconciliation_keeps_what_fits() {
    use v1::entity::Entity;
    use v1::update::Type;
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let counting = PROGRAM.replace("/*INGRESS*/", "seen.count((bit<32>) 2);");
    controller.start(1, &counting).await.unwrap();
    let names = controller.names().await;
    let entry = |destination| Entity::TableEntry(names.entry(destination, "forward", Some(3)));
    controller.write(1, [1, 2].map(|destination| (Type::Insert, entry(destination)))).await.unwrap();
    let drop_all = v1::TableEntry {
        r#match: Vec::new(),
        is_default_action: true,
        ..names.entry(1, "to_controller", None)
    };
    controller.write(1, [(Type::Modify, Entity::TableEntry(drop_all))]).await.unwrap();
    bench.owner.send(1, &bench::frame(1, 0x800));
    assert_eq!(held(&mut controller).await, (2, vec![0, 0, 1, 0]));

    let other =
        counting.replace("sm.egress_spec = port;", "sm.egress_spec = port; hdr.ethernet.type = 0x1234;");
    try_set(&mut controller, Action::ReconcileAndCommit, Some(config(other.as_bytes()))).await.unwrap();
    assert_eq!(held(&mut controller).await, (2, vec![0, 0, 1, 0]));
    let out = bench.owner.send(1, &bench::frame(2, 0x800));
    assert_eq!((out[0].port, &out[0].packet.bytes[12..14]), (3, [0x12, 0x34].as_slice()));
    assert_eq!(bench.owner.send(1, &bench::frame(9, 0x800))[0].port, bench::CPU, "the default stays");

    // No room for two entries.
    let smaller = other.replace("size = 1024;", "size = 1;");
    let status = try_set(&mut controller, Action::ReconcileAndCommit, Some(config(smaller.as_bytes()))).await;
    let status = status.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().starts_with("1 parts"), "{}", status.message());
    assert_eq!(held(&mut controller).await, (2, vec![0, 0, 3, 0]), "the old program goes on");
    try_set(&mut controller, Action::VerifyAndCommit, Some(config(other.as_bytes()))).await.unwrap();
    assert_eq!(held(&mut controller).await, (0, vec![0; 4]), "a commit clears");
}
