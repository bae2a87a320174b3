//! Makes a switch from the files on the command line.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use weir_control::{Names, runtime_json};
use weir_exec::Executor;
use weir_ir::{Program, ValidProgram};
use weir_json::Document;
use weir_load::ProgramFile;
use weir_switch::{Switch, SwitchConfig};
use weir_syntax::Severity;

use crate::args::{self, Args};
use crate::files::{self, read};
use crate::port_numbers::check_ports;
use crate::queues::set_queues;

/// The contents of the files on the command line.
pub struct Files {
    executor: Arc<dyn Executor>,
    /// The name and the text of each file with entries.
    entries: Vec<(String, String)>,
    /// The compiler's warnings about the program.
    pub warnings: Vec<String>,
}

impl Files {
    /// Reads the files. If the program has not changed since `known` was read, uses the compiled
    /// program of `known` again.
    ///
    /// # Errors
    /// A file cannot be read, or the program has a mistake; the error says what is wrong, and
    /// where.
    pub fn read(args: &Args, known: Option<&Self>, compiled: &mut Compiled) -> Result<Self, String> {
        if known.is_some() {
            args.program
                .iter()
                .chain(&args.entries)
                .try_for_each(|file| files::check_readable_again(file))?;
        }
        let (mut executor, warnings) = compiled.get(args, known)?;
        // Another switch with the same file may have different machine code.
        if let Some(known) = known
            && is_same(executor.program(), known.executor.program())
        {
            executor = Arc::clone(&known.executor);
        }
        let named = |file: &PathBuf| Ok((file.display().to_string(), read(file)?));
        let entries = args.entries.iter().map(named).collect::<Result<_, String>>()?;
        Ok(Self { executor, entries, warnings })
    }

    /// Returns a switch with this program and these entries.
    ///
    /// # Errors
    /// A file with entries has a mistake; the error says what is wrong, and where.
    pub fn switch(&self, args: &Args) -> Result<Switch, String> {
        let mut switch =
            Switch::new(Arc::clone(&self.executor), config(args)).map_err(|error| error.to_string())?;
        check_ports(args, switch.port_space())?;
        set_queues(args, &mut switch)?;
        if args.program.is_none() {
            switch.wait_for_program();
        }
        for (name, text) in &self.entries {
            let document = Document::parse(name.clone(), text.clone()).map_err(|error| error.to_string())?;
            let mut control = switch.control();
            let names = Names::new(control.schema());
            runtime_json::apply(&mut control, names, &document).map_err(|error| error.to_string())?;
        }
        switch.compile_ahead();
        Ok(switch)
    }
}

/// Logs copies that are sent to ports that a switch does not have, once for each port.
pub fn warn_of_lost_copies(name: Option<&str>, switch: &mut Switch) {
    let mut ports = BTreeSet::new();
    for copies in switch.control().all_lost_copies() {
        if ports.insert(copies.port) {
            tracing::warn!(switch = name, "{copies}");
        }
    }
}

/// The compiled programs, so that a program that several switches share is compiled once.
#[derive(Default)]
pub struct Compiled(Vec<(Source, Arc<dyn Executor>)>);

/// The inputs that determine a compiled program: its file, its folders and macros, and its
/// executor.
type Source = (Option<PathBuf>, Vec<PathBuf>, Vec<String>, args::Executor);

impl Compiled {
    /// Returns the program of a switch, and warnings about it if it is new. Reuses the program of
    /// `known` if it has not changed.
    fn get(
        &mut self,
        args: &Args,
        known: Option<&Files>,
    ) -> Result<(Arc<dyn Executor>, Vec<String>), String> {
        let source = (args.program.clone(), args.include.clone(), args.define.clone(), args.executor);
        if let Some((_, executor)) = self.0.iter().find(|(known, _)| *known == source) {
            return Ok((Arc::clone(executor), Vec::new()));
        }
        let (program, mut warnings) = program(args)?;
        let executor = match known.map(|known| &known.executor) {
            Some(known) if is_same(&program, known.program()) => Arc::clone(known),
            _ => {
                let (executor, refusal) = executor(program, args.executor)?;
                warnings.extend(refusal.map(|why| format!("the interpreter runs the program: {why}")));
                executor
            }
        };
        self.0.push((source, Arc::clone(&executor)));
        Ok((executor, warnings))
    }
}

