//! Whether a discipline has an effect where it is set.

use super::{FqConfig, QdiscConfig};

/// A reason why a discipline has no effect in a queue of real frames.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEffect {
    /// No frame ever waits, because there is no rate and the discipline does not shape.
    #[error("without a rate no frame waits, so \"{0}\" has no effect")]
    NoRate(String),
    /// FQ's horizon needs departure times, which only senders know.
    #[error(
        "fq's horizon has no effect: frames at an interface no longer carry the departure times that their \
         senders set"
    )]
    Horizon,
}

impl QdiscConfig {
    /// Checks that the discipline has an effect on frames without departure times, in a queue that
    /// drains at a rate or at once.
    ///
    /// # Errors
    /// The discipline, or a setting, has no effect.
    pub fn check_effect(&self, has_rate: bool) -> Result<(), NoEffect> {
        if !has_rate && !self.delays_frames() {
            return Err(NoEffect::NoRate(self.to_string()));
        }
        let usual = FqConfig::default().horizon;
        if self.any_discipline(&|own| matches!(own, QdiscConfig::Fq(fq) if fq.horizon != usual)) {
            return Err(NoEffect::Horizon);
        }
        Ok(())
    }
}
