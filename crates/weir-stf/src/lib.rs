//! The simple test framework (STF), in the form of the public P4 compiler's tests: packets sent,
//! packets expected, tables filled (docs/how-to/testing-p4.md).
//!
//! - **Comes in:** the text of a test, and the executors of its program.
//! - **Goes out:** the differences from what was expected, with the steps of the packets concerned;
//!   or the place of a mistake in the text.
//! - **Must never know:** files, Python. Front ends read files and print.

mod bench;
mod check;
mod compare;
mod journey;
mod mistake;
mod outcome;
mod pattern;
mod run;
mod source;
mod statement;
mod tables;

pub use bench::{Bench, MAX_PASSES};
pub use compare::Difference;
pub use mistake::Mistake;
pub use outcome::{Failure, Outcome, PrintedLine};
pub use pattern::{Pattern, group_digits, read_hex};
pub use run::{Program, run};
