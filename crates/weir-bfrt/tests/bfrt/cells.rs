//! Counters, meters and registers; the tables of the device.

use tonic::Code;
use weir_ir::Bits;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::data_field::Value;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::Replica;

use crate::bench::{Bench, Client, details, exact, key, stream, update};

/// Returns the entry of a cell.
fn cell(table_id: u32, index_id: u32, index: u32, fields: Vec<bfrt::DataField>) -> bfrt::TableEntry {
    bfrt::TableEntry {
        table_id,
        value: key(vec![exact(index_id, &index.to_be_bytes())]),
        data: Some(bfrt::TableData { action_id: 0, fields }),
        ..Default::default()
    }
}

/// Reads the data of an entry.
async fn read(client: &mut Client, entry: bfrt::TableEntry) -> Vec<bfrt::DataField> {
    let entry = bfrt::TableEntry { data: None, ..entry };
    match client.read(Entity::TableEntry(entry)).await.unwrap().as_slice() {
        [Entity::TableEntry(entry)] => entry.data.clone().unwrap().fields,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn counters_meters_and_registers() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let counter = client.table("pipe.I.ports").await;
    assert_eq!(counter >> 24, 0x83, "the first byte says that it is a counter");
    let counts = vec![stream(65553, &100_u64.to_be_bytes()), stream(65554, &3_u64.to_be_bytes())];
    let entry = cell(counter, 65556, 5, counts.clone());
    client.write(vec![update(Type::Insert, entry.clone())]).await.unwrap();
    assert_eq!(read(&mut client, entry.clone()).await, counts);
    let all = bfrt::TableEntry { table_id: counter, ..Default::default() };
    assert_eq!(client.read(Entity::TableEntry(all.clone())).await.unwrap().len(), 16);
    client.write(vec![update(Type::Delete, all)]).await.unwrap();
    let zero = vec![stream(65553, &[0; 8]), stream(65554, &[0; 8])];
    assert_eq!(read(&mut client, entry).await, zero);

    let meter = client.table("pipe.I.rates").await;
    let rates: Vec<_> =
        (65549..).zip([10_u64, 20, 30, 40]).map(|(id, of)| stream(id, &of.to_be_bytes())).collect();
    let entry = cell(meter, 65555, 2, rates.clone());
    let unset = read(&mut client, entry.clone()).await;
    assert!(unset.iter().all(|field| field.value == Some(Value::Stream(vec![0xff; 8]))), "all are green");
    client.write(vec![update(Type::Modify, entry.clone())]).await.unwrap();
    assert_eq!(read(&mut client, entry.clone()).await, rates);
    client.write(vec![update(Type::Delete, bfrt::TableEntry { data: None, ..entry.clone() })]).await.unwrap();
    assert_eq!(read(&mut client, entry).await, unset);

    let register = client.table("pipe.I.pairs").await;
    let both = vec![stream(1, &7_u32.to_be_bytes()), stream(2, &9_u32.to_be_bytes())];
    let entry = cell(register, 65557, 3, both.clone());
    client.write(vec![update(Type::Insert, entry.clone())]).await.unwrap();
    assert_eq!(read(&mut client, entry.clone()).await, both);
    let half = cell(register, 65557, 3, vec![stream(2, &[0, 0, 0, 1])]);
    client.write(vec![update(Type::Modify, half.clone())]).await.unwrap();
    assert_eq!(read(&mut client, entry).await, [both[0].clone(), stream(2, &[0, 0, 0, 1])]);
    let status = client.write(vec![update(Type::Insert, half)]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("the data have no `I.pairs.first`"), "{status}");
    // The cell of the switch has the first field in its upper bits.
    let mut switch = bench.owner.switch.lock().unwrap();
    let id = switch.schema().registers.iter().find(|of| of.name == "I.pairs").unwrap().id;
    assert_eq!(switch.control().register(id, 3).unwrap(), Bits::new(64, 7 << 32 | 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn multicast_groups_consist_of_nodes() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let (groups, nodes) = (client.table("$pre.mgid").await, client.table("$pre.node").await);
    let list = |field_id, val: &[u32]| bfrt::DataField {
        field_id,
        value: Some(Value::IntArrVal(bfrt::data_field::IntArray { val: val.to_vec() })),
    };
    let node = |id: u32, rid: u16, ports: &[u32]| {
        cell(nodes, 1, id, vec![stream(1, &rid.to_be_bytes()), list(2, &[]), list(3, ports)])
    };
    let group = |nodes: &[u32]| bfrt::TableEntry {
        table_id: groups,
        value: key(vec![exact(1, &[0, 7])]),
        data: Some(bfrt::TableData { action_id: 0, fields: vec![list(1, nodes)] }),
        ..Default::default()
    };
    let replicas = || {
        let mut switch = bench.owner.switch.lock().unwrap();
        switch.control().multicast_group(7).map(<[Replica]>::to_vec)
    };
    let insert = |entry| update(Type::Insert, entry);
    client
        .write(vec![insert(node(1, 5, &[1, 2])), insert(node(2, 6, &[3])), insert(group(&[1, 2]))])
        .await
        .unwrap();
    assert_eq!(replicas().unwrap(), [Replica::new(1, 5), Replica::new(2, 5), Replica::new(3, 6)]);
    client.write(vec![update(Type::Modify, node(2, 6, &[4]))]).await.unwrap();
    assert_eq!(replicas().unwrap()[2], Replica::new(4, 6), "the group follows its node");
    let refused = vec![
        insert(node(1, 1, &[])),
        update(Type::ModifyInc, group(&[9])),
        update(Type::Modify, node(1, 5, &[100_000])),
        insert(bfrt::TableEntry { value: key(vec![exact(1, &[0, 0])]), ..group(&[1]) }),
    ];
    let status = client.write(refused).await.unwrap_err();
    let codes: Vec<_> = details(&status).into_iter().map(|(code, _)| code).collect();
    let expected = [Code::AlreadyExists, Code::NotFound, Code::InvalidArgument, Code::InvalidArgument];
    assert_eq!(codes, expected.map(|code| code as i32), "{status}");
    assert_eq!(replicas().unwrap().len(), 3, "failures change nothing");
    let without_data = bfrt::TableEntry { data: None, ..node(1, 0, &[]) };
    client.write(vec![update(Type::Delete, without_data)]).await.unwrap();
    assert_eq!(replicas().unwrap(), [Replica::new(4, 6)], "the group loses its node");
    let all = |table_id| update(Type::Delete, bfrt::TableEntry { table_id, ..Default::default() });
    client.write(vec![all(groups), all(nodes)]).await.unwrap();
    assert_eq!((replicas(), client.usage(nodes).await), (None, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn notes_are_rolled_back_with_the_switch() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let ports = client.table("$PORT").await;
    let port = |number: u32| update(Type::Insert, cell(ports, 1, number, Vec::new()));
    let request = bfrt::WriteRequest {
        client_id: 1,
        updates: vec![port(1), port(9)],
        atomicity: bfrt::write_request::Atomicity::RollbackOnError as i32,
        ..Default::default()
    };
    let status = client.calls.write(request).await.unwrap_err();
    assert!(details(&status)[1].1.contains("the switch has no port 9; it has 1, 2, 3, 4"), "{status}");
    assert_eq!(client.usage(ports).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn ports_that_are_not_added_can_be_removed() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let ports = client.table("$PORT").await;
    let port = |kind, number: u32| update(kind, cell(ports, 1, number, Vec::new()));
    client.write(vec![port(Type::Insert, 1), port(Type::Delete, 2), port(Type::Delete, 1)]).await.unwrap();
    assert_eq!(client.usage(ports).await, 0);
    let status = client.write(vec![port(Type::Modify, 2)]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("the port 2 is not added"), "{status}");
    let status = client.write(vec![port(Type::Delete, 9)]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("the switch has no port 9"), "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn mirror_sessions_are_clone_sessions() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let table_id = client.table("$mirror.cfg").await;
    let flag = |field_id| bfrt::DataField { field_id, value: Some(Value::BoolVal(true)) };
    let session = |kind, fields: Vec<bfrt::DataField>| {
        let data = Some(bfrt::TableData { action_id: 2, fields });
        let value = key(vec![exact(1, &[0, 9])]);
        update(kind, bfrt::TableEntry { table_id, value, data, ..Default::default() })
    };
    let of_switch = || bench.owner.switch.lock().unwrap().control().clone_session(9);
    let port = stream(7, &2_u32.to_be_bytes());
    client.write(vec![session(Type::Insert, vec![port, flag(8)])]).await.unwrap();
    assert_eq!(of_switch(), None, "it is not enabled");
    client.write(vec![session(Type::Modify, vec![flag(5), stream(23, &[0, 64])])]).await.unwrap();
    let made = of_switch().unwrap();
    assert_eq!((made.port, made.truncate, made.replicas), (Some(2), Some(64), Vec::new()));
    client.write(vec![session(Type::Modify, vec![stream(20, &[0, 7])])]).await.unwrap();
    assert_eq!(of_switch().unwrap().replicas, [Replica::new(2, 7)], "with a replication id");
    let status = client.write(vec![session(Type::Modify, vec![flag(22)])]).await.unwrap_err();
    assert_eq!(details(&status)[0].0, Code::Unimplemented as i32);
    assert!(details(&status)[0].1.contains("`$copy_to_cpu` has no effect"), "{status}");
    let colour = bfrt::DataField { field_id: 11, value: Some(Value::StrVal("BLUE".to_owned())) };
    let status = client.write(vec![session(Type::Modify, vec![colour])]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("is one of GREEN, YELLOW, RED, not \"BLUE\""), "{status}");
    client.write(vec![session(Type::Delete, Vec::new())]).await.unwrap();
    assert_eq!(of_switch(), None);
}
