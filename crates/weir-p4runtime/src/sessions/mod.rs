//! Manages the controllers of a device: their roles, elections and streams.

mod arbitration;
mod outbox;
mod role;

use std::collections::BTreeMap;

use tonic::Status;

pub use arbitration::{
    Arbitration, ArbitrationLimits, Bid, ClientId, Notice, Refusal, Standing, WriteRefusal,
};
pub use outbox::{MessageCounts, Outbox, OutboxLimits, Outgoing, outbox};
pub use role::{MAX_NAME, RoleConfig, RoleName};

use weir_grpc::{Elected, Peer};

use crate::proto::google::rpc;
use crate::proto::v1;
use crate::proto::v1::stream_message_response::Update;
use crate::wire::uint128;

/// The controllers of a device that take part in a role, with their streams.
#[derive(Debug)]
pub struct Sessions {
    arbitration: Arbitration,
    streams: BTreeMap<ClientId, Session>,
    next_client: ClientId,
    /// The elected controller of the default role, whose connection has a right to memory.
    trusted: Option<(ClientId, Elected)>,
    /// The numbers of messages that were lost by controllers that have left, or that found no
    /// primary.
    lost: MessageCounts,
    /// The primaries that were last logged, with their descriptions.
    logged: BTreeMap<RoleName, (ClientId, String)>,
    /// The log lines about elections that have not been taken yet.
    elections: Vec<String>,
    /// The number of the device, for log lines.
    device: u64,
}

/// The messages that a controller's certificate lets it receive as primary.
#[derive(Clone, Copy, Debug)]
pub struct Receives {
    /// Packets.
    pub packets: bool,
    /// Digests, and notices of idle entries.
    pub others: bool,
}

#[derive(Debug)]
struct Session {
    outbox: Outbox,
    /// The device's id as the controller gave it, which may be 0.
    device_id: u64,
    /// Whether the controller gave a role in its bid. For the default role, it need not.
    gave_role: bool,
    peer: Peer,
    receives: Receives,
}

/// A controller that takes part in a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientState {
    /// The controller's address.
    pub peer: String,
    /// The DNS names in the controller's certificate.
    pub names: Vec<String>,
    /// The controller's role.
    pub role: RoleName,
    /// The controller's election id.
    pub election_id: Option<u128>,
    /// Whether the controller is its role's primary.
    pub is_primary: bool,
    /// The number of messages that the controller has not read yet.
    pub waiting: usize,
    /// The messages that the controller lost because too many waited.
    pub lost: MessageCounts,
}

impl Sessions {
    /// Creates sessions without controllers.
    pub fn new(device: u64, limits: ArbitrationLimits) -> Self {
        let arbitration = Arbitration::new(limits);
        Self {
            arbitration,
            streams: BTreeMap::new(),
            next_client: 0,
            trusted: None,
            lost: MessageCounts::default(),
            logged: BTreeMap::new(),
            elections: Vec::new(),
            device,
        }
    }

    /// Makes the id for the next stream.
    pub fn next_client(&mut self) -> ClientId {
        self.next_client += 1;
        self.next_client
    }

    /// Handles a bid on a controller's stream, and sends the notices. Returns whether the primary
    /// of the role may have changed.
    ///
    /// # Errors
    /// The bid is refused. The stream must end.
    pub fn bid(
        &mut self,
        client: ClientId,
        update: &v1::MasterArbitrationUpdate,
        bid: Bid,
        outbox: &Outbox,
        peer: &Peer,
        receives: Receives,
    ) -> Result<(), Refusal> {
        if let Some(displaced) = self.arbitration.displaced(client, &bid) {
            if let Some(session) = self.streams.get(&displaced) {
                let why = "the role is full, and a controller that will be its primary took this place";
                session.outbox.finish(Err(Status::resource_exhausted(why)));
            }
            self.leave(displaced);
        }
        let role = bid.role.clone();
        let notices = self.arbitration.bid(client, bid)?;
        let session = Session {
            outbox: outbox.clone(),
            device_id: update.device_id,
            gave_role: update.role.is_some(),
            peer: peer.clone(),
            receives,
        };
        self.streams.insert(client, session);
        self.trust_elected();
        self.announce(notices);
        self.note_election(&role);
        Ok(())
    }

    /// Adds a log line if the primary of a role has changed.
    fn note_election(&mut self, role: &RoleName) {
        let primary = self.arbitration.primary(role);
        let logged = self.logged.get(role);
        if primary.map(|(client, _)| client) == logged.map(|(client, _)| *client) {
            return;
        }
        let place = format!("{role} of device {}", self.device);
        let session = primary.and_then(|(client, id)| Some((client, id?, self.streams.get(&client)?)));
        let Some((client, id, session)) = session else {
            if let Some((_, before)) = self.logged.remove(role) {
                self.elections.push(format!("{before} is no longer the primary of {place}"));
            }
            return;
        };
        let who = session.peer.description();
        let before = match logged {
            Some((_, before)) if *before != who => format!(" instead of {before}"),
            _ => String::new(),
        };
        self.elections.push(format!("{who} is the primary of {place}{before}, with election id {id}"));
        self.logged.insert(role.clone(), (client, who));
    }

