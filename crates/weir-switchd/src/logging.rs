//! The level and the form of log lines.

use weir_log::LevelFilter;

use crate::args::{Args, LogFormat};

/// Writes log lines to standard error from now on.
pub fn start_logging(args: &Args) {
    let level = match (args.verbose, args.quiet) {
        (true, _) => LevelFilter::DEBUG,
        (false, true) => LevelFilter::WARN,
        (false, false) => LevelFilter::INFO,
    };
    weir_log::start_logging("weir_switchd", level, matches!(args.log_format, LogFormat::Json));
}
