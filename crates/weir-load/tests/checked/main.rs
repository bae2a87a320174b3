//! Programs are checked as far as they can be loaded, and an architecture's errors point into the
//! source.

#![expect(clippy::disallowed_methods, reason = "tests read their cases")]

mod blocks;
mod mistakes;
mod program;
mod tables;
mod tna;
