//! Bindings for controllers: the links between controllers and switches, and the messages that stop
//! a run at once.

use pyo3::prelude::*;
use weir_sim::{HostConfig, InterfaceConfig, LinkConfig, LinkEnd, MacAddress};
use weir_switch::control::Subscriptions;

use super::Network;
use crate::errors;

/// The MAC address of every controller's interface. It is locally administered, and packets do not
/// use it.
const CONTROLLER_MAC: MacAddress = MacAddress([2, 0, 0, 0, 0, 1]);

#[pymethods]
impl Network {
    /// Connects a controller to a port of a switch: adds a node with this name, and a link without
    /// delay or rate limit from its only interface to the port. Returns the number of the link.
    fn add_controller(&self, name: &str, switch: &str, port: u32) -> PyResult<usize> {
        let interface = InterfaceConfig { mac: CONTROLLER_MAC, addresses: Vec::new(), mtu: 65535 };
        let config = HostConfig {
            interfaces: vec![interface],
            accepts_all: true,
            ..HostConfig::without_interfaces(name)
        };
        let mut state = self.state()?;
        state.world.add_host(config).map_err(errors::network_error)?;
        let ends = (LinkEnd::new(name, 0), LinkEnd::new(switch, port));
        let link = state.world.connect(ends.0, ends.1, LinkConfig::default());
        state.links.push(link.map_err(errors::network_error)?);
        Ok(state.links.len() - 1)
    }

    /// Sets the maximum random delay of traffic that starts from now on, in nanoseconds.
    fn set_start_jitter(&self, jitter_ns: u64) -> PyResult<()> {
        self.state()?.world.set_start_jitter(jitter_ns);
        Ok(())
    }

    /// Sets the messages of a switch that stop a run at once: digests, lines of `log_msg`, notices
    /// of idle entries.
    fn subscribe(&self, switch: &str, digests: bool, log: bool, idle: bool) -> PyResult<()> {
        let mut state = self.state()?;
        state.switch(switch)?.set_subscriptions(Subscriptions { digests, log, idle });
        state.world.read_messages(true);
        Ok(())
    }
}
