//! The data plane: threads that move frames between ports through one switch.
//!
//! Each worker receives on sockets of its own, runs the program for a batch of frames to its end,
//! and sends on sockets of its own; the kernel spreads flows over workers. Tables are read without
//! locks. Packets that leave the fast path (multicast, clones, recirculation, queues with rates)
//! enter the switch, which one thread at a time may use. The first worker also does what is due at
//! a time: what waited in queues leaves, controllers get their messages.

mod carried;
mod clock;
mod counts;
mod engine;
mod outputs;
mod panics;
mod passing;
mod receiving;
mod shared;
mod trouble;
mod worker;

pub use clock::Clock;
pub use counts::PortCounts;
pub use engine::Engine;
pub use outputs::{Outputs, Sending};
pub use shared::Plane;
pub use worker::{Duty, Waiting, WorkerPorts, Workers};
