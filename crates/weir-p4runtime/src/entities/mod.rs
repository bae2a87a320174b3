//! Reads and changes the state of a switch through P4Runtime's messages (specification, "P4 Entity
//! Messages").

mod action_sets;
mod actions;
mod cells;
mod digests;
mod explain;
mod matches;
mod messages;
mod packets;
mod profiles;
mod rates;
mod read;
mod read_cells;
mod read_profiles;
mod read_replication;
mod read_tables;
mod replication;
mod table_entries;
mod value_sets;
mod weights;
mod write;
mod writer;

pub use messages::{digest, idle_entry};
pub use packets::{packet_in, packet_out};
pub use read::{ReadLimits, read};
pub use replication::copiers;
pub(crate) use write::attempt;
pub use write::write;
pub use writer::{PACKET_REPLICATION, object_of};
