//! `weir-link`: links between real interfaces.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(weir_link::run(std::env::args_os()))
}
