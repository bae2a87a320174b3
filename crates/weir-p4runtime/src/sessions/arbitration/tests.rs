//! Tests elections by the specification's rules, and random elections against a model.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const LIMITS: ArbitrationLimits = ArbitrationLimits { clients: 8, roles: 24 };

fn arbitration() -> Arbitration {
    Arbitration::new(LIMITS)
}

fn bid(election_id: impl Into<Option<u128>>) -> Bid {
    Bid { election_id: election_id.into(), ..Bid::default() }
}

/// Returns the recipients, election ids and standings of notices.
fn contents(notices: &[Notice]) -> Vec<(ClientId, Option<u128>, Standing)> {
    notices.iter().map(|notice| (notice.client, notice.election_id, notice.standing)).collect()
}

use Standing::{Backup, NoPrimary, Primary};

#[test]
fn the_highest_id_ever_seen_wins_and_backups_are_not_promoted() {
    let mut roles = arbitration();
    assert_eq!(contents(&roles.bid(1, bid(5)).unwrap()), [(1, Some(5), Primary)]);
    assert_eq!(contents(&roles.bid(2, bid(3)).unwrap()), [(2, Some(5), Backup)]);
    assert_eq!(
        contents(&roles.bid(3, bid(9)).unwrap()),
        [(1, Some(9), Backup), (2, Some(9), Backup), (3, Some(9), Primary)]
    );
    assert_eq!(contents(&roles.leave(3)), [(1, Some(9), NoPrimary), (2, Some(9), NoPrimary)]);
    assert_eq!(contents(&roles.bid(1, bid(8)).unwrap()), [(1, Some(9), NoPrimary)]);
    assert_eq!(contents(&roles.bid(1, bid(9)).unwrap()), [(2, Some(9), Backup), (1, Some(9), Primary)]);
    assert_eq!(contents(&roles.leave(2)), []);
}

#[test]
fn an_unset_id_stays_backup_and_zero_is_an_id() {
    let mut roles = arbitration();
    assert_eq!(contents(&roles.bid(1, bid(None)).unwrap()), [(1, None, NoPrimary)]);
    assert_eq!(contents(&roles.bid(2, bid(None)).unwrap()), [(2, None, NoPrimary)]);
    assert_eq!(contents(&roles.bid(1, bid(0)).unwrap()), [(2, Some(0), Backup), (1, Some(0), Primary)]);
    assert!(roles.begin_write(&RoleName::Default, None).is_err());
    assert!(roles.begin_write(&RoleName::Default, Some(0)).is_ok());
}

#[test]
fn two_live_controllers_cannot_have_the_same_id() {
    let mut roles = arbitration();
    roles.bid(1, bid(5)).unwrap();
    assert_eq!(roles.bid(2, bid(5)), Err(Refusal::IdInUse(5)));
    roles.bid(2, bid(4)).unwrap();
    assert_eq!(roles.bid(2, bid(5)), Err(Refusal::IdInUse(5)));
    roles.leave(1);
    assert_eq!(contents(&roles.bid(2, bid(5)).unwrap()), [(2, Some(5), Primary)]);
    let other = Bid { role: RoleName::Named("other".to_owned()), ..bid(5) };
    assert!(roles.bid(3, other.clone()).is_ok(), "another role has ids of its own");
    assert_eq!(roles.bid(2, other), Err(Refusal::OtherRole(RoleName::Default)));
}

#[test]
fn a_primary_can_step_down() {
    let mut roles = arbitration();
    roles.bid(1, bid(5)).unwrap();
    roles.bid(2, bid(1)).unwrap();
    assert_eq!(contents(&roles.bid(1, bid(2)).unwrap()), [(1, Some(5), NoPrimary), (2, Some(5), NoPrimary)]);
    assert!(roles.begin_write(&RoleName::Default, Some(2)).is_err());
    assert!(roles.begin_write(&RoleName::Default, Some(5)).is_err());
}

