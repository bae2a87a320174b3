//! What servers know of the connections that are going to be opened to one of them.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::{Sender, TcpReport};
use crate::SocketId;
use crate::apps::exchange::SharedRows;
use crate::apps::shared::Shared;
use crate::host::app::HostContext;

/// What a client tells the servers of a connection that it opens.
pub(crate) enum Expected {
    /// A flow's record, and who is to send if it is the server.
    Flow(Shared<TcpReport>, Option<Box<Sender>>),
    /// SharedRows of exchanges that come one after the other, and the first.
    Exchanges(SharedRows, usize),
}

/// What a connection can be told by at both its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ConnectionKey {
    /// The sequence number of its SYN, drawn at random. Data planes that rewrite addresses and ports leave it as it is.
    syn: u32,
    /// The client's address and port, as it sent them or as they arrived. Data planes that answer SYNs in a server's place rewrite numbers, but
    /// not these.
    from: (IpAddr, u16),
}

impl ConnectionKey {
    /// That which opens a connection.
    pub(crate) fn opening(socket: SocketId, host: &mut HostContext<'_>) -> Option<Self> {
        let ([from, _], [syn, _]) = (host.tcp_ends(socket)?, host.tcp_first_numbers(socket)?);
        Some(ConnectionKey { syn, from })
    }

    /// That which opened a connection that was accepted.
    pub(crate) fn accepted(socket: SocketId, host: &mut HostContext<'_>) -> Option<Self> {
        let ([_, from], [_, syn]) = (host.tcp_ends(socket)?, host.tcp_first_numbers(socket)?);
        Some(ConnectionKey { syn, from })
    }
}

/// A connection that a server is to expect, as several others may be.
struct Entry {
    /// None once one of them has taken it.
    expected: Shared<Option<Expected>>,
    /// The server's place among them.
    place: usize,
}

impl Entry {
    fn is_open(&self) -> bool {
        self.expected.lock().is_some()
    }
}

/// Connections that a server is to expect.
#[derive(Clone, Default)]
pub(crate) struct ExpectedConnections(Shared<BTreeMap<ConnectionKey, Entry>>);

impl ExpectedConnections {
    /// What was announced of a connection that was accepted, and the server's place among those that expected it: by both marks, or else by
    /// the one that a data plane on the way has left. No other server takes it then.
    pub(crate) fn take(&self, client: &ConnectionKey) -> Option<(Expected, usize)> {
        let mut announced = self.0.lock();
        let whole = announced.get(client).is_some_and(Entry::is_open).then_some(*client);
        let alike = |same: &dyn Fn(&ConnectionKey) -> bool| {
            only(announced.iter().filter(|(other, entry)| same(other) && entry.is_open()))
        };
        let found = whole
            .or_else(|| alike(&|other| other.syn == client.syn))
            .or_else(|| alike(&|other| other.from == client.from))?;
        let Entry { expected, place } = announced.remove(&found)?;
        let expected = expected.lock().take()?;
        Some((expected, place))
    }
}

/// The registry of all servers of which one is to accept a client's connections, by their places.
pub(crate) struct ServerRegistry(Vec<ExpectedConnections>);

impl ServerRegistry {
    pub(crate) fn new(registry: Vec<ExpectedConnections>) -> Self {
        ServerRegistry(registry)
    }

    /// A client opens a connection.
    pub(crate) fn announce(&self, client: ConnectionKey, expected: Expected) {
        let expected = Shared::new(Some(expected));
        for (place, register) in self.0.iter().enumerate() {
            register.0.lock().insert(client, Entry { expected: expected.clone(), place });
        }
    }

    /// It did not come about, or is over.
    pub(crate) fn withdraw(&self, client: &ConnectionKey) {
        for register in &self.0 {
            register.0.lock().remove(client);
        }
    }
}

/// The one of several; none if there are more.
fn only<'a>(mut entries: impl Iterator<Item = (&'a ConnectionKey, &'a Entry)>) -> Option<ConnectionKey> {
    let (first, _) = entries.next()?;
    entries.next().is_none().then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(syn: u32, host: u8, port: u16) -> ConnectionKey {
        ConnectionKey { syn, from: (IpAddr::from([10, 0, 0, host]), port) }
    }

    /// Which of some announced clients, by their places, a connection is taken for.
    fn taken(announced: &[ConnectionKey], arrived: ConnectionKey) -> Option<usize> {
        let register = ExpectedConnections::default();
        let servers = ServerRegistry::new(vec![register.clone()]);
        for (row, client) in announced.iter().enumerate() {
            servers.announce(*client, Expected::Exchanges(SharedRows::default(), row));
        }
        match register.take(&arrived)? {
            (Expected::Exchanges(_, row), 0) => Some(row),
            _ => None,
        }
    }

    #[test]
    fn connections_are_known_by_what_a_data_plane_leaves_of_them() {
        let announced = [client(7, 1, 100), client(8, 2, 100), client(8, 3, 100)];
        assert_eq!(taken(&announced, client(7, 1, 100)), Some(0));
        assert_eq!(taken(&announced, client(8, 3, 100)), Some(2));
        // Addresses and ports are rewritten, to another's even.
        assert_eq!(taken(&announced, client(7, 9, 5)), Some(0));
        assert_eq!(taken(&announced, client(7, 2, 100)), Some(0));
        // Numbers are.
        assert_eq!(taken(&announced, client(1, 2, 100)), Some(1));
        // Both are, or two come into question.
        assert_eq!(taken(&announced, client(1, 9, 5)), None);
        assert_eq!(taken(&announced, client(8, 9, 5)), None);
    }

    #[test]
    fn what_was_taken_or_withdrawn_is_expected_no_more() {
        let register = ExpectedConnections::default();
        let servers = ServerRegistry::new(vec![register.clone()]);
        let (one, other) = (client(7, 1, 100), client(8, 2, 100));
        servers.announce(one, Expected::Exchanges(SharedRows::default(), 0));
        servers.announce(other, Expected::Exchanges(SharedRows::default(), 1));
        assert!(register.take(&client(7, 9, 9)).is_some());
        servers.withdraw(&other);
        assert!(register.take(&one).is_none() && register.take(&other).is_none());
    }

    #[test]
    fn of_several_servers_one_takes_what_was_announced_to_all() {
        let registry =
            [ExpectedConnections::default(), ExpectedConnections::default(), ExpectedConnections::default()];
        let servers = ServerRegistry::new(registry.to_vec());
        let (one, other) = (client(7, 1, 100), client(8, 1, 101));
        servers.announce(one, Expected::Exchanges(SharedRows::default(), 0));
        servers.announce(other, Expected::Exchanges(SharedRows::default(), 1));
        let taken = |register: &ExpectedConnections, client| match register.take(&client) {
            Some((Expected::Exchanges(_, row), place)) => Some((row, place)),
            _ => None,
        };
        assert_eq!(taken(&registry[2], client(7, 9, 9)), Some((0, 2)));
        // Neither it nor another takes it again, nor is what was taken confused with what is open.
        assert!(registry.iter().all(|register| register.take(&one).is_none()));
        assert_eq!(taken(&registry[1], client(7, 1, 101)), Some((1, 1)));
        servers.announce(one, Expected::Exchanges(SharedRows::default(), 2));
        servers.withdraw(&one);
        servers.withdraw(&other);
        assert!(registry.iter().all(|register| register.0.lock().is_empty()));
    }
}
