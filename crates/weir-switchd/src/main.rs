//! `weir-switchd`: a switch between real interfaces, as a service.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(weir_switchd::run(std::env::args_os()))
}
