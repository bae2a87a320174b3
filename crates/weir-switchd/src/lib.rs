//! A switch between real interfaces, as a service: the program `weir-switchd`, and `weir switch`.
//!
//! - **Input:** a command line; frames at interfaces; requests of controllers; signals.
//! - **Output:** frames; log lines; metrics; captures.
//! - **Contents:** the threads that move frames ([`plane`]), and the code that starts and stops
//!   them.
//! - **Independent of:** virtual networks, Python.

mod args;
mod bfrt;
mod capture;
mod config;
mod control;
mod files;
mod instance;
mod logging;
#[allow(unsafe_code, reason = "the kernel is given addresses; see the module")]
mod memory;
mod metrics;
mod of_queue;
mod p4runtime;
pub mod plane;
mod port_numbers;
mod program;
mod queues;
mod reload;
mod service;
mod together;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{CommandFactory, Parser};

use plane::Plane;

pub use args::{Args, Find, GsoChoice, Interface, PcapFormat, PortKind};
pub use capture::Captures;
pub use control::Owner;
pub use service::serve;

/// Describes what the command line accepts.
pub fn command() -> clap::Command {
    Args::command()
}

/// Runs the program with a command line until a signal arrives. Exit codes: 0 after a signal, 1 if
/// the program cannot start or fails, 2 if the command line is wrong.
pub fn run(command_line: impl IntoIterator<Item = OsString>) -> u8 {
    run_with(command_line, &only_files, |_, _| Ok(()), memory::return_freed_memory)
}

/// Returns the file of a program. `weir-switchd` itself knows no programs by name.
fn only_files(program: &Path) -> Result<PathBuf, String> {
    if program.components().count() == 1 && program.extension().is_none() && !program.exists() {
        return Err(format!(
            "{}: no such file; weir-switchd takes the file of a program, only `weir switch` knows programs by \
             name",
            program.display()
        ));
    }
    Ok(program.to_owned())
}

/// Like [`run`], for a front end that knows programs by name or uses the switch itself. `find`
/// finds the file of a program. `started` is called when the switches forward, with the first
/// switch and its interfaces. `give_back` is called on threads whose freed memory must return to
/// the system.
pub fn run_with(
    command_line: impl IntoIterator<Item = OsString>,
    find: Find<'_>,
    started: impl FnOnce(&Arc<Plane>, &[Interface]) -> Result<(), String>,
    give_back: fn(),
) -> u8 {
    let command_line: Vec<OsString> = command_line.into_iter().collect();
    let args = match Args::try_parse_from(&command_line) {
        Ok(args) => args,
        Err(error) => return weir_log::code_after_text(error.print(), error.exit_code()),
    };
    logging::start_logging(&args);
    match serve(&args, &command_line, find, started, give_back) {
        Ok(()) => 0,
        Err(why) => {
            tracing::error!("{why}");
            1
        }
    }
}
