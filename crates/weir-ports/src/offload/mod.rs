//! The offloads of network cards and the kernel for frames that leave, as pure functions.

mod bytes;
mod checksum;
mod inferred;
mod network;
mod segment;
mod tunnel;
mod wire;

pub use bytes::internet_sum;
pub use checksum::{Malformed, complete};
pub use inferred::infer_checksum;
pub use network::{network_before, network_start};
pub use segment::Segments;
pub use wire::{WireSize, for_interface, wire_size};
