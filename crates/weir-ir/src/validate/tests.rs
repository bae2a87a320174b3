//! One broken program for each rule.

use crate::program::{Block, Param, Place, Stmt, StmtKind, Storage};
use crate::types::Type;
use crate::{Direction, Expr, ExprKind, Id, Loc, Procedure, Program, text, violations};

/// Declarations of storage that most cases share.
const COMMON: &str = "
file \"a.p4\"
errors { NoError, PacketTooShort, NoMatch, StackOutOfBounds, HeaderTooShort, ParserTimeout, ParserInvalidArgument }
enum color { red, green }
header_type h_t { a: bit<8> b: bit<8> }
header_type v_t { n: bit<8> v: varbit<64> }
header_type vv_t { v: varbit<64> w: varbit<8> }
header h: h_t
header v: v_t
header vv: vv_t
header s[0]: h_t
header s[1]: h_t
header u.a: h_t
header u.b: v_t
union { u.a, u.b }
var s.$next$: bit<32>
stack s: { s[0], s[1] }
var x: bit<8>
var y: bit<8>
var w: bit<16>
var i: int<8>
var n: bit<32>
var c: color
var e: error
var f: bool
var vb: varbit<64>
var big: bit<2000>
action nop() { }
action set(p = x) { y = x; }
";

