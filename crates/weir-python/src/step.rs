//! Converts the steps of a packet trace to plain Python values.

use pyo3::prelude::*;
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
}

/// One step of a packet trace.
#[pyclass(frozen)]
pub struct Step(pub trace::Step);

/// An argument of an extern call: values, or text to show.
#[derive(IntoPyObject)]
enum ShownArgument {
    Values(Vec<Value>),
    Text(String),
}

#[pymethods]
impl Step {
    /// The virtual time in nanoseconds since the start.
    #[getter]
    fn time(&self) -> u64 {
        self.0.time
    }

    /// The number of the packet in the network or test switch. Copies have the number of the
    /// original.
    #[getter]
    fn packet(&self) -> u64 {
        self.0.packet
    }

    /// The number of the packet or copy in the trace of the switch, from 1.
    #[getter]
    fn copy(&self) -> u64 {
        self.0.copy
    }

    /// The kind of the step: `received`, `applied`, ….
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.what.name()
    }

    /// The file, line and column, if the step has a source location.
    #[getter]
    fn place(&self) -> Option<(&str, u32, u32)> {
        self.0.place.as_ref().map(|place| (place.file.as_str(), place.line, place.column))
    }

    /// The details of the step; the keys depend on its kind.
    #[getter]
    fn what<'py>(&'py self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let what = PyDict::new(py);
        fill(py, &self.0.what, &what)?;
        Ok(what)
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
