//! Hashes, groups of selectors, masks of keys, adjustments of meters.

use tonic::Code;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::data_field::container_array::Container;
use weir_p4runtime_proto::bfrt::data_field::{ContainerArray, Value};
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::object_id::ActionName;
use weir_p4runtime_proto::bfrt::object_id::table_object::Names;
use weir_p4runtime_proto::bfrt::table_attribute::Attribute;
use weir_p4runtime_proto::bfrt::update::Type;

use crate::bench::{Bench, Client, details, exact, key, stream, update};
use crate::tofino::{entry, flags, insert, numbers, ports, read, value};

async fn action(client: &mut Client, table: &str, name: &str) -> u32 {
    client.id_of(table, Some(Names::ActionName(ActionName { action: name.to_owned() }))).await
}

fn default_entry(table_id: u32, action_id: u32, fields: Vec<bfrt::DataField>) -> bfrt::Update {
    let data = Some(bfrt::TableData { action_id, fields });
    update(Type::Modify, bfrt::TableEntry { table_id, data, is_default_entry: true, ..Default::default() })
}

/// Makes a list with one part of a value.
fn part(field_id: u32, start: u64, length: u64, order: u64) -> bfrt::DataField {
    let number = |id: u32, value: u64| stream(id, &value.to_be_bytes());
    let val = vec![number(65575, start), number(65576, length), number(65577, order)];
    value(field_id, Value::ContainerArrVal(ContainerArray { container: vec![Container { val }] }))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn hashes_have_a_function_and_inputs() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let configure = client.table("pipe.Work.hash.configure").await;
    let algorithm = client.table("pipe.Work.hash.algorithm").await;
    let compute = client.table("pipe.Work.hash.compute").await;
    assert_eq!([configure, algorithm, compute].map(|id| id >> 24), [0x95, 0x97, 0x96]);
    let pre_defined = action(&mut client, "pipe.Work.hash.algorithm", "pre_defined").await;
    let user_defined = action(&mut client, "pipe.Work.hash.algorithm", "user_defined").await;
    let values = bfrt::TableEntry {
        value: key(vec![exact(1, &[0x12, 0x34]), exact(2, &[0x56, 0x78])]),
        ..entry(compute, &[], Vec::new())
    };
    let named = |name: &str, mut fields: Vec<bfrt::DataField>| {
        fields.push(value(1, Value::StrVal(name.to_owned())));
        default_entry(algorithm, pre_defined, fields)
    };
    let own = read(&mut client, &values).await;
    client.write(vec![named("crc_16", Vec::new())]).await.unwrap();
    assert_eq!(read(&mut client, &values).await, own, "the function of the program");
    client.write(vec![named("IDENTITY", Vec::new())]).await.unwrap();
    assert_eq!(read(&mut client, &values).await, [stream(65574, &[0x56, 0x78])]);
    client.write(vec![named("IDENTITY", vec![stream(65571, &[0, 0, 0x0f, 0xff])])]).await.unwrap();
    assert_eq!(read(&mut client, &values).await, [stream(65574, &[0x59, 0x87])], "the seed");
    client.write(vec![named("IDENTITY", vec![stream(65570, &8_u32.to_be_bytes())])]).await.unwrap();
    let rotated = read(&mut client, &values).await;
    client
        .write(vec![named("IDENTITY", vec![stream(65571, &[0; 4]), stream(65570, &[0; 4])])])
        .await
        .unwrap();
    assert_ne!(rotated, read(&mut client, &values).await, "rotated");
    // The CRC of the catalogue's "CRC-16/ARC", with its numbers.
    let own_numbers = vec![
        value(1, Value::BoolVal(true)),
        stream(2, &0x8005_u64.to_be_bytes()),
        stream(5, &16_u64.to_be_bytes()),
    ];
    client.write(vec![default_entry(algorithm, user_defined, own_numbers)]).await.unwrap();
    assert_eq!(read(&mut client, &values).await, own);

    client
        .write(vec![named("IDENTITY", Vec::new()), default_entry(configure, 0, vec![part(1, 4, 8, 1)])])
        .await
        .unwrap();
    assert_eq!(read(&mut client, &values).await, [stream(65574, &[0, 0x23])], "bits 4 to 11 of a value");
    let wrong = vec![
        default_entry(configure, 0, vec![part(1, 16, 1, 1)]),
        named("crc_17", Vec::new()),
        default_entry(algorithm, user_defined, vec![stream(5, &65_u64.to_be_bytes())]),
    ];
    let status = client.write(wrong).await.unwrap_err();
    assert_eq!(details(&status).len(), 3, "{status}");
    let reset = |table_id| bfrt::TableEntry { table_id, is_default_entry: true, ..Default::default() };
    client
        .write(vec![update(Type::Reset, reset(configure)), update(Type::Reset, reset(algorithm))])
        .await
        .unwrap();
    assert_eq!(read(&mut client, &values).await, own);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn members_have_weights_and_groups_a_size() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let members = client.table("pipe.Work.members").await;
    let groups = client.table("pipe.Work.chosen").await;
    let get_member = client.table("pipe.Work.chosen_get_member").await;
    let set_rid = action(&mut client, "pipe.Work.members", "Work.set_rid").await;
    let member = |id: u32| bfrt::TableEntry {
        value: key(vec![exact(65539, &id.to_be_bytes())]),
        data: Some(bfrt::TableData { action_id: set_rid, fields: vec![stream(1, &[0, 1])] }),
        ..entry(members, &[], Vec::new())
    };
    let group = |id: u32, chosen: &[u32], most: u32| bfrt::TableEntry {
        value: key(vec![exact(65540, &id.to_be_bytes())]),
        ..entry(
            groups,
            &[],
            vec![
                numbers(65539, chosen),
                flags(65541, &vec![true; chosen.len()]),
                stream(65542, &most.to_be_bytes()),
            ],
        )
    };
    client
        .write(vec![insert(member(5)), insert(member(6)), insert(group(1, &[5, 6, 6, 6], 4))])
        .await
        .unwrap();
    assert_eq!(read(&mut client, &group(1, &[], 0)).await[0], numbers(65539, &[5, 6, 6, 6]));
    let mut chosen = [0; 2];
    for hash in 0..400_u64 {
        let of_hash = bfrt::TableEntry {
            value: key(vec![exact(65540, &[0, 0, 0, 1]), exact(65574, &hash.to_be_bytes())]),
            ..entry(get_member, &[], Vec::new())
        };
        match read(&mut client, &of_hash).await.as_slice() {
            [one] if *one == stream(65539, &[0, 0, 0, 5]) => chosen[0] += 1,
            [one] if *one == stream(65539, &[0, 0, 0, 6]) => chosen[1] += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!((60..140).contains(&chosen[0]), "1 of 4 shares: {chosen:?}");
    let status = client.write(vec![insert(group(2, &[5], 5))]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("at most 4"), "{status}");
    let mut for_pipe = update(Type::Modify, group(1, &[5], 4));
    let Some(Entity::TableEntry(one)) = for_pipe.entity.as_mut().and_then(|entity| entity.entity.as_mut())
    else {
        panic!()
    };
    one.entry_tgt = Some(bfrt::TargetDevice { device_id: 0, pipe_id: 0, direction: 0xff, prsr_id: 0xff });
    let status = client.write(vec![for_pipe]).await.unwrap_err();
    assert_eq!(details(&status)[0].0, Code::NotFound as i32, "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn groups_of_entries_are_not_emptied() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let members = client.table("pipe.Work.members").await;
    let groups = client.table("pipe.Work.chosen").await;
    let set_rid = action(&mut client, "pipe.Work.members", "Work.set_rid").await;
    let member = bfrt::TableEntry {
        value: key(vec![exact(65539, &[0, 0, 0, 5])]),
        data: Some(bfrt::TableData { action_id: set_rid, fields: vec![stream(1, &[0, 1])] }),
        ..entry(members, &[], Vec::new())
    };
    let group = |chosen: &[u32]| bfrt::TableEntry {
        value: key(vec![exact(65540, &[0, 0, 0, 1])]),
        ..entry(groups, &[], vec![numbers(65539, chosen), flags(65541, &vec![true; chosen.len()])])
    };
    let user = entry(client.table("pipe.Work.choose").await, &[0, 9], vec![stream(65540, &[0, 0, 0, 1])]);
    client.write(vec![insert(member), insert(group(&[5])), insert(user.clone())]).await.unwrap();
    let status = client.write(vec![update(Type::Modify, group(&[]))]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("packets need a member"), "{status}");
    assert_eq!(read(&mut client, &group(&[])).await[0], numbers(65539, &[5]));
    let user = bfrt::TableEntry { data: None, ..user };
    client.write(vec![update(Type::Delete, user), update(Type::Modify, group(&[]))]).await.unwrap();
    assert_eq!(read(&mut client, &group(&[])).await[0], numbers(65539, &[]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_mask_keys() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let name = "pipe.Work.masked";
    let table_id = client.table(name).await;
    let hit = action(&mut client, name, "Work.hit").await;
    let attribute = |mask: &[u8]| {
        let fields = vec![bfrt::KeyFieldMask { field_id: 1, mask: mask.to_vec() }];
        let attribute = Some(Attribute::DynKeyMask(bfrt::DynKeyMask { fields }));
        Entity::TableAttribute(bfrt::TableAttribute { table_id, attribute })
    };
    let set = |mask: &[u8]| bfrt::Update {
        r#type: Type::Insert as i32,
        entity: Some(bfrt::Entity { entity: Some(attribute(mask)) }),
    };
    client.write(vec![set(&[0xff, 0])]).await.unwrap();
    let masked = bfrt::TableEntry {
        value: key(vec![exact(1, &[0x12, 0x34]), exact(2, &[0, 1])]),
        data: Some(bfrt::TableData { action_id: hit, fields: Vec::new() }),
        ..entry(table_id, &[], Vec::new())
    };
    client.write(vec![insert(masked.clone())]).await.unwrap();
    for group in [0x12ff, 0x1200, 0x1300] {
        ports(&bench, [group, 1, 0, 0, 0, 0]);
    }
    assert_eq!(read(&mut client, &masked).await, [stream(65554, &2_u64.to_be_bytes())]);
    let all = bfrt::TableEntry { table_id, ..Default::default() };
    match client.read(Entity::TableEntry(all.clone())).await.unwrap().first() {
        Some(Entity::TableEntry(first)) => {
            assert_eq!(first.value, key(vec![exact(1, &[0x12, 0]), exact(2, &[0, 1])]), "the masked key");
        }
        other => panic!("{other:?}"),
    }
    let status = client.write(vec![set(&[0xff, 0xff])]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("has entries"), "{status}");
    client.write(vec![update(Type::Delete, all), set(&[0xff, 0xff]), insert(masked.clone())]).await.unwrap();
    for group in [0x12ff, 0x1234] {
        ports(&bench, [group, 1, 0, 0, 0, 0]);
    }
    assert_eq!(read(&mut client, &masked).await, [stream(65554, &1_u64.to_be_bytes())]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_adjust_meters_and_set_the_device() {
    let bench = Bench::tofino();
    let mut client = bench.bound(1).await;
    let table_id = client.table("pipe.Work.rates").await;
    let attribute = |byte_count_adjust| {
        let attribute = Some(Attribute::ByteCountAdj(bfrt::ByteCountAdj { byte_count_adjust }));
        Entity::TableAttribute(bfrt::TableAttribute { table_id, attribute })
    };
    assert_eq!(client.read(attribute(7)).await.unwrap(), [attribute(0)]);
    let entity = Some(bfrt::Entity { entity: Some(attribute(-12)) });
    client.write(vec![bfrt::Update { r#type: Type::Insert as i32, entity }]).await.unwrap();
    assert_eq!(client.read(attribute(0)).await.unwrap(), [attribute(-12)]);

    let device = client.table("tf1.dev.device_configuration").await;
    let default = bfrt::TableEntry { table_id: device, is_default_entry: true, ..Default::default() };
    let order = async |client: &mut Client| {
        let fields = read(client, &default).await;
        fields.into_iter().find(|field| field.field_id == 16).unwrap()
    };
    assert_eq!(order(&mut client).await, value(16, Value::BoolVal(false)));
    client.write(vec![default_entry(device, 0, vec![value(16, Value::BoolVal(true))])]).await.unwrap();
    assert_eq!(order(&mut client).await, value(16, Value::BoolVal(true)));
    client.write(vec![update(Type::Reset, default.clone())]).await.unwrap();
    assert_eq!(order(&mut client).await, value(16, Value::BoolVal(false)));
}
