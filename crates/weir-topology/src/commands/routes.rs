//! `route` and `ip route`.

use crate::address::{self, Network};
use crate::{Error, Host, Route};

use super::command::{Command, Options};

/// Applies `route {add|del} {default|-net N|-host A} [netmask M] [gw G] [dev D]` of net-tools.
pub(super) fn route(command: Command<'_>, host: &mut Host, words: &[&str]) -> Result<(), Error> {
    let (verb, words) = match words {
        [verb @ ("add" | "del"), rest @ ..] => (*verb, rest),
        _ => return Err(command.unsupported("route add default gw 10.0.1.10 or route del default")),
    };
    let is_host = words.first() == Some(&"-host");
    let words = match words {
        ["-net" | "-host", rest @ ..] => rest,
        _ => words,
    };
    let Some((target, rest)) = words.split_first() else {
        return Err(Error::new(format!("{command} has no destination")));
    };
    let options = Options::read(command, rest, &["gw", "netmask", "dev", "metric"], host)?;
    let network = if *target == "default" {
        Network::ALL_V4
    } else if is_host {
        Network::of_host(address::parse_v4(target)?)
    } else if let Some(mask) = options.get("netmask") {
        address::parse_network(&format!("{target}/{mask}"))?
    } else {
        address::parse_network(target)?
    };
    change_route(command, host, verb, network, options.get("gw"), options.get("dev"))
}

/// Applies `ip route {add|replace|del} NETWORK [via G] [dev D]` of iproute2.
pub(super) fn ip_route(
    command: Command<'_>,
    host: &mut Host,
    verb: &str,
    target: &str,
    words: &[&str],
    is_v6: bool,
) -> Result<(), Error> {
    let options = Options::read(command, words, &["via", "dev", "metric", "scope", "src", "proto"], host)?;
    let gateway = options.get("via");
    let network = if target != "default" {
        address::parse_network(target)?
    } else if is_v6 || gateway.is_some_and(|gateway| gateway.contains(':')) {
        Network::ALL_V6
    } else {
        Network::ALL_V4
    };
    change_route(command, host, verb, network, gateway, options.get("dev"))
}

fn change_route(
    command: Command<'_>,
    host: &mut Host,
    verb: &str,
    network: Network,
    gateway: Option<&str>,
    device: Option<&str>,
) -> Result<(), Error> {
    let first = host.routes.iter().position(|route| route.network == network);
    if verb == "del" {
        let Some(first) = first else {
            return Err(Error::new(format!("{command}: there is no route to {network}")));
        };
        host.routes.remove(first);
        return Ok(());
    }
    let gateway = gateway.map(address::parse_any).transpose()?;
    if gateway.is_some_and(|gateway| gateway.is_ipv6() != network.address.is_ipv6()) {
        return Err(Error::new(format!("{command}: network and gateway have different IP versions")));
    }
    let interface = match (device, gateway) {
        (Some(device), _) => host.interface_number(device)?,
        (None, Some(gateway)) => host.interface_towards(gateway),
        (None, None) => 0,
    };
    if let Some(gateway) = gateway {
        host.check_gateway(gateway, interface)
            .map_err(|error| Error::new(format!("{command}: {}", error.message)))?;
    }
    let route = Route { network, gateway, interface };
    if verb == "replace" {
        host.routes.retain(|other| other.network != network);
    } else if host.routes.iter().any(|other| other.network == network && *other != route) {
        return Err(Error::new(format!("{command} adds a second route to {network}")));
    }
    if !host.routes.contains(&route) {
        host.routes.push(route);
    }
    Ok(())
}
