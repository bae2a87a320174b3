//! Tests that crowds of connections do not exclude other clients: half-open, idle, slow, and with
//! streams.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use weir_accept::{Counts, Reason};
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_runtime_client::P4RuntimeClient;
use weir_p4runtime::{KeepAlive, Limits, ServerConfig};

use crate::bench::{self, Bench, Controller, settings};
use crate::tls::{Authority, connect, served};

/// The number of connections in a crowd, which is more than the server's places for newcomers.
const CROWD: usize = 300;

/// The first half of a ClientHello: a record of 512 bytes that ends after 36.
const HALF_HELLO: &[u8] = &[
    0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65,
    65, 65, 65, 65, 65, 65, 65, 65, 65,
];

/// HTTP/2's preface and an empty settings frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// Locked by a test with a crowd, because this process has both ends of all connections.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Opens connections that send some bytes and nothing more.
fn crowd(address: SocketAddr, sent: &[u8]) -> Vec<TcpStream> {
    let open = |_| {
        let mut socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.write_all(sent).unwrap();
        socket
    };
    (0..CROWD).map(open).collect()
}

/// Returns a client from an address of the loopback interface.
async fn client_from(bench: &Bench, last_byte: u8) -> P4RuntimeClient<Channel> {
    let endpoint = Endpoint::from_shared(format!("http://{}", bench.address())).unwrap();
    let address = IpAddr::from(Ipv4Addr::new(127, 0, 0, last_byte));
    P4RuntimeClient::new(endpoint.local_address(Some(address)).connect().await.unwrap())
}

/// Makes a short call.
async fn ask(client: &mut P4RuntimeClient<Channel>) -> Result<(), Status> {
    client.capabilities(v1::CapabilitiesRequest { device_id: 1 }).await.map(|_| ())
}

/// Waits until the counts are as expected.
async fn wait_for(bench: &Bench, expected: impl Fn(&Counts) -> bool) -> Counts {
    for _ in 0..2000 {
        let counts = bench.server.connections();
        if expected(&counts) {
            return counts;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:?}", bench.server.connections());
}

/// Returns a server with eight places, of which two are reserved; a source gets five of the others.
fn small() -> Bench {
    let limits = Limits { connections: 8, ..Limits::default() };
    let keep_alive = KeepAlive { opening: Duration::from_millis(700), ..KeepAlive::default() };
    Bench::with(ServerConfig { limits, keep_alive, ..settings() })
}

#[test]
fn half_hellos_keep_no_client_of_tls_out() {
    let _turn = TURN.blocking_lock();
    let authority = Authority::new();
    for clients in [None, Some(&authority)] {
        let bench = served(authority.valid(), clients);
        let crowd = crowd(bench.address(), HALF_HELLO);
        for _ in 0..3 {
            connect(&bench, &authority, clients.map(Authority::valid), None).unwrap();
        }
        let counts = bench.server.connections();
        let displaced = counts.closed(Reason::Displaced);
        assert!(displaced >= 44 && counts.accepted == 303, "{counts:?}");
        drop(crowd);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn idle_connections_keep_no_controller_out() {
    let _turn = TURN.lock().await;
    for sent in [b"", &b"PRI * HTTP/2"[..], PREFACE] {
        let bench = Bench::new();
        let mut before = bench.controller(1).await;
        let _crowd = crowd(bench.address(), sent);
        let mut controller = bench.controller(2).await;
        assert_eq!(controller.write(2, []).await.unwrap_err().code(), Code::FailedPrecondition);
        assert_eq!(before.write(2, []).await.unwrap_err().code(), Code::FailedPrecondition);
        let counts = bench.server.connections();
        assert!(counts.closed(Reason::Displaced) >= 44 && counts.placed == 2, "{counts:?}");
    }
}

/// A client that sends single bytes does not get more time for its first request.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn drops_of_bytes_end_at_the_deadline() {
    let bench = small();
    let address = bench.address();
    let drips = std::thread::spawn(move || {
        let mut socket = TcpStream::connect(address).unwrap();
        for byte in PREFACE.iter().chain([0, 0, 100, 1, 4, 0, 0, 0, 1].iter()).chain([0; 4000].iter()) {
            if socket.write_all(&[*byte]).is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _reset = socket.read_to_end(&mut Vec::new());
    });
    wait_for(&bench, |counts| counts.closed(Reason::Late) == 1).await;
    drips.join().unwrap();
    assert_eq!(bench.server.connections().newcomers, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn all_addresses_of_loopback_share_their_places() {
    let bench = small();
    let mut clients = Vec::new();
    for _ in 0..5 {
        let mut client = client_from(&bench, 1).await;
        ask(&mut client).await.unwrap();
        clients.push(client);
    }
    // The first one is reused, so the second one is idle for the longest time.
    ask(&mut clients[0]).await.unwrap();
    let mut other = client_from(&bench, 2).await;
    ask(&mut other).await.unwrap();
    let counts = wait_for(&bench, |counts| counts.placed == 5 && counts.newcomers == 0).await;
    assert_eq!((counts.closed(Reason::Idle), counts.accepted), (1, 6));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn streams_are_kept_and_the_elected_controller_finds_a_place() {
    let bench = small();
    let mut streams = Vec::new();
    for number in 0..5 {
        let mut controller = Controller::open(bench.client().await).await;
        let bid = bench::bid_for(&format!("role {number}"), None, 1);
        controller.send(v1::stream_message_request::Update::Arbitration(bid));
        assert_eq!(controller.arbitration().await.unwrap(), Code::Ok);
        streams.push(controller);
    }
    // Clients that only make calls are not closed to make room in these places. They are served
    // until their deadline.
    let mut calls = bench.client().await;
    ask(&mut calls).await.unwrap();
    let mut primary = bench.controller(1).await;
    let counts = wait_for(&bench, |counts| counts.newcomers == 0).await;
    assert_eq!((counts.placed, counts.closed(Reason::NoPlace)), (6, 1), "{counts:?}");
    assert_eq!(primary.write(1, []).await.unwrap_err().code(), Code::FailedPrecondition);
    for controller in &mut streams {
        assert!(!controller.has_message().await, "the stream has ended");
    }
    // When a stream ends, its connection makes room.
    drop(streams.pop());
    while bench.server.clients(1).len() > 5 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut calls = bench.client().await;
    ask(&mut calls).await.unwrap();
    wait_for(&bench, |counts| counts.placed == 6 && counts.newcomers == 0).await;
}
