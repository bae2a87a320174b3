//! Tests changes to the switch that do not come from controllers, for example from the script that
//! made the network.

use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_switch::control::{CloneSession, GroupMember, Replica, Update};

use crate::bench::{Bench, message, text};

fn write(bench: &mut Bench, updates: &str) {
    bench.write(&message("p4.v1.WriteRequest", updates)).unwrap();
}

fn insert(entity: &str) -> String {
    format!("updates {{ type: INSERT entity {{ {entity} }} }} ")
}

fn read(bench: &mut Bench, request: &str) -> Vec<v1::Entity> {
    let (read, _, done) = bench.read(&[message("p4.v1.Entity", request)]);
    done.unwrap();
    read
}

/// A group is read as its controller wrote it only as long as the switch holds it unchanged.
#[test]
fn groups_that_others_changed_are_read_in_their_current_state() {
    let mut bench = Bench::new();
    let member = "action_profile_id: 0x11000002 member_id: 1";
    let member = insert(&format!("action_profile_member {{ {member} action {{ action_id: 0x01000001 }} }}"));
    let group = |watch: &str| {
        let members = format!("members {{ member_id: 1 weight: 2 {watch} }}");
        format!("action_profile_group {{ action_profile_id: 0x11000002 group_id: 5 max_size: 4 {members} }}")
    };
    write(&mut bench, &(member + &insert(&group("watch: 3"))));
    let all = "action_profile_group { }";
    let as_written = read(&mut bench, all);
    assert_eq!(as_written, [message("p4.v1.Entity", &group("watch: 3"))]);
    let profile = bench.switch.schema().profiles.iter().find(|profile| profile.is_selector).unwrap().id;
    for (watch, seen) in [(Some(3), "watch: 3"), (Some(4), r#"watch_port: "\x04""#), (None, "")] {
        let members = vec![GroupMember { member: 1, weight: 2, watch }];
        let change = Update::ModifyGroup { profile, group: 5, members };
        bench.switch.control().change(&change).unwrap();
        assert_eq!(read(&mut bench, all), [message("p4.v1.Entity", &group(seen))]);
    }
}

/// A session is read as its controller wrote it only as long as nobody adds a port or a group.
#[test]
fn sessions_that_others_changed_are_read_as_they_are() {
    let mut bench = Bench::new();
    let session = |replicas: &str| {
        let session = format!("clone_session_entry {{ session_id: 4 {replicas} }}");
        format!("packet_replication_engine_entry {{ {session} }}")
    };
    let as_written = "replicas { egress_port: 3 instance: 1 }";
    write(&mut bench, &insert(&session(as_written)));
    let group = Update::SetMulticastGroup { group: 7, replicas: Some(vec![Replica::new(5, 2)]) };
    bench.switch.control().change(&group).unwrap();
    for (port, group, seen) in [
        (None, None, as_written),
        (Some(2), None, r#"replicas { port: "\x02" } replicas { port: "\x03" instance: 1 }"#),
        (None, Some(7), r#"replicas { port: "\x03" instance: 1 } replicas { port: "\x05" instance: 2 }"#),
    ] {
        let config =
            CloneSession { port, group, replicas: vec![Replica::new(3, 1)], ..CloneSession::default() };
        let change = Update::SetCloneSession { session: 4, config: Some(config) };
        bench.switch.control().change(&change).unwrap();
        let sessions = "packet_replication_engine_entry { clone_session_entry { } }";
        assert_eq!(read(&mut bench, sessions), [message("p4.v1.Entity", &session(seen))]);
    }
}

/// After a reset, entries have the handles of earlier ones, but not their metadata.
#[test]
fn a_reset_removes_metadata() {
    let mut bench = Bench::new();
    let key = r#"table_id: 0x02000005 match { field_id: 1 exact { value: "\x02" } }"#;
    let started = |metadata: &str| {
        let action = r#"action { action { action_id: 0x01000002 params { param_id: 1 value: "\x02" } } }"#;
        format!("table_entry {{ {key} {action} {metadata} }}")
    };
    let session = "packet_replication_engine_entry { clone_session_entry { session_id: 4
        replicas { egress_port: 3 instance: 1 } } }";
    let digest = "digest_entry { digest_id: 0x17000001 config { max_list_size: 3 } }";
    let modify = format!("updates {{ type: MODIFY entity {{ {} }} }} ", started(r#"metadata: "mine""#));
    write(&mut bench, &(modify + &insert(session) + &insert(digest)));
    let entry = format!("table_entry {{ {key} }}");
    let second = |bench: &mut Bench| read(bench, &entry).remove(0);
    assert_eq!(second(&mut bench), message("p4.v1.Entity", &started(r#"metadata: "mine""#)));
    bench.now = 5_000_000_000;
    bench.switch.control_at(bench.now).change(&Update::Reset).unwrap();
    bench.pipeline.follow(&bench.switch);
    assert_eq!(second(&mut bench), message("p4.v1.Entity", &started("")));
    let left = read(&mut bench, "packet_replication_engine_entry { }");
    assert_eq!(left, [message("p4.v1.Entity", session)], "sessions outlive a reset");
    let Some(Entity::DigestEntry(_)) = read(&mut bench, "digest_entry { }")[0].entity else {
        panic!("settings of digests are the server's: {}", text(&left[0]))
    };
}
