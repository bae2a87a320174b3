//! Preprocessor, lexer and parser for P4_16 (v1.2.5), with its syntax tree, printer and
//! diagnostics.
//!
//! The input is the name of the root file, a [`SourceLoader`] that returns the text of files, and
//! macro definitions. The output is an [`ast::Program`] (partial if the text has errors), a
//! [`SourceMap`] that maps every span to a file, line and column, and [`Diagnostics`].
//!
//! The tree is purely syntactic: names are unresolved, widths are not evaluated, expressions have
//! no types. This crate must not know about switches, architectures or the meaning of names such as
//! `ingress_port`. It reads no files, no clock and no environment; callers supply all text. No
//! input may cause a panic, a hang or a stack overflow; nesting, includes and macro expansion have
//! fixed limits.

pub mod ast;
mod deep;
pub mod diagnostic;
mod parse;
pub mod preprocess;
pub mod print;
mod source_file;
pub mod source_map;
pub mod span;
mod token;

pub use deep::with_stack;
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity, Suggestion};
pub use source_file::SourceFile;
pub use source_map::SourceMap;
pub use span::{ExpansionId, FileId, Span};

use preprocess::SourceLoader;

/// Preprocesses, lexes and parses the file `root_name` and the files it includes, as `loader`
/// returns them.
///
/// `defines` are macros as in `-D NAME=VALUE`: pairs of a name (with parameters, if any) and a
/// value. Files are added to `sources`, errors and warnings to `diagnostics`. A program is always
/// returned; if there were errors, the parts in which they occurred are missing.
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
