//! What network cards and the kernel do to frames that leave, as pure functions.

mod checksum;
mod inferred;
mod network;
mod segment;
mod wire;

pub use checksum::{Malformed, complete, internet_sum};
pub use inferred::inferred;
pub use network::network_start;
pub use segment::Segments;
pub use wire::{WireSize, for_interface, wire_size};