#[test]
fn a_new_primary_waits_for_the_writes_of_the_old_one() {
    let mut roles = arbitration();
    roles.bid(1, bid(1)).unwrap();
    roles.begin_write(&RoleName::Default, Some(1)).unwrap();
    roles.begin_write(&RoleName::Default, Some(1)).unwrap();
    assert_eq!(contents(&roles.bid(2, bid(2)).unwrap()), [(1, Some(2), Backup)]);
    for id in [1, 2] {
        assert!(roles.begin_write(&RoleName::Default, Some(id)).is_err(), "nobody may write now");
    }
    assert_eq!(contents(&roles.end_write(&RoleName::Default)), []);
    assert_eq!(contents(&roles.end_write(&RoleName::Default)), [(2, Some(2), Primary)]);
    assert!(roles.begin_write(&RoleName::Default, Some(2)).is_ok());
}

#[test]
fn a_controller_that_leaves_before_it_is_primary_never_was() {
    let mut roles = arbitration();
    roles.bid(1, bid(1)).unwrap();
    roles.begin_write(&RoleName::Default, Some(1)).unwrap();
    roles.bid(2, bid(2)).unwrap();
    assert_eq!(contents(&roles.leave(2)), [(1, Some(2), NoPrimary)]);
    assert_eq!(contents(&roles.end_write(&RoleName::Default)), []);
    assert!(roles.begin_write(&RoleName::Default, Some(2)).is_err());
}

#[test]
fn controllers_and_roles_are_limited() {
    let mut roles = arbitration();
    for client in 0..8 {
        roles.bid(client, bid(u128::from(client))).unwrap();
    }
    assert_eq!(roles.bid(8, bid(9)), Err(Refusal::TooManyClients(8)));
    roles.bid(3, bid(9)).unwrap();
    let on = |connection: u64, role: u64| Bid { connection, ..named(role, 1) };
    for role in 1..24 {
        roles.bid(10 + role, on(role / 3 + 1, role)).unwrap();
    }
    assert_eq!(roles.bid(40, on(9, 24)), Err(Refusal::TooManyRoles(24)));
    assert!(matches!(roles.begin_write(&named(24, 1).role, Some(1)), Err(WriteRefusal::NoSuchRole(_))));
    assert_eq!(roles.leave(11), []);
    assert_eq!(roles.bid(40, on(2, 24)), Err(Refusal::TooManyRolesOfOne(3)));
    assert!(roles.bid(40, on(9, 24)).is_ok(), "the role has left with its only controller");
}

fn named(role: u64, election_id: impl Into<Option<u128>>) -> Bid {
    Bid { role: RoleName::Named(role.to_string()), ..bid(election_id) }
}

#[test]
fn controllers_without_ids_leave_room() {
    let mut roles = arbitration();
    let on = |connection| Bid { connection, ..bid(None) };
    for client in 0..4 {
        roles.bid(client, on(client / 2)).unwrap();
    }
    assert_eq!(roles.bid(4, on(7)), Err(Refusal::TooManyWithoutId(4)));
    roles.leave(0);
    assert_eq!(roles.bid(4, on(1)), Err(Refusal::TooManyWithoutId(2)), "a quarter on one connection");
    roles.bid(5, bid(1)).unwrap();
    assert_eq!(roles.bid(3, on(1)).map(drop), Ok(()), "one that is there may bid again");
    roles.bid(4, on(7)).unwrap();
    assert_eq!(roles.bid(5, on(8)), Err(Refusal::TooManyWithoutId(4)), "nor can another become one");
}

/// A controller that will be primary takes the place of a backup: the oldest one without an id, or
/// the one with the lowest id.
#[test]
fn there_is_always_a_place_for_a_primary() {
    let mut roles = arbitration();
    for client in 0..7 {
        roles.bid(client, bid(10 - u128::from(client))).unwrap();
    }
    assert_eq!(roles.displaced(9, &bid(11)), None, "there is a place");
    roles.bid(7, bid(None)).unwrap();
    assert_eq!([9, 3].map(|id| roles.displaced(9, &bid(id))), [None; 2], "9 would be a backup");
    assert_eq!(roles.displaced(9, &bid(10)), None, "the id is in use");
    assert_eq!(roles.displaced(1, &bid(11)), None, "it has a place");
    for (displaced, id) in [(7, 11), (6, 12), (5, 13)] {
        assert_eq!(roles.displaced(20 + displaced, &bid(id)), Some(displaced));
        roles.leave(displaced);
        assert_eq!(contents(&roles.bid(20 + displaced, bid(id)).unwrap()).len(), 8);
    }
}

