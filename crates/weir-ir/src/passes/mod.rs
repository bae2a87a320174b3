//! Passes: each turns a valid program into another with the same meaning, and validates the result.
//!
//! There are two passes, [`bind()`] and [`compose()`]. No pass folds constants, because the
//! compiler folds them while it lowers.

mod bind;
mod compose;
mod remap;
mod sweep;
#[cfg(test)]
mod tests;

pub use bind::{BindError, BindGroup, ParamName, bind};
pub use compose::compose;
