//! Tests which connections get a place, and which are closed for them, without sockets and clocks.

use std::net::Ipv4Addr;

use super::*;

/// Returns a table with places for eight connections: two are reserved; peers without a right get
/// six, and one source gets at most five of them.
fn table() -> Table {
    Table::new(Limits { newcomers: 4, opening: seconds(10), places: 8 })
}

fn seconds(number: u64) -> Duration {
    Duration::from_secs(number)
}

fn from(number: u8) -> Source {
    Source::Address(Ipv4Addr::new(192, 0, 2, number).into())
}

impl Table {
    /// Adds a connection, sends a request on it, and returns its number.
    fn asks(&mut self, now: u64, source: Source) -> u64 {
        let id = self.arrive(seconds(now), source, false).unwrap();
        self.ask(seconds(now), id);
        id
    }

    fn has_place(&self, id: u64) -> bool {
        self.connections.get(&id).is_some_and(|one| one.has_place)
    }
}

#[test]
fn the_oldest_newcomer_makes_room() {
    let mut table = table();
    let ids: Vec<_> = (0..6).map(|_| table.arrive(seconds(0), from(1), false).unwrap()).collect();
    assert_eq!(table.take_closing(), ids[..2]);
    assert_eq!((table.counts().newcomers, table.counts().closed(Reason::Displaced)), (4, 2));
}

#[test]
fn the_source_with_the_most_newcomers_loses_its_oldest() {
    let mut table = table();
    let only = table.arrive(seconds(0), from(2), false).unwrap();
    let flood: Vec<_> = (0..100).map(|_| table.arrive(seconds(0), from(1), false).unwrap()).collect();
    assert_eq!(table.take_closing(), flood[..97]);
    table.ask(seconds(1), only);
    assert!(table.has_place(only));
}

#[test]
fn peers_with_a_right_are_not_displaced_by_others() {
    let mut table = table();
    let ids: Vec<_> = (0..3).map(|_| table.arrive(seconds(0), from(1), true).unwrap()).collect();
    let other = table.arrive(seconds(0), from(1), false).unwrap();
    let next = table.arrive(seconds(0), from(1), false).unwrap();
    assert_eq!(table.take_closing(), [other]);
    table.set_right(next, true);
    assert_eq!(table.arrive(seconds(0), from(2), false), None);
    assert_eq!(table.counts().closed(Reason::Refused), 1);
    assert!(table.arrive(seconds(0), from(2), true).is_some());
    assert_eq!(table.take_closing(), ids[..1]);
}

#[test]
fn newcomers_end_at_their_deadline() {
    let mut table = table();
    assert_eq!(table.next_deadline(), None);
    let first = table.arrive(seconds(1), from(1), false).unwrap();
    let second = table.arrive(seconds(2), from(1), false).unwrap();
    let third = table.arrive(seconds(3), from(1), false).unwrap();
    table.ask(seconds(4), second);
    assert_eq!(table.next_deadline(), Some(seconds(11)));
    table.expire(seconds(11) - Duration::from_nanos(1));
    assert_eq!(table.take_closing(), []);
    table.expire(seconds(11));
    assert_eq!(table.take_closing(), [first]);
    assert_eq!(table.next_deadline(), Some(seconds(13)));
    table.expire(seconds(100));
    assert_eq!(table.take_closing(), [third]);
    assert_eq!((table.counts().closed(Reason::Late), table.counts().placed), (2, 1));
}

#[test]
fn the_connection_that_is_idle_longest_makes_room() {
    let mut table = table();
    let ids: Vec<_> = (0..6).map(|number| table.asks(number, from(number as u8))).collect();
    // The first one is reused; the second one holds a stream.
    table.ask(seconds(10), ids[0]);
    table.hold(ids[1]);
    let seventh = table.asks(11, from(7));
    assert_eq!(table.take_closing(), [ids[2]]);
    table.release(seconds(12), ids[1]);
    table.asks(13, from(8));
    assert_eq!(table.take_closing(), [ids[3]]);
    assert!(table.has_place(seventh) && table.has_place(ids[1]));
    assert_eq!((table.counts().placed, table.counts().closed(Reason::Idle)), (6, 2));
}

