//! Entries and defaults of the program's tables.

use tonic::Code;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::mode::{PredefinedMode, Scope};
use weir_p4runtime_proto::bfrt::object_id::ActionName;
use weir_p4runtime_proto::bfrt::object_id::table_object::Names;
use weir_p4runtime_proto::bfrt::table_attribute::Attribute;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_p4runtime_proto::bfrt::write_request::Atomicity;

use crate::bench::{Bench, Client, details, key, lpm, stream, update};
use crate::messages::attribute;

/// The table of routes, and its action.
pub struct Routes {
    table_id: u32,
    action_id: u32,
}

impl Routes {
    pub async fn of(client: &mut Client) -> Self {
        let name = "pipe.I.routes";
        let action = Names::ActionName(ActionName { action: "I.forward_counted".to_owned() });
        Self { table_id: client.table(name).await, action_id: client.id_of(name, Some(action)).await }
    }

    /// Returns an entry for a network of 24 bits.
    pub fn entry(&self, network: u8, port: u8) -> bfrt::TableEntry {
        let data = bfrt::TableData { action_id: self.action_id, fields: vec![stream(1, &[0, port])] };
        bfrt::TableEntry {
            table_id: self.table_id,
            value: key(vec![lpm(1, &[10, 0, network, 0], 24)]),
            data: Some(data),
            ..Default::default()
        }
    }

    /// Returns the networks and ports of all entries that are not the default.
    pub async fn all(&self, client: &mut Client) -> Vec<(u8, u8)> {
        let all = bfrt::TableEntry { table_id: self.table_id, ..Default::default() };
        let entries = client.read(Entity::TableEntry(all)).await.unwrap();
        let entry = |entity| match entity {
            Entity::TableEntry(bfrt::TableEntry { is_default_entry: true, .. }) => None,
            Entity::TableEntry(entry) => Some((network(&entry), port(&entry))),
            other => panic!("{other:?}"),
        };
        entries.into_iter().filter_map(entry).collect()
    }
}

fn network(entry: &bfrt::TableEntry) -> u8 {
    let Some(bfrt::table_entry::Value::Key(key)) = &entry.value else { panic!("no key") };
    match &key.fields[0].match_type {
        Some(bfrt::key_field::MatchType::Lpm(lpm)) => lpm.value[2],
        other => panic!("{other:?}"),
    }
}

