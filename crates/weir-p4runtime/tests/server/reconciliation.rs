//! The state that a switch keeps when a program replaces another one, over loopback.

use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;
use weir_p4runtime::proto::v1::update::Type;

use crate::bench::{self, Bench, PROGRAM};
use crate::programs::try_set;

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_reconciliation_keeps_controllers_changes_to_the_program_s_entities() {
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
    let expected = written.clone().map(|(_, entity)| entity);
    controller.write(1, written).await.unwrap();
    let other = program.replace("sm.egress_spec = port;", "sm.egress_spec = port + 1;");
    try_set(&mut controller, Action::ReconcileAndCommit, Some(bench::config(other.as_bytes())))
        .await
        .unwrap();
    for entity in expected {
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

/// Constant entries keep their counts and rates when another program has the same entries. The
/// entries are in a table with only constant entries, in a table with some constant entries, and in
/// a default action.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn constant_entries_keep_their_counters_and_meters() {
    for entries in ["const entries = { 7: forward(3); 8: drop(); }", "entries = { const 7: forward(3); }"] {
        let bench = Bench::new();
        let mut controller = bench.controller(1).await;
        let direct = "direct_counter(CounterType.packets_and_bytes) hits;
                      direct_meter<bit<2>>(MeterType.packets) rate; bit<2> color;
                      action forward(bit<9> port) {";
        let text = PROGRAM.replace("action forward(bit<9> port) {", direct);
        let own = format!("size = 1024; counters = hits; meters = rate; {entries}");
        let program = text.replace("support_timeout = true;", "").replace("size = 1024;", &own);
        controller.start(1, &program).await.unwrap();
        let names = controller.names().await;
        let constant = v1::TableEntry { action: None, ..names.entry(7, "forward", None) };
        let default =
            v1::TableEntry { table_id: names.table(), is_default_action: true, ..v1::TableEntry::default() };
        let some = |table_entry: &v1::TableEntry| Some(table_entry.clone());
        let config = v1::MeterConfig { cir: 10, cburst: 11, pir: 12, pburst: 13, ..Default::default() };
        let rates =
            v1::DirectMeterEntry { table_entry: some(&constant), config: Some(config), counter_data: None };
        controller.write(1, [(Type::Modify, Entity::DirectMeterEntry(rates.clone()))]).await.unwrap();
        for (destination, times) in [(7, 3), (9, 2)] {
            for _ in 0..times {
                bench.frame(1, &bench::frame(destination, 0x0800));
            }
        }
        let other = program.replace("sm.egress_spec = port;", "sm.egress_spec = port + 1;");
        for (step, program) in [None, Some(other)].into_iter().enumerate() {
            if let Some(program) = program {
                let config = Some(bench::config(program.as_bytes()));
                try_set(&mut controller, Action::ReconcileAndCommit, config).await.unwrap();
            }
            for (entry, packets) in [(&constant, 3), (&default, 2)] {
                let counter = v1::DirectCounterEntry { table_entry: some(entry), data: None };
                let read = controller.read(Entity::DirectCounterEntry(counter)).await.unwrap();
                let [Entity::DirectCounterEntry(read)] = &read[..] else { panic!("{read:?}") };
                let counted = v1::CounterData { packet_count: packets, byte_count: packets * 60 };
                assert_eq!(read.data, Some(counted), "{entries}, step {step}");
            }
            let question = v1::DirectMeterEntry { config: None, ..rates.clone() };
            let read = controller.read(Entity::DirectMeterEntry(question)).await.unwrap();
            let [Entity::DirectMeterEntry(read)] = &read[..] else { panic!("{read:?}") };
            assert_eq!(read.config, rates.config, "{entries}, step {step}");
        }
    }
}

/// If the new program does not have a constant entry whose counter has counted packets, the old
/// program keeps running and the error names the entry.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_lost_counted_constant_entry_is_named() {
    let bench = Bench::new();
    let mut controller = bench.controller(1).await;
    let direct = "direct_counter(CounterType.packets) hits; action forward(bit<9> port) {";
    let text = PROGRAM.replace("action forward(bit<9> port) {", direct);
    let program =
        text.replace("size = 1024;", "counters = hits; const entries = { 7: forward(3); 8: forward(3); }");
    controller.start(1, &program).await.unwrap();
    bench.frame(1, &bench::frame(7, 0x0800));
    let without = |entry| Some(bench::config(program.replace(entry, "").as_bytes()));
    try_set(&mut controller, Action::ReconcileAndCommit, without("8: forward(3);")).await.unwrap();
    let refused = try_set(&mut controller, Action::ReconcileAndCommit, without("7: forward(3);")).await;
    let refused = refused.unwrap_err();
    assert!(refused.message().contains("counters of TestIngress.destinations"), "{refused}");
}