#[test]
fn a_source_gets_three_quarters_and_makes_room_for_itself() {
    let mut table = table();
    let other = table.asks(0, from(2));
    let ids: Vec<_> = (1..=5).map(|now| table.asks(now, from(1))).collect();
    table.asks(6, from(1));
    // The other source's connection is idle for longer.
    assert_eq!(table.take_closing(), ids[..1]);
    assert!(table.has_place(other));
    // The connection must not take a reserved place.
    for id in &ids[1..] {
        table.hold(*id);
    }
    table.asks(7, from(1));
    let last = table.asks(8, from(1));
    assert!(table.has_place(last) && table.has_place(other));
    assert_eq!(table.counts().placed, 6);
}

#[test]
fn places_are_reserved_for_peers_with_a_right() {
    let mut table = table();
    for number in 0..6 {
        let id = table.asks(0, from(number));
        table.hold(id);
    }
    let waiting = table.asks(1, from(7));
    let elected = table.asks(1, from(8));
    assert!(!table.has_place(waiting) && !table.has_place(elected));
    // It is served meanwhile, holds a stream, and proves a right.
    table.hold(elected);
    assert!(!table.has_place(elected));
    table.set_right(elected, true);
    assert!(table.has_place(elected));
    table.expire(seconds(11));
    assert_eq!(table.take_closing(), [waiting]);
    assert_eq!(table.counts().closed(Reason::NoPlace), 1);
}

#[test]
fn a_place_that_becomes_free_is_taken_at_the_deadline() {
    let mut table = table();
    let ids: Vec<_> = (0..6).map(|number| table.asks(0, from(number))).collect();
    ids.iter().for_each(|id| table.hold(*id));
    let waiting = table.asks(1, from(7));
    table.leave(ids[0]);
    table.expire(seconds(11));
    assert!(table.has_place(waiting) && table.take_closing().is_empty());
}

#[test]
fn peers_with_a_right_make_room_only_for_each_other() {
    let mut table = table();
    let proven = |table: &mut Table, now, number| {
        let id = table.arrive(seconds(now), from(number), true).unwrap();
        table.ask(seconds(now), id);
        id
    };
    let first = proven(&mut table, 0, 1);
    for number in 2..8 {
        proven(&mut table, 1, number);
    }
    let without = table.asks(2, from(8));
    // The table is full: the connection without a right is closed first, although it was used last.
    let ninth = proven(&mut table, 3, 9);
    assert_eq!(table.take_closing(), [without]);
    let refused = table.asks(4, from(10));
    assert!(!table.has_place(refused) && table.take_closing().is_empty());
    proven(&mut table, 5, 11);
    assert_eq!(table.take_closing(), [first]);
    assert!(table.has_place(ninth));
}

#[test]
fn without_file_descriptors_one_connection_ends() {
    let mut table = table();
    table.free_descriptor();
    let idle = table.asks(0, from(1));
    let used = table.asks(1, from(1));
    table.hold(used);
    let newcomer = table.arrive(seconds(2), from(1), true).unwrap();
    for expected in [vec![newcomer], vec![idle], vec![]] {
        table.free_descriptor();
        assert_eq!(table.take_closing(), expected);
    }
    assert_eq!(table.counts().closed(Reason::Descriptors), 2);
}

#[test]
fn one_place_is_for_anybody() {
    let mut table = Table::new(Limits { newcomers: 1, places: 1, ..Limits::default() });
    let first = table.asks(0, from(1));
    assert!(table.has_place(first));
    let second = table.asks(1, from(1));
    assert!(table.has_place(second));
    assert_eq!(table.take_closing(), [first]);
    // Closed connections change nothing.
    table.ask(seconds(2), first);
    table.hold(first);
    table.release(seconds(2), first);
    table.set_right(first, true);
    table.count_closed(first, Reason::Memory);
    assert_eq!((table.counts().placed, table.counts().closed(Reason::Memory)), (1, 0));
    table.count_closed(second, Reason::Memory);
    assert_eq!((table.counts().placed, table.counts().closed(Reason::Memory)), (0, 1));
    assert_eq!(table.last_closed(), Some(from(1)));
}

#[test]
fn closed_connections_are_counted_since_a_snapshot() {
    let mut table = table();
    let before = table.counts();
    assert_eq!(table.counts().closed_since(&before), None);
    for _ in 0..6 {
        table.arrive(seconds(0), from(1), false);
    }
    let between = table.counts();
    table.expire(seconds(10));
    let text = table.counts().closed_since(&before).unwrap();
    assert_eq!(
        text,
        "4 sent no whole request in time, 2 made room for newer ones before their first request"
    );
    let text = table.counts().closed_since(&between).unwrap();
    assert_eq!(text, "4 sent no whole request in time");
    assert_eq!(table.counts().accepted, 6);
}
