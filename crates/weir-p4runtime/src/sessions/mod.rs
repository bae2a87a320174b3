//! The controllers of a device: their roles, elections, streams.

mod arbitration;
mod outbox;
mod role;

use std::collections::BTreeMap;

pub use arbitration::{
    Arbitration, ArbitrationLimits, Bid, ClientId, Notice, Refusal, Standing, WriteRefusal,
};
pub use outbox::{MessageCounts, Outbox, OutboxLimits, Outgoing, outbox};
pub use role::{MAX_NAME, RoleConfig, RoleName};

use crate::budget::Account;
use crate::peer::Peer;
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
    /// The elected controller of the default role, with the account of its connection.
    trusted: Option<(ClientId, Account)>,
    /// The lost messages of controllers that have left, and messages for which there was no
    /// primary.
    lost: MessageCounts,
}

#[derive(Debug)]
struct Session {
    outbox: Outbox,
    /// The device's id as the controller gave it, which may be 0.
    device_id: u64,
    /// Whether the controller gave a role, which is optional for the default role.
    gave_role: bool,
    peer: Peer,
}

/// A controller that takes part in a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientState {
    /// The address.
    pub peer: String,
    /// The role.
    pub role: RoleName,
    /// The election id.
    pub election_id: Option<u128>,
    /// Whether it is its role's primary.
    pub is_primary: bool,
    /// The number of messages that the controller has not read yet.
    pub waiting: usize,
    /// The messages that the controller lost because too many waited.
    pub lost: MessageCounts,
}

impl Sessions {
    /// Sessions without controllers.
    pub fn new(limits: ArbitrationLimits) -> Self {
        let arbitration = Arbitration::new(limits);
        Self {
            arbitration,
            streams: BTreeMap::new(),
            next_client: 0,
            trusted: None,
            lost: MessageCounts::default(),
        }
    }

    /// The id for the next stream.
    pub fn next_client(&mut self) -> ClientId {
        self.next_client += 1;
        self.next_client
    }

    /// Handles a bid on a controller's stream, and sends the notices. Returns whether the primary
    /// of the role may have changed.
    ///
    /// # Errors
    /// The stream must end.
    pub fn bid(
        &mut self,
        client: ClientId,
        update: &v1::MasterArbitrationUpdate,
        bid: Bid,
        outbox: &Outbox,
        peer: &Peer,
    ) -> Result<(), Refusal> {
        let notices = self.arbitration.bid(client, bid)?;
        let session = Session {
            outbox: outbox.clone(),
            device_id: update.device_id,
            gave_role: update.role.is_some(),
            peer: peer.clone(),
        };
        self.streams.insert(client, session);
        self.trust_elected();
        self.announce(notices);
        Ok(())
    }

    /// The connection of the default role's elected controller has a right, which it loses when
    /// another controller is elected.
    fn trust_elected(&mut self) {
        let elected = self.arbitration.elected(&RoleName::Default);
        if self.trusted.as_ref().map(|(client, _)| *client) == elected {
            return;
        }
        if let Some((_, before)) = self.trusted.take() {
            before.set_proven(false);
        }
        if let Some(client) = elected
            && let Some(session) = self.streams.get(&client)
        {
            session.peer.account.set_proven(true);
            self.trusted = Some((client, session.peer.account.clone()));
        }
    }

    /// A stream has ended.
    pub fn leave(&mut self, client: ClientId) {
        if let Some(session) = self.streams.remove(&client) {
            self.lost += session.outbox.lost();
        }
        let notices = self.arbitration.leave(client);
        self.trust_elected();
        self.announce(notices);
    }

    /// Ends a write; see [`Arbitration::end_write`].
    pub fn end_write(&mut self, role: &RoleName) {
        let notices = self.arbitration.end_write(role);
        self.announce(notices);
    }

    /// The roles.
    pub fn arbitration(&mut self) -> &mut Arbitration {
        &mut self.arbitration
    }

    /// Sends each primary the message that `message` makes for it, given its role's permissions. If
    /// no primary receives one, `lost` is counted as lost. Returns how many were sent.
    pub fn send_to_primaries(
        &mut self,
        lost: MessageCounts,
        mut message: impl FnMut(Option<&RoleConfig>) -> Option<Update>,
    ) -> usize {
        let (mut made, mut sent) = (false, 0);
        for (client, config) in self.arbitration.primaries() {
            let Some(stream) = self.streams.get(&client) else { continue };
            if let Some(message) = message(config.map(|config| &**config)) {
                made = true;
                sent += usize::from(stream.outbox.send(message));
            }
        }
        if !made {
            self.lost += lost;
        }
        sent
    }

    /// All controllers.
    pub fn clients(&self) -> Vec<ClientState> {
        let states = self.streams.iter().filter_map(|(client, session)| {
            let (role, election_id) = self.arbitration.client(*client)?;
            Some(ClientState {
                peer: session.peer.name.to_string(),
                role: role.clone(),
                election_id,
                is_primary: self.arbitration.as_primary(*client).is_some(),
                waiting: session.outbox.waiting(),
                lost: session.outbox.lost(),
            })
        });
        states.collect()
    }

    /// The counts of messages that controllers have lost, including those of controllers that have
    /// left and those for which there was no primary.
    pub fn lost(&self) -> MessageCounts {
        let mut lost = self.lost;
        self.streams.values().for_each(|session| lost += session.outbox.lost());
        lost
    }

    fn announce(&self, notices: Vec<Notice>) {
        for notice in notices {
            if let Some(session) = self.streams.get(&notice.client) {
                session.outbox.send(Update::Arbitration(session.message(notice)));
            }
        }
    }
}

impl Session {
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