fn messages(text: &str) -> Vec<String> {
    let program = text::parse(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    violations(&program).iter().map(ToString::to_string).collect()
}

fn expect(cases: &[(&str, &str)], wrap: impl Fn(&str) -> String) {
    for (broken, message) in cases {
        let violations = messages(&wrap(broken));
        assert!(
            violations.iter().any(|violation| violation.contains(message)),
            "{broken}\nexpected {message}\nfound {violations:#?}"
        );
    }
}

#[test]
fn a_sound_program_has_no_violations() {
    let text = format!(
        "{COMMON}
        value_set vs {{ f: 8 exact size 4 }}
        procedure p {{ if f {{ return; }} loop n < 32w4 {{ if f {{ break; }} continue; }} step {{ n = n + 32w1; }} }}
        table t {{ key x: exact x key c: exact c action nop action set
            default nop() entry (8w1, _) -> set(8w2) }}
        parser P {{ param h: out h_t {{ ``: header h }} start start locals {{ x = 8w1; }}
            state start {{ extract next s; extract v varbit n; lookahead w; advance 32w8; verify f else error::NoMatch;
                n = packet_length; call p;
                -> select (x, w) {{ (set vs, 16w1) -> accept (8w1 &&& 8w2, _) -> start (8w1 .. 8w2, _) -> reject }} }} }}
        control C {{ param s: inout s_t {{ `[0]`: header s[0] `[1]`: header s[1] next: s.$next$ stacks {{ s }} }}
            apply t hit f action_run n; call action set; emit s[n]; invalidate_others u.a; copy h = s[0]; push_front s 1; next_index s = 32w1;
            switch c {{ color::red {{ exit; }} default {{ }} }}
            extern x = go(in k = {{ 8w1, header h }}, out o = &[y], inout z = &{{ p: w }}); return; }}
        package main: Q {{ p = parser P c = control C k = {{ 8w1, true }} }}"
    );
    assert_eq!(messages(&text), Vec::<String>::new());
}

#[test]
fn statements() {
    let cases = [
        ("x = w;", "the assigned value `w` is bit<16>, not bit<8>"),
        ("[x, w][n] = x;", "x, w have different types"),
        ("[x, y][x] = x;", "the index `x` is bit<8>, not bit<32>"),
        ("h.$valid$ = true;", "the validity bit `h.$valid$` is assigned"),
        ("s.$next$ = 32w1;", "the stack counter `s.$next$` is assigned"),
        ("copy h = v;", "`h` and `v` have different header types"),
        ("copy h = s[x];", "the index `x` is bit<8>, not bit<32>"),
        ("next_index s = x;", "the counter's value `x` is bit<8>, not bit<32>"),
        ("set_valid next s;", "`next` of `s` outside extract"),
        ("invalidate_others h;", "`h` is in no union"),
        ("if x { }", "the condition `x` is bit<8>, not bool"),
        ("loop x { } step { }", "the condition `x` is bit<8>, not bool"),
        ("break;", "`break` outside a loop"),
        ("loop f { } step { continue; }", "`continue` outside a loop"),
        ("switch x { 16w1 { } default { } }", "the case 16w1 has 16 bits, bit<8> asks for 8"),
        ("switch c { color::red { } color::red { } default { } }", "there are two cases color::red"),
        ("switch vb { default { } }", "a switch is on a varbit"),
        ("extern go(out a = x);", "the argument `a` of `go` is given against its direction"),
        ("extern go(in a = &[x]);", "the argument `a` of `go` is given against its direction"),
        ("extern go(in a = x, in a = y);", "there are two arguments `a`"),
        ("extern go(out a = &[s.$next$]);", "the stack counter `s.$next$` is written by an extern"),
        ("extern s.$next$ = go();", "the stack counter `s.$next$` is written by an extern"),
        ("extern go<bit<3000>>();", "bit<3000> is wider than 2048 bits"),
    ];
    expect(&cases, |stmt| format!("{COMMON} procedure p {{ {stmt} }}"));
}

#[test]
fn expressions() {
    let cases = [
        ("n = n + x;", "the right operand `x` is bit<8>, not bit<32>"),
        ("f = f & f;", "the operand `f` is bool, not `bit` or `int`"),
        ("f = x && f;", "the operand `x` is bit<8>, not bool"),
        ("f = !x;", "the operand `x` is bit<8>, not bool"),
        ("f = -f;", "the operand `f` is bool, not `bit` or `int`"),
        ("f = x == w;", "the right operand `w` is bit<16>, not bit<8>"),
        ("f = e < e;", "the operand `e` is error, not `bit` or `int`"),
        ("i = i / i;", "the operand `i` is int<8>, which is signed"),
        ("x = x << i;", "the operand `i` is int<8>, which is signed"),
        ("w = x ++ f;", "the operand `f` is bool, not `bit` or `int`"),
        ("x = (big ++ big)[7:0];", "bit<4000> is wider than 2048 bits"),
        ("x = x[8:1];", "the slice `x[8:1]` is not within bit<8>"),
        ("f = bool(x);", "there is no cast from bit<8> to bool"),
        ("x = bit<8>(c);", "there is no cast from color to bit<8>"),
        ("x = x ? x : x;", "the condition `x` is bit<8>, not bool"),
        ("x = f ? x : w;", "the other value `w` is bit<16>, not bit<8>"),
        ("vb = varbit<64>(65w0);", "the constant 65w0 has 65 bits, varbit<64> asks for 64"),
        ("x = [x, y][w];", "the index `w` is bit<16>, not bit<32>"),
    ];
    expect(&cases, |stmt| format!("{COMMON} procedure p {{ {stmt} }}"));
}

#[test]
fn parser_statements() {
    let cases = [
        ("extract v;", "extract of `v_t` does not say how long its varbit field is"),
        ("extract h varbit n;", "extract says the length of a varbit field that `h_t` does not have"),
        ("extract vv varbit n;", "extract of `vv_t`, which has more than one varbit field"),
        ("extract v varbit x;", "the varbit's length `x` is bit<8>, not bit<32>"),
        ("lookahead c;", "lookahead reads color, which has no fixed form on the wire"),
        ("advance x;", "the number of bits `x` is bit<8>, not bit<32>"),
        ("verify x else error::NoMatch;", "the condition `x` is bit<8>, not bool"),
        ("verify f else x;", "the error `x` is bit<8>, not error"),
        ("return;", "`return` directly in a parser"),
        ("exit;", "`exit` is for controls, but a parser runs it"),
        ("emit h; @0/9:5", "a.p4:9:5: in `P`: `emit h` is for controls, but a parser runs it"),
        ("call q;", "`apply t` is for controls, but a parser runs it"),
    ];
    let tail = "procedure q { apply t; } table t { action nop default nop() }";
    expect(&cases, |stmt| {
        format!("{COMMON} {tail} parser P {{ start start locals {{ }} state start {{ {stmt} -> accept }} }}")
    });
}

#[test]
fn control_statements() {
    let cases = [
        ("extract h;", "`extract h` is for parsers, but a control runs it"),
        ("n = packet_length;", "`packet_length` is for parsers, but a control runs it"),
        ("call q;", "`advance 32w8` is for parsers, but a control runs it"),
        ("apply t hit x;", "`x` takes a result of apply but is not a plain bool"),
        ("apply t action_run x;", "`x` takes a result of apply but is not a plain bit<32>"),
        ("apply t hit h.$valid$;", "`h.$valid$` takes a result of apply but is not a plain bool"),
    ];
    let tail = "procedure q { advance 32w8; } table t { action nop default nop() }";
    expect(&cases, |stmt| format!("{COMMON} {tail} control C {{ {stmt} }}"));
}

#[test]
fn selects() {
    let cases = [
        ("(x) { (8w1, 8w2) -> accept }", "a case has 2 keysets for 1 keys"),
        ("(x) { (16w1) -> accept }", "the keyset's 16w1 does not have the width of its key, bit<8>"),
        ("(x) { (8w1 &&& 16w1) -> accept }", "the keyset's 16w1 does not have the width of its key, bit<8>"),
        ("(x) { (8w1 .. 16w1) -> accept }", "the keyset's 16w1 does not have the width of its key, bit<8>"),
        ("(x) { (set vs) -> accept }", "the value set `vs` does not have the widths of the keys it covers"),
        (
            "(x, w) { (set vs, 16w1) -> accept }",
            "a key that the value set `vs` covers has a keyset of its own",
        ),
        ("(vb) { (_) -> accept }", "a select is on a varbit"),
    ];
    let set = "value_set vs { f: 8 exact g: 16 exact size 4 }";
    expect(&cases, |select| {
        format!("{COMMON} {set} parser P {{ start start locals {{ }} state start {{ -> select {select} }} }}")
    });
}

#[test]
fn tables() {
    let cases = [
        ("default nop()", "the action `nop` is not in the table's list"),
        ("action nop action nop default nop()", "there are two actions `nop`"),
        ("action nop table_only default nop()", "the action `nop` is for entries only, but is the default"),
        (
            "action nop default_only default nop() entry () -> nop()",
            "the action `nop` is for the default only, but an entry has it",
        ),
        ("action set default set()", "the action `set` has 1 parameters, but 0 values are given"),
        ("action set default set(16w1)", "the value of `p`, 16w1 has 16 bits, bit<8> asks for 8"),
        ("action nop default nop() entry (8w1) -> nop()", "an entry has 1 keysets for 0 keys"),
        (
            "key x: exact x action nop default nop() entry (16w1) -> nop()",
            "the keyset's 16w1 does not have the width of its key, bit<8>",
        ),
        ("key x: exact x action nop default nop() entry (set vs) -> nop()", "an entry has a value set"),
        ("key k: exact vb action nop default nop()", "the key `k` is a varbit, which no table can match"),
        ("key k: exact x + w action nop default nop()", "the right operand `w` is bit<16>, not bit<8>"),
    ];
    expect(&cases, |table| format!("{COMMON} value_set vs {{ f: 8 exact size 4 }} table t {{ {table} }}"));
}

#[test]
fn broken_items() {
    let cases = [
        ("action bad(p = h.a) { }", "the parameter `p` is not a plain variable of fixed width"),
        ("action bad(p = x) { }", "`x` is the variable of two action parameters"),
        ("action bad(p = n, p = y) { }", "there are two parameters `p`"),
        ("var t0: bit<2049>", "bit<2049> is wider than 2048 bits"),
        ("var t0: varbit<131073>", "varbit<131073> is wider than 131072 bits"),
        ("header_type t { a: bit<8> a: bit<8> }", "there are two fields `a`"),
        ("header_type t { a: error }", "the field `a` is error, which no header can hold"),
        ("header_type t { a: bit<8> } header g: t { f; }", "the header has 0 fields, its type `t` 1"),
        ("header_type t { a: bit<8> } header g: t { f; w }", "`w` is bit<16>, not bit<8>"),
        ("header_type t { a: bit<8> } header g: t { x; y }", "`x` is bit<8>, not bool"),
        (
            "header_type t { a: bit<8> } header g: t { f; h.a }",
            "the variable is part of two headers or stacks",
        ),
        ("stack t next n: { }", "the stack has no elements"),
        ("stack t next x: { h }", "`x` is bit<8>, not bit<32>"),
        ("stack t next n: { s[0] }", "the element `s[0]` is in two places of stacks"),
        ("stack t next n: { h, v }", "the element `v` has another type than the first"),
        ("union { h, h }", "the header is in two places of unions"),
        ("union { u.a }", "the header is in two places of unions"),
        (
            "control C { param a: in t { q: header u.a } }",
            "the parameter `a` has a part of a union without the others",
        ),
        ("enum t { a, a }", "there are two members `a`"),
        ("errors { NoError }", "there are two errors `NoError`"),
        ("value_set t { size 4 }", "the value set has no fields"),
        ("extern t: counter(varbit<8>(9w1))", "the argument 9w1 has 9 bits, varbit<8> asks for 8"),
        ("procedure p { call q; } procedure q { call p; }", "`p` calls itself, directly or through others"),
        ("procedure p { x = 8w1; @1/3:4 }", "the source place is in a file that the program does not list"),
        ("control C { param a: in t { q: x q: y } }", "there are two paths of the parameter `a` `q`"),
        ("control C { param a: in t { q: x } param a: in t { q: y } }", "there are two parameters `a`"),
        ("control C { param a: in t { q: x r: x } }", "the parameter `a` lists something twice"),
        ("control C { param a: in t { q: h.a } }", "the parameter `a` has `h.a` without all it belongs to"),
        (
            "control C { param a: in t { q: s.$next$ } }",
            "the parameter `a` has `s.$next$` without all it belongs to",
        ),
        (
            "control C { param a: in t { headers { h } } }",
            "the parameter `a` has the header `h` without its variables",
        ),
        (
            "control C { param a: in t { q: s.$next$ stacks { s } } }",
            "the parameter `a` has the stack `s` without its elements",
        ),
        ("package main: P { a = 8w1 a = 8w1 }", "there are two arguments `a`"),
    ];
    expect(&cases, |item| format!("{COMMON} {item}"));
}

#[test]
fn parsers_need_the_core_errors() {
    let parser = "parser P { start start locals { } state start { -> accept } }";
    expect(
        &[
            ("errors { PacketTooShort, NoError }", "the first error is not `NoError`"),
            ("errors { NoError, PacketTooShort }", "the error `NoMatch` is not declared, which parsers need"),
        ],
        |errors| format!("{errors} {parser}"),
    );
}

/// Mistakes that the text form cannot express.
#[test]
fn broken_handles_names_and_types() {
    let check = |change: &dyn Fn(&mut Program), message: &str| {
        let mut program = text::parse(COMMON).unwrap();
        change(&mut program);
        let messages: Vec<_> = violations(&program).iter().map(ToString::to_string).collect();
        assert!(messages.iter().any(|one| one.contains(message)), "expected {message}, found {messages:#?}");
    };
    let run = |kind: StmtKind| {
        move |program: &mut Program| {
            let body = Block(vec![Stmt { kind: kind.clone(), loc: Loc::NONE }]);
            program.procedures.push(Procedure {
                name: "p".into(),
                action: None,
                body,
                loc: Loc { file: 0, line: 4, column: 2 },
            });
        }
    };
    let big = 10_000;
    check(
        &run(StmtKind::Call(Id::new(big))),
        "in `p`: a procedure is named, but the program does not have it",
    );
    check(&run(StmtKind::CallAction(Id::new(big))), "an action is named");
    check(&run(StmtKind::PushFront(Id::new(big), 1)), "a stack is named");
    check(&run(StmtKind::Lookahead(Place::Var(Id::new(big)))), "a variable is named");
    check(
        &run(StmtKind::Assign(
            Place::Var(Id::new(1)),
            Expr { kind: ExprKind::Var(Id::new(1)), ty: Type::bit(9) },
        )),
        "`h.a` is said to be bit<9>, but gives bit<8>",
    );
    check(
        &run(StmtKind::Assign(
            Place::Var(Id::new(0)),
            Expr { kind: ExprKind::Const(crate::Bits::new(32, 9)), ty: Type::Error },
        )),
        "the constant 9 is not a member of error",
    );
    check(
        &|program| {
            program.add_var("x", Type::Bool, Loc::NONE);
        },
        "there are two variables `x`",
    );
    check(
        &|program| program.vars[Id::new(1)].role = crate::VarRole::Validity(Id::new(0)),
        "`h.a` has another role than its place here",
    );
    check(
        &|program| {
            let odd = program.add_var("odd", Type::Bool, Loc::NONE);
            program.vars[odd].role = crate::VarRole::Field(Id::new(0));
        },
        "in `odd`: the variable has the role of a part of a header or stack that does not have it",
    );
    check(
        &|program| {
            let storage = Storage { vars: vec![Id::new(9)], ..Storage::default() };
            let param = Param { name: "a".into(), direction: Direction::In, type_name: "t".into(), storage };
            let control = crate::Control {
                name: "C".into(),
                params: vec![param],
                body: Block::default(),
                loc: Loc::NONE,
            };
            program.controls.push(control);
        },
        "the parameter `a` has 1 variables but 0 paths",
    );
}

#[test]
fn storage_has_a_limit() {
    let varbits = |count: u64| {
        let text = format!("errors {{ NoError }} var x: varbit<{}>", crate::MAX_VARBIT);
        let mut program = crate::text::parse(&text).expect("it is IR");
        let var = program.vars[crate::VarId::new(0)].clone();
        for number in 1..count {
            program.vars.push(crate::Var { name: format!("x{number}"), ..var.clone() });
        }
        super::validate(program).map(|program| program.layout().words())
    };
    let each = 1 + u64::from(crate::MAX_VARBIT / 64);
    let most = crate::MAX_STATE_WORDS / each;
    assert_eq!(varbits(most), Ok((most * each) as usize));
    let violations = varbits(most + 1).expect_err("it is too large");
    let message = format!("the variables take {} words", (most + 1) * each);
    assert!(violations[0].to_string().contains(&message), "{violations:?}");
}
