//! Names of files that may be pipes.

use std::path::PathBuf;

use pyo3::prelude::*;

/// Returns whether a name is that of a file that the caller of the command has opened, such as
/// `/dev/stdin` and the `/dev/fd/63` of a shell's `<(command)`.
#[pyfunction]
pub fn is_opened_by_caller(path: PathBuf) -> bool {
    weir_files::is_opened_by_caller(&path)
}
