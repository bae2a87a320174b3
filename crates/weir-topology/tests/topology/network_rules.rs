//! Parts of topologies that networks refuse, or that have no effect there.

use crate::common::{changed, read_text};

#[test]
fn settings_without_effect_are_noted() {
    let link = |rest: &str| {
        changed(r#"["h1", "s1-p1"]"#, &format!(r#"{{"ends": ["h1", "s1-p1"], "overtake": true{rest}}}"#))
    };
    let notes = read_text(&link("")).unwrap().notes;
    assert_eq!(notes, ["link h1 <-> s1-p1: overtake has no effect without jitter"]);
    assert!(read_text(&link(r#", "jitter": "1ms""#)).unwrap().notes.is_empty());
}

#[test]
fn addresses_that_no_host_can_have() {
    for (own, key) in [
        ("0.0.0.0/8", "ip"),
        ("0.1.2.3/8", "ip"),
        ("127.0.0.1/8", "ip"),
        ("127.255.0.1/30", "ip"),
        ("224.0.0.1/24", "ip"),
        ("240.0.0.1/24", "ip"),
        ("255.255.255.255/32", "ip"),
        ("::/64", "ip6"),
        ("::1/64", "ip6"),
        ("::ffff:1.2.3.4/120", "ip6"),
        ("ff02::1/64", "ip6"),
    ] {
        let text = match key {
            "ip" => changed("10.0.2.2/24", own),
            _ => changed("\"10.0.2.2/24\"", &format!("\"10.0.2.2/24\", \"ip6\": \"{own}\"")),
        };
        let error = read_text(&text).unwrap_err().to_string();
        let address = own.split('/').next().unwrap();
        let expected = format!("$.hosts.h2.{key}: {address} cannot be the address of a host: ");
        assert!(error.contains(&expected), "{own}: {error}");
        let tool = if key == "ip" { "ip addr add" } else { "ip -6 addr add" };
        let command = format!("\"10.0.2.2/24\", \"commands\": [\"{tool} {own} dev eth0\"]");
        let error = read_text(&changed("\"10.0.2.2/24\"", &command)).unwrap_err().to_string();
        let expected = format!("$.hosts.h2.commands[0]: {address} cannot be the address of a host: ");
        assert!(error.contains(&expected), "{own}: {error}");
    }
    for own in ["1.0.0.1/8", "126.0.0.1/8", "128.0.0.1/8", "223.255.255.1/24"] {
        read_text(&changed("10.0.2.2/24", own)).unwrap();
    }
}

#[test]
fn network_refusals_have_the_place_of_the_refused_part() {
    let of_h2 = |rest: &str| changed("\"10.0.2.2/24\"", &format!("\"10.0.2.2/24\", {rest}"));
    for (text, expected) in [
        (of_h2(r#""ip6": "2001:db8::1/64", "mtu": "1000B""#), Some("$.hosts.h2.mtu: a small MTU")),
        (
            of_h2(r#""mtu": "1000B", "commands": ["ip -6 addr add 2001:db8::1/64 dev eth0"]"#),
            Some("$.hosts.h2.commands[0]: a small MTU"),
        ),
        (
            of_h2(r#""ip6": "2001:db8::1/64", "mtu": "1000B", "commands": ["ip link set eth0 mtu 1280"]"#),
            None,
        ),
        (
            of_h2(r#""arp": {"10.0.2.1": "08:00:00:00:00:01", "10.0.2.3": "01:00:5e:00:00:01"}"#),
            Some("$.hosts.h2.arp.\"10.0.2.3\": a group address"),
        ),
        (
            changed(r#"{ "cpu_port": "510" }"#, r#"{ "profile": "slow" }"#),
            Some("$.switches.s2.profile: no profile slow"),
        ),
        (changed(r#"{ "cpu_port": "510" }"#, r#"{ "profile": "fast" }"#), None),
        (
            changed(r#"["h1", "s1-p1"]"#, r#"{"ends": ["h1", "s1-p1"], "qdisc": ""}"#),
            Some("$.links[0].qdisc: tc qdisc add dev eth0 root : no discipline"),
        ),
        (
            changed(r#"["h1", "s1-p1"]"#, r#"{"ends": ["h1", "s1-p1"], "qdisc": {"s1-p1": ""}}"#),
            Some("$.links[0].qdisc.s1-p1: tc qdisc add dev s1-eth0 root : no discipline"),
        ),
    ] {
        match (read_text(&text), expected) {
            (Ok(_), None) => {}
            (Err(error), Some(expected)) => {
                assert!(error.to_string().contains(expected), "{expected}: {error}");
            }
            (read, _) => panic!("{expected:?}: {:?}", read.map(|_| ())),
        }
    }
}
