//! A traced packet tells its journey in the program's names and lines.

mod bench;

use bench::{Bench, call, entry, exact, packet, send};
use weir_switch::trace::Step;

#[test]
fn a_journey_step_by_step() {
    let bench = Bench {
        items: "table ingress.t @100:5 {
                  key hdr.tag.port: exact hdr.tag.port @101:9
                  action ingress.forward
                  action ingress.drop
                  default ingress.drop()
                }",
        ingress: "apply ingress.t; @61:9",
        egress: "if meta.count < 8w1 @71:9 {
                   meta.count = 8w1; @72:13
                   extern recirculate_preserving_field_list(in index = 8w1); @73:13
                 }",
        ..Bench::default()
    };
    let mut switch = bench.switch();
    switch.control().insert("t", entry(&[("port", exact(2))], call("forward", &[("port", 4)]))).unwrap();
    switch.trace_next(1);
    send(&mut switch, 0, 1, packet(0, 2, b"x"));
    send(&mut switch, 5_000, 1, packet(1, 2, b"x"));
    let (steps, lost) = switch.take_trace();
    assert_eq!(lost, 0);
    let lines: Vec<_> = steps.iter().map(Step::to_string).collect();
    insta::assert_snapshot!(lines.join("\n"));
    assert!(switch.take_trace().0.is_empty(), "the second packet was not chosen");
}
