//! The passive switch: a P4 program with ports, queues, tables and externs around it.
//!
//! - **Input:** an [`Executor`](weir_exec::Executor) made for a program, packets with the time
//!   of their arrival, control requests.
//! - **Output:** packets with the time of their departure, drops with their reasons, answers to
//!   control requests.
//! - **Contents:** packets, architectures (the meaning of a package's blocks, and the packet's path
//!   between them), externs, the traffic manager, the control interface, and the ids and names of a
//!   program's objects in P4Runtime.
//! - **Independent of:** P4 syntax, how an executor works, links, hosts, the current time (time is
//!   an argument).
//!
//! ```text
//! compiler ─▶ Program ─▶ arch::bind ─▶ Executor ─▶ Switch::new ─▶ Device (packets) + control (tables, counters, …)
//! ```

pub mod arch;
mod choice;
pub mod config;
pub mod control;
mod error;
mod externs;
mod generators;
mod own_externs;
pub mod p4info;
mod packet;
mod path;
mod state;
pub mod stats;
mod switch;
mod tables;
pub mod trace;
mod traffic_manager;
pub mod whole_frames;

pub use choice::Choice;
pub use config::{Rate, SwitchConfig};
pub use error::{LoadError, LoadErrorKind, LoadWarning, Place};
pub use own_externs::{CallFailed, OwnArg, OwnCallee, OwnCode, OwnExterns, OwnOutput, OwnType};
pub use stats::{PortCounts, PortStats, Stats};
pub use switch::{Switch, UnfinishedPacket, Worker};
