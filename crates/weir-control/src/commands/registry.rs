//! A command: its name, usage, help and function.

use weir_switch::control::Update;

use super::nodes::Nodes;
use crate::{Controlled, Error, Names};

/// The context in which a command runs.
pub struct Session<'s, 'c> {
    /// The switch's control interface.
    pub control: &'s mut dyn Controlled,
    pub(super) names: Names<'c>,
    /// The multicast nodes that commands have made.
    pub nodes: &'s mut Nodes,
    /// The name of the switch.
    pub switch: &'s str,
    /// The name of the program's file.
    pub program: &'s str,
    /// The remarks about the last command, in addition to its output.
    pub(super) remarks: Vec<String>,
}

/// The lines that a command prints.
pub type Output = Result<Vec<String>, Error>;

/// The function that runs a command, given its arguments.
pub type Run = fn(&mut Session<'_, '_>, &[&str]) -> Output;

/// A command: its name, its help, and the function that runs it.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The heading under which help lists it.
    pub group: &'static str,
    /// The command's name, such as `table_add`.
    pub name: &'static str,
    /// The arguments, such as `TABLE HANDLE`. Arguments in brackets may be left out; an argument
    /// with `…` stands for any number of arguments.
    pub takes: &'static str,
    /// The effect of the command, in one line.
    pub summary: &'static str,
    /// The details that help adds; may be empty.
    pub details: &'static str,
    /// An example of its use.
    pub example: &'static str,
    /// The minimum number of arguments, if it is less than the number outside brackets in `takes`.
    pub least: Option<usize>,
    /// The function that runs the command.
    pub run: Run,
}

impl Command {
    /// Creates a command without details.
    pub(super) const fn new(
        group: &'static str,
        name: &'static str,
        takes: &'static str,
        summary: &'static str,
        example: &'static str,
        run: Run,
    ) -> Self {
        Self { group, name, takes, summary, details: "", example, least: None, run }
    }

    /// Returns the same command with details.
    pub(super) const fn details(self, details: &'static str) -> Self {
        Self { details, ..self }
    }

    /// Returns the command's name and arguments, as help shows them.
    pub fn usage(&self) -> String {
        format!("{} {}", self.name, self.takes).trim_end().to_owned()
    }

    /// Returns the minimum number of arguments.
    pub fn min_args(&self) -> usize {
        self.least
            .unwrap_or_else(|| self.takes.split_whitespace().filter(|word| !word.starts_with('[')).count())
    }

    /// Returns the maximum number of arguments; `None` if there is no limit.
    pub fn max_args(&self) -> Option<usize> {
        (!self.takes.contains('…')).then(|| self.takes.split_whitespace().count())
    }

    /// Runs the command, after a check of the number of its arguments.
    pub(super) fn run(&self, session: &mut Session<'_, '_>, args: &[&str]) -> Output {
        if args.len() < self.min_args() {
            let (wanted, found) = (self.expected_count(), args.len());
            return Err(Error::new(format!(
                "{} needs {wanted}, found {found} ({})",
                self.name,
                self.usage()
            )));
        }
        if let Some(extra) = self.max_args().and_then(|most| args.get(most)) {
            let wanted = self.expected_count();
            return Err(Error::new(format!(
                "{} takes {wanted}, found also \"{extra}\" ({})",
                self.name,
                self.usage()
            )));
        }
        (self.run)(session, args)
    }

    fn expected_count(&self) -> String {
        let least = self.min_args();
        match self.max_args() {
            None => format!("{least} or more arguments"),
            Some(1) if least == 1 => "1 argument".to_owned(),
            Some(most) if most == least => format!("{least} arguments"),
            Some(most) => format!("{least} to {most} arguments"),
        }
    }
}

impl<'c> Session<'_, 'c> {
    /// Returns the names of the program.
    pub fn names(&self) -> Names<'c> {
        self.names
    }

    /// Makes a change and returns what it inserted.
    pub fn change(&mut self, update: &Update) -> Result<Option<u64>, Error> {
        self.control.change(update)
    }
}
