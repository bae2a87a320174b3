//! Tests elections, roles and streams as controllers see them.

use crate::bench;

use std::sync::Arc;

use crate::bench::{Bench, Controller, bid, bid_for, election};
use tonic::Code;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::stream_error::Details;
use weir_p4runtime::proto::v1::stream_message_request::Update as Request;
use weir_p4runtime::proto::v1::stream_message_response::Update as Response;
use weir_p4runtime::{Limits, RoleName, Server, SwitchOwner};

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn backups_learn_who_is_primary() {
    let bench = Bench::new();
    let mut first = Controller::open(bench.client().await).await;
    first.bid(5);
    let Ok(Some(Response::Arbitration(update))) = first.next().await else { panic!("no arbitration") };
    assert_eq!((update.device_id, update.election_id, update.role), (1, election(5), None));
    assert_eq!(update.status.unwrap().code, Code::Ok as i32);

    let mut second = Controller::open(bench.client().await).await;
    second.bid(4);
    assert_eq!(second.arbitration().await.unwrap(), Code::AlreadyExists);
    second.bid(6);
    assert_eq!(first.arbitration().await.unwrap(), Code::AlreadyExists);
    assert_eq!(second.arbitration().await.unwrap(), Code::Ok);
    drop(second);
    assert_eq!(first.arbitration().await.unwrap(), Code::NotFound, "nobody is promoted");
    first.bid(6);
    assert_eq!(first.arbitration().await.unwrap(), Code::Ok);

    let clients = bench.server.clients(1);
    assert_eq!(clients.len(), 1);
    assert!(clients[0].is_primary && clients[0].role == RoleName::Default);
    assert!(clients[0].peer.starts_with("127.0.0.1:"), "{}", clients[0].peer);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_stream_ends_with_the_reason() {
    let bench = Bench::new();
    let primary = bench.controller(5).await;
    let refused = |update: v1::MasterArbitrationUpdate| async {
        let mut controller = Controller::open(bench.client().await).await;
        controller.send(Request::Arbitration(update));
        controller.next().await.unwrap_err().code()
    };
    assert_eq!(refused(bid(5)).await, Code::InvalidArgument);
    assert_eq!(refused(v1::MasterArbitrationUpdate { device_id: 7, ..bid(6) }).await, Code::NotFound);
    let config = prost_types::Any { type_url: "type.googleapis.com/x.Y".to_owned(), value: Vec::new() };
    let role = v1::Role { name: "r".to_owned(), config: Some(config), ..Default::default() };
    let with_role = v1::MasterArbitrationUpdate { role: Some(role), ..bid(6) };
    assert_eq!(refused(with_role).await, Code::InvalidArgument);

    let other_role = v1::Role { name: "r".to_owned(), ..Default::default() };
    for update in [
        v1::MasterArbitrationUpdate { role: Some(other_role), ..bid(5) },
        v1::MasterArbitrationUpdate { device_id: 2, ..bid(5) },
    ] {
        let mut controller = bench.controller(9).await;
        controller.send(Request::Arbitration(update));
        let status = controller.next().await.unwrap_err();
        assert_eq!(status.code(), Code::FailedPrecondition, "{status}");
    }
    drop(primary);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_bid_that_is_refused_ends_the_stream() {
    let bench = Bench::new();
    let other_config = prost_types::Any { type_url: "x.Y".to_owned(), value: Vec::new() };
    let role = |name: &str| v1::Role {
        name: name.to_owned(),
        config: Some(other_config.clone()),
        ..Default::default()
    };
    for (update, code) in [
        (bid(5), Code::InvalidArgument),
        (v1::MasterArbitrationUpdate { role: Some(role("")), ..bid(7) }, Code::InvalidArgument),
        (v1::MasterArbitrationUpdate { role: Some(role("r")), ..bid(7) }, Code::FailedPrecondition),
        (bid_for("r", None, 7), Code::FailedPrecondition),
        (v1::MasterArbitrationUpdate { device_id: 2, ..bid(7) }, Code::FailedPrecondition),
    ] {
        let mut other = bench.controller(5).await;
        // The primary leaves with its stream.
        let mut primary = bench.controller(6).await;
        assert_eq!(other.arbitration().await.unwrap(), Code::AlreadyExists);
        primary.send(Request::Arbitration(update.clone()));
        assert_eq!(primary.end().await.code(), code, "{update:?}");
        assert_eq!(other.arbitration().await.unwrap(), Code::NotFound);
        assert_eq!(bench.server.clients(1).len(), 1);
        drop((primary, other));
        bench.left().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn notices_go_only_to_the_controllers_that_they_concern() {
    let bench = Bench::new();
    let mut first = Controller::open(bench.client().await).await;
    first.send(Request::Arbitration(v1::MasterArbitrationUpdate { election_id: None, ..bid(0) }));
    let notice = first.notice().await;
    assert_eq!((notice.election_id, notice.status.unwrap().code), (None, Code::NotFound as i32));
    let mut second = bench.controller(0).await;
    let notice = first.notice().await;
    assert_eq!((notice.election_id, notice.status.unwrap().code), (election(0), Code::AlreadyExists as i32));
    // A backup bids again and remains backup.
    first.send(Request::Arbitration(v1::MasterArbitrationUpdate { election_id: None, ..bid(0) }));
    assert_eq!(first.arbitration().await.unwrap(), Code::AlreadyExists);
    assert!(!second.has_message().await);
    // The primary bids again and remains primary.
    let mut second = bench.controller(9).await;
    assert_eq!(first.arbitration().await.unwrap(), Code::AlreadyExists);
    second.bid(9);
    assert_eq!(second.arbitration().await.unwrap(), Code::Ok);
    assert_eq!(first.arbitration().await.unwrap(), Code::AlreadyExists);
    // The primary steps down.
    second.bid(3);
    for controller in [&mut first, &mut second] {
        let notice = controller.notice().await;
        assert_eq!((notice.election_id, notice.status.unwrap().code), (election(9), Code::NotFound as i32));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn elections_do_not_survive_a_restart() {
    let Bench { server, owner } = Bench::new();
    let address = server.addresses().to_vec();
    let bench = Bench { server, owner: owner.clone() };
    drop(bench.controller(9).await);
    bench.left().await;
    assert_eq!(Controller::bid_once(&bench, 1).await, Code::NotFound);
    tokio::task::spawn_blocking(|| bench.server.stop()).await.unwrap();
    let settings = weir_p4runtime::ServerConfig { listen: address, ..bench::settings() };
    let bench = Bench::of(settings, owner);
    assert_eq!(Controller::bid_once(&bench, 1).await, Code::Ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn device_0_stands_for_the_only_device() {
    let bench = Bench::new();
    let mut controller = Controller::open(bench.client().await).await;
    controller.send(Request::Arbitration(v1::MasterArbitrationUpdate { device_id: 0, ..bid(5) }));
    let Ok(Some(Response::Arbitration(update))) = controller.next().await else { panic!("no arbitration") };
    assert_eq!(update.device_id, 0, "as the controller gave it");
    controller.send(Request::Arbitration(bid(6)));
    assert_eq!(controller.arbitration().await.unwrap(), Code::Ok, "0 and 1 are the same device");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_write_is_identified_by_device_role_and_election_id() {
    let devices = [3, 5].map(|number| (number, bench::Owner::new() as Arc<dyn SwitchOwner>));
    let server = Server::start(bench::settings(), devices.into()).unwrap();
    let mut client = bench::connect(&server).await;
    let primaries = [(3, "", 1), (3, "r", 2), (5, "", 2)];
    let mut streams = Vec::new();
    for (device_id, role, id) in primaries {
        let mut controller = Controller::open(client.clone()).await;
        let update = v1::MasterArbitrationUpdate { device_id, ..bid_for(role, None, id) };
        controller.send(Request::Arbitration(update));
        assert_eq!(controller.arbitration().await.unwrap(), Code::Ok);
        streams.push(controller);
    }
    for device_id in [3, 5] {
        for role in ["", "r"] {
            for id in [1, 2] {
                let expected = match (device_id, role, id) {
                    // A primary's request fails only because no program is set.
                    primary if primaries.contains(&primary) => Code::FailedPrecondition,
                    (5, "r", _) => Code::NotFound,
                    _ => Code::PermissionDenied,
                };
                let (role, election_id) = (role.to_owned(), election(id));
                let request = v1::WriteRequest { device_id, role, election_id, ..Default::default() };
                let status = client.write(request).await.unwrap_err();
                assert_eq!(status.code(), expected, "{device_id} {id}: {status}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn writes_are_checked_in_order() {
    let bench = Bench::new();
    let mut client = bench.client().await;
    let request = v1::WriteRequest { device_id: 1, election_id: election(5), ..Default::default() };
    let mut code = async |request: v1::WriteRequest| client.write(request).await.unwrap_err().code();
    assert_eq!(code(v1::WriteRequest { device_id: 7, ..request.clone() }).await, Code::NotFound);
    assert_eq!(code(v1::WriteRequest { role: "r".to_owned(), ..request.clone() }).await, Code::NotFound);
    assert_eq!(code(request.clone()).await, Code::PermissionDenied, "there is no primary");
    let _primary = bench.controller(5).await;
    assert_eq!(code(v1::WriteRequest { election_id: None, ..request.clone() }).await, Code::PermissionDenied);
    assert_eq!(
        code(v1::WriteRequest { election_id: election(4), ..request.clone() }).await,
        Code::PermissionDenied
    );
    assert_eq!(code(request).await, Code::FailedPrecondition, "there is no program");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_new_primary_waits_for_writes_that_run() {
    let bench = Bench::new();
    let mut first = bench.controller(1).await;
    first.start(1, bench::PROGRAM).await.unwrap();
    let mut second = bench.controller(0).await;
    let held = bench.hold();
    let writing = first.begin_write(1).await;

    second.bid(2);
    assert_eq!(first.arbitration().await.unwrap(), Code::AlreadyExists);
    for id in [1, 2] {
        let status = second.write(id, []).await.unwrap_err();
        assert_eq!(status.code(), Code::PermissionDenied, "nobody may begin a write now");
    }
    assert!(!writing.is_finished() && !second.has_message().await);
    drop(held);
    writing.await.unwrap().unwrap();
    assert_eq!(second.arbitration().await.unwrap(), Code::Ok);
    second.write(2, []).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_new_primary_waits_for_writes_of_one_that_has_left() {
    let bench = Bench::new();
    let mut first = bench.controller(1).await;
    first.start(1, bench::PROGRAM).await.unwrap();
    let mut second = bench.controller(0).await;
    let held = bench.hold();
    let writing = first.begin_write(1).await;
    drop(first);
    assert_eq!(second.arbitration().await.unwrap(), Code::NotFound);
    second.bid(2);
    assert!(!second.has_message().await);
    drop(held);
    writing.await.unwrap().unwrap();
    assert_eq!(second.arbitration().await.unwrap(), Code::Ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn roles_by_number_are_roles_too() {
    let bench = Bench::new();
    let mut controller = Controller::open(bench.client().await).await;
    #[expect(deprecated, reason = "protocol versions before 1.4")]
    let role = v1::Role { id: 3, ..Default::default() };
    controller.send(Request::Arbitration(v1::MasterArbitrationUpdate { role: Some(role.clone()), ..bid(5) }));
    let Ok(Some(Response::Arbitration(update))) = controller.next().await else { panic!("no arbitration") };
    assert_eq!(update.role, Some(role));
    #[expect(deprecated, reason = "protocol versions before 1.4")]
    let request =
        v1::WriteRequest { device_id: 1, role_id: 3, election_id: election(5), ..Default::default() };
    assert_eq!(controller.client.write(request).await.unwrap_err().code(), Code::FailedPrecondition);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_full_role_refuses_streams() {
    let limits = Limits { streams: 2, ..Limits::default() };
    let bench = Bench::with(weir_p4runtime::ServerConfig { limits, ..bench::settings() });
    let mut first = bench.controller(1).await;
    let mut second = bench.controller(2).await;
    let mut third = Controller::open(bench.client().await).await;
    third.bid(0);
    assert_eq!(third.next().await.unwrap_err().code(), Code::ResourceExhausted);
    // A controller that will be primary takes the place of a backup.
    let mut third = Controller::open(bench.client().await).await;
    third.bid(3);
    assert_eq!(third.arbitration().await.unwrap(), Code::Ok);
    assert_eq!(first.end().await.code(), Code::ResourceExhausted);
    assert_eq!(second.arbitration().await.unwrap(), Code::AlreadyExists);
}

/// A client without rights can neither keep names of roles nor take a role's places and ids.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_role_is_free_again_after_a_client_that_took_everything() {
    let bench = Bench::new();
    let client = bench.client().await;
    for number in 0..300 {
        let mut controller = Controller::open(client.clone()).await;
        controller.send(Request::Arbitration(bid_for(&format!("role {number}"), None, 1)));
        assert_eq!(controller.arbitration().await.unwrap(), Code::Ok, "{number}");
        drop(controller);
        bench.left().await;
    }
    let mut backups = Vec::new();
    let without_id = v1::MasterArbitrationUpdate { election_id: None, ..bid(0) };
    loop {
        let mut controller = Controller::open(client.clone()).await;
        controller.send(Request::Arbitration(without_id.clone()));
        match controller.arbitration().await {
            Ok(_) => backups.push(controller),
            Err(status) => break assert_eq!(status.code(), Code::ResourceExhausted),
        }
    }
    assert_eq!(backups.len(), 16, "a quarter of the places");
    let mut last = Controller::open(client).await;
    let id = Some(v1::Uint128 { high: u64::MAX, low: u64::MAX });
    last.send(Request::Arbitration(v1::MasterArbitrationUpdate { election_id: id, ..bid(0) }));
    assert_eq!(last.arbitration().await.unwrap(), Code::Ok);
    drop(last);
    while bench.server.clients(1).len() > backups.len() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    assert_eq!(Controller::bid_once(&bench, 1).await, Code::Ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn refused_messages_are_sent_back_with_the_error() {
    let bench = Bench::new();
    let mut controller = Controller::open(bench.client().await).await;
    let packet = v1::PacketOut { payload: vec![1, 2, 3], metadata: Vec::new() };
    controller.send(Request::Packet(packet.clone()));
    let error = controller.error().await;
    assert_eq!(error.canonical_code, Code::PermissionDenied as i32);
    let details = v1::PacketOutError { packet_out: Some(packet) };
    assert_eq!(error.details, Some(Details::PacketOut(details)));

    let ack = v1::DigestListAck { digest_id: 1, list_id: 2 };
    controller.send(Request::DigestAck(ack));
    let error = controller.error().await;
    assert_eq!(
        error.details,
        Some(Details::DigestListAck(v1::DigestListAckError { digest_list_ack: Some(ack) }))
    );

    let any = prost_types::Any { type_url: "type.googleapis.com/x.Y".to_owned(), value: vec![1] };
    controller.send(Request::Other(any.clone()));
    let error = controller.error().await;
    assert_eq!(error.canonical_code, Code::Unimplemented as i32);
    assert_eq!(error.details, Some(Details::Other(v1::StreamOtherError { other: Some(any) })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_stop_ends_streams() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let address = bench.address();
    tokio::task::spawn_blocking(|| bench.server.stop()).await.unwrap();
    assert_eq!(controller.next().await.unwrap_err().code(), Code::Unavailable);
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn capabilities_name_the_version() {
    let bench = Bench::new();
    let mut client = bench.client().await;
    for device_id in [0, 1] {
        let answer = client.capabilities(v1::CapabilitiesRequest { device_id }).await.unwrap();
        assert_eq!(answer.into_inner().p4runtime_api_version, "1.5.0");
    }
    let status = client.capabilities(v1::CapabilitiesRequest { device_id: 9 }).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
}
