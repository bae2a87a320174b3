//! `p4app.json`: the network that p4-utils creates from it, and mistakes.

use crate::common::read_text;
use weir_topology::{End, Topology};

const GOOD: &str = r#"{
  "program": "basic.p4",
  "cli": true,
  "pcap_dump": false,
  "topology": {
    "assignment_strategy": "mixed",
    "default": { "bw": 10 },
    "hosts": { "h1": {}, "h2": {}, "h11": {}, "web": {} },
    "switches": { "s10": {}, "s2": { "cli_input": "s1-commands.txt", "cpu_port": true, "p4_src": "firewall.p4" } },
    "links": [["s2", "s10", { "delay": "5ms", "loss": 1.5 }], ["h11", "s2"], ["h2", "s2", { "bw": 0.5, "max_queue_size": 20 }],
      ["h1", "s10"], ["s10", "web", { "port1": 7 }]]
  }
}
"#;

fn good(strategy: &str) -> Topology {
    read_text(&GOOD.replace("mixed", strategy)).unwrap()
}

/// Returns each host: address, Ethernet address, gateway, permanent neighbours.
fn hosts(topology: &Topology) -> Vec<String> {
    let host = |host: &weir_topology::Host| {
        let interface = &host.interfaces[0];
        let gateway =
            host.routes.iter().filter_map(|route| Some(route.gateway?.to_string())).collect::<String>();
        let neighbours =
            host.neighbours.iter().map(|neighbour| format!("{}={}", neighbour.address, neighbour.mac));
        let neighbours = neighbours.collect::<Vec<_>>().join(" ");
        format!("{} {} {} {gateway} {neighbours}", host.name, interface.addresses[0], interface.mac)
    };
    topology.hosts.iter().map(host).collect()
}

#[test]
fn l2_is_one_network() {
    let found = hosts(&good("l2"));
    assert_eq!(
        found[0],
        "h1 10.0.0.1/16 00:00:0a:00:00:01  10.0.0.2=00:00:0a:00:00:02 10.0.0.11=00:00:0a:00:00:0b 10.0.0.3=00:00:0a:00:00:03"
    );
    // A host without a number has the first free address.
    assert!(found[3].starts_with("web 10.0.0.3/16 "), "{found:?}");
}

#[test]
fn mixed_is_a_network_for_each_switch() {
    // s2 is number 1 and s10 number 2; the gateway's address is that of the switch's last port.
    assert_eq!(
        hosts(&good("mixed")),
        [
            "h1 10.0.2.1/24 00:00:0a:00:02:01 10.0.2.254 10.0.2.254=00:01:0a:00:02:02 10.0.2.2=00:00:0a:00:02:02",
            "h2 10.0.1.2/24 00:00:0a:00:01:02 10.0.1.254 10.0.1.254=00:01:0a:00:01:0b 10.0.1.11=00:00:0a:00:01:0b",
            "h11 10.0.1.11/24 00:00:0a:00:01:0b 10.0.1.254 10.0.1.254=00:01:0a:00:01:0b 10.0.1.2=00:00:0a:00:01:02",
            "web 10.0.2.2/24 00:00:0a:00:02:02 10.0.2.254 10.0.2.254=00:01:0a:00:02:02 10.0.2.1=00:00:0a:00:02:01",
        ]
    );
}

#[test]
fn l3_is_a_network_for_each_host() {
    assert_eq!(
        hosts(&good("l3")),
        [
            "h1 10.2.1.2/24 00:00:0a:02:01:02 10.2.1.1 10.2.1.1=00:01:0a:02:01:02",
            "h2 10.1.2.2/24 00:00:0a:01:02:02 10.1.2.1 10.1.2.1=00:01:0a:01:02:02",
            "h11 10.1.11.2/24 00:00:0a:01:0b:02 10.1.11.1 10.1.11.1=00:01:0a:01:0b:02",
            "web 10.2.2.2/24 00:00:0a:02:02:02 10.2.2.1 10.2.2.1=00:01:0a:02:02:02",
        ]
    );
}

#[test]
fn ports_follow_the_names_of_nodes() {
    let topology = good("l2");
    let ends: Vec<_> = topology.links.iter().map(|link| format!("{} {}", link.a, link.b)).collect();
    // Links in the order (h1, s10), (h2, s2), (h11, s2), (s2, s10), the CPU port of s2.
    assert_eq!(ends, ["s2-p3 s10-p2", "h11 s2-p2", "h2 s2-p1", "h1 s10-p1", "s10-p7 web"]);
    assert_eq!(topology.switches[1].cpu_port, Some(4));
    assert_eq!(topology.switches[0].cpu_port, None);
}

#[test]
fn programs_and_links() {
    let topology = good("l2");
    let programs = topology.switches.iter().map(|switch| switch.program.as_deref().unwrap());
    assert_eq!(programs.collect::<Vec<_>>(), ["net/basic.p4", "net/firewall.p4"]);
    assert_eq!(topology.switches[1].cli_input.as_deref(), Some("net/s1-commands.txt"));
    let link = &topology.links[0];
    assert_eq!(
        (link.rate_bps, link.delay_ns, link.loss, &link.queue),
        (Some(10_000_000), 5_000_000, 0.015, &None)
    );
    let link = &topology.links[2];
    assert_eq!((link.rate_bps, link.queue.as_deref()), (Some(500_000), Some("20p")));
    assert_eq!(topology.hosts[0].interfaces[0].mtu, 9500);
    assert!(topology.notes.is_empty());
}