fn port(entry: &bfrt::TableEntry) -> u8 {
    match &entry.data.as_ref().unwrap().fields[0].value {
        Some(bfrt::data_field::Value::Stream(bytes)) => bytes[1],
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn entries_are_inserted_changed_and_removed() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    let insert = |network, port| update(Type::Insert, routes.entry(network, port));
    client.write(vec![insert(1, 1), insert(2, 2)]).await.unwrap();
    assert_eq!(routes.all(&mut client).await, [(1, 1), (2, 2)]);
    client.write(vec![update(Type::Modify, routes.entry(1, 3))]).await.unwrap();
    let both = vec![
        update(Type::InsertOrModify, routes.entry(2, 4)),
        update(Type::InsertOrModify, routes.entry(3, 3)),
    ];
    client.write(both).await.unwrap();
    assert_eq!(routes.all(&mut client).await, [(1, 3), (2, 4), (3, 3)]);
    assert_eq!(client.usage(routes.table_id).await, 3);
    client
        .write(vec![update(Type::Delete, bfrt::TableEntry { data: None, ..routes.entry(1, 0) })])
        .await
        .unwrap();
    assert_eq!(routes.all(&mut client).await, [(2, 4), (3, 3)]);
    let all = bfrt::TableEntry { table_id: routes.table_id, ..Default::default() };
    client.write(vec![update(Type::Delete, all)]).await.unwrap();
    assert_eq!(client.usage(routes.table_id).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn failures_have_their_places_and_the_rest_is_made() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    let insert = |network, port| update(Type::Insert, routes.entry(network, port));
    let status = client.write(vec![insert(1, 1), insert(1, 2), insert(2, 2)]).await.unwrap_err();
    assert_eq!(status.code(), Code::Unknown);
    let details = details(&status);
    assert_eq!(details.len(), 2, "the outcomes end with the last failure");
    assert_eq!((details[0].0, details[1].0), (0, Code::AlreadyExists as i32));
    assert!(details[1].1.contains("table `I.routes` has this entry already"), "{details:?}");
    assert_eq!(routes.all(&mut client).await, [(1, 1), (2, 2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn all_or_none() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    let insert = |network| update(Type::Insert, routes.entry(network, 1));
    for atomicity in [Atomicity::RollbackOnError, Atomicity::DataplaneAtomic] {
        let request = bfrt::WriteRequest {
            client_id: 1,
            updates: vec![insert(1), insert(2), insert(1), insert(3)],
            atomicity: atomicity as i32,
            ..Default::default()
        };
        let status = client.calls.write(request).await.unwrap_err();
        let codes: Vec<_> = details(&status).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, [0, 0, Code::AlreadyExists as i32], "updates before the failure are valid");
        assert_eq!(routes.all(&mut client).await, []);
    }
    let request = bfrt::WriteRequest { client_id: 1, atomicity: 9, ..Default::default() };
    assert_eq!(client.calls.write(request).await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn errors_may_be_in_the_answer() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    let request = |kind| {
        let updates = vec![update(kind, routes.entry(1, 1)); 2];
        tonic::Request::new(bfrt::WriteRequest { client_id: 1, updates, ..Default::default() })
    };
    let mut wants = request(Type::Insert);
    wants.metadata_mut().insert("error_in_resp", "1".parse().unwrap());
    let refused = client.calls.write(wants).await.unwrap_err();
    let codes: Vec<_> = details(&refused).into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, [0, Code::AlreadyExists as i32], "clients look for failures in the status");
    let mut wants = request(Type::Delete);
    wants.metadata_mut().insert("ignore_not_found", "1".parse().unwrap());
    let answer = client.calls.write(wants).await.unwrap().into_inner();
    let codes: Vec<_> = answer.status.iter().map(|status| (status.canonical_code, status.code)).collect();
    assert_eq!(codes, [(0, 0), (0, Code::NotFound as i32)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn defaults() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    let default = bfrt::TableEntry { is_default_entry: true, value: None, ..routes.entry(0, 9) };
    client.write(vec![update(Type::Modify, default.clone())]).await.unwrap();
    let wanted = bfrt::TableEntry { is_default_entry: true, table_id: routes.table_id, ..Default::default() };
    let read = client.read(Entity::TableEntry(wanted.clone())).await.unwrap();
    let [Entity::TableEntry(read)] = read.as_slice() else { panic!("{read:?}") };
    assert_eq!((read.is_default_entry, port(read)), (true, 9));
    client.write(vec![update(Type::Reset, wanted.clone())]).await.unwrap();
    let read = client.read(Entity::TableEntry(wanted)).await.unwrap();
    let [Entity::TableEntry(read)] = read.as_slice() else { panic!("{read:?}") };
    assert_ne!(read.data.as_ref().unwrap().action_id, routes.action_id, "the program's own default");
    let with_key = bfrt::TableEntry { value: routes.entry(1, 1).value, ..default.clone() };
    for (kind, entry, expected) in
        [(Type::Insert, default, Code::Unimplemented), (Type::Modify, with_key, Code::InvalidArgument)]
    {
        let status = client.write(vec![update(kind, entry)]).await.unwrap_err();
        assert_eq!(details(&status)[0].0, expected as i32, "{status}");
    }
    // The default of this table is constant: it can be reset, but not set.
    let table_id = client.table("pipe.I.groups").await;
    let constant = bfrt::TableEntry { table_id, is_default_entry: true, ..Default::default() };
    client.write(vec![update(Type::Reset, constant.clone())]).await.unwrap();
    let action = Names::ActionName(ActionName { action: "NoAction".to_owned() });
    let action_id = client.id_of("pipe.I.groups", Some(action)).await;
    let data = Some(bfrt::TableData { action_id, fields: Vec::new() });
    let status =
        client.write(vec![update(Type::Modify, bfrt::TableEntry { data, ..constant })]).await.unwrap_err();
    assert!(details(&status)[0].1.contains("constant"), "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn reads_select_actions_fields_and_keys() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    client.write(vec![update(Type::Insert, routes.entry(1, 1))]).await.unwrap();
    let of = |data: bfrt::TableData| bfrt::TableEntry {
        table_id: routes.table_id,
        data: Some(data),
        ..Default::default()
    };
    // Only the count of packets, of entries with this action.
    let fields = vec![bfrt::DataField { field_id: 65554, value: None }];
    let wanted = of(bfrt::TableData { action_id: routes.action_id, fields });
    let read = client.read(Entity::TableEntry(wanted)).await.unwrap();
    let [Entity::TableEntry(one)] = read.as_slice() else {
        panic!("the default has another action: {read:?}")
    };
    let ids: Vec<_> = one.data.as_ref().unwrap().fields.iter().map(|field| field.field_id).collect();
    assert_eq!(ids, [65554]);
    let flags = Some(bfrt::TableFlags { key_only: true, ..Default::default() });
    let wanted = bfrt::TableEntry { table_flags: flags, data: None, ..routes.entry(1, 0) };
    let read = client.read(Entity::TableEntry(wanted)).await.unwrap();
    let [Entity::TableEntry(one)] = read.as_slice() else { panic!("{read:?}") };
    assert!(one.data.is_none() && one.entry_tgt.is_some());
    let missing = bfrt::TableEntry { data: None, ..routes.entry(7, 0) };
    let status = client.read(Entity::TableEntry(missing)).await.unwrap_err();
    assert_eq!((status.code(), details(&status)[0].0), (Code::Unknown, Code::NotFound as i32));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn there_is_one_pipe() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    for (pipe_id, expected) in [(0, None), (0xffff, None), (1, Some(Code::InvalidArgument as i32))] {
        let entry_tgt = Some(bfrt::TargetDevice { pipe_id, ..Default::default() });
        let entry = bfrt::TableEntry { entry_tgt, ..routes.entry(1, 1) };
        let outcome = client.write(vec![update(Type::InsertOrModify, entry)]).await;
        assert_eq!(outcome.err().map(|status| details(&status)[0].0), expected, "{pipe_id}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn only_reads_of_defaults_mark_the_default() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let table_id = Routes::of(&mut client).await.table_id;
    let handle = Some(bfrt::table_entry::Value::HandleId(1));
    for (value, is_default_entry) in [(handle, false), (None, true)] {
        let wanted = bfrt::TableEntry { table_id, value, is_default_entry, ..Default::default() };
        let read = client.read(Entity::TableEntry(wanted)).await.unwrap();
        let [Entity::TableEntry(read)] = read.as_slice() else { panic!("{read:?}") };
        assert_eq!((read.is_default_entry, read.data.is_some()), (is_default_entry, true));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn entries_of_each_pipe_are_read_from_a_pipe() {
    let bench = Bench::new();
    let mut client = bench.bound(1).await;
    let routes = Routes::of(&mut client).await;
    let mode = bfrt::Mode { args: 0, scope: Some(Scope::Predef(PredefinedMode::Single as i32)) };
    let scope = bfrt::EntryScope { pipe_scope: Some(mode), ..Default::default() };
    client.write(vec![attribute(routes.table_id, Attribute::EntryScope(scope))]).await.unwrap();
    client.write(vec![update(Type::Insert, routes.entry(1, 1))]).await.unwrap();
    let default =
        bfrt::TableEntry { table_id: routes.table_id, is_default_entry: true, ..Default::default() };
    let handle = Some(bfrt::table_entry::Value::HandleId(2));
    let by_handle = bfrt::TableEntry { table_id: routes.table_id, value: handle, ..Default::default() };
    let by_key = bfrt::TableEntry { data: None, ..routes.entry(1, 1) };
    for (pipe_id, entry, expected) in [
        (0, by_key.clone(), None),
        (0, default.clone(), None),
        (0xffff, by_handle, None),
        (0xffff, by_key, Some(Code::NotFound as i32)),
        (0xffff, default, Some(Code::InvalidArgument as i32)),
    ] {
        let entry_tgt = Some(bfrt::TargetDevice { pipe_id, ..Default::default() });
        let read = client.read(Entity::TableEntry(bfrt::TableEntry { entry_tgt, ..entry })).await;
        assert_eq!(read.err().map(|status| details(&status)[0].0), expected, "{pipe_id}");
    }
    assert_eq!(routes.all(&mut client).await, [(1, 1)]);
}
