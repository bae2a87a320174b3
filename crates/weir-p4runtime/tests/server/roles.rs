//! The permissions of roles with a config, and the messages that they receive.

use crate::bench;
use crate::running::running;

use crate::bench::{Bench, Controller, RoleConfig, bid, bid_for, election, frame};
use tonic::Code;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::stream_message_request::Update as Request;
use weir_p4runtime::proto::v1::stream_message_response::Update as Response;
use weir_p4runtime::proto::v1::update::Type;

const HOST: u64 = 0x0200_0000_0002;

/// Returns the primary of a role with a config, with election id 1.
async fn primary(bench: &Bench, role: &str, config: &RoleConfig) -> Controller {
    let mut controller = Controller::open(bench.client().await).await;
    controller.send(Request::Arbitration(bid_for(role, Some(config), 1)));
    assert_eq!(controller.arbitration().await.unwrap(), Code::Ok);
    controller
}

fn write(role: &str, kind: Type, entity: Entity) -> v1::WriteRequest {
    let entity = Some(v1::Entity { entity: Some(entity) });
    v1::WriteRequest {
        device_id: 1,
        role: role.to_owned(),
        election_id: election(1),
        updates: vec![v1::Update { r#type: kind as i32, entity }],
        ..Default::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_config_sets_the_permissions_of_a_role() {
    let (bench, _primary, names) = running().await;
    let tables = RoleConfig { shared: vec![names.table()], ..RoleConfig::default() };
    let mut controller = primary(&bench, "tables", &tables).await;
    let entry = Entity::TableEntry(names.entry(HOST, "forward", Some(2)));
    controller.client.write(write("tables", Type::Insert, entry)).await.unwrap();
    let counter =
        Entity::CounterEntry(v1::CounterEntry { counter_id: names.counter(), ..Default::default() });
    let status = controller.client.write(write("tables", Type::Modify, counter)).await.unwrap_err();
    assert!(status.message().contains("role"), "{status}");
    controller.send(Request::Packet(v1::PacketOut::default()));
    assert_eq!(controller.error().await.canonical_code, Code::PermissionDenied as i32);
    let action = v1::set_forwarding_pipeline_config_request::Action::Verify;
    let request = v1::SetForwardingPipelineConfigRequest {
        role: "tables".to_owned(),
        ..bench::set(1, action, Some(bench::config(b"")))
    };
    let status = controller.client.set_forwarding_pipeline_config(request.clone()).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
    let mut other = primary(&bench, "p", &RoleConfig { pipeline: true, ..RoleConfig::default() }).await;
    let request = v1::SetForwardingPipelineConfigRequest { role: "p".to_owned(), ..request };
    other.client.set_forwarding_pipeline_config(request).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn all_controllers_learn_the_config_of_the_primary() {
    let bench = Bench::new();
    let (small, large) = (RoleConfig { shared: vec![5], ..Default::default() }, RoleConfig::default());
    let mut first = Controller::open(bench.client().await).await;
    first.send(Request::Arbitration(bid_for("r", Some(&small), 5)));
    assert_eq!(first.notice().await.role, bid_for("r", Some(&small), 5).role);
    // The config of a backup has no effect.
    let mut second = Controller::open(bench.client().await).await;
    second.send(Request::Arbitration(bid_for("r", Some(&large), 4)));
    assert_eq!(second.notice().await.role, bid_for("r", Some(&small), 5).role);
    // The primary changes its config.
    first.send(Request::Arbitration(bid_for("r", Some(&large), 5)));
    for controller in [&mut first, &mut second] {
        assert_eq!(controller.notice().await.role, bid_for("r", Some(&large), 5).role);
    }
    // The config stays when the primary leaves, until the next primary sets its own.
    drop(first);
    assert_eq!(second.notice().await.role, bid_for("r", Some(&large), 5).role);
    second.send(Request::Arbitration(bid_for("r", None, 6)));
    assert_eq!(second.notice().await.role, bid_for("r", None, 6).role);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn exclusive_objects_are_refused_to_other_roles() {
    let bench = Bench::new();
    let exclusive = RoleConfig { exclusive: vec![5], ..Default::default() };
    let _primary = primary(&bench, "a", &exclusive).await;
    let mut other = Controller::open(bench.client().await).await;
    other.send(Request::Arbitration(bid_for("b", Some(&exclusive), 1)));
    let status = other.end().await;
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("the role \"a\" both claim the object 5"), "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_role_receives_what_its_config_lists() {
    let (bench, mut all, names) = running().await;
    let from_port_4 = v1::PacketMetadata { metadata_id: 1, value: vec![0, 4] };
    let mut tables = primary(
        &bench,
        "tables",
        &RoleConfig {
            shared: vec![names.table()],
            packets: true,
            filter: Some(from_port_4),
            ..Default::default()
        },
    )
    .await;
    let digests = RoleConfig { shared: vec![names.digest()], ..Default::default() };
    let mut digests = primary(&bench, "digests", &digests).await;
    let config = v1::digest_entry::Config { max_list_size: 1, ack_timeout_ns: 1 << 40, ..Default::default() };
    let idle = v1::TableEntry { idle_timeout_ns: 10_000_000, ..names.entry(HOST + 1, "forward", Some(2)) };
    let digest = v1::DigestEntry { digest_id: names.digest(), config: Some(config) };
    let updates = [
        (Type::Insert, Entity::TableEntry(names.entry(HOST, "to_controller", None))),
        (Type::Insert, Entity::TableEntry(idle)),
        (Type::Insert, Entity::DigestEntry(digest)),
    ];
    all.write(1, updates).await.unwrap();

    bench.frame(3, &frame(HOST, 0x800));
    bench.frame(4, &frame(HOST, 0x800));
    bench.frame(1, &frame(1, 0x88b5));
    bench.owner.pass(10_000_000);
    bench.frame(1, &frame(1, 0x800));
    let mut kinds = Vec::new();
    for (controller, count) in [(&mut all, 4), (&mut tables, 2), (&mut digests, 1)] {
        let mut received = Vec::new();
        for _ in 0..count {
            received.push(match controller.next().await.unwrap() {
                Some(Response::Packet(packet)) => format!("packet from {:?}", packet.metadata[0].value),
                Some(Response::Digest(_)) => "digest".to_owned(),
                Some(Response::IdleTimeoutNotification(_)) => "notice".to_owned(),
                other => panic!("{other:?}"),
            });
        }
        kinds.push(received.join(", "));
    }
    let expected = ["packet from [3], packet from [4], digest, notice", "packet from [4], notice", "digest"];
    assert_eq!(kinds, expected);

    // A controller can acknowledge only digests that it received.
    let ack = v1::DigestListAck { digest_id: names.digest(), list_id: 1 };
    tables.send(Request::DigestAck(ack));
    assert_eq!(tables.error().await.canonical_code, Code::PermissionDenied as i32);
    digests.send(Request::DigestAck(ack));
    digests.send(Request::Packet(v1::PacketOut::default()));
    assert_eq!(digests.error().await.canonical_code, Code::PermissionDenied as i32);
    // The digest may be sent again.
    bench.frame(1, &frame(1, 0x88b5));
    assert!(matches!(digests.next().await, Ok(Some(Response::Digest(_)))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_role_reads_its_objects() {
    let (bench, mut all, names) = running().await;
    let tables = RoleConfig { shared: vec![names.table()], ..Default::default() };
    let _tables = primary(&bench, "tables", &tables).await;
    all.write(1, [(Type::Insert, Entity::TableEntry(names.entry(HOST, "forward", Some(2))))]).await.unwrap();
    let everything =
        [Entity::TableEntry(v1::TableEntry::default()), Entity::CounterEntry(v1::CounterEntry::default())];
    let entities = everything.map(|entity| v1::Entity { entity: Some(entity) }).to_vec();
    for (role, count) in [("", 5), ("tables", 1), ("nobody", 5)] {
        let request = v1::ReadRequest { device_id: 1, role: role.to_owned(), entities: entities.clone() };
        let mut parts = all.client.read(request).await.unwrap().into_inner();
        let mut read = 0;
        while let Some(part) = parts.message().await.unwrap() {
            read += part.entities.len();
        }
        assert_eq!(read, count, "{role:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_role_without_name_is_the_default_role() {
    let bench = Bench::new();
    let mut controller = Controller::open(bench.client().await).await;
    controller.send(Request::Arbitration(bid_for("", None, 5)));
    let mut other = Controller::open(bench.client().await).await;
    assert_eq!(controller.notice().await.role, bid_for("", None, 5).role, "as the controller gave it");
    other.send(Request::Arbitration(bid(5)));
    assert_eq!(other.end().await.code(), Code::InvalidArgument, "the id is taken");
}
