//! The rooms' errors as the exceptions of `weir.errors`.

use std::fmt::Display;

use pyo3::PyErr;

/// The exception classes themselves.
mod classes {
    #![allow(missing_docs, reason = "made by macros; the classes are documented in python/weir/errors.py")]
    pyo3::import_exception!(weir.errors, ControlError);
    pyo3::import_exception!(weir.errors, FileError);
    pyo3::import_exception!(weir.errors, NetworkError);
}

/// A wrong name, entry or value for a switch's program.
pub fn control(error: impl Display) -> PyErr {
    classes::ControlError::new_err(error.to_string())
}

/// A file that cannot be read or written.
pub fn file(path: &str, error: impl Display) -> PyErr {
    classes::FileError::new_err(format!("{path}: {error}"))
}

/// Something that the network does not have or cannot do.
pub fn network(error: impl Display) -> PyErr {
    classes::NetworkError::new_err(error.to_string())
}
