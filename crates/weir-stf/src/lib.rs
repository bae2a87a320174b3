//! The simple test framework (STF), as the public P4 compiler's tests write it: packets in, packets
//! expected, tables filled (docs/how-to/testing-p4.md).
//!
//! - **Comes in:** the text of a test, and what runs its program.
//! - **Goes out:** what is not as expected, with the steps of the packets that it is about; or
//!   the place of a mistake in the text.
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
pub use outcome::{Failure, Outcome, Printed};
pub use pattern::{Pattern, grouped, read_hex};
pub use run::{Program, run};
