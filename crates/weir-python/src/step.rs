//! Converts the steps of a packet trace to plain Python values.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use weir_control::matching::format_match;
use weir_ir::Bits;
use weir_switch::trace::{self, Argument, CopyKind, StepKind};

use crate::named_value::Value;
use crate::record::{Texts, records};

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
    let one = |field: &trace::Field| Value::new_of(&field.name, &field.value, field.label.as_deref());
    let all = |fields: &[trace::Field]| fields.iter().map(one).collect::<Vec<_>>();
    let plain = |value: &Bits| Value::new_of("", value, None);
    let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
    let choice = |choice: weir_switch::Choice| (choice.options, choice.taken, choice.usual);
    match step {
        StepKind::Received { port, bytes: packet } | StepKind::Transmitted { port, bytes: packet } => {
            what.set_item("port", port)?;
            what.set_item("bytes", bytes(packet))?;
        }
        StepKind::Copied { from, how } => {
            what.set_item("from", from)?;
            match how {
                CopyKind::IngressClone { session } => {
                    what.set_item("how", "ingress_clone")?;
                    what.set_item("session", session)?;
                }
                CopyKind::EgressClone { session } => {
                    what.set_item("how", "egress_clone")?;
                    what.set_item("session", session)?;
                }
                CopyKind::Replica { port, rid } => {
                    what.set_item("how", "replica")?;
                    what.set_item("port", port)?;
                    what.set_item("rid", rid)?;
                }
            }
        }
        StepKind::Block(name) => what.set_item("block", name)?,
        StepKind::State(name) => what.set_item("state", name)?,
        StepKind::Extracted { header, fields } | StepKind::Emitted { header, fields } => {
            what.set_item("header", header)?;
            let named = |field| Value { header: header.clone(), ..one(field) };
            what.set_item("fields", fields.iter().map(named).collect::<Vec<_>>())?;
        }
        StepKind::Transition { to, keys } => {
            what.set_item("to", to)?;
            what.set_item("keys", keys.iter().map(plain).collect::<Vec<_>>())?;
        }
        StepKind::ParserError(error) => what.set_item("error", error)?,
        StepKind::Applied { table, keys, hit, entry, action, args } => {
            what.set_item("table", table)?;
            what.set_item("keys", all(keys))?;
            what.set_item("hit", hit)?;
            let hit = |entry: &trace::HitEntry| {
                let matches = entry.matches.iter().zip(keys).map(|((key, accepts), field)| {
                    (key.clone(), format_match(accepts, field.value.width(), key))
                });
                let matches = Texts(matches.collect());
                HitEntry { handle: entry.handle, matches, priority: entry.priority }
            };
            what.set_item("entry", entry.as_ref().map(hit))?;
            what.set_item("action", action)?;
            what.set_item("args", all(args))?;
        }
        StepKind::Selected { table, group, member, choice: made } => {
            what.set_item("table", table)?;
            what.set_item("group", group)?;
            what.set_item("member", member)?;
            what.set_item("choice", made.map(choice))?;
        }
        StepKind::Action { action, args } => {
            what.set_item("action", action)?;
            what.set_item("args", all(args))?;
        }
        StepKind::Assigned { now, before } => {
            what.set_item("now", one(now))?;
            what.set_item("before", one(before))?;
        }
        StepKind::AssignedInvalid(field) => what.set_item("value", one(field))?,
        StepKind::Validity { header, valid } => {
            what.set_item("header", header)?;
            what.set_item("valid", valid)?;
        }
        StepKind::Branch(taken) => what.set_item("taken", taken)?,
        StepKind::Switched { value, case } => {
            what.set_item("value", plain(value))?;
            what.set_item("case", case)?;
        }
        StepKind::Called { callee, object, args } => {
            what.set_item("callee", callee)?;
            what.set_item("object", object)?;
            let list = args.iter().map(|(name, arg)| match arg {
                Argument::Fields(fields) => (name, ShownArgument::Values(all(fields))),
                Argument::Text(text) => (name, ShownArgument::Text(format!("\"{text}\""))),
                Argument::Object(object) => (name, ShownArgument::Text(object.clone())),
            });
            what.set_item("args", list.collect::<Vec<_>>())?;
        }
        StepKind::Logged(line) => what.set_item("line", line)?,
        StepKind::Digested { receiver, fields } => {
            what.set_item("receiver", receiver)?;
            what.set_item("fields", all(fields))?;
        }
        StepKind::Drawn { value, low, high, choice: made } => {
            what.set_item("value", plain(value))?;
            what.set_item("low", plain(low))?;
            what.set_item("high", plain(high))?;
            what.set_item("choice", choice(*made))?;
        }
        StepKind::Verified { given, computed } => {
            what.set_item("given", plain(given))?;
            what.set_item("computed", plain(computed))?;
        }
        StepKind::NotCloned { session } => what.set_item("session", session)?,
        StepKind::Multicast { group, copies } => {
            what.set_item("group", group)?;
            what.set_item("copies", copies)?;
        }
        StepKind::Queued { port, priority } => {
            what.set_item("port", port)?;
            what.set_item("priority", priority)?;
        }
        StepKind::Dequeued { port, waited } => {
            what.set_item("port", port)?;
            what.set_item("waited", waited)?;
        }
        StepKind::Dropped { place, reason } => {
            what.set_item("place", place.to_string())?;
            what.set_item("reason", reason.to_string())?;
        }
        StepKind::PassStarted
        | StepKind::ActionEnded
        | StepKind::Returned
        | StepKind::Recirculated
        | StepKind::Resubmitted => {}
    }
    Ok(())
}
