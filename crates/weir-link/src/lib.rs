//! Links between real interfaces, for the programs `weir-link` and `weir link`: rate, queueing
//! disciplines, delay, jitter, loss, duplication, reordering and corruption in real time. The
//! models and the random streams are those of virtual networks.
//!
//! - **Input:** a command line or commands on standard input; frames at interfaces, which may be
//!   in different network namespaces; signals.
//! - **Output:** frames, when they are due; answers and statistics on standard output.
//! - **Independent of:** P4, switches, virtual networks.

mod args;
mod clock;
pub mod direction;
mod event_loop;
mod link;
mod links;
mod models;
mod namespace;
mod priority;
mod read;
mod report;
mod sampler;
mod service;
pub mod settings;
mod watch;

use std::ffi::OsString;

use clap::{CommandFactory, Parser};

/// Describes what the command line accepts.
pub fn command() -> clap::Command {
    args::Args::command()
}

/// Runs the program with a command line until a signal arrives or its commands end. Exit codes: 0
/// after a signal or the end of the commands, 1 if the program cannot start or fails, 2 if the
/// command line is wrong.
pub fn run(command_line: impl IntoIterator<Item = OsString>) -> u8 {
    let args = match args::Args::try_parse_from(command_line) {
        Ok(args) => args,
        Err(error) => return weir_log::code_after_text(error.print(), error.exit_code()),
    };
    weir_log::start_logging("weir_link", weir_log::LevelFilter::INFO, false);
    match service::serve(&args) {
        Ok(()) => 0,
        Err(why) => {
            tracing::error!("{why}");
            1
        }
    }
}
