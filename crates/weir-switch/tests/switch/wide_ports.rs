//! Variants of v1model whose port numbers have another width than 9 bits.

use crate::bench::{run, start};
use weir_device::{Buffer, Device, Packet, Port};
use weir_ir::ValidProgram;
use weir_switch::stats::{DropPlace, DropReason};
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

/// Sends packets to the port that they name, and drops those that name port 0.
const TO_TAG: &str = "
    #include <core.p4>
    #include <v1model.p4>
    header tag_t { bit<32> port; bit<32> seen; }
    struct headers_t { tag_t tag; }
    struct meta_t {}
    parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
        state start { p.extract(hdr.tag); transition accept; }
    }
    control V(inout headers_t hdr, inout meta_t m) { apply {} }
    control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
        apply {
            if (hdr.tag.port == 0) { mark_to_drop(sm); } else { sm.egress_spec = (bit<9>) hdr.tag.port; }
        }
    }
    control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t sm) {
        apply { hdr.tag.seen = (bit<32>) sm.egress_port; }
    }
    control U(inout headers_t hdr, inout meta_t m) { apply {} }
    control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.tag); } }
    V1Switch(P(), V(), I(), E(), U(), D()) main;
";

fn program(width: u32) -> ValidProgram {
    let resized = |text: &str| text.replace("bit<9>", &format!("bit<{width}>"));
    let loader = MemoryLoader::new()
        .with("program.p4", resized(TO_TAG))
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", resized(include_str!("../../../../p4include/v1model.p4")));
    let result = weir_compiler::compile("program.p4", &loader, &[]);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    arch::bind(program).unwrap()
}

fn bytes(port: Port) -> Vec<u8> {
    [port.to_be_bytes(), [0; 4]].concat()
}

fn drops(switch: &Switch) -> u64 {
    switch.stats().drops.get(&(DropPlace::Ingress, DropReason::DropPort)).copied().unwrap_or(0)
}

#[test]
fn the_largest_number_of_any_width_drops() {
    for (width, last) in [(8, 0xff), (9, 0x1ff), (16, 0xffff), (32, Port::MAX)] {
        let mut switch = start(&program(width), SwitchConfig::default().with_ports([1, last - 1]));
        let space = switch.port_space();
        assert_eq!((space.width, space.last(), space.drop), (width, last, Some(last)));
        assert_eq!(switch.schema().last_port, Some(last));
        for port in [last - 1, last, 0] {
            let now = switch.now();
            switch.receive(now, 1, Packet::new(0, bytes(port)));
            let output = run(&mut switch);
            let seen: Vec<_> =
                output.iter().map(|sent| (sent.port, sent.packet.bytes[4..].to_vec())).collect();
            let expected = (port == last - 1).then(|| (port, port.to_be_bytes().to_vec()));
            assert_eq!(seen, expected.into_iter().collect::<Vec<_>>(), "{width} bits, port {port}");
        }
        assert_eq!(drops(&switch), 2, "{width} bits");
    }
}

#[test]
fn wide_ports_take_the_fast_path() {
    let ports = SwitchConfig::default().with_ports([1, 0xfffe]);
    let mut switch = start(&program(16), SwitchConfig { pass_latency: 0, ..ports });
    let mut buffers = [0xfffe, 0xffff, 0].map(|port| {
        let mut buffer = Buffer::new(64);
        buffer.receive(1, 0, &bytes(port));
        buffer
    });
    let mut transmissions = Vec::new();
    switch.forward(0, &mut buffers, &mut transmissions);
    assert_eq!(buffers.map(|buffer| buffer.metadata.egress_port), [Some(0xfffe), None, None]);
    assert_eq!((transmissions.len(), drops(&switch)), (0, 2));
}

#[test]
fn settings_choose_another_drop_port() {
    let ports = SwitchConfig::default().with_ports([1, 7, 511]);
    let mut switch = start(&program(9), SwitchConfig { drop_port: Some(7), ..ports });
    assert_eq!(switch.port_space().drop, Some(7));
    for (port, expected) in [(7, vec![]), (511, vec![511])] {
        let now = switch.now();
        switch.receive(now, 1, Packet::new(0, bytes(port)));
        assert_eq!(run(&mut switch).iter().map(|out| out.port).collect::<Vec<_>>(), expected);
    }
}
