//! `tc` commands: each block of testdata/tc.txt on a new interface. `INSTA_UPDATE=always` rewrites
//! the expected output; check the difference.

use std::fmt::Write;

use crate::world::*;
use weir_sim::{
    Direction, LinkConfig, LinkEnd, Network, QdiscConfig, TcCommand, TcInterface, UdpSender, UdpSenderConfig,
};

#[test]
fn commands_are_executed_or_refused_with_the_reason() {
    let mut answers = String::new();
    for block in include_str!("../../testdata/tc.txt").split("\n\n") {
        let mut interface = TcInterface::default();
        let lines = block.lines().filter(|line| !line.starts_with('#'));
        for line in lines.clone() {
            writeln!(answers, "{line}").unwrap();
            let done = TcCommand::parse(line).and_then(|command| {
                assert!(command.device().is_none_or(|device| device == "eth0"));
                command.apply(&mut interface)
            });
            if let Err(error) = done {
                assert_eq!(error.line, line);
                writeln!(answers, "    refused: {error}").unwrap();
            }
        }
        if lines.count() > 0 {
            match interface.config() {
                Some(config) => writeln!(answers, "    = {config}\n").unwrap(),
                None => writeln!(answers, "    = none\n").unwrap(),
            }
        }
    }
    insta::assert_snapshot!(answers);
}

/// Returns two hosts at one relay; all links have 100 Mbit/s.
fn network() -> Network {
    let link = LinkConfig { rate: Some(100_000_000), ..LinkConfig::default() };
    star_network(1, 2, Relay::new(2, 0), &link).0
}

fn tc(network: &mut Network, node: &str, lines: &[&str]) {
    for line in lines {
        network.tc(node, line).unwrap();
    }
}

#[test]
fn a_shaped_host_sends_at_its_rate() {
    let mut network = network();
    tc(
        &mut network,
        "h1",
        &[
            "tc qdisc add dev h1-eth0 root handle 1: htb default 10",
            "tc class add dev eth0 parent 1: classid 1:1 htb rate 5mbit",
            "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 2mbit ceil 5mbit",
            "tc class add dev eth0 parent 1:1 classid 1:20 htb rate 3mbit ceil 5mbit",
            "tc filter add dev eth0 protocol ip parent 1: u32 match ip dport 20 0xffff flowid 1:20",
        ],
    );
    for (source_port, port) in [(1000, 10), (2000, 20)] {
        let sender = UdpSenderConfig {
            destination: (address(2), port),
            source_port,
            payload_bytes: 958,
            interval: MS / 2,
            count: 20_000,
        };
        network.start_app("h1", 0, Box::new(UdpSender::new(sender).unwrap())).unwrap();
    }
    network.run_until(SECOND);
    let link = network.link_at(&LinkEnd::new("h1", 0)).unwrap();
    let sent = |network: &Network| network.link_counters(link, Direction::Forward).unwrap().sent_bytes;
    let before = sent(&network);
    network.run_until(9 * SECOND);
    let rate = (sent(&network) - before) as f64; // Bytes in 8 s are bits per second.
    // 5 Mbit/s for 8 s.
    assert!((rate - 5e6).abs() < 5e4, "{rate}");
    tc(&mut network, "h1", &["tc class change dev eth0 parent 1: classid 1:1 htb rate 1mbit"]);
    assert!(check(&mut network).drops.iter().any(|drop| drop.reason == "queue full"));
}

