//! The strategies that assign addresses to hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use weir_json::{Diagnostic, Node};

use super::link::{Cable, CableEnd};
use super::names::{Names, host_number, natural_sort_key};
use super::switch::Settings;
use crate::text::{nearest, show_text};
use crate::{HostAddress, Mac};

/// How hosts get their addresses in p4-utils.
#[derive(Clone, Copy)]
enum Strategy {
    /// One network, 10.0.0.0/16.
    L2,
    /// One network for the hosts of each switch, 10.SWITCH.0/24.
    Mixed,
    /// One network for each host, 10.SWITCH.HOST.0/24.
    L3,
}

/// The strategies by their names in the file.
const NAMES: [(&str, Strategy); 3] = [("l2", Strategy::L2), ("mixed", Strategy::Mixed), ("l3", Strategy::L3)];

/// Sets the addresses of hosts, and the addresses that they assume for switches.
pub(super) fn apply(
    topology: Node<'_>,
    names: &Names<'_>,
    settings: &[Settings],
    cables: &mut [Cable<'_>],
) -> Result<(), Diagnostic> {
    let Some(node) = topology.get("assignment_strategy") else {
        assign_free(cables);
        return Ok(());
    };
    let (text, strategy) = read(node)?;
    let links = check_strategy(names, text, cables)?;
    let ids = switch_ids(names, settings);
    let mut taken: BTreeSet<Ipv4Addr> = BTreeSet::new();
    // Hosts whose names have numbers come first: the others get the remaining addresses.
    for numbered in [true, false] {
        for link in &links {
            let cable = &cables[link.0];
            let host = &cable.ends[link.1];
            let (number, switch) = (host_number(host.node), ids[cable.ends[1 - link.1].node]);
            if number.is_some() != numbered {
                continue;
            }
            let address = match number {
                Some(number) => strategy.address(switch, number),
                None => (1..=253)
                    .filter_map(|number| strategy.address(switch, number))
                    .find(|address| !taken.contains(address)),
            };
            let Some(address) = address else {
                return Err(cable.place.error(format!(
                    "the strategy \"{text}\" has no address for {} at switch number {switch}: {}",
                    host.node,
                    strategy.address_limits()
                )));
            };
            if !taken.insert(address) {
                let message =
                    format!("the strategy \"{text}\" gives {address} to {} and another host", host.node);
                return Err(cable.place.error(message));
            }
            strategy.set_addresses(address, link.1, &mut cables[link.0].ends);
        }
    }
    Ok(())
}

/// Reads the strategy that a word names, and the word.
fn read(node: Node<'_>) -> Result<(&str, Strategy), Diagnostic> {
    let text = node.text("an assignment strategy such as \"l2\"")?;
    let names = NAMES.map(|(name, _)| name);
    let Some((_, strategy)) = NAMES.iter().find(|(name, _)| *name == text) else {
        let message =
            format!("\"{}\" is not an assignment strategy: expected l2, mixed or l3", show_text(text));
        return Err(node.error_with_suggestion(message, nearest(text, &names)));
    };
    Ok((text, *strategy))
}

/// Checks the word that names a strategy.
pub(super) fn check_word(node: Node<'_>) -> Result<(), Diagnostic> {
    read(node).map(drop)
}

impl Strategy {
    /// Returns the address of a host; `None` if the numbers are too large.
    fn address(self, switch: u32, host: u32) -> Option<Ipv4Addr> {
        let [_, _, high, low] = switch.to_be_bytes();
        let [.., host_high, host_low] = host.to_be_bytes();
        match self {
            Self::L2 => (1..65535).contains(&host).then(|| Ipv4Addr::new(10, 0, host_high, host_low)),
            Self::Mixed => (1..254).contains(&host).then(|| Ipv4Addr::new(10, high, low, host_low)),
            Self::L3 => (switch < 254 && host < 254).then(|| Ipv4Addr::new(10, low, host_low, 2)),
        }
    }

    fn address_limits(self) -> &'static str {
        match self {
            Self::L2 => "hosts have numbers 1 to 65534",
            Self::Mixed => "hosts have numbers 1 to 253",
            Self::L3 => "hosts and switches have numbers below 254",
        }
    }

    /// Sets the addresses of a host's link.
    fn set_addresses(self, address: Ipv4Addr, side: usize, ends: &mut [CableEnd<'_>; 2]) {
        let [a, b, c, d] = address.octets();
        let (prefix, gateway) = match self {
            Self::L2 => (16, None),
            Self::Mixed => (24, Some(IpAddr::from([a, b, c, 254]))),
            Self::L3 => (24, Some(IpAddr::from([a, b, c, 1]))),
        };
        let host = &mut ends[side];
        host.ip = Some(HostAddress { address: address.into(), prefix });
        host.mac = Some(Mac([0, 0, a, b, c, d]));
        host.gateway = gateway;
        let switch = &mut ends[1 - side];
        switch.ip = gateway.map(|address| HostAddress { address, prefix });
        switch.mac = Some(switch_mac(address));
    }
}

/// Returns the Ethernet address of a switch's end, derived from the IPv4 address that its hosts
/// know or have.
fn switch_mac(address: Ipv4Addr) -> Mac {
    let [a, b, c, d] = address.octets();
    Mac([0, 1, a, b, c, d])
}

/// Returns the link of each host and the host's side of it, in the order of the hosts.
///
/// # Errors
/// A host does not have exactly one link, or has a link to a host or its own addresses; or two
/// links connect the same nodes.
fn check_strategy(
    names: &Names<'_>,
    strategy: &str,
    cables: &[Cable<'_>],
) -> Result<Vec<(usize, usize)>, Diagnostic> {
    let mut of_host: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut joined = BTreeSet::new();
    for (number, cable) in cables.iter().enumerate() {
        let fail = |problem: String| {
            Err(cable.place.error(format!(
                "{problem}; with the strategy \"{strategy}\" each host has one link, to a switch. Without \
                 \"assignment_strategy\", give addresses as \"params1\": {{\"ip\": \"10.0.1.2/24\"}}"
            )))
        };
        let [a, b] = [cable.ends[0].node, cable.ends[1].node];
        if !joined.insert((a.min(b), a.max(b))) {
            return fail(format!("a second link joins {a} and {b}"));
        }
        if cable.ends[0].is_host && cable.ends[1].is_host {
            return fail(format!("{a} and {b} are both hosts"));
        }
        let Some(side) = cable.ends.iter().position(|end| end.is_host) else { continue };
        let host = &cable.ends[side];
        if of_host.insert(host.node, (number, side)).is_some() {
            return fail(format!("{} has a second link", host.node));
        }
        if host.ip.is_some() || host.mac.is_some() {
            return fail(format!("{} has an address of its own", host.node));
        }
    }
    Ok(names.hosts.iter().filter_map(|name| of_host.get(name).copied()).collect())
}

/// Returns the numbers of switches: in the natural order of their names, from 1 on, without the
/// numbers that the file assigns to other switches.
fn switch_ids<'d>(names: &Names<'d>, settings: &[Settings]) -> BTreeMap<&'d str, u32> {
    let own = names.switches.iter().zip(settings);
    let mut ids: BTreeMap<&str, u32> = own.filter_map(|(name, own)| Some((*name, own.device_id?))).collect();
    let mut taken: BTreeSet<u32> = ids.values().copied().collect();
    let mut order = names.switches.clone();
    order.sort_by_key(|name| natural_sort_key(name));
    for name in order {
        if !ids.contains_key(name)
            && let Some(id) = (1..).find(|id| taken.insert(*id))
        {
            ids.insert(name, id);
        }
    }
    ids
}

/// Assigns the next free address of 10.0.0.0/8 to each host's end without one.
fn assign_free(cables: &mut [Cable<'_>]) {
    let ends = cables.iter().flat_map(|cable| &cable.ends).filter(|end| end.is_host);
    let mut taken: BTreeSet<IpAddr> = ends.filter_map(|end| Some(end.ip?.address)).collect();
    let mut order: Vec<_> = cables.iter_mut().collect();
    order.sort_by_key(|cable| cable.sort_key());
    let mut next = u32::from(Ipv4Addr::new(10, 0, 0, 1))..;
    for end in order.into_iter().flat_map(|cable| &mut cable.ends) {
        // p4-utils gives switches random Ethernet addresses; hosts only see those of gateways.
        if let (false, None, Some(ip)) = (end.is_host, end.mac, end.ip)
            && let IpAddr::V4(address) = ip.address
        {
            end.mac = Some(switch_mac(address));
        }
        if end.is_host && end.ip.is_none() {
            let address =
                next.by_ref().map(|bits| Ipv4Addr::from(bits).into()).find(|address| taken.insert(*address));
            end.ip = address.map(|address| HostAddress { address, prefix: 8 });
        }
    }
}
