//! Log lines on standard error.

use std::io::IsTerminal;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::{Args, LogFormat};

/// Writes log lines to standard error from now on.
pub fn start_logging(args: &Args) {
    let level = match (args.verbose, args.quiet) {
        (true, _) => LevelFilter::DEBUG,
        (false, true) => LevelFilter::WARN,
        (false, false) => LevelFilter::INFO,
    };
    // Libraries log much at these levels that is not useful here.
    let levels = Targets::new().with_default(LevelFilter::WARN).with_target("weir_switchd", level);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    let registry = tracing_subscriber::registry().with(levels);
    // This fails if a program that uses this crate has started to log already.
    let _ = match args.log_format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json()).try_init(),
    };
}
