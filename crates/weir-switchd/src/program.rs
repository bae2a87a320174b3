//! From the files on the command line to a switch.

use std::sync::Arc;

use weir_control::{Names, runtime_json};
use weir_exec::Executor;
use weir_ir::ValidProgram;
use weir_json::Document;
use weir_load::FileLoader;
use weir_switch::{Switch, SwitchConfig};
use weir_syntax::Severity;

use crate::args::{self, Args};

/// The switch that the command line asks for, and warnings about its program.
///
/// # Errors
/// A file cannot be read, or something in it is wrong: what, and where.
pub fn switch(args: &Args) -> Result<(Switch, Vec<String>), String> {
    let (program, mut warnings) = program(args)?;
    let (executor, refusal) = executor(program, args.executor)?;
    warnings.extend(refusal.map(|why| format!("the interpreter runs the program: {why}")));
    let mut switch = Switch::new(executor, config(args)).map_err(|error| error.to_string())?;
    for file in &args.entries {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let document =
            Document::parse(file.display().to_string(), text).map_err(|error| error.to_string())?;
        let mut control = switch.control();
        let names = Names::new(control.schema());
        runtime_json::apply(&mut control, names, &document).map_err(|error| error.to_string())?;
    }
    Ok((switch, warnings))
}

/// The settings of a switch on real time: passes take as long as they take.
fn config(args: &Args) -> SwitchConfig {
    let ports = args.interface.iter().map(|interface| interface.port).chain(args.cpu_port);
    SwitchConfig {
        pass_latency: 0,
        capacity: u64::MAX,
        drop_port: args.drop_port,
        priorities: usize::from(args.priority_queues),
        ..SwitchConfig::default().with_ports(ports)
    }
}

/// What runs a program; why the interpreter, if there should be machine code.
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

fn program(args: &Args) -> Result<(ValidProgram, Vec<String>), String> {
    let path = args.program.display();
    let text = std::fs::read_to_string(&args.program).map_err(|error| format!("{path}: {error}"))?;
    let defines = args.define.iter().map(|define| match define.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (define.clone(), "1".to_owned()),
    });
    let loader = FileLoader { root: (path.to_string(), text), folders: args.include.clone() };
    let compiled = weir_program::compile(&path.to_string(), &loader, &defines.collect::<Vec<_>>());
    let sorted = compiled.diagnostics.sorted(&compiled.sources);
    let of = |severity| {
        let found = sorted.iter().filter(move |diagnostic| diagnostic.severity == severity);
        found.map(|diagnostic| diagnostic.render(&compiled.sources, false)).collect::<Vec<_>>()
    };
    match compiled.program {
        Some(program) => Ok((program, of(Severity::Warning))),
        None => Err(of(Severity::Error).join("\n")),
    }
}
