//! Topologies that are refused, and the exact diagnostic.

use crate::common::{changed, read_text};

/// Checks cases: the text to replace in a good topology, the new text, and the diagnostic after
/// `topology.json:`.
fn check(cases: &[(&str, &str, &str)]) {
    for (old, new, expected) in cases {
        let text = changed(old, new);
        let error = read_text(&text).expect_err(new).to_string();
        assert_eq!(error, format!("topology.json:{expected}"), "{old} -> {new}");
    }
}

/// Checks commands of host h2, each with the diagnostic after its place.
fn check_commands(cases: &[(&str, &str)]) {
    for (command, expected) in cases {
        let member = format!("\"08:00:00:00:02:22\", \"commands\": [{command:?}]");
        let error = read_text(&changed("\"08:00:00:00:02:22\"", &member)).expect_err(command).to_string();
        let place = "topology.json:8:75: $.hosts.h2.commands[0]: ";
        assert_eq!(error, format!("{place}{expected}"), "{command}");
    }
}

#[test]
fn wrong_structure() {
    check(&[
        ("\"hosts\"", "\"host\"", "2:11: $.host: unknown key \"host\"; did you mean \"hosts\"?"),
        (
            ",\n  \"links\": [[\"h1\", \"s1-p1\"], [\"s2-p7\", \"h2\", \"5ms\", 10], [\"s1-p2\", \"s2-p1\", 0.5, 0.5]]",
            "",
            "1:1: $: missing key \"links\"",
        ),
        (
            "{ \"s1\": { \"runtime_json\": \"s1-runtime.json\" }, \"s2\": { \"cpu_port\": \"510\" } }",
            "[]",
            "10:15: $.switches: expected an object, found a list",
        ),
        ("\"h2\": {", "\"h1\": {", "8:5: $.hosts.h1: the key \"h1\" appears twice in one object"),
        (
            "\"h2\": {",
            "\"h-2\": {",
            "8:12: $.hosts.h-2: 'h-2' is not a name for a node: use letters, digits, _ and ., a letter first",
        ),
        (
            "\"h2\": {",
            &format!("\"{}\": {{", "h".repeat(64)),
            &format!(
                "8:73: $.hosts.{}: 'hhhhhhhhhhhhhhhhhhhh…' is too long for the name of a node: it has 64 characters, expected 63 or fewer",
                "h".repeat(64)
            ),
        ),
        ("\"s2\": {", "\"h1\": {", "10:68: $.switches.h1: there already is a node \"h1\""),
        (
            " \"h2\": { \"ip\": \"10.0.2.2/24\", \"mac\": \"08:00:00:00:02:22\" }",
            " \"h2\": 7",
            "8:11: $.hosts.h2: expected an object, found a number 7",
        ),
    ]);
}

#[test]
fn not_json() {
    for (text, expected) in [
        ("", "1:1: is not JSON: the file is empty"),
        ("{\"hosts\": {", "1:11: is not JSON: this bracket is never closed"),
        ("[]", "1:1: $: expected an object, found a list"),
    ] {
        let error = read_text(text).expect_err(text).to_string();
        assert_eq!(error, format!("topology.json:{expected}"));
    }
}

