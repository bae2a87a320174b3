//! Any text is read as a topology, or refused with one line and a place for each mistake.

use crate::common::{GOOD, changed, check_tc, read_text};
use proptest::prelude::*;
use weir_json::{Kind, Value};
use weir_topology::{Host, HostAddress, Mac, commands};

fn refused_with_a_line_for_each_mistake(text: &str) {
    if let Err(error) = read_text(text) {
        for mistake in error.all() {
            let message = mistake.to_string();
            assert!(message.starts_with("topology.json:"), "{message}");
            assert!(!message.contains(['\n', '\r']), "{message:?}");
        }
    }
}

/// Returns a JSON value as text: strange scalars, words of topologies, lists and objects of them.
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

/// Draws words of commands in any order.
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

/// Returns `GOOD` or a `p4app.json` with one key or value changed.
fn mutated() -> impl Strategy<Value = String> {
    let documents = prop::sample::select(vec![GOOD, P4APP, FULL]);
    let change = prop::sample::select(vec![
        "null",
        "true",
        "-1",
        "1e999",
        "1.5",
        "\"\"",
        "\"\\u0000\"",
        "\"a/b\"",
        "[]",
        "{}",
        "[[]]",
        "DELETE",
        "RENAME",
    ]);
    (documents, any::<prop::sample::Index>(), change).prop_map(|(text, place, change)| {
        // Each value, or each key with its value.
        let spots: Vec<_> = text.match_indices(['"', '[', '{']).map(|(at, _)| at).collect();
        let at = spots[place.index(spots.len())];
        let end = value_end(text, at);
        let is_key = text[end..].trim_start().starts_with(':');
        match change {
            "RENAME" if is_key => format!("{}{}x\"{}", &text[..at], &text[at..end - 1], &text[end..]),
            "DELETE" if is_key => {
                let start = end + text[end..].find(':').unwrap_or(0) + 1;
                let start = start + text[start..].len() - text[start..].trim_start().len();
                let end = value_end(text, start);
                let rest = text[end..].trim_start();
                match rest.strip_prefix(',') {
                    Some(rest) => format!("{}{rest}", &text[..at]),
                    None => format!("{}\"$schema\": 1{rest}", &text[..at]),
                }
            }
            _ if is_key => text.to_owned(),
            "DELETE" | "RENAME" => format!("{}7{}", &text[..at], &text[end..]),
            value => format!("{}{value}{}", &text[..at], &text[end..]),
        }
    })
}

/// Returns the end of the value that starts at a byte.
fn value_end(text: &str, at: usize) -> usize {
    let (mut depth, mut in_text) = (0, false);
    for (offset, byte) in text[at..].bytes().enumerate() {
        match byte {
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => depth += 1,
            b']' | b'}' if !in_text && depth == 0 => return at + offset,
            b']' | b'}' if !in_text => depth -= 1,
            b',' if !in_text && depth == 0 => return at + offset,
            _ => {}
        }
        if depth == 0 && !in_text && matches!(byte, b'"' | b']' | b'}') {
            return at + offset + 1;
        }
    }
    text.len()
}

const P4APP: &str = r#"{
  "p4_src": "basic.p4", "cli": true, "switch_node": {"object_name": "P4Switch"},
  "topology": {
    "assignment_strategy": "mixed", "auto_arp_tables": false, "default": {"bw": 10},
    "hosts": {"h1": {}, "h2": {}},
    "switches": {"s1": {"cpu_port": true}, "s2": {"cli_input": "s1-commands.txt"}},
    "links": [["h1", "s1", {"delay": "5ms", "port2": 7}], ["h2", "s2"], ["s1", "s2", {"loss": 1.5}]]
  }
}"#;

const FULL: &str = r#"{
  "hosts": {
    "h1": {"ip": "10.0.1.1/24", "gateway": "10.0.1.9", "arp": {"10.0.1.9": "08:00:00:00:01:09"}, "mtu": "1400B",
      "interfaces": [{"ip": "10.0.9.1/24"}], "programs": [{"class": "x.py:X", "udp": [7]}], "processing": "5us"},
    "h2": {"ip": "10.0.2.2/24", "commands": ["ip link set eth0 mtu 1400"]}
  },
  "switches": {"s1": {"queue_rate": "auto", "queue_depth": 64, "priorities": 8, "runtime_json": "s1-runtime.json"}},
  "links": [
    {"ends": ["h1", "s1-p1"], "rate": "10Mbit", "delay": "5ms", "loss": "1%", "reorder": ["1%", "5ms"], "queue": "9p",
      "qdisc": {"h1": "fq"}, "up": true},
    ["h2", "s1-p2", "1ms", 10]
  ]
}"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_mutation_of_a_valid_document(text in mutated(), length in any::<prop::sample::Index>()) {
        refused_with_a_line_for_each_mistake(&text);
        let starts: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        refused_with_a_line_for_each_mistake(&text[..starts[length.index(starts.len())]]);
    }
}

