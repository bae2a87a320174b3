//! Runs runtime commands, and the table lines of the simple test framework, on a switch.

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use weir_control::commands::{self, Command, Runtime, Session};
use weir_control::stf::{self, NamedEntries};

use crate::errors;
use crate::switch::Switch;

/// A command: group, name, arguments, summary, details, example, and the minimum and maximum number
/// of arguments.
type CommandRow = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    usize,
    Option<usize>,
);

/// A runtime command, as text or as a list of words.
#[derive(FromPyObject)]
enum Line {
    Text(String),
    Words(Vec<String>),
}

/// An interpreter of runtime commands for one switch.
#[pyclass(frozen)]
pub struct Commands {
    switch: Py<Switch>,
    name: String,
    program: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    runtime: Runtime,
    entries: NamedEntries,
}

#[pymethods]
impl Commands {
    #[new]
    fn new(switch: Py<Switch>, name: String, program: String) -> Self {
        Self { switch, name, program, state: Mutex::default() }
    }

    /// Runs a line or a command split into words and returns the lines that it prints.
    fn run(&self, line: Line) -> PyResult<Vec<String>> {
        self.with(|session, _| match &line {
            Line::Text(line) => commands::run(session, line),
            Line::Words(words) => {
                commands::call(session, &words.iter().map(String::as_str).collect::<Vec<_>>())
            }
        })?
        .map_err(|error| errors::request(&error))
    }

    /// Runs the lines of a file and stops at the first one that fails. Returns the printed lines.
    fn run_lines(&self, file: &str, text: &str) -> PyResult<Vec<String>> {
        self.with(|session, _| commands::run_lines(session, text))?
            .map_err(|(line, error)| errors::request_at(&error, file, line))
    }

    /// The possible completions of a partial command.
    fn choices(&self, words: Vec<String>) -> PyResult<Vec<String>> {
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        self.with(|session, _| commands::choices(session, &words))
    }

    /// Runs an `add`, `setdefault` or `remove` line of the simple test framework, given as its
    /// first word and the rest.
    fn stf_line(&self, word: &str, rest: &str) -> PyResult<()> {
        self.with(|session, entries| match word {
            "add" => entries.add(session, rest),
            "remove" => entries.remove(session, rest),
            _ => stf::set_default(session, rest),
        })?
        .map_err(|error| errors::request(&error))
    }

    /// The handle of the entry that an `add` line gave this name, or none if there is no such
    /// entry. An unknown name that starts with `$` is an error.
    fn stf_handle(&self, name: &str) -> PyResult<Option<u64>> {
        self.with(|_, entries| entries.handle(name))?.map_err(|error| errors::request(&error))
    }
}

impl Commands {
    fn with<T>(&self, act: impl FnOnce(&mut Session<'_, '_>, &mut NamedEntries) -> T) -> PyResult<T> {
        let mut state = self.locked()?;
        let State { runtime, entries } = &mut *state;
        self.switch.get().with_switch(|switch, now| {
            let mut control = switch.control_at(now);
            act(&mut runtime.session(&mut control, &self.name, &self.program), entries)
        })
    }

    fn locked(&self) -> PyResult<MutexGuard<'_, State>> {
        self.state.lock().map_err(|_| errors::network("the switch has broken down; build it again"))
    }
}

/// All runtime commands.
#[pyfunction]
pub fn runtime_commands() -> Vec<CommandRow> {
    let row = |command: &Command| {
        let Command { group, name, takes, summary, details, example, .. } = *command;
        (group, name, takes, summary, details, example, command.least(), command.most())
    };
    commands::commands().map(row).collect()
}

/// The commands of `simple_switch_CLI` that are not supported, each with the reason.
#[pyfunction]
pub fn unsupported_commands() -> Vec<(&'static str, &'static str)> {
    commands::UNSUPPORTED.to_vec()
}

/// Parses an integer of up to 4096 bits and returns it in big-endian bytes.
#[pyfunction]
pub fn wide_number(text: &str, what: &str) -> PyResult<Vec<u8>> {
    let value = commands::values::value(text, 4096, what).map_err(|error| errors::request(&error))?;
    Ok(value.to_be_bytes())
}

/// Parses an integer between two bounds: decimal, or with the prefix `0x`, `0b` or `0o`. `what`
/// names the value in error messages.
#[pyfunction]
pub fn whole_number(text: &str, what: &str, least: u64, most: u64) -> PyResult<u64> {
    commands::values::whole(text, what, least, most).map_err(|error| errors::request(&error))
}
