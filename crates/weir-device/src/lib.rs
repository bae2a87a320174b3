//! The device contract: the interface between a device with ports and the world that drives it.
//!
//! - **Input:** frames with the port and the time of their arrival; calls at the times that the
//!   device requested.
//! - **Output:** frames with the port and the time of their departure, drops with reasons, a
//!   packet account.
//! - **Contents:** the [`Device`] trait and the types of its methods. The world may be a simulator
//!   with a virtual clock or a loop over real interfaces. Both sides [`prefetch`] memory.
//! - **Independent of:** P4, switches, links, hosts, clocks: time is an argument.

mod buffer;
mod carried_offload;
mod device;
mod packet;
mod prefetch;

pub use buffer::{Buffer, ForwardingMetadata, HEADROOM, recycle};
pub use carried_offload::{CarriedGso, CarriedOffload};
pub use device::{Device, Drop, FailedLookups, PacketAccount, ReceiveOutcome, Transmission};
pub use packet::Packet;
pub use prefetch::{prefetch, prefetch_start};

/// A point or a span of time in nanoseconds. Points in time are counted from the start of the world
/// that the device belongs to.
pub type Nanos = u64;

/// The number of a data-plane port, as the P4 program sees it.
pub type Port = u32;