#[test]
fn interfaces_are_found_by_name() {
    let mut network = network();
    let port = LinkEnd::new("s1", 1);
    for device in ["s1-p1", "s1-eth1", "eth1"] {
        tc(&mut network, "s1", &[&format!("tc qdisc replace dev {device} root netem delay 5ms")]);
        assert!(matches!(network.queue(&port).unwrap(), QdiscConfig::Netem(_)));
        tc(&mut network, "s1", &[&format!("tc qdisc del dev {device} root")]);
        assert_eq!(network.queue(&port).unwrap(), QdiscConfig::packets(1000));
    }
    let refused = |network: &mut Network, node, line| network.tc(node, line).unwrap_err().to_string();
    let message = refused(&mut network, "h1", "tc qdisc add dev eth1 root fq");
    assert_eq!(message, "`h1` has no interface `eth1` with a link; it has h1-eth0");
    let message = refused(&mut network, "h3", "tc qdisc add dev eth0 root fq");
    assert!(message.starts_with("there is no node called `h3`"), "{message}");
    let message = refused(&mut network, "h1", "tc qdisc add dev eth0 root fk");
    assert!(message.ends_with("did you mean `fq`?"), "{message}");
    // A delay of 5 ms at the switch towards h2 adds to the round-trip time.
    let config = || weir_sim::PingConfig::new(address(2), 1);
    let before = rtt(&run_ping(&mut network, "h1", config())[0]);
    tc(&mut network, "s1", &["tc qdisc add dev s1-p1 root netem delay 5ms"]);
    let after = rtt(&run_ping(&mut network, "h1", config())[0]);
    assert_eq!(after - before, 5 * MS);
    network.set_queue(&port, QdiscConfig::packets(7)).unwrap();
    tc(&mut network, "s1", &["tc qdisc add dev s1-p1 root fq", "tc qdisc del dev s1-p1 root"]);
    assert_eq!(network.queue(&port).unwrap(), QdiscConfig::packets(7));
    check(&mut network);
}

const WORDS: [&str; 62] = [
    "qdisc",
    "class",
    "filter",
    "add",
    "replace",
    "change",
    "del",
    "root",
    "parent",
    "handle",
    "classid",
    "1:",
    "1:1",
    "1:10",
    "1:20",
    ":10",
    "10:",
    "ffff:ffff",
    "htb",
    "fq",
    "tbf",
    "netem",
    "pfifo",
    "bfifo",
    "default",
    "rate",
    "ceil",
    "burst",
    "cburst",
    "prio",
    "quantum",
    "limit",
    "latency",
    "delay",
    "loss",
    "gemodel",
    "duplicate",
    "reorder",
    "gap",
    "distribution",
    "normal",
    "maxrate",
    "flow_limit",
    "1mbit",
    "99999999tbit",
    "0",
    "1",
    "18446744073709551615",
    "15k",
    "10ms",
    "1%",
    "é",
    "u32",
    "match",
    "ip",
    "dst",
    "10.0.0.2",
    "flower",
    "matchall",
    "flowid",
    "0xffff",
    "protocol",
];

proptest::proptest! {
    /// Any words are executed or refused, without a panic, and the network continues.
    #[test]
    fn commands_never_panic(
        lines in proptest::collection::vec(proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), 1..12), 1..12),
    ) {
        let mut network = network();
        let _ = network.tc("h1", "tc qdisc add dev eth0 root handle 1: htb default 10");
        let _ = network.tc("h1", "tc class add dev eth0 parent 1: classid 1:10 htb rate 1mbit");
        for words in lines {
            let (object, rest) = words.split_at(1.min(words.len()));
            let (verb, rest) = rest.split_at(1.min(rest.len()));
            let line = format!("tc {} {} dev eth0 {}", object.join(" "), verb.join(" "), rest.join(" "));
            if let Err(error) = network.tc("h1", &line) {
                proptest::prop_assert!(!error.to_string().is_empty());
            }
        }
        let rows = run_ping(&mut network, "h1", weir_sim::PingConfig { timeout: SECOND, ..weir_sim::PingConfig::new(address(2), 1) });
        proptest::prop_assert_eq!(rows.len(), 1);
        proptest::prop_assert_eq!(network.audit().violations, Vec::<String>::new());
    }
}