#[test]
fn wrong_hosts() {
    check(&[
        (
            " \"mac\": \"08:00:00:00:02:22\" }",
            " \"mac\": 5 }",
            "8:41: $.hosts.h2.mac: expected a MAC address such as \"08:00:00:00:01:11\", found a number 5",
        ),
        (
            "08:00:00:00:02:22",
            "08:00:00:00-02-22",
            "8:41: $.hosts.h2.mac: \"08:00:00:00-02-22\" is not a MAC address such as 08:00:00:00:01:11 (six pairs of hex digits)",
        ),
        (
            "08:00:00:00:02:22",
            "01:00:00:00:02:22",
            "8:41: $.hosts.h2.mac: 01:00:00:00:02:22 is a group address (odd first byte): a host needs an individual one",
        ),
        (
            "08:00:00:00:02:22",
            "00:00:00:00:00:00",
            "8:41: $.hosts.h2.mac: a host cannot have the all-zero MAC address",
        ),
        (
            "08:00:00:00:02:22",
            "08:00:00:00:01:11",
            "8:11: $.hosts.h2: h1 already has the MAC address 08:00:00:00:01:11",
        ),
        ("10.0.2.2/24", "10.0.1.1/24", "8:11: $.hosts.h2: h1 already has the address 10.0.1.1"),
        (
            "10.0.2.2/24",
            "10.0.2.2",
            "8:19: $.hosts.h2.ip: \"10.0.2.2\" has no prefix length; did you mean \"10.0.2.2/24\"?",
        ),
        (
            "10.0.2.2/24",
            "10.0.2.2/33",
            "8:19: $.hosts.h2.ip: \"33\" is not a prefix length: expected 0 to 32",
        ),
        (
            "10.0.2.2/24",
            "10.0.2/24",
            "8:19: $.hosts.h2.ip: \"10.0.2\" is not an IPv4 address (expected 4 octets)",
        ),
        (
            "10.0.2.2/24",
            "10.0.2.300/24",
            "8:19: $.hosts.h2.ip: \"10.0.2.300\" is not an IPv4 address (octet 300 (> 255) not permitted)",
        ),
        (
            "10.0.2.2/24",
            "10.0.2.02/24",
            "8:19: $.hosts.h2.ip: \"10.0.2.02\" is not an IPv4 address (leading zeros are not permitted in '02')",
        ),
        (
            "10.0.2.2/24",
            "10.0..2/24",
            "8:19: $.hosts.h2.ip: \"10.0..2\" is not an IPv4 address (empty octet not permitted)",
        ),
        (
            "10.0.2.2/24",
            "10.0.x.2/24",
            "8:19: $.hosts.h2.ip: \"10.0.x.2\" is not an IPv4 address (only decimal digits permitted in 'x')",
        ),
        (
            "10.0.2.2/24",
            "fe80::1/64",
            "8:19: $.hosts.h2.ip: \"fe80::1\" is an IPv6 address, expected an IPv4 address such as \"10.0.1.1\"",
        ),
        (
            "10.0.2.2/24",
            "224.0.0.1/24",
            "8:19: $.hosts.h2.ip: 224.0.0.1 cannot be the address of a host: 224.0.0.0/4 is for multicast",
        ),
        (
            "10.0.2.2/24",
            "10.0.2.255/24",
            "8:19: $.hosts.h2.ip: 10.0.2.255 is its network's broadcast address, not a host's",
        ),
    ]);
}

