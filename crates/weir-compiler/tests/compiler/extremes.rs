//! Programs at the parser's limits, and programs of few lines that expand to large ones: they must
//! be checked in bounded time within a thread's stack of 2 MiB, and refused if they are too large.

use crate::pipe;
use weir_syntax::preprocess::MemoryLoader;
use weir_syntax::{Diagnostics, SourceMap};

/// Returns the ids of the diagnostics of `text`.
fn check(text: &str) -> Vec<&'static str> {
    let loader = MemoryLoader::new().with("main.p4", text);
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let program = weir_syntax::parse("main.p4", &loader, &[], &mut sources, &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{}", diagnostics.render(&sources, false));
    weir_compiler::check(&program, None, &mut diagnostics);
    let mut ids: Vec<&'static str> = diagnostics.iter().map(|diagnostic| diagnostic.id).collect();
    ids.dedup();
    ids
}

fn nested(head: &str, open: &str, middle: &str, close: &str, tail: &str, times: usize) -> String {
    format!("{head}{}{middle}{}{tail}", open.repeat(times), close.repeat(times))
}

#[test]
fn deepest_nesting_is_checked() {
    let function = "bit<8> f(in bit<8> x, in bool b) { bit<8> y = x;\n";
    for (open, middle, close) in [
        ("{", "y = 1;", "}"),
        ("if (b) {", "y = 1;", "}"),
        ("for (bit<8> i in 1..2) {", "y = 1;", "}"),
        ("switch (y) { 1: {", "y = 1;", "}}"),
    ] {
        let text = nested(function, open, middle, close, "\nreturn y; }", 50);
        assert!(!check(&text).iter().any(|id| id.starts_with("syntax")), "{open}");
    }
    for (open, middle, close) in [
        ("(", "x", ")"),
        ("-", "x", ""),
        ("~", "x", ""),
        ("b ? 1 : ", "x", ""),
        ("(bit<8>)(", "x", ")"),
        ("1 + (", "x", ")"),
    ] {
        let text = nested(&format!("{function} y = "), open, middle, close, "; return y; }", 50);
        assert_eq!(check(&text), Vec::<&str>::new(), "{open}");
    }
    let sum = vec!["x"; 490].join(" + ");
    let chain = "if (b) { y = 1; } else ".repeat(20_000);
    assert_eq!(
        check(&format!("{function} y = {sum}; {chain} {{ y = 2; }} return y; }}")),
        Vec::<&str>::new()
    );
    let inside = format!("{} y = {sum}; {}", "{".repeat(100), "}".repeat(100));
    assert_eq!(check(&format!("{function} {inside} return y; }}")), Vec::<&str>::new());
    let tuple = nested("", "tuple<", "bit<8>", ">", "", 100);
    check(&format!("{function} {tuple} t; return y; }}"));
}

/// Tests chains of operators, such as sums, of any length. The stack and time of each step must
/// grow at most in proportion to the length.
#[test]
fn chains_of_operators_have_no_limit() {
    const TERMS: usize = 20_000;
    for (ty, op) in [
        ("bit<8>", "+"),
        ("bit<8>", "-"),
        ("bit<8>", "*"),
        ("int<8>", "&"),
        ("bit<8>", "|"),
        ("bit<8>", "^"),
        ("bool", "&&"),
        ("bool", "||"),
    ] {
        let terms = |term: &str| vec![term; TERMS].join(&format!(" {op} "));
        let number = if ty == "bool" { "true" } else { "1" };
        let (of_variables, mixed) = (terms("x"), format!("x {op} {}", terms(number)));
        let text = format!("control c(inout {ty} x) {{ apply {{ x = {of_variables}; x = {mixed}; }} }}");
        assert_eq!(check(&text), Vec::<&str>::new(), "{op}");
    }
    let sum = vec!["1"; TERMS].join(" + ");
    let difference = vec!["1"; TERMS].join(" - ");
    let text = format!(
        "const int SUM = {sum};\nconst int DIFFERENCE = {difference};\nconst bit<32> BITS = 32w{sum};\n\
         control c(inout bit<8> x) {{ apply {{\n\
         static_assert(SUM == {TERMS} && DIFFERENCE == 2 - {TERMS} && BITS == {TERMS});\n\
         x = (bit<8>)({}); }} }}",
        vec!["(int)x"; TERMS].join(" - "),
    );
    let declared = "extern bool static_assert(bool check);\n";
    assert_eq!(check(&format!("{declared}{text}")), Vec::<&str>::new());
    // The last operand does not fit, and only this is reported.
    let text =
        format!("control c(inout bit<8> x) {{ apply {{ x = {} + true; }} }}", vec!["x"; TERMS].join("+"));
    assert_eq!(check(&text), ["bad-operand"]);
}

