//! What front ends need to run programs from files: the files that a program includes, and the
//! executor that runs it.
//!
//! - **Comes in:** names of files, folders; a program, an executor's name.
//! - **Goes out:** texts, as the compiler asks for them; executors.
//! - **Must never know:** switches, networks, Python.

mod executors;
mod files;

pub use executors::{ChoiceError, Executors, executors};
pub use files::{FileLoader, read_source};
