//! Tables that only programs for Tofino have: trees of multicast groups, filters, direct registers,
//! packet generators.

use tonic::Code;
use weir_device::{Device, Packet, Port};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::data_field::{BoolArray, IntArray, Value};
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::key_field::{MatchType, Ternary};
use weir_p4runtime_proto::bfrt::object_id::ActionName;
use weir_p4runtime_proto::bfrt::object_id::table_object::Names;
use weir_p4runtime_proto::bfrt::table_attribute::Attribute;
use weir_p4runtime_proto::bfrt::update::Type;

use crate::bench::{Bench, Client, details, exact, key, stream, update};

pub fn value(field_id: u32, value: Value) -> bfrt::DataField {
    bfrt::DataField { field_id, value: Some(value) }
}

pub fn numbers(field_id: u32, val: &[u32]) -> bfrt::DataField {
    value(field_id, Value::IntArrVal(IntArray { val: val.to_vec() }))
}

pub fn flags(field_id: u32, val: &[bool]) -> bfrt::DataField {
    value(field_id, Value::BoolArrVal(BoolArray { val: val.to_vec() }))
}

pub fn entry(table_id: u32, key_bytes: &[u8], fields: Vec<bfrt::DataField>) -> bfrt::TableEntry {
    bfrt::TableEntry {
        table_id,
        value: key(vec![exact(1, key_bytes)]),
        data: Some(bfrt::TableData { action_id: 0, fields }),
        ..Default::default()
    }
}

pub fn insert(entry: bfrt::TableEntry) -> bfrt::Update {
    update(Type::Insert, entry)
}

pub async fn read(client: &mut Client, entry: &bfrt::TableEntry) -> Vec<bfrt::DataField> {
    let entry = bfrt::TableEntry { data: None, ..entry.clone() };
    match client.read(Entity::TableEntry(entry)).await.unwrap().as_slice() {
        [Entity::TableEntry(entry)] => entry.data.clone().unwrap().fields,
        other => panic!("{other:?}"),
    }
}

