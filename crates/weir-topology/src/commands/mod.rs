//! Host commands: routes, neighbours, interfaces, queueing disciplines and settings, in the syntax
//! of the usual tools.
//!
//! The supported commands are `route`, `arp` and `ifconfig` of net-tools, `ip route`, `ip neigh`,
//! `ip addr` and `ip link` of iproute2 (with `-4` and `-6`), `tc`, `sysctl` for settings, and
//! `ethtool` for offloads. Commands without effect on a virtual host are noted. Other commands are
//! refused; the message names Weir's equivalent, if there is one.

mod command;
mod interfaces;
mod neighbours;
mod routes;
mod settings;
pub(crate) mod words;

use weir_json::Value;

use crate::text::{nearest, string};
use crate::{Error, Host};
use command::Command;

/// Checks a line of `tc`. Returns the device that it names, if any, or why it is not understood.
pub type CheckTc<'a> = &'a dyn Fn(&str) -> Result<Option<String>, String>;

/// The tools whose commands Weir understands on hosts.
const TOOLS: [&str; 7] = ["arp", "ethtool", "ifconfig", "ip", "route", "sysctl", "tc"];

/// Returns what to use in Weir instead of another tool.
fn replacement_for(tool: &str) -> Option<&'static str> {
    Some(match tool {
        "iperf" | "iperf3" | "netperf" => "host.iperf(…) sends a flow",
        "nc" => "host.send(…) or a weir.HostProgram sends datagrams",
        "ping" | "ping6" => "host.ping(…) sends pings",
        "tcpdump" | "tshark" => "net.capture(…) and host.sniff(…) capture frames",
        "python" | "python3" => "host.run(…) runs a weir.HostProgram on a host",
        "sleep" => "net.at(…) schedules actions",
        "echo" => "sysctl -w NAME=VALUE changes settings",
        "iptables" | "nft" => "hosts have no packet filter",
        "ovs-vsctl" | "brctl" => "switches run P4 programs",
        "mtr" | "traceroute" => "host.traceroute(…) finds the routers on a path",
        _ => return None,
    })
}

/// Applies a command, in the syntax of a shell, to a host.
///
/// # Errors
/// The command is not understood. The host may have changed in part.
pub fn apply(line: &Value, host: &mut Host, check_tc: CheckTc<'_>) -> Result<(), Error> {
    let text = string(line, "a command (a string)")?;
    let mut words = words::split(text)?;
    if words.first().is_some_and(|word| word == "sudo") {
        words.remove(0);
    }
    let Some((tool, rest)) = words.split_first() else { return Err(Error::new("the command is empty")) };
    // Tools may be named with their folder: /sbin/ethtool.
    let tool = tool.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(tool);
    let rest: Vec<_> = rest.iter().map(String::as_str).collect();
    let command = Command(text);
    match tool {
        "route" => routes::route(command, host, &rest),
        "arp" => neighbours::arp(command, host, &rest),
        "ip" => ip(command, host, &rest),
        "ifconfig" => interfaces::ifconfig(command, host, &rest),
        "tc" => tc(text, host, check_tc),
        "ethtool" => settings::ethtool(command, host, &rest),
        "sysctl" => settings::sysctl(command, host, &rest),
        _ => Err(match replacement_for(tool) {
            Some(what) => Error::new(format!("{command} is not supported: {what}")),
            None => Error::new(format!(
                "{command} is not supported (understood: route, arp, ifconfig, ip route, ip neigh, ip addr, ip link, tc, \
                 ethtool -K, sysctl)"
            ))
            .suggesting(nearest(tool, &TOOLS)),
        }),
    }
}

/// Applies `ip [-4|-6] {route|neigh|addr|link} …` of iproute2.
fn ip(command: Command<'_>, host: &mut Host, words: &[&str]) -> Result<(), Error> {
    let (is_v6, words) = match words {
        ["-4", rest @ ..] => (false, rest),
        ["-6", rest @ ..] => (true, rest),
        _ => (false, words),
    };
    match words {
        ["route" | "r" | "ro", verb @ ("add" | "replace" | "del"), target, rest @ ..] => {
            routes::ip_route(command, host, verb, target, rest, is_v6)
        }
        [
            "neigh" | "neighbor" | "neighbour" | "n",
            verb @ ("add" | "replace" | "del"),
            address,
            rest @ ..,
        ] => neighbours::ip_neigh(command, host, verb, address, rest),
        ["addr" | "address" | "a", verb @ ("add" | "del"), address, rest @ ..] => {
            interfaces::ip_addr(command, host, verb, address, rest)
        }
        ["link" | "l", "set", rest @ ..] if !rest.is_empty() => interfaces::ip_link(command, host, rest),
        _ => Err(command.unsupported(
            "ip route add NETWORK via GATEWAY, ip neigh add IP lladdr MAC, ip addr add IP/LENGTH dev eth0 or \
             ip link set eth0 up|down|mtu BYTES|address MAC",
        )),
    }
}

/// Executes a `tc` command.
fn tc(text: &str, host: &mut Host, check_tc: CheckTc<'_>) -> Result<(), Error> {
    let device = check_tc(text).map_err(|message| Error::new(format!("host command {message}")))?;
    if let Some(device) = device {
        host.interface_number(&device)?;
    }
    host.tc.push(text.to_owned());
    Ok(())
}
