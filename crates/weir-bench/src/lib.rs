//! How fast a program carries packets from memory to memory.
//!
//! - **Comes in:** a loaded switch with its entries, what the packets look like, how long to measure.
//! - **Goes out:** flows drawn from the switch's entries ([`workload`]), packets and seconds ([`measure`]).
//! - **Holds:** the making of load and the clock around it. `benches/` holds hand-written loops that do the same work, to compare with.
//! - **Must never know:** how executors and tables work, or what a program means.

pub mod measure;
pub mod workload;

pub use measure::{Measured, measure};
pub use workload::{Shape, Workload, workload};
