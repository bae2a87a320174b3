//! Turns files and texts into what a switch runs.
//!
//! - **Comes in:** names of files, folders; the text of a P4 program, JSON that carries one or that
//!   p4c compiled from one; macros; an executor's name.
//! - **Goes out:** included files, as the compiler asks for them; diagnostics, and if none is an
//!   error the IR with its blocks bound to their architecture; the executor that runs it.
//!   [`check`] answers "would it load?", [`compile`] makes the program, and [`refusal`] turns a
//!   switch's later refusals into the same kind of diagnostic.
//! - **Must never know:** an architecture's name, running switches, networks, Python. `weir-switch`
//!   decides what an architecture supports, `weir-compiler` what P4 allows; this crate only
//!   connects the two.

mod carried;
mod check;
mod compile;
mod executors;
mod files;
mod program_file;
mod refusal;

pub use carried::{CarriedProgram, MEMBER};
pub use check::{Checked, Comparison, check, check_loaded};
pub use compile::{Compiled, compile, from_other_compiler, ir_after, with_target};
pub use executors::{ChoiceError, Executors, executors};
pub use files::{BUILT_IN_FOLDER, FileLoader};
pub use program_file::{Bmv2File, JsonProgram, P4File, ProgramFile, check_length};
pub use refusal::{p4info_problem, refusal};