/// Sends a packet with this group, exclusion ids, replication id and hashes, and returns the ports
/// through which its copies leave.
pub fn ports(bench: &Bench, order: [u16; 6]) -> Vec<Port> {
    let bytes: Vec<u8> = order.into_iter().flat_map(u16::to_be_bytes).collect();
    let mut switch = bench.owner.switch.lock().unwrap();
    let now = bench.owner.now.fetch_add(1000, std::sync::atomic::Ordering::SeqCst);
    let mut out = Vec::new();
    switch.receive(now, 1, Packet::new(0, bytes));
    switch.advance(now + 1000, &mut out);
    let mut ports: Vec<Port> = out.into_iter().map(|sent| sent.port).collect();
    ports.sort_unstable();
    ports
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn packets_choose_their_copies() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let mut tables = Vec::new();
    for name in ["$pre.node", "$pre.ecmp", "$pre.lag", "$pre.prune", "$pre.port", "$pre.mgid"] {
        tables.push(client.table(name).await);
    }
    let [nodes, ecmps, lags, pruned, of_ports, groups] = tables[..] else { panic!() };
    let node = |id: u32, rid: u16, ports: &[u32], of_lags: &[u32]| {
        let fields = vec![stream(1, &rid.to_be_bytes()), numbers(2, of_lags), numbers(3, ports)];
        insert(entry(nodes, &id.to_be_bytes(), fields))
    };
    let lag = entry(lags, &[9], vec![numbers(1, &[3, 4])]);
    let group = entry(
        groups,
        &[0, 7],
        vec![
            numbers(1, &[1, 2]),
            flags(2, &[false, true]),
            numbers(3, &[0, 50]),
            numbers(4, &[8]),
            flags(5, &[false]),
            numbers(6, &[0]),
        ],
    );
    let ecmp = entry(ecmps, &8_u32.to_be_bytes(), vec![numbers(1, &[3, 4])]);
    client
        .write(vec![
            node(1, 11, &[2], &[9]),
            node(2, 12, &[5], &[]),
            node(3, 13, &[6], &[]),
            node(4, 14, &[7], &[]),
            insert(lag.clone()),
            insert(ecmp.clone()),
            insert(group.clone()),
        ])
        .await
        .unwrap();
    assert_eq!(read(&mut client, &group).await, group.data.clone().unwrap().fields);
    assert_eq!(read(&mut client, &ecmp).await, ecmp.data.clone().unwrap().fields);
    assert_eq!(read(&mut client, &lag).await[0], numbers(1, &[3, 4]));
    // Node 1 has a port and a port of the LAG, node 2 has an exclusion id, the ECMP group has two
    // nodes.
    assert_eq!(ports(&bench, [7, 0, 0, 0, 0, 0]), [2, 3, 5, 6]);
    assert_eq!(ports(&bench, [7, 0, 0, 0, 1, 1]), [2, 4, 5, 7], "the hashes choose");
    assert_eq!(ports(&bench, [7, 50, 0, 0, 0, 0]), [2, 3, 6], "the exclusion id of node 2");

    client.write(vec![insert(entry(pruned, &[0, 20], vec![numbers(1, &[2, 5])]))]).await.unwrap();
    assert_eq!(ports(&bench, [7, 0, 20, 11, 0, 0]), [3, 5, 6], "only copies with the id 11");
    let all = bfrt::TableEntry { table_id: pruned, ..Default::default() };
    assert_eq!(client.read(Entity::TableEntry(all)).await.unwrap().len(), 288, "all entries are there");

    let device = bfrt::PreDeviceConfig {
        pre_global_rid: Some(bfrt::PreGlobalRid { global_rid: 99 }),
        ..Default::default()
    };
    let attribute = |config| {
        let attribute = Some(Attribute::PreDeviceConfig(config));
        bfrt::Entity {
            entity: Some(Entity::TableAttribute(bfrt::TableAttribute { table_id: groups, attribute })),
        }
    };
    let set = |config| bfrt::Update { r#type: Type::Insert as i32, entity: Some(attribute(config)) };
    client.write(vec![set(device)]).await.unwrap();
    assert_eq!(ports(&bench, [7, 0, 20, 99, 0, 0]), [3, 6], "the global id prunes all copies");
    let too_large = bfrt::PreDeviceConfig {
        pre_global_rid: Some(bfrt::PreGlobalRid { global_rid: 0x1_0000 }),
        ..Default::default()
    };
    assert!(client.write(vec![set(too_large)]).await.is_err());

    assert_eq!(ports(&bench, [0x8000, 0, 0, 0, 0, 0]), [64], "the CPU");
    client
        .write(vec![insert(entry(of_ports, &3_u32.to_be_bytes(), vec![value(4, Value::BoolVal(true))]))])
        .await
        .unwrap();
    assert_eq!(ports(&bench, [0x8000, 0, 0, 0, 0, 0]), [3], "another port is that of the CPU");

    let refused = vec![
        update(Type::Delete, bfrt::TableEntry { data: None, ..ecmp.clone() }),
        update(Type::Modify, entry(ecmps, &8_u32.to_be_bytes(), vec![numbers(1, &[77])])),
        insert(entry(groups, &[0, 8], vec![numbers(4, &[77])])),
        insert(entry(pruned, &[1, 32], vec![numbers(1, &[2])])),
    ];
    let status = client.write(refused).await.unwrap_err();
    let codes: Vec<_> = details(&status).into_iter().map(|(code, _)| code).collect();
    let expected = [Code::Unavailable, Code::NotFound, Code::NotFound, Code::InvalidArgument];
    assert_eq!(codes, expected.map(|code| code as i32), "{status}");

    let third = entry(nodes, &3_u32.to_be_bytes(), Vec::new());
    client.write(vec![update(Type::Delete, third)]).await.unwrap();
    assert_eq!(read(&mut client, &ecmp).await, [numbers(1, &[4])], "the ECMP group loses its node");
    assert_eq!(ports(&bench, [7, 0, 0, 0, 0, 0]), [2, 3, 5, 7]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn filters_have_a_specification() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let lpf = client.table("pipe.Work.average").await;
    let spec = vec![
        value(65560, Value::StrVal("RATE".to_owned())),
        value(65561, Value::FloatVal(1.75)),
        value(65562, Value::FloatVal(2000.0)),
        stream(65563, &[0, 0, 0, 3]),
    ];
    let cell = |table_id: u32, id: u32, fields: &[bfrt::DataField]| bfrt::TableEntry {
        value: key(vec![exact(id, &[0, 0, 0, 2])]),
        ..entry(table_id, &[], fields.to_vec())
    };
    let one = cell(lpf, 65558, &spec);
    client.write(vec![insert(one.clone())]).await.unwrap();
    assert_eq!(read(&mut client, &one).await, spec);
    let faster = cell(lpf, 65558, &[value(65561, Value::FloatVal(10.0))]);
    client.write(vec![update(Type::Modify, faster)]).await.unwrap();
    assert_eq!(read(&mut client, &one).await[1..3], [value(65561, Value::FloatVal(10.0)), spec[2].clone()]);
    let wrong = cell(lpf, 65558, &[stream(65563, &[0, 0, 0, 32])]);
    let status = client.write(vec![update(Type::Modify, wrong)]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("is at most 31"), "{status}");

    let wred = client.table("pipe.Work.early").await;
    let one = cell(wred, 65559, &[]);
    let unset = read(&mut client, &one).await;
    assert_eq!(unset[1], stream(65565, &[0xff, 0, 0, 0]), "no level reaches the minimum");
    let half = cell(wred, 65559, &[value(65567, Value::FloatVal(0.5)), stream(65565, &[0, 0, 0, 9])]);
    client.write(vec![insert(half)]).await.unwrap();
    let set = read(&mut client, &one).await;
    assert_eq!((&set[1], &set[3]), (&stream(65565, &[0, 0, 0, 9]), &value(65567, Value::FloatVal(0.5))));
    client.write(vec![update(Type::Delete, bfrt::TableEntry { data: None, ..one.clone() })]).await.unwrap();
    assert_eq!(read(&mut client, &one).await, unset, "a deleted cell has its first values");
    let status = client
        .write(vec![insert(cell(wred, 65559, &[value(65567, Value::FloatVal(1.5))]))])
        .await
        .unwrap_err();
    assert!(details(&status)[0].1.contains("is between 0 and 1"), "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn entries_have_filters_and_registers() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let with_action = async |client: &mut Client, table: &str, action: &str, fields| {
        let table_id = client.table(table).await;
        let names = Names::ActionName(ActionName { action: action.to_owned() });
        let action_id = client.id_of(table, Some(names)).await;
        let data = Some(bfrt::TableData { action_id, fields });
        bfrt::TableEntry { data, ..entry(table_id, &[0, 7], Vec::new()) }
    };
    let constant = value(65561, Value::FloatVal(500.0));
    let measured =
        with_action(&mut client, "pipe.Work.measured", "Work.measure", vec![constant.clone()]).await;
    let second = stream(65601, &[0, 0, 0, 9]);
    let counted = with_action(&mut client, "pipe.Work.counted", "Work.count", vec![second.clone()]).await;
    client.write(vec![insert(measured.clone()), insert(counted.clone())]).await.unwrap();
    let spec = read(&mut client, &measured).await;
    assert_eq!(spec[0], value(65560, Value::StrVal("SAMPLE".to_owned())));
    assert_eq!(spec[1], constant);
    assert_eq!(read(&mut client, &counted).await, [stream(65600, &[0, 0, 0, 3]), second.clone()]);
    ports(&bench, [7, 0, 0, 0, 0, 0]);
    assert_eq!(read(&mut client, &counted).await, [stream(65600, &[0, 0, 0, 4]), second], "a packet adds 1");
    let sync = bfrt::TableOperation {
        table_id: counted.table_id,
        table_operations_type: "SyncRegisters".to_owned(),
    };
    let entity = Some(bfrt::Entity { entity: Some(Entity::TableOperation(sync)) });
    client.write(vec![bfrt::Update { r#type: Type::Insert as i32, entity }]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn packet_generators_make_packets() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let app_cfg = client.table("tf1.pktgen.app_cfg").await;
    let port_cfg = client.table("tf1.pktgen.port_cfg").await;
    let pkt_buffer = client.table("tf1.pktgen.pkt_buffer").await;
    let part = bfrt::TableEntry {
        value: key(vec![exact(1, &[0, 0, 0, 16]), exact(2, &[0, 0, 0, 4])]),
        ..entry(pkt_buffer, &[], vec![stream(1, &[1, 2, 3, 4])])
    };
    let port = entry(port_cfg, &68_u32.to_be_bytes(), vec![value(2, Value::BoolVal(true))]);
    let fields = vec![
        stream(1, &1000_u32.to_be_bytes()),
        value(12, Value::BoolVal(false)),
        stream(13, &[0, 4]),
        stream(14, &[0, 16]),
        stream(17, &[0, 1]),
        stream(18, &[0, 2]),
    ];
    let app = |action_id, fields| bfrt::TableEntry {
        data: Some(bfrt::TableData { action_id, fields }),
        ..entry(app_cfg, &3_u32.to_be_bytes(), Vec::new())
    };
    let modify = |entry| update(Type::Modify, entry);
    client.write(vec![modify(part.clone()), modify(port), modify(app(1, fields))]).await.unwrap();
    assert_eq!(read(&mut client, &part).await, [numbers(1, &[1, 2, 3, 4])]);
    let counts = async |client: &mut Client| {
        let fields = read(client, &app(0, Vec::new())).await;
        let count = |id| match fields.iter().find(|field| field.field_id == id).unwrap().value.clone() {
            Some(Value::Stream(bytes)) => bytes[7],
            other => panic!("{other:?}"),
        };
        [23, 24, 25].map(count)
    };
    bench.pass(10_000);
    assert_eq!(counts(&mut client).await, [0, 0, 0], "the application is not enabled");
    client.write(vec![modify(app(0, vec![value(12, Value::BoolVal(true))]))]).await.unwrap();
    bench.pass(1_000_000);
    assert_eq!(counts(&mut client).await, [2, 6, 1], "2 batches of 3 packets");
    let all = bfrt::TableEntry { table_id: app_cfg, ..Default::default() };
    client.write(vec![update(Type::Delete, all)]).await.unwrap();
    assert_eq!(counts(&mut client).await, [0, 0, 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn value_sets_have_any_mask() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let set = client.table("pipe.Arrival.of_seven").await;
    let (nodes, groups) = (client.table("$pre.node").await, client.table("$pre.mgid").await);
    let masked = Ternary { value: vec![0x12, 0], mask: vec![0xff, 0] };
    let masked = bfrt::KeyField { field_id: 1, match_type: Some(MatchType::Ternary(masked)) };
    let member = bfrt::TableEntry { table_id: set, value: key(vec![masked]), ..Default::default() };
    let node = entry(nodes, &1_u32.to_be_bytes(), vec![stream(1, &[0, 1]), numbers(3, &[5])]);
    let group = entry(groups, &[0, 7], vec![numbers(1, &[1]), flags(2, &[false]), numbers(3, &[0])]);
    client.write(vec![insert(node), insert(group), insert(member.clone())]).await.unwrap();
    assert_eq!(ports(&bench, [0x1234, 0, 0, 0, 0, 0]), [5]);
    assert!(ports(&bench, [0x1334, 0, 0, 0, 0, 0]).is_empty());
    let all = bfrt::TableEntry { value: None, ..member.clone() };
    match client.read(Entity::TableEntry(all)).await.unwrap().as_slice() {
        [Entity::TableEntry(found)] => assert_eq!(found.value, member.value),
        other => panic!("{other:?}"),
    }
}
