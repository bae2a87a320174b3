//! What a program that takes another one's place keeps, over loopback.

use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;
use weir_p4runtime::proto::v1::update::Type;

use crate::bench::{self, Bench, PROGRAM};
use crate::programs::try_set;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_reconciliation_keeps_what_controllers_said_of_the_program_s_own() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let program = PROGRAM.replace("size = 1024;", "size = 1024; entries = { 7: forward(3); 8: forward(3); }");
    controller.start(1, &program).await.unwrap();
    let names = controller.names().await;
    let noted = v1::TableEntry { metadata: b"noted".to_vec(), ..names.entry(7, "forward", Some(3)) };
    let default = v1::TableEntry {
        r#match: Vec::new(),
        is_default_action: true,
        metadata: b"usual".to_vec(),
        ..names.entry(1, "drop", None)
    };
    let config = v1::digest_entry::Config { max_timeout_ns: 1000, max_list_size: 10, ack_timeout_ns: 0 };
    let digest = v1::DigestEntry { digest_id: names.digest(), config: Some(config) };
    let written = [
        (Type::Modify, Entity::TableEntry(noted)),
        (Type::Modify, Entity::TableEntry(default)),
        (Type::Insert, Entity::DigestEntry(digest)),
    ];
    let wanted = written.clone().map(|(_, entity)| entity);
    controller.write(1, written).await.unwrap();
    let other = program.replace("sm.egress_spec = port;", "sm.egress_spec = port + 1;");
    try_set(&mut controller, Action::ReconcileAndCommit, Some(bench::config(other.as_bytes())))
        .await
        .unwrap();
    for entity in wanted {
        let question = match &entity {
            Entity::TableEntry(entry) => {
                Entity::TableEntry(v1::TableEntry { action: None, metadata: Vec::new(), ..entry.clone() })
            }
            entity => entity.clone(),
        };
        let read = controller.read(question).await.unwrap();
        let shortest = |entity: Entity| match entity {
            Entity::TableEntry(entry) => (entry.metadata, None),
            Entity::DigestEntry(entry) => (Vec::new(), entry.config),
            _ => panic!("{entity:?}"),
        };
        assert_eq!(read.into_iter().map(shortest).collect::<Vec<_>>(), [shortest(entity)]);
    }
}
