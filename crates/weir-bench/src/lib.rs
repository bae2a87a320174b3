//! How fast a program carries packets from memory to memory, and what tables cost.
//!
//! - **Comes in:** a loaded switch with its entries, what the packets look like, how long to measure.
//! - **Goes out:** flows drawn from the switch's entries ([`workload`]), packets and seconds ([`measure`]); what made-up tables cost ([`tables`]);
//!   programs with entries and packets made for them, and what they should cost ([`programs`]).
//! - **Holds:** the making of load and the clock around it. `benches/` holds hand-written loops that do the same work, to compare with.
//! - **Must never know:** how executors work, or what a program means.

pub mod measure;
pub mod programs;
pub mod tables;
pub mod workload;

pub use measure::{Measured, measure};
pub use programs::{BENCHMARKS, Benchmark, benchmark};
pub use tables::{TABLES, TableFigures, measure_table};
pub use workload::{Shape, Workload, workload};
