//! Floods of messages that could use up a server's memory. During each flood, the server stays
//! within its budget and answers the primary. The memory is free again after the connections have
//! closed.
//!
//! Each flood takes a second or two; `WEIR_FLOOD_SECONDS` sets the time.

use std::time::{Duration, Instant};

use prost::Message;
use tonic::Code;
use weir_p4runtime::proto::v1;
use weir_p4runtime::{Limits, ServerConfig};

use crate::http::framed;
use crate::http_client::Client;
use crate::resident;
use crate::server::{Bench, Controller, RoleConfig, bid_for, election, settings};

/// The budget of the servers in bytes.
const MEMORY: usize = 16 << 20;

/// The memory that the server uses beyond its budget, for the windows of connections and for
/// answers that are being sent, in bytes.
const BEYOND: usize = 1 << 20;

/// Returns a server with a small budget, and the primary of its default role.
async fn server() -> (Bench, Controller) {
    let limits = Limits { memory: MEMORY, ..Limits::default() };
    let bench = Bench::with(ServerConfig { limits, ..settings() });
    let primary = bench.controller(1).await;
    (bench, primary)
}

/// Repeats a step of a flood, and writes as the primary after each step. Then disconnects
/// `clients`, and checks that the memory is free again.
async fn flood<C>(mut clients: C, mut step: impl FnMut(&mut C, &Bench)) {
    let (bench, mut primary) = server().await;
    let before = bench.server.memory();
    let seconds = std::env::var("WEIR_FLOOD_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(1));
    let (mut most, mut slowest, mut resident_most) = (0, Duration::ZERO, resident());
    let resident_before = resident_most;
    while Instant::now() < end {
        step(&mut clients, &bench);
        let began = Instant::now();
        let code = primary.write(1, []).await.unwrap_err().code();
        assert_eq!(code, Code::FailedPrecondition, "the primary may write, but there is no program");
        slowest = slowest.max(began.elapsed());
        most = bench.server.memory().max(most);
        resident_most = resident().max(resident_most);
        assert!(most <= MEMORY + BEYOND, "{most} bytes");
    }
    let more = resident_most - resident_before;
    eprintln!("{most} bytes of the budget, {more:.0} MB resident more, slowest write {slowest:?}");
    assert!(most > before, "the flood took nothing");
    drop(clients);
    let end = Instant::now() + Duration::from_secs(20);
    while bench.server.memory() > before {
        assert!(Instant::now() < end, "{} bytes stay, {before} before", bench.server.memory());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns the first part of a message of 50 MiB that never ends.
fn start_of_message() -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend((50_u32 << 20).to_be_bytes());
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_never_end_stay_within_the_budget() {
    let _alone = crate::alone().await;
    let updates = [0x22, 0].repeat(8 << 10);
    flood(Vec::<(Client, Vec<u32>)>::new(), |clients, bench| {
        clients.retain(|(client, _)| !client.is_closed);
        if clients.len() < 4 {
            let mut client = Client::open(bench.address(), 65_535);
            let streams: Vec<_> = (0..50).map(|_| client.call("Write")).collect();
            for stream in &streams {
                client.send(*stream, &start_of_message());
            }
            clients.push((client, streams));
        }
        for (client, streams) in clients {
            for stream in streams.iter() {
                client.send(*stream, &updates);
            }
            client.look(Duration::from_millis(1));
        }
    })
    .await;
}

/// The server reserves no memory for a length that was only announced.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn announced_lengths_take_no_memory() {
    let _alone = crate::alone().await;
    let (bench, _primary) = server().await;
    let mut client = Client::open(bench.address(), 65_535);
    // The first call takes memory for the connection's window, too.
    let (window, without) = (256 << 10, bench.server.memory());
    client.call("Write");
    let end = Instant::now() + Duration::from_secs(20);
    while bench.server.memory() < without + window + (32 << 10) {
        assert!(Instant::now() < end, "the first call has not begun");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let before = bench.server.memory();
    for _ in 0..100 {
        let stream = client.call("Write");
        assert_eq!(client.send(stream, &start_of_message()), 5);
    }
    let end = Instant::now() + Duration::from_secs(20);
    let per_call = |bytes: usize| (bytes - before) / 100;
    while per_call(bench.server.memory()) < 32 << 10 {
        assert!(Instant::now() < end, "the calls have not begun");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(per_call(bench.server.memory()), 32 << 10, "a call without its message");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_send_nothing_stay_within_the_budget() {
    let _alone = crate::alone().await;
    flood(Vec::<Client>::new(), |clients, bench| {
        clients.retain(|client| !client.is_closed);
        if clients.len() < 8 {
            let mut client = Client::open(bench.address(), 65_535);
            for _ in 0..200 {
                client.call("StreamChannel");
            }
            clients.push(client);
        }
        for client in clients {
            client.look(Duration::from_millis(1));
        }
    })
    .await;
}

/// The primary of a role bids repeatedly with a large config. Each bid sends the config to all
/// backups, which read nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bids_that_nobody_reads_stay_within_the_budget() {
    let _alone = crate::alone().await;
    let config = RoleConfig { shared: (0..20_000).collect(), ..RoleConfig::default() };
    let bid = |election_id, config: Option<&RoleConfig>| {
        let bid =
            v1::MasterArbitrationUpdate { election_id: election(election_id), ..bid_for("r", config, 0) };
        let update = v1::stream_message_request::Update::Arbitration(bid);
        framed(&v1::StreamMessageRequest { update: Some(update) }.encode_to_vec())
    };
    flood(Vec::<(Client, u32)>::new(), |clients, bench| {
        clients.retain(|(client, primary)| client.has(*primary));
        if clients.is_empty() {
            let mut client = Client::open(bench.address(), 0);
            let streams: Vec<_> = (1..=16).map(|id| (id, client.call("StreamChannel"))).collect();
            for (id, stream) in &streams {
                client.send(*stream, &bid(*id, None));
            }
            clients.push((client, streams[15].1));
        }
        for (client, primary) in clients {
            let bytes = bid(100, Some(&config));
            let mut sent = 0;
            for _ in 0..100 {
                sent += client.send(*primary, &bytes[sent..]);
                if sent == bytes.len() {
                    break;
                }
                client.look(Duration::from_millis(1));
            }
        }
    })
    .await;
}

/// 800 000 updates of two bytes each would take a gigabyte once they are decoded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn empty_updates_are_refused_before_they_are_decoded() {
    let _alone = crate::alone().await;
    let bench = Bench::new();
    let mut primary = bench.controller(1).await;
    let write = |id| v1::WriteRequest {
        device_id: 1,
        election_id: election(id),
        updates: vec![v1::Update::default(); 800_000],
        ..Default::default()
    };
    let (wrong, right) = (write(7), write(1));
    let before = resident();
    for (request, code) in [(wrong, Code::PermissionDenied), (right, Code::ResourceExhausted)] {
        let status = primary.client.write(request).await.unwrap_err();
        assert_eq!(status.code(), code, "{status}");
    }
    let more = resident() - before;
    assert!(more < 64.0, "{more} MB");
}
