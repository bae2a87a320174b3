//! Topologies with features that the tutorials' files do not have: links as objects, more settings
//! of hosts and switches.

use crate::common::read_text;
use weir_topology::{End, Topology};

fn with(host: &str, switch: &str, link: &str) -> String {
    format!(
        r#"{{
  "$schema": "topology.schema.json",
  "hosts": {{ "h1": {{ "ip": "10.0.1.1/24"{host} }}, "h2": {{ "ip": "10.0.2.2/24" }} }},
  "switches": {{ "s1": {{ {switch} }} }},
  "links": [{{ "ends": ["h1", "s1-p1"]{link} }}, ["h2", "s1-p2"]]
}}"#
    )
}

fn read(host: &str, switch: &str, link: &str) -> Topology {
    read_text(&with(host, switch, link)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn links_have_the_default_rate_unless_another_or_none_is_given() {
    let rate = |link| read("", "", link).links[0].rate_bps;
    assert_eq!(rate(""), Some(1_000_000_000));
    assert_eq!(rate(r#", "rate": "10Mbit""#), Some(10_000_000));
    assert_eq!(rate(r#", "rate": "unlimited""#), None);
    assert_eq!(rate(r#", "rate": null"#), None);
    assert_eq!(read("", "", "").links[1].rate_bps, Some(1_000_000_000));
}

#[test]
fn reads_all_settings_of_a_link() {
    let settings = r#", "delay": "5ms", "jitter": "1ms", "overtake": true, "loss": "1%", "duplicate": "2%", "corrupt": "3%",
        "reorder": ["4%", "5ms"], "queue": "64kB", "mtu": "1400B", "up": false, "qdisc": {"s1-p1": "fq_codel", "h1": "fq"}"#;
    let link = read("", "", settings).links.remove(0);
    assert_eq!((link.delay_ns, link.jitter_ns, link.overtake), (5_000_000, Some(1_000_000), true));
    assert_eq!((link.loss, link.duplicate, link.corrupt), (0.01, 0.02, 0.03));
    assert_eq!((link.reorder, link.mtu, link.up), (Some((0.04, 5_000_000)), Some(1400), false));
    assert_eq!(link.queue.as_deref(), Some("64000B"));
    let (h1, s1) =
        (End::Host { name: "h1".into(), interface: 0 }, End::Switch { name: "s1".into(), port: Some(1) });
    let line = |device: &str, discipline: &str| format!("tc qdisc add dev {device} root {discipline}");
    assert_eq!(link.qdiscs, [(s1.clone(), line("s1-p1", "fq_codel")), (h1.clone(), line("eth0", "fq"))]);
    let both = read("", "", r#", "qdisc": "codel""#).links.remove(0).qdiscs;
    assert_eq!(both, [(h1, line("eth0", "codel")), (s1, line("s1-p1", "codel"))]);
}

#[test]
fn reads_more_of_hosts_and_switches() {
    let settings = r#", "ip6": "2001:db8::1/64", "gateway": "10.0.1.254", "gateway6": "2001:db8::ff", "mtu": "1400B",
        "arp": {"10.0.1.254": "08:00:00:00:01:00"}, "processing": "50us", "processing_jitter": "5us",
        "interfaces": [{"ip": "10.0.9.1/24", "mtu": "9000B"}, {"ip6": "2001:db8:9::1/64", "mac": "08:00:00:00:09:09"}],
        "programs": [{"class": "echo.py:Echo", "udp": 7, "tcp": [80, 81], "frames": "arp"}, {"class": "a/b.py:C", "frames": true}],
        "commands": ["ip link set eth1 down"]"#;
    let topology = read(settings, r#""queue_depth": 64, "priorities": 8"#, "");
    let h1 = &topology.hosts[0];
    let interfaces: Vec<_> = h1.interfaces.iter().map(|one| (one.mac.to_string(), one.mtu, one.up)).collect();
    let expected = [
        ("08:00:00:00:00:01", 1400, true),
        ("08:00:00:00:00:02", 9000, false),
        ("08:00:00:00:09:09", 1500, true),
    ];
    assert_eq!(interfaces, expected.map(|(mac, mtu, up)| (mac.to_owned(), mtu, up)));
    let addresses = h1.interfaces.iter().flat_map(|one| &one.addresses).map(ToString::to_string);
    assert_eq!(
        addresses.collect::<Vec<_>>(),
        ["10.0.1.1/24", "2001:db8::1/64", "10.0.9.1/24", "2001:db8:9::1/64"]
    );
    let gateways: Vec<_> = h1.routes.iter().map(|one| one.gateway.unwrap().to_string()).collect();
    assert_eq!(gateways, ["10.0.1.254", "2001:db8::ff"]);
    assert_eq!(h1.neighbours[0].mac.to_string(), "08:00:00:00:01:00");
    assert_eq!((h1.processing_ns, h1.processing_jitter_ns), (50_000, 5_000));
    let [echo, other] = &h1.programs[..] else { panic!("two programs") };
    assert_eq!(
        (echo.file.as_str(), echo.class.as_str(), &echo.udp[..], &echo.tcp[..]),
        ("echo.py", "Echo", &[7][..], &[80, 81][..])
    );
    assert_eq!((echo.frames.as_deref(), other.frames.as_deref()), (Some("arp"), Some("")));
    assert_eq!(topology.hosts[1].interfaces[0].mac.to_string(), "08:00:00:00:00:03");
    assert_eq!((topology.switches[0].queue_depth, topology.switches[0].priorities), (Some(64), Some(8)));
}

#[test]
fn mistakes_name_their_place() {
    for (host, switch, link, expected) in [
        (
            "",
            "",
            r#", "bandwidth": 5"#,
            r#"unknown key "bandwidth" (known: ends, rate, delay, jitter, overtake, loss, duplicate, corrupt and 5 more)"#,
        ),
        ("", "", r#", "rate": 5"#, r#"rate: a bare number 5 has no unit; did you mean "5Mbit"?"#),
        ("", "", r#", "loss": "101%""#, "$.links[0].loss: loss '101%' is outside 0% to 100%"),
        ("", "", r#", "queue": "fq""#, "$.links[0].queue: cannot read queue 'fq'"),
        (
            "",
            "",
            r#", "qdisc": {"h2": "fq"}"#,
            r#"$.links[0].qdisc.h2: "h2" is not an end of this link (h1 and s1-p1)"#,
        ),
        (
            "",
            "",
            r#", "reorder": "1%""#,
            "$.links[0].reorder: expected a share and a time, such as [\"1%\", \"5ms\"], found a string \"1%\"",
        ),
        (r#", "gateway": "10.0.1""#, "", "", "$.hosts.h1.gateway"),
        (
            r#", "gateway": "10.0.9.9""#,
            "",
            "",
            "$.hosts.h1.gateway: h1 cannot reach the gateway 10.0.9.9: expected an address in 10.0.1.0/24, the network of eth0",
        ),
        (r#", "mtu": "10B""#, "", "", "$.hosts.h1.mtu: mtu 10B is out of range: expected 68B to 65535B"),
        (
            r#", "interfaces": [{"address": "10.0.9.1/24"}]"#,
            "",
            "",
            "$.hosts.h1.interfaces[0].address: unknown key",
        ),
        (r#", "programs": [{"class": "echo.py"}]"#, "", "", "expected a Python file and a class in it"),
        (
            r#", "programs": [{"class": "echo.py:Echo", "udp": 70000}]"#,
            "",
            "",
            "70000 is out of range: expected a port from 1 to 65535",
        ),
        ("", r#""priorities": 9"#, "", "$.switches.s1.priorities: 9 is out of range"),
    ] {
        let error = read_text(&with(host, switch, link)).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}\nexpected: {expected}");
    }
}
