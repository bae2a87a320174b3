//! A wire of fixed delay that treats its n-th segment as a list says, with two ends and their
//! applications.

use std::collections::BTreeMap;

use weir_tcp::{Closed, Config, Connection, Event, Flags, PseudoSum, Segment, pattern};

pub const MS: u64 = 1_000_000;
const PSEUDO: PseudoSum = PseudoSum(0x4321);

/// The fate of a segment on the wire.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Whole,
    Lost,
    Twice,
    Late(u64),
    /// A router marks the segment, if its packet is ECN-capable.
    Marked,
    /// One bit of the segment is flipped.
    Damaged(usize),
}

pub struct End {
    pub connection: Option<Connection>,
    config: Config,
    to_write: u64,
    read: u64,
    pub reads: bool,
    pub closed: Option<Closed>,
    peer_closed: bool,
    listens: bool,
    /// Whether the end stays open after it has written everything.
    pub stays: bool,
    /// Whether the end has lost its connection, so that it answers everything with resets.
    pub forgot: bool,
}

pub struct Wire {
    pub now: u64,
    pub ends: [End; 2],
    pub iss: [u32; 2],
    /// The fate of the n-th segment from each end. Segments after the last element arrive.
    pub fates: [Vec<Fate>; 2],
    /// The number of segments sent by each end.
    pub carried: [usize; 2],
    pub ended_at: [u64; 2],
    /// The times between which no segment gets through.
    pub outage: (u64, u64),
    /// Whether the host has a queue that holds segments until their departure.
    pub spaced: bool,
    /// Whether the host's queue reports departures.
    pub departs: bool,
    /// The maximum time between a segment's hand-over and its departure.
    pub early: u64,
    /// The times at which segments with payload left the first end.
    pub departures: Vec<u64>,
    /// Whether each of these segments carried PSH.
    pub pushed: Vec<bool>,
    /// The number of retransmissions of the first end that are still to be lost.
    pub lose_retransmitted: u32,
    damaged: u64,
    delay: u64,
    arrivals: BTreeMap<(u64, u64), (usize, Vec<u8>, bool)>,
    sent: u64,
    sizes: [u64; 2],
}

impl Wire {
    pub fn new(one: Config, two: Config, delay: u64) -> Self {
        let end = |config, listens| End {
            connection: None,
            config,
            to_write: 0,
            read: 0,
            reads: true,
            closed: None,
            peer_closed: false,
            listens,
            stays: false,
            forgot: false,
        };
        Wire {
            now: 0,
            ends: [end(one, false), end(two, true)],
            iss: [1000, 77],
            fates: [Vec::new(), Vec::new()],
            carried: [0; 2],
            ended_at: [0; 2],
            outage: (0, 0),
            spaced: false,
            departs: true,
            early: 0,
            departures: Vec::new(),
            pushed: Vec::new(),
            lose_retransmitted: 0,
            damaged: 0,
            delay,
            arrivals: BTreeMap::new(),
            sent: 0,
            sizes: [0; 2],
        }
    }

    /// Returns a wire whose ends both open actively.
    pub fn crossing(one: Config, two: Config, delay: u64) -> Self {
        let mut wire = Self::new(one, two, delay);
        wire.ends[1].listens = false;
        wire
    }

    /// Lets both ends write this many bytes and close.
    pub fn send(&mut self, sizes: [u64; 2]) {
        self.sizes = sizes;
        for (at, size) in sizes.into_iter().enumerate() {
            self.ends[at].to_write = size;
            if !self.ends[at].listens {
                let ports = if at == 0 { (1, 2) } else { (2, 1) };
                let connection = Connection::connect(
                    0,
                    self.ends[at].config.clone(),
                    ports,
                    self.iss[at],
                    0xfff0_0000_1234_5678,
                );
                self.ends[at].connection = Some(connection);
            }
        }
        self.run_application(0);
        self.run_application(1);
    }

    fn next_deadline(&self) -> Option<u64> {
        let arrival = self.arrivals.keys().next().map(|key| key.0);
        let timers = self.ends.iter().filter_map(|end| end.connection.as_ref()?.next_deadline());
        timers.chain(arrival).min()
    }

    fn step(&mut self, limit: u64) -> bool {
        let Some(time) = self.next_deadline().filter(|time| *time <= limit) else { return false };
        self.now = self.now.max(time);
        if let Some(key) = self.arrivals.keys().next().copied().filter(|key| key.0 <= self.now) {
            let (to, bytes, ce) = self.arrivals.remove(&key).unwrap();
            self.deliver(to, &bytes, ce);
            self.run_application(to);
        }
        for at in 0..2 {
            if let Some(connection) = &mut self.ends[at].connection
                && connection.next_deadline().is_some_and(|time| time <= self.now)
            {
                connection.on_timer(self.now);
                self.run_application(at);
            }
        }
        true
    }

    /// Sends the segments of an end after its application has called the connection.
    pub fn send_segments_of(&mut self, at: usize) {
        self.run_application(at);
    }

    pub fn run_for(&mut self, span: u64) {
        let limit = self.now + span;
        for _ in 0..2_000_000 {
            if !self.step(limit) {
                self.now = limit;
                return;
            }
        }
        panic!("too many steps");
    }

