//! The connections that servers expect.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::{Sender, TcpReport};
use crate::SocketId;
use crate::apps::exchange::SharedRows;
use crate::apps::shared::Shared;
use crate::host::app::HostContext;

/// The state of a connection that a client announces to the servers before it connects.
pub(crate) enum Expected {
    /// The record of a flow, and its sender if the server sends.
    Flow(Shared<TcpReport>, Option<Box<Sender>>),
    /// The shared rows of exchanges, and the index of the first one on this connection.
    Exchanges(SharedRows, usize),
}

/// An expected connection, and the type of service of the server's packets.
pub(crate) struct Announced {
    pub(crate) expected: Expected,
    pub(crate) class: u8,
}

/// The key that identifies a connection at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ConnectionKey {
    /// The random sequence number of the client's SYN. Data planes that rewrite addresses and ports
    /// keep it.
    syn: u32,
    /// The client's address and port, as sent or as received. Data planes that answer SYNs on
    /// behalf of a server change sequence numbers, but not these.
    from: (IpAddr, u16),
}

impl ConnectionKey {
    /// Returns the key of a connection that a client opens.
    pub(crate) fn opening(socket: SocketId, host: &mut HostContext<'_>) -> Option<Self> {
        let ([from, _], [syn, _]) = (host.tcp_ends(socket)?, host.tcp_first_numbers(socket)?);
        Some(ConnectionKey { syn, from })
    }

    /// Returns the key of a connection that a server accepted.
    pub(crate) fn of_accepted(socket: SocketId, host: &mut HostContext<'_>) -> Option<Self> {
        let ([_, from], [_, syn]) = (host.tcp_ends(socket)?, host.tcp_first_numbers(socket)?);
        Some(ConnectionKey { syn, from })
    }
}

/// An expected connection, possibly expected by several servers.
struct Entry {
    /// `None` once a server has taken it.
    expected: Shared<Option<Announced>>,
    /// The index of the server.
    place: usize,
}

impl Entry {
    fn is_open(&self) -> bool {
        self.expected.lock().is_some()
    }
}

/// The connections that a server expects.
#[derive(Clone, Default)]
pub(crate) struct ExpectedConnections(Shared<BTreeMap<ConnectionKey, Entry>>);

impl ExpectedConnections {
    /// Takes the announcement of an accepted connection, and the index of this server. The
    /// announcement is found by the whole key, or else by the part of the key that a data plane has
    /// left unchanged. No other server can take it afterwards.
    pub(crate) fn take(&self, client: &ConnectionKey) -> Option<(Announced, usize)> {
        let mut announced = self.0.lock();
        let whole = announced.get(client).is_some_and(Entry::is_open).then_some(*client);
        let alike = |same: &dyn Fn(&ConnectionKey) -> bool| {
            only_key(announced.iter().filter(|(other, entry)| same(other) && entry.is_open()))
        };
        let key = whole
            .or_else(|| alike(&|other| other.syn == client.syn))
            .or_else(|| alike(&|other| other.from == client.from))?;
        let Entry { expected, place } = announced.remove(&key)?;
        let expected = expected.lock().take()?;
        Some((expected, place))
    }
}

/// The expected connections of all servers that may accept a client's connections, by server index.
pub(crate) struct ServerRegistry(Vec<ExpectedConnections>);

impl ServerRegistry {
    pub(crate) fn new(registry: Vec<ExpectedConnections>) -> Self {
        ServerRegistry(registry)
    }

    /// Announces a connection to all servers.
    pub(crate) fn announce(&self, client: ConnectionKey, expected: Announced) {
        let expected = Shared::new(Some(expected));
        for (place, register) in self.0.iter().enumerate() {
            register.0.lock().insert(client, Entry { expected: expected.clone(), place });
        }
    }

    /// Withdraws the announcement of a connection that failed or has ended.
    pub(crate) fn withdraw(&self, client: &ConnectionKey) {
        for register in &self.0 {
            register.0.lock().remove(client);
        }
    }
}

/// Returns the only entry; `None` if there are several.
fn only_key<'a>(mut entries: impl Iterator<Item = (&'a ConnectionKey, &'a Entry)>) -> Option<ConnectionKey> {
    let (first, _) = entries.next()?;
    entries.next().is_none().then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(syn: u32, host: u8, port: u16) -> ConnectionKey {
        ConnectionKey { syn, from: (IpAddr::from([10, 0, 0, host]), port) }
    }

    fn announced_row(row: usize) -> Announced {
        Announced { expected: Expected::Exchanges(SharedRows::default(), row), class: 0 }
    }

    /// Returns the index of the announced client that an arriving connection is taken for.
    fn match_announced(announced: &[ConnectionKey], arrived: ConnectionKey) -> Option<usize> {
        let register = ExpectedConnections::default();
        let servers = ServerRegistry::new(vec![register.clone()]);
        for (row, client) in announced.iter().enumerate() {
            servers.announce(*client, announced_row(row));
        }
        match register.take(&arrived)? {
            (Announced { expected: Expected::Exchanges(_, row), .. }, 0) => Some(row),
            _ => None,
        }
    }

    #[test]
    fn rewritten_connections_are_recognized() {
        let announced = [client(7, 1, 100), client(8, 2, 100), client(8, 3, 100)];
        assert_eq!(match_announced(&announced, client(7, 1, 100)), Some(0));
        assert_eq!(match_announced(&announced, client(8, 3, 100)), Some(2));
        // Addresses and ports are rewritten, possibly to those of another client.
        assert_eq!(match_announced(&announced, client(7, 9, 5)), Some(0));
        assert_eq!(match_announced(&announced, client(7, 2, 100)), Some(0));
        // Only sequence numbers are rewritten.
        assert_eq!(match_announced(&announced, client(1, 2, 100)), Some(1));
        // Both are rewritten, or two clients match.
        assert_eq!(match_announced(&announced, client(1, 9, 5)), None);
        assert_eq!(match_announced(&announced, client(8, 9, 5)), None);
    }

    #[test]
    fn claimed_flows_are_forgotten() {
        let register = ExpectedConnections::default();
        let servers = ServerRegistry::new(vec![register.clone()]);
        let (one, other) = (client(7, 1, 100), client(8, 2, 100));
        servers.announce(one, announced_row(0));
        servers.announce(other, announced_row(1));
        assert!(register.take(&client(7, 9, 9)).is_some());
        servers.withdraw(&other);
        assert!(register.take(&one).is_none() && register.take(&other).is_none());
    }

    #[test]
    fn one_of_several_servers_accepts() {
        let registry =
            [ExpectedConnections::default(), ExpectedConnections::default(), ExpectedConnections::default()];
        let servers = ServerRegistry::new(registry.to_vec());
        let (one, other) = (client(7, 1, 100), client(8, 1, 101));
        servers.announce(one, announced_row(0));
        servers.announce(other, announced_row(1));
        let taken = |register: &ExpectedConnections, client| match register.take(&client) {
            Some((Announced { expected: Expected::Exchanges(_, row), .. }, place)) => Some((row, place)),
            _ => None,
        };
        assert_eq!(taken(&registry[2], client(7, 9, 9)), Some((0, 2)));
        // No server takes it again, and it does not hide open announcements.
        assert!(registry.iter().all(|register| register.take(&one).is_none()));
        assert_eq!(taken(&registry[1], client(7, 1, 101)), Some((1, 1)));
        servers.announce(one, announced_row(2));
        servers.withdraw(&one);
        servers.withdraw(&other);
        assert!(registry.iter().all(|register| register.0.lock().is_empty()));
    }
}
