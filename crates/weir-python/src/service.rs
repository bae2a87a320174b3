//! The switch between real interfaces, for the command `weir switch`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs `weir-switchd` with a command line until a signal ends it. Returns its exit code.
#[pyfunction]
pub fn run_switch(py: Python<'_>, command_line: Vec<OsString>) -> u8 {
    py.detach(|| weir_switchd::run(command_line))
}
