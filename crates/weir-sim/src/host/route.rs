//! Routes.

use std::net::IpAddr;

use weir_device::Port;

use crate::IpPrefix;

/// A route, as `ip route add <destination> via <gateway> dev <interface>` creates it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The destination network; [`IpPrefix::DEFAULT`] or [`IpPrefix::DEFAULT_V6`] for a default
    /// route.
    pub destination: IpPrefix,
    /// The next hop; `None` if the destination is in the interface's own network.
    pub gateway: Option<IpAddr>,
    /// The number of the outgoing interface.
    pub interface: Port,
}

/// Routes, longest prefix first. Of routes with equal prefixes, the one that was added last comes
/// first.
#[derive(Clone, Debug, Default)]
pub(crate) struct RouteTable(Vec<Route>);

impl RouteTable {
    /// Adds a route before the routes with shorter prefixes.
    pub(crate) fn add(&mut self, route: Route) {
        let place = self.0.partition_point(|other| other.destination.length() > route.destination.length());
        self.0.insert(place, route);
    }

    /// Removes a route, and returns whether it existed.
    pub(crate) fn remove(&mut self, route: &Route) -> bool {
        let before = self.0.len();
        self.0.retain(|other| other != route);
        self.0.len() < before
    }

    /// Returns all routes in the order of lookup.
    pub(crate) fn routes(&self) -> &[Route] {
        &self.0
    }

    /// Returns the interface and next hop for a destination.
    pub(crate) fn lookup(&self, destination: IpAddr) -> Option<(Port, IpAddr)> {
        let route = self.0.iter().find(|route| route.destination.contains(destination))?;
        Some((route.interface, route.gateway.unwrap_or(destination)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[test]
    fn the_longest_prefix_wins() {
        let mut table = RouteTable::default();
        let v4 = |a, b, c, d| IpAddr::V4(Ipv4Addr::new(a, b, c, d));
        let gateway = v4(10, 0, 1, 10);
        let add = |table: &mut RouteTable, destination: &str, gateway, interface| {
            table.add(Route { destination: destination.parse().unwrap(), gateway, interface });
        };
        add(&mut table, "0.0.0.0/0", Some(gateway), 0);
        add(&mut table, "10.0.2.0/24", None, 1);
        add(&mut table, "10.0.2.7/32", None, 2);
        assert_eq!(table.lookup(v4(192, 0, 2, 1)), Some((0, gateway)));
        assert_eq!(table.lookup(v4(10, 0, 2, 1)), Some((1, v4(10, 0, 2, 1))));
        assert_eq!(table.lookup(v4(10, 0, 2, 7)), Some((2, v4(10, 0, 2, 7))));
        assert_eq!(RouteTable::default().lookup(gateway), None);
    }
}