#[test]
fn addresses_without_a_strategy() {
    let text = r#"{ "topology": {
        "default": { "auto_arp_tables": false },
        "hosts": { "h1": { "defaultRoute": "via 10.0.1.1" }, "h2": {} }, "switches": { "s1": {} },
        "links": [["h1", "s1", { "params1": { "ip": "10.0.1.2/24" }, "sw_ip2": "10.0.1.1/24", "weight": 3 }], ["h2", "s1"], ["h1", "h2"]]
    } }"#;
    let topology = read_text(text).unwrap();
    let own = |number: usize| {
        let addresses = topology.hosts[number].interfaces.iter().flat_map(|interface| &interface.addresses);
        addresses.map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(own(0), ["10.0.0.1/8", "10.0.1.2/24"]);
    assert_eq!(own(1), ["10.0.0.2/8", "10.0.0.3/8"]);
    assert!(hosts(&topology)[0].ends_with(" 10.0.1.1 10.0.1.1=00:01:0a:00:01:01"));
    let ends = |link: &weir_topology::Link| [link.a.clone(), link.b.clone()].map(|end| end.to_string());
    // The link of h1 and h2 comes first.
    assert_eq!(ends(&topology.links[2]), ["h1", "h2"]);
    assert_eq!(topology.links[0].a, End::Host { name: "h1".to_owned(), interface: 1 });
    assert_eq!(topology.notes.len(), 1, "{:?}", topology.notes);
}

#[test]
fn settings_without_effect_are_noted() {
    let text = GOOD.replace("\"pcap_dump\": false", "\"pcap_dump\": true, \"enable_log\": true");
    let notes = read_text(&text).unwrap().notes;
    assert!(notes[0].contains("--pcap FOLDER") && notes[1].contains("weir trace"), "{notes:?}");
}

#[test]
fn mistakes() {
    let cases = [
        (
            "\"cli\": true",
            "\"exec_scripts\": [{\"cmd\": \"c.py\"}]",
            "3:19: $.exec_scripts: \"exec_scripts\" is not supported: Weir starts no scripts",
        ),
        ("\"cli\": true", "\"clii\": true", "3:11: $.clii: unknown key \"clii\"; did you mean \"cli\"?"),
        ("\"cli\": true", "\"cli\": 1", "expected true or false"),
        (
            "\"cli\": true",
            "\"switch_node\": {\"object_name\": \"Mine\"}",
            "the P4 program defines what a switch does",
        ),
        (
            "\"mixed\"",
            "\"l4\"",
            "$.topology.assignment_strategy: \"l4\" is not an assignment strategy: expected l2, mixed or l3",
        ),
        ("\"web\": {}", "\"web\": {}, \"h3\": {}", "h3 has no link"),
        ("\"web\": {}", "\"web\": {\"dhcp\": true}", "\"dhcp\" is not supported: give the address"),
        ("\"s10\": {}", "\"s10\": {\"sw_bin\": \"x\"}", "the switch is always Weir's own"),
        ("\"s10\": {}", "\"s10\": {}, \"h1\": {}", "there already is a node \"h1\""),
        ("\"hosts\"", "\"routers\": {\"r1\": {}}, \"hosts\"", "there are no routers (FRRouting)"),
        (
            "[\"h1\", \"s10\"]",
            "[\"h1\", \"s11\"]",
            "there is no host or switch \"s11\"; did you mean \"h11\"?",
        ),
        ("[\"h1\", \"s10\"]", "[\"h1\", \"s10-p1\"]", "give the port as \"port1\" or \"port2\""),
        ("[\"h1\", \"s10\"]", "[\"h1\", \"s10\", 5]", "expected an object"),
        (
            "[\"h1\", \"s10\"]",
            "[\"h1\"]",
            "a link has two nodes and optionally an object of parameters, found 1 elements",
        ),
        (
            "[\"h1\", \"s10\"]",
            "[\"h1\", \"s10\"], [\"h1\", \"s2\"]",
            "h1 has a second link; with the strategy \"mixed\"",
        ),
        ("[\"h1\", \"s10\"]", "[\"h1\", \"h2\"]", "h1 and h2 are both hosts"),
        (
            "[\"h1\", \"s10\"]",
            "[\"h1\", \"s10\", {\"params1\": {\"ip\": \"10.0.0.1/24\"}}]",
            "h1 has an address of its own",
        ),
        (
            "\"delay\": \"5ms\"",
            "\"delay\": 5",
            "delay 5 has no unit; p4-utils runs it as 5us, though its documentation says milliseconds; did you mean \"5ms\"?",
        ),
        ("\"delay\": \"5ms\"", "\"delya\": \"5ms\"", "unknown key \"delya\"; did you mean \"delay\"?"),
        ("\"bw\": 0.5", "\"bw\": true", "bandwidth"),
        ("\"loss\": 1.5", "\"loss\": 101", "is outside 0% to 100%"),
        ("\"port1\": 7", "\"port1\": 4294967296", "port 4294967296 is out of range"),
        ("\"port1\": 7", "\"port2\": 0, \"port1\": 1, \"addr1\": \"x\"", "is not a MAC address"),
        (
            "basic.p4",
            "basik.p4",
            "there is no file \"basik.p4\" next to topology.json, in the parent folder or in the current one; did you mean \"basic.p4\"?",
        ),
    ];
    for (old, new, expected) in cases {
        assert!(GOOD.contains(old), "{old}");
        let error = read_text(&GOOD.replacen(old, new, 1)).expect_err(new).to_string();
        assert!(error.contains(expected), "{new}\n  {error}\n  {expected}");
    }
    let far = GOOD.replace("h11", "h254");
    let error = read_text(&far).unwrap_err().to_string();
    assert!(error.contains("no address for h254 at switch number 1: hosts have numbers 1 to 253"), "{error}");
}
