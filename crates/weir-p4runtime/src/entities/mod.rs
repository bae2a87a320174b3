//! Reading and changing what a switch holds, in P4Runtime's messages (specification, "P4 Entity
//! Messages").

mod action_sets;
mod actions;
mod explain;
mod matches;
mod packets;
mod rates;
mod read;
mod read_tables;
mod table_entries;
mod weights;
mod write;
mod writer;

pub use packets::{packet_in, packet_out};
pub use read::read;
pub use write::write;
pub use writer::PACKET_REPLICATION;
