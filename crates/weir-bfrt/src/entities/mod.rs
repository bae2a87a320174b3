//! Reads and changes the state of a switch as tables of BfRt.

mod attributes;
mod cells;
mod device;
mod engine;
mod filters;
mod generators;
mod hashes;
mod masks;
mod match_tables;
mod messages;
mod ports;
mod profiles;
mod query;
mod read;
mod read_entries;
mod read_tables;
mod replication;
mod target;
mod value_sets;
mod write;
mod writer;

pub use messages::{active_keys, digest, idle_key, port_key};
pub use read::{ReadLimits, Reads, read};
pub use target::PIPE;
pub use write::{Writes, write};
pub use writer::Outcome;
