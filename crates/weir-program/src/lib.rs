//! From the text of a P4 program to a program that a switch can run.
//!
//! In: a root file's name, a loader for its text and the included files, macros. Out: diagnostics,
//! and if none is an error the IR with its blocks bound to their architecture, ready for an
//! executor and `Switch::new`. [`check`] answers "would it load?", [`compile`] makes the program,
//! and [`refusal`] turns a switch's later refusals into the same kind of diagnostic.
//!
//! `weir-switch` decides what an architecture supports, `weir-compiler` what P4 allows; this crate
//! only connects the two. It must never know an architecture's name.

mod check;
mod compile;
mod refusal;
mod target;

pub use check::{Checked, Comparison, check, check_loaded};
pub use compile::{Compiled, compile, ir_after, loaded};
pub use refusal::{p4info_problem, refusal};
pub use target::with_target;
