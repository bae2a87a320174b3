//! What a host has found out about the destinations it sends to: all that a packet needs to leave, in one line of a cache.

use std::net::IpAddr;

use rustc_hash::FxHashMap;
use weir_device::{Nanos, Port};

use super::Host;
use crate::MacAddress;
use crate::address::is_unicast;

/// Destinations remembered; with more, all are found out again.
const MAX_PATHS: usize = 4096;

/// The way to a destination beyond an interface: what routes, addresses, neighbours and path MTUs say together.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedPath {
    pub(super) destination: IpAddr,
    /// The own address that packets come from.
    pub(super) source: IpAddr,
    /// The next hop's hardware address.
    pub(super) mac: MacAddress,
    pub(super) port: Port,
    /// The largest packet that goes whole.
    pub(super) mtu: u32,
    /// From this time on the neighbour is to be asked for again, or the path's MTU not believed: the way must be found anew. Addresses hold on.
    until: Nanos,
}

/// PathCache to a host's destinations. Whatever they were found out from, a change there clears them.
#[derive(Debug, Default)]
pub(super) struct PathCache {
    /// The first two, which for most hosts are all.
    near: [Option<CachedPath>; 2],
    /// Never iterated: its order is that of hashes.
    far: Option<Box<FxHashMap<IpAddr, CachedPath>>>,
}

impl PathCache {
    /// What is known of a destination, if only its addresses.
    pub(super) fn get(&self, destination: IpAddr) -> Option<&CachedPath> {
        let near = self.near.iter().flatten().find(|path| path.destination == destination);
        near.or_else(|| self.far.as_ref()?.get(&destination))
    }

    /// The way to a destination, if it is known now.
    pub(super) fn find(&self, now: Nanos, destination: IpAddr) -> Option<CachedPath> {
        self.get(destination).filter(|path| now < path.until).copied()
    }

    fn put(&mut self, path: CachedPath) {
        let known =
            |place: &&mut Option<CachedPath>| place.is_none_or(|old| old.destination == path.destination);
        if let Some(place) = self.near.iter_mut().find(known) {
            *place = Some(path);
            return;
        }
        let far = self.far.get_or_insert_default();
        if far.len() >= MAX_PATHS {
            far.clear();
        }
        far.insert(path.destination, path);
    }

    pub(super) fn clear(&mut self) {
        *self = PathCache::default();
    }
}

impl Host {
    /// Remembers the way to a destination, if it has one that holds for a while.
    pub(super) fn cache_path(&mut self, now: Nanos, destination: IpAddr) {
        let one = is_unicast(destination) && !destination.is_loopback();
        if !one || self.is_broadcast(destination) || self.owns(destination) {
            return;
        }
        let Some((port, next_hop)) = self.routes.lookup(destination) else { return };
        if next_hop.is_multicast() || self.is_broadcast(next_hop) {
            return;
        }
        let neighbour = self.neighbours[port as usize].fresh(next_hop);
        let (Some((mac, fresh)), Some(source)) = (neighbour, self.source_for(destination)) else { return };
        let mtu = self.config.interfaces[port as usize].mtu;
        let (mtu, believed) = self
            .paths
            .believed(now, destination)
            .map_or((mtu, Nanos::MAX), |(path, until)| (path.min(mtu), until));
        let until = fresh.min(believed);
        self.path_cache.put(CachedPath { destination, source, mac, port, mtu: mtu as u32, until });
    }
}
