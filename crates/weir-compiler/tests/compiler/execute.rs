//! Compiles the programs of `testdata/lower/run` and sends them the packets that they contain.
//!
//! A line `//> HEX` gives a packet. The lines `//= …` below it give the output: the values that
//! externs logged, and the bytes that left or the error that ended parsing. `BLESS=1 cargo test -p
//! weir-compiler` rewrites these lines; check the difference.

use std::sync::Arc;

use crate::pipe;
fn bytes(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    assert_eq!(digits.len() % 2, 0, "half a byte in {text}");
    (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect()
}

#[test]
fn programs_have_expected_results() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in pipe::programs("run") {
        let text = std::fs::read_to_string(&path).unwrap();
        let program = match pipe::lowered(&path) {
            Ok(program) => program,
            Err(why) => {
                wrong.push(why);
                continue;
            }
        };
        let program = Arc::new(program);
        let mut actual = String::new();
        let mut packets = 0;
        for line in text.lines().filter(|line| !line.starts_with("//=")) {
            actual.push_str(line);
            actual.push('\n');
            if let Some(packet) = line.strip_prefix("//>") {
                packets += 1;
                for outcome in pipe::run(&program, &bytes(packet)) {
                    actual.push_str(&format!("//= {outcome}\n"));
                }
            }
        }
        assert!(packets > 0, "no packet in {}", path.display());
        if actual == text {
            continue;
        }
        if bless {
            std::fs::write(&path, actual).unwrap();
        } else {
            let differences: Vec<String> = text
                .lines()
                .zip(actual.lines())
                .filter(|(expected, actual)| expected != actual)
                .map(|(expected, actual)| format!("  expected {expected}\n  got      {actual}"))
                .collect();
            wrong.push(format!("{}:\n{}", path.display(), differences.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}\n(BLESS=1 rewrites the expectations)", wrong.join("\n\n"));
}
