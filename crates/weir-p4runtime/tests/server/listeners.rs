//! Tests sockets and limits.

use crate::bench;

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use crate::bench::{Bench, Controller, Owner, settings};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use weir_accept::Reason;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_runtime_client::P4RuntimeClient;
use weir_p4runtime::{KeepAlive, Limits, Listen, Server, ServerConfig, StartError, SwitchOwner};

async fn version(channel: Channel) -> Result<String, Status> {
    let request = v1::CapabilitiesRequest { device_id: 1 };
    let answer = P4RuntimeClient::new(channel).capabilities(request).await?;
    Ok(answer.into_inner().p4runtime_api_version)
}

#[test]
fn the_default_is_port_9559_with_room_for_large_messages() {
    let config = ServerConfig::new(bench::executor, bench::Files);
    assert_eq!(config.listen, [Listen::Tcp(([127, 0, 0, 1], 9559).into())]);
    assert_eq!((config.limits.message_bytes, config.limits.memory), (64 << 20, 256 << 20));
}

#[test]
fn plaintext_beyond_loopback_must_be_asked_for() {
    let anywhere = || vec![Listen::Tcp(([0, 0, 0, 0], 0).into())];
    let refused = Server::start(ServerConfig { listen: anywhere(), ..settings() }, vec![(1, Owner::new())]);
    assert!(matches!(refused, Err(StartError::Plaintext(_))));
    let config = ServerConfig { listen: anywhere(), plaintext_beyond_loopback: true, ..settings() };
    Server::start(config, vec![(1, Owner::new())]).unwrap();
}

