//! The nodes, addresses and links of a topology, found by name, address and end.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::text::listing;
use crate::{End, Error, Host, Interface, Mac, Node, Nodes, end};

/// The contents of a topology so far: names, addresses and ends of links, which must be unique. The
/// time of each step hardly grows with the topology.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The hosts' names, in the order in which they were added.
    hosts: Vec<String>,
    switches: Vec<String>,
    nodes: BTreeMap<String, Node>,
    /// The owners of addresses, and the addresses of each owner.
    addresses: BTreeMap<IpAddr, String>,
    macs: BTreeMap<Mac, String>,
    owned: BTreeMap<String, (Vec<IpAddr>, Vec<Mac>)>,
    /// All automatic MAC addresses before this one are taken.
    next_mac: u32,
    links: Vec<(End, End)>,
    /// The numbers of the links at an end and at a node.
    link_at: BTreeMap<End, usize>,
    links_of: BTreeMap<String, Vec<usize>>,
    ports: BTreeMap<String, BTreeSet<u32>>,
}

impl Nodes for Index {
    fn node(&self, name: &str) -> Option<Node> {
        self.nodes.get(name).copied()
    }

    fn names(&self) -> Vec<String> {
        self.hosts.iter().chain(&self.switches).cloned().collect()
    }
}

impl Index {
    /// Adds a host, or updates the state of a host that has been added.
    ///
    /// # Errors
    /// The host has no IPv4 address at `eth0`, or an address that the same or another host already
    /// has.
    pub fn add_host(&mut self, host: &Host) -> Result<(), Error> {
        host.check_has_address()?;
        self.check_addresses(host)?;
        self.place_host(host);
        Ok(())
    }

    /// Adds a host without any check.
    pub fn place_host(&mut self, host: &Host) {
        let name = &host.name;
        let (addresses, macs) = self.owned.remove(name).unwrap_or_default();
        for address in addresses {
            remove_owner(&mut self.addresses, address, name);
        }
        for mac in macs {
            remove_owner(&mut self.macs, mac, name);
        }
        if self.nodes.insert(name.clone(), Node::Host { interfaces: host.interfaces.len() }).is_none() {
            self.hosts.push(name.clone());
        }
        let own = host.interfaces.iter().flat_map(|interface| &interface.addresses);
        let addresses: Vec<_> = own.map(|own| own.address).collect();
        let macs: Vec<_> = host.interfaces.iter().map(|interface| interface.mac).collect();
        self.addresses.extend(addresses.iter().map(|address| (*address, name.clone())));
        self.macs.extend(macs.iter().map(|mac| (*mac, name.clone())));
        self.owned.insert(name.clone(), (addresses, macs));
    }

    /// Refuses a host with an address that the same or another host already has.
    pub(crate) fn check_addresses(&self, host: &Host) -> Result<(), Error> {
        let taken = |what: &str, name: &str| Err(Error::new(format!("{name} already has the {what}")));
        for own in &host.interfaces {
            let shared = own.addresses.iter().map(|own| own.address).filter_map(|address| {
                let owner = self.addresses.get(&address).filter(|owner| **owner != host.name)?;
                Some((address, owner))
            });
            if let Some((address, owner)) = shared.min() {
                return taken(&format!("address {address}"), owner);
            }
            if let Some(owner) = self.macs.get(&own.mac).filter(|owner| **owner != host.name) {
                return taken(&format!("MAC address {}", own.mac), owner);
            }
        }
        for (number, own) in host.interfaces.iter().enumerate() {
            for other in &host.interfaces[..number] {
                if let Some(address) = shared_address(own, other) {
                    return taken(&format!("address {address}"), &host.name);
                }
                if own.mac == other.mac {
                    return taken(&format!("MAC address {}", own.mac), &host.name);
                }
            }
        }
        Ok(())
    }

    /// Returns the first Ethernet address from `08:00:00:00:00:01` on that no host has had.
    pub fn next_mac(&mut self) -> Mac {
        let candidate = |number: u32| {
            let [_, a, b, c] = number.to_be_bytes();
            Mac([8, 0, 0, a, b, c])
        };
        self.next_mac = self.next_mac.max(1);
        while self.macs.contains_key(&candidate(self.next_mac)) {
            self.next_mac += 1;
        }
        candidate(self.next_mac)
    }

    /// Marks an address as taken, and returns it.
    pub(crate) fn take_mac(&mut self) -> Mac {
        let mac = self.next_mac();
        self.next_mac += 1;
        mac
    }

    /// Adds a switch.
    pub fn add_switch(&mut self, name: &str) {
        if self.nodes.insert(name.to_owned(), Node::Switch).is_none() {
            self.switches.push(name.to_owned());
        }
    }

