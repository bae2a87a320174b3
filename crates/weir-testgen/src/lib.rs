//! Random programs and pipelines for tests.
//!
//! - **Input:** arbitrary bytes, called entropy.
//! - **Output:** a valid program, and checked pipelines of its blocks.
//! - **Used by:** property tests and the comparison of executors, never by the product.
//! - **Independent of:** P4 syntax, architectures, how executors work.
//!
//! Any bytes give a program, and the same bytes always give the same one. Fewer bytes give smaller
//! programs, so that property tests can shrink them. Loops and parsers end after few steps.

mod blocks;
mod declared;
mod expr;
mod extern_calls;
mod maker;
mod parser_code;
mod path;
mod pipeline;
mod stmt;
mod storage;
mod tables;

pub use pipeline::pipeline;

use weir_ir::Program;

use maker::Maker;

/// Returns a valid program made from `entropy`. Its parser is the first parser; its controls run in
/// order, and the last one emits. It calls the externs `count(in …) -> bit<32>`, `touch(inout …)`,
/// and `verify` and `update` with arguments like those of checksums.
pub fn program(entropy: &[u8]) -> Program {
    let mut maker = Maker { entropy, at: 0, program: Program::default() };
    maker.types();
    maker.storage();
    maker.externs();
    maker.actions();
    maker.tables();
    maker.procedures();
    maker.blocks();
    maker.program
}
