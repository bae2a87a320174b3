//! The runtime command language of `simple_switch_CLI` (docs/reference/runtime-commands.md).

mod completion;
mod counters;
mod hashes;
mod indirect;
mod nodes;
mod profiles;
mod queues;
mod rates;
mod registry;
mod replication;
mod state;
mod tables;
mod value_sets;
pub mod values;

pub use nodes::{Node, Nodes};
pub use queues::{read_port_queue, read_queue_discipline, read_queue_rate};
pub use registry::{Command, Output, Run, Session};
pub use state::UNSUPPORTED;

use crate::{Controlled, Error, Names};

/// The command that shows all commands.
const HELP: Command = Command::new(
    "Help",
    "help",
    "[COMMAND]",
    "list the commands, or explain one command",
    "help table_add",
    |_, args| match args.first() {
        Some(name) => command_help(name),
        None => Ok(overview()),
    },
);

/// Returns all commands, in the order in which help shows them.
pub fn commands() -> impl Iterator<Item = &'static Command> {
    let groups: [&'static [Command]; 11] = [
        &counters::COMMANDS,
        &hashes::COMMANDS,
        &state::COMMANDS,
        &[HELP],
        &tables::COMMANDS,
        &profiles::COMMANDS,
        &profiles::COMMANDS_BY_TABLE,
        &indirect::COMMANDS,
        &queues::COMMANDS,
        &replication::COMMANDS,
        &value_sets::COMMANDS,
    ];
    groups.into_iter().flatten()
}

/// Finds the command of this name.
pub fn command(name: &str) -> Option<&'static Command> {
    commands().find(|command| command.name == name)
}

/// The state of the runtime commands for one switch. It contains the multicast nodes, because the
/// switch knows only groups.
#[derive(Clone, Debug, Default)]
pub struct Runtime {
    nodes: Nodes,
}

impl Runtime {
    /// Makes the context in which commands run: the switch's control interface, and the names of
    /// its program.
    pub fn session<'s, 'c>(
        &'s mut self,
        control: &'s mut dyn Controlled,
        names: Names<'c>,
        switch: &'s str,
        program: &'s str,
    ) -> Session<'s, 'c> {
        Session { control, names, nodes: &mut self.nodes, switch, program, remarks: Vec::new() }
    }
}

/// Runs one line. An empty line or a comment does nothing.
pub fn run(session: &mut Session<'_, '_>, line: &str) -> Output {
    run_words(session, &split(line))
}

/// Runs a command that is already split into words. The command's remarks are appended to its
/// output.
pub fn run_words(session: &mut Session<'_, '_>, words: &[&str]) -> Output {
    let mut printed = call_with_remarks(session, words)?;
    printed.append(&mut session.remarks);
    Ok(printed)
}

/// Runs a command and leaves its remarks in the session.
fn call_with_remarks(session: &mut Session<'_, '_>, words: &[&str]) -> Output {
    session.remarks.clear();
    let Some((name, args)) = words.split_first() else { return Ok(Vec::new()) };
    match command(name) {
        Some(command) => command.run(session, args),
        None => Err(unknown_command(name, " (help shows them)")),
    }
}

/// The output of the lines in a file of commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineResults {
    /// The lines that the commands printed.
    pub printed: Vec<String>,
    /// The remarks about lines, such as that bits are outside a prefix: the numbers of the lines,
    /// from 1, and the remarks.
    pub remarks: Vec<(usize, String)>,
    /// The numbers, from 1, of the lines that failed, and what is wrong with each.
    pub failed: Vec<(usize, Error)>,
}

/// Runs the lines of a file. A line that fails changes nothing, and the following lines still run.
pub fn run_lines(session: &mut Session<'_, '_>, text: &str) -> LineResults {
    let mut ran = LineResults::default();
    for (index, line) in text.lines().enumerate() {
        match call_with_remarks(session, &split(line)) {
            Ok(printed) => {
                ran.printed.extend(printed);
                ran.remarks.extend(session.remarks.drain(..).map(|remark| (index + 1, remark)));
            }
            Err(error) => ran.failed.push((index + 1, error)),
        }
    }
    ran
}

/// Splits a line into words, without its comment. A comment begins with `#` or `//` at the start of
/// a word.
pub fn split(line: &str) -> Vec<&str> {
    let is_comment = |word: &str| word.starts_with('#') || word.starts_with("//");
    line.split_whitespace().take_while(|word| !is_comment(word)).collect()
}

/// Returns the words that may come next after these words of a command.
pub fn choices(session: &mut Session<'_, '_>, words: &[&str]) -> Vec<String> {
    match words {
        [] => commands().map(|command| command.name.to_owned()).collect(),
        ["help"] => commands().map(|command| command.name.to_owned()).collect(),
        ["help", ..] => Vec::new(),
        [name, given @ ..] => {
            command(name).map_or_else(Vec::new, |command| completion::choices(session, command, given))
        }
    }
}

fn unknown_command(name: &str, hint: &str) -> Error {
    if let Some((_, reason)) = UNSUPPORTED.iter().find(|(known, _)| *known == name) {
        return Error::new(format!("{name} is not supported: {reason}"));
    }
    let error = Error::new(format!("there is no runtime command \"{name}\"{hint}"));
    match weir_suggest::nearest(name, commands().map(|command| command.name)) {
        Some(near) => error.suggesting(near),
        None => error,
    }
}

/// Lists all commands, one in a line, with their summaries.
fn overview() -> Vec<String> {
    let width = commands().map(|command| command.name.len()).max().unwrap_or(0);
    commands().map(|command| format!("{:width$}  {}", command.name, command.summary)).collect()
}

/// Returns the full description of a command.
fn command_help(name: &str) -> Output {
    let Some(command) = command(name) else {
        return match unknown_command(name, "") {
            error if UNSUPPORTED.iter().any(|(known, _)| *known == name) => Ok(vec![error.message]),
            error => Err(error),
        };
    };
    let (first, rest) = command.summary.split_at(1);
    let mut lines = vec![command.usage(), format!("{}{rest}.", first.to_uppercase())];
    lines.extend(command.details.lines().map(str::to_owned));
    lines.push(format!("Example: {}", command.example));
    Ok(lines)
}
