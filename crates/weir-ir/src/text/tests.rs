//! Mistakes in a text are reported with their place.

use super::{parse, print};

fn message(text: &str) -> String {
    parse(text).expect_err("the text is wrong").to_string()
}

#[test]
fn errors_name_place_and_expectation() {
    let cases = [
        ("var x bit<8>", "1:7: expected `:`, found `bit`"),
        ("var x: bit<8>\nvar x: bool", "2:5: `x` is declared twice"),
        ("var x: bit<8>\nprocedure p {\n  y = x;\n}", "3:3: `y` is not the name of a variable"),
        ("procedure p {\n  call q;\n}", "2:8: `q` is not the name of a procedure"),
        ("var x: bit<8>\nprocedure p { x = 8w256; }", "2:19: 256 does not fit 8 bits"),
        (
            "var x: bit<8>\nprocedure p { x = x + x + x; }",
            "2:25: expected parentheses around one of the operators",
        ),
        ("var x: bit<8>\nprocedure p { x = 8w1 }", "2:23: expected `;`, found `}`"),
        ("procedure p {", "1:14: expected a statement or `}`, found the end of the text"),
        (
            "procedure p { } }",
            "1:17: expected one of file, errors, atomic, enum, type, header_type, var, header, stack, union, extern, value_set, action, procedure, table, parser, control, package, found `}`",
        ),
        (
            "hello",
            "1:1: expected one of file, errors, atomic, enum, type, header_type, var, header, stack, union, extern, value_set, action, procedure, table, parser, control, package, found `hello`",
        ),
        ("table t {\n}", "2:1: the table `t` has no `default` action"),
        ("file \"a", "1:6: no closing `\"`"),
        ("enum e { a }\nvar x: f", "2:8: `f` is not the name of a type"),
        ("var ü: bool", "1:5: unexpected character `ü`"),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), expected, "for {text:?}");
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text = format!("var x: bool procedure p {{ x = {}x; }}", "!".repeat(100_000));
    assert!(message(&text).contains("nested more than"));
    let text = format!("procedure p {}", "{ if true ".repeat(100_000));
    assert!(message(&text).contains("nested more than"));
}

#[test]
fn items_have_any_order_and_name() {
    let text = "procedure p { `if` = `a b`; call `call`; } procedure `call` { } var `if`: E var `a b`: E enum E { m }";
    let program = parse(text).unwrap();
    let printed = print(&program);
    assert!(printed.contains("`if` = `a b`;"), "{printed}");
    assert_eq!(parse(&printed).unwrap(), program);
}
