//! Measures how fast a program forwards packets from memory to memory, and what tables cost.
//!
//! - **Input:** a loaded switch with its entries, the form of the packets, the time to measure.
//! - **Output:** packets that are generated from the entries of the switch ([`workload`]); packets
//!   per second ([`measure`]); costs of synthetic tables ([`tables`]); programs with generated
//!   entries and packets, and a model of their cost ([`programs`]).
//! - **Contents:** generated workloads and the measurement. `benches/` holds hand-written loops
//!   that do the same work, for comparison.
//! - **Must never know:** how executors work, or what a program means.

pub mod measure;
pub mod programs;
pub mod tables;
pub mod workload;

pub use measure::{Endless, Measured, Repetition, measure};
pub use programs::{BENCHMARKS, Benchmark, benchmark};
pub use tables::{TABLES, TableFigures, measure_table};
pub use workload::{Shape, Workload, workload};