#[test]
fn wrong_commands() {
    check_commands(&[
        ("", "the command is empty"),
        ("a 'b", "cannot read the command: no closing quotation"),
        ("a\\", "cannot read the command: no escaped character"),
        ("iperf -s", "host command \"iperf -s\" is not supported: host.iperf(…) sends a flow"),
        (
            "rout\nadd",
            "host command \"rout\\nadd\" is not supported (understood: route, arp, ifconfig, ip route, ip neigh, ip addr, ip link, tc, ethtool -K, sysctl); did you mean \"route\"?",
        ),
        ("route add", "host command \"route add\" has no destination"),
        (
            "route add default via 10.0.1.9",
            "\"via\" in the host command \"route add default via 10.0.1.9\" is not understood (known: gw, netmask, dev, metric)",
        ),
        ("route add default gw", "nothing follows \"gw\" in the host command \"route add default gw\""),
        ("route add default dev eth1", "h2 has no interface \"eth1\"; did you mean \"eth0\"?"),
        (
            "route add -net 10.9.0.0 netmask 255.0.255.0",
            "\"10.9.0.0/255.0.255.0\" is not an IPv4 network such as 10.0.0.0/24",
        ),
        (
            "ip route add 10.0.0.1/24",
            "\"10.0.0.1/24\" has bits set past its prefix; did you mean \"10.0.0.0/24\"?",
        ),
        (
            "ip route add 2001:db8::1/32",
            "\"2001:db8::1/32\" has bits set past its prefix; did you mean \"2001:db8::/32\"?",
        ),
        ("ip route del default", "host command \"ip route del default\": there is no route to 0.0.0.0/0"),
        (
            "ip route add 2001:db8::/32 via 10.0.1.9",
            "host command \"ip route add 2001:db8::/32 via 10.0.1.9\": network and gateway have different IP versions",
        ),
        (
            "route add default gw 10.0.1.9 dev eth0",
            "host command \"route add default gw 10.0.1.9 dev eth0\": h2 cannot reach the gateway 10.0.1.9: expected an address in 10.0.2.0/24, the network of eth0",
        ),
        (
            "ip route add 10.9.0.0/16 via 10.0.2.2",
            "host command \"ip route add 10.9.0.0/16 via 10.0.2.2\": the gateway 10.0.2.2 is h2 itself: expected another address",
        ),
        (
            "ip -6 route add default via 2001:db8::9",
            "host command \"ip -6 route add default via 2001:db8::9\": h2 cannot reach the gateway 2001:db8::9: eth0 has no IPv6 address",
        ),
        ("ip route add default via ::1::", "\"::1::\" is not an IPv6 address (at most one '::' permitted)"),
        ("ip neigh add 10.0.0.1", "host command \"ip neigh add 10.0.0.1\" has no lladdr"),
        ("arp -d 10.0.0.1", "host command \"arp -d 10.0.0.1\": h2 has no neighbour 10.0.0.1"),
        (
            "ip link set eth0 mtu 9",
            "\"9\" in the host command \"ip link set eth0 mtu 9\" is not an MTU: expected 68 to 65535 bytes",
        ),
        (
            "ip link set lo mtu 9",
            "\"9\" in the host command \"ip link set lo mtu 9\" is not an MTU: expected 68 to 65535 bytes",
        ),
        ("ip link set dev", "host command \"ip link set dev\" names no interface"),
        ("ip addr add 10.0.9.1/24", "host command \"ip addr add 10.0.9.1/24\" has no dev"),
        (
            "ifconfig eth0 10.0.1.7 netmask 255.0.255.0",
            "\"255.0.255.0\" is not a network mask such as 255.255.255.0",
        ),
        (
            "ifconfig eth0",
            "host command \"ifconfig eth0\" is not supported: expected ifconfig eth0 mtu BYTES, up, down, or an address",
        ),
        ("tc qdisc show", "host command \"tc qdisc show\": not understood"),
        ("tc qdisc add dev eth3 root fq", "h2 has no interface \"eth3\"; did you mean \"eth0\"?"),
        (
            "sysctl -w net.ipv4.tcp_sac=0",
            "the setting \"net.ipv4.tcp_sac\" is not supported; did you mean \"net.ipv4.tcp_sack\"?",
        ),
        (
            "sysctl -w net.ipv4.ip_forward=1",
            "the setting \"net.ipv4.ip_forward\" is not supported: hosts do not forward, switches do",
        ),
        (
            "sysctl -w net.core.default_qdisc=sfq",
            "\"sfq\" in the host command \"sysctl -w net.core.default_qdisc=sfq\" is not a queueing discipline for all interfaces (known: fq, fq_codel, codel, pfifo, bfifo); did you mean \"fq\"?",
        ),
        (
            "ethtool -K eth0 tso",
            "\"tso\" in the host command \"ethtool -K eth0 tso\" must be on or off, found nothing",
        ),
    ]);
}

#[test]
fn a_host_needs_an_ipv4_address() {
    let member = "\"08:00:00:00:02:22\", \"commands\": [\"ip addr del 10.0.2.2/24 dev eth0\"]";
    check(&[("\"08:00:00:00:02:22\"", member, "8:11: $.hosts.h2: h2 has no IPv4 address at eth0")]);
}

