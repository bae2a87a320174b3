//! No input may cause a panic, a hang or a stack overflow.

use proptest::prelude::*;
use weir_syntax::preprocess::{MemoryLoader, limits};
use weir_syntax::{Diagnostics, SourceMap, ast::Program, print};

fn parse(text: &str) -> (Program, SourceMap, Diagnostics) {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    // The text may include itself.
    let loader = MemoryLoader::new().with("a.p4", text);
    let program = weir_syntax::parse("a.p4", &loader, &[], &mut sources, &mut diagnostics);
    (program, sources, diagnostics)
}

/// Runs everything that traverses the tree: parses the text, renders all diagnostics, prints the
/// tree, and compares.
fn exercise(text: &str) -> Diagnostics {
    let (program, sources, diagnostics) = parse(text);
    for diagnostic in &diagnostics {
        assert!(!diagnostic.render(&sources, false).is_empty());
        diagnostic.to_plain(&sources);
    }
    let printed = print::program(&program);
    assert!(weir_syntax::ast::same_program(&program, &program));
    if !diagnostics.has_errors() {
        let (again, sources, found) = parse(&printed);
        assert!(!found.has_errors(), "{printed}\n{}", found.render(&sources, false));
        assert!(weir_syntax::ast::same_program(&program, &again), "{printed}");
    }
    diagnostics
}

fn ids(diagnostics: &Diagnostics) -> Vec<&'static str> {
    diagnostics.iter().map(|d| d.id).collect()
}

const DEEP: usize = 100_000;

#[test]
fn deep_nesting_is_rejected() {
    let nests = [
        ("const int x = ", "(", "1", ")", ";"),
        ("const int x = ", "-", "1", "", ";"),
        ("const int x = ", "!", "1", "", ";"),
        ("const int x = ", "(bit<8>)", "1", "", ";"),
        ("const int x = ", "{", "1", "}", ";"),
        ("const int x = ", "f(", "1", ")", ";"),
        ("const int x = ", "a[", "1", "]", ";"),
        ("const int x = ", "a ? b : ", "1", "", ";"),
        ("const int x = ", "a ? ", "1", ": b", ";"),
        ("const int x = a", ".b", "", "", ";"),
        ("const int x = a", "[0]", "", "", ";"),
        ("const int x = a", "()", "", "", ";"),
        ("const ", "tuple<", "bool", ">", " x = 1;"),
        ("const ", "T<", "bool", ">", " x = 1;"),
        ("const bool", "[1]", "", "", " x = 1;"),
        ("const ", "bit<(", "1", ")>", " x = 1;"),
        ("action a() ", "{", "", "}", ""),
        ("action a() { ", "if (b) ", ";", "", "}"),
        ("action a() { ", "for (bit<8> i in 1..2) ", ";", "", "}"),
        ("action a() { ", "switch (b) { c: {", ";", "}}", "}"),
        ("E() x = ", "{ E() y = ", "{}", ";}", ";"),
        ("typedef ", "struct S { ", "", "}", " T;"),
        ("parser p() { state s { transition select(", "(", "1", ")", ") { default: accept; } } }"),
        ("parser p() { state s { transition select(x) { ", "(", "1", ")", ": accept; } } }"),
        ("parser p() { state s { ", "{", "", "}", " transition accept; } }"),
        ("parser p() { state s { ", "if (b) ", ";", "", " transition accept; } }"),
        ("control c() { table t { key = { ", "(", "x", ")", ": exact; } actions = { } } apply { } }"),
        ("control c() { table t { actions = { } entries = { ", "(", "1", ")", ": a(); } } apply { } }"),
        ("const T x = ", "{ a = ", "1", "}", ";"),
        ("const T x = ", "f<bool>(", "1", ")", ";"),
        ("const ", "list<", "bool", ">", " x = 1;"),
        ("typedef bit<8> t; const t x = ", "(t)", "1", "", ";"),
        ("", "#if 1\n", "", "#endif\n", "const int x = 1;"),
        ("", "#ifdef A\n#else\n", "", "#endif\n", "const int x = 1;"),
        ("@a(", "(", "", ")", ") const int x = 1;"),
        ("@a", "[b, ", "", "]", " const int x = 1;"),
    ];
    for (head, open, middle, close, tail) in nests {
        let closed = format!("{head}{}{middle}{}{tail}", open.repeat(DEEP), close.repeat(DEEP));
        let unclosed = format!("{head}{}", open.repeat(DEEP / 10));
        let small = format!("{head}{}{middle}{}{tail}", open.repeat(20), close.repeat(20));
        exercise(&unclosed);
        let reported = ids(&exercise(&closed));
        // Constructs that may be nested are rejected only for their depth.
        let flat = open == "(" && head.starts_with('@');
        if !flat && parse(&small).2.is_empty() {
            assert_eq!(reported, ["syntax-too-deep"], "{head}{open}…");
        }
    }
}

