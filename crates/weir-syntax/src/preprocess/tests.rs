//! Runs random texts through this preprocessor and GNU's `cpp`, which p4c calls: both must give the
//! same tokens. The test needs `cpp`, so it runs only on request: `cargo test --workspace --lib
//! same_tokens_as_cpp -- --ignored`; `CPP_CASES` says how many texts.
#![expect(clippy::disallowed_methods, reason = "the test runs another program, as often as the tester says")]

use std::io::Write;
use std::process::{Command, Stdio};

use super::{MemoryLoader, preprocess};
use crate::diagnostic::{Diagnostics, Severity};
use crate::source_map::SourceMap;
use crate::token::{Interner, TokenKind};

/// A generator of numbers (splitmix64).
struct Choices(u64);

impl Choices {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as usize % count
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

const NAMES: &[&str] = &["A", "B", "C", "F", "G", "H", "x", "y", "hdr"];
const TOKENS: &[&str] = &[
    "1", "0x1F", "8w5", "16w0xFF", "-", "+", "*", ".", ";", ",", "(", ")", "[", "]", "<", ">", "==", "=",
    "&&&", "\"text\"", "@", "{", "}", "bit", "/* c */", "?", ":", "..", "_", "1u",
];
const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||"];
const VALUES: &[&str] =
    &["0", "1", "2", "3u", "0x10", "010", "18446744073709551615", "64", "true", "A", "B", "x", "F(1)"];

fn word(choices: &mut Choices) -> String {
    if choices.below(3) == 0 { choices.pick(NAMES) } else { choices.pick(TOKENS) }.to_owned()
}

fn words(choices: &mut Choices, count: usize) -> String {
    let mut text = String::new();
    for _ in 0..choices.below(count) {
        let space = choices.pick(&[" ", " ", "", "  ", " \\\n ", " \\  \n", " /* c */ "]);
        text += space;
        text += &call_or_word(choices);
    }
    text
}

fn call_or_word(choices: &mut Choices) -> String {
    match choices.below(4) {
        0 => {
            let name = choices.pick(&["F", "G", "H"]);
            let space = choices.pick(&["", "", " ", "\n"]);
            let arguments: Vec<String> = (0..choices.below(4))
                .map(|_| {
                    let parts =
                        ["x", "A", "8w1", "(y, 2)", "F(1)", "", "+", "\"s\"", "hdr.x", "H (3,4)", "B"];
                    choices.pick(&parts).to_owned()
                })
                .collect();
            format!("{name}{space}({})", arguments.join(","))
        }
        _ => word(choices),
    }
}

fn condition(choices: &mut Choices, depth: usize) -> String {
    match choices.below(if depth == 0 { 3 } else { 8 }) {
        0 => format!("defined {}", choices.pick(NAMES)),
        1 => format!("defined({})", choices.pick(NAMES)),
        2 if choices.below(3) == 0 => choices
            .pick(&["__has_include(\"nowhere.p4\")", "defined __has_include", "__COUNTER__"])
            .to_owned(),
        2 | 3 => choices.pick(VALUES).to_owned(),
        4 => format!("({})", condition(choices, depth - 1)),
        5 => format!("{}{}", choices.pick(&["!", "~", "-", "+"]), condition(choices, depth - 1)),
        6 if choices.below(3) == 0 => format!(
            "({} ? {} : {})",
            condition(choices, depth - 1),
            condition(choices, depth - 1),
            condition(choices, depth - 1)
        ),
        _ => {
            let (left, right) = (condition(choices, depth - 1), condition(choices, depth - 1));
            format!("{left} {} {right}", choices.pick(OPERATORS))
        }
    }
}

fn definition(choices: &mut Choices) -> String {
    let name = choices.pick(NAMES);
    let (parameters, own): (&str, &[&str]) = match choices.below(9) {
        0 => ("(a)", &["a", "#a", "a"]),
        1 => ("(a, b)", &["a", "b", "# b"]),
        2 => ("(a,...)", &["a", "__VA_ARGS__", "#__VA_ARGS__", "__VA_OPT__(,)", "__VA_OPT__(a x)"]),
        3 => ("(...)", &["__VA_ARGS__", "# __VA_ARGS__", "__VA_OPT__((x) A)", "#__VA_OPT__(x)"]),
        4 => ("(a, b...)", &["a", "b", "#b"]),
        5 => ("()", &["A"]),
        _ => ("", &["A", "x", "__COUNTER__"]),
    };
    let mut body = String::new();
    for at in 0..choices.below(6) {
        let part = if choices.below(2) == 0 { choices.pick(own).to_owned() } else { call_or_word(choices) };
        let glue = if at > 0 { choices.pick(&[" ", " ", " ## ", "##", ", ##", " \\\n "]) } else { " " };
        body += glue;
        body += &part.replace('\n', " ");
    }
    format!("#define {name}{parameters} {body}\n")
}

/// Makes random lines, in which all conditionals are closed.
fn text(choices: &mut Choices, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..2 + choices.below(7) {
        text += &match choices.below(12) {
            0..=3 => definition(choices),
            4 if depth > 0 => {
                let open = match choices.below(3) {
                    0 => format!("#ifdef {}", choices.pick(NAMES)),
                    1 => format!("# ifndef {} // why", choices.pick(NAMES)),
                    _ => format!("#if {}", condition(choices, 3)),
                };
                let inner = self::text(choices, depth - 1);
                let between = match choices.below(5) {
                    0 => format!("#elif {}\n{}", condition(choices, 2), self::text(choices, depth - 1)),
                    1 => format!("#elifdef {}\n{}", choices.pick(NAMES), self::text(choices, depth - 1)),
                    2 => format!("#else\n{}", self::text(choices, depth - 1)),
                    _ => String::new(),
                };
                format!("{open}\n{inner}{between}#endif\n")
            }
            5 => format!("#undef {}\n", choices.pick(NAMES)),
            6 => {
                let lines = [
                    "# a note on A",
                    "#! A",
                    "#ident \"A\"",
                    "#",
                    "#pragma A B",
                    "# 3x A",
                    "#foo(A)",
                    "#warning A",
                ];
                format!("{}\n", choices.pick(&lines))
            }
            7 => format!("F(x,\n#ifdef {}\n  A\n#else\n  B\n#endif\n)\n", choices.pick(NAMES)),
            8 => format!("// comment \\\n still A\n{}\n", word(choices)),
            _ => format!("{}\n", words(choices, 8)),
        };
    }
    text
}

/// Returns the tokens of this preprocessor; an error if it reports one.
fn our_tokens(text: &str) -> Result<Vec<String>, String> {
    let loader = MemoryLoader::new().with("main.p4", text);
    let (mut sources, mut diagnostics, mut interner) =
        (SourceMap::new(), Diagnostics::new(), Interner::new());
    let undefined = [];
    let tokens = preprocess("main.p4", &loader, &undefined, &mut sources, &mut diagnostics, &mut interner);
    if diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return Err(diagnostics.render(&sources, false));
    }
    let tokens = tokens.iter().filter(|token| token.kind != TokenKind::Eof);
    Ok(split(tokens.map(|token| token.spelling(&interner).into_owned())))
}

