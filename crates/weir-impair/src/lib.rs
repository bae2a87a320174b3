//! Random effects of links on frames: jitter, loss, duplication, reordering, corruption. Links of
//! virtual networks and links between real interfaces use the same models and the same random
//! streams.
//!
//! - **Input:** settings ([`Impairments`]), a seed and the name of a place.
//! - **Output:** the effects on each frame ([`FrameEffects`]), which are the same on every machine
//!   for the same seed and name; seeded random streams ([`Random`]) and distributions ([`math`]).
//! - **Independent of:** frames' contents, queues, rates, clocks.

mod check;
mod correlated;
mod impairer;
mod impairments;
mod jitter;
mod loss;
pub mod math;
mod random;
#[cfg(test)]
mod tests;

pub use check::{MAX_DURATION, OutOfRange};
pub use correlated::Correlated;
pub use impairer::{FrameEffects, Impairer};
pub use impairments::{Correlations, Impairments};
pub use jitter::Jitter;
pub use loss::Loss;
pub use random::Random;