#[test]
fn moderate_nesting_is_accepted() {
    let sum = vec!["a"; 490].join(" + ");
    let text = format!("const int x = {}1{};\nconst int y = {sum};", "(".repeat(120), ")".repeat(120));
    assert!(exercise(&text).is_empty());
}

#[test]
fn chains_of_operators_have_no_limit() {
    for op in ["+", "-", "*", "&", "|", "^", "++", "&&", "||"] {
        let chain = vec!["a"; DEEP].join(op);
        assert!(exercise(&format!("const int y = {chain};")).is_empty(), "{op}");
    }
    assert!(exercise(&format!("const int y = {};", vec!["a"; DEEP].join(" - a + "))).is_empty());
    for op in ["|+|", "|-|", "<<", ">>", "/", "%", "=="] {
        let chain = vec!["a"; DEEP].join(op);
        assert_eq!(ids(&exercise(&format!("const int y = {chain};"))), ["syntax-too-deep"], "{op}");
    }
}

#[test]
fn else_if_chains_have_no_limit() {
    let chain = "if (a) {} else ".repeat(DEEP);
    assert!(exercise(&format!("action b() {{ {chain} {{}} }}")).is_empty());
    // Without the last statement of the chain, one error is reported.
    assert_eq!(ids(&exercise(&format!("action b() {{ {chain} }}"))).len(), 1);
    // Chains inside links nest like any statement.
    let nested = format!("{}{}", "if (a) ; else if (b) { ".repeat(DEEP), "}".repeat(DEEP));
    assert_eq!(ids(&exercise(&format!("action b() {{ {nested} }}"))), ["syntax-too-deep"]);
}

#[test]
fn exponential_macros_are_rejected() {
    let mut objects = "#define M0 1 +\n".to_string();
    let mut functions = "#define F0(x) x x\n".to_string();
    let mut empty = "#define E0\n".to_string();
    for i in 1..64 {
        let before = i - 1;
        objects.push_str(&format!("#define M{i} M{before} M{before}\n"));
        functions.push_str(&format!("#define F{i}(x) F{before}(x x) F{before}(x x)\n"));
        empty.push_str(&format!("#define E{i} E{before} E{before}\n"));
    }
    for text in [
        format!("{objects}const int x = M63 1;"),
        format!("{functions}const int x = F63(1);"),
        format!("{empty}const int x = E63 1;"),
        format!("#define D(x) x x\nconst int x = {}1{};", "D(".repeat(120), ")".repeat(120)),
        format!("#define D(x) (x)\nconst int x = {}1{};", "D(".repeat(DEEP), ")".repeat(DEEP)),
    ] {
        assert!(ids(&exercise(&text)).contains(&"preprocess-expansion-limit"), "{}", &text[..80]);
    }
}

#[test]
fn deep_and_branching_includes_are_rejected() {
    assert!(ids(&exercise("#include \"a.p4\"\n#include \"a.p4\"\n")).contains(&"preprocess-include-cycle"));
    let mut loader = MemoryLoader::new().with("f30", "");
    for i in 0..30 {
        let next = i + 1;
        loader = loader.with(format!("f{i}"), format!("#include \"f{next}\"\n#include \"f{next}\"\n"));
    }
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    weir_syntax::parse("f0", &loader, &[], &mut sources, &mut diagnostics);
    assert_eq!(ids(&diagnostics), ["preprocess-include-limit"]);
}

/// Tests that a text is refused before its tree takes memory, whatever it is made of.
#[test]
fn long_programs_are_refused() {
    let too_long = " ".repeat(limits::BYTES + 1);
    let too_many = "; ".repeat(limits::TOKENS);
    for text in [&too_long, &too_many] {
        let (program, _, diagnostics) = parse(text);
        assert_eq!((program.node_count, ids(&diagnostics)), (0, vec!["program-too-large"]));
        let loader = MemoryLoader::new().with("a.p4", "#include \"b.p4\"\n").with("b.p4", text.as_str());
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let program = weir_syntax::parse("a.p4", &loader, &[], &mut sources, &mut diagnostics);
        assert_eq!((program.node_count, ids(&diagnostics)), (0, vec!["preprocess-include-limit"]));
    }
    let comments = "// no tokens\n".repeat(limits::BYTES / 13);
    assert!(ids(&parse(&comments).2).is_empty());
}

