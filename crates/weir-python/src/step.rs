//! Converts the steps of a packet trace to plain Python values.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use weir_ir::Bits;
use weir_switch::trace::{self, Argument, StepKind};
use weir_trace::{StepMember, entry_matches, step_members};

use crate::named_value::Value;
use crate::record::{Dictionary, Texts, records};

records! {
    /// A table entry as it was when a packet matched it.
    HitEntry {
        /// The entry's handle in the table.
        handle: u64,
        /// The match of each key, as text; `*` for any value.
        matches: Texts,
        /// The priority; entries with larger numbers are preferred. `None` if the table has no
        /// priorities.
        priority: Option<u32>,
    }

    /// A location in a program's source.
    Place {
        /// The file's name, as the user gave it.
        file: String,
        /// The line, from 1.
        line: u32,
        /// The column in characters, from 1.
        column: u32,
    }
}

#[pymethods]
impl Place {
    /// The source line, without surrounding white space. The text is empty if the file cannot be
    /// read any more.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        source_line(py, &self.file, self.line)
    }
}

/// Returns a line of a source file without surrounding white space, from Python's cache of source
/// lines. The text is empty if the file cannot be read.
pub fn source_line(py: Python<'_>, file: &str, line: u32) -> PyResult<String> {
    let line: String = py.import("linecache")?.getattr("getline")?.call1((file, line))?.extract()?;
    Ok(line.trim().to_owned())
}

/// One step of a packet's journey.
#[pyclass(module = "weir._core", frozen, eq)]
pub struct Step {
    step: trace::Step,
    /// The details, once they were read. Most steps of long traces are never read.
    what: PyOnceLock<Py<PyDict>>,
}

impl From<trace::Step> for Step {
    fn from(step: trace::Step) -> Self {
        Self { step, what: PyOnceLock::new() }
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.step == other.step
    }
}

/// An argument of an extern call: values, or text to show.
#[derive(IntoPyObject)]
enum ShownArgument {
    Values(Vec<Value>),
    Text(String),
}

#[pymethods]
impl Step {
    /// The virtual time of the step in nanoseconds since the start.
    #[getter]
    fn time_ns(&self) -> u64 {
        self.step.time
    }

    /// The packet's number in its network; copies share it.
    #[getter]
    fn packet(&self) -> u64 {
        self.step.packet
    }

    /// The number of the packet or copy among all that a switch has traced, from 1.
    #[getter]
    fn copy(&self) -> u64 {
        self.step.copy
    }

    /// The kind of the step, such as `received` or `applied`; docs/reference/trace.md lists all
    /// kinds.
    #[getter]
    fn kind(&self) -> &'static str {
        self.step.what.name()
    }

    /// The step's location in the source, if it has one.
    #[getter]
    fn place(&self) -> Option<Place> {
        let place = self.step.place.as_ref()?;
        Some(Place { file: place.file.clone(), line: place.line, column: place.column })
    }

    /// Details by name; the names depend on the kind.
    #[getter]
    fn what<'py>(&'py self, py: Python<'py>) -> PyResult<&'py Bound<'py, PyDict>> {
        let what = self.what.get_or_try_init(py, || {
            let what = PyDict::new(py);
            fill(py, &self.step.what, &what)?;
            Ok::<_, PyErr>(what.unbind())
        })?;
        Ok(what.bind(py))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Step(time_ns={}, kind={:?}, what={})",
            self.step.time,
            self.kind(),
            self.what(py)?.repr()?
        ))
    }
}

fn fill<'py>(py: Python<'py>, step: &'py StepKind, what: &Bound<'py, PyDict>) -> PyResult<()> {
    let field_value = |field: &trace::Field| Value::new_of(&field.name, &field.value, field.label.as_deref());
    let plain = |value: &Bits| Value::new_of("", value, None);
    for (name, member) in step_members(step) {
        match member {
            StepMember::Number(number) => what.set_item(name, number),
            StepMember::Flag(flag) => what.set_item(name, flag),
            StepMember::Text(text) => what.set_item(name, text.as_deref()),
            StepMember::Bytes(bytes) => what.set_item(name, PyBytes::new(py, bytes)),
            StepMember::Value(value) => what.set_item(name, plain(value)),
            StepMember::Values(values) => what.set_item(name, values.iter().map(plain).collect::<Vec<_>>()),
            StepMember::Field(field) => what.set_item(name, field_value(field)),
            StepMember::Fields { header, fields } => {
                let named = |field| Value { header: header.to_owned(), ..field_value(field) };
                what.set_item(name, fields.iter().map(named).collect::<Vec<_>>())
            }
            StepMember::Entry(entry, keys) => {
                let hit = |entry: &trace::HitEntry| {
                    let matches = entry_matches(entry, keys).map(|(key, text)| (key.clone(), text));
                    let matches = Dictionary(matches.collect());
                    HitEntry { handle: entry.handle, matches, priority: entry.priority }
                };
                what.set_item(name, entry.map(hit))
            }
            StepMember::Arguments(args) => {
                let list = args.iter().map(|(parameter, arg)| match arg {
                    Argument::Fields(fields) => {
                        (parameter, ShownArgument::Values(fields.iter().map(field_value).collect()))
                    }
                    Argument::Text(text) => (parameter, ShownArgument::Text(format!("\"{text}\""))),
                    Argument::Object(object) => (parameter, ShownArgument::Text(object.clone())),
                });
                what.set_item(name, list.collect::<Vec<_>>())
            }
            StepMember::Choice(choice) => {
                what.set_item(name, choice.map(|choice| (choice.options, choice.taken, choice.usual)))
            }
        }?;
    }
    Ok(())
}
