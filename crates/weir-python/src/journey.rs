//! The journeys of traced packets.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use weir_switch::trace;
use weir_trace::SharedJourney;

use crate::named_value::Value;
use crate::record::{Tuple, records};
use crate::step::{Step, source_line};

records! {
    /// A header that the deparser emitted.
    Header {
        /// The header instance, such as `hdr.ipv4`.
        name: String,
        /// The fields in wire order, each with its width in the packet.
        fields: Tuple<Value>,
    }

    /// A packet that left the switch.
    Output {
        /// The number of the copy.
        copy: u64,
        /// The time when the packet left, in virtual nanoseconds.
        time_ns: u64,
        /// The egress port.
        port: u32,
        /// The packet's bytes.
        packet: Vec<u8>,
        /// The headers that the deparser emitted, in order.
        headers: Tuple<Header>,
    }

    /// A choice that depends on chance.
    Choice {
        /// The subject of the choice, such as `table I.routes, group 0`.
        what: String,
        /// The option taken, such as `member 2`.
        taken: String,
        /// The number of the option taken, from 0.
        option: u32,
        /// The number of options.
        options: u32,
        /// The option that the hash or the random generator chooses.
        usual: u32,
    }
}

/// A packet in a switch, or a copy of it: its number, the number of the packet from which it was
/// copied, the positions of its steps among all steps, and whether the copy has ended.
type CopyRow = (u64, Option<u64>, Vec<usize>, bool);

/// The journey of a packet through a switch, which receives steps until it ends.
#[pyclass(frozen)]
pub struct Journey(SharedJourney);

impl Journey {
    pub fn new(shared: SharedJourney) -> Self {
        Self(shared)
    }

    fn with<T>(&self, read: impl FnOnce(&weir_trace::Journey) -> T) -> T {
        read(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Journey {
    /// The packet's number among the traced packets of the switch, from 0.
    #[getter]
    fn number(&self) -> u64 {
        self.with(|journey| journey.number)
    }

    /// Whether the packet and all its copies have ended.
    #[getter]
    fn ended(&self) -> bool {
        self.with(weir_trace::Journey::has_ended)
    }

    /// Returns the steps from a position on.
    fn steps(&self, start: usize) -> Vec<Step> {
        self.with(|journey| journey.steps().iter().skip(start).cloned().map(Step::from).collect())
    }

    /// Returns the packet and its copies, in the order in which they were made.
    fn copies(&self) -> Vec<CopyRow> {
        self.with(|journey| {
            let row = |copy: &weir_trace::Copy| {
                (copy.number, copy.parent, copy.steps.clone(), journey.has_copy_ended(copy))
            };
            journey.copies().iter().map(row).collect()
        })
    }

    /// Returns the output packets, in order of time.
    fn outputs(&self) -> Vec<Output> {
        self.with(|journey| journey.outputs().iter().map(Output::from).collect())
    }

    /// Returns the choices that depended on chance, in order.
    fn choices(&self) -> Vec<Choice> {
        self.with(|journey| journey.choices().map(Choice::from).collect())
    }
}

impl From<&weir_trace::Output<'_>> for Output {
    fn from(output: &weir_trace::Output<'_>) -> Self {
        let header = |header: &weir_trace::OutputHeader<'_>| {
            let field = |field: &trace::Field| Value {
                header: header.name.to_owned(),
                ..Value::new_of(&field.name, &field.value, field.label.as_deref())
            };
            Header { name: header.name.to_owned(), fields: header.fields.iter().map(field).collect() }
        };
        Self {
            copy: output.copy,
            time_ns: output.time,
            port: output.port,
            packet: output.bytes.to_vec(),
            headers: output.headers.iter().map(header).collect(),
        }
    }
}

impl From<weir_trace::RandomChoice> for Choice {
    fn from(one: weir_trace::RandomChoice) -> Self {
        let weir_trace::RandomChoice { what, taken, choice } = one;
        Self { what, taken, option: choice.taken, options: choice.options, usual: choice.usual }
    }
}

/// The journeys of one switch, assembled from the steps that the switch recorded.
#[pyclass(frozen)]
pub struct Journeys(Mutex<weir_trace::Journeys>);

impl Journeys {
    /// Adds steps, and returns the packets that left, in order.
    pub fn add(&self, steps: Vec<trace::Step>) -> Vec<Output> {
        self.with(|journeys| {
            let mut left = Vec::new();
            for step in steps {
                let transmitted = matches!(step.what, trace::StepKind::Transmitted { .. });
                let copy = step.copy;
                let Some(shared) = journeys.add(step).filter(|_| transmitted) else { continue };
                let journey = shared.read().unwrap_or_else(PoisonError::into_inner);
                left.extend(journey.last_output(copy).as_ref().map(Output::from));
            }
            left
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut weir_trace::Journeys) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Journeys {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Whether any journey has not been taken yet.
    #[getter]
    fn is_any_under_way(&self) -> bool {
        self.with(|journeys| journeys.is_any_under_way())
    }

    /// Returns the journey of the packet that arrived last, if it was not taken yet.
    fn last(&self) -> Option<Journey> {
        self.with(|journeys| journeys.last()).map(Journey)
    }

    /// Takes the journeys that have ended since the last call, in the order of arrival.
    fn take_ended(&self) -> Vec<Journey> {
        self.with(weir_trace::Journeys::take_ended).into_iter().map(Journey).collect()
    }

    /// Takes all journeys, including those that have not ended.
    fn take_all(&self) -> Vec<Journey> {
        self.with(weir_trace::Journeys::take_all).into_iter().map(Journey).collect()
    }
}

/// Writes traces as JSON, and remembers the source lines that it has read.
#[pyclass(frozen)]
pub struct TraceWriter(Mutex<HashMap<String, HashMap<u32, String>>>);

#[pymethods]
impl TraceWriter {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    /// Returns a packet with its possible journeys as a JSON object, without line breaks.
    fn packet(
        &self,
        py: Python<'_>,
        number: u64,
        journeys: Vec<PyRef<'_, Journey>>,
        has_more: bool,
        lost_steps: u64,
    ) -> String {
        let locked: Vec<_> =
            journeys.iter().map(|journey| journey.0.read().unwrap_or_else(PoisonError::into_inner)).collect();
        let journeys: Vec<&weir_trace::Journey> = locked.iter().map(|journey| &**journey).collect();
        let source = |place: &weir_switch::Place| {
            let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(line) = files.get(&place.file).and_then(|lines| lines.get(&place.line)) {
                return line.clone();
            }
            let line = source_line(py, &place.file, place.line).unwrap_or_default();
            files.entry(place.file.clone()).or_default().insert(place.line, line.clone());
            line
        };
        weir_trace::packet_json(
            &weir_trace::Trace { number, journeys: &journeys, has_more, lost_steps },
            &source,
        )
    }
}
