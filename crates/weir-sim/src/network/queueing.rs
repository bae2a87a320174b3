//! Queueing disciplines at link ends, and `tc` commands.

use weir_device::Port;

use super::{Network, NodeKind};
use crate::link::Direction;
use crate::{Error, LinkEnd};
use weir_qdisc::{QdiscConfig, TcCommand, TcInterface};

/// The `tc` configuration of a port's sending side, and the discipline before the first command.
#[derive(Debug)]
pub(super) struct TcPort {
    tc: TcInterface,
    before: QdiscConfig,
}

impl Network {
    /// Returns the queueing discipline at the sending side of a link end.
    ///
    /// # Errors
    /// There is no such node, or nothing is connected there.
    pub fn queue(&self, end: &LinkEnd) -> Result<QdiscConfig, Error> {
        let (link, direction) = self.outgoing_direction(end)?;
        Ok(self.links[link].transmitters[direction.index()].config().queue.clone())
    }

    /// Sets the queueing discipline at the sending side of a link end, from now on. Frames in the
    /// queue stay if the kind stays; otherwise they are dropped. The `tc` configuration is
    /// forgotten.
    ///
    /// # Errors
    /// There is no such node, nothing is connected there, or a setting is out of range.
    pub fn set_queue(&mut self, end: &LinkEnd, queue: QdiscConfig) -> Result<(), Error> {
        self.put_queue(end, queue)?;
        self.tc_ports.remove(&(self.index(&end.node)?, end.port));
        Ok(())
    }

    fn put_queue(&mut self, end: &LinkEnd, queue: QdiscConfig) -> Result<(), Error> {
        let (link, direction) = self.outgoing_direction(end)?;
        let config = self.links[link].transmitters[direction.index()].config().clone();
        let id = self.link_at(end)?;
        self.set_link(id, direction, crate::LinkConfig { queue, ..config })
    }

    /// Returns the link at an end and the direction that starts there.
    fn outgoing_direction(&self, end: &LinkEnd) -> Result<(usize, Direction), Error> {
        let link = self.link_at(end)?.0;
        let first = self.links[link].ends[0] == (self.index(&end.node)?, end.port);
        Ok((link, if first { Direction::Forward } else { Direction::Backward }))
    }

    /// Executes a `tc` command at a node now; see [`TcInterface`]. Interfaces are called `eth0` or
    /// `h1-eth0` at a host, `s1-p1`, `s1-eth1` or `eth1` at port 1 of a device. Deleting the root
    /// discipline restores the one before the first command. Returns the output of a `show`
    /// command, otherwise an empty text.
    ///
    /// # Errors
    /// There is no such node, the command is not valid, it does not fit the current configuration,
    /// it names no connected interface, or a setting is out of range.
    pub fn tc(&mut self, node: &str, line: &str) -> Result<String, Error> {
        let command = TcCommand::parse(line)?;
        let index = self.index(node)?;
        let Some(device) = command.device() else {
            let ports: Vec<Port> = self.nodes[index].ports.iter().map(|(port, _)| port).collect();
            let parts = ports.into_iter().map(|port| self.show_tc(&command, &LinkEnd::new(node, port)));
            return parts.collect();
        };
        let port = self.port_named(node, device)?;
        let end = LinkEnd::new(node, port);
        if command.is_show() {
            return self.show_tc(&command, &end);
        }
        let (mut tc, before) = match self.tc_ports.get(&(index, port)) {
            Some(shaped) => (shaped.tc.clone(), shaped.before.clone()),
            None => (TcInterface::default(), self.queue(&end)?),
        };
        command.apply(&mut tc)?;
        self.put_queue(&end, tc.config().unwrap_or_else(|| before.clone()))?;
        self.tc_ports.insert((index, port), TcPort { tc, before });
        Ok(String::new())
    }

    fn show_tc(&self, command: &TcCommand, end: &LinkEnd) -> Result<String, Error> {
        let (link, direction) = self.outgoing_direction(end)?;
        let node = self.index(&end.node)?;
        let transmitter = &self.links[link].transmitters[direction.index()];
        let tc = self.tc_ports.get(&(node, end.port)).map(|shaped| &shaped.tc);
        let device = self.end_name((node, end.port));
        Ok(command.print(&device, tc, &transmitter.config().queue, &transmitter.queue_stats()))
    }

    fn port_named(&self, node: &str, device: &str) -> Result<Port, Error> {
        let index = self.index(node)?;
        let state = &self.nodes[index];
        let of_this = device.strip_prefix(node).and_then(|rest| rest.strip_prefix('-'));
        let short = of_this.unwrap_or(device);
        let number = short.strip_prefix("eth").or_else(|| match state.kind {
            NodeKind::Device(_) => of_this.and_then(|rest| rest.strip_prefix('p')),
            NodeKind::Host(_) => None,
        });
        let port = number.and_then(|number| number.parse::<Port>().ok());
        port.filter(|port| state.ports.get(*port).is_some()).ok_or_else(|| Error::UnknownDevice {
            node: node.to_owned(),
            device: device.to_owned(),
            known: state.ports.iter().map(|(port, _)| state.port_name(port)).collect(),
        })
    }
}
