//! What network cards and the kernel do to frames that leave, as pure functions.

mod checksum;
mod segment;
mod wire;

pub use checksum::{Malformed, complete, internet_sum};
pub use segment::segment;
pub use wire::for_interface;
