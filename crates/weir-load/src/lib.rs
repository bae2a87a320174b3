//! What front ends need to run programs from files: the P4 program that a file is or carries, or
//! that p4c compiled into it, the files that it includes, and the executor that runs it.
//!
//! - **Comes in:** names of files, folders; a program, an executor's name.
//! - **Goes out:** texts, as the compiler asks for them; executors.
//! - **Must never know:** switches, networks, Python.

mod carried;
mod executors;
mod files;
mod program_file;

pub use carried::{CarriedProgram, MEMBER};
pub use executors::{ChoiceError, Executors, executors};
pub use files::{BUILT_IN_FOLDER, FileLoader};
pub use program_file::{Bmv2File, P4File, ProgramFile, bmv2_program};