/// Returns the tokens of the text that cpp prints; an error if it reports one. Lines that p4c
/// interprets as line markers are left out.
fn cpp_tokens(text: &str) -> Result<Vec<String>, String> {
    let mut child = Command::new("cpp")
        .args("-undef -nostdinc -x assembler-with-cpp -D__P4__=16 -D__WEIR__=1 -".split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cpp is installed");
    child.stdin.take().expect("it is a pipe").write_all(text.as_bytes()).expect("cpp reads");
    let done = child.wait_with_output().expect("cpp ends");
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let printed = String::from_utf8_lossy(&done.stdout);
    let lines: Vec<&str> = printed.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let (mut interner, text) = (Interner::new(), lines.join("\n"));
    let tokens = crate::token::lex(&text, crate::span::FileId(0), &mut interner);
    let tokens = tokens.iter().filter(|token| token.kind != TokenKind::Eof);
    Ok(split(tokens.map(|token| token.spelling(&interner).into_owned())))
}

/// Splits operators into characters, because two operators that cpp prints without a space in
/// between may look like one.
fn split(tokens: impl Iterator<Item = String>) -> Vec<String> {
    let mut parts = Vec::new();
    for token in tokens {
        if token.chars().all(|c| c.is_ascii_punctuation() && c != '_') {
            parts.extend(token.chars().map(String::from));
        } else {
            parts.push(token);
        }
    }
    parts
}

#[test]
#[ignore = "needs cpp"]
fn random_texts_give_the_same_tokens_as_cpp() {
    let cases: u64 = std::env::var("CPP_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let (mut refused, mut differ) = (0, Vec::new());
    for seed in 0..cases {
        let text = text(&mut Choices(seed), 2);
        match (our_tokens(&text), cpp_tokens(&text)) {
            (Ok(our_tokens), Ok(cpp_tokens)) if our_tokens == cpp_tokens => {}
            (Err(_), Err(_)) => refused += 1,
            // This preprocessor is more lenient than cpp.
            (Ok(_), Err(_)) => refused += 1,
            (our_tokens, cpp_tokens) => differ.push(format!(
                "--- {seed}\n{text}--- ours\n{}\n--- cpp\n{}\n",
                our_tokens.map_or_else(|why| why, |tokens| tokens.join(" ")),
                cpp_tokens.map_or_else(|why| why, |tokens| tokens.join(" "))
            )),
        }
    }
    assert!(refused < cases * 9 / 10, "cpp refuses {refused} of {cases}");
    let examples: Vec<&String> = differ.iter().take(3).collect();
    assert!(
        differ.is_empty(),
        "{} of {cases} differ:\n{}",
        differ.len(),
        examples.iter().map(|s| s.as_str()).collect::<String>()
    );
}
