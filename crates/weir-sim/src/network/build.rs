//! Building and changing a network.

use std::collections::BTreeMap;
use std::net::IpAddr;

use weir_device::{Device, Port};

use super::{DeviceNode, LinkEnd, LinkId, LinkState, Network, NodeId, NodeKind, NodeState, Ports, Wire};
use crate::event_queue::Alarm;
use crate::host::Host;
use crate::link::{Direction, Transmitter};
use crate::{Error, HostConfig, LinkConfig, MacAddress};

impl Network {
    /// Adds a host.
    ///
    /// # Errors
    /// The name is taken or invalid, or a setting is out of range.
    pub fn add_host(&mut self, config: HostConfig) -> Result<NodeId, Error> {
        self.check_name(&config.name)?;
        let mut host = Host::new(config, self.seed)?;
        if self.computing.is_some() {
            host.let_apps_wait();
        }
        Ok(self.add_node(host.name().to_owned(), NodeKind::Host(host)))
    }

    /// Adds a device, such as a switch, with any ports.
    ///
    /// # Errors
    /// The name is taken or invalid.
    pub fn add_device(
        &mut self,
        name: impl Into<String>,
        mut device: Box<dyn Device>,
    ) -> Result<NodeId, Error> {
        let name = name.into();
        self.check_name(&name)?;
        device.record_drops(self.tracks_packet_ids);
        device.wait_to_repeat(self.computing.is_some());
        let node = DeviceNode { device, transmitted: 0, inside: self.tracks_packet_ids.then(BTreeMap::new) };
        let id = self.add_node(name, NodeKind::Device(Box::new(node)));
        self.changed_nodes.insert(id.0);
        Ok(id)
    }

