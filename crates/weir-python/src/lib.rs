//! The Python bindings: the Rust crates of Weir as the Python module `weir._core`.
//!
//! - **Input:** calls from the package `python/weir`, with file names, text and plain values.
//! - **Output:** plain values, and the exceptions of `weir.errors` with messages that are ready to
//!   print.
//! - **Contains:** the code that needs files or Python: loading included files, reading captures,
//!   and releasing the interpreter lock during long runs.
//! - **Must not contain:** logic that belongs to another crate. The bindings only convert values
//!   and forward calls; they make no decisions.

mod allocator;
mod bench_switch;
mod bfrt_client;
mod bfrt_server;
mod build_info;
mod capture;
mod cells;
mod commands;
mod control;
mod declarations;
mod dissector;
mod errors;
mod files;
mod journey;
mod locks;
mod messages;
mod named_value;
mod network;
mod own_externs;
mod p4runtime_client;
mod profiles;
mod program;
mod record;
mod replication;
#[cfg(target_os = "linux")]
mod service;
#[cfg(target_os = "linux")]
mod service_command;
mod signals;
mod stages;
mod step;
mod stf;
mod suggest;
mod switch;
mod test_switch;
mod timing_profiles;
mod topology;
mod topology_index;
mod topology_parts;
mod topology_rules;
mod units;
mod value;

use pyo3::prelude::*;

/// The Rust core of Weir. Use the package `weir` instead: the names in this module may change.
#[pymodule]
mod _core {
    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use super::bfrt_client::BfrtClient;
    #[pymodule_export]
    use super::bfrt_server::BfrtServer;
    #[pymodule_export]
    use super::build_info::build_info;
    #[pymodule_export]
    use super::capture::read_capture;
    #[pymodule_export]
    use super::cells::Crc;
    #[pymodule_export]
    use super::commands::{CommandInfo, Commands, runtime_commands, unsupported_commands};
    #[pymodule_export]
    use super::control::{Entry, EntryAction, EntryTarget, Target, format_value_bytes, read_value_bytes};
    #[pymodule_export]
    use super::declarations::{
        ActionInfo, CallInfo, Declarations, KeyInfo, ObjectInfo, ParamInfo, ProfileInfo, TableInfo,
        ValueSetInfo,
    };
    #[pymodule_export]
    use super::dissector::dissector;
    #[pymodule_export]
    use super::files::is_opened_by_caller;
    #[pymodule_export]
    use super::journey::{Choice, Header, Journey, Journeys, Output, TraceWriter};
    #[pymodule_export]
    use super::messages::{Digest, IdleEntry, LogLine};
    #[pymodule_export]
    use super::named_value::Value;
    #[pymodule_export]
    use super::network::{
        Account, Drop, Exchange, Host, InFlight, Interface, Link, Loop, LossCounts, Mailbox, Misses, Network,
        P4RuntimeServer, PingReply, Qdisc, RepeatingDevice, Repeats, Sampler, SocketEvent, Sockets, Traffic,
        Waiting, Watch, icmp_error, trace_kinds,
    };
    #[pymodule_export]
    use super::own_externs::OutArgument;
    #[pymodule_export]
    use super::p4runtime_client::{P4RuntimeClient, P4RuntimeProgram};
    #[pymodule_export]
    use super::profiles::{GroupMember, Member};
    #[pymodule_export]
    use super::program::{Diagnostic, Label, Program, Suggestion, check, compile, preprocess, targets};
    #[pymodule_export]
    use super::replication::{CloneSession, Queue, Replica};
    #[pymodule_export]
    use super::test_switch::TestSwitch;

    #[pymodule_export]
    use super::bench_switch::{BenchSwitch, Measured, TableFigures, table_figures, table_names};
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use super::service::{run_link, run_switch};
    #[cfg(target_os = "linux")]
    #[pymodule_export]
    use super::service_command::{service_command, service_help};
    #[pymodule_export]
    use super::stages::{compile_stages, ir, ir_stages};
    #[pymodule_export]
    use super::step::{HitEntry, Place, Step};
    #[pymodule_export]
    use super::stf::{Difference, FailedLine, TestOutcome, group_hex, read_hex, run_test};
    #[pymodule_export]
    use super::suggest::nearest;
    #[pymodule_export]
    use super::switch::Switch;
    #[pymodule_export]
    use super::timing_profiles::{check_profile, profiles};
    #[pymodule_export]
    use super::topology::{
        check_switch_port, host_address, host_address6, host_command, host_mac, interface_towards,
        ip_address, ipv4_address, ipv6_address, mac_address, queue_rate, read_topology, towards_gateway,
    };
    #[pymodule_export]
    use super::topology_index::TopologyIndex;
    #[pymodule_export]
    use super::topology_parts::{
        Endpoint, HostAddress, HostState, InterfaceState, NeighbourState, ProgramState, Route,
    };
    #[pymodule_export]
    use super::units::{
        format_rate, format_share, format_size, format_time, packets, queue_limit, rate_bps, share,
        size_bytes, time_ns,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("DEFAULT_RATE_BPS", super::topology::DEFAULT_RATE_BPS)?;
        module.add("MAX_SAMPLES", weir_sim::MAX_SAMPLES)?;
        module.add("NO_ROUTE", super::network::NO_ROUTE)?;
        for (name, limit) in super::topology::LIMITS {
            module.add(name, limit)?;
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