    /// Takes the log lines about elections since the last call.
    pub fn take_elections(&mut self) -> Vec<String> {
        std::mem::take(&mut self.elections)
    }

    /// Gives the connection of the default role's elected controller a right to memory. The
    /// previously elected controller loses its right.
    fn trust_elected(&mut self) {
        let elected = self.arbitration.elected(&RoleName::Default);
        if self.trusted.as_ref().map(|(client, _)| *client) == elected {
            return;
        }
        let session = elected.and_then(|client| Some((client, self.streams.get(&client)?)));
        // The new right begins before the earlier one ends, because both may belong to the same
        // connection.
        self.trusted = session.map(|(client, session)| (client, session.peer.account.elect()));
    }

    /// Sets what a controller receives as primary.
    pub fn set_receives(&mut self, client: ClientId, receives: Receives) {
        if let Some(session) = self.streams.get_mut(&client) {
            session.receives = receives;
        }
    }

    /// Removes a controller whose stream has ended.
    pub fn leave(&mut self, client: ClientId) {
        if let Some(session) = self.streams.remove(&client) {
            self.lost += session.outbox.lost();
        }
        let role = self.arbitration.client(client).map(|(role, _)| role.clone());
        let notices = self.arbitration.leave(client);
        self.trust_elected();
        self.announce(notices);
        role.iter().for_each(|role| self.note_election(role));
    }

    /// Ends a write, and sends the notices; see [`Arbitration::end_write`].
    pub fn end_write(&mut self, role: &RoleName) {
        let notices = self.arbitration.end_write(role);
        self.announce(notices);
        self.note_election(role);
    }

    /// Returns the roles and their elections.
    pub fn arbitration(&mut self) -> &mut Arbitration {
        &mut self.arbitration
    }

    /// Sends to each primary the message that `message` makes from its role's permissions. If no
    /// primary receives one, adds `lost` to the lost messages. Returns the number of messages that
    /// were sent.
    pub fn send_to_primaries(
        &mut self,
        lost: MessageCounts,
        mut message: impl FnMut(Option<&RoleConfig>) -> Option<Update>,
    ) -> usize {
        let (mut made, mut sent) = (false, 0);
        for (client, config) in self.arbitration.primaries() {
            let Some(stream) = self.streams.get(&client) else { continue };
            let message = message(config.map(|config| &**config));
            if let Some(message) = message.filter(|message| stream.receives.has(message)) {
                made = true;
                sent += usize::from(stream.outbox.send(message));
            }
        }
        if !made {
            self.lost += lost;
        }
        sent
    }

    /// Returns all controllers.
    pub fn clients(&self) -> Vec<ClientState> {
        let states = self.streams.iter().filter_map(|(client, session)| {
            let (role, election_id) = self.arbitration.client(*client)?;
            Some(ClientState {
                peer: session.peer.name.to_string(),
                names: session.peer.names().to_vec(),
                role: role.clone(),
                election_id,
                is_primary: self.arbitration.as_primary(*client).is_some(),
                waiting: session.outbox.waiting(),
                lost: session.outbox.lost(),
            })
        });
        states.collect()
    }

    /// Returns the numbers of messages that controllers have lost, including controllers that have
    /// left, and of messages that found no primary.
    pub fn lost(&self) -> MessageCounts {
        let mut lost = self.lost;
        self.streams.values().for_each(|session| lost += session.outbox.lost());
        lost
    }

    /// Sends notices of arbitration to the controllers that are still connected.
    fn announce(&self, notices: Vec<Notice>) {
        for notice in notices {
            if let Some(session) = self.streams.get(&notice.client) {
                session.outbox.send(Update::Arbitration(session.message(notice)));
            }
        }
    }
}

impl Receives {
    /// Returns whether the role may receive a message.
    fn has(self, message: &Update) -> bool {
        match message {
            Update::Packet(_) => self.packets,
            Update::Digest(_) | Update::IdleTimeoutNotification(_) => self.others,
            _ => true,
        }
    }
}

impl Session {
    /// Makes the message that tells the controller the result of arbitration.
    fn message(&self, notice: Notice) -> v1::MasterArbitrationUpdate {
        let config = notice.config.map(|config| config.message.clone());
        let (code, message) = match notice.standing {
            Standing::Primary => (tonic::Code::Ok, "you are primary"),
            Standing::Backup => (tonic::Code::AlreadyExists, "you are backup; another controller is primary"),
            Standing::NoPrimary => (tonic::Code::NotFound, "you are backup; there is no primary"),
        };
        v1::MasterArbitrationUpdate {
            device_id: self.device_id,
            role: (self.gave_role || config.is_some()).then(|| notice.role.message(config)),
            election_id: notice.election_id.map(uint128),
            status: Some(rpc::Status { code: code as i32, message: message.to_owned(), details: Vec::new() }),
        }
    }
}