    fn check_name(&self, name: &str) -> Result<(), Error> {
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(Error::BadName(name.to_owned()));
        }
        if self.names.contains_key(name) { Err(Error::DuplicateNode(name.to_owned())) } else { Ok(()) }
    }

    fn add_node(&mut self, name: String, kind: NodeKind) -> NodeId {
        let index = self.nodes.len();
        self.names.insert(name.clone(), index);
        self.nodes.push(NodeState {
            name,
            kind,
            ports: Ports::default(),
            alarm: Alarm::default(),
            unread: 0,
            unconnected: BTreeMap::new(),
            packets_named: 0,
            running: 0,
        });
        NodeId(index)
    }

    /// Connects two ports by a link with the same settings in both directions.
    ///
    /// # Errors
    /// A node or a host's interface does not exist, a port is already connected, both ends are the
    /// same port, or a setting is out of range.
    pub fn connect(&mut self, first: LinkEnd, second: LinkEnd, config: LinkConfig) -> Result<LinkId, Error> {
        config.check()?;
        let (a, b) = (self.check_end(&first)?, self.check_end(&second)?);
        if a == b {
            return Err(Error::SelfLink { node: first.node, port: first.port });
        }
        let index = self.links.len();
        let transmitter = |from: (usize, Port), to: (usize, Port)| {
            let name = format!("{}->{}", self.end_name(from), self.end_name(to));
            Transmitter::new(config.clone(), self.seed, &name, to)
        };
        let transmitters = [transmitter(a, b), transmitter(b, a)];
        let is_host = |node: usize| matches!(self.nodes[node].kind, NodeKind::Host(_)).then_some(node as u32);
        self.hosts_at.extend([b, a].map(|(node, _)| is_host(node)));
        self.links.push(LinkState { ends: [a, b], transmitters, taps: [Vec::new(), Vec::new()] });
        for ((node, port), direction) in [a, b].into_iter().zip(Direction::BOTH) {
            self.nodes[node].ports.insert(port, Wire::new(index, direction));
            self.update_host_queue(Wire::new(index, direction));
        }
        Ok(LinkId(index))
    }

    /// Informs a host about the kind of queue at its interface.
    fn update_host_queue(&mut self, wire: Wire) {
        let link = &self.links[wire.link()];
        let (node, port) = link.ends[wire.side()];
        let paces = link.transmitters[wire.side()].config().queue.keeps_departure_times();
        if let NodeKind::Host(host) = &mut self.nodes[node].kind {
            host.set_queue(port, paces);
        }
    }

    fn check_end(&self, end: &LinkEnd) -> Result<(usize, Port), Error> {
        let index = self.index(&end.node)?;
        let state = &self.nodes[index];
        if let NodeKind::Host(host) = &state.kind {
            let interfaces = host.config().interfaces.len();
            if end.port as usize >= interfaces {
                return Err(Error::UnknownInterface { host: end.node.clone(), port: end.port, interfaces });
            }
        }
        if state.ports.get(end.port).is_some() {
            return Err(Error::PortInUse { node: end.node.clone(), port: end.port });
        }
        Ok((index, end.port))
    }

    pub(super) fn end_name(&self, (node, port): (usize, Port)) -> String {
        self.nodes[node].port_name(port)
    }

    /// Changes the settings of one direction of a link from now on. The frame being sent keeps its
    /// transmission time; frames on the wire keep their arrival times; a queue that is now too long
    /// drains normally. A change of the kind of queueing discipline drops the frames in the queue.
    ///
    /// # Errors
    /// The link is not of this network, or a setting is out of range.
    pub fn set_link(&mut self, id: LinkId, direction: Direction, config: LinkConfig) -> Result<(), Error> {
        config.check()?;
        let link = self.check_link(id)?;
        let transmitter = &mut self.links[link].transmitters[direction.index()];
        transmitter.set_config(config, &mut self.frames);
        self.update_host_queue(Wire::new(link, direction));
        // Frames in the queue may be allowed to leave earlier now.
        self.transmit_waiting(Wire::new(link, direction));
        Ok(())
    }

    /// Sets a link down, or up again, in both directions; devices at its ends are notified at once.
    /// Frames in the queue, being sent or on the wire when it goes down are lost, and so are frames
    /// offered while it is down.
    ///
    /// # Errors
    /// The link is not of this network.
    pub fn set_link_up(&mut self, id: LinkId, up: bool) -> Result<(), Error> {
        let link = self.check_link(id)?;
        for transmitter in &mut self.links[link].transmitters {
            transmitter.set_up(up, &mut self.frames);
        }
        for (node, port) in self.links[link].ends {
            if let NodeKind::Device(state) = &mut self.nodes[node].kind {
                state.device.set_port_up(self.now, port, up);
            }
        }
        Ok(())
    }

    /// Sets a static neighbour entry at a host, as `arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00`
    /// does.
    ///
    /// # Errors
    /// There is no such host or interface, or an address is not unicast.
    pub fn set_neighbour(
        &mut self,
        host: &str,
        interface: Port,
        address: impl Into<IpAddr>,
        mac: MacAddress,
    ) -> Result<(), Error> {
        let (index, now) = (self.index(host)?, self.now);
        let outcome = self.with_host(index, |host| host.set_neighbour(now, interface, address.into(), mac));
        outcome.unwrap_or_else(|| Err(Error::NotAHost(host.to_owned())))
    }

    /// Deletes a neighbour entry of a host, as `arp -d` does; false if there was none.
    ///
    /// # Errors
    /// There is no such host.
    pub fn remove_neighbour(
        &mut self,
        host: &str,
        interface: Port,
        address: impl Into<IpAddr>,
    ) -> Result<bool, Error> {
        let (index, now) = (self.index(host)?, self.now);
        let removed = self.with_host(index, |host| host.remove_neighbour(now, interface, address.into()));
        removed.ok_or_else(|| Error::NotAHost(host.to_owned()))
    }

    /// Sends a raw frame, starting with its Ethernet header, from a host's interface now.
    ///
    /// # Errors
    /// There is no such host or interface.
    pub fn send_frame(&mut self, host: &str, interface: Port, frame: Vec<u8>) -> Result<(), Error> {
        let index = self.index(host)?;
        let interfaces = self.host(host)?.config().interfaces.len();
        if interface as usize >= interfaces {
            return Err(Error::UnknownInterface { host: host.to_owned(), port: interface, interfaces });
        }
        self.with_host(index, |host| host.send_raw_frame(interface, frame));
        Ok(())
    }
}
