//! Runs generated programs through the whole compiler and the interpreter: valid programs stay
//! valid and keep their meaning.

use crate::generate;
use crate::mutate;
use crate::pipe;
use weir_ir::{passes, text, violations};
use weir_syntax::{Diagnostics, SourceMap, ast, print};

/// The number of programs, of about 150 lines each; one more is longer.
const PROGRAMS: u64 = 40;
/// The number of mutations of each program.
const MUTATIONS: u64 = 30;

fn parse(source: &str) -> (ast::Program, Diagnostics, SourceMap) {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let tree = weir_syntax::parse("main.p4", &pipe::loader(source), &[], &mut sources, &mut found);
    (tree, found, sources)
}

fn packets(seed: u64) -> Vec<Vec<u8>> {
    let byte = |at: u64| (seed.wrapping_mul(31).wrapping_add(at.wrapping_mul(at * 7 + 11)) >> 3) as u8;
    [(0, 40), (1, 40), (7, 12), (0x2f, 30)]
        .iter()
        .map(|&(kind, length)| (0..length).map(|at| if at == 0 { kind } else { byte(at) }).collect())
        .collect()
}

#[test]
fn generated_programs_keep_their_meaning() {
    for seed in 0..=PROGRAMS {
        let source = generate::program(seed, if seed == PROGRAMS { 2000 } else { 150 });
        let (tree, found, sources) = parse(&source);
        assert!(!found.has_errors(), "seed {seed}:\n{}\n{source}", found.render(&sources, false));
        let printed = print::program(&tree);
        let (again, found, sources) = parse(&printed);
        assert!(!found.has_errors(), "seed {seed} printed:\n{}\n{printed}", found.render(&sources, false));
        assert!(ast::same_program(&tree, &again), "seed {seed} changes when printed:\n{source}");

        let result = pipe::compile("main.p4", &pipe::loader(&source));
        let Some(program) = result.program else {
            panic!("seed {seed}:\n{}\n{source}", result.diagnostics.render(&result.source_map, false));
        };
        let mut optimised = program.clone();
        for pass in ["lower", "bind"] {
            // Passes panic if their result is invalid.
            optimised = match pass {
                "bind" => passes::bind(optimised, &[]).expect("there is nothing to bind"),
                _ => optimised,
            };
            let listing = text::print(&optimised);
            let read = text::parse(&listing).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(read == *optimised, "seed {seed} reads back differently after {pass}");
            assert!(text::print(&read) == listing, "seed {seed} prints differently after {pass}");
        }
        for packet in packets(seed) {
            assert_eq!(
                pipe::run(&program, &packet),
                pipe::run(&optimised, &packet),
                "seed {seed}, packet {packet:02x?}:\n{source}"
            );
        }
    }
}

/// Tests that for any typing mistake, the compiler returns a program, or diagnostics that can be
/// rendered.
#[test]
fn mutated_programs_are_compiled_or_refused() {
    let mut sources: Vec<String> = (100..108).map(|seed| generate::program(seed, 120)).collect();
    for folder in ["run", "refused"] {
        for path in pipe::programs(folder) {
            sources.push(std::fs::read_to_string(path).unwrap());
        }
    }
    let mut accepted = 0;
    let mut refused = 0;
    for (position, source) in sources.iter().enumerate() {
        for round in 0..MUTATIONS {
            let mutated = mutate::mutate(source, position as u64 * 1000 + round);
            let result = pipe::compile("main.p4", &pipe::loader(&mutated));
            if let Some(program) = &result.program {
                accepted += 1;
                assert_eq!(violations(program), [], "{mutated}");
            } else {
                refused += 1;
                assert!(result.diagnostics.has_errors(), "refused without a reason:\n{mutated}");
            }
            let rendered = result.diagnostics.render(&result.source_map, false);
            assert!(!rendered.contains("compiler-bug"), "{rendered}\n{mutated}");
        }
    }
    assert!(accepted > 0 && refused > 0, "{accepted} accepted, {refused} refused");
}

#[test]
fn the_same_seed_gives_the_same_program() {
    assert_eq!(generate::program(5, 300), generate::program(5, 300));
    assert_ne!(generate::program(5, 300), generate::program(6, 300));
    let lines = generate::program(1, 3000).lines().count();
    assert!((2400..3600).contains(&lines), "{lines} lines");
}
