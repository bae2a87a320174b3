//! Tests programs in the forms in which controllers send them.

use crate::bench;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::bench::{Bench, Controller, Owner, PROGRAM, config, set};
use tonic::{Code, Status};
use weir_p4runtime::proto::config::{self, ActionRef, P4Info, PkgInfo, PlatformProperties, Preamble};
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::ForwardingPipelineConfig as Config;
use weir_p4runtime::proto::v1::get_forwarding_pipeline_config_request::ResponseType;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;
use weir_switch::{Switch, SwitchConfig};

pub async fn try_set(
    controller: &mut Controller,
    action: Action,
    config: Option<Config>,
) -> Result<(), Status> {
    controller.client.set_forwarding_pipeline_config(set(1, action, config)).await.map(|_| ())
}

async fn get(controller: &mut Controller, parts: ResponseType) -> Option<Config> {
    let request = v1::GetForwardingPipelineConfigRequest { device_id: 1, response_type: parts as i32 };
    controller.client.get_forwarding_pipeline_config(request).await.unwrap().into_inner().config
}

/// Returns the code that sends every packet to a port.
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
    assert_eq!(bench.owner.prepared.load(Ordering::SeqCst), 2, "packets pass while programs are prepared");
    try_set(&mut controller, Action::Commit, None).await.unwrap();
    let transmissions = bench.owner.send(1, &FRAME);
    assert_eq!((transmissions.len(), transmissions[0].port), (1, 2));
    assert_eq!(try_set(&mut controller, Action::Commit, None).await.unwrap_err().code(), Code::NotFound);

    controller.start(1, &to_port(3)).await.unwrap();
    assert_eq!(bench.owner.send(1, &FRAME)[0].port, 3);
    assert_eq!(bench.owner.switch.lock().unwrap().stats().received, 5, "statistics go on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_program_that_was_set_can_be_read() {
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
async fn each_action_needs_its_arguments() {
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
async fn requests_are_checked_in_order() {
    let bench = Bench::new();
    let mut client = bench.client().await;
    let request = set(5, Action::VerifyAndCommit, None);
    let mut code = async |request: v1::SetForwardingPipelineConfigRequest| {
        client.set_forwarding_pipeline_config(request).await.unwrap_err().code()
    };
    let other = |device_id: u64, role: &str| v1::SetForwardingPipelineConfigRequest {
        device_id,
        role: role.to_owned(),
        ..request.clone()
    };
    assert_eq!(code(other(7, "")).await, Code::NotFound);
    assert_eq!(code(other(1, "r")).await, Code::NotFound);
    assert_eq!(code(request.clone()).await, Code::PermissionDenied, "there is no primary");
    let _primary = bench.controller(5).await;
    assert_eq!(code(set(4, Action::VerifyAndCommit, None)).await, Code::PermissionDenied);
    assert_eq!(code(request.clone()).await, Code::InvalidArgument, "there is no config");
    let mut get = async |device_id, response_type| {
        let request = v1::GetForwardingPipelineConfigRequest { device_id, response_type };
        client.get_forwarding_pipeline_config(request).await.map(|_| ()).map_err(|status| status.code())
    };
    assert_eq!(get(7, 0).await, Err(Code::NotFound));
    assert_eq!(get(1, 9).await, Err(Code::InvalidArgument));
    assert_eq!(get(1, 0).await, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_program_that_was_saved_last_is_committed_once() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    for port in [2, 3] {
        let saved = config(to_port(port).as_bytes());
        try_set(&mut controller, Action::VerifyAndSave, Some(saved)).await.unwrap();
    }
    // A program that cannot run does not replace the running program.
    for action in [Action::VerifyAndSave, Action::VerifyAndCommit, Action::ReconcileAndCommit] {
        let wrong = try_set(&mut controller, action, Some(config(b"control"))).await;
        assert_eq!(wrong.unwrap_err().code(), Code::InvalidArgument);
    }
    try_set(&mut controller, Action::Commit, None).await.unwrap();
    assert_eq!(bench.owner.send(1, &FRAME)[0].port, 3);
    // A commit of another program discards the saved one.
    try_set(&mut controller, Action::VerifyAndSave, Some(config(to_port(2).as_bytes()))).await.unwrap();
    controller.start(1, &to_port(4)).await.unwrap();
    assert_eq!(try_set(&mut controller, Action::Commit, None).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(bench.owner.send(1, &FRAME)[0].port, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_config_is_read_as_it_was_written() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    controller.start(1, PROGRAM).await.unwrap();
    let mut p4info = controller.names().await.0;
    p4info.counters.clear();
    p4info.tables[0].preamble.as_mut().unwrap().id = 0x0200_0007;
    // The text is longer than gRPC's usual limit of 4 MiB.
    let text = format!("{PROGRAM}{}", "// a comment\n".repeat(400_000));
    for cookie in [None, Some(0), Some(u64::MAX)] {
        let whole = Config {
            p4info: Some(p4info.clone()),
            p4_device_config: text.clone().into_bytes(),
            cookie: cookie.map(|cookie| v1::forwarding_pipeline_config::Cookie { cookie }),
        };
        try_set(&mut controller, Action::VerifyAndCommit, Some(whole.clone())).await.unwrap();
        assert!(get(&mut controller, ResponseType::All).await == Some(whole));
    }
}

/// A switch whose program controllers see from the start.
struct Shown(Arc<Owner>);

impl weir_p4runtime::SwitchOwner for Shown {
    fn with_switch(
        &self,
        act: &mut dyn FnMut(&mut weir_switch::Switch, weir_device::Nanos),
    ) -> Result<(), weir_p4runtime::Unavailable> {
        self.0.with_switch(act)
    }

    fn receive(&self, port: weir_device::Port, frame: &[u8]) -> Result<(), weir_p4runtime::Unavailable> {
        self.0.receive(port, frame)
    }

    fn shows_program(&self) -> bool {
        true
    }

    fn cpu_port(&self) -> Option<weir_device::Port> {
        self.0.cpu_port()
    }

    fn warn(&self, problem: &str) {
        self.0.warn(problem);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_program_that_no_controller_sent_has_no_cookie() {
    let owner = Arc::new(Shown(Owner::new()));
    let server = weir_p4runtime::Server::start(bench::settings(), vec![(1, owner)]).unwrap();
    let mut controller = Controller::open(bench::connect(&server).await).await;
    controller.bid(1);
    controller.arbitration().await.unwrap();
    let config = get(&mut controller, ResponseType::All).await.unwrap();
    assert_eq!((config.p4info.is_some(), config.cookie), (true, None));
    controller.write(1, []).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_program_may_need_too_much_of_the_platform() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    controller.start(1, PROGRAM).await.unwrap();
    let p4info = controller.names().await.0;
    for (size, total, each, problem) in [
        (65_535, i32::MAX, i32::MAX, None),
        (0, 0, 0, None),
        (65_536, 0, 0, Some("65536 multicast groups; a switch has 65535")),
        (1, 8, 9, Some("9 replicas in a multicast group, and 8 in all groups")),
        (-1, 0, 0, Some("negative")),
    ] {
        let properties = PlatformProperties {
            multicast_group_table_size: size,
            multicast_group_table_total_replicas: total,
            multicast_group_table_max_replicas_per_entry: each,
        };
        let package = PkgInfo { platform_properties: Some(properties), ..PkgInfo::default() };
        let mut p4info = p4info.clone();
        p4info.pkg_info = Some(package);
        let config = Config { p4info: Some(p4info), ..config(PROGRAM.as_bytes()) };
        let set = try_set(&mut controller, Action::Verify, Some(config)).await;
        match problem {
            None => set.unwrap(),
            Some(part) => {
                let status = set.unwrap_err();
                assert_eq!(status.code(), Code::InvalidArgument);
                assert!(status.message().contains(part), "{status}");
            }
        }
    }
}

/// Compilers list different actions in P4Info, and different parameters of actions, if only the
/// program itself calls these actions.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn only_actions_of_tables_must_fit_the_program() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    controller.start(1, PROGRAM).await.unwrap();
    let mut p4info = controller.names().await.0;
    let called = |id, name: &str| config::Action {
        preamble: Some(Preamble { id, name: name.to_owned(), ..Preamble::default() }),
        params: Vec::new(),
    };
    p4info.actions.push(called(0x0100_0001, "I.only_called"));
    let whole = |p4info: P4Info| Some(Config { p4info: Some(p4info), ..config(PROGRAM.as_bytes()) });
    try_set(&mut controller, Action::VerifyAndCommit, whole(p4info.clone())).await.unwrap();

    p4info.tables[0].action_refs.push(ActionRef { id: 0x0100_0001, ..ActionRef::default() });
    let status = try_set(&mut controller, Action::Verify, whole(p4info)).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("no action `I.only_called`"), "{}", status.message());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_device_config_has_several_forms() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let program = weir_load::compile(
        "p.p4",
        &*weir_p4runtime::ProgramFiles::loader(&bench::Files, "p.p4", &to_port(4)),
        &[],
    );
    let ir = weir_ir::text::print(&program.program.unwrap());
    // PI's message has two fields: 1 is `true`, 3 is the program.
    let mut wrapped = vec![8, 1, 26];
    prost::encoding::encode_varint(to_port(3).len() as u64, &mut wrapped);
    wrapped.extend(to_port(3).bytes());
    for (text, port) in [(wrapped, 3), (ir.into_bytes(), 4)] {
        try_set(&mut controller, Action::VerifyAndCommit, Some(config(&text))).await.unwrap();
        assert_eq!(bench.owner.send(1, &FRAME)[0].port, port);
    }
    // The only remaining form of the program is p4c's JSON.
    try_set(&mut controller, Action::VerifyAndCommit, Some(config(b""))).await.unwrap();
    assert_eq!(bench.owner.send(1, &FRAME)[0].port, 4);
    let json = include_bytes!("../../../../testdata/bmv2_json/swap.json");
    try_set(&mut controller, Action::VerifyAndCommit, Some(config(json))).await.unwrap();
    assert_eq!(bench.owner.send(1, &FRAME)[0].port, 2);
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
        (br#"{"program": "other.p4"}"#, "carries no P4 program, and p4c did not compile it for BMv2"),
        (
            br#"{"program": "other.p4", "pipelines": [], "parsers": [], "headers": []}"#,
            "there is no \"egress_spec\" in the standard metadata",
        ),
        (b"#include \"secret.txt\"\n", "inside the server's folders only"),
        (b"#include \"../core.p4\"\n", "inside the server's folders only"),
        (b"\x7fELF\0", "binary (5 bytes)"),
        (b"file \"x\" nonsense", "is not an IR"),
    ] {
        let status = try_set(&mut controller, Action::Verify, Some(config(text))).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains(expected), "{}", status.message());
    }
    assert_eq!(get(&mut controller, ResponseType::All).await, None);
}

/// Tests that a program is refused if the switch has a port whose number is too large for the
/// program, or is its drop port.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn programs_that_cannot_have_the_ports_of_the_switch_are_refused() {
    for (port, expected) in [
        (513, "the switch has port 513, but ports of the program have 9 bits, 0 to 511"),
        (511, "the switch has port 511, which is the drop port of the program"),
    ] {
        let bench = Bench::new();
        {
            let mut switch = bench.owner.switch.lock().unwrap();
            let settings = SwitchConfig::default().with_ports([1, port]);
            *switch = Switch::new(Arc::clone(switch.executor()), settings).unwrap();
        }
        let mut controller = bench.controller(1).await;
        let program = PROGRAM.as_bytes();
        for action in
            [Action::Verify, Action::VerifyAndSave, Action::VerifyAndCommit, Action::ReconcileAndCommit]
        {
            let status = try_set(&mut controller, action, Some(config(program))).await.unwrap_err();
            assert_eq!(status.code(), Code::InvalidArgument);
            assert!(status.message().contains(expected), "{}", status.message());
        }
    }
}

/// Tests that programs are refused for their size in each form, before they take memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn programs_have_a_limit_in_bytes_and_parts() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let spaces = " ".repeat(16 << 20);
    let cells = "counter(0x4000001, CounterType.packets_and_bytes) large;\n counter(4,";
    for (text, expected) in [
        (format!("const bit<8> x = 1;{spaces}"), "a program has at most 16 MiB of text"),
        (format!("{{{spaces}}}"), "p4_device_config is too large"),
        (format!("errors {{ A }}{spaces}"), "p4_device_config is too large"),
        (format!("errors {{ {} }}", "A, ".repeat(1 << 21)), "more than 4194304 words"),
        (format!("{{\"a\": [{}0]}}", "0,".repeat(1 << 21)), "at most 2097152 values"),
        (
            PROGRAM.replace("counter(4,", cells),
            "counter `TestIngress.large` is too large: its 67108865 cells",
        ),
    ] {
        let status =
            try_set(&mut controller, Action::Verify, Some(config(text.as_bytes()))).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
        assert!(status.message().contains(expected), "{}", status.message());
    }
}

/// Returns the entries of `destinations` and the cells of the counter `seen`.
async fn entries_and_counts(controller: &mut Controller) -> (usize, Vec<i64>) {
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
    assert_eq!(entries_and_counts(&mut controller).await, (2, vec![0, 0, 1, 0]));

    let other =
        counting.replace("sm.egress_spec = port;", "sm.egress_spec = port; hdr.ethernet.type = 0x1234;");
    try_set(&mut controller, Action::ReconcileAndCommit, Some(config(other.as_bytes()))).await.unwrap();
    assert_eq!(entries_and_counts(&mut controller).await, (2, vec![0, 0, 1, 0]));
    let transmissions = bench.owner.send(1, &bench::frame(2, 0x800));
    assert_eq!((transmissions[0].port, &transmissions[0].packet.bytes[12..14]), (3, [0x12, 0x34].as_slice()));
    assert_eq!(bench.owner.send(1, &bench::frame(9, 0x800))[0].port, bench::CPU, "the default stays");

    // The new table has no room for two entries.
    let smaller = other.replace("size = 1024;", "size = 1;");
    let status = try_set(&mut controller, Action::ReconcileAndCommit, Some(config(smaller.as_bytes()))).await;
    let status = status.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().starts_with("1 entries and settings"), "{}", status.message());
    assert_eq!(entries_and_counts(&mut controller).await, (2, vec![0, 0, 3, 0]), "the old program goes on");
    try_set(&mut controller, Action::VerifyAndCommit, Some(config(other.as_bytes()))).await.unwrap();
    assert_eq!(entries_and_counts(&mut controller).await, (0, vec![0; 4]), "a commit clears");
}
