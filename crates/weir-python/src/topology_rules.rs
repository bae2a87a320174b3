//! Applies the rules of the simulator to topologies: a part of a topology is valid if a network can
//! be built with it.

use weir_sim::{
    Error, HostConfig, InterfaceConfig, IpPrefix, LinkConfig, LinkEnd, MacAddress, Network, Route,
};
use weir_topology::{Host, HostAddress, Interface, NetworkRules};

use crate::timing_profiles::known_profile;

/// The rules of the simulator.
pub struct Rules;

impl NetworkRules for Rules {
    fn tc(&self, line: &str) -> Result<Option<String>, String> {
        check_tc(line)
    }

    fn host(&self, host: &Host) -> Result<(), String> {
        build(host).map_err(|error| match error {
            // The place of the mistake already names the host.
            Error::BadHost { reason, .. } => reason,
            error => error.to_string(),
        })
    }

    fn profile(&self, name: &str) -> Result<(), weir_topology::Error> {
        known_profile(name)
    }
}

/// Checks a line of `tc`. Returns the device that it names, if any.
pub(crate) fn check_tc(line: &str) -> Result<Option<String>, String> {
    let command = weir_sim::TcCommand::parse(line).map_err(|error| error.to_string())?;
    Ok(command.device().map(str::to_owned))
}

/// Builds a network with this host, whose interfaces have links to a neighbour.
fn build(host: &Host) -> Result<(), Error> {
    // No node of a topology can have this name.
    const NEIGHBOUR: &str = "neighbour-of-the-host";
    let mut network = Network::new(0);
    let config = host_config(host)?;
    let number = config.interfaces.len();
    network.add_host(config)?;
    let other = InterfaceConfig { mac: MacAddress([8, 0, 0, 0, 0, 1]), addresses: Vec::new(), mtu: 1500 };
    network.add_host(HostConfig {
        interfaces: vec![other; number],
        ..HostConfig::without_interfaces(NEIGHBOUR)
    })?;
    for port in (0..number).filter_map(|port| port.try_into().ok()) {
        let ends = [host.name.as_str(), NEIGHBOUR].map(|node| LinkEnd::new(node, port));
        let [own, other] = ends;
        network.connect(own, other, LinkConfig::default())?;
    }
    for (name, value) in &host.sysctls {
        network.host_mut(&host.name)?.set_sysctl(name, value)?;
    }
    host.tc.iter().try_for_each(|line| network.tc(&host.name, line).map(drop))
}

fn host_config(host: &Host) -> Result<HostConfig, Error> {
    let prefix = |address, length| {
        let refused = |error: weir_sim::ParseAddressError| Error::BadHost {
            host: host.name.clone(),
            reason: error.to_string(),
        };
        IpPrefix::new(address, length).map_err(refused)
    };
    let prefix_of = |prefix_of: &HostAddress| prefix(prefix_of.address, prefix_of.prefix);
    let interface = |interface: &Interface| {
        let addresses = interface.addresses.iter().map(prefix_of).collect::<Result<_, _>>()?;
        Ok(InterfaceConfig { mac: MacAddress(interface.mac.0), addresses, mtu: interface.mtu as usize })
    };
    let route = |route: &weir_topology::Route| {
        let destination = prefix(route.network.address, route.network.prefix)?;
        Ok(Route { destination, gateway: route.gateway, interface: route.interface as u32 })
    };
    let neighbours = host.neighbours.iter();
    Ok(HostConfig {
        interfaces: host.interfaces.iter().map(interface).collect::<Result<_, Error>>()?,
        routes: host.routes.iter().map(route).collect::<Result<_, Error>>()?,
        neighbours: neighbours
            .map(|one| (one.interface as u32, one.address, MacAddress(one.mac.0)))
            .collect(),
        processing_delay: host.processing_ns,
        processing_jitter: host.processing_jitter_ns,
        ..HostConfig::without_interfaces(host.name.clone())
    })
}
