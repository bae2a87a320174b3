//! Decides which controller is the primary of each role (specification, "Client Arbitration and
//! Controller Replication"). This is a state machine without sockets and clocks.
//!
//! A live controller is *elected* if its election id is the highest that its role has ever seen. It
//! becomes *primary* as soon as the writes of earlier primaries have ended. If the elected
//! controller leaves, the role has no primary until a controller bids with an id that is at least
//! as high. No backup is promoted.
//!
//! So that no controller can lock a role forever, two things are forgotten: a role with a name or
//! number, when its last controller leaves; and an election id among the [last](LAST_IDS) ones,
//! when its controller leaves (`docs/decisions/0066-roles-by-certificate.md`).

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::role::{RoleConfig, RoleName};

/// The id of a controller's stream, which is live until [`Arbitration::leave`].
pub type ClientId = u64;

/// A controller's bid to become primary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bid {
    /// The role.
    pub role: RoleName,
    /// The election id; `None` for a controller that never becomes primary. 0 is an ordinary id.
    pub election_id: Option<u128>,
    /// The role's permissions once the controller is elected.
    pub config: Option<Arc<RoleConfig>>,
    /// The number of the controller's connection.
    pub connection: u64,
}

/// The first of the 2^64 last election ids. They count only while their controller is live.
/// Otherwise, no other controller could find a larger id.
const LAST_IDS: u128 = u128::MAX << 64;

/// A notice to a controller about its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The controller.
    pub client: ClientId,
    /// The role.
    pub role: RoleName,
    /// The highest election id that the role has seen.
    pub election_id: Option<u128>,
    /// The role's permissions.
    pub config: Option<Arc<RoleConfig>>,
    /// The controller's current standing.
    pub standing: Standing,
}

/// A controller's standing in its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The controller is the primary.
    Primary,
    /// Another controller is or will be the primary.
    Backup,
    /// The controller is a backup, and there is no primary.
    NoPrimary,
}

/// The reason why a controller's bid is refused and its stream ends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Two live controllers of a role would have the same election id.
    #[error(
        "election id {0} is in use by another controller of the role; \
         each live controller needs an id of its own"
    )]
    IdInUse(u128),
    /// The controller's stream already belongs to another role.
    #[error("this stream is of {0}; open another stream to take part in another role")]
    OtherRole(RoleName),
    /// The config claims an object that another role claims exclusively, or claims exclusively an
    /// object that another role claims.
    #[error("the role's config and {role} both claim the object {id}, and one of them claims it exclusively")]
    Conflict {
        /// The object's id.
        id: u32,
        /// The role that has claimed the object.
        role: RoleName,
    },
    /// The role has too many controllers.
    #[error("{0} controllers take part in the role already, which is the limit")]
    TooManyClients(usize),
    /// The role has too many controllers without election ids.
    #[error("{0} controllers without election ids take part in the role already, which is the limit")]
    TooManyWithoutId(usize),
    /// The device has too many roles.
    #[error("the device has {0} roles already, which is the limit")]
    TooManyRoles(usize),
    /// The connection takes part in too many roles.
    #[error("this connection takes part in {0} roles already, which is the limit")]
    TooManyRolesOfOne(usize),
}

/// The reason why a controller is not permitted to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteRefusal {
    /// No controller has ever taken part in the role.
    #[error("no controller has taken part in {0}; send a MasterArbitrationUpdate for it first")]
    NoSuchRole(RoleName),
    /// The controller is not the primary of the role.
    #[error("{}", not_primary(*.given, *.primary))]
    NotPrimary {
        /// The election id of the request.
        given: Option<u128>,
        /// The primary's election id; `None` if there is no primary.
        primary: Option<u128>,
    },
}

fn not_primary(id: Option<u128>, primary: Option<u128>) -> String {
    let reason = match id {
        Some(id) => format!("election id {id} is not the primary's"),
        None => "the request has no election id".to_owned(),
    };
    match primary {
        Some(id) => format!("{reason}, which is {id}"),
        None => format!("{reason}; the role has no primary now"),
    }
}

/// The limits on what controllers may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArbitrationLimits {
    /// The maximum number of live controllers in a role.
    pub clients: usize,
    /// The maximum number of roles of a device. One connection may take part in an eighth of them.
    pub roles: usize,
}

impl ArbitrationLimits {
    /// Returns the maximum number of controllers without election ids in a role (half of all
    /// controllers), and of those on one connection (a quarter).
    fn without_id(self) -> (usize, usize) {
        ((self.clients / 2).max(1), (self.clients / 4).max(1))
    }

    /// Returns the maximum number of roles in which one connection takes part.
    fn roles_of_one(self) -> usize {
        (self.roles / 8).max(1)
    }
}

/// The roles and the live controllers of a device.
#[derive(Debug)]
pub struct Arbitration {
    limits: ArbitrationLimits,
    roles: BTreeMap<RoleName, Role>,
    clients: BTreeMap<ClientId, Client>,
}

