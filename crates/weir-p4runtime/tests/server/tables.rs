//! Tests changes of table entries while packets pass, over loopback.

use crate::bench::{Bench, Controller, PROGRAM, frame, settings};
use crate::running::{running, running_with};
use tonic::Code;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::update::Type;
use weir_p4runtime::{Limits, ServerConfig};

const HOST: u64 = 0x0200_0000_0002;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn packets_see_a_batch_as_a_whole() {
    let (bench, mut controller, names) = running().await;
    let entry = |port| Entity::TableEntry(names.entry(HOST, "forward", Some(port)));
    controller.write(1, [(Type::Insert, entry(2))]).await.unwrap();
    let owner = bench.owner.clone();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let packets = std::thread::spawn(move || {
        let mut seen = [0u32; 5];
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            let transmissions = owner.send(1, &frame(HOST, 0x800));
            seen[transmissions.first().map_or(0, |sent| sent.port as usize)] += 1;
        }
        seen
    });
    for port in [3, 2].into_iter().cycle().take(100) {
        controller.write(1, [(Type::Delete, entry(port)), (Type::Insert, entry(port))]).await.unwrap();
    }
    drop(stop);
    let seen = packets.join().unwrap();
    assert!(seen[2] > 0, "{seen:?}");
    assert_eq!(seen[0], 0, "a packet met the table without the entry: {seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn reads_see_a_write_as_a_whole() {
    let (bench, mut controller, names) = running().await;
    const ENTRIES: usize = 300;
    let updates = |kind| {
        let entries = (0..ENTRIES as u64).map(|host| names.entry(host, "forward", Some(2)));
        entries.map(|entry| (kind, Entity::TableEntry(entry))).collect::<Vec<_>>()
    };
    let mut readers = Vec::new();
    for _ in 0..4 {
        let mut reader = Controller::open(bench.client().await).await;
        readers.push(tokio::spawn(async move {
            let mut counts = Vec::new();
            for _ in 0..15 {
                counts.push(reader.read(Entity::TableEntry(v1::TableEntry::default())).await.unwrap().len());
            }
            counts
        }));
    }
    for _ in 0..10 {
        controller.write(1, updates(Type::Insert)).await.unwrap();
        controller.write(1, updates(Type::Delete)).await.unwrap();
    }
    for reader in readers {
        let counts = reader.await.unwrap();
        assert!(counts.iter().all(|count| [0, ENTRIES].contains(count)), "{counts:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_higher_priority_wins() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    controller
        .start(1, &PROGRAM.replace("hdr.ethernet.dst: exact", "hdr.ethernet.dst: ternary"))
        .await
        .unwrap();
    let names = controller.names().await;
    let entry = |mask: u8, priority, port| {
        let ternary = v1::field_match::Ternary { value: vec![HOST as u8 & mask], mask: vec![mask] };
        let entry = names.entry(HOST, "forward", Some(port));
        let field_match_type = Some(v1::field_match::FieldMatchType::Ternary(ternary));
        let r#match = vec![v1::FieldMatch { field_id: 1, field_match_type }];
        (Type::Insert, Entity::TableEntry(v1::TableEntry { r#match, priority, ..entry }))
    };
    controller.write(1, [entry(0xff, 5, 2), entry(0x0f, 20, 3), entry(0x01, 7, 4)]).await.unwrap();
    assert_eq!(bench.frame(1, &frame(HOST, 0x800))[0].port, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn counters_of_constant_entries_can_be_written() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let program = PROGRAM
        .replace("table destinations", "direct_counter(CounterType.packets) hits; table destinations")
        .replace(
            "support_timeout = true;",
            "const entries = { 0x020000000002: forward(2); } counters = hits;",
        );
    controller.start(1, &program).await.unwrap();
    let names = controller.names().await;
    let key = v1::TableEntry { action: None, ..names.entry(HOST, "forward", None) };
    let count = |packet_count| Some(v1::CounterData { packet_count, byte_count: 0 });
    let with_count = v1::TableEntry { counter_data: count(7), ..key.clone() };
    controller.write(1, [(Type::Modify, Entity::TableEntry(with_count))]).await.unwrap();
    bench.frame(1, &frame(HOST, 0x800));
    let direct = v1::DirectCounterEntry { table_entry: Some(key.clone()), data: None };
    let read = controller.read(Entity::DirectCounterEntry(direct.clone())).await.unwrap();
    assert_eq!(
        read,
        [Entity::DirectCounterEntry(v1::DirectCounterEntry { data: count(8), ..direct.clone() })]
    );
    let reset = v1::DirectCounterEntry { data: count(0), ..direct };
    controller.write(1, [(Type::Modify, Entity::DirectCounterEntry(reset))]).await.unwrap();
    let asked = v1::TableEntry { counter_data: count(0), ..key };
    let read = controller.read(Entity::TableEntry(asked)).await.unwrap();
    let [Entity::TableEntry(entry)] = &read[..] else { panic!("{read:?}") };
    assert!(entry.is_const && entry.counter_data == count(0), "{entry:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_batch_of_many_failures_is_answered_with_a_status() {
    let (_bench, mut controller, names) = running().await;
    let deletes = |count: u64| {
        let entries = (0..count).map(|host| names.entry(host, "forward", Some(2)));
        entries.map(|entry| (Type::Delete, Entity::TableEntry(entry))).collect::<Vec<_>>()
    };
    // For 100 failures, the status lists all codes; for 10 000, even the codes do not fit in the
    // trailers of HTTP/2.
    for (count, has_details) in [(100, true), (10_000, false)] {
        let status = controller.write(1, deletes(count)).await.unwrap_err();
        assert_eq!((status.code(), status.details().is_empty()), (Code::Unknown, !has_details), "{status}");
        let start = format!("{count} of {count} updates failed; update 0: ");
        assert!(status.message().starts_with(&start), "{status}");
    }
}

/// Requests that find nothing take no room in an answer, but they take time and block the switch.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_read_looks_at_a_limited_number_of_entries() {
    let limits = Limits { read_requests: 50, read_entries: 1000, ..Limits::default() };
    let (_bench, mut controller, names) = running_with(ServerConfig { limits, ..settings() }).await;
    let entries = (0..300).map(|host| names.entry(host, "forward", Some(2)));
    let inserts = entries.map(|entry| (Type::Insert, Entity::TableEntry(entry)));
    controller.write(1, inserts.collect::<Vec<_>>()).await.unwrap();
    let nowhere = v1::TableEntry { metadata: b"none has it".to_vec(), ..names.entry(1, "forward", Some(2)) };
    let nowhere = v1::TableEntry { r#match: vec![], action: None, ..nowhere };
    let mut read = async |requests: usize, entry: &v1::TableEntry| {
        let entity = Some(Entity::TableEntry(entry.clone()));
        let entities = vec![v1::Entity { entity }; requests];
        let request = v1::ReadRequest { device_id: 1, entities, ..v1::ReadRequest::default() };
        let mut parts = controller.client.read(request).await.unwrap().into_inner();
        let mut count = 0;
        loop {
            match parts.message().await {
                Ok(Some(part)) => count += part.entities.len(),
                Ok(None) => return (count, None),
                Err(status) => return (count, Some((status.code(), status.message().to_owned()))),
            }
        }
    };
    assert_eq!(read(3, &nowhere).await, (0, None));
    let (count, end) = read(20, &nowhere).await;
    let (code, message) = end.unwrap();
    assert_eq!((count, code), (0, Code::ResourceExhausted));
    assert!(message.starts_with("request 4 and those after it are not answered"), "{message}");
    // A request for the whole table counts as one request, and is answered.
    let all = v1::TableEntry::default();
    assert_eq!(read(1, &all).await, (300, None));
    let (count, end) = read(51, &all).await;
    let expected = "the read has 51 requests: expected 50 at most; send several reads";
    assert_eq!((count, end), (0, Some((Code::ResourceExhausted, expected.to_owned()))));
}
