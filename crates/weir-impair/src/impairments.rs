//! The settings of one direction of a link.

use weir_device::Nanos;

use crate::check::{probability, time};
use crate::{Jitter, Loss, OutOfRange};

/// The effects of one direction of a link on frames; none by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// The random addition to each frame's delay.
    pub jitter: Jitter,
    /// Whether a frame with less jitter may overtake the previous frame. If not, both frames arrive
    /// at the same time, in the order in which they were sent.
    pub overtake: bool,
    /// The frames that are lost.
    pub loss: Loss,
    /// The probability from 0 to 1 that a delivered frame is duplicated. The duplicate arrives at
    /// the same time, directly after the original.
    pub duplicate: f64,
    /// The probability from 0 to 1 that a frame is delayed for additional nanoseconds, while later
    /// frames overtake it.
    pub reorder: Option<(f64, Nanos)>,
    /// The probability from 0 to 1 that one bit of a frame, chosen uniformly, is flipped.
    pub corrupt: f64,
    /// The correlation between the effects on a frame and those on the previous frame.
    pub correlation: Correlations,
}

/// The correlation between successive random numbers of each effect, from 0 (independent) to 1
/// (constant). As in netem, each number is `correlation` times the last number plus (1 -
/// `correlation`) times a new one. Such numbers concentrate around their mean, so a rare effect
/// becomes rarer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correlations {
    /// The correlation of [`Impairments::jitter`].
    pub jitter: f64,
    /// The correlation of [`Loss::Random`]. The other loss models define bursts by their own
    /// parameters.
    pub loss: f64,
    /// The correlation of [`Impairments::duplicate`].
    pub duplicate: f64,
    /// The correlation of [`Impairments::reorder`], and of netem's reordering.
    pub reorder: f64,
    /// The correlation of [`Impairments::corrupt`].
    pub corrupt: f64,
}

impl Impairments {
    /// Checks that all settings are in range.
    ///
    /// # Errors
    /// A setting is out of range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        self.jitter.check()?;
        self.loss.check()?;
        probability("duplicate", self.duplicate)?;
        probability("corrupt", self.corrupt)?;
        let Correlations { jitter, loss, duplicate, reorder, corrupt } = self.correlation;
        for correlation in [jitter, loss, duplicate, reorder, corrupt] {
            probability("correlation", correlation)?;
        }
        if let Some((share, by)) = self.reorder {
            probability("reorder", share)?;
            time("reorder", by)?;
        }
        Ok(())
    }
}
