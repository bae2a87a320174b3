//! A host of the document.

use std::net::{IpAddr, Ipv4Addr};

use weir_json::{Collector, Diagnostic, Mistakes, Node, Object, combine};
use weir_units::{Quantity, WantedQuantity};

use super::program;
use crate::address::Network;
use crate::host::{MAX_MTU, MIN_MTU};
use crate::rules::HostStates;
use crate::{Host, HostAddress, Index, Interface, Mac, Neighbour, NetworkRules, Route};
use crate::{address, commands, quantity};

/// The keys that a host's settings may have.
const KEYS: [&str; 12] = [
    "ip",
    "mac",
    "commands",
    "ip6",
    "gateway",
    "gateway6",
    "arp",
    "mtu",
    "interfaces",
    "processing",
    "processing_jitter",
    "programs",
];

/// Reads a host and adds it to the index, which contains the earlier hosts. A host with mistakes is
/// also added if its interfaces are known, so that other hosts and links can be checked against it.
pub(super) fn read(
    name: &str,
    node: Node<'_>,
    index: &mut Index,
    rules: &dyn NetworkRules,
) -> Result<Host, Mistakes> {
    let mut object = node.object(&KEYS);
    let mut first_interface = interface(&mut object, index);
    let first_address = object.required("ip", host_v4);
    first_interface.addresses.splice(0..0, first_address);
    let further_interfaces = object.optional_or("interfaces", Vec::new(), |list| {
        list.list(|node| {
            let mut object = node.object(&["ip", "mac", "ip6", "mtu"]);
            let mut interface = interface(&mut object, index);
            interface.addresses.splice(0..0, object.optional("ip", host_v4));
            let part = object.get("mtu").unwrap_or(node);
            object.finish(|| Some((part, interface)))
        })
    });
    let are_interfaces_known = first_address.is_some() && further_interfaces.is_some();
    let mut host = Host { interfaces: vec![first_interface], ..Host::new(name, Mac([0; 6]), UNSET) };
    let mut steps = HostStates::default();
    steps.add(object.get("mtu").unwrap_or(node), &host);
    for (part, interface) in further_interfaces.into_iter().flatten() {
        host.interfaces.push(interface);
        steps.add(part, &host);
    }
    for (key, network) in [("gateway", Network::ALL_V4), ("gateway6", Network::ALL_V6)] {
        let hop = object.optional(key, |hop| {
            let read = match key {
                "gateway" => address::v4(hop.value()).map(IpAddr::from),
                _ => address::v6(hop.value()).map(IpAddr::from),
            };
            let gateway = read.map_err(|error| error.at(hop))?;
            let interface = host.interface_towards(gateway);
            if are_interfaces_known {
                host.check_gateway(gateway, interface).map_err(|error| error.at(hop))?;
            }
            Ok::<_, Diagnostic>(Route { network, gateway: Some(gateway), interface })
        });
        host.routes.extend(hop);
        steps.add(object.get(key).unwrap_or(node), &host);
    }
    for (part, (address, mac)) in object.optional("arp", neighbours).into_iter().flatten() {
        let interface = host.interface_towards(address);
        host.neighbours.push(Neighbour { address, mac, interface });
        steps.add(part, &host);
    }
    for (key, span) in
        [("processing", &mut host.processing_ns), ("processing_jitter", &mut host.processing_jitter_ns)]
    {
        let wanted = WantedQuantity::time(key).usual("us").example("50us");
        let duration =
            object.optional(key, |duration| quantity::text(duration, wanted, Quantity::nanoseconds));
        *span = duration.unwrap_or(*span);
    }
    host.programs = object.optional("programs", |programs| programs.list(program::read)).unwrap_or_default();
    let lines = object.optional("commands", |lines| Ok::<_, Diagnostic>(lines.items()?.collect::<Vec<_>>()));
    // Commands are about interfaces and addresses.
    let lines = lines.filter(|_| are_interfaces_known);
    object.read_each(lines.into_iter().flatten(), |line| {
        let applied = commands::apply(line.value(), &mut host, &|line| rules.tc(line));
        steps.add(line, &host);
        applied.map_err(|error| error.at(line))
    });
    if object.is_right() {
        object.collect_result(steps.check(rules));
    }
    let added = if object.is_right() { index.add_host(&host) } else { index.check_addresses(&host) };
    object.collect_result(added.map_err(|error| error.at(node)));
    if are_interfaces_known && !object.is_right() {
        index.place_host(&host);
    }
    object.finish(|| Some(host))
}

/// The placeholder for a host's address before it is known.
const UNSET: HostAddress = HostAddress { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), prefix: 0 };

fn host_v4(ip: Node<'_>) -> Result<HostAddress, Diagnostic> {
    address::host_v4(ip.value()).map_err(|error| error.at(ip))
}

/// Reads an interface's Ethernet address (the next free one if none is given), its IPv6 address,
/// and its MTU.
fn interface(object: &mut Object<'_>, index: &mut Index) -> Interface {
    let mac = object.optional("mac", |mac| {
        Mac::read(mac.value()).and_then(Mac::check_host).map_err(|error| error.at(mac))
    });
    let mac = mac.unwrap_or_else(|| index.take_mac());
    let own = object.optional("ip6", |ip6| address::host_v6(ip6.value()).map_err(|error| error.at(ip6)));
    let mut interface = Interface { mac, addresses: own.into_iter().collect(), ..Interface::default() };
    interface.mtu = object.optional("mtu", mtu).unwrap_or(interface.mtu);
    interface
}

/// Reads an MTU in bytes.
fn mtu(node: Node<'_>) -> Result<u32, Diagnostic> {
    let bytes = quantity::text(node, WantedQuantity::size("mtu"), Quantity::bytes)?;
    let mtu = u32::try_from(bytes).ok().filter(|bytes| (MIN_MTU..=MAX_MTU).contains(bytes));
    mtu.ok_or_else(|| node.error(format!("mtu {bytes}B is out of range: expected {MIN_MTU}B to {MAX_MTU}B")))
}

/// A member of `arp`: an address of IP and its Ethernet address.
type ArpEntry<'d> = (Node<'d>, (IpAddr, Mac));

/// Addresses of IP and their Ethernet addresses.
fn neighbours(node: Node<'_>) -> Result<Vec<ArpEntry<'_>>, Mistakes> {
    let mut mistakes = Collector::default();
    let entries = mistakes.read_each(node.members()?, |(ip, known)| {
        let address = address::parse_any(ip).map_err(|error| error.at(known));
        let mac = Mac::read(known.value()).map_err(|error| error.at(known));
        combine(address, mac).map(|entries| (known, entries))
    });
    mistakes.finish(entries)
}
