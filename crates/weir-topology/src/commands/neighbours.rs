//! `arp` and `ip neigh`.

use std::net::IpAddr;

use crate::address;
use crate::{Error, Host, Mac, Neighbour};

use super::command::{Command, Options};

/// Applies `arp [-i D] {-s A MAC|-d A} [-i D]` of net-tools.
pub(super) fn arp(command: Command<'_>, host: &mut Host, words: &[&str]) -> Result<(), Error> {
    let (interface, words) = match words {
        ["-i", device, rest @ ..] => (host.interface_number(device)?, rest),
        _ => (0, words),
    };
    match words {
        ["-s", address, mac, rest @ ..] => {
            let device = Options::read(command, rest, &["-i"], host)?.get("-i");
            let interface = device.map_or(Ok(interface), |device| host.interface_number(device))?;
            let (address, mac) = (address::parse_v4(address)?.into(), Mac::parse(mac)?);
            add_neighbour(host, Neighbour { address, mac, interface });
            Ok(())
        }
        ["-d", address] => remove(command, host, address::parse_v4(address)?.into()),
        _ => Err(command.unsupported(
            "arp -i eth0 -s IP MAC or arp -d IP, such as arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00",
        )),
    }
}

/// Applies `ip neigh {add|replace|del} IP [lladdr MAC] [dev D]` of iproute2.
pub(super) fn ip_neigh(
    command: Command<'_>,
    host: &mut Host,
    verb: &str,
    address: &str,
    words: &[&str],
) -> Result<(), Error> {
    if verb == "del" {
        Options::read(command, words, &["lladdr", "dev"], host)?;
        return remove(command, host, address::parse_any(address)?);
    }
    let options = Options::read(command, words, &["lladdr", "dev", "nud"], host)?;
    let Some(mac) = options.get("lladdr") else {
        return Err(Error::new(format!("{command} has no lladdr")));
    };
    let interface = options.get("dev").map_or(Ok(0), |device| host.interface_number(device))?;
    let (address, mac) = (address::parse_any(address)?, Mac::parse(mac)?);
    add_neighbour(host, Neighbour { address, mac, interface });
    Ok(())
}

fn add_neighbour(host: &mut Host, neighbour: Neighbour) {
    match host.neighbours.iter_mut().find(|known| known.address == neighbour.address) {
        Some(known) => *known = neighbour,
        None => host.neighbours.push(neighbour),
    }
}

/// Removes a neighbour's entry.
fn remove(command: Command<'_>, host: &mut Host, address: IpAddr) -> Result<(), Error> {
    let Some(position) = host.neighbours.iter().position(|known| known.address == address) else {
        return Err(Error::new(format!("{command}: {} has no neighbour {address}", host.name)));
    };
    host.neighbours.remove(position);
    Ok(())
}
