//! Sends mutated HTTP/2 and arbitrary bytes to the server.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use prost::Message;
use rand_core::Rng;
use weir_p4runtime::proto::v1;

use crate::mutate::{mutate, pick};
use crate::server::{Bench, bid, election};
use crate::{Memory, count, random};

/// Returns an HTTP/2 frame.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut bytes = length[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Returns a header block without compression (RFC 7541, section 6.2.2).
pub fn headers(path: &str) -> Vec<u8> {
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "switch"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    fields.iter().fold(Vec::new(), |mut block, (name, value)| {
        block.push(0);
        for text in [name, value] {
            block.push(text.len() as u8);
            block.extend(text.bytes());
        }
        block
    })
}

/// Returns a message with gRPC's prefix: a flag for no compression, and the length.
pub fn framed(message: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend((message.len() as u32).to_be_bytes());
    bytes.extend(message);
    bytes
}

pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Returns sessions of controllers: the preface, settings, a call with its message, and frames of
/// all other types of HTTP/2.
fn sessions() -> Vec<Vec<u8>> {
    let write = v1::WriteRequest { device_id: 1, election_id: election(1), ..Default::default() };
    let update = v1::stream_message_request::Update::Arbitration(bid(2));
    let stream = v1::StreamMessageRequest { update: Some(update) };
    let version = v1::CapabilitiesRequest { device_id: 1 };
    let calls = [
        ("Write", write.encode_to_vec()),
        ("StreamChannel", stream.encode_to_vec()),
        ("Capabilities", version.encode_to_vec()),
        ("Read", v1::ReadRequest { device_id: 1, ..Default::default() }.encode_to_vec()),
    ];
    let session = |(call, message): (&str, Vec<u8>)| {
        [
            PREFACE.to_vec(),
            frame(4, 0, 0, &[0, 3, 0, 0, 0, 100, 0, 4, 0, 0, 0xff, 0xff]),
            frame(1, 4, 1, &headers(&format!("/p4.v1.P4Runtime/{call}"))),
            frame(0, 0, 1, &framed(&message)),
            frame(8, 0, 0, &[0, 0, 0xff, 0]),
            frame(6, 0, 0, &[7; 8]),
            frame(2, 0, 1, &[0, 0, 0, 0, 9]),
            frame(0, 1, 1, &framed(&message)),
            frame(3, 0, 3, &[0, 0, 0, 8]),
        ]
        .concat()
    };
    let mut sessions: Vec<_> = calls.into_iter().map(session).collect();
    sessions.push(b"GET / HTTP/1.1\r\nHost: switch\r\n\r\n".to_vec());
    sessions.push(vec![22, 3, 1, 0, 5, 1, 0, 0, 1, 3]);
    sessions
}

/// Sends bytes, closes the sending direction, and reads the server's answer for a while.
fn send(address: SocketAddr, bytes: &[u8], is_rude: bool) {
    let mut socket = TcpStream::connect(address).expect("the server accepts connections");
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // The server may have already closed the connection.
    if socket.write_all(bytes).is_err() || is_rude {
        return;
    }
    let _closed = socket.shutdown(Shutdown::Write);
    let mut answer = [0; 4096];
    loop {
        match socket.read(&mut answer) {
            Ok(0) => return,
            Ok(_) => {}
            Err(error) => {
                let kind = error.kind();
                assert_eq!(kind, std::io::ErrorKind::ConnectionReset, "the server leaves a connection open");
                return;
            }
        }
    }
}

/// Checks that the server is unaffected: the bench's controller is still primary, and new
/// controllers are served.
async fn is_well(bench: &Bench) {
    let mut client = bench.client().await;
    let answer = client.capabilities(v1::CapabilitiesRequest { device_id: 1 }).await.unwrap();
    assert_eq!(answer.into_inner().p4runtime_api_version, "1.5.0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mutated_http_does_no_harm() {
    let _alone = crate::alone().await;
    let bench = Bench::new();
    let _primary = bench.controller(u64::MAX).await;
    let (address, sessions, mut random) = (bench.address(), sessions(), random());
    let mut memory = Memory(None);
    for number in 0..count() {
        let session = pick(&mut random, &sessions).clone();
        // Most mutations keep the preface, because the server ignores everything after a wrong
        // preface.
        let kept_bytes = if random.next_u32() % 4 == 0 { 0 } else { PREFACE.len().min(session.len()) };
        let mut bytes = session[..kept_bytes].to_vec();
        bytes.extend(mutate(&mut random, &session[kept_bytes..], &sessions[0][PREFACE.len()..]));
        let is_rude = random.next_u32() % 4 == 0;
        tokio::task::spawn_blocking(move || send(address, &bytes, is_rude)).await.unwrap();
        if number % 64 == 0 {
            is_well(&bench).await;
        }
        memory.look(number, count());
    }
    is_well(&bench).await;
    let end = Instant::now() + Duration::from_secs(20);
    while bench.server.clients(1).len() > 1 {
        assert!(Instant::now() < end, "{:?}", bench.server.clients(1));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(bench.server.clients(1)[0].is_primary);
    memory.check("mutated HTTP/2");
}
