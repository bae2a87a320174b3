//! Digests, idle entries, ports.

use weir_device::Device;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::data_field::Value;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::object_id::ActionName;
use weir_p4runtime_proto::bfrt::object_id::table_object::Names;
use weir_p4runtime_proto::bfrt::stream_message_response::Update as Response;
use weir_p4runtime_proto::bfrt::table_attribute::Attribute;
use weir_p4runtime_proto::bfrt::update::Type;

use crate::bench::{Bench, exact, key, stream, update};

/// A frame from 2 to 1.
const FRAME: [u8; 60] = {
    let mut frame = [0; 60];
    (frame[5], frame[11]) = (1, 2);
    frame
};

pub fn attribute(table_id: u32, attribute: Attribute) -> bfrt::Update {
    let attribute = bfrt::TableAttribute { table_id, attribute: Some(attribute) };
    let entity = Some(bfrt::Entity { entity: Some(Entity::TableAttribute(attribute)) });
    bfrt::Update { r#type: Type::Insert as i32, entity }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_bound_client_gets_digests() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let mut other = bench.subscribed(2).await;
    assert_eq!(other.status().await, 0);
    bench.send(3, &FRAME, 1000);
    let Response::Digest(list) = client.next().await.unwrap() else { panic!("no digest") };
    assert_eq!((list.list_id, list.digest_id >> 24), (0, 0x8e));
    let fields = &list.data[0].fields;
    assert_eq!(fields[0], stream(1, &[0, 0, 0, 0, 0, 2]));
    assert_eq!(fields[1], stream(2, &[0, 3]), "a port has 9 bits");
    drop(client);
    // The other client gets no digest, but later messages for all clients.
    bench.server.begin_to_stop();
    assert_eq!(other.next().await.unwrap_err().code(), tonic::Code::Unavailable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn settings_of_time_outs_belong_to_their_mode() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let table_id = client.table("pipe.I.macs").await;
    let (poll, notify) = (0, 1);
    let given = [(poll, true), (poll, false), (notify, true), (notify, false)];
    let mut intervals = Vec::new();
    for (idle_table_mode, enable) in given {
        let idle = bfrt::IdleTable { enable, idle_table_mode, ttl_query_interval: 70, ..Default::default() };
        client.write(vec![attribute(table_id, Attribute::IdleTable(idle))]).await.unwrap();
        let wanted = Some(Attribute::IdleTable(bfrt::IdleTable::default()));
        let wanted = bfrt::TableAttribute { table_id, attribute: wanted };
        let read = client.read(Entity::TableAttribute(wanted)).await.unwrap();
        let [Entity::TableAttribute(read)] = read.as_slice() else { panic!("{read:?}") };
        let Some(Attribute::IdleTable(read)) = read.attribute else { panic!("{read:?}") };
        assert_eq!((read.idle_table_mode, read.enable), (idle_table_mode, enable));
        intervals.push(read.ttl_query_interval);
    }
    assert_eq!(intervals, [0, 0, 70, 5000], "only messages have an interval");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_are_told_of_idle_entries_if_they_ask() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let name = "pipe.I.macs";
    let table_id = client.table(name).await;
    let action = Names::ActionName(ActionName { action: "NoAction".to_owned() });
    let action_id = client.id_of(name, Some(action)).await;
    let entry = |source: u8| bfrt::TableEntry {
        table_id,
        value: key(vec![exact(1, &[0, 0, 0, 0, 0, source])]),
        data: Some(bfrt::TableData { action_id, fields: vec![stream(65543, &100_u32.to_be_bytes())] }),
        ..Default::default()
    };
    client.write(vec![update(Type::Insert, entry(2))]).await.unwrap();
    bench.pass(200_000_000);
    let idle = bfrt::IdleTable { enable: true, idle_table_mode: 1, ..Default::default() };
    client
        .write(vec![attribute(table_id, Attribute::IdleTable(idle)), update(Type::Insert, entry(4))])
        .await
        .unwrap();
    bench.pass(150_000_000);
    let mut told = Vec::new();
    for _ in 0..2 {
        let Response::IdleTimeoutNotification(notice) = client.next().await.unwrap() else { panic!() };
        assert_eq!(notice.r#type, 1, "ENTRY_IDLE");
        told.push(notice.table_entry.unwrap().value.unwrap());
    }
    assert!(told.contains(&entry(4).value.unwrap()), "{told:?}");
    // A hit makes the entry active.
    let states = async |client: &mut crate::bench::Client| {
        let wanted = bfrt::TableEntry { data: None, ..entry(2) };
        let read = client.read(Entity::TableEntry(wanted)).await.unwrap();
        let [Entity::TableEntry(read)] = read.as_slice() else { panic!("{read:?}") };
        let fields = read.data.clone().unwrap().fields;
        fields.into_iter().find(|field| field.field_id == 65544).unwrap().value
    };
    assert_eq!(states(&mut client).await, Some(Value::StrVal("ENTRY_IDLE".to_owned())));
    bench.send(1, &FRAME, 1000);
    assert_eq!(states(&mut client).await, Some(Value::StrVal("ENTRY_ACTIVE".to_owned())));
    let active = loop {
        let Response::IdleTimeoutNotification(notice) = client.next().await.unwrap() else { continue };
        break notice;
    };
    assert_eq!((active.r#type, active.table_entry.unwrap().value), (0, entry(2).value), "ENTRY_ACTIVE");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_are_told_of_ports_if_they_ask() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let table_id = client.table("$PORT").await;
    let set = |up| bench.owner.switch.lock().unwrap().set_port_up(5000, 2, up);
    bench.pass(1);
    set(false);
    bench.pass(1);
    let enable = bfrt::PortStatusChg { enable: true };
    client.write(vec![attribute(table_id, Attribute::PortStatusNotify(enable))]).await.unwrap();
    set(true);
    bench.pass(1);
    let Response::PortStatusChangeNotification(notice) = client.next().await.unwrap() else { panic!() };
    assert!(notice.port_up, "earlier changes were not told");
    assert_eq!(notice.table_entry.unwrap().value, key(vec![exact(1, &2_u32.to_be_bytes())]));
}
