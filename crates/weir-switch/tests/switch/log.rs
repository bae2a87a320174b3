//! Lines of `log_msg`: each placeholder shows one value of any type, as in `simple_switch`.

use crate::bench::{compile, run, start};
use weir_device::{Device, Packet};
use weir_ir::Bits;
use weir_switch::{SwitchConfig, arch};

/// Returns a program whose ingress runs these statements.
fn program(body: &str) -> String {
    format!(
        r#"
#include <core.p4>
#include <v1model.p4>
header tag_t {{ bit<8> kind; int<8> shift; int<12> wide; bit<4> rest; }}
enum bit<8> Level {{ LOW = 1, HIGH = 2 }}
enum int<8> Step {{ DOWN = -3, UP = 3 }}
enum Colour {{ RED, GREEN }}
struct pair_t {{ bit<8> left; int<8> right; }}
struct headers_t {{ tag_t tag; tag_t absent; tag_t[2] stack; }}
struct metadata_t {{ pair_t pair; Level level; Step step; Colour colour; int<72> huge; bool flag; }}
parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta,
                inout standard_metadata_t standard) {{
    state start {{ packet.extract(hdr.tag); packet.extract(hdr.stack.next); transition accept; }}
}}
control MyVerify(inout headers_t hdr, inout metadata_t meta) {{ apply {{}} }}
control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {{
    apply {{
        standard.egress_spec = 1;
        meta.pair = {{ 4, -4 }};
        meta.level = Level.HIGH;
        meta.step = Step.DOWN;
        meta.colour = Colour.GREEN;
        meta.huge = -2;
        meta.flag = true;
        {body}
    }}
}}
control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {{ apply {{}} }}
control MyCompute(inout headers_t hdr, inout metadata_t meta) {{ apply {{}} }}
control MyDeparser(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
"#
    )
}

/// Returns the log lines that a packet causes.
fn lines(body: &str) -> Vec<String> {
    let program = compile(&program(body), &[]);
    let mut switch = start(&program, SwitchConfig::default().with_ports(1..=2));
    switch.receive(0, 1, Packet::new(0, vec![5, 0xfe, 0xff, 0xb0, 6, 1, 0x00, 0x70]));
    assert_eq!(run(&mut switch).len(), 1);
    switch.control().take_log().into_iter().map(|line| line.text).collect()
}

#[test]
fn each_placeholder_shows_one_value() {
    for (values, text, line) in [
        ("hdr.tag.shift", "{}", "-2"),
        ("hdr.tag.wide", "{}", "-5"),
        ("hdr.tag.shift + 1", "{}", "-1"),
        ("(bit<8>) hdr.tag.shift", "{}", "254"),
        ("meta.huge", "{}", "-2"),
        ("8s0 - 8s1", "{}", "-1"),
        ("meta.flag", "{}", "1"),
        ("meta.level", "{}", "2"),
        ("meta.step", "{}", "-3"),
        ("meta.colour", "{}", "1"),
        ("error.NoMatch", "{}", "2"),
        ("hdr.tag, 8w7", "{} then {}", "(kind:5,shift:-2,wide:-5,rest:0) then 7"),
        ("hdr.absent, 8w7", "{} then {}", "(invalid) then 7"),
        ("hdr.absent.kind, 8w7", "{} then {}", "0 then 7"),
        ("meta.pair, 8w7", "{} then {}", "(left:4,right:-4) then 7"),
        ("{ 8w1, 8s0 - 8s2 }, 8w7", "{} then {}", "(1,-2) then 7"),
        ("hdr.stack, 8w7", "{} then {}", "((kind:6,shift:1,wide:7,rest:0),(invalid)) then 7"),
        ("8w7", "\\\\{ \\\\} {} {", "{ } 7 {"),
    ] {
        let body = format!("log_msg(\"{text}\", {{ {values} }});");
        assert_eq!(lines(&body), [line], "{body}");
    }
    assert_eq!(lines("log_msg(\"{} {}\", meta.pair);"), ["4 -4"]);
    assert_eq!(lines("log_msg(\"plain\");"), ["plain"]);
}

/// Only calls of `log_msg` have a text with places for values.
#[test]
fn places_are_counted_in_log_lines_only() {
    for (body, count) in [
        ("digest(1, meta.pair); log_msg(\"{} {}\", meta.pair);", 0),
        ("digest(1, meta.pair); log_msg(\"{}\", meta.pair);", 1),
    ] {
        let found = arch::warnings(&compile(&program(body), &[]));
        assert_eq!(found.len(), count, "{found:?}");
    }
}

/// Registers, keys and digests know the sign of their values, too.
#[test]
fn schemas_and_digests_know_signs() {
    let body = "digest(1, meta.pair); digest<tag_t>(2, hdr.tag);";
    let program = compile(&program(body), &[]);
    let mut switch = start(&program, SwitchConfig::default().with_ports(1..=2));
    switch.receive(0, 1, Packet::new(0, vec![5, 0xfe, 0xff, 0xb0, 6, 1, 0x00, 0x70]));
    run(&mut switch);
    let digests = switch.control().take_digests();
    assert_eq!(digests[0].names, ["left", "right"]);
    assert_eq!(digests[0].values, [Bits::new(8, 4), Bits::new(8, 252)]);
    assert_eq!(digests[0].labels, [None, Some("-4".to_owned())]);
    assert_eq!(digests[1].names, ["kind", "shift", "wide", "rest"]);
    assert_eq!(digests[1].labels[2].as_deref(), Some("-5"));
}
