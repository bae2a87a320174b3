//! Turns files and texts into what a switch runs.
//!
//! - **Input:** names of files and folders; the text of a P4 program, or JSON that contains such a
//!   text or that p4c compiled; macros; an executor's name.
//! - **Output:** included files, when the compiler requests them; diagnostics; the IR with its
//!   blocks bound to their architecture, if no diagnostic is an error; the executor that runs the
//!   IR. [`check`] says whether a program would load, [`compile`] makes the program, and
//!   [`refusal`] turns a switch's later errors into the same kind of diagnostic.
//! - **Independent of:** an architecture's name, running switches, networks, Python. `weir-switch`
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
