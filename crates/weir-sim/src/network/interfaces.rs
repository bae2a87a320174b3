//! Changes of host interfaces while the network runs.

use weir_device::Port;

use super::Network;
use crate::{Error, InterfaceConfig};

impl Network {
    /// Changes an interface's addresses, MAC address or MTU from now on, as `ip addr` and `ip link
    /// set` do. Routes to removed networks are deleted. If the last address of a family is removed,
    /// all routes of this family are deleted. Open connections keep their addresses; segments to a
    /// removed address are dropped. Connections adapt to a smaller MTU; a larger one applies to new
    /// connections.
    ///
    /// # Errors
    /// There is no such host or interface, or a setting is out of range.
    pub fn set_interface(
        &mut self,
        host: &str,
        interface: Port,
        config: InterfaceConfig,
    ) -> Result<(), Error> {
        let (index, now) = (self.index(host)?, self.now);
        let set = self.with_host(index, |host| host.set_interface(now, interface, config));
        set.unwrap_or_else(|| Err(Error::NotAHost(host.to_owned())))
    }
}
