//! The bindings: the rooms of Weir as the Python module `weir._core`.
//!
//! - **Comes in:** calls from the package `python/weir`, with file names, texts and plain values.
//! - **Goes out:** plain values, and the exceptions of `weir.errors` with messages that are ready
//!   to print.
//! - **Holds:** what needs files or Python: an include path's loader, captures' files, letting go
//!   of the interpreter lock in long runs.
//! - **Must never know:** anything that a room knows. It converts and hands on; a decision made
//!   here is in the wrong place.

mod bench;
mod capture;
mod cells;
mod commands;
mod control;
mod errors;
mod executor;
mod loader;
mod network;
mod profiles;
mod program;
mod replication;
mod stages;
mod step;
mod straight;
mod suggest;
mod switch;
mod topology;
mod value;

use pyo3::prelude::*;

/// Of what Rust allocates; Python and other libraries have their own (decision 21).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The Rust core of Weir. Use the package around it: these names may change.
#[pymodule]
mod _core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::bench::Bench;
    #[pymodule_export]
    use super::capture::read_capture;
    #[pymodule_export]
    use super::commands::{Commands, runtime_commands, unsupported_commands, whole_number, wide_number};
    #[pymodule_export]
    use super::control::{Entry, Target, value_in, value_out};
    #[pymodule_export]
    use super::network::{
        Account, Host, Interface, Link, Mailbox, Network, Qdisc, Sampler, Sockets, Traffic, Watch,
        check_filter, profiles, trace_kinds,
    };
    #[pymodule_export]
    use super::program::{ActionInfo, Diagnostic, Program, TableInfo, check, compile, ir, ir_stages};

    #[pymodule_export]
    use super::stages::compile_stages;
    #[pymodule_export]
    use super::step::Step;
    #[pymodule_export]
    use super::straight::{Measured, Straight, TableFigures, table_figures, table_names};
    #[pymodule_export]
    use super::suggest::nearest;
    #[pymodule_export]
    use super::switch::Switch;
    #[pymodule_export]
    use super::topology::{
        check_addresses, check_free, check_host, check_name, check_switch_port, check_two_nodes,
        host_address, host_address6, host_command, host_mac, interface_towards, ip_address, ipv4_address,
        ipv6_address, mac_address, next_mac, read_end, read_topology,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        for (name, limit) in super::topology::LIMITS {
            module.add(name, limit)?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
