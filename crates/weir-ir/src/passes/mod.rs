//! Passes: each turns a valid program into another with the same meaning, and validates the result.
//!
//! There are two, [`bind()`] and [`compose()`]. The compiler folds constants while it lowers, so a
//! pass for that would have no work.

mod bind;
mod compose;
mod remap;
mod sweep;
#[cfg(test)]
mod tests;

pub use bind::{BindError, BindGroup, ParamName, bind};
pub use compose::compose;
