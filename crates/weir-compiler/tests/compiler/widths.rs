//! Tests widths at and around every limit, in every position that a type can have: each is
//! accepted, or refused with an error that has a place.

use crate::pipe;
use proptest::prelude::*;
use weir_ir::{MAX_VARBIT, MAX_WIDTH};
use weir_syntax::Severity;
use weir_syntax::preprocess::MemoryLoader;

/// A position of a type in a program.
struct Position {
    name: &'static str,
    /// Declarations before the control, including `main` if the control is not the main one.
    top: fn(&str, u64) -> String,
    /// The locals and body of a control with the parameter `inout bit<8> x`.
    control: fn(&str, u64) -> String,
    /// The width of the widest type at this position, as a function of the tested width.
    bits: fn(u64) -> u64,
    /// The kinds of types that can be there.
    kinds: &'static [&'static str],
}

const ALL: &[&str] = &["bit", "int", "varbit"];
const FIXED: &[&str] = &["bit", "int"];
const NOTHING: fn(&str, u64) -> String = |_, _| String::new();
const EMPTY: fn(&str, u64) -> String = |_, _| "apply { }".to_owned();
const SAME: fn(u64) -> u64 = |width| width;

const POSITIONS: &[Position] = &[
    Position {
        name: "a header's field",
        top: |ty, _| format!("header h_t {{ {ty} f; }}"),
        control: |_, _| "h_t h; apply { h.setValid(); h_t g = h; x = (bit<8>)(bit<1>)(g == h); }".into(),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a struct's field",
        top: |ty, _| format!("struct s_t {{ {ty} f; }}"),
        control: |_, _| "s_t s; apply { s_t t = s; if (s == t) { s.f = t.f; } }".into(),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a stack's element",
        top: |ty, _| format!("header h_t {{ {ty} f; }}"),
        control: |_, _| "h_t[3] h; apply { h[x] = h[0]; h.push_front(1); h[1].f = h[x].f; }".into(),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a union's field",
        top: |ty, _| format!("header h_t {{ {ty} f; }} header_union u_t {{ h_t h; }}"),
        control: |_, _| "u_t u; apply { u.h.setValid(); u_t v = u; u = v; }".into(),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "an array's element",
        top: |ty, _| format!("struct s_t {{ {ty}[2] f; }}"),
        control: |_, _| "s_t s; apply { s.f[0] = s.f[1]; }".into(),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a tuple's element",
        top: NOTHING,
        control: |ty, _| format!("{ty} v; apply {{ tuple<{ty}, bit<8>> t = {{ v, x }}; v = t[0]; }}"),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a local variable",
        top: NOTHING,
        control: |ty, _| format!("{ty} v; {ty} w; apply {{ v = w; if (v != w) {{ x = 1; }} }}"),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a function's parameter and result",
        top: |ty, _| format!("{ty} same(in {ty} v) {{ return v; }}"),
        control: |ty, _| format!("{ty} v; apply {{ v = same(v); }}"),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "an action's parameter",
        top: NOTHING,
        control: |ty, _| format!("{ty} v; action set(in {ty} to) {{ v = to; }} apply {{ set(v); }}"),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "action data",
        top: NOTHING,
        control: |ty, _| {
            format!(
                "{ty} v; action set({ty} to) {{ v = to; }}
                table t {{ key = {{ x: exact; }} actions = {{ set; }} }} apply {{ t.apply(); }}"
            )
        },
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "a control's parameter",
        top: |ty, _| format!("control inner(inout {ty} v) {{ apply {{ }} }}"),
        control: |ty, _| format!("{ty} v; inner() i; apply {{ i.apply(v); }}"),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a type argument",
        top: |_, _| "T same<T>(in T v) { return v; } struct g_t<T> { T f; }".into(),
        control: |ty, _| format!("g_t<{ty}> g; apply {{ g.f = same<{ty}>(g.f); }}"),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a typedef and a new type",
        top: |ty, _| format!("typedef {ty} a_t; type a_t b_t;"),
        control: |_, _| "a_t v; b_t w; apply { w = (b_t)v; }".into(),
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "a table's key",
        top: NOTHING,
        control: |ty, _| {
            format!(
                "{ty} v; table t {{ key = {{ v: exact; v: ternary @name(\"w\"); }}
                actions = {{ NoAction; }} }} apply {{ t.apply(); }}"
            )
        },
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "an extern's argument and result",
        top: |ty, _| format!("extern {ty} call(in {ty} a, inout {ty} b, out {ty} c);"),
        control: |ty, _| format!("{ty} a; {ty} b; {ty} c; apply {{ c = call(a, b, c); }}"),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "an extern object's type argument",
        top: |_, _| "extern Cell<T> { Cell(); T get(); void set(in T v); }".into(),
        control: |ty, _| format!("Cell<{ty}>() cell; apply {{ cell.set(cell.get()); }}"),
        bits: SAME,
        kinds: ALL,
    },
    Position {
        name: "a constant",
        top: |ty, _| format!("const {ty} K = 1;"),
        control: |_, _| "apply { x = (bit<8>)(bit<1>)(K == 1); }".into(),
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "a literal",
        top: NOTHING,
        control: |_, width| format!("apply {{ if ({width}w1 == 0) {{ x = 1; }} }}"),
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "a cast",
        top: NOTHING,
        control: |ty, _| format!("{ty} v; apply {{ v = ({ty})(bit<64>)v; v = ({ty})3; }}"),
        bits: SAME,
        kinds: &["bit"],
    },
    Position {
        name: "an enum's underlying type",
        top: |ty, _| format!("enum {ty} e_t {{ one = 1 }}"),
        control: |_, _| "e_t e; apply { if (e == e_t.one) { x = 1; } }".into(),
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "a concatenation",
        top: NOTHING,
        control: |ty, _| format!("{ty} v; apply {{ x = (v ++ v)[7:0]; x = (x ++ v)[7:0]; }}"),
        bits: |width| (2 * width).max(width + 8),
        kinds: FIXED,
    },
    Position {
        name: "a slice",
        top: NOTHING,
        control: |ty, width| format!("{ty} v; apply {{ v[{0}:{0}] = 1; x = v[7:0]; }}", width.max(1) - 1),
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "a slice of a number without a width",
        top: NOTHING,
        control: |_, width| format!("apply {{ x = (1 << 100)[{}:0][7:0]; }}", width.max(8) - 1),
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "a shift",
        top: NOTHING,
        control: |ty, width| {
            format!("{ty} v; apply {{ v = v << {width}; v = v >> x; v = v << 1 >> (bit<32>)x; }}")
        },
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "arithmetic",
        top: NOTHING,
        control: |ty, _| {
            format!("{ty} v; apply {{ v = v * v + (v |-| v); v = -v & ~v; if (v < 1) {{ x = 1; }} }}")
        },
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "a select",
        top: |ty, _| {
            format!(
                "parser inner(in {ty} v) {{ state start {{ transition select(v) {{ 1: accept; _: reject; }} }} }}
                parser Parse(in {ty} v); package Parsing(Parse p); Parsing(inner()) main;"
            )
        },
        control: EMPTY,
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "an index",
        top: |_, _| "header h_t { bit<8> f; }".into(),
        control: |ty, _| format!("h_t[4] h; {ty} v; apply {{ h[v].f = 1; }}"),
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "an extracted, looked at and emitted field",
        top: |ty, _| {
            format!(
                "header h_t {{ {ty} f; }}
                parser inner(packet_in p, out h_t h, out h_t g) {{ state start {{
                    p.extract(h); g = p.lookahead<h_t>(); transition accept; }} }}
                control last(packet_out p, in h_t h) {{ apply {{ p.emit(h); }} }}
                parser Parse(packet_in p, out h_t h, out h_t g); control Deparse(packet_out p, in h_t h);
                package Both(Parse p, Deparse d); Both(inner(), last()) main;"
            )
        },
        control: EMPTY,
        bits: SAME,
        kinds: FIXED,
    },
    Position {
        name: "an extracted and emitted field of variable size",
        top: |ty, _| {
            format!(
                "header h_t {{ {ty} f; }}
                parser inner(packet_in p, out h_t h) {{ state start {{
                    p.extract(h, 32w16); transition accept; }} }}
                control last(packet_out p, in h_t h) {{ apply {{ p.emit(h); }} }}
                parser Parse(packet_in p, out h_t h); control Deparse(packet_out p, in h_t h);
                package Both(Parse p, Deparse d); Both(inner(), last()) main;"
            )
        },
        control: EMPTY,
        bits: SAME,
        kinds: &["varbit"],
    },
];