#[test]
fn quotes_and_backslashes_in_macro_arguments_make_strings() {
    for (argument, expected) in [
        ("a \"b\\\"\" c", r#"a \"b\\\"\" c"#),
        ("a \"b\n", r#"a \"b"#),
        ("\"\\\"\n", r#"\"\\\""#),
        (r"\", r"\\"),
        (r"a \n", r"a \n"),
        ("\\\"a\"", r#"\\\"a\""#),
        ("\\ \"\n", r#"\ \""#),
    ] {
        // An unterminated string extends to the end of the line.
        let text = format!("#define TEXT(x) #x\nconst string s = TEXT({argument});");
        let diagnostics = exercise(&text);
        assert!(diagnostics.is_empty(), "{text}: {:?}", ids(&diagnostics));
        let printed = print::program(&parse(&text).0);
        assert_eq!(printed, format!("const string s = \"{expected}\";\n"), "{text}");
    }
}

#[test]
fn deep_conditions_are_rejected() {
    for open in ["(", "!", "1 ? 1 : ", "1 + ("] {
        let text = format!("#if {}1\n#endif\n", open.repeat(DEEP));
        assert!(ids(&exercise(&text)).contains(&"preprocess-condition"), "{open}");
    }
    let nested = format!("#if {}\"a\"{}\n#endif\n", "__has_include(".repeat(DEEP), ")".repeat(DEEP));
    assert!(ids(&exercise(&nested)).contains(&"preprocess-expansion-limit"));
}

#[test]
fn unclosed_constructs_take_linear_time() {
    for piece in
        ["a < ", "a < b[", "f(a, ", "(a[", "\"\n", "\"\\\"\n", "/* ", "#if 1\n", "@a(", "{ a = ", "x y ", "}"]
    {
        exercise(&piece.repeat(DEEP / 4));
        exercise(&format!("control c() {{ apply {{ {} }} }}", piece.repeat(DEEP / 4)));
    }
}

/// Tokens of P4 programs, and some malformed ones.
const WORDS: &[&str] = &[
    "abstract",
    "action",
    "actions",
    "apply",
    "bit",
    "bool",
    "const",
    "control",
    "default",
    "else",
    "entries",
    "enum",
    "error",
    "exit",
    "extern",
    "false",
    "for",
    "header",
    "header_union",
    "if",
    "in",
    "inout",
    "int",
    "key",
    "list",
    "match_kind",
    "out",
    "package",
    "parser",
    "priority",
    "return",
    "select",
    "state",
    "string",
    "struct",
    "switch",
    "table",
    "this",
    "transition",
    "true",
    "tuple",
    "type",
    "typedef",
    "value_set",
    "varbit",
    "void",
    "_",
    "x",
    "T",
    "M",
    "1",
    "8w3",
    "0xZ",
    "\"s\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ";",
    ":",
    ",",
    ".",
    "..",
    "...",
    "?",
    "@",
    "=",
    "==",
    "!",
    "~",
    "+",
    "++",
    "-",
    "*",
    "/",
    "%",
    "&",
    "&&",
    "&&&",
    "|",
    "||",
    "|+|",
    "^",
    "<<",
    "+=",
    "{#}",
    "\n",
    "\n#define M x M(",
    "\n#define M(x) x #x M\n",
    "\n#if M\n",
    "\n#elif 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"a.p4\"\n",
    "\n#undef M\n",
    "\n#line 7 \"z\"\n",
    "##",
    "#",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "é",
    "M(",
    "\ncontrol c() {",
    "\nparser p() { state s {",
    "transition select(x) {",
    "table t { key = {",
    "}}",
    "apply {",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_does_not_panic(text in "\\PC{0,200}") {
        exercise(&text);
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        exercise(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_tokens_do_not_panic(words in prop::collection::vec(prop::sample::select(WORDS), 0..200)) {
        exercise(&words.join(" "));
    }

    #[test]
    fn a_damaged_program_does_not_panic(at in 0usize..2000, length in 0usize..40, word in prop::sample::select(WORDS)) {
        let text = include_str!("accepted/router.p4");
        let start = text.floor_char_boundary(at.min(text.len()));
        let end = text.floor_char_boundary((start + length).min(text.len()));
        exercise(&format!("{}{word}{}", &text[..start], &text[end..]));
    }

    /// A printed expression is accepted again if the original was accepted, and has the same tree.
    #[test]
    fn expressions_survive_printing(words in prop::collection::vec(prop::sample::select(EXPRESSION_WORDS), 1..12)) {
        let (program, _, diagnostics) = parse(&format!("struct T {{ }} const T x = {};", words.join(" ")));
        if diagnostics.is_empty() {
            let text = print::program(&program);
            let (again, sources, diagnostics) = parse(&text);
            prop_assert!(diagnostics.is_empty(), "{}\n{}", text, diagnostics.render(&sources, false));
            prop_assert!(weir_syntax::ast::same_program(&program, &again), "{}", text);
        }
    }
}

const EXPRESSION_WORDS: &[&str] = &[
    "x", "T", "1", "(x)", "(T)", "-", "+", "!", "<", ">", ">>", "<T>", "<x>", "(", ")", "[1]", "[2:1]",
    "[1+:2]", ".y", "*", "==", "?", ":", "{x}", "{y = 1}", ",", "++", "&", "(bit<8>)", "...", "(x, T)",
    "<x, y>", "f",
];
