//! The switch and the links between real interfaces, for the commands `weir switch` and `weir link`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs `weir-switchd` with a command line until a signal ends it. Returns its exit code.
#[pyfunction]
pub fn run_switch(py: Python<'_>, command_line: Vec<OsString>) -> u8 {
    py.detach(|| weir_switchd::run(command_line))
}

/// Runs `weir-link` with a command line until a signal or the end of its commands ends it. Returns
/// its exit code.
#[pyfunction]
pub fn run_link(py: Python<'_>, command_line: Vec<OsString>) -> u8 {
    py.detach(|| weir_link::run(command_line))
}
