//! Tests TNA's externs in blocks that cannot call them, and with arguments that do not fit.

use crate::program::checked;

/// The parts of a program of TNA into which tests put code.
#[derive(Default)]
struct Parts {
    /// Statements of the ingress parser, and declarations before them.
    parser: [&'static str; 2],
    /// Declarations and statements of ingress.
    ingress: [&'static str; 2],
    /// Declarations and statements of the ingress deparser.
    deparser: [&'static str; 2],
    /// Declarations and statements of the egress deparser.
    last: [&'static str; 2],
}

fn rendered(parts: &Parts) -> String {
    let Parts { parser: [p0, p1], ingress: [i0, i1], deparser: [d0, d1], last: [l0, l1] } = parts;
    let text = format!(
        "#include <core.p4>
#include <t2na.p4>
header h_t {{ bit<32> a; bit<32> b; bit<8> c; int<32> s; }}
header v_t {{ varbit<64> v; }}
struct pair_t {{ bit<32> x; bit<32> y; }}
struct headers_t {{ h_t h; v_t v; }}
struct meta_t {{ bit<32> m; pair_t p; bool flag; }}
parser IP(packet_in packet, out headers_t hdr, out meta_t md, out ingress_intrinsic_metadata_t intr) {{
    {p0}
    state start {{ packet.extract(intr); packet.advance(PORT_METADATA_SIZE); packet.extract(hdr.h); {p1} transition accept; }}
}}
control IG(inout headers_t hdr, inout meta_t md, in ingress_intrinsic_metadata_t intr,
           in ingress_intrinsic_metadata_from_parser_t prsr,
           inout ingress_intrinsic_metadata_for_deparser_t dprs,
           inout ingress_intrinsic_metadata_for_tm_t tm) {{
    {i0}
    apply {{ tm.ucast_egress_port = 3; {i1} }}
}}
control ID(packet_out packet, inout headers_t hdr, in meta_t md,
           in ingress_intrinsic_metadata_for_deparser_t dprs) {{
    {d0}
    apply {{ {d1} packet.emit(hdr.h); }}
}}
parser EP(packet_in packet, out headers_t hdr, out meta_t md, out egress_intrinsic_metadata_t intr) {{
    state start {{ packet.extract(intr); packet.extract(hdr.h); transition accept; }}
}}
control EG(inout headers_t hdr, inout meta_t md, in egress_intrinsic_metadata_t intr,
           in egress_intrinsic_metadata_from_parser_t prsr,
           inout egress_intrinsic_metadata_for_deparser_t dprs,
           inout egress_intrinsic_metadata_for_output_port_t port) {{ apply {{ }} }}
control ED(packet_out packet, inout headers_t hdr, in meta_t md,
           in egress_intrinsic_metadata_for_deparser_t dprs) {{
    {l0}
    apply {{ {l1} packet.emit(hdr.h); }}
}}
Pipeline(IP(), IG(), ID(), EP(), EG(), ED()) pipe;
Switch(pipe) main;
"
    );
    let checked = checked(&text);
    checked.diagnostics.render(&checked.sources, false)
}

fn ingress(locals: &'static str, code: &'static str) -> String {
    rendered(&Parts { ingress: [locals, code], ..Parts::default() })
}

/// Returns the errors in a rendered text.
fn errors(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("error")).collect()
}

fn assert_error(text: &str, wanted: &str, help: &str) {
    assert_eq!(errors(text).len(), 1, "{wanted}: {text}");
    assert!(errors(text)[0].contains(wanted), "{wanted}: {text}");
    assert!(text.contains("--> main.p4:") && text.replace("\n  ", "").contains(help), "{help}: {text}");
}

#[test]
fn each_extern_says_which_blocks_call_it() {
    for (locals, code, name, help) in [
        ("ParserCounter() left;", "left.set(hdr.h.c);", "ParserCounter.set", "only parsers"),
        ("ParserCounter() left;", "left.increment(1);", "ParserCounter.increment", "only parsers"),
        ("ParserPriority() urgent;", "urgent.set(3);", "ParserPriority.set", "only parsers"),
        ("Mirror(1) mirror;", "mirror.emit(3);", "Mirror.emit", "deparsers mirror packets"),
        ("Resubmit(1) again;", "again.emit();", "Resubmit.emit", "only the ingress deparser"),
        ("Digest<bit<32>>(1) told;", "told.pack(hdr.h.a);", "Digest.pack", "only the ingress deparser"),
    ] {
        let wanted = format!("`{name}` cannot be called in ingress (`IG`)");
        assert_error(&ingress(locals, code), &wanted, help);
    }
    for (locals, code, name) in [
        ("Resubmit(1) again;", "again.emit();", "Resubmit.emit"),
        ("Digest<bit<32>>(1) told;", "told.pack(hdr.h.a);", "Digest.pack"),
    ] {
        let wanted = format!("`{name}` cannot be called in the egress deparser (`ED`)");
        assert_error(
            &rendered(&Parts { last: [locals, code], ..Parts::default() }),
            &wanted,
            "only the ingress",
        );
        let fits = rendered(&Parts { deparser: [locals, code], ..Parts::default() });
        assert_eq!(errors(&fits), [""; 0], "{fits}");
    }
    let fits =
        rendered(&Parts { parser: ["ParserCounter() left;", "left.set(hdr.h.c);"], ..Parts::default() });
    assert_eq!(errors(&fits), [""; 0], "{fits}");
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    for (code, problem) in [
        ("invalidate(hdr.h.a + 1);", "not a computed value"),
        ("if (is_validated(md.p)) { hdr.h.a = 1; }", "must be one header, one header field"),
        ("md.p = max(md.p, md.p);", "`t1` must be one number"),
        ("hdr.h = min(hdr.h, hdr.h);", "`t1` must be one number"),
        ("md.flag = max(md.flag, md.flag);", "`t1` must be one number"),
        ("hdr.h.a = sizeInBits(hdr.v);", "has a `varbit`"),
        ("hdr.h.a = sizeInBytes(hdr.v);", "has a `varbit`"),
        (
            "funnel_shift_right(hdr.h.a, hdr.h.a, hdr.h.b, -1);",
            "`shift_amount` is -1, but must be between 0 and 32",
        ),
        (
            "funnel_shift_right(hdr.h.a, hdr.h.a, hdr.h.b, 33);",
            "`shift_amount` is 33, but must be between 0 and 32",
        ),
        (
            "funnel_shift_right(hdr.h.a, hdr.h.a, hdr.h.b, 1 << 70);",
            "`shift_amount` is 1180591620717411303424, but must be between 0 and 32",
        ),
        ("funnel_shift_right(md.p, md.p, md.p, 1);", "`dst` must be one number"),
    ] {
        assert_error(&ingress("", code), problem, "");
    }
    for code in [
        "funnel_shift_right(hdr.h.a, hdr.h.a, hdr.h.b, 0);",
        "funnel_shift_right(hdr.h.a, hdr.h.a, hdr.h.b, 32);",
        "hdr.h.s = min(hdr.h.s, 32s0);",
        "hdr.h.a = sizeInBits(hdr.h);",
        "invalidate(hdr.h); invalidate(hdr.h.a); invalidate(md.m);",
    ] {
        let text = ingress("", code);
        assert_eq!(errors(&text), [""; 0], "{text}");
    }
    let wide = "bit<200> all = port_metadata_unpack<bit<200>>(packet); hdr.h.a = all[31:0];";
    let wide = rendered(&Parts { parser: ["", wide], ..Parts::default() });
    assert_error(&wide, "its result has 200 bits, but a port has only 128 bits of data", "");
    let varbit = Parts { deparser: ["Mirror(1) mirror;", "mirror.emit(3, hdr.v);"], ..Parts::default() };
    assert_error(&rendered(&varbit), "`hdr` must consist of numbers and booleans", "");
}

#[test]
fn a_polynomial_has_coefficients() {
    let zero = ingress(
        "CRCPolynomial<bit<32>>(0, true, false, false, 0, 0) p; Hash<bit<32>>(HashAlgorithm_t.CUSTOM, p) sum;",
        "hdr.h.a = sum.get(hdr.h.b);",
    );
    assert_error(&zero, "the coefficients of its CRCPolynomial are 0", "");
}

#[test]
fn factors_are_positive() {
    for unit in ["MathUnit<bit<32>>(MathOp_t.MUL, -1) by;", "MathUnit<bit<32>>(MathOp_t.DIV, 1, 0) by;"] {
        let text = ingress(unit, "hdr.h.a = by.execute(hdr.h.b);");
        assert_error(&text, "its factors must be positive numbers", "");
    }
}

#[test]
fn externs_that_do_not_run_yet_are_named() {
    let text = rendered(&Parts { deparser: ["Pktgen() made;", "made.emit(hdr.h);"], ..Parts::default() });
    assert_error(
        &text,
        "extern object `ID.made` of type `Pktgen` is not supported",
        "Weir has no `Pktgen` of TNA yet",
    );
}

#[test]
fn arrays_without_cells_are_a_warning() {
    let text = ingress(
        "Counter<bit<32>, bit<8>>(0, CounterType_t.PACKETS) c; Meter<bit<8>>(0, MeterType_t.BYTES) m;
         Register<bit<32>, bit<8>>(0) r; Lpf<bit<32>, bit<8>>(0) l; Wred<bit<32>, bit<8>>(0, 1, 0) w;",
        "c.count(1); hdr.h.c = m.execute(0); hdr.h.a = r.read(0); hdr.h.a = l.execute(1, 0);
         hdr.h.c = w.execute(1, 0);",
    );
    for name in ["`Counter` `c`", "`Meter` `m`", "`Register` `r`", "`Lpf` `l`", "`Wred` `w`"] {
        assert!(text.contains(&format!("warning[zero-size]: {name} has no elements")), "{name}: {text}");
    }
}
