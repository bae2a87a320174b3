//! Ten controllers of three roles that bid, write, and leave at random: a role never has two
//! primaries, neither in the controllers' view nor in successful writes.
//!
//! The test takes 3 s. `WEIR_RIVALS_SECONDS` sets the time, and `WEIR_RIVALS_SEED` the random
//! numbers.

#![expect(clippy::print_stderr, reason = "the person who runs it with more wants to see the figures")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::bench::{Bench, Controller, Names, PROGRAM, bid_for, election};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use tonic::Code;
use weir_p4runtime::RoleName;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::entity::Entity;
use weir_p4runtime::proto::v1::p4_runtime_client::P4RuntimeClient;
use weir_p4runtime::proto::v1::stream_message_request::Update as Request;
use weir_p4runtime::proto::v1::stream_message_response::Update as Response;
use weir_p4runtime::proto::v1::update::Type;

const CONTROLLERS: usize = 10;
const ROLES: usize = 3;
/// The time for which controllers act before their state is compared with the model.
const ROUND: Duration = Duration::from_millis(150);

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

fn role_name(role: usize) -> String {
    ["", "one", "two"][role].to_owned()
}

/// The combined knowledge of all controllers about a role.
#[derive(Default)]
struct Known {
    /// The highest id with which a controller has learnt that it is primary.
    announced: u64,
    /// All ids that were sent in bids, and the highest of the bids that were answered.
    sent: BTreeSet<u64>,
    answered: u64,
    /// Writes that succeeded, and writes that were refused.
    done: u64,
    refused: u64,
}

type Roles = Arc<Mutex<[Known; ROLES]>>;

/// A controller that takes part in a role.
struct Member {
    controller: Controller,
    role: usize,
    /// The id of the member's last bid.
    id: Option<u64>,
    /// The status that the member learnt last.
    status: Code,
    /// The highest id of the role, as the member learnt it last.
    highest: Option<u64>,
}

