//! From the text of a P4 program to a program that a switch can run.
//!
//! In: a root file's name, a loader for its text and what it includes, macros. Out: diagnostics,
//! and if none is an error the IR with its blocks bound to their architecture, ready for an
//! executor and `Switch::new`. [`check`] answers "would it load?", [`compile`] makes the program,
//! and [`refusal`] turns what a switch refuses later into the same kind of diagnostic.
//!
//! What an architecture supports is decided in `weir-switch`, what P4 allows in `weir-compiler`;
//! this crate only leads from one to the other. It must never know an architecture's name.

mod check;
mod compile;
mod refusal;
mod target;

pub use check::{Checked, Comparison, check, check_loaded};
pub use compile::{Compiled, compile, ir_after, loaded};
pub use refusal::{p4info_problem, refusal};
pub use target::with_target;
