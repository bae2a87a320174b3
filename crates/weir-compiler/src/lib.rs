//! The compiler's stages after parsing, which translate a syntax tree to the IR.
//!
//! [`hir`] is the typed, resolved tree between its two halves. The first half resolves names and
//! types, infers type arguments, evaluates constants and reports a diagnostic for each error in the
//! program. The second half evaluates the package, inlines calls and lowers to the IR. Between
//! them, `weir-lint` warns about valid but error-prone code. This crate does not know packets,
//! ports, clocks, files or the semantics of architectures. The switch implements v1model's externs;
//! the checker sees ordinary declarations.

pub mod check;
mod compile;
pub mod hir;
mod lower;

pub use check::check;
pub use check::constant::{Value, evaluate};
pub use compile::{Analysis, CompileResult, analyse, compile};
pub use lower::lower;
