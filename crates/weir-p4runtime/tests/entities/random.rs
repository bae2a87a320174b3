//! Compares random batches with a model of a switch's state: both must have the same outcomes and
//! the same state. Also sends requests with random bytes, after which the switch must still be
//! readable.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use proptest::prelude::*;
use prost::Message;
use weir_p4runtime::Code;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::update::Type;
use weir_p4runtime::proto::v1::write_request::Atomicity;

use crate::bench::{Bench, message, outcomes};

/// The object that a change concerns, with its contents.
#[derive(Clone, Debug)]
struct Change {
    kind: Type,
    thing: Thing,
}

#[derive(Clone, Debug)]
enum Thing {
    /// An entry of `timed`: key, action, metadata, time-out.
    Timed(u8, Option<u8>, u8, u8),
    /// An entry of `exact_match`, which has room for four.
    Exact(u8, u8),
    /// An entry of `ternary_match`: mask, priority, action.
    Ternary(u8, u8, u8),
    /// An entry of `lpm_match`: length, packets, rate.
    Lpm(u8, Option<u8>, Option<u8>),
    /// The default of `keyless`: an action, or the program's own.
    Default(Option<u8>),
    /// The default entry of `lpm_match`: packets and rate.
    Missed(Option<u8>, Option<u8>),
    Counter(u8, u8),
    Register(u8, u8),
    /// A group with this many members.
    Multicast(u8, u8),
    Clone(u8, u8),
    Digest(u8),
    /// A member of `profile`, which has room for four.
    Member(u8, u8),
    /// An entry of `indirect` with this member.
    Indirect(u8, u8),
    ValueSet(u8),
}

fn things() -> impl Strategy<Value = Thing> {
    let maybe = proptest::option::of(0..3u8);
    prop_oneof![
        (0..5u8, maybe.clone(), 0..3u8, 0..3u8).prop_map(|(k, a, m, t)| Thing::Timed(k, a, m, t)),
        (0..7u8, 0..3u8).prop_map(|(k, a)| Thing::Exact(k, a)),
        (0..3u8, 1..3u8, 0..3u8).prop_map(|(m, p, a)| Thing::Ternary(m, p, a)),
        (0..4u8, maybe.clone(), maybe.clone()).prop_map(|(l, c, m)| Thing::Lpm(l, c, m)),
        (maybe.clone(), maybe.clone()).prop_map(|(c, m)| Thing::Missed(c, m)),
        maybe.prop_map(Thing::Default),
        (0..8u8, 0..9u8).prop_map(|(i, v)| Thing::Counter(i, v)),
        (0..4u8, 0..9u8).prop_map(|(i, v)| Thing::Register(i, v)),
        (1..4u8, 0..3u8).prop_map(|(g, n)| Thing::Multicast(g, n)),
        (1..4u8, 0..3u8).prop_map(|(s, n)| Thing::Clone(s, n)),
        (1..4u8).prop_map(Thing::Digest),
        (1..7u8, 0..3u8).prop_map(|(m, a)| Thing::Member(m, a)),
        (0..3u8, 1..7u8).prop_map(|(k, m)| Thing::Indirect(k, m)),
        (0..6u8).prop_map(Thing::ValueSet),
    ]
}

fn changes() -> impl Strategy<Value = Change> {
    let kinds = prop_oneof![3 => Just(Type::Insert), 2 => Just(Type::Modify), 2 => Just(Type::Delete)];
    (kinds, things()).prop_map(|(kind, thing)| Change { kind, thing })
}

type Batch = (Atomicity, Vec<Change>);

fn batches() -> impl Strategy<Value = Vec<Batch>> {
    let atomicity = prop_oneof![
        Just(Atomicity::ContinueOnError),
        Just(Atomicity::RollbackOnError),
        Just(Atomicity::DataplaneAtomic),
    ];
    proptest::collection::vec((atomicity, proptest::collection::vec(changes(), 1..8)), 1..25)
}

