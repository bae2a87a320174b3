//! Makes programs with mistakes: some of their words are removed, repeated, moved or replaced.

/// Replacement words. Some of them occur in valid programs, and others do not.
const WORDS: [&str; 48] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ":",
    ",",
    ".",
    "=",
    "==",
    "++",
    "-",
    "&&&",
    "..",
    "...",
    "_",
    "@",
    "#",
    "8w255",
    "0",
    "-1",
    "4096w1",
    "99999999999999999999",
    "bit",
    "int",
    "varbit<32>",
    "error",
    "bool",
    "string",
    "header",
    "struct",
    "control",
    "parser",
    "extern",
    "table",
    "action",
    "apply",
    "default",
    "const",
    "this",
    "in",
    "inout",
    "\"text\"",
    "\n#define x x x\n",
];

/// Returns the source with one to four mistakes. The same seed always gives the same mistakes.
pub fn mutate(source: &str, seed: u64) -> String {
    let mut words: Vec<&str> = split(source);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |count: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % count.max(1) as u64) as usize
    };
    for _ in 0..1 + below(4) {
        let at = below(words.len());
        let other = below(words.len());
        match below(6) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[at]),
            2 => words.swap(at, other),
            3 => words[at] = words[other],
            4 => words.insert(at, WORDS[below(WORDS.len())]),
            _ => words[at] = WORDS[below(WORDS.len())],
        }
    }
    words.concat()
}

/// Splits a source into names, numbers, spaces and single other characters.
fn split(source: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in source.char_indices() {
        if at > start && (before != Some(class(c)) || class(c) == 2) {
            words.push(&source[start..at]);
            start = at;
        }
        before = Some(class(c));
    }
    words.push(&source[start..]);
    words
}
