//! Connections whose applications have not read their data yet, in the order of arrival.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::mem;

use rustc_hash::FxHashMap;

use super::ids::SocketId;

/// Connections with data that their applications have not read.
#[derive(Default)]
pub(super) struct Unread {
    /// The connections by the order in which their data arrived.
    in_order: BTreeMap<u64, SocketId>,
    /// The key of each connection in `in_order`.
    keys: FxHashMap<SocketId, u64>,
    /// The key of the next connection.
    next: u64,
}

impl Unread {
    /// Adds a connection at the end, unless it is already waiting.
    pub fn add(&mut self, socket: SocketId) {
        if let Entry::Vacant(entry) = self.keys.entry(socket) {
            entry.insert(self.next);
            self.in_order.insert(self.next, socket);
            self.next += 1;
        }
    }

    /// Removes a connection and returns whether it had unread data.
    pub fn remove(&mut self, socket: SocketId) -> bool {
        let key = self.keys.remove(&socket);
        key.and_then(|key| self.in_order.remove(&key)).is_some()
    }

    /// Removes all connections and returns them in order.
    pub fn take_all(&mut self) -> impl Iterator<Item = SocketId> + use<> {
        self.keys.clear();
        mem::take(&mut self.in_order).into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_wait_in_the_order_of_their_data() {
        let socket = |number| SocketId { number, generation: 0 };
        let mut unread = Unread::default();
        for number in [3, 1, 2, 1, 3] {
            unread.add(socket(number));
        }
        assert!(unread.remove(socket(3)) && !unread.remove(socket(3)));
        unread.add(socket(3));
        assert_eq!(unread.take_all().map(|socket| socket.number).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(unread.take_all().count(), 0);
        assert!(!unread.remove(socket(1)));
    }
}
