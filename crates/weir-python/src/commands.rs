//! Runs runtime commands on a switch.

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use weir_control::commands::{self, Command, Runtime, Session};

use crate::errors;
use crate::locks::lock;
use crate::record::records;
use crate::switch::Switch;

records! {
    /// A runtime command.
    CommandInfo {
        /// The heading under which help lists it.
        group: String,
        /// The command's name, such as `table_add`.
        name: String,
        /// The arguments, such as `TABLE HANDLE`.
        takes: String,
        /// The effect of the command, in one line.
        summary: String,
        /// Further help text; may be empty.
        details: String,
        /// An example of the command.
        example: String,
        /// The minimum number of arguments.
        least: usize,
        /// The maximum number of arguments; `None` for any number.
        most: Option<usize>,
    }
}

#[pymethods]
impl CommandInfo {
    /// The command's name and arguments.
    #[getter]
    fn usage(&self) -> String {
        format!("{} {}", self.name, self.takes).trim_end().to_owned()
    }
}

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
    runtime: Mutex<Runtime>,
}

#[pymethods]
impl Commands {
    #[new]
    fn new(switch: Py<Switch>, name: String, program: String) -> Self {
        Self { switch, name, program, runtime: Mutex::default() }
    }

    /// Runs a line or a command split into words and returns the lines that it prints.
    fn run(&self, line: Line) -> PyResult<Vec<String>> {
        self.with(|session| match &line {
            Line::Text(line) => commands::run(session, line),
            Line::Words(words) => {
                commands::run_words(session, &words.iter().map(String::as_str).collect::<Vec<_>>())
            }
        })?
        .map_err(|error| errors::request(&error))
    }

    /// Runs the lines of a file. Returns the printed lines, the remarks, each with file and line,
    /// and the errors of the lines that failed.
    fn run_lines(&self, file: &str, text: &str) -> PyResult<(Vec<String>, Vec<String>, Vec<PyErr>)> {
        let ran = self.with(|session| commands::run_lines(session, text))?;
        let remarks = ran.remarks.iter().map(|(line, remark)| format!("{file}:{line}: {remark}"));
        let failed = ran.failed.iter().map(|(line, error)| errors::request_at(error, file, *line));
        Ok((ran.printed, remarks.collect(), failed.collect()))
    }

    /// Returns the possible completions of a partial command.
    fn choices(&self, words: Vec<String>) -> PyResult<Vec<String>> {
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        self.with(|session| commands::choices(session, &words))
    }
}

impl Commands {
    fn with<T>(&self, act: impl FnOnce(&mut Session<'_, '_>) -> T) -> PyResult<T> {
        let mut runtime = self.lock_state()?;
        self.switch.get().with_control(|control, names| {
            act(&mut runtime.session(control, names, &self.name, &self.program))
        })
    }

    fn lock_state(&self) -> PyResult<MutexGuard<'_, Runtime>> {
        lock(&self.runtime).map_err(|_| errors::network_error("the switch has broken down; build it again"))
    }
}

/// Returns all runtime commands.
#[pyfunction]
pub fn runtime_commands() -> Vec<CommandInfo> {
    let info = |command: &Command| {
        let Command { group, name, takes, summary, details, example, .. } = *command;
        let texts = [group, name, takes, summary, details, example].map(str::to_owned);
        let [group, name, takes, summary, details, example] = texts;
        let (least, most) = (command.min_args(), command.max_args());
        CommandInfo { group, name, takes, summary, details, example, least, most }
    };
    commands::commands().map(info).collect()
}

/// Returns the commands of `simple_switch_CLI` that are not supported, each with the reason.
#[pyfunction]
pub fn unsupported_commands() -> Vec<(&'static str, &'static str)> {
    commands::UNSUPPORTED.to_vec()
}