    /// Runs until both streams have arrived and both ends are closed.
    pub fn run_until_closed(&mut self, limit: u64) {
        for _ in 0..2_000_000 {
            if self.ends.iter().all(|end| end.closed.is_some()) {
                for (at, end) in self.ends.iter().enumerate() {
                    assert_eq!(
                        end.closed,
                        Some(Closed::Both),
                        "end {at}; ended at {:?}; {:?}",
                        self.ended_at,
                        end.connection.as_ref().map(Connection::info)
                    );
                    assert_eq!(end.read, self.sizes[1 - at], "bytes at end {at}");
                }
                return;
            }
            let stuck = !self.step(limit);
            if stuck {
                let infos: Vec<_> = self
                    .ends
                    .iter()
                    .map(|end| (end.read, end.connection.as_ref().map(Connection::info)))
                    .collect();
                panic!("stuck at {} ms: {infos:#?}", self.now / MS);
            }
        }
        panic!("too many steps");
    }

    fn deliver(&mut self, to: usize, bytes: &[u8], ce: bool) {
        let segment = match Segment::parse(bytes, PSEUDO) {
            Ok(segment) => segment,
            Err(error) => {
                assert!(self.damaged > 0, "what a connection writes is whole: {error}");
                self.damaged -= 1;
                return;
            }
        };
        let end = &mut self.ends[to];
        if end.forgot {
            end.connection = None;
            if let Some(reply) = segment.reset_for() {
                let mut bytes = vec![0; reply.len()];
                reply.emit(PSEUDO, &mut bytes);
                self.sent += 1;
                self.arrivals.insert((self.now + self.delay, self.sent), (1 - to, bytes, false));
            }
            return;
        }
        match &mut end.connection {
            Some(connection) => connection.on_segment(self.now, &segment, ce),
            None if segment.flags.contains(Flags::SYN) && !segment.flags.contains(Flags::ACK) => {
                end.connection = Some(Connection::accept(
                    self.now,
                    end.config.clone(),
                    &segment,
                    self.iss[to],
                    0x7fff_ffff_0000_0001,
                    false,
                ));
            }
            None => {}
        }
    }

    /// Lets the application act and sends segments.
    fn run_application(&mut self, at: usize) {
        let end = &mut self.ends[at];
        let Some(connection) = &mut end.connection else { return };
        for round in 0.. {
            assert!(round < 1000, "an end that is never content");
            let mut busy = false;
            while let Some(event) = connection.next_event() {
                busy = true;
                match event {
                    Event::PeerClosed => {
                        assert!(!end.peer_closed, "told twice");
                        end.peer_closed = true;
                    }
                    Event::Closed(why) => {
                        assert_eq!(end.closed, None, "told twice");
                        end.closed = Some(why);
                        self.ended_at[at] = self.now;
                    }
                    Event::Connected | Event::Readable | Event::Writable => {}
                }
            }
            let taken = connection.write_pattern(end.to_write);
            end.to_write -= taken;
            if end.to_write == 0 && !end.stays {
                connection.close();
            }
            if end.reads {
                let mut buffer = [0; 5000];
                loop {
                    let got = connection.read(&mut buffer);
                    if got == 0 {
                        break;
                    }
                    if end.config.keep == weir_tcp::Keep::Bytes {
                        for (step, byte) in buffer[..got].iter().enumerate() {
                            assert_eq!(
                                *byte,
                                pattern()[(end.read as usize + step) % 65536],
                                "byte {}",
                                end.read as usize + step
                            );
                        }
                    }
                    end.read += got as u64;
                }
            }
            while let Some(outgoing) = connection.next_segment(self.now) {
                busy = true;
                let mut bytes = vec![0; outgoing.len as usize];
                connection.emit(&outgoing, PSEUDO, &mut bytes);
                assert!(outgoing.earliest >= self.now, "handed over late");
                if !self.spaced {
                    assert_eq!(outgoing.earliest, self.now, "handed over early");
                }
                self.early = self.early.max(outgoing.earliest - self.now);
                if self.departs {
                    connection.on_departed(outgoing.len);
                }
                if at == 0 && outgoing.payload > 0 {
                    self.departures.push(outgoing.earliest);
                    self.pushed.push(Segment::parse(&bytes, PSEUDO).unwrap().flags.contains(Flags::PSH));
                }
                let mut fate = self.fates[at].get(self.carried[at]).copied().unwrap_or(Fate::Whole);
                self.carried[at] += 1;
                if at == 0 && self.lose_retransmitted > 0 && connection.info().retransmits > 0 {
                    self.lose_retransmitted -= 1;
                    fate = Fate::Lost;
                }
                if (self.outage.0..self.outage.1).contains(&self.now) {
                    fate = Fate::Lost;
                }
                let time = outgoing.earliest + self.delay;
                let copies: &[(u64, bool)] = match fate {
                    Fate::Whole => &[(0, false)],
                    Fate::Lost => &[],
                    Fate::Twice => &[(0, false), (MS, false)],
                    Fate::Late(by) => &[(by, false)],
                    Fate::Marked => &[(0, outgoing.ect)],
                    Fate::Damaged(bit) => {
                        let bit = bit % (bytes.len() * 8);
                        bytes[bit / 8] ^= 1 << (bit % 8);
                        self.damaged += 1;
                        &[(0, false)]
                    }
                };
                for (late, ce) in copies {
                    self.sent += 1;
                    self.arrivals.insert((time + late, self.sent), (1 - at, bytes.clone(), *ce));
                }
            }
            if !busy {
                break;
            }
        }
    }
}
