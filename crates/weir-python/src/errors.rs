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

/// A file that cannot be read or written; the system's number for the reason is left out.
pub fn file(path: &str, error: impl Display) -> PyErr {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or_default();
    classes::FileError::new_err(format!("{path}: {reason}"))
}

/// Something that the network does not have or cannot do.
pub fn network(error: impl Display) -> PyErr {
    classes::NetworkError::new_err(error.to_string())
}