#[test]
fn unmutated_documents_are_valid() {
    for text in [GOOD, P4APP, FULL] {
        read_text(text).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Reads a text, which must be fast. Returns the message's first line, its number of lines, and its
/// bytes.
#[expect(clippy::disallowed_types, reason = "it measures that reading ends in time")]
fn read_quickly(text: &str) -> (String, usize, usize) {
    let start = std::time::Instant::now();
    let said = read_text(text).map_or_else(|error| error.to_string(), |_| String::new());
    let took = start.elapsed();
    assert!(took.as_secs() < 60, "{took:?} for {} bytes: {said}", text.len());
    (said.lines().next().unwrap_or_default().to_owned(), said.lines().count(), said.len())
}

#[test]
fn deep_documents_end_at_a_place() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let (first, lines, bytes) = read_quickly(&text);
        assert!(first.starts_with("topology.json:1:") && first.contains("nested too deeply"), "{first}");
        assert!(lines == 1 && bytes < 200, "{first}");
        let (first, _, _) = read_quickly(&open.repeat(100_000));
        assert!(first.starts_with("topology.json:1:"), "{first}");
    }
}

#[test]
fn long_texts_and_numbers_are_not_repeated() {
    let long = "x".repeat(4 << 20);
    let digits = "9".repeat(1 << 20);
    for (old, new) in [
        ("\"h1\": {", format!("\"{long}\": {{")),
        ("\"hosts\"", format!("\"{long}\"")),
        ("\"10.0.1.1/24\"", format!("\"{long}\"")),
        ("\"10.0.1.1/24\"", format!("\"10.0.1.1{long}\"")),
        ("\"08:00:00:00:01:11\"", format!("\"{long}\"")),
        ("\"route add default gw 10.0.1.10 dev eth0\"", format!("\"{long}\"")),
        ("\"route add default gw 10.0.1.10 dev eth0\"", format!("\"route add default gw {long}\"")),
        ("\"cpu_port\": \"510\"", format!("\"{long}\": 1")),
        ("\"cpu_port\": \"510\"", format!("\"profile\": [{digits}]")),
        ("\"510\"", format!("\"{digits}\"")),
        ("\"510\"", digits.clone()),
        ("\"510\"", format!("1e{digits}")),
        ("\"5ms\"", digits.clone()),
        ("\"5ms\"", format!("1e{digits}")),
        ("\"5ms\"", format!("\"{digits}ms\"")),
        ("\"5ms\"", format!("\"5{long}\"")),
        ("\"s1-runtime.json\"", format!("\"{long}\"")),
        ("\"s2-p7\"", format!("\"s2-p{digits}\"")),
        ("\"s2-p7\"", format!("\"{long}-p7\"")),
        ("\"s2-p7\"", format!("\"{}\"", "s2-".repeat(100_000))),
        ("0.5, 0.5", format!("0.{digits}, 0.5")),
    ] {
        let (first, lines, bytes) = read_quickly(&changed(old, &new));
        assert!(first.starts_with("topology.json:"), "{old}: {first}");
        assert!(bytes < 1200 * lines && lines <= 3, "{old}: {lines} lines of {bytes} bytes: {first}");
    }
}

#[test]
fn strange_names_are_escaped() {
    for name in ["a/b", "../x", "\\n", "\\u0000", "h\\u202e1", "h é", "", "-", "."] {
        let (first, lines, _) = read_quickly(&changed("\"h2\": {", &format!("\"{name}\": {{")));
        assert!(first.contains("is not a name for a node"), "{name}: {first}");
        assert!(lines == 1 && !first.contains(char::is_control), "{first:?}");
    }
}

#[test]
fn time_grows_in_proportion_to_large_topologies() {
    let host = |number: usize, ip: &str, rest: &str| {
        let [_, a, b, c] = (number as u32 + 256).to_be_bytes();
        let ip = ip.replace("IP", &format!("10.{a}.{b}.{c}"));
        format!("\"h{number}\": {{\"ip\": \"{ip}\"{rest}}}")
    };
    let count = 20_000;
    let build = |ip: &str, rest: &str, link: &dyn Fn(usize) -> String| {
        let hosts: Vec<_> = (0..count).map(|number| host(number, ip, rest)).collect();
        let switches: Vec<_> = (0..count / 400 + 1).map(|number| format!("\"s{number}\": {{}}")).collect();
        let links: Vec<_> = (0..count).map(link).collect();
        let (hosts, switches, links) = (hosts.join(","), switches.join(","), links.join(","));
        format!("{{\"hosts\": {{{hosts}}}, \"switches\": {{{switches}}}, \"links\": [{links}]}}")
    };
    let link = |number: usize| format!("[\"h{number}\", \"s{}-p{}\"]", number / 400, number % 400 + 1);
    assert_eq!(read_quickly(&build("IP/8", "", &link)).1, 0);
    // Every host, or every link, has mistakes.
    for text in [
        build("IP", "", &link),
        build("IP/8", ", \"mtu\": 1, \"x\": 2", &link),
        build("IP/8", "", &|number| format!("[\"x{number}\", \"s0-p{number}\"]")),
        build("IP/8", "", &|_| "[\"h0\", \"s0-p1\"]".to_owned()),
        build("IP/8", "", &|number| format!("{{\"end\": [\"h{number}\"], \"rate\": 1}}")),
    ] {
        let (first, lines, _) = read_quickly(&text);
        assert!(first.starts_with("topology.json:1:") && lines == 21, "{lines}: {first}");
    }
}

#[test]
fn every_beginning_of_a_file() {
    for length in 0..GOOD.trim_end().len() {
        assert!(read_text(&GOOD[..length]).is_err(), "{}", &GOOD[..length]);
        refused_with_a_line_for_each_mistake(&GOOD[..length]);
    }
}
