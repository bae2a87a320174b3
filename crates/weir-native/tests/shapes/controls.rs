//! Programs with large controls.

use super::{Parts, each};

const SET: &str = "action set(bit<16> v) { meta.y = v; }";

fn table(name: &str, inside: &str) -> String {
    format!(
        "table {name} {{ key = {{ hdr.first.kind: exact; }} actions = {{ set; NoAction; }} \
         default_action = NoAction; {inside} }}"
    )
}

pub fn tables(n: usize) -> String {
    Parts {
        locals: format!("{SET} {}", each(n, |i| table(&format!("t{i}"), ""))),
        apply: each(n, |i| format!("t{i}.apply();")),
        ..Parts::default()
    }
    .program()
}

pub fn nested_tables(n: usize) -> String {
    Parts {
        locals: format!("{SET} {}", each(n, |i| table(&format!("t{i}"), ""))),
        apply: format!("{}{}", each(n, |i| format!("if (t{i}.apply().hit) {{")), "}".repeat(n)),
        ..Parts::default()
    }
    .program()
}

pub fn entries(n: usize) -> String {
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

pub fn actions(n: usize) -> String {
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

pub fn parameters(n: usize) -> String {
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

pub fn keys(n: usize) -> String {
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

pub fn switch_cases(n: usize) -> String {
    Parts {
        apply: format!(
            "switch (hdr.first.kind ++ hdr.first.value) {{ {} default: {{ }} }}",
            each(n, |i| format!("{i}: {{ meta.x = {}; }}", i % 256))
        ),
        ..Parts::default()
    }
    .program()
}

pub fn statements(n: usize) -> String {
    Parts {
        apply: each(n, |i| {
            format!("hdr.first.value = hdr.first.value + {}; meta.y = meta.y ^ (bit<16>)meta.x;", i % 256)
        }),
        ..Parts::default()
    }
    .program()
}

pub fn ifs(n: usize) -> String {
    Parts {
        meta: each(16, |i| format!("bit<8> v{i};")),
        apply: each(n, |i| format!("if (meta.x == {}) {{ meta.v{} = {}; }}", i % 256, i % 16, i % 256)),
        ..Parts::default()
    }
    .program()
}

pub fn chain(n: usize) -> String {
    let links: Vec<String> = (0..n)
        .map(|i| format!("if (hdr.first.kind ++ hdr.first.value == {i}) {{ meta.x = {}; }}", i % 256))
        .collect();
    Parts { apply: links.join("\nelse "), ..Parts::default() }.program()
}

pub fn nested_ifs(n: usize) -> String {
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

pub fn operators(n: usize) -> String {
    let terms: Vec<String> = (0..n).map(|i| format!("(bit<16>)hdr.first.kind ^ {i}")).collect();
    Parts { apply: format!("meta.y = {};", terms.join(" ^ ")), ..Parts::default() }.program()
}

pub fn instances(n: usize) -> String {
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

pub fn functions(n: usize) -> String {
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

pub fn registers(n: usize) -> String {
    Parts {
        locals: each(n, |i| format!("register<bit<16>>(16) r{i};")),
        apply: each(n, |i| format!("r{i}.read(meta.y, (bit<32>)hdr.first.kind); r{i}.write(0, meta.y + 1);")),
        ..Parts::default()
    }
    .program()
}

pub fn short_functions(n: usize) -> String {
    Parts {
        types: each(n, |i| format!("bit<16> f{i}(in bit<16> x) {{ return (x << 1) ^ {i}; }}")),
        apply: each(n, |i| format!("meta.y = f{i}(meta.y);")),
        ..Parts::default()
    }
    .program()
}

pub fn nested_brackets(n: usize) -> String {
    Parts {
        apply: format!(
            "meta.y = {}meta.y{};",
            "((bit<16>)hdr.first.kind + ".repeat(n),
            (0..n).map(|i| format!(" ^ {i})")).collect::<String>()
        ),
        ..Parts::default()
    }
    .program()
}

pub fn nested_switches(n: usize) -> String {
    let open =
        |i: usize| format!("switch (hdr.first.kind) {{ {}: {{ }} default: {{ meta.y = meta.y + 1;", i % 256);
    Parts { apply: format!("{}{}", each(n, open), "} }".repeat(n)), ..Parts::default() }.program()
}

pub fn nested_structs(n: usize) -> String {
    Parts {
        types: format!(
            "struct s0_t {{ bit<16> a; }} {}",
            each(n, |i| format!("struct s{}_t {{ s{i}_t inner; bit<16> a; }}", i + 1))
        ),
        meta: format!("s{n}_t outer;"),
        apply: format!(
            "s{n}_t copy = meta.outer; meta.outer{}.a = copy.a + 1; meta.y = copy{0}.a;",
            ".inner".repeat(n)
        ),
        ..Parts::default()
    }
    .program()
}

pub fn arguments(n: usize) -> String {
    let params: Vec<String> = (0..n).map(|i| format!("inout bit<16> p{i}")).collect();
    let arguments: Vec<String> = (0..n).map(|i| format!("meta.a{i}")).collect();
    Parts {
        types: format!(
            "control Part({}) {{ apply {{ {} }} }}",
            params.join(", "),
            each(n, |i| format!("p{i} = p{i} + {};", i % 256))
        ),
        meta: each(n, |i| format!("bit<16> a{i};")),
        locals: "Part() part;".into(),
        apply: format!("part.apply({0}); part.apply({0});", arguments.join(", ")),
        ..Parts::default()
    }
    .program()
}