    /// Adds a link and returns its number, from 0 on.
    ///
    /// # Errors
    /// Both ends are on one node, or an end has a link.
    pub fn add_link(&mut self, a: &End, b: &End) -> Result<usize, Error> {
        end::check_two_nodes(a, b)?;
        self.check_free(a)?;
        self.check_free(b)?;
        Ok(self.place_link(a, b))
    }

    /// Adds a link without any check.
    pub fn place_link(&mut self, a: &End, b: &End) -> usize {
        let number = self.links.len();
        self.links.push((a.clone(), b.clone()));
        for end in [a, b] {
            self.link_at.insert(end.clone(), number);
            self.links_of.entry(end.node().to_owned()).or_default().push(number);
            if let End::Switch { name, port: Some(port) } = end {
                self.ports.entry(name.clone()).or_default().insert(*port);
            }
        }
        number
    }

    /// Refuses an end that a link already has.
    ///
    /// # Errors
    /// A link already has the end.
    pub fn check_free(&self, end: &End) -> Result<(), Error> {
        let link = self.link_at(end).map(|number| self.link_text(number));
        end::check_free(end, link.as_deref())
    }

    /// Returns the number of the link at an end.
    pub fn link_at(&self, end: &End) -> Option<usize> {
        self.link_at.get(end).copied()
    }

    /// Returns the ends of a link.
    pub fn ends(&self, link: usize) -> Option<&(End, End)> {
        self.links.get(link)
    }

    /// Returns the number of hosts, of switches and of links.
    pub fn counts(&self) -> (usize, usize, usize) {
        (self.hosts.len(), self.switches.len(), self.links.len())
    }

    /// Returns the linked ports of a switch, in ascending order.
    pub fn ports(&self, switch: &str) -> Vec<u32> {
        self.ports.get(switch).into_iter().flatten().copied().collect()
    }

    /// Returns the lowest port of a switch, from 1 on, that has no link.
    ///
    /// # Errors
    /// All ports of the switch have a link.
    pub fn free_port(&self, switch: &str) -> Result<u32, Error> {
        let taken = |port: &u32| self.ports.get(switch).is_some_and(|ports| ports.contains(port));
        (1..=end::MAX_PORT).find(|port| !taken(port)).ok_or_else(|| {
            Error::new(format!("{switch} has no free port: 1 to {} are linked", end::MAX_PORT))
        })
    }

    /// Returns the number of the link between two nodes or ends, in either order. An end names a
    /// node if it is a switch without port or the first interface of a host.
    ///
    /// # Errors
    /// There is no such link, or more than one; the message shows the ends as `texts`.
    pub fn find_link(&self, a: &End, b: &End, texts: [&str; 2]) -> Result<usize, Error> {
        let links_of = |end: &End| self.links_of.get(end.node()).map_or(&[][..], Vec::as_slice);
        let fewer = if links_of(b).len() < links_of(a).len() { links_of(b) } else { links_of(a) };
        let joins = |number: &&usize| {
            let (first, second) = &self.links[**number];
            (matches_end(first, a) && matches_end(second, b))
                || (matches_end(first, b) && matches_end(second, a))
        };
        let joining: Vec<_> = fewer.iter().filter(joins).copied().collect();
        let [text_a, text_b] = texts;
        match joining[..] {
            [number] => Ok(number),
            [] => {
                let near: Vec<_> = links_of(a).iter().map(|number| self.link_text(*number)).collect();
                let near = listing(&near);
                Err(Error::new(format!("no link joins {text_a} and {text_b} ({} has {near})", a.node())))
            }
            [first, ..] => {
                let (first, second) = &self.links[first];
                Err(Error::new(format!(
                    "{} links join {text_a} and {text_b}: name one by its ports, such as {first} and {second}",
                    joining.len()
                )))
            }
        }
    }

    /// Formats a link for messages: `h1 <-> s1-p1`.
    fn link_text(&self, number: usize) -> String {
        let (a, b) = &self.links[number];
        format!("{a} <-> {b}")
    }
}

/// Returns whether an end is the wanted one, or on the wanted node.
fn matches_end(end: &End, wanted: &End) -> bool {
    match wanted {
        End::Host { interface: 0, .. } | End::Switch { port: None, .. } => end.node() == wanted.node(),
        _ => end == wanted,
    }
}

/// Returns the lowest of the addresses that both interfaces have.
fn shared_address(one: &Interface, other: &Interface) -> Option<IpAddr> {
    let has = |address: &IpAddr| other.addresses.iter().any(|known| known.address == *address);
    one.addresses.iter().map(|known| known.address).filter(has).min()
}

/// Removes the key of an address, unless the address has another owner.
fn remove_owner<K: Ord>(owners: &mut BTreeMap<K, String>, key: K, name: &str) {
    if owners.get(&key).is_some_and(|owner| owner == name) {
        owners.remove(&key);
    }
}
