//! Hosts that change while the network runs.

use weir_device::Port;

use super::Network;
use crate::{Error, InterfaceConfig};

impl Network {
    /// Gives a host's interface other addresses, another hardware address or another MTU from now on, as `ip addr` and `ip link set` do.
    /// Routes to networks that are gone go along, and all routes of a family with its last address. Connections that are open keep
    /// their addresses: segments to one that is gone are not for this host any more. They cut their segments to a smaller MTU; a larger
    /// one holds for new connections.
    ///
    /// # Errors
    /// There is no such host or interface, or a setting is out of its range.
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
