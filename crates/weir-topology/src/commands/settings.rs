//! `sysctl` and `ethtool`.

use crate::text::{listing, nearest, show_text};
use crate::{Error, Host};

use super::command::Command;

/// Settings with an effect; the running host checks their values.
const SYSCTLS: [&str; 12] = [
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_retries2",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_rto_min_us",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_syn_retries",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_wmem",
    "weir.tcp_profile",
];

const DEFAULT_QDISC: &str = "net.core.default_qdisc";
const IP_FORWARD: &str = "net.ipv4.ip_forward";

/// The beginnings of settings without effect on a virtual host.
const NOTED_SYSCTLS: [&str; 15] = [
    // A host without IPv6 addresses sends no IPv6 packets.
    "net.ipv6.conf.",
    // Hosts ignore redirects and have no reverse path filter.
    "net.ipv4.conf.",
    // Neighbour tables have no limits.
    "net.ipv4.neigh.",
    "net.ipv6.neigh.",
    // Hosts keep no metrics from earlier connections.
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.route.flush",
    // Buffers have the maximum size of tcp_rmem from the start.
    "net.ipv4.tcp_moderate_rcvbuf",
    // Memory is not limited.
    "net.ipv4.tcp_mem",
    "net.ipv4.udp_mem",
    "net.core.optmem_max",
    // The sizes of buffers are those of tcp_rmem and tcp_wmem.
    "net.core.rmem_",
    "net.core.wmem_",
    // Frames do not wait for a host's processor.
    "net.core.netdev_max_backlog",
    // A listener has a backlog of 4096 handshakes.
    "net.core.somaxconn",
    "net.ipv4.tcp_max_syn_backlog",
];

/// Queueing disciplines that `net.core.default_qdisc` may name.
const DEFAULT_QDISCS: [&str; 5] = ["fq", "fq_codel", "codel", "pfifo", "bfifo"];

/// Applies `sysctl [-w] NAME=VALUE …`.
pub(super) fn sysctl(command: Command<'_>, host: &mut Host, words: &[&str]) -> Result<(), Error> {
    let settings: Vec<_> = words.iter().filter(|word| !["-w", "-q"].contains(*word)).collect();
    if settings.is_empty() {
        return Err(command.unsupported("sysctl -w NAME=VALUE"));
    }
    for setting in settings {
        let Some((name, value)) = setting.split_once('=') else {
            return Err(command.unsupported("sysctl -w NAME=VALUE"));
        };
        set_sysctl(command, host, &name.trim().replace('/', "."), value.trim())?;
    }
    Ok(())
}

fn set_sysctl(command: Command<'_>, host: &mut Host, name: &str, value: &str) -> Result<(), Error> {
    let refused =
        |rest: &str| Error::new(format!("the setting \"{}\" is not supported{rest}", show_text(name)));
    if SYSCTLS.contains(&name) {
        host.sysctls.push((name.to_owned(), value.to_owned()));
    } else if name == DEFAULT_QDISC {
        set_default_qdisc(command, host, value)?;
    } else if (name == IP_FORWARD || name.ends_with(".forwarding")) && value != "0" {
        return Err(refused(": hosts do not forward, switches do"));
    } else if name.ends_with(".disable_ipv6") && value != "0" && host.has_ipv6() {
        return Err(refused(" for a host with IPv6 addresses: remove these"));
    } else if name == IP_FORWARD || NOTED_SYSCTLS.iter().any(|noted| name.starts_with(noted)) {
        host.notes.push(command.0.to_owned());
    } else {
        let near = nearest(name, &SYSCTLS);
        let names = [&SYSCTLS[..], &[DEFAULT_QDISC]].concat();
        let list = if near.is_some() { String::new() } else { format!(" (understood: {})", listing(&names)) };
        return Err(refused(&list).suggesting(near));
    }
    Ok(())
}

/// Sets the discipline of all existing interfaces, except those whose discipline a command has set.
fn set_default_qdisc(command: Command<'_>, host: &mut Host, kind: &str) -> Result<(), Error> {
    if !DEFAULT_QDISCS.contains(&kind) {
        let error = Error::new(format!(
            "\"{}\" in the {command} is not a queueing discipline for all interfaces (known: {})",
            show_text(kind),
            listing(&DEFAULT_QDISCS),
        ));
        return Err(error.suggesting(nearest(kind, &DEFAULT_QDISCS)));
    }
    for number in 0..host.interfaces.len() {
        let names = [format!("eth{number}"), format!("{}-eth{number}", host.name)];
        let is_made = host.tc.iter().any(|line| {
            let has = |wanted: &str| line.split_whitespace().any(|word| word == wanted);
            names.iter().any(|name| has(name)) && (has("add") || has("replace"))
        });
        if !is_made {
            host.tc.push(format!("tc qdisc add dev eth{number} root {kind}"));
        }
    }
    Ok(())
}

/// Accepts `ethtool -K D FEATURE on|off …`, which has no effect: virtual hosts have no offloads, so
/// each packet is one frame.
pub(super) fn ethtool(command: Command<'_>, host: &mut Host, words: &[&str]) -> Result<(), Error> {
    match words {
        ["-K" | "--offload" | "--features", device, features @ ..] if !features.is_empty() => {
            host.interface_number(device)?;
            for pair in features.chunks(2) {
                let value = pair.get(1).copied().unwrap_or("nothing");
                if !["on", "off"].contains(&value) {
                    let (name, value) = (show_text(pair[0]), show_text(value));
                    return Err(Error::new(format!(
                        "\"{name}\" in the {command} must be on or off, found {value}"
                    )));
                }
            }
            host.notes.push(command.0.to_owned());
            Ok(())
        }
        ["-s" | "--change", ..] => Err(Error::new(format!(
            "{command} is not supported: add_link(…, rate=\"100Mbit\") or net.link(…).rate = \"100Mbit\" sets the rate of a link"
        ))),
        _ => {
            Err(command
                .unsupported("ethtool -K eth0 FEATURE on|off, such as ethtool -K eth0 tso off gso off"))
        }
    }
}
