//! Describes the build of this extension, and the processor features that machine code uses.

use pyo3::prelude::*;

/// Returns the build target, the build profile, and the processor features that machine code uses.
/// The features are `None` if machine code does not support this processor.
#[pyfunction]
pub fn build_info() -> (&'static str, &'static str, Option<Vec<String>>) {
    (env!("WEIR_TARGET"), env!("WEIR_PROFILE"), weir_native::host_features().ok())
}
