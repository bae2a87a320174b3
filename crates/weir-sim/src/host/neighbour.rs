//! The neighbours on one interface, of both families: fixed, learned by ARP (RFC 826) or by NDP (RFC 4861), and the frames that wait for
//! one.
//!
//! In the manner of RFC 1122 section 2.3.2 and of Linux: frames wait for the answer, requests are repeated once a second and given up
//! after three, and a neighbour not heard of for a minute is asked for again while its old address stays in use.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;

use weir_device::Nanos;

use crate::MacAddress;

const SECOND: Nanos = 1_000_000_000;
/// Between one request and its repetition.
const RETRY: Nanos = SECOND;
/// Requests without an answer before a neighbour counts as unreachable.
const TRIES: u32 = 3;
/// How long an answer holds before it is asked for again.
const FRESH: Nanos = 60 * SECOND;
/// Frames that wait for one neighbour; one more pushes out the oldest.
const WAITING: usize = 100;

/// An entry of a host's neighbour table, as `ip neigh` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourEntry {
    /// The neighbour's address.
    pub address: IpAddr,
    /// Its hardware address; none while it is being asked for.
    pub mac: Option<MacAddress>,
    /// Whether it was set by hand and never expires.
    pub fixed: bool,
}

#[derive(Default)]
struct Entry {
    mac: Option<MacAddress>,
    fixed: bool,
    /// When a learned address is to be asked for again.
    fresh_until: Nanos,
    /// Frames but for the hardware address they are for.
    waiting: VecDeque<Vec<u8>>,
}

/// What becomes of a frame for a neighbour.
pub(super) enum Resolved {
    /// It can leave for this address.
    Now(MacAddress),
    /// It waits, and may have pushed out an older one.
    Waits { pushed_out: bool },
}

/// What to send and what to give up, queued while the table works.
#[derive(Default)]
pub(super) struct NeighbourActions {
    /// Requests to send: who is asked, and the hardware address to ask at; without one all are asked.
    pub(super) requests: Vec<(IpAddr, Option<MacAddress>)>,
    /// Frames that waited and can leave.
    pub(super) released: Vec<(MacAddress, Vec<u8>)>,
    /// Frames whose next hop did not answer.
    pub(super) unreachable: Vec<Vec<u8>>,
}

#[derive(Default)]
pub(super) struct Neighbours {
    table: BTreeMap<IpAddr, Entry>,
    /// Who is being asked for: requests sent since the last answer, and when to send the next or give up.
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

    pub(super) fn remove(&mut self, address: IpAddr, actions: &mut NeighbourActions) -> bool {
        self.pending.remove(&address);
        let Some(entry) = self.table.remove(&address) else { return false };
        actions.unreachable.extend(entry.waiting);
        true
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = NeighbourEntry> {
        let entry = |(address, entry): (&IpAddr, &Entry)| NeighbourEntry {
            address: *address,
            mac: entry.mac,
            fixed: entry.fixed,
        };
        self.table.iter().map(entry)
    }

    /// Frames that wait for an answer.
    pub(super) fn waiting(&self) -> usize {
        self.pending
            .keys()
            .filter_map(|address| self.table.get(address))
            .map(|entry| entry.waiting.len())
            .sum()
    }

    /// Finds the hardware address of `next_hop`; without one, `frame` is taken to wait.
    pub(super) fn resolve(
        &mut self,
        now: Nanos,
        next_hop: IpAddr,
        frame: &mut Vec<u8>,
        actions: &mut NeighbourActions,
    ) -> Resolved {
        let entry = self.table.entry(next_hop).or_default();
        let stale = !entry.fixed && now >= entry.fresh_until;
        if stale && !self.pending.contains_key(&next_hop) {
            self.pending.insert(next_hop, (1, now.saturating_add(RETRY)));
            actions.requests.push((next_hop, entry.mac));
        }
        if let Some(mac) = entry.mac {
            return Resolved::Now(mac);
        }
        let pushed_out = entry.waiting.len() == WAITING && entry.waiting.pop_front().is_some();
        entry.waiting.push_back(std::mem::take(frame));
        Resolved::Waits { pushed_out }
    }

    /// A neighbour told its address. `make` says whether one that nobody asked for gets an entry.
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
        entry.fresh_until = now.saturating_add(FRESH);
        self.pending.remove(&address);
        actions.released.extend(entry.waiting.drain(..).map(|frame| (mac, frame)));
    }

    /// A neighbour's hardware address, and until when nobody has to be asked for it.
    pub(super) fn fresh(&self, address: IpAddr) -> Option<(MacAddress, Nanos)> {
        let entry = self.table.get(&address)?;
        Some((entry.mac?, if entry.fixed { Nanos::MAX } else { entry.fresh_until }))
    }

    /// The hardware address in use for a neighbour.
    pub(super) fn known(&self, address: IpAddr) -> Option<MacAddress> {
        self.table.get(&address)?.mac
    }

    pub(super) fn next_deadline(&self) -> Option<Nanos> {
        self.pending.values().map(|(_, at)| *at).min()
    }

    /// Repeats requests and gives up on neighbours that do not answer.
    pub(super) fn advance(&mut self, now: Nanos, actions: &mut NeighbourActions) {
        let table = &mut self.table;
        self.pending.retain(|address, (tries, at)| {
            if *at > now {
                return true;
            }
            if *tries < TRIES {
                (*tries, *at) = (*tries + 1, now.saturating_add(RETRY));
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