#[derive(Debug, Default)]
struct Role {
    /// The highest election id that the role has seen.
    highest: Option<u128>,
    /// The highest election id below the [`LAST_IDS`] that the role has seen.
    lasting: Option<u128>,
    config: Option<Arc<RoleConfig>>,
    elected: Option<ClientId>,
    /// Whether the elected controller is primary, because all earlier writes have ended.
    is_accepted: bool,
    /// The number of writes that have begun and not ended.
    writes: usize,
    clients: BTreeSet<ClientId>,
}

#[derive(Debug)]
struct Client {
    role: RoleName,
    election_id: Option<u128>,
    connection: u64,
}

impl Arbitration {
    /// Creates the state of a device with only the default role and no controllers.
    pub fn new(limits: ArbitrationLimits) -> Self {
        let roles = BTreeMap::from([(RoleName::Default, Role::default())]);
        Self { limits, roles, clients: BTreeMap::new() }
    }

    /// Handles a controller's bid. Returns the notices in the order in which they must be sent.
    ///
    /// # Errors
    /// The bid is refused. Nothing has changed, and the controller's stream must end.
    pub fn bid(&mut self, client: ClientId, bid: Bid) -> Result<Vec<Notice>, Refusal> {
        self.check_place(client, &bid)?;
        self.check(client, &bid)?;
        let Bid { role: name, election_id, config, connection } = bid;
        self.clients.insert(client, Client { role: name.clone(), election_id, connection });
        let role = self.roles.entry(name.clone()).or_default();
        role.clients.insert(client);
        let was_elected = role.elected == Some(client);
        let Some(id) = election_id.filter(|id| Some(*id) >= role.highest) else {
            if was_elected {
                role.resign();
                return Ok(role.notices(&name));
            }
            return Ok(vec![role.notice(&name, client)]);
        };
        (role.highest, role.config, role.elected) = (Some(id), config, Some(client));
        if id < LAST_IDS {
            role.lasting = Some(id);
        }
        // The other controllers are notified of the change first; the new primary is notified once
        // it may write.
        let mut notices = role.notices(&name);
        notices.retain(|notice| notice.client != client);
        role.is_accepted = role.writes == 0;
        if role.is_accepted {
            notices.push(role.notice(&name, client));
        }
        Ok(notices)
    }

    /// Checks that there is a place in the role.
    fn check_place(&self, client: ClientId, bid: &Bid) -> Result<(), Refusal> {
        let role = self.roles.get(&bid.role);
        match self.clients.get(&client) {
            Some(known) if known.role != bid.role => return Err(Refusal::OtherRole(known.role.clone())),
            Some(_) => {}
            None if role.is_none() && self.roles.len() >= self.limits.roles => {
                return Err(Refusal::TooManyRoles(self.roles.len()));
            }
            None => {
                let clients = role.map_or(0, |role| role.clients.len());
                if clients >= self.limits.clients {
                    return Err(Refusal::TooManyClients(clients));
                }
                let roles_here = self.clients.values().filter(|client| client.connection == bid.connection);
                let roles_here: BTreeSet<_> = roles_here.map(|client| &client.role).collect();
                if roles_here.len() >= self.limits.roles_of_one() && !roles_here.contains(&bid.role) {
                    return Err(Refusal::TooManyRolesOfOne(roles_here.len()));
                }
            }
        }
        Ok(())
    }

    fn check(&self, client: ClientId, bid: &Bid) -> Result<(), Refusal> {
        let role = self.roles.get(&bid.role);
        if bid.election_id.is_none() {
            let others = role.into_iter().flat_map(|role| &role.clients).filter(|other| **other != client);
            let others = others.filter_map(|other| self.clients.get(other));
            let without = others.filter(|other| other.election_id.is_none());
            let on_connection = without.clone().filter(|other| other.connection == bid.connection).count();
            let (most, most_of_one) = self.limits.without_id();
            let all = without.count();
            if all >= most || on_connection >= most_of_one {
                return Err(Refusal::TooManyWithoutId(if all >= most { all } else { on_connection }));
            }
        }
        if let Some(id) = bid.election_id {
            let others = role.into_iter().flat_map(|role| &role.clients).filter(|other| **other != client);
            if others.filter_map(|other| self.clients.get(other)).any(|other| other.election_id == Some(id)) {
                return Err(Refusal::IdInUse(id));
            }
        }
        if let Some(config) = &bid.config {
            for (name, other) in self.roles.iter().filter(|(name, _)| **name != bid.role) {
                let other = other.config.as_ref().filter(|_| other.elected.is_some());
                if let Some(id) = other.and_then(|other| config.conflict(other)) {
                    return Err(Refusal::Conflict { id, role: name.clone() });
                }
            }
        }
        Ok(())
    }