/// Returns a write that sets the role's cell of the counter to the election id.
fn write(names: &Names, role: usize, id: Option<u64>) -> v1::WriteRequest {
    let counter = v1::CounterEntry {
        counter_id: names.counter(),
        index: Some(v1::Index { index: role as i64 }),
        data: Some(v1::CounterData { byte_count: 0, packet_count: id.unwrap_or(0) as i64 }),
    };
    let entity = Some(v1::Entity { entity: Some(Entity::CounterEntry(counter)) });
    v1::WriteRequest {
        device_id: 1,
        role: role_name(role),
        election_id: id.and_then(election),
        updates: vec![v1::Update { r#type: Type::Modify.into(), entity }],
        ..Default::default()
    }
}

impl Member {
    fn bid(&mut self, id: Option<u64>, roles: &Roles) {
        if let Some(id) = id {
            roles.lock().unwrap()[self.role].sent.insert(id);
        }
        self.id = id;
        let role = v1::Role { name: role_name(self.role), ..Default::default() };
        // The server may have ended the stream; the controller finds out when it reads.
        self.controller.send(Request::Arbitration(v1::MasterArbitrationUpdate {
            device_id: 1,
            role: Some(role),
            election_id: id.and_then(election),
            status: None,
        }));
    }

    /// Processes a message. Returns whether the stream is still open.
    fn learn(&mut self, message: Result<Option<Response>, tonic::Status>, roles: &Roles) -> bool {
        let update = match message {
            Ok(Some(Response::Arbitration(update))) => update,
            Ok(Some(other)) => panic!("expected arbitration, got {other:?}"),
            Ok(None) => return false,
            // Another controller has the id.
            Err(status) => {
                assert_eq!(status.code(), Code::InvalidArgument, "{status}");
                return false;
            }
        };
        self.status = update.status.expect("a status").code.into();
        self.highest = update.election_id.map(|id| id.low);
        let own_role = &mut roles.lock().unwrap()[self.role];
        own_role.answered = own_role.answered.max(self.highest.unwrap_or(0));
        if self.status == Code::Ok {
            let id = self.highest.expect("a primary has an id");
            assert!(own_role.sent.contains(&id), "somebody has bid {id}");
            // Other controllers may have learnt of a later election before this controller reads
            // about an earlier one.
            own_role.announced = own_role.announced.max(id);
        }
        true
    }

    /// Processes messages until none arrives for a while. Returns whether the stream is still open.
    async fn catch_up(&mut self, roles: &Roles, patience: Duration) -> bool {
        while let Ok(message) = tokio::time::timeout(patience, self.controller.next()).await {
            if !self.learn(message, roles) {
                return false;
            }
        }
        true
    }

    /// Writes with the id of the last bid. The write must fail if a controller with a higher id has
    /// already learnt that it is primary.
    async fn write(&mut self, names: &Names, roles: &Roles) -> bool {
        let before = roles.lock().unwrap()[self.role].announced;
        let done = self.controller.client.write(write(names, self.role, self.id)).await;
        let own_role = &mut roles.lock().unwrap()[self.role];
        match done {
            Ok(_) => {
                own_role.done += 1;
                assert!(self.id >= Some(before), "{:?} wrote after {before} was primary", self.id);
                true
            }
            Err(status) => {
                assert!(matches!(status.code(), Code::PermissionDenied | Code::NotFound), "{status}");
                own_role.refused += 1;
                false
            }
        }
    }
}

/// Lets a controller act for one round. `member` is the controller at the start of the round, if it
/// is connected; the result is the controller at the end of the round.
async fn act(
    address: String,
    names: Arc<Names>,
    roles: Roles,
    mut member: Option<Member>,
    mut random: Pcg64Mcg,
) -> (Option<Member>, Pcg64Mcg) {
    let end = Instant::now() + ROUND;
    while Instant::now() < end {
        let Some(one) = &mut member else {
            let controller = Controller::open(P4RuntimeClient::connect(address.clone()).await.unwrap()).await;
            let role = random.next_u64() as usize % ROLES;
            let mut one = Member { controller, role, id: None, status: Code::Unknown, highest: None };
            let id = choose(&roles, role, &mut random);
            one.bid(id, &roles);
            member = Some(one);
            continue;
        };
        let is_there = match random.next_u64() % 16 {
            0 => false,
            1..4 => {
                let id = choose(&roles, one.role, &mut random);
                one.bid(id, &roles);
                true
            }
            // Cancels a write in flight, and possibly disconnects its controller.
            4 => {
                let mut client = one.controller.client.clone();
                let request = write(&names, one.role, one.id);
                let given_up = tokio::time::timeout(Duration::from_micros(200), client.write(request)).await;
                given_up.is_ok()
            }
            5..10 => {
                one.write(&names, &roles).await;
                true
            }
            _ => one.catch_up(&roles, Duration::from_millis(random.next_u64() % 4)).await,
        };
        if !is_there {
            member = None;
        }
    }
    (member, random)
}

/// Chooses an id for a bid: an id near the highest, no id, or an old id.
fn choose(roles: &Roles, role: usize, random: &mut Pcg64Mcg) -> Option<u64> {
    let highest = roles.lock().unwrap()[role].sent.last().copied().unwrap_or(0);
    match random.next_u64() % 8 {
        0 => None,
        1..4 => Some(highest + 1 + random.next_u64() % 3),
        _ => Some((highest + 1).saturating_sub(random.next_u64() % 5)),
    }
}

/// Returns the counter's cells, which hold the ids of the primaries that wrote last.
async fn cells(observer: &mut Controller, names: &Names) -> Vec<i64> {
    let counter = v1::CounterEntry { counter_id: names.counter(), ..Default::default() };
    let cells = observer.read(Entity::CounterEntry(counter)).await.unwrap();
    let count = |cell| match cell {
        Entity::CounterEntry(v1::CounterEntry { data: Some(data), .. }) => data.packet_count,
        other => panic!("expected a counter, got {other:?}"),
    };
    cells.into_iter().take(ROLES).map(count).collect()
}

/// Finds a disagreement between server, controllers and model about a role.
fn disagreement(bench: &Bench, live: &[&mut Member], role: usize, roles: &Roles) -> Option<String> {
    let of_role = |state: &RoleName| match state {
        RoleName::Default => role == 0,
        RoleName::Named(name) => *name == role_name(role),
        RoleName::Numbered(_) => false,
    };
    let served = bench.server.clients(1);
    let served: Vec<_> = served.iter().filter(|client| of_role(&client.role)).collect();
    let primaries: Vec<_> = served.iter().filter(|client| client.is_primary).map(|c| c.election_id).collect();
    let there = live.len() + usize::from(role > 0);
    if there != served.len() {
        return Some(format!("{there} controllers are there, {} served", served.len()));
    }
    // By the model, the elected controller is the live one whose bid is the highest ever.
    let highest = live.iter().filter_map(|one| one.highest).max();
    let elected = elected(live);
    let known = &roles.lock().unwrap()[role];
    if !live.is_empty() && highest.unwrap_or(0) < known.answered {
        return Some(format!("the highest id was {}, and is {highest:?}", known.answered));
    }
    if primaries != Vec::from_iter(elected.map(|id| Some(u128::from(id)))) {
        return Some(format!("{elected:?} is elected, and primary is {primaries:?}"));
    }
    let wrong = live.iter().find(|one| one.highest != highest || one.status != standing(one, elected));
    wrong.map(|one| format!("{:?} learnt {:?} of {:?}, not {highest:?}", one.id, one.status, one.highest))
}

/// Returns the id of the controller that is primary in the model when no controller acts.
fn elected(live: &[&mut Member]) -> Option<u64> {
    let highest = live.iter().filter_map(|one| one.highest).max();
    live.iter().filter_map(|one| one.id).find(|id| Some(*id) == highest)
}

/// Returns the status that a controller must have learnt.
fn standing(one: &Member, elected: Option<u64>) -> Code {
    match elected {
        Some(id) if one.id == Some(id) => Code::Ok,
        Some(_) => Code::AlreadyExists,
        None => Code::NotFound,
    }
}

/// Checks, when no controller acts, that the server, the controllers and the model agree on the
/// primary, and that only the primary can write.
async fn compare(bench: &Bench, members: &mut [Option<Member>], names: &Names, roles: &Roles) {
    let end = Instant::now() + Duration::from_secs(20);
    for role in 0..ROLES {
        loop {
            for member in members.iter_mut() {
                if let Some(one) = member
                    && !one.catch_up(roles, Duration::from_millis(2)).await
                {
                    *member = None;
                }
            }
            let mut live: Vec<_> = members.iter_mut().flatten().filter(|one| one.role == role).collect();
            let Some(what) = disagreement(bench, &live, role, roles) else {
                let elected = elected(&live);
                for one in &mut live {
                    let expected = standing(one, elected) == Code::Ok;
                    assert_eq!(one.write(names, roles).await, expected, "exactly the primary writes");
                }
                break;
            };
            // The server might not have processed all bids and ends of streams yet.
            assert!(Instant::now() < end, "role {role}: {what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_never_has_two_primaries() {
    let seed = number("WEIR_RIVALS_SEED", 1);
    let end = Instant::now() + Duration::from_secs(number("WEIR_RIVALS_SECONDS", 3));
    let bench = Bench::new();
    let address = format!("http://{}", bench.address());
    let mut first = bench.controller(1).await;
    first.start(1, PROGRAM).await.unwrap();
    let names = Arc::new(first.names().await);
    drop(first);
    let roles = Roles::default();
    roles.lock().unwrap()[0].sent.insert(1);
    let mut observer = Controller::open(bench.client().await).await;
    // A role with a name, and its highest id, last as long as it has a controller.
    for role in 1..ROLES {
        let mut backup = Controller::open(bench.client().await).await;
        let update = v1::MasterArbitrationUpdate { election_id: None, ..bid_for(&role_name(role), None, 0) };
        backup.send(Request::Arbitration(update));
        backup.arbitration().await.unwrap();
        tokio::spawn(async move { while backup.next().await.is_ok_and(|message| message.is_some()) {} });
    }
    let mut controllers: Vec<(Option<Member>, Pcg64Mcg)> = (0..CONTROLLERS)
        .map(|number| (None, Pcg64Mcg::new(u128::from(seed) << 64 | number as u128)))
        .collect();
    let (mut rounds, mut before) = (0, vec![0; ROLES]);
    while Instant::now() < end {
        let acting: Vec<_> = (controllers.drain(..))
            .map(|(member, random)| {
                tokio::spawn(act(address.clone(), Arc::clone(&names), Arc::clone(&roles), member, random))
            })
            .collect();
        // The ids that primaries write never return to an earlier primary's id.
        while !acting.iter().all(tokio::task::JoinHandle::is_finished) {
            let now = cells(&mut observer, &names).await;
            assert!(before.iter().zip(&now).all(|(before, now)| before <= now), "{before:?}, then {now:?}");
            before = now;
            let clients = bench.server.clients(1);
            let primaries = clients.iter().filter(|client| client.is_primary).map(|client| &client.role);
            let mut seen = Vec::new();
            primaries.for_each(|role| {
                assert!(!seen.contains(&role), "two primaries of {role}");
                seen.push(role);
            });
        }
        let (mut members, mut numbers) = (Vec::new(), Vec::new());
        for acted in acting {
            let (member, random) = acted.await.expect("a controller found a mistake");
            members.push(member);
            numbers.push(random);
        }
        compare(&bench, &mut members, &names, &roles).await;
        controllers = members.into_iter().zip(numbers).collect();
        rounds += 1;
    }
    let roles = roles.lock().unwrap();
    for known in &*roles {
        assert!(known.done > 0 && known.refused > 0 && known.announced > 1, "each role was busy");
    }
    let sum = |field: fn(&Known) -> u64| roles.iter().map(field).sum::<u64>();
    let bids = sum(|known| known.sent.len() as u64);
    let (done, refused) = (sum(|known| known.done), sum(|known| known.refused));
    eprintln!("{rounds} rounds, {bids} election ids, {done} writes done, {refused} refused");
}
