//! Writes, reads, packets, digests and notices over loopback.

use crate::bench;
use crate::running::{running, running_with};

use std::time::Duration;

use crate::bench::{Bench, Controller, Names, PROGRAM, bid, frame};
use tonic::{Code, Streaming};
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::stream_error::Details;
use weir_p4runtime::proto::v1::stream_message_request::Update as Request;
use weir_p4runtime::proto::v1::stream_message_response::Update as Response;
use weir_p4runtime::proto::v1::update::Type;
use weir_p4runtime::{KeepAlive, Limits, MessageCounts, ServerConfig};

const HOST: u64 = 0x0200_0000_0002;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_entry_forwards_and_is_read_back() {
    let (bench, mut controller, names) = running().await;
    assert!(bench.frame(1, &frame(HOST, 0x800)).is_empty());
    let entry = Entity::TableEntry(names.entry(HOST, "forward", Some(3)));
    controller.write(1, [(Type::Insert, entry.clone())]).await.unwrap();
    assert_eq!(bench.frame(1, &frame(HOST, 0x800))[0].port, 3);
    let again = controller.write(1, [(Type::Insert, entry)]).await.unwrap_err();
    assert_eq!(again.code(), Code::Unknown, "{again}");
    assert!(!again.details().is_empty());
    let read = controller.read(Entity::TableEntry(v1::TableEntry::default())).await.unwrap();
    let entries =
        read.iter().filter(|entity| matches!(entity, Entity::TableEntry(entry) if !entry.r#match.is_empty()));
    assert_eq!(entries.count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_read_needs_a_program_and_no_stream() {
    let bench = Bench::new();
    let mut controller = Controller::open(bench.client().await).await;
    let read = controller.read(Entity::TableEntry(v1::TableEntry::default())).await;
    assert_eq!(read.unwrap_err().code(), Code::FailedPrecondition);
    let request = v1::ReadRequest { device_id: 5, ..Default::default() };
    assert_eq!(controller.client.read(request).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn writes_after_a_save_wait_for_the_commit() {
    use v1::set_forwarding_pipeline_config_request::Action;
    let (bench, mut controller, names) = running().await;
    let entry = |port| Entity::TableEntry(names.entry(HOST, "forward", Some(port)));
    controller.write(1, [(Type::Insert, entry(2))]).await.unwrap();
    let save = bench::set(1, Action::VerifyAndSave, Some(bench::config(PROGRAM.as_bytes())));
    controller.client.set_forwarding_pipeline_config(save).await.unwrap();
    assert!(controller.read(entry(2)).await.unwrap().is_empty(), "the saved program has no entries yet");
    controller.write(1, [(Type::Insert, entry(3))]).await.unwrap();
    assert_eq!(bench.frame(1, &frame(HOST, 0x800))[0].port, 2);
    let commit = bench::set(1, Action::Commit, None);
    controller.client.set_forwarding_pipeline_config(commit).await.unwrap();
    assert_eq!(bench.frame(1, &frame(HOST, 0x800))[0].port, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn packets_travel_both_ways() {
    let (bench, mut controller, names) = running().await;
    let to_controller = Entity::TableEntry(names.entry(HOST, "to_controller", None));
    controller.write(1, [(Type::Insert, to_controller)]).await.unwrap();
    let mut backup = Controller::open(bench.client().await).await;
    backup.send(Request::Arbitration(v1::MasterArbitrationUpdate { election_id: None, ..bid(0) }));
    assert_eq!(backup.arbitration().await.unwrap(), Code::AlreadyExists);

    let sent = frame(HOST, 0x800);
    assert!(bench.frame(4, &sent).is_empty());
    let Ok(Some(Response::Packet(packet))) = controller.next().await else { panic!("no packet") };
    assert_eq!(packet.payload, sent);
    assert_eq!(packet.metadata[0], v1::PacketMetadata { metadata_id: 1, value: vec![4] });

    let metadata = |id, value: &[u8]| v1::PacketMetadata { metadata_id: id, value: value.to_vec() };
    let packet_out =
        v1::PacketOut { payload: sent.clone(), metadata: vec![metadata(1, &[3]), metadata(2, &[0])] };
    backup.send(Request::Packet(packet_out.clone()));
    assert_eq!(backup.error().await.canonical_code, Code::PermissionDenied as i32);
    controller
        .send(Request::Packet(v1::PacketOut { metadata: vec![metadata(9, &[3])], ..packet_out.clone() }));
    let error = controller.error().await;
    assert_eq!(error.canonical_code, Code::InvalidArgument as i32);
    assert!(matches!(error.details, Some(Details::PacketOut(_))));
    controller.send(Request::Packet(packet_out));
    // Messages of a stream stay in order: the error comes after the packet has entered the switch.
    controller.send(Request::Packet(v1::PacketOut::default()));
    controller.error().await;
    let left = bench.owner.run();
    assert_eq!((left.len(), left[0].port, &left[0].packet.bytes), (1, 3, &sent));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn digests_come_in_lists_and_are_acknowledged() {
    let (bench, mut controller, names) = running().await;
    let config =
        v1::digest_entry::Config { max_timeout_ns: 5_000_000, max_list_size: 10, ack_timeout_ns: 1 << 40 };
    let entry = v1::DigestEntry { digest_id: names.digest(), config: Some(config) };
    controller.write(1, [(Type::Insert, Entity::DigestEntry(entry))]).await.unwrap();
    for port in [1, 2, 1] {
        bench.frame(port, &frame(HOST, 0x88b5));
    }
    let due = bench.server.next_deadline(1).unwrap();
    assert!(due > bench.owner.now());
    bench.owner.pass(due - bench.owner.now());
    bench.server.deliver(1).unwrap();
    let Ok(Some(Response::Digest(list))) = controller.next().await else { panic!("no digest") };
    assert_eq!((list.digest_id, list.list_id, list.data.len()), (names.digest(), 1, 2));
    assert_eq!(list.timestamp as u64, due);

    // Messages that were sent are not repeated until they are acknowledged.
    bench.frame(1, &frame(HOST, 0x88b5));
    assert_eq!(bench.server.next_deadline(1), None);
    controller.send(Request::DigestAck(v1::DigestListAck { digest_id: names.digest(), list_id: 1 }));
    controller.send(Request::DigestAck(v1::DigestListAck { digest_id: names.digest(), list_id: 2 }));
    assert!(controller.error().await.message.contains("never had a list 2"));
    bench.frame(1, &frame(HOST, 0x88b5));
    assert!(bench.server.next_deadline(1).is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_list_is_full_at_its_size() {
    let (bench, mut controller, names) = running().await;
    let mut backup = bench.controller(0).await;
    let entry = |max_list_size| {
        let config = v1::digest_entry::Config { max_timeout_ns: 1 << 40, max_list_size, ack_timeout_ns: 0 };
        Entity::DigestEntry(v1::DigestEntry { digest_id: names.digest(), config: Some(config) })
    };
    controller.write(1, [(Type::Insert, entry(2))]).await.unwrap();
    for port in [1, 1, 2] {
        bench.frame(port, &frame(HOST, 0x88b5));
    }
    let Ok(Some(Response::Digest(list))) = controller.next().await else { panic!("no digest") };
    assert_eq!(list.data.len(), 2, "each message once");
    // If acknowledgements have no timeout, sent messages are not remembered.
    controller.write(1, [(Type::Modify, entry(1))]).await.unwrap();
    for list_id in [2, 3] {
        bench.frame(1, &frame(HOST, 0x88b5));
        let Ok(Some(Response::Digest(list))) = controller.next().await else { panic!("no digest") };
        assert_eq!((list.list_id, list.data.len()), (list_id, 1));
    }
    controller.write(1, [(Type::Delete, entry(0))]).await.unwrap();
    bench.frame(2, &frame(HOST, 0x88b5));
    assert!(!controller.has_message().await && !backup.has_message().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn wrong_messages_of_a_stream_are_answered_with_their_code() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let mut backup = bench.controller(0).await;
    controller.send(Request::Packet(v1::PacketOut::default()));
    assert_eq!(controller.error().await.canonical_code, Code::FailedPrecondition as i32, "no program yet");
    controller.start(1, PROGRAM).await.unwrap();
    let digest_id = controller.names().await.digest();
    let out = |metadata: &[(u32, &[u8])]| {
        let metadata =
            metadata.iter().map(|(id, value)| v1::PacketMetadata { metadata_id: *id, value: value.to_vec() });
        Request::Packet(v1::PacketOut { payload: vec![1, 2], metadata: metadata.collect() })
    };
    let ack = |digest_id, list_id| Request::DigestAck(v1::DigestListAck { digest_id, list_id });
    for (request, code) in [
        (out(&[]), Code::InvalidArgument),
        (out(&[(1, &[3])]), Code::InvalidArgument),
        (out(&[(1, &[3]), (2, &[0]), (7, &[0])]), Code::InvalidArgument),
        (out(&[(1, &[3]), (1, &[3]), (2, &[0])]), Code::InvalidArgument),
        (out(&[(1, &[2, 0]), (2, &[0])]), Code::OutOfRange),
        (out(&[(1, &[]), (2, &[0])]), Code::OutOfRange),
        (ack(9, 1), Code::InvalidArgument),
        (ack(digest_id, 1), Code::InvalidArgument),
    ] {
        let details = match &request {
            Request::Packet(packet) => {
                Details::PacketOut(v1::PacketOutError { packet_out: Some(packet.clone()) })
            }
            Request::DigestAck(ack) => {
                Details::DigestListAck(v1::DigestListAckError { digest_list_ack: Some(*ack) })
            }
            _ => unreachable!(),
        };
        for (sender, code) in [(&mut controller, code), (&mut backup, Code::PermissionDenied)] {
            sender.send(request.clone());
            let error = sender.error().await;
            assert_eq!((error.canonical_code, error.details), (code as i32, Some(details.clone())));
            assert!(!error.message.is_empty());
        }
    }
    assert!(bench.owner.run().is_empty(), "nothing has entered the switch");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn idle_entries_are_reported_after_each_time_out() {
    let (bench, mut controller, names) = running().await;
    let mut backup = bench.controller(0).await;
    #[expect(deprecated, reason = "controllers of protocol versions before 1.4 give controller_metadata")]
    let entry = |destination, idle_timeout_ns| v1::TableEntry {
        idle_timeout_ns,
        metadata: b"mine".to_vec(),
        controller_metadata: 7,
        ..names.entry(destination, "forward", Some(2))
    };
    let (idle, other, timeless) = (entry(HOST, 3_000_000), entry(HOST + 1, 1 << 40), entry(HOST + 2, 0));
    let inserts = [&idle, &other, &timeless].map(|entry| (Type::Insert, Entity::TableEntry(entry.clone())));
    controller.write(1, inserts).await.unwrap();
    for _ in 0..3 {
        bench.owner.pass(3_000_000);
        bench.frame(1, &frame(1, 0x800));
        let Ok(Some(Response::IdleTimeoutNotification(notice))) = controller.next().await else {
            panic!("no notice")
        };
        let expected = v1::TableEntry { action: None, ..idle.clone() };
        assert_eq!(notice.table_entry, [expected]);
        assert_eq!(notice.timestamp as u64, bench.owner.now());
    }
    // A packet that hits the entry restarts its idle timeout.
    bench.owner.pass(1_000_000);
    bench.frame(1, &frame(HOST, 0x800));
    bench.frame(1, &frame(1, 0x800));
    assert!(!controller.has_message().await && !backup.has_message().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_slow_controller_loses_only_its_own_messages() {
    let limits = Limits { queued_messages: 50, ..Limits::default() };
    let settings = ServerConfig { limits, ..bench::settings() };
    let (bench, mut slow, names) = running_with(settings).await;
    let to_controller = Entity::TableEntry(names.entry(HOST, "to_controller", None));
    slow.write(1, [(Type::Insert, to_controller)]).await.unwrap();
    let mut other = Controller::open(bench.client().await).await;
    let role = v1::Role { name: "watcher".to_owned(), ..Default::default() };
    other.send(Request::Arbitration(v1::MasterArbitrationUpdate { role: Some(role), ..bid(1) }));
    assert_eq!(other.arbitration().await.unwrap(), Code::Ok);

    // Frames of 40 KiB fill the window of a stream that is not read.
    let mut large = frame(HOST, 0x800);
    large.resize(40 << 10, 7);
    const SENT: u64 = 1500;
    for _ in 0..SENT {
        bench.frame(1, &large);
        let Ok(Some(Response::Packet(_))) = other.next().await else { panic!("no packet") };
    }
    let lost = bench.server.lost(1);
    assert!(lost.packets > 0 && lost.packets < SENT, "{lost:?}");
    let clients = bench.server.clients(1);
    let client = |named: bool| {
        clients.iter().find(|client| (client.role == weir_p4runtime::RoleName::Default) != named).unwrap()
    };
    assert_eq!((client(false).lost, client(true).lost), (lost, MessageCounts::default()));
    let mut received = 0;
    while received + lost.packets < SENT {
        let Ok(Some(Response::Packet(_))) = slow.next().await else { panic!("no packet") };
        received += 1;
    }
}

/// The number of entries that [`unread`] begins to read.
const ENTRIES: usize = 400;

/// Returns a server with these settings, its primary, and three answers that nobody reads yet.
async fn unread(settings: ServerConfig) -> (Bench, Controller, Names, Vec<Streaming<v1::ReadResponse>>) {
    let (bench, mut controller, names) = running_with(settings).await;
    let entry = |number: usize| {
        let own = names.entry(number as u64, "forward", Some(2));
        (Type::Insert, Entity::TableEntry(v1::TableEntry { metadata: vec![7; 60_000], ..own }))
    };
    for first in (0..ENTRIES).step_by(100) {
        controller.write(1, (0..100).map(|number| entry(first + number))).await.unwrap();
    }
    // The answers have 24 MB, which is more than the flow-control windows and queues hold.
    let filter = v1::Entity { entity: Some(Entity::TableEntry(v1::TableEntry::default())) };
    let request = v1::ReadRequest { device_id: 1, entities: vec![filter], ..Default::default() };
    let mut stuck = Vec::new();
    for _ in 0..3 {
        stuck.push(bench.client().await.read(request.clone()).await.unwrap().into_inner());
    }
    (bench, controller, names, stuck)
}

/// Waits until all answers are read from the switch. If `given_up`, also waits until the server has
/// given up all answers that nobody reads.
async fn all_read(bench: &Bench, given_up: bool) {
    loop {
        match bench.server.answers() {
            (0, waiting) if waiting == 0 || !given_up => return,
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

/// Returns the number of entries in the remaining answer, and how the answer ends.
async fn remaining_entries(mut answer: Streaming<v1::ReadResponse>) -> (usize, Result<(), Code>) {
    let mut count = 0;
    loop {
        match answer.message().await {
            Ok(Some(part)) => count += part.entities.len(),
            Ok(None) => return (count, Ok(())),
            Err(status) => return (count, Err(status.code())),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_that_do_not_read_do_not_delay_others() {
    let keep_alive = KeepAlive { reading: Duration::from_secs(3600), ..KeepAlive::default() };
    let (bench, mut controller, names, stuck) =
        unread(ServerConfig { keep_alive, ..bench::settings() }).await;
    // The answers are read from the switch before it changes.
    all_read(&bench, false).await;
    let more = [(Type::Insert, Entity::TableEntry(names.entry(5000, "forward", Some(3))))];
    let written = tokio::time::timeout(Duration::from_secs(20), controller.write(1, more)).await;
    written.expect("the write waits for readers").unwrap();
    assert_eq!(bench.frame(1, &frame(5000, 0x800))[0].port, 3);
    // Each answer is complete, and shows the state either before or after the write.
    for answer in stuck {
        let (count, end) = remaining_entries(answer).await;
        assert!((ENTRIES..=ENTRIES + 1).contains(&count), "{count}");
        assert_eq!(end, Ok(()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_answer_that_nobody_reads_ends_with_an_error() {
    let keep_alive = KeepAlive { reading: Duration::from_millis(200), ..KeepAlive::default() };
    let (bench, _controller, _names, stuck) = unread(ServerConfig { keep_alive, ..bench::settings() }).await;
    all_read(&bench, true).await;
    for answer in stuck {
        assert_eq!(remaining_entries(answer).await.1, Err(Code::Cancelled));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn answers_that_wait_have_a_limit_in_bytes() {
    let limits = Limits { memory: 40 << 20, ..Limits::default() };
    let (bench, _controller, _names, stuck) = unread(ServerConfig { limits, ..bench::settings() }).await;
    all_read(&bench, false).await;
    for answer in stuck {
        assert_eq!(remaining_entries(answer).await.1, Err(Code::ResourceExhausted));
    }
    // The server makes room by cutting answers, which leaves the connections to their clients.
    let connections = bench.server.connections();
    assert!(connections.closed.values().all(|count| *count == 0), "{connections:?}");
}

/// Messages that arrive while nobody is primary are counted by kind.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn messages_without_a_primary_are_counted() {
    let (bench, mut controller, _names) = running().await;
    let lost = |packets| MessageCounts { packets, ..MessageCounts::default() };
    let punt = || bench.server.packet_in(1, &[0; 64]);
    punt();
    assert!(matches!(controller.next().await, Ok(Some(Response::Packet(_)))));
    assert_eq!(bench.server.lost(1), lost(0));
    drop(controller);
    bench.left().await;
    punt();
    punt();
    assert_eq!(bench.server.lost(1), lost(2));
}
