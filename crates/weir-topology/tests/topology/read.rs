//! Topologies that are read, and the resulting values.

use crate::common::{GOOD, changed, read_text};
use weir_topology::{End, Host, Link, QueueRate};

fn host(name: &str) -> End {
    End::Host { name: name.to_owned(), interface: 0 }
}

fn port(name: &str, port: u32) -> End {
    End::Switch { name: name.to_owned(), port: Some(port) }
}

#[test]
fn reads_hosts_switches_and_links() {
    let topology = read_text(GOOD).unwrap();
    let [h1, h2] = &topology.hosts[..] else { panic!("two hosts") };
    assert_eq!((h1.name.as_str(), h2.name.as_str()), ("h1", "h2"));
    assert_eq!(h1.interfaces[0].addresses[0].to_string(), "10.0.1.1/24");
    assert_eq!(h1.interfaces[0].mac.to_string(), "08:00:00:00:01:11");
    assert_eq!(h1.routes[0].network.to_string(), "0.0.0.0/0");
    assert_eq!(h1.routes[0].gateway.unwrap().to_string(), "10.0.1.10");
    assert_eq!(h1.neighbours[0].mac.to_string(), "08:00:00:00:01:00");
    assert_eq!(topology.switches[0].runtime_json.as_deref(), Some("net/s1-runtime.json"));
    assert_eq!(topology.switches[1].cpu_port, Some(510));
    let link = |a, b, delay_ns, rate_bps| Link { delay_ns, rate_bps, ..Link::new(a, b) };
    let expected = [
        link(host("h1"), port("s1", 1), 0, Some(1_000_000_000)),
        link(port("s2", 7), host("h2"), 5_000_000, Some(10_000_000)),
        link(port("s1", 2), port("s2", 1), 500_000, Some(500_000)),
    ];
    assert_eq!(topology.links, expected);
}

#[test]
fn reads_latencies() {
    for (text, nanoseconds) in [
        ("\"0\"", 0),
        ("0", 0),
        ("-0.0", 0),
        ("3", 3_000_000),
        ("0.25", 250_000),
        ("1e-6", 1),
        ("2.5e2", 250_000_000),
        ("\"2us\"", 2_000),
        ("\" 1.5 s \"", 1_500_000_000),
        ("\"+1h\"", 3_600_000_000_000),
        ("\"5µs\"", 5_000),
    ] {
        let topology = read_text(&changed("\"5ms\"", text)).unwrap();
        assert_eq!(topology.links[1].delay_ns, nanoseconds, "{text}");
    }
}

#[test]
fn reads_bandwidths() {
    for (text, bits) in [
        ("1", Some(1_000_000)),
        ("0.5", Some(500_000)),
        ("1e-6", Some(1)),
        ("\"1Gbit\"", Some(1_000_000_000)),
        ("\"2.5Gbit/s\"", Some(2_500_000_000)),
        ("\"64kbps\"", Some(64_000)),
        ("null", None),
        ("\"unlimited\"", None),
    ] {
        let topology = read_text(&changed("10],", &format!("{text}],"))).unwrap();
        assert_eq!(topology.links[1].rate_bps, bits, "{text}");
    }
}