#[test]
fn roles_with_names_end_with_their_last_controller() {
    let mut roles = arbitration();
    let role = named(1, 9).role;
    roles.bid(1, named(1, 9)).unwrap();
    roles.bid(2, named(1, None)).unwrap();
    roles.leave(1);
    assert_eq!(contents(&roles.bid(3, named(1, 5)).unwrap()), [(3, Some(9), NoPrimary)]);
    roles.bid(3, named(1, 9)).unwrap();
    roles.begin_write(&role, Some(9)).unwrap();
    for client in [2, 3] {
        roles.leave(client);
    }
    assert_eq!(contents(&roles.bid(4, named(1, 5)).unwrap()), [(4, Some(9), NoPrimary)], "a write runs");
    roles.leave(4);
    assert_eq!(roles.end_write(&role), []);
    assert_eq!(contents(&roles.bid(5, named(1, 5)).unwrap()), [(5, Some(5), Primary)]);
    // The default role still exists, with its highest id.
    roles.bid(6, bid(9)).unwrap();
    roles.leave(6);
    assert_eq!(contents(&roles.bid(6, bid(8)).unwrap()), [(6, Some(9), NoPrimary)]);
}

#[test]
fn the_last_ids_count_only_while_their_holder_is_there() {
    for id in [u128::MAX, u128::MAX - 1, LAST_IDS] {
        let mut roles = arbitration();
        roles.bid(1, bid(7)).unwrap();
        roles.bid(2, bid(id)).unwrap();
        assert_eq!(contents(&roles.bid(1, bid(8)).unwrap()), [(1, Some(id), Backup)]);
        assert_eq!(contents(&roles.leave(2)), [(1, Some(7), NoPrimary)]);
        assert_eq!(contents(&roles.bid(3, bid(6)).unwrap()), [(3, Some(7), NoPrimary)]);
        assert_eq!(contents(&roles.bid(1, bid(8)).unwrap()), [(3, Some(8), Backup), (1, Some(8), Primary)]);
        // The controller with the id can also step down.
        roles.bid(3, bid(id)).unwrap();
        assert_eq!(
            contents(&roles.bid(3, bid(1)).unwrap()),
            [(1, Some(8), NoPrimary), (3, Some(8), NoPrimary)]
        );
    }
    let mut roles = arbitration();
    roles.bid(1, bid(LAST_IDS - 1)).unwrap();
    roles.leave(1);
    assert_eq!(contents(&roles.bid(2, bid(7)).unwrap()), [(2, Some(LAST_IDS - 1), NoPrimary)]);
}

/// An event in a device's roles.
#[derive(Clone, Debug)]
enum Event {
    Bid(ClientId, u8, Option<u8>),
    Leave(ClientId),
    Write(u8, u8),
    /// The oldest write of the role ends.
    EndWrite(u8),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        4 => (0..6u64, 0..3u8, proptest::option::of(0..6u8)).prop_map(|(client, role, id)| Event::Bid(client, role, id)),
        1 => (0..6u64).prop_map(Event::Leave),
        3 => (0..3u8, 0..6u8).prop_map(|(role, id)| Event::Write(role, id)),
        2 => (0..3u8).prop_map(Event::EndWrite),
    ];
    proptest::collection::vec(event, 0..60)
}

fn name(role: u8) -> RoleName {
    if role == 0 { RoleName::Default } else { RoleName::Named(role.to_string()) }
}

/// A second implementation of the rules, as simple as possible. It keeps a list of live
/// controllers, and for each role the highest id and the elections in which its running writes
/// began.
#[derive(Default)]
struct Model {
    live: BTreeMap<ClientId, (u8, Option<u8>)>,
    roles: BTreeMap<u8, ModelRole>,
}

#[derive(Default)]
struct ModelRole {
    highest: Option<u8>,
    elections: usize,
    writes: Vec<usize>,
}

