//! A computer on which all nodes of a network run: its processors are shared.

mod config;
mod interruptions;
mod scheduler;

pub use config::{ComputerConfig, Cost};
pub(crate) use scheduler::{Scheduler, ThreadId};
