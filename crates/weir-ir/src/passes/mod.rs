//! Passes: each turns a valid program into another with the same meaning, and validates the result.
//!
//! There are three passes, [`bind()`], [`compose()`] and [`expand_cell_calls()`], and [`rewrite()`]
//! for the passes of architectures. No pass folds constants, because the compiler folds them while
//! it lowers.

mod bind;
mod cell_calls;
mod compose;
mod remap;
mod rewrite;
mod sweep;
#[cfg(test)]
mod tests;

pub use bind::{BindError, BindGroup, ParamName, bind};
pub use cell_calls::{CellCall, expand_cell_calls};
pub use compose::compose;
pub use rewrite::{rewrite, rewrite_block, rewrite_parser};