#[test]
fn reads_files_and_ports_of_switches() {
    for (text, read) in [
        (r#""program": "build/firewall.json""#, "Some(\"net/firewall.p4\") None None"),
        (r#""program": "basic.p4""#, "Some(\"net/basic.p4\") None None"),
        (r#""p4": "basic.p4", "cpu_port": 0"#, "Some(\"net/basic.p4\") Some(0) None"),
        (r#""cli_input": "s1-commands.txt""#, "None None Some(\"net/s1-commands.txt\")"),
    ] {
        let topology = read_text(&changed("\"cpu_port\": \"510\"", text)).unwrap();
        let switch = &topology.switches[1];
        let description = format!("{:?} {:?} {:?}", switch.program, switch.cpu_port, switch.cli_input);
        assert_eq!(description, read, "{text}");
    }
}

#[test]
fn reads_queue_rates() {
    for (text, rate) in [
        ("\"cpu_port\": 0", QueueRate::Auto),
        ("\"queue_rate\": \"auto\"", QueueRate::Auto),
        ("\"queue_rate\": \"link\"", QueueRate::Link),
        ("\"queue_rate\": null", QueueRate::Unlimited),
        ("\"queue_rate\": \"2.5Mbit\"", QueueRate::Bits(2_500_000)),
    ] {
        let topology = read_text(&changed("\"cpu_port\": \"510\"", text)).unwrap();
        assert_eq!(topology.switches[1].queue_rate, rate, "{text}");
    }
}

/// Returns the state of a host after one more command, in the syntax of `ip`.
fn summary(host: &Host) -> String {
    let mut parts = Vec::new();
    for interface in &host.interfaces {
        let addresses: Vec<_> = interface.addresses.iter().map(ToString::to_string).collect();
        parts.push(format!(
            "{} {} mtu {} up {}",
            interface.mac,
            addresses.join(","),
            interface.mtu,
            interface.up
        ));
    }
    for route in &host.routes {
        let gateway = route.gateway.map_or("link".to_owned(), |gateway| gateway.to_string());
        parts.push(format!("route {} {gateway} eth{}", route.network, route.interface));
    }
    parts.extend(
        host.neighbours.iter().map(|one| format!("arp {} {} eth{}", one.address, one.mac, one.interface)),
    );
    parts.extend(host.notes.iter().map(|note| format!("note {note}")));
    parts.extend(host.tc.iter().cloned());
    parts.extend(host.sysctls.iter().map(|(name, value)| format!("{name}={value}")));
    parts.join("; ")
}

#[test]
fn applies_commands() {
    const PLAIN: &str = "08:00:00:00:02:22 10.0.2.2/24 mtu 1500 up true";
    for (commands, expected) in [
        ("route add -net 10.9.0.0 netmask 255.255.0.0 gw 10.0.2.9", "; route 10.9.0.0/16 10.0.2.9 eth0"),
        ("route add -net 10.9.0.0/255.255.0.0 gw 10.0.2.9", "; route 10.9.0.0/16 10.0.2.9 eth0"),
        ("sudo /sbin/route add -host 10.9.0.1 gw 10.0.2.9", "; route 10.9.0.1/32 10.0.2.9 eth0"),
        ("ip route add 10.9.0.0/16 dev h2-eth0", "; route 10.9.0.0/16 link eth0"),
        (
            "ip route add 10.9.0.9/32 dev eth0|route add default gw 10.9.0.9",
            "; route 10.9.0.9/32 link eth0; route 0.0.0.0/0 10.9.0.9 eth0",
        ),
        ("ip route replace default via 10.0.2.8", "; route 0.0.0.0/0 10.0.2.8 eth0"),
        ("route add default gw 10.0.2.8|route del default", ""),
        ("arp -s 10.0.2.9 08-00-00-00-02-AA -i eth0", "; arp 10.0.2.9 08:00:00:00:02:aa eth0"),
        (
            "ip neigh replace 2001:db8::9 lladdr 08:00:00:00:02:aa nud permanent",
            "; arp 2001:db8::9 08:00:00:00:02:aa eth0",
        ),
        ("arp -s 10.0.2.9 08:00:00:00:02:aa|ip neigh del 10.0.2.9", ""),
        ("tc qdisc add dev eth0 root fq", "; tc qdisc add dev eth0 root fq"),
        ("sysctl -w net.core.default_qdisc=fq", "; tc qdisc add dev eth0 root fq"),
        ("tc qdisc add dev eth0 root x|sysctl net.core.default_qdisc=fq", "; tc qdisc add dev eth0 root x"),
        ("sysctl -w 'net.ipv4.tcp_rmem=4096 131072 1000000'", "; net.ipv4.tcp_rmem=4096 131072 1000000"),
        ("sysctl net/ipv4/tcp_sack=0", "; net.ipv4.tcp_sack=0"),
        ("sysctl -w net.ipv6.conf.all.disable_ipv6=1", "; note sysctl -w net.ipv6.conf.all.disable_ipv6=1"),
        ("ethtool --offload eth0 tx off rx off", "; note ethtool --offload eth0 tx off rx off"),
        ("ip link set lo down mtu 100", ""),
    ] {
        let quoted: Vec<_> = commands.split('|').map(|line| format!("{line:?}")).collect();
        let member = format!("\"08:00:00:00:02:22\", \"commands\": [{}]", quoted.join(", "));
        let topology = read_text(&changed("\"08:00:00:00:02:22\"", &member)).unwrap();
        assert_eq!(summary(&topology.hosts[1]), format!("{PLAIN}{expected}"), "{commands}");
    }
}

#[test]
fn commands_change_interfaces() {
    for (commands, expected) in [
        ("ip link set dev eth0 mtu 1400 down", "08:00:00:00:02:22 10.0.2.2/24 mtu 1400 up false"),
        (
            "ifconfig eth0 10.7.0.1 netmask 255.255.0.0 hw ether 08:00:00:00:02:77",
            "08:00:00:00:02:77 10.7.0.1/16 mtu 1500 up true",
        ),
        ("ip link set eth0 address 08:00:00:00:02:77", "08:00:00:00:02:77 10.0.2.2/24 mtu 1500 up true"),
        (
            "ip addr add 2001:db8::2/64 dev eth0",
            "08:00:00:00:02:22 10.0.2.2/24,2001:db8::2/64 mtu 1500 up true",
        ),
    ] {
        let member = format!("\"08:00:00:00:02:22\", \"commands\": [{commands:?}]");
        let topology = read_text(&changed("\"08:00:00:00:02:22\"", &member)).unwrap();
        assert_eq!(summary(&topology.hosts[1]), expected, "{commands}");
    }
}

#[test]
fn removing_the_last_address_removes_routes() {
    let member = r#""08:00:00:00:02:22", "commands": [
        "ip addr add 2001:db8::2/64 dev eth0", "ip route add default via 2001:db8::9",
        "route add default gw 10.0.2.9", "ip addr del 2001:db8::2/64 dev eth0"]"#;
    let topology = read_text(&changed("\"08:00:00:00:02:22\"", member)).unwrap();
    let expected = "08:00:00:00:02:22 10.0.2.2/24 mtu 1500 up true; route 0.0.0.0/0 10.0.2.9 eth0";
    assert_eq!(summary(&topology.hosts[1]), expected);
}
