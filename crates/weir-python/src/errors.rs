//! Converts the errors of the other crates to the exceptions of `weir.errors`.

use std::fmt::Display;

use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception classes.
mod classes {
    #![allow(missing_docs, reason = "made by macros; the classes are documented in python/weir/errors")]
    pyo3::import_exception!(weir.errors, CommandError);
    pyo3::import_exception!(weir.errors, ControlError);
    pyo3::import_exception!(weir.errors, FileError);
    pyo3::import_exception!(weir.errors, NetworkError);
    pyo3::import_exception!(weir.errors, StfError);
    pyo3::import_exception!(weir.errors, TopologyError);
    pyo3::import_exception!(weir.errors, UnitError);
}

/// Makes the exception for a name, entry or value that does not fit the program of a switch.
pub fn control(error: impl Display) -> PyErr {
    classes::ControlError::new_err(error.to_string())
}

/// Formats a wrong value of any type for an error message.
///
/// # Errors
/// The package `weir` is incomplete.
pub fn show_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.py().import("weir.errors")?.call_method1("shown", (value,))?.extract()
}

/// Makes the exception for a mistake in a control request, with the nearest valid name as a
/// suggestion.
pub fn request(error: &weir_control::Error) -> PyErr {
    located_error(&error.message, None, None, error.suggestion.as_deref())
}

/// Makes the exception for a mistake in a control request, at a line of a file.
pub fn request_at(error: &weir_control::Error, file: &str, line: usize) -> PyErr {
    located_error(&error.message, Some(file), Some(&line.to_string()), error.suggestion.as_deref())
}

/// Makes the exception for a command that cannot be parsed.
pub fn command(error: &weir_control::Error) -> PyErr {
    located_as::<classes::CommandError>(&error.message, None, None, error.suggestion.as_deref())
}

/// Makes the exception for a mistake in a test of the simple test framework.
pub fn test_file(mistake: &weir_stf::Mistake, file: &str) -> PyErr {
    let weir_stf::Mistake { line, column, error, .. } = mistake;
    let place = (file, *line, *column, mistake.snippet());
    let make = |py: Python<'_>| {
        let class = py.get_type::<classes::StfError>();
        Ok(PyErr::from_value(class.call1((&error.message, place, error.suggestion.as_deref()))?))
    };
    Python::attach(|py| make(py).unwrap_or_else(|error: PyErr| error))
}

/// Makes the exception for a mistake in a document, with its location.
pub fn document(error: &weir_json::Diagnostic) -> PyErr {
    let place = error.location();
    located_error(&error.message, error.file.as_deref(), place.as_deref(), error.suggestion.as_deref())
}

/// Makes the exception for the first mistake in a document. It contains the other mistakes.
pub fn documents(mistakes: &weir_json::Mistakes) -> PyErr {
    several_mistakes(mistakes, document)
}

/// Makes the exception for the first mistake in a topology file. It contains the other mistakes.
pub fn topology_files(mistakes: &weir_json::Mistakes) -> PyErr {
    several_mistakes(mistakes, topology_file)
}

fn several_mistakes(mistakes: &weir_json::Mistakes, one: fn(&weir_json::Diagnostic) -> PyErr) -> PyErr {
    let mut all = mistakes.all().iter().map(one);
    let Some(first) = all.next() else { return control("the document has mistakes") };
    let others: Vec<PyErr> = all.collect();
    Python::attach(|py| {
        let others: Vec<_> = others.iter().map(|error| error.value(py)).collect();
        let set = || -> PyResult<()> {
            first.value(py).setattr("others", others)?;
            first.value(py).setattr("_is_cut", mistakes.is_cut())
        };
        set().map_or_else(|error| error, |()| first)
    })
}

/// Makes the exception for a quantity that cannot be parsed.
pub fn unit_error(error: &weir_units::Error) -> PyErr {
    located_as::<classes::UnitError>(&error.message, None, None, error.suggestion.as_deref())
}

/// Makes the exception for a queue rate that cannot be parsed.
pub fn queue_rate(error: &weir_topology::Error) -> PyErr {
    located_as::<classes::UnitError>(&error.message, None, None, error.suggestion.as_deref())
}

/// Makes the exception for a mistake in a topology.
pub fn topology(error: &weir_topology::Error) -> PyErr {
    located_as::<classes::TopologyError>(&error.message, None, None, error.suggestion.as_deref())
}

/// Makes the exception for a mistake in a topology file, with its location. If the text is not
/// JSON, the exception is a file error.
pub fn topology_file(error: &weir_json::Diagnostic) -> PyErr {
    let place = error.location();
    let (file, place, near) = (error.file.as_deref(), place.as_deref(), error.suggestion.as_deref());
    match error.path {
        Some(_) => located_as::<classes::TopologyError>(&error.message, file, place, near),
        None => located_as::<classes::FileError>(&error.message, file, place, near),
    }
}

fn located_error(message: &str, file: Option<&str>, place: Option<&str>, suggestion: Option<&str>) -> PyErr {
    located_as::<classes::ControlError>(message, file, place, suggestion)
}

fn located_as<E: PyTypeInfo>(
    message: &str,
    file: Option<&str>,
    place: Option<&str>,
    suggestion: Option<&str>,
) -> PyErr {
    let make = |py: Python<'_>| {
        let options = PyDict::new(py);
        options.set_item("file", file)?;
        options.set_item("where", place)?;
        options.set_item("suggestion", suggestion)?;
        let class = py.get_type::<E>();
        Ok(PyErr::from_value(class.call((message,), Some(&options))?))
    };
    Python::attach(|py| make(py).unwrap_or_else(|error: PyErr| error))
}

/// Makes the exception for a file that cannot be read or written. Its message omits the error
/// number of the operating system.
pub fn file(path: &str, error: impl Display) -> PyErr {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or_default();
    classes::FileError::new_err(format!("{path}: {reason}"))
}

/// Makes the exception for a file that is not a program. Its message contains the name of the file.
pub fn program_file(error: impl Display) -> PyErr {
    classes::FileError::new_err(error.to_string())
}

/// Makes the exception for an unknown name, with the nearest known name as a suggestion.
pub fn unknown_name(error: &weir_topology::Error) -> PyErr {
    located_as::<classes::NetworkError>(&error.message, None, None, error.suggestion.as_deref())
}

/// Makes the exception for a request for something that the network does not have or cannot do.
pub fn network_error(error: impl Display) -> PyErr {
    classes::NetworkError::new_err(error.to_string())
}
