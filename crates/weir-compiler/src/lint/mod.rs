//! Warnings for what compiles but bites, over the typed tree of a program without errors.
//!
//! One analysis a file. [`flow`] follows the states that packets can be in, from the parser on; the others look at
//! declarations and expressions one by one. Each aims at few false alarms: what it cannot follow it trusts.

mod compare;
mod diagram;
mod facts;
mod flow;
mod questions;
mod select;
mod silence;
mod state_set;
mod storage;
mod unused;
mod walk;

use weir_syntax::Diagnostics;

use crate::hir::Program;

/// Adds warnings about a checked program to `diagnostics`, and takes out those, the checker's too, that the program
/// silences by `@noWarn("id")` on a declaration around them.
pub fn lint(program: &Program, diagnostics: &mut Diagnostics) {
    flow::run(program, diagnostics);
    compare::run(program, diagnostics);
    select::run(program, diagnostics);
    unused::run(program, diagnostics);
    silence::run(program, diagnostics);
}