const CORE: &str = include_str!("../../../../p4include/core.p4");

fn program(position: &Position, ty: &str, width: u64) -> String {
    let (top, control) = ((position.top)(ty, width), (position.control)(ty, width));
    let main = "control Work(inout bit<8> x); package Only(Work w); Only(C()) main;";
    let main = if top.contains("main;") { "" } else { main };
    format!("#include <core.p4>\n{top}\ncontrol C(inout bit<8> x) {{ {control} }}\n{main}")
}

/// Compiles a program and returns the ids of its errors. Each error must have a place.
fn errors(text: &str) -> Vec<&'static str> {
    let loader = MemoryLoader::new().with("main.p4", text).with("core.p4", CORE);
    let result = pipe::compile("main.p4", &loader);
    let said = result.diagnostics.render(&result.source_map, false);
    let errors = result.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let ids = errors.map(|error| {
        assert_ne!(error.id, "compiler-bug", "{text}\n{said}");
        assert!(error.labels.iter().any(|label| label.primary), "{text}\n{said}");
        error.id
    });
    ids.collect()
}

fn check(position: &Position, kind: &str, width: u64) {
    let text = program(position, &format!("{kind}<{width}>"), width);
    let reported = errors(&text);
    let limit = u64::from(if kind == "varbit" { MAX_VARBIT } else { MAX_WIDTH });
    let name = position.name;
    if (position.bits)(width) > limit {
        assert!(!reported.is_empty(), "{name} of {kind}<{width}> is accepted\n{text}");
    } else if width >= 8 {
        assert_eq!(reported, [""; 0], "{name} of {kind}<{width}>\n{text}");
    }
}

