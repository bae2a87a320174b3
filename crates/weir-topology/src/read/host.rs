//! A host of the document.

use std::net::IpAddr;

use weir_json::{Diagnostic, Node, Value};
use weir_units::{Quantity, Wanted};

use super::program;
use crate::host::{MAX_MTU, MIN_MTU};
use crate::{CheckTc, Error, Host, HostAddress, Index, Interface, Mac, Neighbour, Route};
use crate::{address, commands, quantity};

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

/// Reads a host and adds it to the index, which has the hosts before it.
pub(super) fn read(
    name: &str,
    node: Node<'_>,
    index: &mut Index,
    check_tc: CheckTc<'_>,
) -> Result<Host, Diagnostic> {
    node.only(&KEYS)?;
    let ip = node.require("ip")?;
    let own = address::host_v4(ip.value()).map_err(|error| error.at(ip))?;
    let mut host = Host::new(name, mac(node, index)?, own);
    addition(node, &mut host.interfaces[0])?;
    if let Some(more) = node.get("interfaces") {
        for own in more.items()? {
            own.only(&["ip", "mac", "ip6", "mtu"])?;
            let mut interface =
                Interface { mac: mac(own, index)?, addresses: Vec::new(), ..Interface::default() };
            if let Some(ip) = own.get("ip") {
                interface.addresses.push(address::host_v4(ip.value()).map_err(|error| error.at(ip))?);
            }
            addition(own, &mut interface)?;
            host.interfaces.push(interface);
        }
    }
    for (key, network) in [("gateway", "0.0.0.0/0"), ("gateway6", "::/0")] {
        let Some(hop) = node.get(key) else { continue };
        let read = |value: &Value| match key {
            "gateway" => address::v4(value).map(IpAddr::from),
            _ => address::v6(value).map(IpAddr::from),
        };
        let gateway = read(hop.value()).map_err(|error| error.at(hop))?;
        let network = address::parse_network(network).map_err(|error| error.at(hop))?;
        let interface = host.interface_towards(gateway);
        host.routes.push(Route { network, gateway: Some(gateway), interface });
    }
    if let Some(arp) = node.get("arp") {
        for (ip, known) in arp.members()? {
            let address = address::parse_any(ip).map_err(|error| error.at(known))?;
            let mac = Mac::read(known.value()).map_err(|error| error.at(known))?;
            let interface = host.interface_towards(address);
            host.neighbours.push(Neighbour { address, mac, interface });
        }
    }
    for (key, span) in
        [("processing", &mut host.processing_ns), ("processing_jitter", &mut host.processing_jitter_ns)]
    {
        if let Some(given) = node.get(key) {
            let wanted = Wanted::time(key).usual("us").example("50us");
            *span = quantity::text(given, wanted, Quantity::nanoseconds)?;
        }
    }
    if let Some(programs) = node.get("programs") {
        host.programs = programs.items()?.map(program::read).collect::<Result<_, _>>()?;
    }
    if let Some(lines) = node.get("commands") {
        for line in lines.items()? {
            commands::apply(line.value(), &mut host, check_tc).map_err(|error| error.at(line))?;
        }
    }
    index.add_host(&host).map_err(|error| error.at(node))?;
    Ok(host)
}

/// The Ethernet address, or the next free one.
fn mac(node: Node<'_>, index: &mut Index) -> Result<Mac, Diagnostic> {
    let Some(mac) = node.get("mac") else { return Ok(index.take_mac()) };
    Mac::read(mac.value()).and_then(Mac::check_host).map_err(|error| error.at(mac))
}

/// The IPv6 address and the MTU.
fn addition(node: Node<'_>, interface: &mut Interface) -> Result<(), Diagnostic> {
    if let Some(ip6) = node.get("ip6") {
        let own: HostAddress = address::host_v6(ip6.value()).map_err(|error| error.at(ip6))?;
        interface.addresses.push(own);
    }
    if let Some(mtu) = node.get("mtu") {
        let bytes = quantity::text(mtu, Wanted::size("mtu"), Quantity::bytes)?;
        interface.mtu = u32::try_from(bytes)
            .ok()
            .filter(|bytes| (MIN_MTU..=MAX_MTU).contains(bytes))
            .ok_or_else(|| {
                let range = format!("mtu {bytes}B is out of range: expected {MIN_MTU}B to {MAX_MTU}B");
                Error::new(range).at(mtu)
            })?;
    }
    Ok(())
}
