//! Changes of interfaces at run time: addresses, MAC addresses, MTUs.

use std::net::{IpAddr, Ipv4Addr};

use smallvec::SmallVec;
use weir_device::{Nanos, Port};

use super::config::{HostConfig, InterfaceConfig};
use super::route::Route;
use super::{Host, LINK_LOCAL};
use crate::{Error, IpPrefix};

/// Addresses and their interfaces.
type Addresses = SmallVec<[(IpAddr, Port); 2]>;

/// Returns the addresses that a host accepts: its own, including link-local ones, with their
/// interfaces; and the broadcast addresses of its networks.
pub(super) fn accepted_addresses(config: &HostConfig) -> (Addresses, SmallVec<[Ipv4Addr; 2]>) {
    let (mut own, mut broadcasts) = (Addresses::new(), SmallVec::new());
    for (interface, port) in config.interfaces.iter().zip(0..) {
        if interface.has_v6() {
            own.push((IpAddr::V6(interface.mac.link_local()), port));
        }
        own.extend(interface.addresses.iter().map(|prefix| (prefix.address(), port)));
        broadcasts.extend(interface.addresses.iter().filter_map(|prefix| prefix.broadcast()));
    }
    (own, broadcasts)
}

/// Returns the routes to the networks that an interface is connected to.
pub(super) fn connected(interface: &InterfaceConfig, port: Port) -> Vec<Route> {
    let link_local = interface.has_v6().then(|| IpPrefix::new(interface.mac.link_local(), LINK_LOCAL).ok());
    let networks = link_local.flatten().into_iter().chain(interface.addresses.iter().copied());
    networks.map(|destination| Route { destination, gateway: None, interface: port }).collect()
}

impl Host {
    /// Changes the settings of an interface from now on; see
    /// [`Network::set_interface`](crate::Network::set_interface).
    pub(crate) fn set_interface(
        &mut self,
        now: Nanos,
        port: Port,
        interface: InterfaceConfig,
    ) -> Result<(), Error> {
        self.config.check_interface(port)?;
        let mut config = (*self.config).clone();
        let before = std::mem::replace(&mut config.interfaces[port as usize], interface);
        config.check()?;
        *self.config = config;
        let after = self.config.interfaces[port as usize].clone();
        (self.addresses, self.broadcasts) = accepted_addresses(&self.config);
        self.macs[port as usize] = after.mac;
        self.path_cache.clear();
        self.change_networks(port, &before, &after);
        if after.mtu < before.mtu {
            self.cut_segments_by(now, port);
        }
        Ok(())
    }

    /// Updates the routes. Routes to removed networks are deleted. If the last address of a family
    /// is removed, all routes of this family are deleted.
    fn change_networks(&mut self, port: Port, before: &InterfaceConfig, after: &InterfaceConfig) {
        let (old, new) = (connected(before, port), connected(after, port));
        for route in old.iter().filter(|route| !new.contains(route)) {
            self.routes.remove(route);
        }
        for route in new.iter().filter(|route| !old.contains(route)) {
            self.routes.add(*route);
        }
        for v4 in [true, false] {
            let has = |interface: &InterfaceConfig| {
                interface.addresses.iter().any(|prefix| prefix.address().is_ipv4() == v4)
            };
            if has(before) && !has(after) {
                let of_family =
                    |route: &&Route| route.interface == port && route.destination.address().is_ipv4() == v4;
                let gone: Vec<Route> = self.routes.routes().iter().filter(of_family).copied().collect();
                for route in &gone {
                    self.routes.remove(route);
                }
            }
        }
    }
}
