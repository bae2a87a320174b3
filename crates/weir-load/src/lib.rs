//! Loads programs from files for front ends: the P4 program that a file contains or carries, or
//! that p4c compiled into it, the included files, and the executor that runs the program.
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
