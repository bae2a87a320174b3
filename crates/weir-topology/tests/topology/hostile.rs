//! Whatever a topology contains: it is read, or refused in one line with a place.

use crate::common::{GOOD, check_tc, read_text};
use proptest::prelude::*;
use weir_json::{Kind, Value};
use weir_topology::{Host, HostAddress, Mac, commands};

fn refused_with_a_line_for_each_mistake(text: &str) {
    if let Err(error) = read_text(text) {
        for mistake in error.all() {
            let shown = mistake.to_string();
            assert!(shown.starts_with("topology.json:"), "{shown}");
            assert!(!shown.contains(['\n', '\r']), "{shown:?}");
        }
    }
}

/// A JSON value as text: strange scalars, words of topologies, lists and objects of them.
fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<f64>()
            .prop_filter("JSON has no infinities", |number| number.is_finite())
            .prop_map(|number| format!("{number:e}")),
        any::<i64>().prop_map(|number| number.to_string()),
        "[ -~\n]{0,12}".prop_map(|text| format!("{text:?}")),
        prop::sample::select(vec![
            "h1",
            "s1-p1",
            "s1-p99999999999999999999",
            "h1-eth18446744073709551616",
            "10.0.0.1/8",
            "::/0",
            "1ms",
            "0.1Gbit",
            "-p1",
            "s1-runtime.json"
        ])
        .prop_map(|text| format!("{text:?}")),
    ];
    scalar.prop_recursive(4, 32, 6, |inner| {
        let key = prop::sample::select(vec![
            "hosts", "switches", "links", "h1", "s1", "ip", "mac", "commands", "program", "cpu_port",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(key, inner, 0..5).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

/// Words of commands in any order.
fn command() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "sudo",
        "route",
        "arp",
        "ip",
        "ifconfig",
        "tc",
        "ethtool",
        "sysctl",
        "-4",
        "-6",
        "add",
        "del",
        "replace",
        "set",
        "link",
        "addr",
        "neigh",
        "-net",
        "-host",
        "netmask",
        "gw",
        "dev",
        "via",
        "lladdr",
        "mtu",
        "hw",
        "ether",
        "address",
        "-i",
        "-s",
        "-d",
        "-K",
        "-w",
        "default",
        "eth0",
        "eth1",
        "lo",
        "h1-eth0",
        "10.0.0.1",
        "10.0.0.1/24",
        "0.0.0.0/0",
        "255.255.0.0",
        "::1",
        "2001:db8::1/129",
        "08:00:00:00:00:01",
        "1500",
        "4294967296",
        "on",
        "up",
        "down",
        "net.ipv4.tcp_sack=1",
        "net.core.default_qdisc=fq",
        "net.ipv4.conf.x=",
        "=",
        "'",
        "\\",
        "\"é",
    ]);
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_json(text in json()) {
        refused_with_a_line_for_each_mistake(&text);
    }

    #[test]
    fn any_value_at_any_place(value in json(), place in 0..40usize) {
        // Every string and number of the document can be replaced.
        let starts: Vec<_> = GOOD.match_indices([':', '[', ',']).map(|(at, _)| at + 1).collect();
        let start = starts[place % starts.len()];
        let end = GOOD[start..].find([',', ']', '}']).map_or(GOOD.len(), |length| start + length);
        refused_with_a_line_for_each_mistake(&format!("{} {value} {}", &GOOD[..start], &GOOD[end..]));
    }

    #[test]
    fn any_text(text in "\\PC{0,60}") {
        refused_with_a_line_for_each_mistake(&text);
    }

    #[test]
    fn any_commands(lines in prop::collection::vec(command(), 0..4), text in "\\PC{0,30}") {
        let address = HostAddress { address: [10, 0, 0, 1].into(), prefix: 24 };
        let mut host = Host::new("h1", Mac([8, 0, 0, 0, 0, 1]), address);
        for line in lines.into_iter().chain([text]) {
            if let Err(error) = commands::apply(&Value::from(Kind::Text(line)), &mut host, &check_tc) {
                prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }
}

#[test]
fn every_beginning_of_a_file() {
    for length in 0..GOOD.trim_end().len() {
        assert!(read_text(&GOOD[..length]).is_err(), "{}", &GOOD[..length]);
        refused_with_a_line_for_each_mistake(&GOOD[..length]);
    }
}
