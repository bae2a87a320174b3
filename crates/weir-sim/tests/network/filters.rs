//! The filter language: each line of testdata/filters.txt against the frames below.
//! `INSTA_UPDATE=always` rewrites the expected results; check the difference.

use std::fmt::Write;

use etherparse::{PacketBuilder, VlanId};
use weir_sim::Filter;

const H1: [u8; 6] = [8, 0, 0, 0, 0, 1];
const H2: [u8; 6] = [8, 0, 0, 0, 0, 2];

fn v6(n: u8) -> [u8; 16] {
    [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n]
}

macro_rules! frame {
    ($builder:expr, $payload:expr) => {{
        let mut bytes = Vec::new();
        $builder.write(&mut bytes, $payload).unwrap();
        bytes
    }};
}

fn frames() -> Vec<(&'static str, Vec<u8>)> {
    let ethernet = || PacketBuilder::ethernet2(H1, H2);
    let ipv4 = || ethernet().ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let ipv6 = || ethernet().ipv6(v6(1), v6(2), 64);
    let tagged =
        || ethernet().single_vlan(VlanId::try_new(5).unwrap()).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
    let mut arp = [&[0xff; 6][..], &H1, &[8, 6, 0, 1, 8, 0, 6, 4, 0, 1], &H1, &[10, 0, 0, 1]].concat();
    arp.extend([0, 0, 0, 0, 0, 0, 10, 0, 0, 2]);
    let mut fragment = frame!(ipv4().udp(1000, 53), &[0; 30]);
    fragment[20..22].copy_from_slice(&[0, 10]);
    let mut group = frame!(ethernet().ipv4([10, 0, 0, 2], [224, 0, 0, 5], 1).udp(7, 8), &[]);
    group[..6].copy_from_slice(&[1, 0, 0x5e, 0, 0, 5]);
    // The packet has a hop-by-hop header of 8 bytes before UDP.
    let mut extended = frame!(ipv6().udp(1000, 53), &[]);
    extended[20] = 0;
    extended.splice(54..54, [17, 0, 1, 4, 0, 0, 0, 0]);
    let probe = [&H2[..], &H1, &[0x13, 0x13], &[7; 46]].concat();
    vec![
        ("syn", frame!(ipv4().tcp(1000, 80, 1, 1000).syn(), &[])),
        (
            "syn-ack",
            frame!(
                ethernet().ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).tcp(80, 1000, 1, 1000).syn().ack(2),
                &[]
            ),
        ),
        ("dns", frame!(ipv4().udp(1000, 53), &[0; 30])),
        ("fragment", fragment),
        ("echo", frame!(ipv4().icmpv4_echo_request(1, 1), &[0; 100])),
        ("tagged", frame!(tagged().tcp(1000, 80, 1, 1000), &[])),
        ("v6-udp", frame!(ipv6().udp(1000, 5005), &[])),
        ("v6-extended", extended),
        ("v6-echo", frame!(ipv6().icmpv6_echo_request(1, 1), &[])),
        ("arp", arp),
        ("group", group),
        ("probe", probe),
        ("cut", frame!(ipv4().udp(1000, 53), &[])[..30].to_vec()),
        ("empty", Vec::new()),
    ]
}

#[test]
fn filters_match_or_are_refused() {
    let frames = frames();
    let mut answers = String::new();
    for line in include_str!("../../testdata/filters.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let answer = match Filter::parse(line) {
            Ok(filter) => {
                let names = frames.iter().filter(|(_, frame)| filter.matches(frame)).map(|(name, _)| *name);
                names.collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        };
        writeln!(answers, "{line}\n    {answer}").unwrap();
    }
    insta::assert_snapshot!(answers);
}

#[test]
fn an_empty_filter_matches_all() {
    let filter = Filter::parse("  ").unwrap();
    assert!(frames().iter().all(|(_, frame)| filter.matches(frame)));
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{}tcp{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(Filter::parse(&deep).unwrap_err().message.contains("too deeply"));
    assert!(Filter::parse(&"not ".repeat(10_000)).unwrap_err().message.contains("too deeply"));
    let deep = format!("{}1{} = 1", "ip[".repeat(10_000), "]".repeat(10_000));
    assert!(Filter::parse(&deep).unwrap_err().message.contains("too deeply"));
    for joint in [" or ", " and "] {
        let long = vec!["port 80"; 100_000].join(joint);
        assert!(Filter::parse(&long).unwrap_err().message.contains("more than 1000 parts"));
    }
    let long = format!("{} = 1", vec!["1"; 100_000].join(" + "));
    assert!(Filter::parse(&long).unwrap_err().message.contains("more than 1000 parts"));
    let long = vec!["port 80"; 300].join(" or ");
    assert!(Filter::parse(&long).unwrap().matches(&frames()[0].1));
}

proptest::proptest! {
    /// Any text and any bytes give a result, never a panic.
    #[test]
    fn filters_never_panic(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "and", "or", "not", "(", ")", "[", "]", "tcp", "ip", "ether", "host", "port", "net", "src", "dst", "10.0.0.1", "80",
                "10.0.0.0/8", ":", "&", "=", "len", "vlan", "0x", "-", "/", "é", "mask", "portrange", "1-2", "tcpflags", "::1", "greater",
            ]),
            0..12,
        ),
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80),
    ) {
        if let Ok(filter) = Filter::parse(&words.join(" ")) {
            filter.matches(&bytes);
            for (_, frame) in frames() {
                for end in 0..frame.len() {
                    filter.matches(&frame[..end]);
                }
            }
        }
    }
}
