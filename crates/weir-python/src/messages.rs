//! Messages from a switch to Python: digests, lines of `log_msg`, and notices of idle entries.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use weir_control::Names;
use weir_ir::Bits;
use weir_switch::control;
use weir_units::format_time;

use crate::control::Entry;
use crate::named_value::Value;
use crate::record::{Tuple, records};

records! {
    /// A message that a program sent with `digest`.
    Digest {
        /// The virtual time of the message, in nanoseconds.
        time_ns: u64,
        /// The number of the packet; copies share it.
        packet: u64,
        /// The first argument of `digest`.
        receiver: u64,
        /// The values, in order. The name of a value is the name in P4Info, which is the name of
        /// the struct member that the program sends. For an element of a list, the name is its
        /// expression in the program.
        fields: Tuple<Value>,
    }

    /// A line that a program wrote with `log_msg`.
    LogLine {
        /// The virtual time of the line, in nanoseconds.
        time_ns: u64,
        /// The number of the packet; copies share it.
        packet: u64,
        /// The line with the values of its placeholders.
        text: String,
    }

    /// A notice of an entry that has had no hit for as long as its time-out.
    IdleEntry {
        /// The virtual time at which the time-out expired, in nanoseconds.
        time_ns: u64,
        /// The table's control-plane name.
        table: String,
        /// The entry as it was then.
        entry: Entry,
    }
}

#[pymethods]
impl Digest {
    /// Returns the number in the field with this name, or in the only field whose name ends in this
    /// name.
    ///
    /// The number is negative only for a field of type `int<W>`. For a P4Runtime client, the value
    /// is a text if its type is translated to `string`.
    ///
    /// Raises:
    ///     KeyError: there is no such field, or several names end in it.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let last = format!(".{name}");
        let matching = |is_it: &dyn Fn(&str) -> bool| -> Vec<&Value> {
            self.fields.iter().filter(|field| is_it(&field.name)).collect()
        };
        let exact = matching(&|names| names == name);
        let fields_of_name = if exact.is_empty() { matching(&|names| names.ends_with(&last)) } else { exact };
        match fields_of_name.as_slice() {
            [field] => field.plain(py),
            _ => {
                let names: Vec<_> = self.fields.iter().map(|field| field.name.as_str()).collect();
                let names: Vec<_> = names.into_iter().filter(|name| !name.is_empty()).collect();
                Err(PyKeyError::new_err(format!("{name} (the digest has: {})", names.join(", "))))
            }
        }
    }

    fn __str__(&self) -> String {
        let fields: Vec<_> = self.fields.iter().map(Value::__str__).collect();
        format!("{}  digest to receiver {}: {}", format_time(self.time_ns), self.receiver, fields.join(", "))
    }
}

impl From<control::Digest> for Digest {
    fn from(digest: control::Digest) -> Self {
        let (mut names, mut labels) = (digest.names.into_iter(), digest.labels.into_iter());
        let value = |value: Bits| {
            let (name, label) = (names.next().unwrap_or_default(), labels.next().flatten());
            // A text that the switch translates to a number is not a number in Python.
            let is_text = label.is_some() && value.width() == control::TEXT_BITS;
            let converted = Value::new_of(&name, &value, label.as_deref());
            if is_text { Value { width: 0, ..converted } } else { converted }
        };
        let control::Digest { time, packet, receiver, values, .. } = digest;
        Self { time_ns: time, packet, receiver, fields: values.into_iter().map(value).collect() }
    }
}

#[pymethods]
impl LogLine {
    fn __str__(&self) -> String {
        format!("{}  log: {}", format_time(self.time_ns), self.text)
    }
}

impl From<control::LogLine> for LogLine {
    fn from(line: control::LogLine) -> Self {
        let control::LogLine { time, packet, text } = line;
        Self { time_ns: time, packet, text }
    }
}

impl IdleEntry {
    /// Converts a notice of an idle entry.
    pub fn new_of(names: Names<'_>, notice: control::IdleNotice) -> Self {
        let control::IdleNotice { time, table, handle, entry } = notice;
        let state = control::EntryState { handle, entry, is_const: false, hits: None, last_hit: None };
        let name = names.table_schema(table).name.clone();
        Self { time_ns: time, table: name, entry: Entry::new_of(names, table, state) }
    }
}
