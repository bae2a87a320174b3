//! Programs for v1model that are large in one respect: a part of them occurs `n` times. The cost of
//! compiling them should grow about in proportion to `n`.

mod controls;

use std::fmt::Write;

/// The part that occurs `n` times, and the program's text for an `n`.
pub type Shape = (&'static str, fn(usize) -> String);

/// The programs.
pub const SHAPES: [Shape; 34] = [
    ("fields of a header", fields),
    ("fields of metadata", metadata),
    ("headers, a state each", headers),
    ("headers, any of them", optional_headers),
    ("elements, by next", elements),
    ("elements, by index", indexed_elements),
    ("elements, pushed and popped", moved_elements),
    ("elements, one by one", unrolled_elements),
    ("elements of unions", union_elements),
    ("members of a union", union_members),
    ("stacks", stacks),
    ("array of metadata", arrays),
    ("cases of a select", select_cases),
    ("value sets", value_sets),
    ("tables", controls::tables),
    ("tables, one within another", controls::nested_tables),
    ("entries", controls::entries),
    ("actions of a table", controls::actions),
    ("parameters of an action", controls::parameters),
    ("keys of a table", controls::keys),
    ("cases of a switch", controls::switch_cases),
    ("statements", controls::statements),
    ("ifs", controls::ifs),
    ("ifs, else if", controls::chain),
    ("ifs, one within another", controls::nested_ifs),
    ("operators of an expression", controls::operators),
    ("instances of a control", controls::instances),
    ("functions, each calls one", controls::functions),
    ("functions, short", controls::short_functions),
    ("brackets, one within another", controls::nested_brackets),
    ("switches, one within another", controls::nested_switches),
    ("structs, one within another", controls::nested_structs),
    ("arguments of a control", controls::arguments),
    ("registers", controls::registers),
];

/// The parts of a program. Empty parts get a default.
#[derive(Default)]
struct Parts {
    /// Declarations before `headers_t`.
    types: String,
    /// The members of `headers_t` and `meta_t`.
    headers: String,
    meta: String,
    /// Declarations of the parser, and its states.
    parser: String,
    /// The declarations and the body of ingress.
    locals: String,
    apply: String,
    /// The statements of the deparser.
    emits: String,
}

impl Parts {
    fn program(self) -> String {
        let Self { types, headers, meta, parser, locals, apply, emits } = self;
        let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
        let parser = or(parser, "state start { packet.extract(hdr.first); transition accept; }");
        let emits = or(emits, "packet.emit(hdr);");
        format!(
            "#include <v1model.p4>
header first_t {{ bit<8> kind; bit<8> value; }}
{types}
struct headers_t {{ first_t first; {headers} }}
struct meta_t {{ bit<8> x; bit<16> y; {meta} }}
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {{
{parser}
}}
control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {{
{locals}
apply {{
standard.egress_spec = 1;
{apply}
}}
}}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {{ apply {{ }} }}
control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
control D(packet_out packet, in headers_t hdr) {{ apply {{ {emits} }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
        )
    }
}

/// Makes one text for each number below `n`, each on a line.
fn each(n: usize, text: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut all, i| {
        let _ = writeln!(all, "{}", text(i));
        all
    })
}

fn fields(n: usize) -> String {
    Parts {
        types: format!("header wide_t {{ {} }}", each(n, |i| format!("bit<16> f{i};"))),
        headers: "wide_t wide;".into(),
        parser: "state start { packet.extract(hdr.first); packet.extract(hdr.wide); transition accept; }"
            .into(),
        apply: each(n, |i| format!("hdr.wide.f{i} = hdr.wide.f{} + 1;", (i + 1) % n)),
        ..Parts::default()
    }
    .program()
}

fn metadata(n: usize) -> String {
    Parts {
        meta: each(n, |i| format!("bit<16> f{i};")),
        apply: format!(
            "{} if (hdr.first.kind == 1) {{ {} }}",
            each(n, |i| format!("meta.f{i} = meta.y + {i};")),
            each(n, |i| format!("meta.y = meta.y + meta.f{i};"))
        ),
        ..Parts::default()
    }
    .program()
}

const SMALL: &str = "header small_t { bit<8> kind; bit<8> value; }";

fn headers(n: usize) -> String {
    let states = each(n, |i| {
        format!(
            "state s{i} {{ packet.extract(hdr.h{i}); transition select(hdr.h{i}.kind) {{ 0: s{}; default: accept; }} }}",
            i + 1
        )
    });
    Parts {
        types: SMALL.into(),
        headers: each(n, |i| format!("small_t h{i};")),
        parser: format!(
            "state start {{ packet.extract(hdr.first); transition s0; }} {states} state s{n} {{ transition accept; }}"
        ),
        ..Parts::default()
    }
    .program()
}

fn optional_headers(n: usize) -> String {
    let cases = each(n, |i| format!("{i}: s{i};"));
    let states = each(n, |i| format!("state s{i} {{ packet.extract(hdr.h{i}); transition accept; }}"));
    Parts {
        types: SMALL.into(),
        headers: each(n, |i| format!("small_t h{i};")),
        parser: format!(
            "state start {{ packet.extract(hdr.first); \
             transition select(hdr.first.kind ++ hdr.first.value) {{ {cases} default: accept; }} }} {states}"
        ),
        apply: each(n, |i| format!("if (hdr.h{i}.isValid()) {{ hdr.h{i}.value = hdr.h{i}.value - 1; }}")),
        ..Parts::default()
    }
    .program()
}

/// Returns a stack that the parser fills in a loop.
fn stack(n: usize, apply: String) -> String {
    Parts {
        types: SMALL.into(),
        headers: format!("small_t[{n}] s;"),
        parser: "state start { packet.extract(hdr.first); transition next; }
            state next { packet.extract(hdr.s.next);
                transition select(hdr.s.last.kind) { 0: next; 1: two; default: accept; } }
            state two { packet.extract(hdr.s.next); packet.extract(hdr.s.next); transition next; }"
            .into(),
        apply,
        ..Parts::default()
    }
    .program()
}

fn elements(n: usize) -> String {
    stack(n, String::new())
}

fn indexed_elements(n: usize) -> String {
    let apply = "bit<16> at = (bit<16>)hdr.first.value;
        if (hdr.s[at].isValid()) { hdr.s[at].value = hdr.s[at + 1].value + 1; }
        hdr.s[at + 2].setValid();
        hdr.s[at + 3] = hdr.s[at];
        hdr.s[at + 4].setInvalid();";
    stack(n, apply.into())
}

fn moved_elements(n: usize) -> String {
    let apply = "if (hdr.first.value == 1) { hdr.s.push_front(1); hdr.s[0].setValid(); hdr.s[0].kind = 3; }
        else if (hdr.first.value == 2) { hdr.s.pop_front(2); }";
    stack(n, apply.into())
}

fn unrolled_elements(n: usize) -> String {
    stack(n, each(n, |i| format!("if (hdr.s[{i}].isValid()) {{ hdr.s[{i}].value = hdr.s[{i}].value - 1; }}")))
}

fn union_elements(n: usize) -> String {
    Parts {
        types: "header one_t { bit<8> a; } header two_t { bit<16> b; } \
            header_union either_t { one_t one; two_t two; }"
            .into(),
        headers: format!("either_t[{n}] u;"),
        parser: "state start { packet.extract(hdr.first); transition next; }
            state next { transition select(packet.lookahead<bit<8>>()) { 0: one; 1: two; default: accept; } }
            state one { packet.extract(hdr.u.next.one); transition next; }
            state two { packet.extract(hdr.u.next.two); transition next; }"
            .into(),
        apply: "if (hdr.u[0].one.isValid()) { hdr.u[0].one.a = 7; }".into(),
        ..Parts::default()
    }
    .program()
}

fn union_members(n: usize) -> String {
    let cases = each(n, |i| format!("{i}: s{i};"));
    let states = each(n, |i| format!("state s{i} {{ packet.extract(hdr.u.m{i}); transition accept; }}"));
    Parts {
        types: format!(
            "{} header_union any_t {{ {} }}",
            each(n, |i| format!("header m{i}_t {{ bit<{}> a; }}", 8 * (1 + i % 8))),
            each(n, |i| format!("m{i}_t m{i};"))
        ),
        headers: "any_t u;".into(),
        parser: format!(
            "state start {{ packet.extract(hdr.first); \
             transition select(hdr.first.kind ++ hdr.first.value) {{ {cases} default: accept; }} }} {states}"
        ),
        ..Parts::default()
    }
    .program()
}

fn stacks(n: usize) -> String {
    let states = each(n, |i| {
        format!(
            "state s{i} {{ packet.extract(hdr.s{i}.next); \
             transition select(hdr.s{i}.last.kind) {{ 0: s{i}; 1: s{}; default: accept; }} }}",
            i + 1
        )
    });
    Parts {
        types: SMALL.into(),
        headers: each(n, |i| format!("small_t[4] s{i};")),
        parser: format!(
            "state start {{ packet.extract(hdr.first); transition s0; }} {states} state s{n} {{ transition accept; }}"
        ),
        ..Parts::default()
    }
    .program()
}

fn arrays(n: usize) -> String {
    Parts {
        types: "struct pair_t { bit<16> a; bit<8> b; }".into(),
        meta: format!("pair_t[{n}] pairs;"),
        apply: "bit<16> at = (bit<16>)hdr.first.value;
            meta.pairs[at].a = meta.pairs[at + 1].a + 1;
            meta.pairs[at + 2] = meta.pairs[at];
            hdr.first.value = meta.pairs[at + 3].b;"
            .into(),
        ..Parts::default()
    }
    .program()
}

fn select_cases(n: usize) -> String {
    let cases = each(n, |i| format!("({}, {}): {};", i % 256, i / 256, ["one", "two"][i % 2]));
    Parts {
        parser: format!(
            "state start {{ packet.extract(hdr.first); \
             transition select(hdr.first.kind, hdr.first.value) {{ {cases} default: accept; }} }}
             state one {{ meta.x = 1; transition accept; }} state two {{ meta.x = 2; transition accept; }}"
        ),
        ..Parts::default()
    }
    .program()
}

fn value_sets(n: usize) -> String {
    let states = each(n, |i| {
        format!("state s{i} {{ transition select(hdr.first.kind) {{ v{i}: accept; default: s{}; }} }}", i + 1)
    });
    Parts {
        parser: format!(
            "{} state start {{ packet.extract(hdr.first); transition s0; }} {states} state s{n} {{ transition accept; }}",
            each(n, |i| format!("value_set<bit<8>>(4) v{i};"))
        ),
        ..Parts::default()
    }
    .program()
}
