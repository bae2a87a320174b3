//! A program of the toy architecture in a switch.

use std::sync::Arc;

use weir_device::{Device, Packet};
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_native::Native;
use weir_syntax::preprocess::MemoryLoader;

use crate::control::Schema;
use crate::p4info::{ObjectKind, P4Info};
use crate::stats::{DropPlace, DropReason};
use crate::{Switch, SwitchConfig, arch};

/// The architecture, as programs include it.
const TOY: &str = "
    extern bit<16> fold(in bit<32> value);
    struct arrival_t { bit<16> port; bit<64> time; }
    struct departure_t { bit<16> port; bit<16> length; }
    struct decision_t { bit<16> port; bool drop; }
    parser Parser<H>(packet_in p, out H hdr);
    control Front<H>(inout H hdr, in arrival_t a, inout decision_t d);
    control Back<H>(inout H hdr, in departure_t a, inout decision_t d);
    control Deparser<H>(packet_out p, in H hdr);
    package FrontHalf<H>(Parser<H> parse, Front<H> front, Deparser<H> deparse);
    package BackHalf<H>(Parser<H> parse, Back<H> back, Deparser<H> deparse);
    package Pair<F, B>(FrontHalf<F> front, BackHalf<B> back);
";

/// Puts a note in front of a packet, which the back half moves behind the tag.
const PROGRAM: &str = "
    #include <core.p4>
    #include <toy.p4>
    header tag_t { bit<8> port; bit<8> value; }
    header note_t { bit<8> port; bit<8> time; }
    struct front_t { note_t note; tag_t tag; }
    struct back_t { note_t note; tag_t tag; }
    parser P1(packet_in p, out front_t hdr) { state start { p.extract(hdr.tag); transition accept; } }
    control C1(inout front_t hdr, in arrival_t a, inout decision_t d) {
        apply {
            hdr.note.setValid();
            hdr.note.port = (bit<8>) a.port;
            hdr.note.time = (bit<8>) a.time;
            hdr.tag.value = hdr.tag.value + 1;
            d.port = (bit<16>) hdr.tag.port;
            d.drop = hdr.tag.port == 0;
        }
    }
    control D1(packet_out p, in front_t hdr) { apply { p.emit(hdr.note); p.emit(hdr.tag); } }
    parser P2(packet_in p, out back_t hdr) {
        state start { p.extract(hdr.note); p.extract(hdr.tag); transition accept; }
    }
    control C2(inout back_t hdr, in departure_t a, inout decision_t d) {
        apply {
            hdr.tag.value = hdr.tag.value + hdr.note.port;
            hdr.note.time = (bit<8>) fold(16w0x1200 ++ 8w0 ++ hdr.note.time);
            hdr.note.port = (bit<8>) a.port;
            if (hdr.tag.value == 99) { d.drop = true; }
        }
    }
    control D2(packet_out p, in back_t hdr) { apply { p.emit(hdr.tag); p.emit(hdr.note); } }
    Pair(FrontHalf(P1(), C1(), D1()), BackHalf(P2(), C2(), D2())) main;
";

fn program() -> ValidProgram {
    compile(TOY, PROGRAM)
}

fn compile(architecture: &str, program: &str) -> ValidProgram {
    arch::bind(compiled(architecture, program)).expect("the toy architecture is known")
}

fn compiled(architecture: &str, program: &str) -> ValidProgram {
    let loader = MemoryLoader::new()
        .with("program.p4", program)
        .with("toy.p4", architecture)
        .with("core.p4", include_str!("../../../../../p4include/core.p4"));
    let result = weir_compiler::compile("program.p4", &loader, &[]);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    program
}

fn switches() -> [Switch; 2] {
    let interpreter: Arc<dyn Executor> = Arc::new(Interpreter::new(program()));
    let native: Arc<dyn Executor> = Arc::new(Native::new(program()).expect("there is machine code"));
    let config = SwitchConfig::default().with_ports([3, 5]);
    [interpreter, native].map(|executor| Switch::new(executor, config.clone()).expect("the program loads"))
}

