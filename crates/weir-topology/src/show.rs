//! The output of `ip` about a host: interfaces, addresses, routes, neighbours.

use std::net::IpAddr;

use crate::address::Network;
use crate::commands::words;
use crate::{Host, Mac};

/// A neighbour of a running host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownNeighbour {
    /// The IP address.
    pub address: IpAddr,
    /// The Ethernet address; `None` while it is being resolved.
    pub mac: Option<Mac>,
    /// Whether the entry is permanent.
    pub permanent: bool,
}

/// Returns the output of `ip [-4|-6] addr|link|route|neigh [show]`; none for other commands.
/// `neighbours` returns the neighbours at the interface with a number.
pub fn ip<E>(
    command: &str,
    host: &Host,
    neighbours: impl FnMut(usize) -> Result<Vec<KnownNeighbour>, E>,
) -> Result<Option<String>, E> {
    let Ok(words) = words::split(command) else { return Ok(None) };
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let words = words.strip_prefix(&["sudo"]).unwrap_or(&words);
    let Some((tool, words)) = words.split_first() else { return Ok(None) };
    let (family, words) = match words {
        ["-4", rest @ ..] => (Some(false), rest),
        ["-6", rest @ ..] => (Some(true), rest),
        _ => (None, words),
    };
    let (object, verb) = match words {
        [object] => (*object, "show"),
        [object, verb] => (*object, *verb),
        _ => return Ok(None),
    };
    if tool.rsplit('/').next() != Some("ip") || !["show", "list", "ls"].contains(&verb) {
        return Ok(None);
    }
    let is_shown = |address: IpAddr| family.is_none_or(|v6| address.is_ipv6() == v6);
    let lines = match object {
        "addr" | "address" | "a" => interfaces(host, is_shown),
        "link" | "l" => interfaces(host, |_| false),
        "route" | "r" | "ro" => routes(host, is_shown),
        "neigh" | "neighbor" | "neighbour" | "n" => all_neighbours(host, is_shown, neighbours)?,
        _ => return Ok(None),
    };
    Ok(Some(lines.iter().map(|line| format!("{line}\n")).collect()))
}

/// Formats all interfaces, with the addresses that `is_shown` accepts.
fn interfaces(host: &Host, is_shown: impl Fn(IpAddr) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, interface) in host.interfaces.iter().enumerate() {
        let state = if interface.up { "UP" } else { "DOWN" };
        let (place, mtu) = (number + 1, interface.mtu);
        lines.push(format!("{place}: eth{number}: <BROADCAST,{state}> mtu {mtu} state {state}"));
        lines.push(format!("    link/ether {}", interface.mac));
        for own in interface.addresses.iter().filter(|own| is_shown(own.address)) {
            let family = if own.address.is_ipv6() { "inet6" } else { "inet" };
            lines.push(format!("    {family} {own} scope global eth{number}"));
        }
    }
    lines
}

/// Routes of the host, then those to its own networks.
fn routes(host: &Host, is_shown: impl Fn(IpAddr) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for route in host.routes.iter().filter(|route| is_shown(route.network.address)) {
        let is_default = [Network::ALL_V4, Network::ALL_V6].contains(&route.network);
        let target = if is_default { "default".to_owned() } else { route.network.to_string() };
        let via = route.gateway.map(|gateway| format!(" via {gateway}")).unwrap_or_default();
        lines.push(format!("{target}{via} dev eth{}", route.interface));
    }
    for (number, interface) in host.interfaces.iter().enumerate() {
        for own in interface.addresses.iter().filter(|own| is_shown(own.address)) {
            let (network, address) = (own.network(), own.address);
            lines.push(format!("{network} dev eth{number} proto kernel scope link src {address}"));
        }
    }
    lines
}

fn all_neighbours<E>(
    host: &Host,
    is_shown: impl Fn(IpAddr) -> bool,
    mut neighbours: impl FnMut(usize) -> Result<Vec<KnownNeighbour>, E>,
) -> Result<Vec<String>, E> {
    let mut lines = Vec::new();
    for number in 0..host.interfaces.len() {
        for known in neighbours(number)?.into_iter().filter(|known| is_shown(known.address)) {
            let state = match known.mac {
                None => "INCOMPLETE".to_owned(),
                Some(mac) => {
                    format!("lladdr {mac} {}", if known.permanent { "PERMANENT" } else { "REACHABLE" })
                }
            };
            lines.push(format!("{} dev eth{number} {state}", known.address));
        }
    }
    Ok(lines)
}
