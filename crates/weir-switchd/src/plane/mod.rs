//! The data plane: threads that move frames between ports through one switch.
//!
//! Each worker receives on its own sockets, runs the program to its end for a batch of frames, and
//! sends on its own sockets; the kernel spreads flows over workers. Tables are read without locks.
//! Packets that need more than the fast path (multicast, clones, recirculation, queues with rates)
//! enter the switch, which only one thread at a time may use. The first worker also does timed
//! work: it sends packets that waited in queues, and messages to controllers.

mod clock;
mod counts;
mod engine;
mod frame_offload;
mod loops;
mod offload_rules;
mod outputs;
mod panics;
mod port_errors;
mod receiving;
mod shared;
mod worker;

pub use clock::Clock;
pub use counts::PortCounts;
pub use engine::Engine;
pub use outputs::{Outputs, SendingPort};
pub use port_errors::warn_of_claim;
pub use shared::Plane;
pub use worker::{Waiting, WorkerPorts, WorkerSpec, Workers};
