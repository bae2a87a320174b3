//! Runs tests of the simple test framework.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use weir_control::Names;
use weir_stf::{Outcome, Printed};

use crate::control::Entry;
use crate::errors;
use crate::program::Program;
use crate::signals::Signals;
use crate::step::Step;
use crate::switch::digest_out;

/// A field that is not as expected: its name, first bit and width, the expected value and the
/// actual one.
type DifferenceRow = (String, usize, usize, String, String);

/// A failed expectation: its line, message, details and fields, the number of the packet, the line
/// that sent it, and the number of its steps that were too many to keep.
type FailureRow = (usize, String, Vec<String>, Vec<DifferenceRow>, Option<usize>, usize, u64);

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

    /// The failed expectations.
    fn failures(&self) -> Vec<FailureRow> {
        let difference = |one: &weir_stf::Difference| {
            (one.field.clone(), one.bit, one.width, one.expected.clone(), one.got.clone())
        };
        let failure = |one: &weir_stf::Failure| {
            let differences = one.differences.iter().map(difference).collect();
            let (message, details) = (one.message.clone(), one.details.clone());
            (one.line, message, details, differences, one.packet, one.sent, one.lost_steps)
        };
        self.outcome.failures.iter().map(failure).collect()
    }

    /// The output of commands and the messages of the switch, each with its kind: `line`, `digest`,
    /// `log` or `idle`.
    fn printed(&self, py: Python<'_>) -> PyResult<Vec<(&'static str, Py<PyAny>)>> {
        let names = Names::new(&self.program.get().schema);
        let row = |printed: &Printed| {
            Ok(match printed.clone() {
                Printed::Line(line) => ("line", line.into_py_any(py)?),
                Printed::Digest(digest) => ("digest", digest_out(digest).into_py_any(py)?),
                Printed::Log(line) => ("log", (line.time, line.packet, line.text).into_py_any(py)?),
                Printed::Idle(notice) => ("idle", Entry::idle(names, notice).into_py_any(py)?),
            })
        };
        self.outcome.printed.iter().map(row).collect()
    }

    /// The steps of the packets with failures.
    fn steps(&self) -> Vec<Step> {
        self.outcome.steps.iter().cloned().map(Step).collect()
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
    let own = program.get();
    let (untraced, traced) = (own.untraced.clone(), own.executor.clone());
    let signals = Signals::new();
    let interrupt = || signals.interrupt();
    let of = weir_stf::Program { file: program_file, untraced, traced, source: &line, interrupt: &interrupt };
    let outcome = weir_stf::run(&of, text).map_err(|mistake| errors::test_file(&mistake, file))?;
    signals.raise()?;
    let outcome = outcome.ok_or_else(|| errors::network("the test was interrupted"))?;
    Ok(TestOutcome { outcome, program })
}

/// Reads the bytes of a packet in hexadecimal digits, possibly with colons or after `0x`. `what`
/// names it in error messages.
#[pyfunction]
pub fn read_hex(text: &str, what: &str) -> PyResult<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text).replace(':', "");
    weir_stf::read_hex(&digits, what).map_err(|error| errors::command(&error))
}

/// Hexadecimal digits in groups of four bytes.
#[pyfunction]
pub fn grouped(digits: &str) -> String {
    weir_stf::grouped(digits)
}
