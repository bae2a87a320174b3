//! The middle of the front end: a syntax tree in, the IR out.
//!
//! [`hir`] is the typed, resolved tree between the two halves. The first half resolves names and
//! types, infers generics and evaluates constants, with a diagnostic for each of the user's
//! mistakes; [`lint`] warns of what is valid but bites; the second evaluates the package, inlines
//! and lowers to the IR. Never known here: packets, ports, architectures' meanings, clocks and
//! files. What v1model's externs do is the switch's part; to the checker they are declarations like
//! any other.

pub mod check;
mod compile;
pub mod hir;
mod lint;
mod lower;

pub use check::check;
pub use compile::{Analysis, CompileResult, analyse, compile, compile_library};
pub use lint::lint;
pub use lower::lower;