#[test]
fn operators_that_cannot_be_grouped_have_a_limit() {
    for op in ["|+|", "<<", "== true =="] {
        let ty = if op.starts_with('=') { "bool" } else { "bit<8>" };
        let chain = |terms: usize| {
            let chain = vec!["x"; terms].join(&format!(" {op} "));
            format!("control c(inout {ty} x) {{ apply {{ x = {chain}; }} }}")
        };
        assert_eq!(check(&chain(200)), Vec::<&str>::new(), "{op}");
        let loader = MemoryLoader::new().with("main.p4", chain(100_000));
        let result = pipe::compile("main.p4", &loader);
        let ids: Vec<&str> = result.diagnostics.iter().map(|one| one.id).collect();
        assert_eq!(ids, ["syntax-too-deep"], "{op}");
    }
}

#[test]
fn long_chains_of_declarations_are_checked() {
    let chained = |line: &dyn Fn(usize) -> String| (1..20_000).map(line).collect::<String>();
    let constants = chained(&|n| format!("const bit<32> k{n} = k{} + k{};\n", n - 1, n - 1));
    assert_eq!(check(&format!("const bit<32> k0 = 1;\n{constants}")), Vec::<&str>::new());
    let aliases = chained(&|n| format!("typedef t{} t{n};\n", n - 1));
    assert_eq!(check(&format!("typedef bit<8> t0;\n{aliases}")), Vec::<&str>::new());
    let newtypes = chained(&|n| format!("type t{} t{n};\n", n - 1));
    assert_eq!(check(&format!("typedef bit<8> t0;\n{newtypes}")), ["type-too-large"]);
    let structs = chained(&|n| format!("struct s{n} {{ s{} inner; }}\n", n - 1));
    assert_eq!(check(&format!("struct s0 {{ bit<8> x; }}\n{structs}")), ["type-too-large"]);
}

#[test]
fn doubling_types_are_refused() {
    let doubled = |line: &dyn Fn(usize) -> String| (1..80).map(line).collect::<String>();
    let structs = doubled(&|n| format!("struct s{n} {{ s{m} a; s{m} b; }}\n", m = n - 1));
    let used = "control c(in s10 a, in s10 b, out bool e) { apply { e = a == b; } }";
    assert_eq!(check(&format!("struct s0 {{ bit<8> x; }}\n{structs}{used}")), ["type-too-large"]);
    let tuples = doubled(&|n| format!("typedef tuple<t{m}, t{m}> t{n};\n", m = n - 1));
    assert_eq!(check(&format!("typedef bit<8> t0;\n{tuples}")), ["type-too-large"]);
    let generic = doubled(&|n| format!("typedef U<u{m}, u{m}> u{n};\n", m = n - 1));
    let head = "struct U<A, B> { bit<8> x; }\ntypedef bit<8> u0;\n";
    assert_eq!(check(&format!("{head}{generic}")), ["type-too-large"]);
    let numbers = doubled(&|n| format!("const int k{n} = k{m} * k{m};\n", m = n - 1));
    assert_eq!(check(&format!("const int k0 = 3;\n{numbers}")), ["number-too-large"]);
    let texts = doubled(&|n| format!("const string s{n} = s{m} ++ s{m};\n", m = n - 1));
    assert_eq!(check(&format!("const string s0 = \"weir\";\n{texts}")), ["text-too-long"]);
}

#[test]
fn names_of_large_types_are_cut() {
    let tuples = (1..20).map(|n| format!("typedef tuple<t{m}, t{m}> t{n};\n", m = n - 1)).collect::<String>();
    let (state, apply) = ("state start { transition accept; }", "apply { t19 t; x = t; }");
    let loader =
        MemoryLoader::new().with("main.p4", program(&format!("typedef bit<8> t0;\n{tuples}"), state, apply));
    let result = pipe::compile("main.p4", &loader);
    let messages = result.diagnostics.render(&result.source_map, false);
    assert!(messages.contains('…') && messages.len() < 4000, "{} bytes", messages.len());
}

#[test]
fn texts_of_diagnostics_are_cut() {
    let number = "9".repeat(100_000);
    let loader = MemoryLoader::new().with("main.p4", number.as_str());
    let result = pipe::compile("main.p4", &loader);
    let first = result.diagnostics.iter().next().expect("a number is not a declaration");
    assert!(first.message.starts_with("expected a declaration, found `999") && first.message.len() < 1_000);
    let messages = result.diagnostics.render(&result.source_map, false);
    assert!(messages.contains('…') && messages.len() < 4_000, "{} bytes", messages.len());
}

