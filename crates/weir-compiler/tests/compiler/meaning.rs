//! Tests that the programs of `testdata/lower/run` and generated programs give the same results in
//! the interpreter, after lowering, as in the oracle.

use std::sync::Arc;

use crate::generate;
use crate::oracle;
use crate::pipe;
use weir_compiler::{Analysis, analyse, compile};

/// The oracle has no abstract methods.
const NOT_IN_ORACLE: [&str; 2] = ["constants.p4", "methods.p4"];

fn bytes(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len() / 2).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap()).collect()
}

fn assert_same_results(name: &str, source: &str, packets: &[Vec<u8>]) {
    let loader = pipe::loader(source);
    let Analysis { program: Some(hir), .. } = analyse("main.p4", &loader, &[]) else {
        panic!("{name} is refused");
    };
    let program = Arc::new(compile("main.p4", &loader, &[]).program.unwrap());
    for packet in packets {
        assert_eq!(
            pipe::run(&program, packet),
            oracle::run(&hir, packet),
            "{name}, packet {packet:02x?}: lowered (left) and meant (right)\n{source}"
        );
    }
}

#[test]
fn written_programs_agree_with_the_oracle() {
    for path in pipe::programs("run") {
        let name = path.file_name().unwrap().to_str().unwrap();
        if NOT_IN_ORACLE.contains(&name) {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let packets: Vec<Vec<u8>> =
            source.lines().filter_map(|line| line.strip_prefix("//>")).map(bytes).collect();
        assert_same_results(name, &source, &packets);
    }
}

#[test]
fn generated_programs_agree_with_the_oracle() {
    for seed in 1000..1040 {
        let source = generate::program(seed, if seed % 2 == 0 { 150 } else { 400 });
        let byte = |at: u64| (seed.wrapping_mul(31).wrapping_add(at.wrapping_mul(at * 7 + 11)) >> 3) as u8;
        let packets: Vec<Vec<u8>> = [(0, 40), (1, 40), (7, 12), (0x2f, 30), (1, 9)]
            .iter()
            .map(|&(kind, length)| (0..length).map(|at| if at == 0 { kind } else { byte(at) }).collect())
            .collect();
        assert_same_results(&format!("seed {seed}"), &source, &packets);
    }
}
