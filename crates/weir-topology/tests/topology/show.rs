//! The output of `ip` about a host.

use std::convert::Infallible;

use weir_json::{Kind, Value};
use weir_topology::show::{KnownNeighbour, ip};
use weir_topology::{Host, HostAddress, Mac, commands};

/// Creates h1 with two interfaces, the second down, and addresses of both versions of IP.
fn host() -> Host {
    let address = |text: &str, prefix| HostAddress { address: text.parse().unwrap(), prefix };
    let mut host = Host::new("h1", Mac([8, 0, 0, 0, 1, 0x11]), address("10.0.1.1", 24));
    let mut second = host.interfaces[0].clone();
    second.mac = Mac([8, 0, 0, 0, 1, 0x12]);
    second.addresses = vec![address("10.0.9.1", 16)];
    host.interfaces.push(second);
    host.interfaces[0].addresses.push(address("2001:db8::1", 64));
    for line in [
        "ip route add default via 10.0.1.10",
        "ip route add 10.7.0.0/16 dev eth1",
        "ip -6 route add default via 2001:db8::9",
        "ip link set eth1 down",
    ] {
        commands::apply(&Value::from(Kind::Text(line.to_owned())), &mut host, &|_| Ok(None)).unwrap();
    }
    host
}

fn neighbours(interface: usize) -> Result<Vec<KnownNeighbour>, Infallible> {
    let neighbour = |address: &str, mac: Option<u8>, permanent| KnownNeighbour {
        address: address.parse().unwrap(),
        mac: mac.map(|last| Mac([8, 0, 0, 0, 0, last])),
        permanent,
    };
    Ok(match interface {
        0 => vec![neighbour("10.0.1.10", Some(1), true), neighbour("2001:db8::9", Some(2), false)],
        _ => vec![neighbour("10.0.9.2", None, false)],
    })
}

#[test]
fn prints_what_a_host_has() {
    let links = "1: eth0: <BROADCAST,UP> mtu 1500 state UP
    link/ether 08:00:00:00:01:11
2: eth1: <BROADCAST,DOWN> mtu 1500 state DOWN
    link/ether 08:00:00:00:01:12
";
    let addresses = "1: eth0: <BROADCAST,UP> mtu 1500 state UP
    link/ether 08:00:00:00:01:11
    inet 10.0.1.1/24 scope global eth0
    inet6 2001:db8::1/64 scope global eth0
2: eth1: <BROADCAST,DOWN> mtu 1500 state DOWN
    link/ether 08:00:00:00:01:12
    inet 10.0.9.1/16 scope global eth1
";
    let only_v4 = addresses.replace("    inet6 2001:db8::1/64 scope global eth0\n", "");
    let routes = "default via 10.0.1.10 dev eth0
10.7.0.0/16 dev eth1
default via 2001:db8::9 dev eth0
10.0.1.0/24 dev eth0 proto kernel scope link src 10.0.1.1
2001:db8::/64 dev eth0 proto kernel scope link src 2001:db8::1
10.0.0.0/16 dev eth1 proto kernel scope link src 10.0.9.1
";
    let routes_v6 = "default via 2001:db8::9 dev eth0
2001:db8::/64 dev eth0 proto kernel scope link src 2001:db8::1
";
    let known = "10.0.1.10 dev eth0 lladdr 08:00:00:00:00:01 PERMANENT
2001:db8::9 dev eth0 lladdr 08:00:00:00:00:02 REACHABLE
10.0.9.2 dev eth1 INCOMPLETE
";
    for (command, text) in [
        ("ip link", links),
        ("sudo /sbin/ip addr show", addresses),
        ("ip -4 a", &only_v4),
        ("ip route ls", routes),
        ("ip -6 r", routes_v6),
        ("ip neigh list", known),
        ("ip -6 n", "2001:db8::9 dev eth0 lladdr 08:00:00:00:00:02 REACHABLE\n"),
    ] {
        assert_eq!(ip(command, &host(), neighbours).unwrap().as_deref(), Some(text), "{command}");
    }
}

#[test]
fn other_commands_are_not_read() {
    for command in [
        "",
        "sudo",
        "ip",
        "ip -4",
        "ip rule",
        "ip addr show eth0",
        "ip addr add 10.0.0.1/24",
        "ifconfig",
        "tc qdisc show",
        "ip 'addr",
    ] {
        assert_eq!(ip(command, &host(), neighbours).unwrap(), None, "{command}");
    }
}