#[test]
fn wrong_switches() {
    let member = "\"cpu_port\": \"510\"";
    check(&[
        (member, "\"cpu\": 1", "10:77: $.switches.s2.cpu: unknown key \"cpu\"; did you mean \"cpu_port\"?"),
        (
            member,
            "\"cpu_port\": 4294967296",
            "10:82: $.switches.s2.cpu_port: port 4294967296 is out of range: a switch has ports 0 to 4294967295 at most",
        ),
        (
            member,
            "\"cpu_port\": -1",
            "10:82: $.switches.s2.cpu_port: port -1 is out of range: a switch has ports 0 to 4294967295 at most",
        ),
        (
            member,
            "\"cpu_port\": 1.5",
            "10:82: $.switches.s2.cpu_port: expected a port number, found a number 1.5",
        ),
        (
            member,
            "\"cpu_port\": \"x\"",
            "10:82: $.switches.s2.cpu_port: expected a port number, found a string \"x\"",
        ),
        (
            member,
            "\"runtime_json\": \"s1-runtim.json\"",
            "10:86: $.switches.s2.runtime_json: there is no file \"s1-runtim.json\" next to topology.json, in the parent folder or in the current one; did you mean \"s1-runtime.json\"?",
        ),
        (
            member,
            "\"program\": \"build/basik.json\"",
            "10:81: $.switches.s2.program: there is no compiled program \"build/basik.json\", and no basik.p4 to compile next to topology.json, in the parent folder or in the current one",
        ),
        (
            member,
            "\"program\": \"basic.p4\", \"p4\": \"basic.p4\"",
            "10:99: $.switches.s2.p4: \"program\" and \"p4\" both name the switch's program: give one",
        ),
        (
            member,
            "\"profile\": 7",
            "10:81: $.switches.s2.profile: expected the name of a timing profile (a string), found a number 7",
        ),
        (
            member,
            "\"queue_rate\": \"links\"",
            "10:84: $.switches.s2.queue_rate: queue_rate \"links\" is neither \"auto\", \"link\" nor a rate such as \"10Mbit\" (null means unlimited); did you mean \"link\"?",
        ),
        (
            member,
            "\"queue_rate\": 10",
            "10:84: $.switches.s2.queue_rate: queue_rate: a bare number 10 has no unit; did you mean \"10Mbit\"?",
        ),
        (
            member,
            "\"queue_rate\": \"0Mbit\"",
            "10:84: $.switches.s2.queue_rate: queue_rate '0Mbit' lets nothing through: a rate must be above zero (null means unlimited)",
        ),
        (
            member,
            "\"queue_rate\": true",
            "10:84: $.switches.s2.queue_rate: expected a queue_rate such as \"10Mbit\", found true",
        ),
    ]);
}