#[test]
fn both_halves_parse_and_deparse() {
    for mut switch in switches() {
        switch.receive(1_234_567, 3, Packet::new(0, vec![5, 10, 0xaa]));
        let mut transmissions = Vec::new();
        switch.advance(2_000_000, &mut transmissions);
        let left: Vec<_> =
            transmissions.iter().map(|sent| (sent.port, sent.packet.bytes.as_slice())).collect();
        assert_eq!(left, [(5, &[5, 14, 5, 0x87, 0xaa][..])]);
    }
}

#[test]
fn an_extern_that_the_architecture_lacks_is_refused() {
    let text = PROGRAM.replace("fold(", "bend(");
    let errors = arch::check(&compiled(
        TOY,
        &text.replace("#include <toy.p4>", "#include <toy.p4>\nextern bit<16> bend(in bit<32> value);"),
    ));
    assert_eq!(errors.len(), 1);
    assert!(errors[0].message.contains("extern `bend` is not supported"), "{}", errors[0].message);
}

#[test]
fn ingress_and_egress_drop() {
    for mut switch in switches() {
        for (bytes, place) in [([0, 10], DropPlace::Ingress), ([5, 95], DropPlace::Egress)] {
            switch.receive(switch.now(), 3, Packet::new(0, bytes.to_vec()));
            let mut transmissions = Vec::new();
            switch.advance(switch.now() + 1_000_000, &mut transmissions);
            let drops = &switch.stats().drops;
            assert_eq!((transmissions.len(), drops.get(&(place, DropReason::DropPort))), (0, Some(&1)));
        }
        assert!(switch.stats().is_balanced());
    }
}

#[test]
fn ports_have_16_bits_and_none_drops() {
    let space = arch::port_space(&program()).expect("the toy architecture is known");
    assert_eq!((space.width, space.drop), (16, None));
    assert_eq!(arch::target_macro("Pair"), Some("__TARGET_TOY__"));
}

#[test]
fn ports_have_32_bits_if_the_architecture_says_so() {
    let wide = TOY.replace("{ bit<16> port; bool drop; }", "{ bit<32> port; bool drop; }");
    let space = arch::port_space(&compile(&wide, &PROGRAM.replace("(bit<16>) hdr", "(bit<32>) hdr")));
    let space = space.expect("the toy architecture is known");
    assert_eq!((space.width, space.last_port(), space.drop), (32, u32::MAX, None));
}

#[test]
fn controllers_see_the_objects_that_the_architecture_lists() {
    let declared = format!("{TOY} extern Tally {{ Tally(bit<32> size); void add(in bit<32> index); }}");
    let text = PROGRAM.replace("inout decision_t d) {\n        apply {\n            hdr.note.setValid", "inout decision_t d) {\n        Tally(4) seen;\n        apply {\n            seen.add(1);\n            hdr.note.setValid");
    let program = compile(&declared, &text);
    let view = arch::control_view(&program);
    let info = P4Info::new(&program, view).expect("it has P4Info");
    let seen = info.find(ObjectKind::Other(0x81), "C1.seen").expect("it is listed");
    assert_eq!((info.architecture.as_str(), seen.id >> 24), ("toy", 0x81));
    let schema = Schema::from_program(&program, view);
    let others: Vec<_> = schema
        .other_objects
        .iter()
        .map(|one| (one.name.as_str(), one.of_type.as_str(), one.type_number))
        .collect();
    assert_eq!(others, [("C1.seen", "Tally", 0x81)]);
}

#[test]
fn frames_that_are_parsed_twice_are_cut_before() {
    let lines = arch::whole_frames(&program()).expect("the program loads").lines();
    assert!(lines.iter().all(|line| line.contains("parses packets again")), "{lines:?}");
}
