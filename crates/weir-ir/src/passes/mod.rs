//! Passes: each turns a valid program into another with the same meaning, and validates the result.
//!
//! There is one, [`bind()`]. The compiler computes constants while it lowers, so a pass for them
//! finds nothing to do.

mod bind;
mod remap;
mod sweep;
#[cfg(test)]
mod tests;

pub use bind::{BindError, BindGroup, ParamName, bind};
