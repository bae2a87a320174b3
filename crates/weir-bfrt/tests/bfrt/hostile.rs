//! Messages that no honest client sends.

use std::time::Duration;

use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tonic::Code;
use weir_bfrt::{Limits, ServerConfig};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::data_field::Value;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::update::Type;

use crate::bench::{Bench, details, exact, key, lpm, stream, update};

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn wrong_numbers_and_widths_are_explained() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let table_id = client.table("pipe.I.routes").await;
    let action = bfrt::object_id::ActionName { action: "I.forward_counted".to_owned() };
    let action = bfrt::object_id::table_object::Names::ActionName(action);
    let action_id = client.id_of("pipe.I.routes", Some(action)).await;
    let good = || bfrt::TableEntry {
        table_id,
        value: key(vec![lpm(1, &[10, 0, 0, 0], 8)]),
        data: Some(bfrt::TableData { action_id, fields: vec![stream(1, &[0, 1])] }),
        ..Default::default()
    };
    let with_key = |fields| bfrt::TableEntry { value: key(fields), ..good() };
    let with_data =
        |action_id, fields| bfrt::TableEntry { data: Some(bfrt::TableData { action_id, fields }), ..good() };
    let flag = bfrt::DataField { field_id: 1, value: Some(Value::BoolVal(true)) };
    let cases = [
        (bfrt::TableEntry { table_id: 7, ..good() }, Code::NotFound, "no table 7"),
        (with_key(vec![lpm(1, &[10], 8)]), Code::InvalidArgument, "32 bits and needs 4 bytes, found 1"),
        (with_key(vec![lpm(1, &[0; 4], 33)]), Code::InvalidArgument, "a prefix of 33"),
        (with_key(vec![lpm(1, &[0; 4], -1)]), Code::InvalidArgument, "a prefix of -1"),
        (with_key(vec![exact(1, &[0; 4])]), Code::InvalidArgument, "is matched LPM"),
        (
            with_key(vec![lpm(9, &[0; 4], 8)]),
            Code::InvalidArgument,
            "no key field 9; it has 1 (`h.ipv4.dst`)",
        ),
        (with_key(vec![lpm(1, &[0; 4], 8); 2]), Code::InvalidArgument, "`h.ipv4.dst` twice"),
        (bfrt::TableEntry { value: None, ..good() }, Code::InvalidArgument, "the entry has no key"),
        (with_data(0, vec![]), Code::InvalidArgument, "needs an action"),
        (with_data(7, vec![]), Code::InvalidArgument, "no action 7"),
        (with_data(action_id, vec![stream(1, &[2, 0])]), Code::InvalidArgument, "has 9 bits; the value"),
        (with_data(action_id, vec![stream(1, &[1; 3])]), Code::InvalidArgument, "needs 2 bytes, found 3"),
        (with_data(action_id, vec![stream(1, &[0, 1]); 2]), Code::InvalidArgument, "`port` is there twice"),
        (with_data(action_id, vec![stream(77, &[0])]), Code::InvalidArgument, "has no data field 77"),
        (with_data(action_id, vec![flag]), Code::InvalidArgument, "needs a byte string"),
    ];
    for (entry, code, expected) in cases {
        let status = client.write(vec![update(Type::Insert, entry)]).await.unwrap_err();
        let details = details(&status);
        assert!(
            details[0].0 == code as i32 && details[0].1.contains(expected),
            "{details:?}, not {expected}"
        );
    }
    assert_eq!(client.usage(table_id).await, 0);
    let empty = bfrt::Update { r#type: Type::Insert as i32, entity: None };
    for wrong in [empty, update(Type::Unspecified, good()), bfrt::Update { r#type: 99, entity: None }] {
        let status = client.write(vec![wrong]).await.unwrap_err();
        assert_eq!(details(&status)[0].0, Code::InvalidArgument as i32);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn huge_counts_are_refused_before_they_take_memory() {
    let limits = Limits { memory: 16 << 20, ..Limits::default() };
    let bench = Bench::with(ServerConfig { limits, ..ServerConfig::default() });
    let mut client = bench.bound(1).await;
    // Each empty update takes two bytes on the wire, and much more in memory.
    let updates = vec![bfrt::Update::default(); 600_000];
    let status = client.write(updates).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    let updates = vec![bfrt::Update::default(); 1 << 20];
    let status = client.write(updates).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    // A list of numbers with a million elements in one field.
    let val = vec![1; 2 << 20];
    let value = Some(Value::IntArrVal(bfrt::data_field::IntArray { val }));
    let data = Some(bfrt::TableData { action_id: 0, fields: vec![bfrt::DataField { field_id: 3, value }] });
    let table_id = client.table("$pre.node").await;
    let entry =
        bfrt::TableEntry { table_id, value: key(vec![exact(1, &[0; 4])]), data, ..Default::default() };
    let status = client.write(vec![update(Type::Insert, entry)]).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted, "{status}");
    assert!(status.message().contains("send several with fewer parts"), "{status}");
    assert!(bench.server.memory() < 8 << 20, "{}", bench.server.memory());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn messages_are_as_long_as_the_server_allows() {
    let limits = Limits { message_bytes: 10_000, ..Limits::default() };
    let bench = Bench::with(ServerConfig { limits, ..ServerConfig::default() });
    let mut client = bench.bound(1).await;
    let status = client.write(vec![bfrt::Update::default(); 6000]).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn data_in_data_in_data_end_the_call_and_not_the_server() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let table_id = client.table("pipe.I.routes").await;
    let mut field = stream(1, &[0, 1]);
    for _ in 0..30 {
        let container = bfrt::data_field::container_array::Container { val: vec![field] };
        let list = bfrt::data_field::ContainerArray { container: vec![container] };
        field = bfrt::DataField { field_id: 1, value: Some(Value::ContainerArrVal(list)) };
    }
    let data = Some(bfrt::TableData { action_id: 0, fields: vec![field] });
    let entry =
        bfrt::TableEntry { table_id, value: key(vec![lpm(1, &[0; 4], 0)]), data, ..Default::default() };
    let status = client.write(vec![update(Type::Insert, entry)]).await.unwrap_err();
    assert!([Code::Internal, Code::Unknown].contains(&status.code()), "{status}");
    assert_eq!(client.usage(table_id).await, 0, "the server still answers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn reads_of_unbound_clients_are_refused_before_they_are_decoded() {
    let bench = Bench::new();
    let mut client = bench.subscribed(1).await;
    assert_eq!(client.status().await, 0);
    let status = client.read(Entity::TableUsage(bfrt::TableUsage::default())).await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    let mut requests = Vec::new();
    bfrt::ReadRequest { client_id: 1, ..Default::default() }.encode(&mut requests).unwrap();
    assert!(requests.len() < 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn unfinished_messages_and_noise_leave_the_server_alive() {
    let bench = Bench::new();
    let mut open = Vec::new();
    for bytes in [
        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\xff\xff\xff\x01\x05\0\0\0\x01",
        b"GET / HTTP/1.1\r\n\r\n",
        &[0xff; 4096],
        b"",
    ] {
        let mut socket = tokio::net::TcpStream::connect(bench.address()).await.unwrap();
        socket.write_all(bytes).await.unwrap();
        open.push(socket);
    }
    let mut client = bench.bound(1).await;
    let table_id = client.table("pipe.I.routes").await;
    assert_eq!(client.usage(table_id).await, 0);
    // The server closes a connection that does not speak HTTP/2.
    let mut rest = Vec::new();
    let noise = &mut open[3];
    let closed = tokio::time::timeout(Duration::from_secs(20), noise.read_to_end(&mut rest)).await;
    assert!(closed.is_ok());
}
