//! Reassembly of fragments (RFC 791, section 3.2; RFC 8200, section 4.5).
//!
//! A packet with overlapping fragments is discarded, in both families (RFC 5722; Linux does so for
//! IPv4, too); exact duplicates are ignored.

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_device::{Nanos, Port};

use super::{CONGESTION_EXPERIENCED, Packet, v4, v6};

/// The reassembly time-out: 30 s for IPv4 as in Linux, 60 s for IPv6 (RFC 8200, section 4.5).
const TIMEOUTS: [Nanos; 2] = [30_000_000_000, 60_000_000_000];
/// The maximum number of incomplete packets and of their bytes. Beyond these limits, the oldest
/// packet is discarded.
const MAX_PACKETS: usize = 64;
const MAX_BYTES: usize = 4 << 20;
/// The bytes of a first fragment that are kept for an error message: the maximum for both families.
const MAX_QUOTED_BYTES: usize = 1280;

/// The source, destination, identification and protocol of a packet. IPv6 does not need the
/// protocol here, but it does no harm.
type Key = (IpAddr, IpAddr, u32, u8);

struct PartialPacket {
    /// The interface at which the first fragment arrived; `None` for packets from the host itself.
    port: Option<Port>,
    deadline: Nanos,
    /// The received parts of the payload: disjoint, non-adjacent ranges in order.
    ranges: Vec<(usize, usize)>,
    payload: Vec<u8>,
    /// The length of the payload, known from the last fragment.
    end: Option<usize>,
    /// The header and beginning of the first fragment, and the length of the header.
    first: Option<(Vec<u8>, usize)>,
    class: u8,
}

/// The result of adding a fragment.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::host) enum AddOutcome {
    /// The packet is incomplete; this many other packets were discarded to make space.
    Incomplete { pushed_out: u64 },
    /// The complete packet.
    Complete(Vec<u8>),
    /// The fragments overlap; the packet was discarded.
    Overlaps,
    /// The complete packet would exceed 65535 bytes.
    TooLong,
}

/// A packet that was discarded because its fragments did not arrive in time.
pub(in crate::host) struct ExpiredPacket {
    pub(in crate::host) port: Option<Port>,
    /// The beginning of its first fragment, if that has arrived.
    pub(in crate::host) first: Option<Vec<u8>>,
}

/// The fragments of packets that are not complete.
#[derive(Default)]
pub(in crate::host) struct Reassembly {
    partial: BTreeMap<Key, PartialPacket>,
    bytes: usize,
}

impl Reassembly {
    /// Returns the number of incomplete packets.
    pub(in crate::host) fn len(&self) -> usize {
        self.partial.len()
    }

    /// Adds a fragment whose lengths have been checked.
    pub(in crate::host) fn add(&mut self, now: Nanos, port: Option<Port>, packet: &Packet<'_>) -> AddOutcome {
        let Some(fragment) = packet.fragment else { return AddOutcome::Incomplete { pushed_out: 0 } };
        let key = (packet.source, packet.destination, fragment.ident, packet.protocol);
        let timeout = TIMEOUTS[usize::from(packet.source.is_ipv6())];
        let partial = self.partial.entry(key).or_insert_with(|| PartialPacket {
            port,
            deadline: now.saturating_add(timeout),
            ranges: Vec::new(),
            payload: Vec::new(),
            end: None,
            first: None,
            class: packet.class,
        });
        let before = partial.payload.len();
        let fits = partial.add_fragment(packet, fragment.offset, fragment.more);
        self.bytes = self.bytes + partial.payload.len() - before;
        if !fits {
            self.remove(&key);
            return AddOutcome::Overlaps;
        }
        if partial.is_whole() {
            let Some(partial) = self.remove(&key) else { return AddOutcome::TooLong };
            return partial.reassemble(packet.protocol).map_or(AddOutcome::TooLong, AddOutcome::Complete);
        }
        AddOutcome::Incomplete { pushed_out: self.make_room(&key) }
    }

