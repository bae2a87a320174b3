//! Decides which connections a service keeps. This module reads neither a clock nor a socket:
//! callers pass the time since the service began.
//!
//! A connection is a *newcomer* until its first whole request has arrived and it has a place.
//! Newcomers have a separate table and a deadline. If this table is full, the source with the most
//! newcomers loses its oldest one.
//!
//! The number of *places* is limited in total, for each source, and for peers without a right. If
//! no place is free, the connection that has been idle for the longest time makes room, unless it
//! holds a stream. If no connection can make room, the new connection stays a newcomer, and is
//! served until its deadline. Until then, its peer can prove a right.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::counts::{Counts, Reason};
use crate::source::Source;

/// The limits on a service's connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of newcomers.
    pub newcomers: usize,
    /// The maximum time for which a connection is a newcomer.
    pub opening: Duration,
    /// The maximum number of connections with a place. A quarter of the places is reserved for
    /// peers with a right. A source gets at most three quarters of all places, and at most three
    /// quarters of the places that are not reserved.
    pub places: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { newcomers: 256, opening: Duration::from_secs(10), places: 256 }
    }
}

/// Returns three quarters of a number, rounded up.
const fn three_quarters(number: usize) -> usize {
    number - number / 4
}

/// An open connection.
#[derive(Debug)]
struct Connection {
    source: Source,
    arrived: Duration,
    /// The time at which the last whole request or message arrived, or a stream ended.
    last_used: Duration,
    /// Whether a whole request has arrived.
    has_asked: bool,
    has_place: bool,
    has_right: bool,
    /// The number of streams that the connection holds.
    streams: usize,
}

/// The open connections of a service, numbered in the order of their arrival.
#[derive(Debug)]
pub struct Table {
    limits: Limits,
    connections: BTreeMap<u64, Connection>,
    next: u64,
    /// The connections that must close and that [`Table::take_closing`] has not returned yet.
    closing: Vec<u64>,
    last_closed: Option<Source>,
    counts: Counts,
}

impl Table {
    /// Creates a table without connections.
    pub fn new(limits: Limits) -> Self {
        let (connections, closing) = Default::default();
        Self { limits, connections, next: 0, closing, last_closed: None, counts: Counts::default() }
    }

    /// Adds a connection that has arrived. Returns its number; `None` if it must be closed at once.
    pub fn arrive(&mut self, now: Duration, source: Source, has_right: bool) -> Option<u64> {
        self.counts.accepted += 1;
        if self.newcomers().count() >= self.limits.newcomers {
            let Some(oldest) = self.next_to_displace(has_right) else {
                self.count(Reason::Refused, source);
                return None;
            };
            self.close(oldest, Reason::Displaced);
        }
        self.next += 1;
        let new = Connection {
            source,
            arrived: now,
            last_used: now,
            has_asked: false,
            has_place: false,
            has_right,
            streams: 0,
        };
        self.connections.insert(self.next, new);
        Some(self.next)
    }