fn action(number: u8) -> String {
    match number {
        0 => "action_id: 0x01000001".to_owned(),
        port => format!(r#"action_id: 0x01000002 params {{ param_id: 1 value: "\x{port:02x}" }}"#),
    }
}

/// Returns the fields for a direct counter's packets and a direct meter's rate.
fn resources(packets: Option<u8>, rate: Option<u8>) -> String {
    let packets = packets.map_or(String::new(), |n| format!("counter_data {{ packet_count: {n} }}"));
    let rate =
        rate.map_or(String::new(), |n| format!("meter_config {{ cir: {n} cburst: 5 pir: {n} pburst: 5 }}"));
    format!("{packets} {rate}")
}

impl Thing {
    /// Returns the key of the object in the model.
    fn key(&self) -> String {
        match self {
            Self::Timed(key, ..) => format!("timed {key}"),
            Self::Exact(key, _) => format!("exact {key}"),
            Self::Ternary(mask, priority, _) => format!("ternary {mask} {priority}"),
            Self::Lpm(length, ..) => format!("lpm {length}"),
            Self::Default(_) => "default".to_owned(),
            Self::Missed(..) => "missed".to_owned(),
            Self::Counter(index, _) => format!("counter {index}"),
            Self::Register(index, _) => format!("register {index}"),
            Self::Multicast(group, _) => format!("multicast {group}"),
            Self::Clone(session, _) => format!("clone {session}"),
            Self::Digest(_) => "digest".to_owned(),
            Self::Member(member, _) => format!("member {member}"),
            Self::Indirect(key, _) => format!("indirect {key}"),
            Self::ValueSet(_) => "value set".to_owned(),
        }
    }

    /// Returns whether the object always exists.
    fn is_fixed(&self) -> bool {
        let always = matches!(self, Self::Default(_) | Self::Missed(..) | Self::ValueSet(_));
        always || matches!(self, Self::Counter(..) | Self::Register(..))
    }

    fn entity(&self) -> v1::Entity {
        let exact =
            |id: u8, value: u8| format!(r#"match {{ field_id: {id} exact {{ value: "\x{value:02x}" }} }}"#);
        let replicas = |count: &u8| {
            (1..=*count)
                .map(|port| format!(r#"replicas {{ port: "\x{port:02x}" instance: {port} }}"#))
                .collect::<String>()
        };
        let text = match self {
            Self::Timed(key, done, metadata, timeout) => {
                let done =
                    done.map_or(String::new(), |done| format!("action {{ action {{ {} }} }}", action(done)));
                let metadata = "m".repeat(usize::from(*metadata));
                let timeout = u32::from(*timeout) * 1000;
                format!(
                    "table_entry {{ table_id: 0x02000006 {} {done} metadata: \"{metadata}\" idle_timeout_ns: {timeout} }}",
                    exact(1, *key)
                )
            }
            Self::Exact(key, done) => format!(
                "table_entry {{ table_id: 0x02000001 {} {} action {{ action {{ {} }} }} }}",
                exact(1, *key),
                exact(2, 7),
                action(*done)
            ),
            Self::Ternary(mask, priority, done) => {
                let mask = match mask {
                    0 => String::new(),
                    mask => format!(
                        r#"match {{ field_id: 1 ternary {{ value: "\x0{mask}" mask: "\x0{mask}" }} }}"#
                    ),
                };
                format!(
                    "table_entry {{ table_id: 0x02000003 {mask} priority: {priority} action {{ action {{ {} }} }} }}",
                    action(*done)
                )
            }
            Self::Lpm(length, packets, rate) => {
                let prefix = match length {
                    0 => String::new(),
                    length => format!(
                        r#"match {{ field_id: 1 lpm {{ value: "\x80\x00\x00\x00" prefix_len: {length} }} }}"#
                    ),
                };
                format!(
                    "table_entry {{ table_id: 0x02000002 {prefix} action {{ action {{ {} }} }} {} }}",
                    action(0),
                    resources(*packets, *rate)
                )
            }
            Self::Missed(packets, rate) => format!(
                "table_entry {{ table_id: 0x02000002 is_default_action: true action {{ action {{ {} }} }} {} }}",
                action(0),
                resources(*packets, *rate)
            ),
            Self::Default(done) => {
                let done =
                    done.map_or(String::new(), |done| format!("action {{ action {{ {} }} }}", action(done)));
                format!("table_entry {{ table_id: 0x02000008 is_default_action: true {done} }}")
            }
            Self::Counter(index, value) => format!(
                "counter_entry {{ counter_id: 0x12000001 index {{ index: {index} }} data {{ packet_count: {value} }} }}"
            ),
            Self::Register(index, value) => format!(
                r#"register_entry {{ register_id: 0x16000001 index {{ index: {index} }} data {{ bitstring: "\x0{value}" }} }}"#
            ),
            Self::Multicast(group, count) => format!(
                "packet_replication_engine_entry {{ multicast_group_entry {{ multicast_group_id: {group} {} metadata: \"x\" }} }}",
                replicas(count)
            ),
            Self::Clone(session, count) => format!(
                "packet_replication_engine_entry {{ clone_session_entry {{ session_id: {session} {} packet_length_bytes: 9 }} }}",
                replicas(count)
            ),
            Self::Digest(size) => {
                format!("digest_entry {{ digest_id: 0x17000001 config {{ max_list_size: {size} }} }}")
            }
            Self::Member(member, done) => format!(
                "action_profile_member {{ action_profile_id: 0x11000001 member_id: {member} action {{ {} }} }}",
                action(*done)
            ),
            Self::Indirect(key, member) => format!(
                "table_entry {{ table_id: 0x02000009 {} action {{ action_profile_member_id: {member} }} }}",
                exact(1, *key)
            ),
            Self::ValueSet(count) => {
                let members = (0..*count).map(|value| format!("members {{ {} }}", exact(1, value)));
                format!("value_set_entry {{ value_set_id: 0x03000001 {} }}", members.collect::<String>())
            }
        };
        message("p4.v1.Entity", &text)
    }
}

/// The state of a switch, by key.
#[derive(Clone, Debug)]
struct Model(BTreeMap<String, (Thing, v1::Entity)>);

impl Model {
    fn new() -> Self {
        let counters = (0..8).map(|index| Thing::Counter(index, 0));
        let registers = (0..4).map(|index| Thing::Register(index, 0));
        let others = [Thing::Default(Some(7)), Thing::Missed(Some(0), None), Thing::ValueSet(0)];
        let all = counters.chain(registers).chain(others);
        Self(all.map(|thing| (thing.key(), (thing.clone(), thing.entity()))).collect())
    }

    fn count(&self, is_counted: fn(&Thing) -> bool) -> usize {
        self.0.values().filter(|(thing, _)| is_counted(thing)).count()
    }

    fn has_member(&self, member: u8) -> bool {
        self.0.contains_key(&Thing::Member(member, 0).key())
    }

    fn apply(&mut self, change: &Change) -> Code {
        let Change { kind, thing } = change;
        let key = thing.key();
        let exists = self.0.contains_key(&key);
        if thing.is_fixed() && *kind != Type::Modify {
            return Code::InvalidArgument;
        }
        // Lookups are checked before writes.
        match (kind, thing, exists) {
            (Type::Modify | Type::Delete, _, false) => return Code::NotFound,
            (Type::Insert, Thing::Multicast(..) | Thing::Clone(..) | Thing::Digest(_), true) => {
                return Code::AlreadyExists;
            }
            (Type::Insert, Thing::Timed(_, None, ..), _) => return Code::InvalidArgument,
            (Type::Insert | Type::Modify, Thing::Indirect(_, member), _) if !self.has_member(*member) => {
                return Code::NotFound;
            }
            (Type::Insert, _, true) => return Code::AlreadyExists,
            (Type::Insert, Thing::Exact(..), _)
                if self.count(|thing| matches!(thing, Thing::Exact(..))) == 4 =>
            {
                return Code::ResourceExhausted;
            }
            (Type::Insert, Thing::Member(..), _)
                if self.count(|thing| matches!(thing, Thing::Member(..))) == 4 =>
            {
                return Code::ResourceExhausted;
            }
            (Type::Modify, Thing::ValueSet(count), _) if *count > 4 => return Code::ResourceExhausted,
            (Type::Delete, Thing::Member(member, _), _) => {
                let uses = |thing: &Thing| matches!(thing, Thing::Indirect(_, used) if used == member);
                if self.0.values().any(|(thing, _)| uses(thing)) {
                    return Code::FailedPrecondition;
                }
            }
            _ => {}
        }
        if *kind == Type::Delete {
            self.0.remove(&key);
            return Code::Ok;
        }
        let thing = match (thing, self.0.get(&key)) {
            // Omitted values do not change.
            (Thing::Timed(k, None, m, t), Some((Thing::Timed(_, done, ..), _))) => {
                Thing::Timed(*k, *done, *m, *t)
            }
            (Thing::Lpm(l, None, rate), Some((Thing::Lpm(_, packets, _), _))) => {
                Thing::Lpm(*l, *packets, *rate)
            }
            (Thing::Lpm(l, None, rate), None) => Thing::Lpm(*l, Some(0), *rate),
            (Thing::Missed(None, rate), Some((Thing::Missed(packets, _), _))) => {
                Thing::Missed(*packets, *rate)
            }
            (Thing::Default(None), _) => Thing::Default(Some(7)),
            (thing, _) => thing.clone(),
        };
        let entity = thing.entity();
        self.0.insert(key, (thing, entity));
        Code::Ok
    }
}

/// Returns the whole state of the switch, of the kinds that the model knows.
fn read_all(bench: &mut Bench) -> Result<BTreeSet<Vec<u8>>, tonic::Status> {
    const REQUESTS: [&str; 13] = [
        "table_entry { table_id: 0x02000006 }",
        "table_entry { table_id: 0x02000001 }",
        "table_entry { table_id: 0x02000003 }",
        "table_entry { table_id: 0x02000002 counter_data { } meter_config { } }",
        "table_entry { table_id: 0x02000002 is_default_action: true counter_data { } meter_config { } }",
        "table_entry { table_id: 0x02000008 is_default_action: true }",
        "table_entry { table_id: 0x02000009 }",
        "counter_entry { }",
        "register_entry { register_id: 0x16000001 }",
        "packet_replication_engine_entry { }",
        "digest_entry { }",
        "action_profile_member { action_profile_id: 0x11000001 }",
        "value_set_entry { value_set_id: 0x03000001 }",
    ];
    static READ: LazyLock<Vec<v1::Entity>> =
        LazyLock::new(|| REQUESTS.iter().map(|text| message("p4.v1.Entity", text)).collect());
    let (read, _, done) = bench.read(&READ);
    done.map(|()| read.iter().map(Message::encode_to_vec).collect())
}

fn request((atomicity, changes): &Batch) -> v1::WriteRequest {
    let update =
        |change: &Change| v1::Update { r#type: change.kind.into(), entity: Some(change.thing.entity()) };
    v1::WriteRequest {
        updates: changes.iter().map(update).collect(),
        atomicity: (*atomicity).into(),
        ..v1::WriteRequest::default()
    }
}

/// Returns the number of cases: a twentieth of `PROPTEST_CASES`, which is 12 by default.
fn cases() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 20, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn batches_do_what_a_model_does(batches in batches()) {
        let mut bench = Bench::new();
        let mut model = Model::new();
        for batch in &batches {
            let before = model.clone();
            let mut expected: Vec<Code> = Vec::new();
            for change in &batch.1 {
                let code = model.apply(change);
                expected.push(code);
                if code != Code::Ok && batch.0 != Atomicity::ContinueOnError {
                    model = before;
                    expected.fill(Code::Aborted);
                    *expected.last_mut().unwrap() = code;
                    expected.resize(batch.1.len(), Code::Aborted);
                    break;
                }
            }
            let outcome = match bench.write(&request(batch)) {
                Ok(()) => vec![Code::Ok; batch.1.len()],
                Err(status) => outcomes(&status).into_iter().map(|(code, _)| code).collect(),
            };
            prop_assert_eq!(outcome, expected, "{:?}", batch);
            let all: BTreeSet<_> = model.0.values().map(|(_, entity)| entity.encode_to_vec()).collect();
            prop_assert_eq!(read_all(&mut bench).unwrap(), all, "{:?}", batch);
        }
    }

    #[test]
    fn requests_with_wrong_bytes_do_no_harm(
        batches in batches(),
        places in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let mut bench = Bench::new();
        let mut places = places.iter().cycle();
        for batch in &batches {
            let mut bytes = request(batch).encode_to_vec();
            for _ in 0..3 {
                let (place, byte) = places.next().unwrap();
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            let before = read_all(&mut bench).unwrap();
            let Ok(wrong) = v1::WriteRequest::decode(&*bytes) else { continue };
            let done = bench.write(&wrong);
            let after = read_all(&mut bench).unwrap();
            if done.is_err() && wrong.atomicity != 0 {
                prop_assert_eq!(&after, &before, "no part of it is done");
            }
            // The same entities as requests to read.
            let requests: Vec<_> = wrong.updates.iter().filter_map(|update| update.entity.clone()).collect();
            let _ = bench.read(&requests);
            let entries = wrong.updates.iter().filter_map(|update| match update.entity.as_ref()?.entity.as_ref()? {
                Entity::TableEntry(entry) => Some(entry.clone()),
                _ => None,
            });
            let direct = entries.map(|entry| {
                let entry = v1::DirectCounterEntry { table_entry: Some(entry), data: None };
                v1::Entity { entity: Some(Entity::DirectCounterEntry(entry)) }
            });
            let _ = bench.read(&direct.collect::<Vec<_>>());
        }
    }
}
