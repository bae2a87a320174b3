//! Tests which objects roles may change and read.

use weir_p4runtime::proto::v1;
use weir_p4runtime::{Code, entities};

use crate::bench::{Bench, message, outcomes};

/// Specification, "`Write` RPC": an update that the role must not make is refused; the other
/// updates are made.
#[test]
fn objects_of_other_roles_are_not_changed() {
    let mut bench = Bench::new();
    let request = r#"
        updates { type: MODIFY entity { counter_entry { counter_id: 0x12000001 index { } data { packet_count: 1 } } } }
        updates { type: MODIFY entity { register_entry { register_id: 0x16000001 index { } data { bitstring: "\x01" } } } }
        updates { type: INSERT entity { packet_replication_engine_entry { multicast_group_entry { multicast_group_id: 1 } } } }
        updates { type: MODIFY entity { direct_counter_entry { table_entry { table_id: 0x02000002 } } } }
    "#;
    let may_write = |id: u32| id == 0x1200_0001;
    let status = bench.write_as(&message("p4.v1.WriteRequest", request), &may_write).unwrap_err();
    let codes: Vec<_> = outcomes(&status).into_iter().map(|(code, _)| code).collect();
    let denied = Code::PermissionDenied;
    assert_eq!(codes, [Code::Ok, denied, denied, denied]);
    let asked = std::cell::RefCell::new(Vec::new());
    let may_write = |id: u32| {
        asked.borrow_mut().push(id);
        true
    };
    let _ = bench.write_as(&message("p4.v1.WriteRequest", request), &may_write);
    assert_eq!(*asked.borrow(), [0x1200_0001, 0x1600_0001, entities::PACKET_REPLICATION, 0x0200_0002]);
}

/// Specification, "`Read` RPC": the role is a filter.
#[test]
fn objects_of_other_roles_are_left_out() {
    let mut bench = Bench::new();
    let requests = [
        "table_entry { }",
        "counter_entry { }",
        "register_entry { register_id: 0x16000001 }",
        "value_set_entry { }",
        "action_profile_member { }",
        "direct_counter_entry { }",
        "packet_replication_engine_entry { }",
    ];
    let requests: Vec<v1::Entity> = requests.iter().map(|text| message("p4.v1.Entity", text)).collect();
    let mut read = |may_read: &dyn Fn(u32) -> bool| {
        let mut count = 0;
        let mut sink = |part: v1::ReadResponse| {
            count += part.entities.len();
            true
        };
        let Bench { pipeline, switch, now } = &mut bench;
        entities::read(entities::ReadLimits::NONE, pipeline, switch, *now, &requests, may_read, &mut sink)
            .unwrap();
        count
    };
    // The read finds four entries, eight counters, four registers and two value sets.
    assert_eq!(read(&|_| true), 18);
    assert_eq!(read(&|id| id == 0x1200_0001), 8);
    assert_eq!(read(&|_| false), 0);
}

/// Specification, "Batch Processing": an answer comes in parts of bounded size.
#[test]
fn answers_come_in_parts() {
    let mut bench = Bench::new();
    for batch in 0..3 {
        let updates = (0..1000u32).map(|number| {
            let value = (batch * 1000 + number) as u16;
            let [high, low] = value.to_be_bytes();
            format!(
                r#"updates {{ type: INSERT entity {{ table_entry {{ table_id: 0x02000006
                match {{ field_id: 1 exact {{ value: "\x{high:02x}\x{low:02x}" }} }}
                action {{ action {{ action_id: 0x01000001 }} }} }} }} }}"#
            )
        });
        let request: String = updates.collect();
        bench.write(&message("p4.v1.WriteRequest", &request)).unwrap();
    }
    let all = message("p4.v1.Entity", "table_entry { table_id: 0x02000006 }");
    let (entities, parts, done) = bench.read(std::slice::from_ref(&all));
    assert!(done.is_ok());
    assert_eq!((entities.len(), parts), (3000, vec![512, 512, 512, 512, 512, 440]));
    // Large entities make parts smaller.
    let metadata = "m".repeat(100_000);
    let updates = (0..6).map(|number| {
        format!(
            r#"updates {{ type: INSERT entity {{ table_entry {{ table_id: 0x02000005
            match {{ field_id: 1 exact {{ value: "\x1{number}" }} }} metadata: "{metadata}"
            action {{ action {{ action_id: 0x01000001 }} }} }} }} }}"#
        )
    });
    let request: String = updates.collect();
    bench.write(&message("p4.v1.WriteRequest", &request)).unwrap();
    let (_, parts, _) = bench.read(&[message("p4.v1.Entity", "table_entry { table_id: 0x02000005 }")]);
    assert_eq!(parts, [4, 2, 2]);
    // The reader stops reading.
    let mut parts = 0;
    let mut sink = |_| {
        parts += 1;
        false
    };
    let Bench { pipeline, switch, now } = &mut bench;
    let status =
        entities::read(entities::ReadLimits::NONE, pipeline, switch, *now, &[all], &|_| true, &mut sink)
            .unwrap_err();
    assert_eq!((status.code(), parts), (Code::Cancelled, 1));
}

#[test]
fn requests_without_entity_and_unknown_atomicities_are_refused() {
    let mut bench = Bench::new();
    let (_, _, done) = bench.read(&[v1::Entity::default()]);
    let outcomes = outcomes(&done.unwrap_err());
    assert_eq!(outcomes[0].0, Code::InvalidArgument);
    let request = v1::WriteRequest { atomicity: 7, ..v1::WriteRequest::default() };
    let status = bench.write(&request).unwrap_err();
    assert!(status.code() == Code::InvalidArgument && status.details().is_empty(), "{status:?}");
    assert!(bench.write(&v1::WriteRequest::default()).is_ok(), "nothing to do is done");
}