#[test]
fn members_of_large_declarations_are_found() {
    const COUNT: usize = 1_000;
    let list = |line: &dyn Fn(usize) -> String| (0..COUNT).map(line).collect::<String>();
    let fields = format!("struct wide_t {{ {} }}\n", list(&|n| format!("bit<8> f{n};\n")));
    let members = format!("enum Kind {{ {} last }}\n", list(&|n| format!("m{n}, ")));
    let methods = format!(
        "extern Box {{ Box(); {} }}\n",
        list(&|n| format!("void set{n}(); void set(in bit<8> v{n});\n"))
    );
    let functions =
        list(&|n| format!("bit<8> f(in bit<8> v{n}, in bit<8> w = {}) {{ return v{n}; }}\n", n % 256));
    let plain = list(&|n| format!("bit<8> g(in bit<8> v{n}) {{ return v{n}; }}\n"));
    let head = format!("{fields}{members}{methods}{functions}{plain}Box() box;\n");
    let uses = list(&|n| {
        format!(
            "x.f{n} = f(v{n} = x.f0) + g(v{n} = 1); if (k == Kind.m{n}) {{ box.set{n}(); box.set(v{n} = 2); }}\n"
        )
    });
    let control =
        |body: &str| format!("{head}control c(inout wide_t x, in Kind k) {{ apply {{ {body} }} }}\n");
    assert_eq!(check(&control(&uses)), Vec::<&str>::new());
    let last = COUNT - 1;
    for (wrong, id) in [
        (format!("x.f{COUNT} = 1;"), "unknown-field"),
        (format!("if (k == Kind.m{COUNT}) {{ x.f0 = 1; }}"), "unknown-member"),
        (format!("box.set{COUNT}();"), "unknown-method"),
        (format!("box.set(v{COUNT} = 1);"), "no-overload"),
        ("box.set(1);".to_owned(), "no-overload"),
        (format!("x.f0 = f(v{last} = 1, w = 2, v0 = 3);"), "no-overload"),
        ("x.f0 = g();".to_owned(), "no-overload"),
    ] {
        assert_eq!(check(&control(&wrong)), [id], "{wrong}");
    }
    let twice = format!("{head}bit<8> g(in bit<16> v{last}) {{ return 1; }}\n");
    assert_eq!(check(&twice), ["duplicate-declaration"]);
    let mistakes = list(&|n| format!("x.g{n} = 1; x.f0 = h{n}; k{n}.apply();\n"));
    assert!(check(&control(&mistakes)).contains(&"unknown-field"));
}

/// Returns a program with `top` before its blocks, and its parser's and control's bodies.
fn program(top: &str, parser: &str, control: &str) -> String {
    format!(
        "{top}
parser P(inout bit<8> x) {{ {parser} }}
control C(inout bit<8> x) {{ {control} }}
parser Parse(inout bit<8> x);
control Work(inout bit<8> x);
package Both(Parse p, Work w);
Both(P(), C()) main;"
    )
}

/// Returns the ids of the compiler's diagnostics.
fn compile(text: &str) -> Vec<&'static str> {
    let loader = MemoryLoader::new().with("main.p4", text);
    let result = pipe::compile("main.p4", &loader);
    let mut ids: Vec<&'static str> = result
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == weir_syntax::Severity::Error)
        .map(|diagnostic| diagnostic.id)
        .collect();
    ids.dedup();
    ids
}

/// Lines 1 to 59 of a program; each uses the previous one twice.
fn doubled(line: &dyn Fn(usize) -> String) -> String {
    (1..60).map(line).collect()
}

