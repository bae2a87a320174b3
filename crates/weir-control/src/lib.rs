//! Reads and writes control requests in the form that people use: with names, with values as text,
//! and in documents.
//!
//! - **Input:** control-plane names (in full, or a unique ending after a dot),
//!   values such as `10.0.1.0/24`, the public P4 tutorials' runtime JSON, runtime commands.
//! - **Output:** ids and [`Update`](weir_switch::control::Update)s for a switch; its entries and
//!   errors with names; text to print. The error for a wrong name suggests the nearest right one.
//! - **Independent of:** files, networks, Python, gRPC. Front ends use this crate. A server of a
//!   protocol with its own ids, such as P4Runtime, uses `weir-switch` directly; a client of such a
//!   protocol implements [`Controlled`], so that front ends can use it like a switch.

mod cells;
pub mod commands;
mod controlled;
mod entry;
mod error;
mod explain;
pub mod field_text;
pub mod listing;
pub mod matching;
mod meter_rates;
mod names;
pub mod runtime_json;
pub mod value;

pub use controlled::Controlled;
pub use entry::{MAX_PRIORITY, priority_range_message};
pub use error::Error;
pub use explain::{check_ports, port_too_large};
pub use names::{Cells, Names, resolve};
