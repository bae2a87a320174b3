//! The front room: P4_16 (v1.2.5) text in, a typed syntax tree out.
//!
//! In: a root file's name, a [`SourceLoader`] that hands over texts, macro definitions.
//! Out: an [`ast::Program`] (partial where the text is wrong), a [`SourceMap`] that says where every byte came
//! from, and [`Diagnostics`] with one type of message and one renderer.
//!
//! The tree says what was written, not what it means: names are unresolved, widths unevaluated, nothing is typed.
//! This room must never know a switch, an architecture or what a name such as `ingress_port` stands for, and it reads
//! no file, clock or environment: callers hand every text in.
//! No input may panic, hang or exhaust the stack; nesting, inclusion and macro expansion have fixed limits.

pub mod ast;
pub mod diagnostic;
mod parse;
pub mod preprocess;
pub mod print;
pub mod span;
mod token;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity, Suggestion};
pub use span::{ExpansionId, FileId, SourceMap, Span};

use preprocess::SourceLoader;

/// Reads a program: preprocesses, lexes and parses the text that `loader` has for `root_name`, and what it includes.
///
/// `defines` are macros as `-D NAME=VALUE` gives them, name (with parameters, if any) and value apart. Files go into
/// `sources`, findings into `diagnostics`. There always is a program; where errors were found, parts of it are missing.
pub fn parse(
    root_name: &str,
    loader: &dyn SourceLoader,
    defines: &[(String, String)],
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> ast::Program {
    let mut interner = token::Interner::new();
    let tokens = preprocess::preprocess(root_name, loader, defines, sources, diagnostics, &mut interner);
    parse::parse_tokens(&tokens, &interner, sources, diagnostics)
}
