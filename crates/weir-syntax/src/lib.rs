//! The front room: P4_16 (v1.2.5) text in, a typed syntax tree out.
//!
//! In: a root file's name, a source loader that hands over texts, macro definitions.
//! Out: an [`ast::Program`] (partial where the text is wrong), a [`SourceMap`] that says where every byte came
//! from, and [`Diagnostics`] with one type of message and one renderer.
//!
//! The tree says what was written, not what it means: names are unresolved, widths unevaluated, nothing is typed.
//! This room must never know a switch, an architecture or what a name such as `ingress_port` stands for, and it reads
//! no file, clock or environment: callers hand every text in.
//! No input may panic, hang or exhaust the stack; nesting, inclusion and macro expansion have fixed limits.

pub mod ast;
pub mod diagnostic;
pub mod span;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity, Suggestion};
pub use span::{ExpansionId, FileId, SourceMap, Span};
