//! `ifconfig`, `ip addr` and `ip link`.

use crate::address;
use crate::host::{MAX_MTU, MIN_MTU};
use crate::text::{is_number, show_text};
use crate::{Error, Host, Interface, Mac};

use super::command::{Command, Options};

/// Applies `ifconfig D [IP [netmask M]] [up|down] [mtu N] [hw ether MAC]` of net-tools.
pub(super) fn ifconfig(command: Command<'_>, host: &mut Host, words: &[&str]) -> Result<(), Error> {
    let &[device, ref rest @ ..] = words else { return Err(ifconfig_usage(command)) };
    if rest.is_empty() {
        return Err(ifconfig_usage(command));
    }
    change_interface(host, device, |interface| {
        let mut rest = rest.to_vec();
        if !["up", "down", "mtu", "hw", "txqueuelen"].contains(&rest[0]) {
            let mut own_address = rest.remove(0).to_owned();
            if rest.first() == Some(&"netmask") {
                let Some(mask) = rest.get(1) else { return Err(command.no_value("netmask")) };
                let mask = address::parse_v4(mask)?;
                let Some(length) = address::mask_length(mask) else {
                    return Err(Error::new(format!(
                        "\"{mask}\" is not a network mask such as 255.255.255.0"
                    )));
                };
                own_address += &format!("/{length}");
                rest.drain(..2);
            }
            let own_address = address::parse_host_v4(&own_address)?;
            interface.addresses.retain(|known| known.address.is_ipv6());
            interface.addresses.insert(0, own_address);
        }
        if rest.first_chunk() == Some(&["hw", "ether"]) {
            rest.remove(1);
        }
        apply_settings(command, interface, &rest, "hw")
    })
}

fn ifconfig_usage(command: Command<'_>) -> Error {
    command.unsupported("ifconfig eth0 mtu BYTES, up, down, or an address")
}

/// Applies `ip link set [dev] D [up|down] [mtu N] [address MAC]` of iproute2.
pub(super) fn ip_link(command: Command<'_>, host: &mut Host, words: &[&str]) -> Result<(), Error> {
    let words = words.strip_prefix(&["dev"]).unwrap_or(words);
    let Some((device, rest)) = words.split_first() else {
        return Err(Error::new(format!("{command} names no interface")));
    };
    change_interface(host, device, |interface| apply_settings(command, interface, rest, "address"))
}

/// Changes an interface. Changes of `lo` are checked like others, but have no effect: a virtual
/// host does not use it.
fn change_interface(
    host: &mut Host,
    device: &str,
    change: impl FnOnce(&mut Interface) -> Result<(), Error>,
) -> Result<(), Error> {
    let number = host.interface_number(device)?;
    if device == "lo" {
        change(&mut host.interfaces[number].clone())
    } else {
        change(&mut host.interfaces[number])
    }
}

/// Applies the settings `up`, `down`, `mtu N` and, after the keyword `mac`, an Ethernet address.
fn apply_settings(
    command: Command<'_>,
    interface: &mut Interface,
    words: &[&str],
    mac: &str,
) -> Result<(), Error> {
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        match word {
            "up" | "down" => {
                interface.up = word == "up";
                continue;
            }
            "txqueuelen" | "qlen" => {
                return Err(Error::new(format!(
                    "\"{word}\" in the {command} is not supported: the length of an interface's queue is set with tc qdisc add \
                     dev eth0 root pfifo limit PACKETS"
                )));
            }
            _ if word != "mtu" && word != mac => {
                return Err(command.unknown_word(word, &["up", "down", "mtu", mac]));
            }
            _ => {}
        }
        let Some(value) = rest.next() else { return Err(command.no_value(word)) };
        if word == mac {
            interface.mac = Mac::parse(value)?.check_host()?;
            continue;
        }
        let mtu = value.parse().ok().filter(|mtu| is_number(value) && (MIN_MTU..=MAX_MTU).contains(mtu));
        let Some(mtu) = mtu else {
            let value = show_text(value);
            return Err(Error::new(format!(
                "\"{value}\" in the {command} is not an MTU: expected {MIN_MTU} to {MAX_MTU} bytes"
            )));
        };
        interface.mtu = mtu;
    }
    Ok(())
}

/// Applies `ip addr {add|del} IP/LENGTH dev D` of iproute2.
pub(super) fn ip_addr(
    command: Command<'_>,
    host: &mut Host,
    verb: &str,
    address: &str,
    words: &[&str],
) -> Result<(), Error> {
    let options = Options::read(command, words, &["dev", "broadcast", "brd", "scope"], host)?;
    let Some(device) = options.get("dev") else {
        return Err(Error::new(format!("{command} has no dev")));
    };
    let number = host.interface_number(device)?;
    let own_address = address::parse_host(address)?;
    let addresses = &mut host.interfaces[number].addresses;
    let position = addresses.iter().position(|known| *known == own_address);
    if verb == "add" {
        if position.is_some() {
            return Err(Error::new(format!("{command}: the interface has that address already")));
        }
        addresses.push(own_address);
        return Ok(());
    }
    let Some(position) = position else {
        return Err(Error::new(format!("{command}: the interface has no address {own_address}")));
    };
    addresses.remove(position);
    let is_v6 = own_address.address.is_ipv6();
    if !addresses.iter().any(|known| known.address.is_ipv6() == is_v6) {
        // As in Linux, removing the last address of a version also removes the interface's routes
        // of that version.
        host.routes.retain(|route| route.interface != number || route.network.address.is_ipv6() != is_v6);
    }
    Ok(())
}
