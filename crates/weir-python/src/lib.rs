//! The bindings: the rooms of Weir as the Python module `weir._core`.
//!
//! - **Comes in:** calls from the package `python/weir`, with file names, texts and plain values.
//! - **Goes out:** plain values, and the exceptions of `weir.errors` with messages that are ready to print.
//! - **Holds:** the glue that needs files and Python: an include path's loader, captures' files, the interpreter lock let go in long runs.
//! - **Must never know:** anything that a room knows. It converts and hands on; a decision made here is in the wrong place.

use pyo3::prelude::*;

/// The Rust core of Weir. Use the package around it: these names may change.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