/// Returns whether two programs behave in the same way.
fn is_same(one: &Program, other: &Program) -> bool {
    weir_ir::text::print(one) == weir_ir::text::print(other)
}

/// If more packets than this are inside the switch, it no longer resubmits, recirculates or clones
/// packets. This number of packets takes about ten megabytes.
const REPEAT_LIMIT: u64 = 1 << 14;

/// The number of events that a switch handles, within a few milliseconds, before it checks for
/// frames and requests again. Where packets loop, each frame waits for up to this many events,
/// twice.
const EVENTS_AT_ONCE: u64 = 1 << 11;

/// Returns the settings of a switch in real time, whose pipeline passes take as long as this
/// computer needs.
fn config(args: &Args) -> SwitchConfig {
    let ports = args.interface.iter().map(|interface| interface.port).chain(args.cpu_port);
    let usual = SwitchConfig::default().with_ports(ports);
    let expire_times = args
        .expire_times
        .as_ref()
        .map(|times| times.iter().map(|seconds| u64::from(*seconds) * 1_000_000_000).collect());
    SwitchConfig {
        pass_latency: 0,
        capacity: u64::MAX,
        drop_port: args.drop_port,
        first_host_port: args.first_host_port,
        expire_times: expire_times.unwrap_or_else(|| usual.expire_times.clone()),
        priorities: usize::from(args.priority_queues),
        repeat_limit: REPEAT_LIMIT,
        events_at_once: EVENTS_AT_ONCE,
        ..usual
    }
}

/// Returns the executor of a program, and the reason if the interpreter runs it instead of machine
/// code.
///
/// # Errors
/// There is no machine code for the program.
pub fn executor(
    program: ValidProgram,
    choice: args::Executor,
) -> Result<(Arc<dyn Executor>, Option<String>), String> {
    let name = match choice {
        args::Executor::Native => None,
        args::Executor::Interp => Some("interp"),
    };
    let found = weir_load::executors(program, name).map_err(|error| error.to_string())?;
    Ok((found.traced, found.refusal))
}

/// The maximum number of warnings, and of errors, about a program that are shown.
const MAX_SHOWN_FINDINGS: usize = 100;

/// The program that runs until a controller sends one.
const NO_PROGRAM: &str = include_str!("../../../python/weir/program/no_program.p4");

fn program(args: &Args) -> Result<(ValidProgram, Vec<String>), String> {
    let (path, text) = match &args.program {
        Some(path) => (path.display().to_string(), read(path)?),
        None => ("no_program.p4".to_owned(), NO_PROGRAM.to_owned()),
    };
    let defines = args.define.iter().map(|define| match define.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (define.clone(), "1".to_owned()),
    });
    let compiled = match ProgramFile::new(path, text, args.include.clone(), defines.collect())? {
        ProgramFile::P4(file) => weir_load::compile(&file.name, &*file.loader, &file.defines),
        ProgramFile::Bmv2(file) => weir_load::from_other_compiler(file.program, file.sources),
    };
    let sorted = compiled.diagnostics.sorted(&compiled.sources);
    let messages = |severity| {
        let diagnostics = sorted.iter().filter(move |diagnostic| diagnostic.severity == severity);
        let rendered = diagnostics
            .clone()
            .take(MAX_SHOWN_FINDINGS)
            .map(|diagnostic| diagnostic.render(&compiled.sources, false));
        let left_out = diagnostics.count().saturating_sub(MAX_SHOWN_FINDINGS);
        let more = (left_out > 0).then(|| format!("{left_out} more; `weir check` shows all of them"));
        rendered.chain(more).collect::<Vec<_>>()
    };
    match compiled.program {
        Some(program) => Ok((program, messages(Severity::Warning))),
        None => Err(messages(Severity::Error).join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn ports_of_the_host_and_expire_times_are_options() {
        let parse = |line: &str| {
            let args = Args::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())?;
            let SwitchConfig { first_host_port, expire_times, .. } = config(&args);
            Ok::<_, String>((first_host_port, expire_times))
        };
        let usual = SwitchConfig::default();
        assert_eq!(parse("w x.p4 -i 1@a"), Ok((256, usual.expire_times)));
        let options = parse("w x.p4 -i 1@a --first-host-port 2 --expire-times 5,60");
        assert_eq!(options, Ok((2, vec![5_000_000_000, 60_000_000_000])));
        assert!(parse("w x.p4 -i 1@a --expire-times 5s").is_err_and(|error| error.contains("5s")));
    }
}
