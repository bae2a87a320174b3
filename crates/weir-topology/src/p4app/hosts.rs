//! Hosts: their interfaces are the ends of their links.

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_json::{Collector, Diagnostic, Mistakes, Node, Object};

use super::link::{Cable, CableEnd};
use super::settings;
use crate::address::{self, Network};
use crate::{Host, Index, Interface, Mac, Neighbour, NetworkRules, Route};

/// The MTU that p4-utils gives the interfaces of hosts, in bytes.
const MTU: u32 = 9500;

/// Returns the number of the interface at an end: p4-utils numbers ports, and the lowest is `eth0`.
pub(super) fn interface(cables: &[Cable<'_>], end: &CableEnd<'_>) -> usize {
    let ends = cables.iter().flat_map(|cable| &cable.ends);
    ends.filter(|other| other.node == end.node && other.port < end.port).count()
}

/// Checks the hosts' own settings: their keys, and the next hops of their default routes.
pub(super) fn check(topology: &mut Object<'_>) {
    let hosts = topology.get("hosts").and_then(|hosts| hosts.members().ok());
    topology.read_each(hosts.into_iter().flatten(), |(_, node)| {
        let mut host = settings::open_host(node);
        host.optional("defaultRoute", default_route);
        host.finish(|| Some(()))
    });
}

/// Reads the hosts and adds them to the index.
pub(super) fn read(
    topology: Node<'_>,
    cables: &[Cable<'_>],
    index: &mut Index,
    rules: &dyn NetworkRules,
) -> Result<Vec<Host>, Mistakes> {
    let mut mistakes = Collector::default();
    let mut ends_of: BTreeMap<&str, Vec<&CableEnd<'_>>> = BTreeMap::new();
    // The addresses that hosts assume for the ends of switches, by the hosts' gateways.
    let mut gateways = BTreeMap::new();
    let mut cable_order: Vec<_> = cables.iter().collect();
    // If gateways are equal, hosts know the one that p4-utils creates last.
    cable_order.sort_by_key(|cable| cable.sort_key());
    for end in cable_order.into_iter().flat_map(|cable| &cable.ends) {
        ends_of.entry(end.node).or_default().push(end);
        if let (false, Some(ip), Some(mac)) = (end.is_host, end.ip, end.mac) {
            gateways.insert(ip.address, mac);
        }
    }
    let mut hosts = mistakes.read_each(topology.require("hosts")?.members()?, |(name, node)| {
        let mut ends = ends_of.remove(name).unwrap_or_default();
        ends.sort_by_key(|end| end.port);
        if ends.is_empty() {
            return Err(node.error(format!("{name} has no link: its address would be that of a link's end")));
        }
        let mut host = Host { interfaces: Vec::new(), ..Host::new(name, Mac([0; 6]), unset_address()) };
        for end in &ends {
            let mac = end.mac.unwrap_or_else(|| index.take_mac());
            let addresses = end.ip.into_iter().collect();
            host.interfaces.push(Interface { mac, addresses, mtu: MTU, ..Interface::default() });
        }
        let own = ends.iter().find_map(|end| end.gateway);
        if let Some(gateway) = node.get("defaultRoute").map(default_route).transpose()?.or(own) {
            let interface = host.interface_towards(gateway);
            host.check_gateway(gateway, interface).map_err(|error| error.at(node))?;
            host.routes.push(Route { network: Network::ALL_V4, gateway: Some(gateway), interface });
        }
        index.add_host(&host).map_err(|error| error.at(node))?;
        Ok(host)
    });
    if settings::default_flag(topology, "auto_gw_arp")? {
        for host in &mut hosts {
            for route in &host.routes {
                let Some((address, &mac)) = route.gateway.and_then(|hop| gateways.get_key_value(&hop)) else {
                    continue;
                };
                host.neighbours.push(Neighbour { address: *address, mac, interface: route.interface });
            }
        }
    }
    if settings::default_flag(topology, "auto_arp_tables")? {
        add_neighbours(&mut hosts);
    }
    for host in &hosts {
        let node = topology.require("hosts")?.require(&host.name)?;
        mistakes.collect_result(rules.host(host).map_err(|reason| node.error(reason)));
    }
    mistakes.finish(hosts)
}

/// Makes the hosts of each network permanent neighbours of each other.
fn add_neighbours(hosts: &mut [Host]) {
    let mut members: BTreeMap<String, Vec<(usize, IpAddr, Mac)>> = BTreeMap::new();
    for (number, host) in hosts.iter().enumerate() {
        for interface in &host.interfaces {
            for own in &interface.addresses {
                let network = members.entry(own.network().to_string()).or_default();
                network.push((number, own.address, interface.mac));
            }
        }
    }
    for (number, host) in hosts.iter_mut().enumerate() {
        for (interface, own) in host.interfaces.iter().enumerate() {
            let networks = own.addresses.iter().filter_map(|own| members.get(&own.network().to_string()));
            let other_addresses = networks.flatten().filter(|(other, ..)| *other != number);
            let neighbours = other_addresses.map(|&(_, address, mac)| Neighbour { address, mac, interface });
            host.neighbours.extend(neighbours);
        }
    }
}

/// Reads the next hop in `via 10.0.1.1`.
fn default_route(node: Node<'_>) -> Result<IpAddr, Diagnostic> {
    let expected = "a next hop such as \"via 10.0.1.1\"";
    let hop = node.text(expected)?.trim().strip_prefix("via ").ok_or_else(|| node.expected(expected))?;
    address::parse_v4(hop.trim()).map(IpAddr::from).map_err(|error| error.at(node))
}

/// Returns the placeholder for a host's address before the host's interfaces are known.
fn unset_address() -> crate::HostAddress {
    crate::HostAddress { address: IpAddr::from([0, 0, 0, 0]), prefix: 0 }
}
