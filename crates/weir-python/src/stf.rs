//! Runs tests of the simple test framework.

use std::sync::PoisonError;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use weir_control::Names;
use weir_stf::{Outcome, PrintedLine};
use weir_trace::SharedJourney;

use crate::errors;
use crate::journey::Journey;
use crate::messages::{Digest, IdleEntry, LogLine};
use crate::program::Program;
use crate::record::{Tuple, records};
use crate::signals::Signals;

records! {
    /// A field with a value that differs from the expected value.
    Difference {
        /// The field's name, such as `hdr.ipv4.ttl`, or `payload`.
        field: String,
        /// The field's first bit in the received packet.
        bit: usize,
        /// The field's width in bits.
        width: usize,
        /// The expected value; empty if there was none.
        expected: String,
        /// The received value; empty if there was none.
        got: String,
    }

    /// A failed expectation.
    FailedLine {
        /// The line with the expectation; 0 if there is none.
        line: usize,
        /// The failure in one line.
        message: String,
        /// The further lines: the expected and the received packet, and other information.
        details: Tuple<String>,
        /// The fields that differ from the expected ones.
        differences: Tuple<Difference>,
        /// The number of the packet that failed; `None` if the failure is not about a packet.
        packet: Option<usize>,
        /// The line that sent the packet; 0 if there is no such line.
        sent: usize,
        /// The number of the packet's steps that were not stored.
        lost_steps: u64,
    }
}

#[pymethods]
impl Difference {
    fn __str__(&self) -> String {
        let (byte, bit) = (self.bit / 8, self.bit % 8);
        let place = if bit == 0 { format!("byte {byte}") } else { format!("byte {byte} bit {bit}") };
        let [expected, got] =
            [&self.expected, &self.got].map(|value| if value.is_empty() { "nothing" } else { value });
        format!("{} ({place}): expected {expected}, got {got}", self.field)
    }
}

/// The result of a test.
#[pyclass(frozen)]
pub struct TestOutcome {
    outcome: Outcome,
    program: Py<Program>,
}

#[pymethods]
impl TestOutcome {
    #[getter]
    fn packets(&self) -> usize {
        self.outcome.packets
    }

    #[getter]
    fn checks(&self) -> usize {
        self.outcome.checks
    }

    #[getter]
    fn unnamed(&self) -> Vec<String> {
        self.outcome.unnamed.clone()
    }

    /// Returns the failed expectations.
    fn failures(&self) -> Vec<FailedLine> {
        let difference = |one: &weir_stf::Difference| Difference {
            field: one.field.clone(),
            bit: one.bit,
            width: one.width,
            expected: one.expected.clone(),
            got: one.got.clone(),
        };
        let failure = |one: &weir_stf::Failure| FailedLine {
            line: one.line,
            message: one.message.clone(),
            details: one.details.iter().cloned().collect(),
            differences: one.differences.iter().map(difference).collect(),
            packet: one.packet,
            sent: one.sent,
            lost_steps: one.lost_steps,
        };
        self.outcome.failures.iter().map(failure).collect()
    }

    /// Returns the output of commands and the messages of the switch.
    fn printed(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let names = Names::new(&self.program.get().schema);
        let to_python = |printed: &PrintedLine| match printed.clone() {
            PrintedLine::Line(line) => line.into_py_any(py),
            PrintedLine::Digest(digest) => Digest::from(digest).into_py_any(py),
            PrintedLine::Log(line) => LogLine::from(line).into_py_any(py),
            PrintedLine::Idle(notice) => IdleEntry::new_of(names, notice).into_py_any(py),
        };
        self.outcome.printed.iter().map(to_python).collect()
    }

    /// Returns the journeys of the packets with failures, each with the packet's number in the
    /// order of sending.
    fn journeys(&self) -> Vec<(u64, Journey)> {
        let mut journeys = weir_trace::Journeys::default();
        for step in self.outcome.steps.iter().cloned() {
            journeys.add(step);
        }
        let numbered = |shared: SharedJourney| {
            let mut journey = shared.write().unwrap_or_else(PoisonError::into_inner);
            let sent = journey.steps().first().map_or(0, |step| step.packet);
            journey.number = sent;
            drop(journey);
            (sent, Journey::new(shared))
        };
        journeys.take_all().into_iter().map(numbered).collect()
    }
}

/// Runs the text of a test on a program. `source` returns the text of a line of a program, given
/// its file and number. An exception from a signal handler ends the test.
#[pyfunction]
pub fn run_test(
    program: Py<Program>,
    program_file: &str,
    file: &str,
    text: &str,
    source: &Bound<'_, PyAny>,
) -> PyResult<TestOutcome> {
    let line = |place: &weir_switch::Place| {
        source.call1((&place.file, place.line)).and_then(|line| line.extract()).unwrap_or_default()
    };
    let program_data = program.get();
    let (untraced, traced) = (program_data.untraced.clone(), program_data.executor.clone());
    let signals = Signals::new();
    let interrupt = || signals.interrupt();
    let tested =
        weir_stf::Program { file: program_file, untraced, traced, source: &line, interrupt: &interrupt };
    let outcome = weir_stf::run(&tested, text).map_err(|mistake| errors::test_file(&mistake, file))?;
    signals.raise()?;
    let outcome = outcome.ok_or_else(|| errors::network_error("the test was interrupted"))?;
    Ok(TestOutcome { outcome, program })
}

/// Reads the bytes of a packet from hexadecimal digits, optionally with colons or the prefix `0x`.
/// Error messages call the text `what`.
#[pyfunction]
pub fn read_hex(text: &str, what: &str) -> PyResult<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text).replace(':', "");
    weir_stf::read_hex(&digits, what).map_err(|error| errors::command(&error))
}

/// Splits hexadecimal digits into groups of four bytes.
#[pyfunction]
pub fn group_hex(digits: &str) -> String {
    weir_stf::group_digits(digits)
}
