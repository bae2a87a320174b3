//! Clients subscribe, bind, and leave.

use std::sync::Arc;

use tonic::Code;
use weir_bfrt::{Limits, Server, ServerConfig, StartError};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::set_forwarding_pipeline_config_request::Action;
use weir_p4runtime_proto::bfrt::stream_message_request::Update as Request;
use weir_p4runtime_proto::bfrt::stream_message_response::Update as Response;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::{Switch, SwitchConfig};

use crate::bench::{Bench, update};
use crate::tables::Routes;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_program_has_one_client() {
    let bench = Bench::new();
    let mut first = bench.subscribed(7).await;
    assert_eq!(first.status().await, Code::Ok as i32);
    let unbound = first.write(Vec::new()).await.unwrap_err();
    assert_eq!(unbound.code(), Code::FailedPrecondition, "{unbound}");
    let unknown = first.bind("other").await.unwrap_err();
    assert_eq!(unknown.code(), Code::NotFound);
    assert!(unknown.message().contains("has no program \"other\"; it has \"program\""), "{unknown}");
    first.bind("program").await.unwrap();
    first.bind("program").await.unwrap();
    let mut second = bench.subscribed(8).await;
    assert_eq!(second.status().await, Code::Ok as i32);
    let refused = second.bind("program").await.unwrap_err();
    assert_eq!(refused.code(), Code::AlreadyExists);
    assert!(refused.message().contains("client 7"), "{refused}");
    let mut third = bench.subscribed(7).await;
    assert_eq!(third.status().await, Code::InvalidArgument as i32, "the number is taken");
    assert_eq!(bench.server.clients(), 2);
    // The program is free again when the stream of its client has ended.
    drop(first);
    for _ in 0..200 {
        if second.bind("program").await.is_ok() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the first client is still bound");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn binding_needs_a_stream_and_one_program() {
    let bench = Bench::new();
    let mut client = bench.subscribed(1).await;
    assert_eq!(client.status().await, 0);
    for (client_id, device_id, names, expected) in [
        (2, 0, &["program"][..], Code::Unavailable),
        (1, 0, &[], Code::InvalidArgument),
        (1, 0, &["program", "program"], Code::InvalidArgument),
        (1, 5, &["program"], Code::NotFound),
    ] {
        let config = names
            .iter()
            .map(|name| bfrt::ForwardingPipelineConfig { p4_name: (*name).to_owned(), ..Default::default() });
        let request = bfrt::SetForwardingPipelineConfigRequest {
            client_id,
            device_id,
            config: config.collect(),
            ..Default::default()
        };
        let status = client.calls.set_forwarding_pipeline_config(request).await.unwrap_err();
        assert_eq!(status.code(), expected, "{status}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_without_a_stream_name_the_program() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let table_id = client.table("pipe.I.routes").await;
    let read = |client_id, p4_name: &str| bfrt::ReadRequest {
        client_id,
        p4_name: p4_name.to_owned(),
        entities: vec![bfrt::Entity {
            entity: Some(Entity::TableUsage(bfrt::TableUsage { table_id, ..Default::default() })),
        }],
        ..Default::default()
    };
    assert!(client.calls.read(read(99, "program")).await.is_ok());
    for (name, expected) in [("", Code::Unavailable), ("prog", Code::NotFound)] {
        let status = client.calls.read(read(99, name)).await.unwrap_err();
        assert_eq!(status.code(), expected, "{status}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_second_subscription_and_acknowledgements() {
    let bench = Bench::new();
    let mut client = bench.subscribed(1).await;
    assert_eq!(client.status().await, 0);
    client.send(Request::Subscribe(bfrt::Subscribe::default()));
    assert_eq!(client.status().await, 0, "the client repeats itself");
    client.send(Request::DigestAck(bfrt::DigestListAck::default()));
    assert_eq!(client.next().await.unwrap_err().code(), Code::Unimplemented);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_are_limited() {
    let limits = Limits { clients: 1, ..Limits::default() };
    let bench = Bench::with(ServerConfig { limits, ..ServerConfig::default() });
    let _first = bench.bound(1).await;
    let mut second = bench.subscribed(2).await;
    assert_eq!(second.status().await, Code::ResourceExhausted as i32);
}

/// Returns a request of the client 1 about programs.
fn set(
    action: Action,
    config: Vec<bfrt::ForwardingPipelineConfig>,
) -> bfrt::SetForwardingPipelineConfigRequest {
    bfrt::SetForwardingPipelineConfigRequest {
        client_id: 1,
        action: action as i32,
        config,
        ..Default::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_replace_the_program() {
    use bfrt::SetForwardingPipelineConfigResponseType::{WarmInitFinished, WarmInitStarted};
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    let request = bfrt::GetForwardingPipelineConfigRequest::default();
    let known = client.calls.get_forwarding_pipeline_config(request).await.unwrap().into_inner();
    assert!(!known.config[0].profiles[0].binary.is_empty(), "clients can send it back");
    client.write(vec![update(Type::Insert, routes.entry(1, 1))]).await.unwrap();
    let begin = set(Action::VerifyAndWarmInitBegin, known.config.clone());
    client.calls.set_forwarding_pipeline_config(begin.clone()).await.unwrap();
    let status = client.calls.set_forwarding_pipeline_config(begin).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable, "it has begun");
    assert_eq!(routes.all(&mut client).await, [], "clients see the new program");
    client.write(vec![update(Type::Insert, routes.entry(2, 2))]).await.unwrap();
    let running = {
        let mut switch = bench.owner.switch.lock().unwrap();
        let place = switch.schema().tables.iter().position(|table| table.name == "I.routes").unwrap();
        switch.control().entries(weir_ir::TableId::new(place)).unwrap().len()
    };
    assert_eq!(running, 1, "packets see the old program");
    client.calls.set_forwarding_pipeline_config(set(Action::WarmInitEnd, Vec::new())).await.unwrap();
    assert_eq!(routes.all(&mut client).await.len(), 1);
    for expected in [WarmInitStarted, WarmInitFinished] {
        match client.next().await.unwrap() {
            Response::SetForwardingPipelineConfigResponse(done) => {
                assert_eq!(done.set_forwarding_pipeline_config_response_type(), expected);
            }
            other => panic!("{other:?}"),
        }
    }
    // A program of another name needs a new binding.
    let mut other = known.config;
    "other".clone_into(&mut other[0].p4_name);
    let at_once = set(Action::VerifyAndWarmInitBeginAndEnd, other);
    client.calls.set_forwarding_pipeline_config(at_once).await.unwrap();
    let unbound = client.write(vec![update(Type::Insert, routes.entry(1, 1))]).await.unwrap_err();
    assert_eq!(unbound.code(), Code::FailedPrecondition, "{unbound}");
    client.bind("other").await.unwrap();
    assert_eq!(routes.all(&mut client).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn wrong_programs_are_refused() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let config = |name: &str, binaries: &[&str]| bfrt::ForwardingPipelineConfig {
        p4_name: name.to_owned(),
        profiles: binaries
            .iter()
            .map(|binary| bfrt::forwarding_pipeline_config::Profile {
                binary: binary.as_bytes().to_vec(),
                ..Default::default()
            })
            .collect(),
        ..Default::default()
    };
    let ours = || config("program", &[]);
    client.calls.set_forwarding_pipeline_config(set(Action::Verify, vec![ours()])).await.unwrap();
    for (action, configs, code, expected) in [
        (Action::Verify, Vec::new(), Code::InvalidArgument, "the request has 0"),
        (Action::Verify, vec![ours(), ours()], Code::InvalidArgument, "the request has 2"),
        (Action::Verify, vec![config("other", &[])], Code::InvalidArgument, "no program \"other\""),
        (Action::Verify, vec![config("p", &["nonsense"])], Code::InvalidArgument, ""),
        (Action::Verify, vec![config("p", &["a", "b"])], Code::InvalidArgument, "different programs"),
        (Action::WarmInitEnd, vec![ours()], Code::InvalidArgument, "leave `config` out"),
        (Action::WarmInitEnd, Vec::new(), Code::Unavailable, "no program waits for its start"),
        (Action::ReconcileAndWarmInitEnd, Vec::new(), Code::Unimplemented, "is not supported"),
    ] {
        let status = client.calls.set_forwarding_pipeline_config(set(action, configs)).await.unwrap_err();
        assert!(status.code() == code && status.message().contains(expected), "{status}, not {expected}");
    }
}

/// Tests that the server refuses a program, the client's or the running one, if the switch has a
/// port whose number is too large for the program, or is its drop port.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn programs_that_cannot_have_the_ports_of_the_switch_are_refused() {
    for (port, expected) in [(513, "but ports of the program have 9 bits"), (511, "is the drop port")] {
        let bench = Bench::new();
        let mut client = bench.bound(1).await;
        let request = bfrt::GetForwardingPipelineConfigRequest::default();
        let sent = client.calls.get_forwarding_pipeline_config(request).await.unwrap().into_inner().config;
        let mut running = sent.clone();
        running[0].profiles.clear();
        {
            let mut switch = bench.owner.switch.lock().unwrap();
            let settings = SwitchConfig::default().with_ports([1, port]);
            *switch = Switch::new(Arc::clone(switch.executor()), settings).unwrap();
        }
        for configs in [sent, running] {
            let request = set(Action::VerifyAndWarmInitBegin, configs);
            let status = client.calls.set_forwarding_pipeline_config(request).await.unwrap_err();
            assert!(
                status.code() == Code::InvalidArgument && status.message().contains(expected),
                "{status}, not {expected}"
            );
        }
    }
}

#[test]
fn other_computers_need_tls() {
    let config = ServerConfig {
        listen: vec![weir_bfrt::Listen::Tcp(([0, 0, 0, 0], 0).into())],
        ..ServerConfig::default()
    };
    assert!(matches!(Server::start(&config, Vec::new()), Err(StartError::Plaintext(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_are_told_that_the_server_stops() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    bench.server.begin_to_stop();
    assert_eq!(client.next().await.unwrap_err().code(), Code::Unavailable);
}
