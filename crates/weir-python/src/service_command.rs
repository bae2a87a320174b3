//! What the command lines of `weir switch` and `weir link` accept, for manual pages, completion and
//! the documentation's page of commands.

use clap::{Arg, Command, ValueHint};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An option, or an argument, which has no names: its names; the name of its value, if it
/// takes one; its help; the values that it knows; and whether its value is a path.
type Described = (Vec<String>, Option<String>, String, Vec<String>, bool);

/// Returns what the command does, and its options and arguments.
#[pyfunction]
pub fn service_command(name: &str) -> PyResult<(String, Vec<Described>)> {
    let command = built(name)?;
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string);
    Ok((about.unwrap_or_default(), command.get_arguments().map(describe).collect()))
}

/// Returns the text that `--help` prints, in lines of at most `width` characters.
#[pyfunction]
pub fn service_help(name: &str, width: usize) -> PyResult<String> {
    Ok(built(name)?.term_width(width).render_long_help().to_string())
}

fn built(name: &str) -> PyResult<Command> {
    let mut command = match name {
        "switch" => weir_switchd::command(),
        "link" => weir_link::command(),
        _ => return Err(PyValueError::new_err(format!("no service is called {name}"))),
    }
    .bin_name(format!("weir {name}"));
    command.build();
    Ok(command)
}

fn describe(arg: &Arg) -> Described {
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let takes_value = arg.get_action().takes_values();
    let value = takes_value.then(|| {
        let names = arg.get_value_names().unwrap_or_default();
        let joined = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ");
        let optional = arg.get_num_args().is_some_and(|number| number.min_values() == 0);
        if optional { format!("[{joined}]") } else { joined }
    });
    let choices = if takes_value { arg.get_possible_values() } else { Vec::new() };
    let mut help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let explained: Vec<_> = choices
        .iter()
        .filter_map(|one| one.get_help().map(|help| format!("{}: {help}", one.get_name())))
        .collect();
    if !explained.is_empty() {
        help += &format!(" ({})", explained.join("; "));
    }
    let defaults: Vec<_> = arg.get_default_values().iter().map(|one| one.to_string_lossy()).collect();
    if takes_value && !defaults.is_empty() {
        help += &format!(" [default: {}]", defaults.join(" "));
    }
    let choices = choices.iter().map(|one| one.get_name().to_owned()).collect();
    let is_path = takes_value && arg.get_value_hint() == ValueHint::AnyPath;
    (short.into_iter().chain(long).collect(), value, help, choices, is_path)
}
