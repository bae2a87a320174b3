//! Runs tests of the simple test framework (STF) in the format of the public P4 compiler's tests:
//! lines that send packets, expect packets and fill tables (docs/how-to/testing-p4.md).
//!
//! - **Input:** the text of a test, and the executors of its program.
//! - **Output:** the differences from the expectations, with the steps of the packets concerned; or
//!   the place of a mistake in the text.
//! - **Independent of:** files, Python. Front ends read files and print.

mod bench;
mod bpf_names;
mod check;
mod compare;
mod mistake;
mod outcome;
mod pattern;
mod run;
mod sent_packets;
mod source;
mod statement;
mod tables;

pub use bench::{Bench, MAX_PASSES};
pub use compare::Difference;
pub use mistake::Mistake;
pub use outcome::{Failure, Outcome, PrintedLine};
pub use pattern::{Pattern, group_digits, read_hex};
pub use run::{Program, run};
