//! Dissectors for Wireshark.

use std::path::PathBuf;

use pyo3::prelude::*;
use weir_load::ProgramFile;

use crate::errors;
use crate::program::{Diagnostic, findings};

/// Writes the dissector of a program in Lua. Returns its text, or why there is none: diagnostics of
/// the program, and reasons of the dissector. `stem` is the program's name.
#[pyfunction]
pub fn dissector(
    py: Python<'_>,
    path: String,
    text: String,
    include: Vec<PathBuf>,
    defines: Vec<(String, String)>,
    stem: &str,
    colour: bool,
) -> PyResult<(Option<String>, Vec<Diagnostic>, Vec<String>)> {
    py.detach(|| {
        let compiled = match ProgramFile::new(path, text, include, defines).map_err(errors::program_file)? {
            ProgramFile::P4(file) => weir_load::ir_after(&file.name, &*file.loader, &file.defines, "lower"),
            ProgramFile::Bmv2(file) => weir_load::from_other_compiler(file.program, file.sources),
        };
        let diagnostics = findings(&compiled.diagnostics, &compiled.sources, colour);
        let Some(program) = &compiled.program else { return Ok((None, diagnostics, Vec::new())) };
        Ok(match weir_dissector::dissector(program, stem) {
            Ok(script) => (Some(script), diagnostics, Vec::new()),
            Err(refusals) => (None, diagnostics, refusals.iter().map(ToString::to_string).collect()),
        })
    })
}