    /// Returns the backup that must leave a full role, because a new controller that will be
    /// elected takes its place. This is a backup without an election id, or otherwise the one with
    /// the lowest id. Among several, it is the oldest.
    pub fn displaced(&self, client: ClientId, bid: &Bid) -> Option<ClientId> {
        let role = self.roles.get(&bid.role)?;
        let is_full = role.clients.len() >= self.limits.clients && !self.clients.contains_key(&client);
        let wins = bid.election_id.is_some() && bid.election_id >= role.highest;
        let backups = role.clients.iter().filter(|backup| role.elected != Some(**backup));
        let id = |backup: &ClientId| self.clients.get(backup).and_then(|backup| backup.election_id);
        let takes = is_full && wins && self.check(client, bid).is_ok();
        backups.filter(|_| takes).copied().min_by_key(|backup| (id(backup), *backup))
    }

    /// Removes a controller whose stream has ended. Returns the notices to send.
    pub fn leave(&mut self, client: ClientId) -> Vec<Notice> {
        let Some(Client { role: name, .. }) = self.clients.remove(&client) else { return Vec::new() };
        let Some(role) = self.roles.get_mut(&name) else { return Vec::new() };
        role.clients.remove(&client);
        let was_elected = role.elected == Some(client);
        if was_elected {
            role.resign();
        }
        let notices = if was_elected { role.notices(&name) } else { Vec::new() };
        self.forget_if_empty(&name);
        notices
    }

    /// Forgets a role without controllers. The default role always exists.
    fn forget_if_empty(&mut self, name: &RoleName) {
        let is_empty = |role: &Role| role.clients.is_empty() && role.writes == 0;
        if *name != RoleName::Default && self.roles.get(name).is_some_and(is_empty) {
            self.roles.remove(name);
        }
    }

    /// Begins a write if the controller is the primary. [`Arbitration::end_write`] must follow.
    /// Returns the role's permissions.
    ///
    /// # Errors
    /// The controller is not permitted to write.
    pub fn begin_write(
        &mut self,
        name: &RoleName,
        election_id: Option<u128>,
    ) -> Result<Option<Arc<RoleConfig>>, WriteRefusal> {
        let Some(role) = self.roles.get_mut(name) else {
            return Err(WriteRefusal::NoSuchRole(name.clone()));
        };
        let primary = role.primary().and(role.highest);
        if election_id.is_none() || election_id != primary {
            return Err(WriteRefusal::NotPrimary { given: election_id, primary });
        }
        role.writes += 1;
        Ok(role.config.clone())
    }

    /// Ends a write. Returns the notices to send.
    pub fn end_write(&mut self, name: &RoleName) -> Vec<Notice> {
        let Some(role) = self.roles.get_mut(name) else { return Vec::new() };
        role.writes = role.writes.saturating_sub(1);
        match role.elected {
            Some(client) if role.writes == 0 && !role.is_accepted => {
                role.is_accepted = true;
                vec![role.notice(name, client)]
            }
            _ => {
                self.forget_if_empty(name);
                Vec::new()
            }
        }
    }

    /// Returns the primary of a role, and its election id.
    pub fn primary(&self, role: &RoleName) -> Option<(ClientId, Option<u128>)> {
        let role = self.roles.get(role)?;
        Some((role.primary()?, role.highest))
    }

    /// Returns the elected controller of a role.
    pub fn elected(&self, role: &RoleName) -> Option<ClientId> {
        self.roles.get(role)?.elected
    }

    /// Returns the permissions of a controller's role if the controller is its primary.
    pub fn as_primary(&self, client: ClientId) -> Option<Option<&Arc<RoleConfig>>> {
        let role = self.roles.get(&self.clients.get(&client)?.role)?;
        (role.primary() == Some(client)).then_some(role.config.as_ref())
    }

    /// Returns the primaries of all roles, and each role's permissions.
    pub fn primaries(&self) -> impl Iterator<Item = (ClientId, Option<&Arc<RoleConfig>>)> {
        self.roles.values().filter_map(|role| Some((role.primary()?, role.config.as_ref())))
    }

    /// Returns a role's permissions, or `None` if the role may do everything or has never had a
    /// primary.
    pub fn config(&self, role: &RoleName) -> Option<&Arc<RoleConfig>> {
        self.roles.get(role)?.config.as_ref()
    }

    /// Returns a live controller's role and election id.
    pub fn client(&self, client: ClientId) -> Option<(&RoleName, Option<u128>)> {
        self.clients.get(&client).map(|client| (&client.role, client.election_id))
    }
}

impl Role {
    fn primary(&self) -> Option<ClientId> {
        self.elected.filter(|_| self.is_accepted)
    }

    /// Removes the elected controller from its election.
    fn resign(&mut self) {
        (self.elected, self.highest) = (None, self.lasting);
    }

    fn notice(&self, name: &RoleName, client: ClientId) -> Notice {
        let standing = match self.elected {
            Some(elected) if elected == client => Standing::Primary,
            Some(_) => Standing::Backup,
            None => Standing::NoPrimary,
        };
        Notice {
            client,
            role: name.clone(),
            election_id: self.highest,
            config: self.config.clone(),
            standing,
        }
    }

    /// Makes notices for all live controllers of the role.
    fn notices(&self, name: &RoleName) -> Vec<Notice> {
        self.clients.iter().map(|client| self.notice(name, *client)).collect()
    }
}