#[test]
fn exponential_programs_are_lowered_or_refused() {
    let (state, idle) = ("state start { transition accept; }", "apply { }");

    let constants = doubled(&|n| format!("const bit<32> k{n} = k{m} + k{m};\n", m = n - 1));
    let used = "apply { x = (bit<8>)k59; }";
    assert_eq!(compile(&program(&format!("const bit<32> k0 = 1;\n{constants}"), state, used)), [""; 0]);

    let parsers = doubled(&|n| {
        format!(
            "parser p{n}(inout bit<8> x) {{ p{m}() s; state start {{ s.apply(x); s.apply(x); transition accept; }} }}\n",
            m = n - 1
        )
    });
    let parsers = format!("parser p0(inout bit<8> x) {{ {state} }}\n{parsers}");
    let applied = "p59() s; state start { s.apply(x); transition accept; }";
    assert_eq!(compile(&program(&parsers, applied, idle)), ["program-too-large"]);

    let controls = doubled(&|n| {
        format!(
            "control c{n}(inout bit<8> x) {{ c{m}() a; c{m}() b; apply {{ a.apply(x); b.apply(x); }} }}\n",
            m = n - 1
        )
    });
    let controls = format!("control c0(inout bit<8> x) {{ {idle} }}\n{controls}");
    assert_eq!(compile(&program(&controls, state, "c59() s; apply { s.apply(x); }")), ["program-too-large"]);

    // Only the first instance is applied, with an argument that is copied.
    let controls = doubled(&|n| {
        format!(
            "control c{n}(inout bit<8> x) {{ c{m}() a; c{m}() b; apply {{ bit<8>[2] y; a.apply(y[x]); }} }}\n",
            m = n - 1
        )
    });
    let controls = format!("control c0(inout bit<8> x) {{ {idle} }}\n{controls}");
    assert_eq!(compile(&program(&controls, state, "c40() s; apply { s.apply(x); }")), [""; 0]);

    let index = format!("x = {}1{};", "rows[".repeat(30), "][x]".repeat(30));
    let rows = format!("bit<8>[3][3] rows; apply {{ {index} }}");
    assert_eq!(compile(&program("", state, &rows)), [""; 0]);
}

/// Tests the limit on the parts of the IR: instances repeat entries and cases, and each case with a
/// condition at run time adds a key to all cases.
#[test]
fn instances_and_conditions_multiply_within_a_limit() {
    let (state, idle) = ("state start { transition accept; }", "apply { }");
    let entries: String = (0..4_000).map(|n| format!("{n}: nothing();\n")).collect();
    let declared = format!(
        "match_kind {{ exact }}
         action nothing() {{ }}
         control large(inout bit<8> x) {{
             bit<16> y;
             table t {{ key = {{ y: exact; }} actions = {{ nothing; }} const entries = {{ {entries} }} }}
             apply {{ y = (bit<16>)x; t.apply(); }}
         }}\n"
    );
    let controls = |count: usize| {
        let instances: String = (0..count).map(|n| format!("large() c{n};\n")).collect();
        let applied: String = (0..count).map(|n| format!("c{n}.apply(x);\n")).collect();
        compile(&program(&declared, state, &format!("{instances} apply {{ {applied} }}")))
    };
    assert_eq!(controls(4), [""; 0]);
    assert_eq!(controls(200), ["program-too-large"]);

    let selected = |cases: usize| {
        let cases: String = (0..cases).map(|_| "x: accept;\n").collect();
        let state = format!("state start {{ transition select(8w1) {{ {cases} default: accept; }} }}");
        compile(&program("", &state, idle))
    };
    assert_eq!(selected(20), [""; 0]);
    assert_eq!(selected(3_000), ["program-too-large"]);
}

#[test]
fn exponential_functions_and_actions_are_lowered_or_refused() {
    let state = "state start { transition accept; }";
    let plain =
        doubled(&|n| format!("bit<8> g{n}(in bit<8> x) {{ return g{m}(x) + g{m}(x); }}\n", m = n - 1));
    let plain = format!("bit<8> g0(in bit<8> x) {{ return x + 1; }}\n{plain}");
    assert_eq!(compile(&program(&plain, state, "apply { x = g59(x); }")), ["program-too-large"]);
    assert_eq!(compile(&program(&plain, state, "apply { x = g13(x); }")), [""; 0]);

    let actions = doubled(&|n| format!("action a{n}() {{ a{m}(); a{m}(); }}\n", m = n - 1));
    let actions = format!("action a0() {{ x = x + 1; }}\n{actions}apply {{ a59(); }}");
    assert_eq!(compile(&program("", state, &actions)), ["program-too-large"]);

    let functions = doubled(&|n| {
        format!("bit<8> f{n}<T>(in bit<8> x) {{ return f{m}<tuple<T>>(x) + f{m}<list<T>>(x); }}\n", m = n - 1)
    });
    let functions = format!("bit<8> f0<T>(in bit<8> x) {{ return x; }}\n{functions}");
    assert_eq!(compile(&program(&functions, state, "apply { x = f59<bit<8>>(x); }")), ["program-too-large"]);

    let widened = |ty: &str| {
        let functions = doubled(&|n| {
            format!("bit<8> f{n}<T>(in T x) {{ {ty} p = {{ x, x }}; return f{m}<{ty}>(p); }}\n", m = n - 1)
        });
        let head = "struct Pair<T> { T a; T b; }\nbit<8> f0<T>(in T x) { return 1; }\n";
        compile(&program(&format!("{head}{functions}"), state, "apply { x = f59<bit<8>>(x); }"))
    };
    assert_eq!(widened("Pair<T>"), ["not-supported-yet"]);
    assert_eq!(widened("tuple<T, T>"), ["not-supported-yet"]);
}