#[test]
fn servers_that_cannot_start_say_why() {
    let one = || Owner::new() as Arc<dyn SwitchOwner>;
    let start = |config, devices| Server::start(config, devices).map(|_| ()).unwrap_err().to_string();
    assert!(start(settings(), vec![]).contains("at least one device"));
    assert!(start(settings(), vec![(1, one()), (1, one())]).contains("number 1"));
    assert!(start(ServerConfig { listen: vec![], ..settings() }, vec![(1, one())]).contains("address"));
    let bench = Bench::new();
    let listen = vec![Listen::Tcp(bench.address())];
    let taken = start(ServerConfig { listen, ..settings() }, vec![(1, one())]);
    let expected =
        format!("P4Runtime cannot be served at {}: another program listens there", bench.address());
    assert!(taken.starts_with(&expected) && taken.contains("`--p4runtime`"), "{taken}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_unix_socket_serves_its_user() {
    let path = std::env::temp_dir().join(format!("weir-p4runtime-{}.sock", std::process::id()));
    let listen = vec![Listen::Unix(path.clone())];
    // The socket of a server that was killed does not prevent listening.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let bench = Bench::with(ServerConfig { listen: listen.clone(), ..settings() });
    assert_eq!(bench.server.addresses(), listen);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let second = Server::start(ServerConfig { listen, ..settings() }, vec![(1, Owner::new())]);
    assert!(matches!(second, Err(StartError::Listen { .. })), "the socket is in use");
    let channel = Endpoint::from_shared(format!("unix:{}", path.display())).unwrap().connect().await.unwrap();
    let mut controller = Controller::open(P4RuntimeClient::new(channel)).await;
    controller.bid(1);
    assert_eq!(controller.arbitration().await.unwrap(), Code::Ok);
    assert!(bench.server.clients(1)[0].peer.starts_with("unix"));
    drop((controller, bench));
    assert!(!path.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn messages_and_connections_are_limited() {
    let limits = Limits { message_bytes: 10_000, connections: 1, newcomers: 1, ..Limits::default() };
    let keep_alive = KeepAlive { opening: Duration::from_millis(500), ..KeepAlive::default() };
    let bench = Bench::with(ServerConfig { limits, keep_alive, ..settings() });
    let mut controller = bench.controller(1).await;
    let status = controller.start(1, &"// a comment\n".repeat(1000)).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
    // The controller's stream keeps its place, so another connection is served for a short time
    // only.
    let endpoint = Endpoint::from_shared(format!("http://{}", bench.address())).unwrap();
    let channel = endpoint.connect().await.unwrap();
    assert_eq!(version(channel.clone()).await.unwrap(), "1.5.0");
    for _ in 0..1000 {
        if bench.server.connections().closed(Reason::NoPlace) == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let counts = bench.server.connections();
    assert_eq!((counts.closed(Reason::NoPlace), counts.placed, counts.newcomers), (1, 1, 0));
    assert_eq!(controller.write(1, []).await.unwrap_err().code(), Code::FailedPrecondition);
}

/// Two bytes on the wire become several hundred bytes in memory: a message of 1 MiB would take half
/// a gigabyte.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn messages_that_would_grow_in_memory_are_refused() {
    let bench = Bench::with(settings());
    let mut controller = bench.controller(1).await;
    let updates = vec![v1::Update::default(); 1 << 19];
    let election_id = Some(v1::Uint128 { high: 0, low: 1 });
    let request = v1::WriteRequest { device_id: 1, election_id, updates, ..Default::default() };
    let status = controller.client.write(request).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    assert!(status.message().contains("more than 134217728 bytes of memory"), "{status}");
    // The next call is answered.
    assert_eq!(controller.write(1, []).await.unwrap_err().code(), Code::FailedPrecondition);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn connections_that_do_not_begin_make_room_and_end() {
    let limits = Limits { connections: 8, ..Limits::default() };
    let keep_alive = KeepAlive { opening: Duration::from_millis(300), ..KeepAlive::default() };
    let bench = Bench::with(ServerConfig { limits, keep_alive, ..settings() });
    let mut controller = bench.controller(1).await;
    let open = |sent: &'static [u8]| {
        let mut socket = std::net::TcpStream::connect(bench.address()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.write_all(sent).unwrap();
        socket
    };
    let half_open: Vec<_> =
        (0..50).map(|number| open(if number % 2 == 0 { b"" } else { b"PRI * HTTP/2" })).collect();
    // Neither the existing connections nor new ones are affected.
    assert_eq!(controller.write(1, []).await.unwrap_err().code(), Code::FailedPrecondition);
    let endpoint = Endpoint::from_shared(format!("http://{}", bench.address())).unwrap();
    assert_eq!(version(endpoint.connect().await.unwrap()).await.unwrap(), "1.5.0");
    for mut socket in half_open {
        let mut answer = Vec::new();
        let _reset = socket.read_to_end(&mut answer);
        // The server sends its settings (frame type 4) at once, and possibly the reason for closing
        // (frame type 7).
        assert!(answer.is_empty() || matches!(answer[3], 4 | 7), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn calls_above_the_limit_wait_and_streams_above_it_end() {
    let limits = Limits { calls: 4, streams: 3, ..Limits::default() };
    let bench = Bench::with(ServerConfig { limits, ..settings() });
    let client = bench.client().await;
    let mut controllers = Vec::new();
    for id in 1..=3 {
        let mut controller = Controller::open(client.clone()).await;
        controller.bid(id);
        assert_eq!(controller.arbitration().await.unwrap(), Code::Ok);
        controllers.push(controller);
    }
    // The fourth call of the connection is refused because of its role. It ends, so that another
    // call has room.
    for _ in 0..4 {
        let mut controller = Controller::open(client.clone()).await;
        controller.bid(0);
        assert_eq!(controller.next().await.unwrap_err().code(), Code::ResourceExhausted);
    }
    let request = v1::CapabilitiesRequest { device_id: 1 };
    let mut fourth = Controller::open(client.clone()).await;
    let mut waits = client.clone();
    let answer = tokio::time::timeout(Duration::from_millis(200), waits.capabilities(request)).await;
    assert!(answer.is_err(), "four streams are four calls");
    fourth.bid(0);
    assert_eq!(fourth.next().await.unwrap_err().code(), Code::ResourceExhausted);
    let mut again = client.clone();
    assert_eq!(again.capabilities(request).await.unwrap().into_inner().p4runtime_api_version, "1.5.0");
}

#[test]
fn a_client_that_does_not_answer_pings_is_disconnected() {
    let time = Duration::from_millis(100);
    let keep_alive = KeepAlive { interval: time, timeout: time, ..KeepAlive::default() };
    let bench = Bench::with(ServerConfig { keep_alive, ..settings() });
    let mut socket = std::net::TcpStream::connect(bench.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // HTTP/2 begins with the preface and an empty settings frame.
    socket.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
    let mut received = Vec::new();
    socket.read_to_end(&mut received).expect("the server closes the connection");
    // A ping: its length, its type.
    assert!(received.windows(4).any(|bytes| bytes == [0, 0, 8, 6]), "{received:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn one_server_has_several_devices() {
    let devices = [3, 5].map(|number| (number, Owner::new() as Arc<dyn SwitchOwner>));
    let server = Server::start(settings(), devices.into()).unwrap();
    let [Listen::Tcp(address)] = server.addresses() else { panic!("no TCP") };
    let client = P4RuntimeClient::connect(format!("http://{address}")).await.unwrap();
    for (number, code) in [(3, Some(Code::Ok)), (5, Some(Code::Ok)), (0, None), (1, None)] {
        let mut controller = Controller::open(client.clone()).await;
        let update = v1::MasterArbitrationUpdate { device_id: number, ..bench::bid(1) };
        controller.send(v1::stream_message_request::Update::Arbitration(update));
        match code {
            Some(code) => assert_eq!(controller.arbitration().await.unwrap(), code),
            None => assert_eq!(controller.arbitration().await.unwrap_err().code(), Code::NotFound),
        }
    }
}