#[test]
fn disciplines_show_their_statistics() {
    let mut network = network();
    let show = |network: &mut Network, line: &str| network.tc("h1", line).unwrap();
    assert_eq!(show(&mut network, "tc qdisc show"), "qdisc pfifo 0: dev h1-eth0 root limit 1000p\n");
    tc(
        &mut network,
        "h1",
        &[
            "tc qdisc add dev eth0 root handle 1: htb default 30",
            "tc class add dev eth0 parent 1: classid 1:1 htb rate 4mbit",
            "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 1mbit ceil 1500kbit burst 15k prio 1",
            "tc class add dev eth0 parent 1:1 classid 1:30 htb rate 1mbit",
            "tc qdisc add dev eth0 parent 1:10 handle 10: netem delay 1500us loss 0% 25% limit 50",
            "tc filter add dev eth0 protocol ip parent 1: prio 1 u32 match ip dport 20 0xffff flowid 1:1",
            "tc filter add dev eth0 parent 1:1 prio 1 matchall flowid 1:10",
        ],
    );
    let sender = UdpSenderConfig {
        destination: (address(2), 20),
        source_port: 1000,
        payload_bytes: 958,
        interval: 4 * MS,
        count: 500,
    };
    network.start_app("h1", 0, Box::new(UdpSender::new(sender).unwrap())).unwrap();
    network.run_until(SECOND);
    // 2 Mbit/s arrive at 1.5 Mbit/s. Of 251 frames of 1000 bytes, 50 are queued and 12 were
    // dropped.
    insta::assert_snapshot!(
        show(&mut network, "tc -s qdisc show dev eth0")
            + &show(&mut network, "tc -s class show dev eth0")
            + &show(&mut network, "tc filter show dev eth0")
    );
    // Configurations that were not made by commands are shown in the same format.
    network
        .set_queue(
            &LinkEnd::new("h1", 0),
            QdiscConfig::Tbf(weir_sim::TbfConfig {
                rate: 1_000_000,
                burst: 2048,
                peak: None,
                limit: 1 << 20,
                queue: None,
            }),
        )
        .unwrap();
    assert_eq!(
        show(&mut network, "tc qdisc"),
        "qdisc tbf 1: dev h1-eth0 root rate 1Mbit burst 2Kb limit 1Mb\n"
    );
    check(&mut network);
}

#[test]
fn disciplines_show_their_marks() {
    let mut output = String::new();
    for queue in [
        "codel target 2ms interval 10ms ecn ce_threshold 40ms",
        "fq_codel limit 60 flows 16 noecn memory_limit 50k",
        "red limit 50k min 10k max 20k avpkt 1000 burst 20 probability 0.1 ecn harddrop",
        "netem delay 1ms rate 1mbit -4 48 5 slot 5ms 9ms packets 3 loss 1% ecn seed 3",
    ] {
        let mut network = network();
        // 2 Mbit/s of datagrams arrive at 1 Mbit/s.
        tc(
            &mut network,
            "h1",
            &[
                "tc qdisc add dev eth0 root handle 1: tbf rate 1mbit burst 3000 limit 1mb peakrate 2mbit mtu 2000",
                &format!("tc qdisc add dev eth0 parent 1:1 handle 2: {queue}"),
            ],
        );
        let sender = UdpSenderConfig {
            destination: (address(2), 20),
            source_port: 1000,
            payload_bytes: 958,
            interval: 4 * MS,
            count: 200,
        };
        network.start_app("h1", 0, Box::new(UdpSender::new(sender).unwrap())).unwrap();
        network.run_until(SECOND);
        output += &network.tc("h1", "tc -s qdisc show dev eth0").unwrap();
        check(&mut network);
    }
    insta::assert_snapshot!(output);
}

#[test]
fn disciplines_are_shown_as_commands() {
    for options in [
        "fq maxrate 20mbit nopacing ce_threshold 1ms",
        "codel limit 100 target 4ms interval 30ms ecn ce_threshold 1ms",
        "fq_codel limit 100 flows 16 quantum 300 noecn memory_limit 50k drop_batch 8",
        "red limit 50k min 10k max 20k avpkt 1000 burst 20 probability 0.1 ecn adaptive nodrop",
        "tbf rate 1mbit burst 3000 limit 1mb peakrate 2mbit mtu 2000",
        "netem delay 1ms rate 1mbit -4 48 5 slot 5ms 9ms packets 3 bytes 2000 loss 1% ecn seed 3",
    ] {
        let (mut by_command, mut typed) = (network(), network());
        let child = "tc qdisc add dev eth0 parent 1:1 handle 2: pfifo limit 9";
        tc(&mut by_command, "h1", &[&format!("tc qdisc add dev eth0 root handle 1: {options}")]);
        if by_command.tc("h1", child).is_err() {
            assert!(options.starts_with("fq") || options.starts_with("codel"), "{options}");
        }
        let end = LinkEnd::new("h1", 0);
        typed.set_queue(&end, by_command.queue(&end).unwrap()).unwrap();
        let statistics = |network: &mut Network| network.tc("h1", "tc -s qdisc show dev eth0").unwrap();
        assert_eq!(statistics(&mut typed), statistics(&mut by_command));
    }
}