    /// Records that a whole request or message of a connection has arrived.
    pub fn ask(&mut self, now: Duration, id: u64) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        (connection.last_used, connection.has_asked) = (now, true);
        self.place(id);
    }

    /// Records that a connection holds another stream. While it holds a stream, it makes no room
    /// for other connections.
    pub fn hold(&mut self, id: u64) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.streams += 1;
        self.place(id);
    }

    /// Records that a stream of a connection has ended.
    pub fn release(&mut self, now: Duration, id: u64) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.streams = connection.streams.saturating_sub(1);
        connection.last_used = now;
    }

    /// Sets whether the peer of a connection has proven a right.
    pub fn set_right(&mut self, id: u64, has_right: bool) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.has_right = has_right;
        if has_right && connection.has_asked {
            self.place(id);
        }
    }

    /// Removes a connection that is closed.
    pub fn leave(&mut self, id: u64) {
        self.connections.remove(&id);
    }

    /// Closes the newcomers whose time has passed.
    pub fn expire(&mut self, now: Duration) {
        let opening = self.limits.opening;
        let late = |connection: &Connection| connection.arrived.saturating_add(opening) <= now;
        let late: Vec<u64> = self.newcomers().filter(|(_, one)| late(one)).map(|(id, _)| id).collect();
        for id in late {
            match self.connections.get(&id).is_some_and(|connection| connection.has_asked) {
                true if self.place(id) => {}
                true => self.close(id, Reason::NoPlace),
                false => self.close(id, Reason::Late),
            }
        }
    }

    /// Returns the time at which [`Table::expire`] must be called next; `None` if there are no
    /// newcomers.
    pub fn next_deadline(&self) -> Option<Duration> {
        let (_, oldest) = self.newcomers().next()?;
        Some(oldest.arrived.saturating_add(self.limits.opening))
    }

    /// Closes one connection because the process has no file descriptors left: a newcomer or, if
    /// there are none, the connection that has been idle for the longest time.
    pub fn free_descriptor(&mut self) {
        let idle = || self.longest_idle(|one| one.has_place);
        if let Some(id) = self.next_to_displace(true).or_else(idle) {
            self.close(id, Reason::Descriptors);
        }
    }

    /// Counts a connection that its service has closed.
    pub fn count_closed(&mut self, id: u64, reason: Reason) {
        if let Some(connection) = self.connections.remove(&id) {
            self.count(reason, connection.source);
        }
    }

    /// Removes the connections that must close from the list, and returns them.
    pub fn take_closing(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.closing)
    }

    /// Returns the current counts.
    pub fn counts(&self) -> Counts {
        let newcomers = self.newcomers().count();
        Counts { newcomers, placed: self.connections.len() - newcomers, ..self.counts.clone() }
    }

    /// Returns the source of an open connection.
    pub fn source(&self, id: u64) -> Option<Source> {
        self.connections.get(&id).map(|connection| connection.source)
    }

    /// Returns the source of the connection that was closed last.
    pub fn last_closed(&self) -> Option<Source> {
        self.last_closed
    }

    /// Returns the connections that have no place, with their numbers.
    fn newcomers(&self) -> impl Iterator<Item = (u64, &Connection)> {
        self.connections.iter().filter(|(_, one)| !one.has_place).map(|(id, one)| (*id, one))
    }

    /// Returns the newcomer that makes room: the oldest one of the source with the most newcomers.
    /// Peers with a right make room only for other peers with a right.
    fn next_to_displace(&self, has_right: bool) -> Option<u64> {
        let mut sources: BTreeMap<Source, (usize, Reverse<u64>)> = BTreeMap::new();
        for (id, one) in self.newcomers().filter(|(_, one)| has_right || !one.has_right) {
            sources.entry(one.source).or_insert((0, Reverse(id))).0 += 1;
        }
        sources.into_values().max().map(|(_, Reverse(oldest))| oldest)
    }

    /// Returns the connection that has been idle for the longest time, among those that a condition
    /// selects. Connections without a right come first.
    fn longest_idle(&self, among: impl Fn(&Connection) -> bool) -> Option<u64> {
        let idle = self.connections.iter().filter(|(_, one)| one.streams == 0 && among(one));
        idle.min_by_key(|(id, one)| (one.has_right, one.last_used, **id)).map(|(id, _)| *id)
    }

    /// Gives a connection a place, if it has none. Returns whether the connection has a place now.
    fn place(&mut self, id: u64) -> bool {
        loop {
            let Some(new) = self.connections.get(&id) else { return false };
            if new.has_place {
                return true;
            }
            let (source, has_right) = (new.source, new.has_right);
            let placed = || self.connections.values().filter(|one| one.has_place);
            let (all, without) = (self.limits.places, three_quarters(self.limits.places));
            let source_is_full = placed().filter(|one| one.source == source).count() >= three_quarters(all)
                || {
                    let same = |one: &&Connection| one.source == source && !one.has_right;
                    !has_right && placed().filter(same).count() >= three_quarters(without)
                };
            let is_full = placed().count() >= all
                || (!has_right && placed().filter(|one| !one.has_right).count() >= without);
            if !source_is_full && !is_full {
                break;
            }
            let makes_room = |one: &Connection| {
                one.has_place && (has_right || !one.has_right) && (!source_is_full || one.source == source)
            };
            let Some(idle) = self.longest_idle(makes_room) else { return false };
            self.close(idle, Reason::Idle);
        }
        if let Some(new) = self.connections.get_mut(&id) {
            new.has_place = true;
        }
        true
    }

    /// Removes a connection and adds it to the list of connections that must close.
    fn close(&mut self, id: u64, reason: Reason) {
        if let Some(connection) = self.connections.remove(&id) {
            self.closing.push(id);
            self.count(reason, connection.source);
        }
    }

    /// Counts a closed connection by its reason.
    fn count(&mut self, reason: Reason, source: Source) {
        *self.counts.closed.entry(reason).or_default() += 1;
        self.last_closed = Some(source);
    }
}

#[cfg(test)]
mod tests;
