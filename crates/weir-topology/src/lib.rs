//! Topologies as people write them: hosts, switches and links.
//!
//! - **Input:** the text of the public P4 tutorials' `topology.json` or of p4-utils'
//!   `p4app.json`, or single values of a topology that is built by hand: addresses, node names,
//!   ends of links, host commands.
//! - **Output:** a [`Topology`] with typed values; an [`Index`] that finds its parts and refuses
//!   duplicates; the output of `ip` about a host ([`show`]); or a diagnostic with file, line,
//!   column, JSON path, what was expected, and the nearest right spelling.
//! - **Asks the caller:** which files exist ([`FileSystem`]), whether a line of `tc` is understood
//!   ([`CheckTc`]), and what the network would refuse ([`NetworkRules`]).
//! - **Independent of:** the file system, Python, the simulator, the switch, P4.

pub mod address;
pub mod commands;
pub mod end;
mod error;
mod files;
pub mod host;
mod index;
mod mac;
pub mod name;
mod named_file;
mod p4app;
pub mod quantity;
mod queue_rate;
mod read;
mod rules;
pub mod show;
mod text;
mod topology;

pub use address::HostAddress;
pub use commands::CheckTc;
pub use end::End;
pub use error::Error;
pub use files::{FileSystem, Files};
pub use host::{Host, HostProgram, Interface, Neighbour, Route};
pub use index::Index;
pub use mac::Mac;
pub use name::{Node, Nodes};
pub use queue_rate::QueueRate;
pub use read::read;
pub use rules::NetworkRules;
pub use topology::{Link, Switch, Topology};