#[test]
fn limits() {
    let around = |limit: u64| [limit - 1, limit, limit + 1];
    let limits =
        [1, 8, 64, 128, 1024, u64::from(MAX_WIDTH), u64::from(MAX_VARBIT), 1 << 20, 1 << 31, 1 << 32];
    for position in POSITIONS {
        for kind in position.kinds {
            limits.into_iter().flat_map(around).for_each(|width| check(position, kind, width));
        }
    }
}

/// Tests a type with parts of many widths, none of which is too wide.
#[test]
fn storage() {
    let stack = |size: u32| {
        let top = format!("header h_t {{ varbit<{MAX_VARBIT}> f; }}");
        let position = Position { name: "a stack", top: NOTHING, control: EMPTY, bits: SAME, kinds: ALL };
        let text = program(&position, "", 0)
            .replace("apply { }", &format!("h_t[{size}] h; apply {{ h[x].f = h[0].f; }}"));
        errors(&format!("{top}\n{text}"))
    };
    assert_eq!(stack(1024), [""; 0]);
    assert_eq!(stack(10_000), ["program-too-large"]);
    assert_eq!(stack(65_536), ["program-too-large"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_width(at in 0..POSITIONS.len(), kind in any::<prop::sample::Index>(), bits in 0..40u32, below in any::<u64>()) {
        let width = (1u64 << bits) + below % (1 << bits);
        check(&POSITIONS[at], POSITIONS[at].kinds[kind.index(POSITIONS[at].kinds.len())], width);
    }
}
