//! The server warns of copies for ports that the switch does not have.

use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::packet_replication_engine_entry::Type as Copier;
use weir_p4runtime::proto::v1::replica::PortKind;
use weir_p4runtime::proto::v1::update::Type;

use crate::bench::{Bench, Controller, PROGRAM};
use crate::running::running;

fn replica(port: u8, backups: &[u8]) -> v1::Replica {
    let port_kind = Some(PortKind::Port(vec![port]));
    let backup = |port: &u8| v1::BackupReplica { port: vec![*port], instance: 7 };
    v1::Replica { port_kind, instance: 1, backup_replicas: backups.iter().map(backup).collect() }
}

fn group(id: u32, replicas: Vec<v1::Replica>) -> Entity {
    let group = v1::MulticastGroupEntry { multicast_group_id: id, replicas, ..Default::default() };
    entity(Copier::MulticastGroupEntry(group))
}

fn session(id: u32, replicas: Vec<v1::Replica>) -> Entity {
    entity(Copier::CloneSessionEntry(v1::CloneSessionEntry {
        session_id: id,
        replicas,
        ..Default::default()
    }))
}

fn entity(copier: Copier) -> Entity {
    Entity::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry { r#type: Some(copier) })
}

/// Returns the warnings since the last call.
fn warned(bench: &Bench) -> Vec<String> {
    std::mem::take(&mut *bench.owner.warned.lock().unwrap())
}

async fn insert(controller: &mut Controller, entities: Vec<Entity>) -> bool {
    let inserts = entities.into_iter().map(|entity| (Type::Insert, entity));
    controller.write(1, inserts).await.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn each_port_gives_one_warning() {
    let (bench, mut controller, _) = running().await;
    let there = vec![group(1, vec![replica(1, &[2]), replica(255, &[])]), session(1, vec![replica(4, &[])])];
    assert!(insert(&mut controller, there).await);
    assert_eq!(warned(&bench), [""; 0]);
    // A request that fails changes nothing.
    let refused = vec![group(2, vec![replica(5, &[]), replica(5, &[])])];
    assert!(!insert(&mut controller, refused).await);
    assert_eq!(warned(&bench), [""; 0]);
    let lost = vec![group(2, vec![replica(1, &[]), replica(5, &[6])]), session(3, vec![replica(7, &[5])])];
    assert!(insert(&mut controller, lost).await);
    assert_eq!(
        warned(&bench),
        [
            "multicast group 2: copies go to port 5, but the switch has no such port",
            "multicast group 2: copies of a backup go to port 6, but the switch has no such port",
            "clone session 3: copies go to port 7, but the switch has no such port",
        ]
    );
    assert!(insert(&mut controller, vec![group(4, vec![replica(5, &[]), replica(6, &[])])]).await);
    assert_eq!(warned(&bench), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn copies_of_a_program_that_recirculates_are_not_lost() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let code = "if (sm.ingress_port == 3) { recirculate_preserving_field_list(0); }";
    controller.start(1, &PROGRAM.replace("/*INGRESS*/", code)).await.unwrap();
    assert!(insert(&mut controller, vec![group(1, vec![replica(9, &[])])]).await);
    assert_eq!(warned(&bench), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn entries_that_send_packets_to_a_port_that_does_not_exist_give_a_warning() {
    let (bench, mut controller, names) = running().await;
    let entry = |number, port| Entity::TableEntry(names.entry(number, "forward", Some(port)));
    assert!(insert(&mut controller, vec![entry(1, 2), entry(2, 511)]).await);
    assert_eq!(warned(&bench), [""; 0]);
    // A request that fails changes nothing.
    assert!(!insert(&mut controller, vec![entry(1, 7)]).await);
    assert_eq!(warned(&bench), [""; 0]);
    assert!(insert(&mut controller, vec![entry(3, 7), entry(4, 7)]).await);
    let [warning] = &warned(&bench)[..] else { panic!("one warning for each port") };
    assert!(
        warning.contains(": the entry sends packets to port 7 (")
            && warning.ends_with("forward), but the switch has no such port"),
        "{warning}"
    );
    let changed = controller.write(1, [(Type::Modify, entry(1, 8))]).await;
    assert!(changed.is_ok() && warned(&bench)[0].contains("to port 8"));
}