#[test]
fn wrong_links() {
    let h1 = "[\"h1\", \"s1-p1\"]";
    check(&[
        (
            h1,
            "\"h1\"",
            "11:13: $.links[0]: expected a link such as [\"h1\", \"s1-p1\", \"5ms\", 10], found a string \"h1\"",
        ),
        (
            h1,
            "[\"h1\"]",
            "11:13: $.links[0]: a link has two ends and optionally latency and bandwidth, found 1 elements",
        ),
        (
            h1,
            "[\"h1\", \"s1-p1\", 0, 1, 2]",
            "11:13: $.links[0]: a link has two ends and optionally latency and bandwidth, found 5 elements",
        ),
        (
            h1,
            "[\"h9\", \"s1-p1\"]",
            "11:14: $.links[0][0]: there is no host or switch \"h9\"; did you mean \"h1\"?",
        ),
        (
            h1,
            "[\"h1\", \"s9-p1\"]",
            "11:20: $.links[0][1]: there is no host or switch \"s9-p1\"; did you mean \"s1-p1\"?",
        ),
        (
            h1,
            "[\"h1\", \"router\"]",
            "11:20: $.links[0][1]: there is no host or switch \"router\" (known: h1, h2, s1, s2)",
        ),
        (
            h1,
            "[\"h1\", \"s1\"]",
            "11:20: $.links[0][1]: \"s1\" is a switch: expected one of its ports; did you mean \"s1-p1\"?",
        ),
        (
            h1,
            "[\"h1\", \"s1-1\"]",
            "11:20: $.links[0][1]: cannot read the port in \"s1-1\": expected a switch and its port; did you mean \"s1-p1\"?",
        ),
        (
            h1,
            "[\"h1\", \"s1-p99999999999999999999\"]",
            "11:20: $.links[0][1]: port number is out of range: a switch has ports 0 to 4294967295 at most",
        ),
        (
            h1,
            "[\"h1-p1\", \"s1-p1\"]",
            "11:14: $.links[0][0]: a host has no ports: \"h1-p1\"; did you mean \"h1\"?",
        ),
        (
            h1,
            "[\"h1-eth1\", \"s1-p1\"]",
            "11:14: $.links[0][0]: h1 has no interface \"eth1\"; did you mean \"h1-eth0\"?",
        ),
        (
            h1,
            "[\"h1\", 1]",
            "11:20: $.links[0][1]: expected a link's end such as \"h1\" or \"s1-p1\", found a number 1",
        ),
        (h1, "[\"s1-p1\", \"s1-p3\"]", "11:13: $.links[0]: a link needs two nodes, both ends are on s1"),
        (
            "\"s2-p7\", \"h2\"",
            "\"s2-p7\", \"h1\"",
            "11:40: $.links[1][1]: host h1 is already linked (h1 <-> s1-p1); Topology.add_interface gives h1 another interface",
        ),
        ("\"s1-p2\"", "\"s1-p1\"", "11:59: $.links[2][0]: port 1 of s1 is already linked (h1 <-> s1-p1)"),
    ]);
}

#[test]
fn wrong_quantities() {
    let latency = "\"5ms\"";
    check(&[
        (latency, "\"5\"", "11:46: $.links[1][2]: latency '5' has no unit; did you mean \"5ms\"?"),
        (
            latency,
            "\"-5\"",
            "11:46: $.links[1][2]: latency '-5' is negative, and has no unit: expected one such as \"1ms\"",
        ),
        (latency, "-1", "11:46: $.links[1][2]: latency '-1ms' is negative"),
        (latency, "1e999", "11:46: $.links[1][2]: latency '1e999ms' is too large"),
        (
            latency,
            "1e-999999999999999999999",
            "11:46: $.links[1][2]: latency '1e-999999999999999999999ms' is finer than a nanosecond",
        ),
        (latency, "\"0.5ns\"", "11:46: $.links[1][2]: latency '0.5ns' is finer than a nanosecond"),
        (
            latency,
            "\"5sec\"",
            "11:46: $.links[1][2]: unknown unit 'sec' in latency '5sec': use ns, us, ms, s, min or h",
        ),
        (
            latency,
            "\"soon\"",
            "11:46: $.links[1][2]: cannot read latency 'soon': expected a number and a unit, such as \"1ms\"",
        ),
        (latency, "null", "11:46: $.links[1][2]: expected a latency such as \"1ms\", found null"),
        (
            "10],",
            "0],",
            "11:53: $.links[1][3]: bandwidth '0Mbit' lets nothing through: a rate must be above zero (null means unlimited)",
        ),
        (
            "10],",
            "\"10 Mbyte\"],",
            "11:53: $.links[1][3]: unknown unit 'Mbyte' in bandwidth '10 Mbyte': use bit, kbit, Mbit, Gbit or Tbit (per second)",
        ),
        ("10],", "\"99999Tbit\"],", "11:53: $.links[1][3]: bandwidth '99999Tbit' is too large"),
    ]);
}
