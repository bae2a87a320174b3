//! The path cache: everything that a packet to a destination needs, in one cache line.

use std::net::IpAddr;

use rustc_hash::FxHashMap;
use weir_device::{Nanos, Port};

use super::Host;
use crate::MacAddress;
use weir_filter::is_unicast;

/// The maximum number of cached destinations; beyond it the cache is cleared.
const MAX_PATHS: usize = 4096;

/// The path to a destination: the combined result of routes, addresses, neighbours and path MTUs.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedPath {
    pub(super) destination: IpAddr,
    /// The host's address that packets are sent from.
    pub(super) source: IpAddr,
    /// The MAC address of the next hop.
    pub(super) mac: MacAddress,
    pub(super) port: Port,
    /// The longest packet that needs no fragmentation.
    pub(super) mtu: u32,
    /// The time at which the path must be computed again, because the neighbour must be probed or
    /// the path MTU expires. The addresses stay valid after this time.
    until: Nanos,
}

/// Cached paths of a host. A change of any of their inputs clears the cache.
#[derive(Debug, Default)]
pub(super) struct PathCache {
    /// The first two paths; most hosts need no more.
    near: [Option<CachedPath>; 2],
    /// The other paths. The map is never iterated, so its order does not matter.
    far: Option<Box<FxHashMap<IpAddr, CachedPath>>>,
}

impl PathCache {
    /// Returns the path to a destination. It may have expired, but its addresses are still valid.
    pub(super) fn get(&self, destination: IpAddr) -> Option<&CachedPath> {
        let near = self.near.iter().flatten().find(|path| path.destination == destination);
        near.or_else(|| self.far.as_ref()?.get(&destination))
    }

    /// Returns the path to a destination, if it is valid now.
    pub(super) fn find(&self, now: Nanos, destination: IpAddr) -> Option<CachedPath> {
        self.get(destination).filter(|path| now < path.until).copied()
    }

    /// Adds a path; their number is limited.
    fn insert(&mut self, path: CachedPath) {
        let is_same_path =
            |place: &&mut Option<CachedPath>| place.is_none_or(|old| old.destination == path.destination);
        if let Some(place) = self.near.iter_mut().find(is_same_path) {
            *place = Some(path);
            return;
        }
        let far = self.far.get_or_insert_default();
        if far.len() >= MAX_PATHS {
            far.clear();
        }
        far.insert(path.destination, path);
    }

    /// Forgets all paths.
    pub(super) fn clear(&mut self) {
        *self = PathCache::default();
    }
}

impl Host {
    /// Caches the path to a destination, if it is a unicast destination that is reachable now.
    pub(super) fn cache_path(&mut self, now: Nanos, destination: IpAddr) {
        let is_single_host = is_unicast(destination) && !destination.is_loopback();
        if !is_single_host || self.is_broadcast(destination) || self.has_address(destination) {
            return;
        }
        let Some((port, next_hop)) = self.routes.lookup(destination) else { return };
        if next_hop.is_multicast() || self.is_broadcast(next_hop) {
            return;
        }
        let neighbour = self.neighbours[port as usize].reachable_mac(next_hop);
        let (Some((mac, fresh)), Some(source)) = (neighbour, self.source_for(destination)) else { return };
        let mtu = self.config.interfaces[port as usize].mtu;
        let (mtu, believed) = self
            .paths
            .get_valid(now, destination)
            .map_or((mtu, Nanos::MAX), |(path, until)| (path.min(mtu), until));
        let until = fresh.min(believed);
        self.path_cache.insert(CachedPath { destination, source, mac, port, mtu: mtu as u32, until });
    }
}