#[test]
fn deep_calls_are_lowered_or_refused() {
    let state = "state start { transition accept; }";
    for (length, expected) in [(198, &[][..]), (250, &["calls-too-deep"]), (20_000, &["calls-too-deep"])] {
        let last = length - 1;
        let chained =
            |line: &dyn Fn(usize, usize) -> String| (1..length).map(|n| line(n, n - 1)).collect::<String>();
        let functions = chained(&|n, m| format!("bit<8> g{n}(in bit<8> x) {{ return g{m}(x); }}\n"));
        let functions = format!("bit<8> g0(in bit<8> x) {{ return x + 1; }}\n{functions}");
        let call = format!("apply {{ x = g{last}(x); }}");
        assert_eq!(compile(&program(&functions, state, &call)), expected);

        let actions = chained(&|n, m| format!("action a{n}() {{ a{m}(); }}\n"));
        let actions = format!("action a0() {{ x = x + 1; }}\n{actions}apply {{ a{last}(); }}");
        assert_eq!(compile(&program("", state, &actions)), expected);

        let controls = chained(&|n, m| {
            format!("control c{n}(inout bit<8> x) {{ c{m}() c; apply {{ c.apply(x); }} }}\n")
        });
        let controls = format!("control c0(inout bit<8> x) {{ apply {{ x = x + 1; }} }}\n{controls}");
        let applied = format!("c{last}() c; apply {{ c.apply(x); }}");
        assert_eq!(compile(&program(&controls, state, &applied)), expected);

        let parsers = chained(&|n, m| {
            format!(
                "parser p{n}(inout bit<8> x) {{ p{m}() p; state start {{ p.apply(x); transition accept; }} }}\n"
            )
        });
        let parsers = format!("parser p0(inout bit<8> x) {{ {state} }}\n{parsers}");
        let applied = format!("p{last}() p; state start {{ p.apply(x); transition accept; }}");
        assert_eq!(compile(&program(&parsers, &applied, "apply { }")), expected);
    }
}

#[test]
fn long_chains_of_else_if_are_lowered() {
    let state = "state start { transition accept; }";
    let chain = |links: usize, body: &dyn Fn(usize) -> String| {
        let link = |n: usize| format!("if (x == {}) {{ {} }} else ", n % 256, body(n));
        format!("{} {{ x = 7; }}", (0..links).map(link).collect::<String>())
    };
    let add = |_: usize| "x = x + 1;".to_owned();
    let control = format!("apply {{ {} }}", chain(10_000, &add));
    assert_eq!(compile(&program("", state, &control)), [""; 0]);
    let function = format!("bit<8> f(inout bit<8> x) {{ {} return x; }}", chain(2_000, &add));
    assert_eq!(compile(&program(&function, state, "apply { x = f(x); }")), [""; 0]);

    // Chains inside chains: in the first links, in the last ones, and in the last `else`.
    let mut inner = "x = 9;".to_owned();
    for depth in 0..40 {
        let at = [3, 298, 299][depth % 3];
        let outer = chain(300, &|n| if n == at { inner.clone() } else { add(n) });
        inner = outer;
    }
    assert_eq!(compile(&program("", state, &format!("apply {{ {inner} }}"))), [""; 0]);

    // Conditions with effects, and links that leave the block.
    let hit = "action a() { x = x + 2; } table t { actions = { a; } default_action = a(); }";
    let hits = format!("{hit} apply {{ {} }}", chain(600, &add).replace("x == 9)", "t.apply().hit)"));
    assert_eq!(compile(&program("", state, &hits)), [""; 0]);
    let leaving = chain(600, &|n| if n % 2 == 0 { "return;".to_owned() } else { "exit;".to_owned() });
    assert_eq!(compile(&program("", state, &format!("apply {{ {leaving} }}"))), [""; 0]);

    // Chains that become states, and too many states.
    let sub = "parser S(inout bit<8> x) { state start { x = x + 1; transition accept; } }";
    for (links, expected) in [(3_000, &[][..]), (20_000, &["program-too-large"])] {
        let applied = chain(links, &|n| if n == 5 { "s.apply(x);".to_owned() } else { add(n) });
        let parser = format!("S() s; state start {{ {applied} transition accept; }}");
        assert_eq!(compile(&program(sub, &parser, "apply { }")), expected);
    }
}