impl Model {
    fn bid(&mut self, client: ClientId, role: u8, id: Option<u8>) -> bool {
        let others = self.live.iter().filter(|(other, (of, _))| **other != client && *of == role);
        if id.is_none() && others.clone().filter(|(_, (_, other))| other.is_none()).count() >= 4 {
            return false;
        }
        if id.is_some() && others.clone().any(|(_, (_, other))| *other == id) {
            return false;
        }
        match self.live.get(&client) {
            Some((known, _)) if *known != role => return false,
            None if others.count() >= LIMITS.clients => return false,
            _ => {}
        }
        self.live.insert(client, (role, id));
        let state = self.roles.entry(role).or_default();
        if id.is_some() && id >= state.highest {
            state.highest = id;
            state.elections += 1;
        }
        true
    }

    /// Forgets roles with names that have no controllers and no writes.
    fn forget(&mut self) {
        let live = &self.live;
        let has = |role: &u8| live.values().any(|(other, _)| other == role);
        self.roles.retain(|role, state| *role == 0 || has(role) || !state.writes.is_empty());
    }

    /// Returns the controller with the highest id ever seen.
    fn elected(&self, role: u8) -> Option<ClientId> {
        let highest = self.roles.get(&role)?.highest?;
        let mut live = self.live.iter();
        live.find(|(_, (of, id))| *of == role && *id == Some(highest)).map(|(client, _)| *client)
    }

    /// Returns the controller that may write.
    fn primary(&self, role: u8) -> Option<ClientId> {
        let state = self.roles.get(&role)?;
        let is_over = state.writes.iter().all(|election| *election == state.elections);
        self.elected(role).filter(|_| is_over)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Controllers never see two primaries of a role, and exactly the primary can write.
    #[test]
    fn a_role_never_has_two_primaries(events in events()) {
        let (mut roles, mut model) = (arbitration(), Model::default());
        let mut last: BTreeMap<ClientId, (RoleName, Standing)> = BTreeMap::new();
        for event in events {
            let notices = match event {
                Event::Bid(client, role, id) => {
                    let bid = Bid { role: name(role), connection: client, ..bid(id.map(u128::from)) };
                    let notices = roles.bid(client, bid);
                    prop_assert_eq!(notices.is_ok(), model.bid(client, role, id));
                    notices.unwrap_or_else(|_| {
                        model.live.remove(&client);
                        last.remove(&client);
                        roles.leave(client)
                    })
                }
                Event::Leave(client) => {
                    model.live.remove(&client);
                    last.remove(&client);
                    roles.leave(client)
                }
                Event::Write(role, id) => {
                    let primary = model.primary(role).filter(|client| model.live[client].1 == Some(id));
                    let begun = roles.begin_write(&name(role), Some(id.into()));
                    prop_assert_eq!(begun.is_ok(), primary.is_some());
                    if begun.is_ok() {
                        let state = model.roles.entry(role).or_default();
                        state.writes.push(state.elections);
                    }
                    Vec::new()
                }
                Event::EndWrite(role) => match model.roles.get_mut(&role) {
                    Some(state) if !state.writes.is_empty() => {
                        state.writes.remove(0);
                        roles.end_write(&name(role))
                    }
                    _ => Vec::new(),
                },
            };
            model.forget();
            for notice in notices {
                prop_assert!(model.live.contains_key(&notice.client), "only live controllers hear");
                last.insert(notice.client, (notice.role.clone(), notice.standing));
                for role in (0..3).map(name) {
                    let primaries = last.values().filter(|(other, standing)| *other == role && *standing == Primary);
                    prop_assert!(primaries.count() <= 1);
                }
            }
            for role in 0..3 {
                let primary = model.primary(role);
                let told = last.iter().find(|(_, (of, standing))| *of == name(role) && *standing == Primary);
                let told = told.map(|(client, _)| *client);
                // A primary that bids again is notified once its writes have ended.
                prop_assert!(told == primary || primary.is_none() && told == model.elected(role));
            }
            let primaries = (0..3).filter_map(|role| model.primary(role)).collect::<BTreeSet<_>>();
            prop_assert_eq!(roles.primaries().map(|(client, _)| client).collect::<BTreeSet<_>>(), primaries);
        }
    }
}