    /// Removes an incomplete packet.
    fn remove(&mut self, key: &Key) -> Option<PartialPacket> {
        let partial = self.partial.remove(key)?;
        self.bytes -= partial.payload.len();
        Some(partial)
    }

    /// Discards the oldest packets until the limits hold.
    fn make_room(&mut self, newest: &Key) -> u64 {
        let mut pushed_out = 0;
        while self.partial.len() > MAX_PACKETS || self.bytes > MAX_BYTES {
            let others = self.partial.iter().filter(|(key, _)| *key != newest);
            let Some(oldest) = others.min_by_key(|(_, partial)| partial.deadline).map(|(key, _)| *key) else {
                break;
            };
            self.remove(&oldest);
            pushed_out += 1;
        }
        pushed_out
    }

    pub(in crate::host) fn next_deadline(&self) -> Option<Nanos> {
        self.partial.values().map(|partial| partial.deadline).min()
    }

    /// Discards packets that have waited for too long.
    pub(in crate::host) fn advance(&mut self, now: Nanos) -> Vec<ExpiredPacket> {
        let due = self.partial.iter().filter(|(_, partial)| partial.deadline <= now);
        let due: Vec<Key> = due.map(|(key, _)| *key).collect();
        let expired = due.into_iter().filter_map(|key| self.remove(&key));
        expired
            .map(|partial| ExpiredPacket { port: partial.port, first: partial.first.map(|(bytes, _)| bytes) })
            .collect()
    }
}

impl PartialPacket {
    /// Adds a fragment. Returns false if it overlaps with others.
    fn add_fragment(&mut self, packet: &Packet<'_>, start: usize, more: bool) -> bool {
        let stop = start + packet.payload.len();
        let last = self.ranges.last().map_or(0, |range| range.1);
        if self.end.is_some_and(|end| stop > end || !more && stop != end) || !more && stop < last {
            return false;
        }
        if !more {
            self.end = Some(stop);
        }
        let place = self.ranges.partition_point(|range| range.1 <= start);
        match self.ranges.get(place) {
            Some(range) if range.0 <= start && stop <= range.1 => return true,
            Some(range) if range.0 < stop => return false,
            _ => {}
        }
        if self.payload.len() < stop {
            self.payload.resize(stop, 0);
        }
        self.payload[start..stop].copy_from_slice(packet.payload);
        self.ranges.insert(place, (start, stop));
        self.merge(place);
        if start == 0 {
            let quoted = packet.whole.len().min(MAX_QUOTED_BYTES.max(packet.unfragmentable));
            self.first = Some((packet.whole[..quoted].to_vec(), packet.unfragmentable));
        }
        if packet.class & CONGESTION_EXPERIENCED == CONGESTION_EXPERIENCED {
            // A congestion mark on a fragment applies to the packet (RFC 3168, section 5.3).
            self.class |= CONGESTION_EXPERIENCED;
        }
        true
    }

    /// Merges a range with adjacent ones.
    fn merge(&mut self, place: usize) {
        if place + 1 < self.ranges.len() && self.ranges[place].1 == self.ranges[place + 1].0 {
            self.ranges[place].1 = self.ranges.remove(place + 1).1;
        }
        if place > 0 && self.ranges[place - 1].1 == self.ranges[place].0 {
            self.ranges[place - 1].1 = self.ranges.remove(place).1;
        }
    }

    fn is_whole(&self) -> bool {
        self.end.is_some_and(|end| self.ranges == [(0, end)])
    }

    /// Joins the fragments to the packet; `None` if this is not possible.
    fn reassemble(self, protocol: u8) -> Option<Vec<u8>> {
        let (mut packet, header) = self.first?;
        packet.truncate(header);
        match packet[0] >> 4 {
            4 => v4::to_whole_packet(&mut packet, self.payload.len(), self.class)?,
            _ => v6::to_whole_packet(&mut packet, protocol, self.payload.len(), self.class)?,
        }
        packet.extend_from_slice(&self.payload);
        Some(packet)
    }
}
