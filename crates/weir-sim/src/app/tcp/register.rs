//! What a server knows of the connections that are going to be opened to it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::{Sender, TcpReport};
use crate::SocketId;
use crate::app::HostContext;
use crate::app::exchange::Rows;
use crate::app::held::Held;

/// What a client tells the server of a connection that it opens.
pub(crate) enum Expected {
    /// A flow's record, and who is to send if it is the server.
    Flow(Held<TcpReport>, Option<Box<Sender>>),
    /// Rows of exchanges that come one after the other, and the first.
    Exchanges(Rows, usize),
}

/// What a connection can be told by at both its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Client {
    /// The sequence number of its SYN, drawn at random. Data planes that rewrite addresses and ports leave it as it is.
    syn: u32,
    /// The client's address and port, as it sent them or as they arrived. Data planes that answer SYNs in a server's place rewrite numbers, but
    /// not these.
    from: (IpAddr, u16),
}

impl Client {
    /// That which opens a connection.
    pub(crate) fn opening(socket: SocketId, host: &mut HostContext<'_>) -> Option<Self> {
        let ([from, _], [syn, _]) = (host.tcp_ends(socket)?, host.tcp_first_numbers(socket)?);
        Some(Client { syn, from })
    }

    /// That which opened a connection that was accepted.
    pub(crate) fn accepted(socket: SocketId, host: &mut HostContext<'_>) -> Option<Self> {
        let ([_, from], [_, syn]) = (host.tcp_ends(socket)?, host.tcp_first_numbers(socket)?);
        Some(Client { syn, from })
    }
}

/// Connections that a server is to expect.
#[derive(Clone, Default)]
pub(crate) struct Register(Held<BTreeMap<Client, Expected>>);

impl Register {
    /// A client opens a connection.
    pub(crate) fn announce(&self, client: Client, expected: Expected) {
        self.0.lock().insert(client, expected);
    }

    /// It did not come about, or has been taken.
    pub(crate) fn withdraw(&self, client: &Client) {
        self.0.lock().remove(client);
    }

    /// What was announced of a connection that was accepted: by both marks, or else by the one that a data plane on the way has left.
    pub(crate) fn take(&self, client: &Client) -> Option<Expected> {
        let mut announced = self.0.lock();
        if let Some(expected) = announced.remove(client) {
            return Some(expected);
        }
        let found = only(announced.keys().filter(|other| other.syn == client.syn))
            .or_else(|| only(announced.keys().filter(|other| other.from == client.from)))?;
        announced.remove(&found)
    }
}

/// The one of several; none if there are more.
fn only<'a>(mut clients: impl Iterator<Item = &'a Client>) -> Option<Client> {
    let first = clients.next()?;
    clients.next().is_none().then_some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(syn: u32, host: u8, port: u16) -> Client {
        Client { syn, from: (IpAddr::from([10, 0, 0, host]), port) }
    }

    /// Which of some announced clients, by their places, a connection is taken for.
    fn taken(announced: &[Client], arrived: Client) -> Option<usize> {
        let register = Register::default();
        for (row, client) in announced.iter().enumerate() {
            register.announce(*client, Expected::Exchanges(Rows::default(), row));
        }
        match register.take(&arrived)? {
            Expected::Exchanges(_, row) => Some(row),
            Expected::Flow(..) => None,
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
        let register = Register::default();
        let (one, other) = (client(7, 1, 100), client(8, 2, 100));
        register.announce(one, Expected::Exchanges(Rows::default(), 0));
        register.announce(other, Expected::Exchanges(Rows::default(), 1));
        assert!(register.take(&client(7, 9, 9)).is_some());
        register.withdraw(&other);
        assert!(register.take(&one).is_none() && register.take(&other).is_none());
    }
}
