//! Programs for v1model that are large in one respect: a part of them occurs `n` times. What
//! compiling them costs should grow about as `n` does.

use std::fmt::Write;

/// The programs, by what there is `n` times.
pub const SHAPES: [(&str, fn(usize) -> String); 29] = [
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
    ("tables", tables),
    ("tables, one within another", nested_tables),
    ("entries", entries),
    ("actions of a table", actions),
    ("parameters of an action", parameters),
    ("keys of a table", keys),
    ("cases of a switch", switch_cases),
    ("statements", statements),
    ("ifs", ifs),
    ("ifs, else if", chain),
    ("ifs, one within another", nested_ifs),
    ("operators of an expression", operators),
    ("instances of a control", instances),
    ("functions", functions),
    ("registers", registers),
];

/// The parts of a program; what is empty has a default.
#[derive(Default)]
struct Parts {
    /// Declarations before `headers_t`.
    types: String,
    /// Members of `headers_t` and `meta_t`.
    headers: String,
    meta: String,
    /// Declarations of the parser, and its states.
    parser: String,
    /// Declarations and body of ingress.
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

/// One text for each number below `n`, in lines.
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

/// A stack that the parser fills in a loop.
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

const SET: &str = "action set(bit<16> v) { meta.y = v; }";

fn table(name: &str, inside: &str) -> String {
    format!(
        "table {name} {{ key = {{ hdr.first.kind: exact; }} actions = {{ set; NoAction; }} \
         default_action = NoAction; {inside} }}"
    )
}

fn tables(n: usize) -> String {
    Parts {
        locals: format!("{SET} {}", each(n, |i| table(&format!("t{i}"), ""))),
        apply: each(n, |i| format!("t{i}.apply();")),
        ..Parts::default()
    }
    .program()
}

fn nested_tables(n: usize) -> String {
    Parts {
        locals: format!("{SET} {}", each(n, |i| table(&format!("t{i}"), ""))),
        apply: format!("{}{}", each(n, |i| format!("if (t{i}.apply().hit) {{")), "}".repeat(n)),
        ..Parts::default()
    }
    .program()
}

fn entries(n: usize) -> String {
    let entries = each(n, |i| format!("({}, {}): set({});", i % 256, i / 256, i % 65536));
    Parts {
        locals: format!(
            "{SET} table t {{ key = {{ hdr.first.kind: exact; hdr.first.value: exact; }} \
             actions = {{ set; NoAction; }} default_action = NoAction; const entries = {{ {entries} }} }}"
        ),
        apply: "t.apply();".into(),
        ..Parts::default()
    }
    .program()
}

fn actions(n: usize) -> String {
    Parts {
        locals: format!(
            "{} table t {{ key = {{ hdr.first.kind: exact; }} actions = {{ {} NoAction; }} default_action = NoAction; }}",
            each(n, |i| format!("action a{i}(bit<16> v) {{ meta.y = v + {i}; }}")),
            each(n, |i| format!("a{i};"))
        ),
        apply: "t.apply();".into(),
        ..Parts::default()
    }
    .program()
}

fn parameters(n: usize) -> String {
    let params: Vec<String> = (0..n).map(|i| format!("bit<16> p{i}")).collect();
    Parts {
        locals: format!(
            "action set({}) {{ {} }} {}",
            params.join(", "),
            each(n, |i| format!("meta.y = meta.y + p{i};")),
            table("t", "")
        ),
        apply: "t.apply();".into(),
        ..Parts::default()
    }
    .program()
}

fn keys(n: usize) -> String {
    Parts {
        meta: each(n, |i| format!("bit<16> k{i};")),
        locals: format!(
            "{SET} table t {{ key = {{ {} }} actions = {{ set; NoAction; }} default_action = NoAction; }}",
            each(n, |i| format!("meta.k{i}: exact;"))
        ),
        apply: "t.apply();".into(),
        ..Parts::default()
    }
    .program()
}

fn switch_cases(n: usize) -> String {
    Parts {
        apply: format!(
            "switch (hdr.first.kind ++ hdr.first.value) {{ {} default: {{ }} }}",
            each(n, |i| format!("{i}: {{ meta.x = {}; }}", i % 256))
        ),
        ..Parts::default()
    }
    .program()
}

fn statements(n: usize) -> String {
    Parts {
        apply: each(n, |i| {
            format!("hdr.first.value = hdr.first.value + {}; meta.y = meta.y ^ (bit<16>)meta.x;", i % 256)
        }),
        ..Parts::default()
    }
    .program()
}

fn ifs(n: usize) -> String {
    Parts {
        meta: each(16, |i| format!("bit<8> v{i};")),
        apply: each(n, |i| format!("if (meta.x == {}) {{ meta.v{} = {}; }}", i % 256, i % 16, i % 256)),
        ..Parts::default()
    }
    .program()
}

fn chain(n: usize) -> String {
    let links: Vec<String> = (0..n)
        .map(|i| format!("if (hdr.first.kind ++ hdr.first.value == {i}) {{ meta.x = {}; }}", i % 256))
        .collect();
    Parts { apply: links.join("\nelse "), ..Parts::default() }.program()
}

fn nested_ifs(n: usize) -> String {
    Parts {
        apply: format!(
            "{}{}",
            each(n, |i| format!("if (hdr.first.kind != {}) {{ meta.y = meta.y + 1;", i % 256)),
            "}".repeat(n)
        ),
        ..Parts::default()
    }
    .program()
}

fn operators(n: usize) -> String {
    let terms: Vec<String> = (0..n).map(|i| format!("(bit<16>)hdr.first.kind ^ {i}")).collect();
    Parts { apply: format!("meta.y = {};", terms.join(" ^ ")), ..Parts::default() }.program()
}

fn instances(n: usize) -> String {
    Parts {
        types:
            "control Part(inout bit<16> x)(bit<16> by) { bit<16> kept; action add(bit<16> v) { kept = v; } \
            table t { key = { x: exact; } actions = { add; NoAction; } default_action = NoAction; } \
            apply { kept = by; t.apply(); x = x + kept; } }"
                .into(),
        locals: each(n, |i| format!("Part({i}) p{i};")),
        apply: each(n, |i| format!("p{i}.apply(meta.y);")),
        ..Parts::default()
    }
    .program()
}

fn functions(n: usize) -> String {
    Parts {
        types: format!(
            "bit<16> f0(in bit<16> x) {{ return x + 1; }} {}",
            each(n, |i| format!("bit<16> f{}(in bit<16> x) {{ return f{i}(x) ^ {i}; }}", i + 1))
        ),
        apply: format!("meta.y = f{n}(meta.y);"),
        ..Parts::default()
    }
    .program()
}

fn registers(n: usize) -> String {
    Parts {
        locals: each(n, |i| format!("register<bit<16>>(16) r{i};")),
        apply: each(n, |i| format!("r{i}.read(meta.y, (bit<32>)hdr.first.kind); r{i}.write(0, meta.y + 1);")),
        ..Parts::default()
    }
    .program()
}
