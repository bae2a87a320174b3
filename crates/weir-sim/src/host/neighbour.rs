//! The neighbour table of an interface, for both families: static entries, entries learned by ARP
//! (RFC 826) or NDP (RFC 4861), and the frames that wait for an entry.
//!
//! The behaviour is that of RFC 1122 section 2.3.2 and of Linux. Frames wait for the answer. A
//! request is repeated once per second and given up after three tries. A neighbour whose entry was
//! not confirmed for a minute is probed, while its old address stays in use.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use weir_device::Nanos;

use crate::MacAddress;

/// A second in nanoseconds.
const SECOND: Nanos = 1_000_000_000;
/// The time between repeated requests for an address.
const REQUEST_INTERVAL: Nanos = SECOND;
/// The number of unanswered requests before a neighbour counts as unreachable.
const MAX_REQUESTS: u32 = 3;
/// The time for which a learned address is valid without a probe.
const NEIGHBOUR_LIFETIME: Nanos = 60 * SECOND;
/// The maximum number of frames that wait for one neighbour. A further frame replaces the oldest
/// one.
const MAX_WAITING: usize = 100;

/// An entry of a host's neighbour table, as `ip neigh` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourEntry {
    /// The neighbour's address.
    pub address: IpAddr,
    /// The neighbour's MAC address; `None` while it is being resolved.
    pub mac: Option<MacAddress>,
    /// Whether the entry is static and never expires.
    pub fixed: bool,
}

/// The state of a neighbour, with the frames that wait for its address.
#[derive(Default)]
struct Entry {
    mac: Option<MacAddress>,
    fixed: bool,
    /// The time at which a learned address must be probed.
    fresh_until: Nanos,
    /// The frames that are complete except for the destination MAC address.
    waiting: VecDeque<Vec<u8>>,
}

/// The action of a host on a frame for a neighbour.
pub(super) enum NeighbourDecision {
    /// The frame can be sent to this MAC address.
    Now(MacAddress),
    /// The frame waits, and may have replaced an older one.
    Waits { pushed_out: bool },
}

/// The actions that result from a change of the table.
#[derive(Default)]
pub(super) struct NeighbourActions {
    /// The requests to send: the neighbour, and its MAC address if it is known; otherwise the
    /// request is sent to all.
    pub(super) requests: Vec<(IpAddr, Option<MacAddress>)>,
    /// The waiting frames that can be sent now.
    pub(super) released: Vec<(MacAddress, Vec<u8>)>,
    /// The frames whose next hop did not answer.
    pub(super) unreachable: Vec<Vec<u8>>,
}

/// The neighbours of an interface.
#[derive(Default)]
pub(super) struct Neighbours {
    table: BTreeMap<IpAddr, Entry>,
    /// The neighbours that are being resolved. For each: the number of requests since the last
    /// answer, and the time at which to send the next request or to give up.
    pending: BTreeMap<IpAddr, (u32, Nanos)>,
}

impl Neighbours {
    pub(super) fn set_fixed(&mut self, address: IpAddr, mac: MacAddress, actions: &mut NeighbourActions) {
        let entry = self.table.entry(address).or_default();
        entry.mac = Some(mac);
        entry.fixed = true;
        self.pending.remove(&address);
        actions.released.extend(entry.waiting.drain(..).map(|frame| (mac, frame)));
    }

    /// Removes a neighbour, and returns whether it was known.
    pub(super) fn remove(&mut self, address: IpAddr, actions: &mut NeighbourActions) -> bool {
        self.pending.remove(&address);
        let Some(entry) = self.table.remove(&address) else { return false };
        actions.unreachable.extend(entry.waiting);
        true
    }

    /// Returns the entries of all neighbours.
    pub(super) fn entries(&self) -> impl Iterator<Item = NeighbourEntry> {
        let entry = |(address, entry): (&IpAddr, &Entry)| NeighbourEntry {
            address: *address,
            mac: entry.mac,
            fixed: entry.fixed,
        };
        self.table.iter().map(entry)
    }

    /// Returns the number of frames that wait for an answer.
    pub(super) fn waiting(&self) -> usize {
        self.waiting_for().map(|(_, frames)| frames).sum()
    }

    /// Returns the addresses that have not answered yet, and how many frames wait for each.
    pub(super) fn waiting_for(&self) -> impl Iterator<Item = (IpAddr, usize)> {
        let frames = |address: &IpAddr| self.table.get(address).map_or(0, |entry| entry.waiting.len());
        self.pending.keys().map(move |address| (*address, frames(address))).filter(|(_, frames)| *frames > 0)
    }

    /// Resolves the MAC address of `next_hop`. If it is unknown, the table keeps `frame` until the
    /// answer.
    pub(super) fn resolve(
        &mut self,
        now: Nanos,
        next_hop: IpAddr,
        frame: &mut Vec<u8>,
        actions: &mut NeighbourActions,
    ) -> NeighbourDecision {
        let entry = self.table.entry(next_hop).or_default();
        let stale = !entry.fixed && now >= entry.fresh_until;
        if stale && !self.pending.contains_key(&next_hop) {
            self.pending.insert(next_hop, (1, now.saturating_add(REQUEST_INTERVAL)));
            actions.requests.push((next_hop, entry.mac));
        }
        if let Some(mac) = entry.mac {
            return NeighbourDecision::Now(mac);
        }
        let pushed_out = entry.waiting.len() == MAX_WAITING && entry.waiting.pop_front().is_some();
        entry.waiting.push_back(std::mem::take(frame));
        NeighbourDecision::Waits { pushed_out }
    }

    /// Handles a neighbour's address. `make` says whether a new entry may be created.
    pub(super) fn learn(
        &mut self,
        now: Nanos,
        address: IpAddr,
        mac: MacAddress,
        make: bool,
        actions: &mut NeighbourActions,
    ) {
        if !make && !self.table.contains_key(&address) {
            return;
        }
        let entry = self.table.entry(address).or_default();
        if entry.fixed {
            return;
        }
        entry.mac = Some(mac);
        entry.fresh_until = now.saturating_add(NEIGHBOUR_LIFETIME);
        self.pending.remove(&address);
        actions.released.extend(entry.waiting.drain(..).map(|frame| (mac, frame)));
    }

    /// Returns a neighbour's MAC address, and how long it is valid without a probe.
    pub(super) fn reachable_mac(&self, address: IpAddr) -> Option<(MacAddress, Nanos)> {
        let entry = self.table.get(&address)?;
        Some((entry.mac?, if entry.fixed { Nanos::MAX } else { entry.fresh_until }))
    }

    /// Returns the MAC address in use for a neighbour.
    pub(super) fn known_mac(&self, address: IpAddr) -> Option<MacAddress> {
        self.table.get(&address)?.mac
    }

    pub(super) fn next_deadline(&self) -> Option<Nanos> {
        self.pending.values().map(|(_, at)| *at).min()
    }

    /// Repeats requests, and gives up on neighbours that do not answer.
    pub(super) fn advance(&mut self, now: Nanos, actions: &mut NeighbourActions) {
        let table = &mut self.table;
        self.pending.retain(|address, (tries, at)| {
            if *at > now {
                return true;
            }
            if *tries < MAX_REQUESTS {
                (*tries, *at) = (*tries + 1, now.saturating_add(REQUEST_INTERVAL));
                let mac = table.get(address).and_then(|entry| entry.mac);
                actions.requests.push((*address, mac));
                return true;
            }
            if let Some(entry) = table.remove(address) {
                actions.unreachable.extend(entry.waiting);
            }
            false
        });
    }
}
