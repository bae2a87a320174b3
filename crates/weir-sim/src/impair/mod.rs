//! Impairments of a link: jitter, loss, duplication, reordering, corruption.
//!
//! Each effect has its own random stream and draws once for each frame, so that turning one effect
//! on or off does not change another.

mod jitter;
mod loss;
#[cfg(test)]
mod tests;

use weir_device::Nanos;

pub use self::jitter::Jitter;
pub use self::loss::Loss;
use self::loss::Losses;
use crate::time::MAX_DURATION;
use crate::{Error, Random};

/// What one direction of a link does to frames; nothing by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// The random part of each frame's delay.
    pub jitter: Jitter,
    /// Whether a frame with less jitter may overtake the frame before it. If not, it arrives at the
    /// same time, after that frame.
    pub overtake: bool,
    /// Which frames are lost.
    pub loss: Loss,
    /// The probability from 0 to 1 that a delivered frame is duplicated. The duplicate arrives at
    /// the same time, directly after the original.
    pub duplicate: f64,
    /// The probability from 0 to 1 that a frame is delayed for additional nanoseconds, while later
    /// frames overtake it.
    pub reorder: Option<(f64, Nanos)>,
    /// The probability from 0 to 1 that one bit of a frame, chosen uniformly, is flipped.
    pub corrupt: f64,
    /// How much the effects on a frame depend on those on the frame before.
    pub correlation: Correlations,
}

/// The correlation of the random numbers that decide an effect, each from 0 (independent) to 1
/// (constant). As in netem, a number is `correlation` times the last one plus 1 - `correlation`
/// times a new one. Such numbers concentrate around their mean, so a rare effect becomes rarer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correlations {
    /// Of [`Impairments::jitter`].
    pub jitter: f64,
    /// Of [`Loss::Random`]; the other kinds of loss model bursts themselves.
    pub loss: f64,
    /// Of [`Impairments::duplicate`].
    pub duplicate: f64,
    /// Of [`Impairments::reorder`], and of netem's reordering.
    pub reorder: f64,
    /// Of [`Impairments::corrupt`].
    pub corrupt: f64,
}

impl Impairments {
    /// # Errors
    /// A setting is out of range.
    pub(crate) fn check(&self) -> Result<(), Error> {
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

fn bad(setting: &'static str, value: String, expected: &'static str) -> Result<(), Error> {
    Err(Error::BadLink { setting, value, expected })
}

fn probability(setting: &'static str, value: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    bad(setting, value.to_string(), "a probability from 0 to 1")
}

fn time(setting: &'static str, value: Nanos) -> Result<(), Error> {
    if value <= MAX_DURATION { Ok(()) } else { bad(setting, format!("{value} ns"), "at most 2^62 ns") }
}

/// The effects on one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameEffects {
    /// The frame is lost.
    pub(crate) lost: bool,
    /// Nanoseconds to add to the delay; may be negative.
    pub(crate) extra: i64,
    /// A duplicate arrives directly after the frame, unless the frame is lost.
    pub(crate) duplicated: bool,
    /// The frame may be reordered: it may arrive before frames sent earlier, and later frames
    /// before it.
    pub(crate) overtakes: bool,
    /// The random number that selects the bit to flip, if one is flipped; see
    /// [`FrameEffects::corrupt`].
    corrupted: Option<u64>,
}

impl FrameEffects {
    /// Flips a bit of the frame if these effects say so.
    pub(crate) fn corrupt(&self, bytes: &mut [u8]) {
        if let Some(draw) = self.corrupted {
            let bit = ((u128::from(draw) * (bytes.len() as u128 * 8)) >> 64) as usize;
            if let Some(byte) = bytes.get_mut(bit / 8) {
                *byte ^= 1 << (bit % 8);
            }
        }
    }
}

/// A random stream with optional correlation; see [`Correlations`].
#[derive(Clone, Debug)]
pub(crate) struct Correlated {
    random: Random,
    last: Option<f64>,
}

impl Correlated {
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Correlated { random: Random::new(seed, name), last: None }
    }

    /// A number in [0, 1).
    fn unit(&mut self, correlation: f64) -> f64 {
        if correlation == 0.0 {
            return self.random.unit();
        }
        let last = self.last.unwrap_or_else(|| self.random.unit());
        let next = (1.0 - correlation) * self.random.unit() + correlation * last;
        self.last = Some(next);
        next
    }

    pub(crate) fn chance(&mut self, probability: f64, correlation: f64) -> bool {
        self.unit(correlation) < probability
    }
}

/// The state of the impairments of one direction.
#[derive(Clone, Debug)]
pub(crate) struct Impairer {
    config: Impairments,
    /// Whether there are no effects at all.
    inactive: bool,
    jitter: Correlated,
    loss: Correlated,
    duplicate: Correlated,
    reorder: Correlated,
    corrupt: Correlated,
    losses: Losses,
}

impl Impairer {
    /// `name` is the name of the place, such as `link h1-eth0->s1-p1`.
    pub(crate) fn new(config: &Impairments, seed: u64, name: &str) -> Self {
        let stream = |effect| Correlated::new(seed, &format!("{name} {effect}"));
        Impairer {
            inactive: *config == Impairments::default(),
            config: config.clone(),
            jitter: stream("jitter"),
            loss: stream("loss"),
            duplicate: stream("duplicate"),
            reorder: stream("reorder"),
            corrupt: stream("corrupt"),
            losses: Losses::default(),
        }
    }

    /// Changes the settings from the next frame on. The random streams continue. A changed loss
    /// model starts in its initial state.
    pub(crate) fn set_config(&mut self, config: &Impairments) {
        if config.loss != self.config.loss {
            self.losses = Losses::default();
        }
        self.inactive = *config == Impairments::default();
        self.config = config.clone();
    }

    /// The effects on the next frame.
    pub(crate) fn next_effects(&mut self) -> FrameEffects {
        if self.inactive {
            return FrameEffects::default();
        }
        let Impairments { jitter, overtake, loss, duplicate, reorder, corrupt, correlation } = &self.config;
        let lost = self.losses.next(loss, &mut self.loss, correlation.loss);
        let mut extra = if correlation.jitter == 0.0 {
            jitter.draw(&mut self.jitter.random)
        } else {
            jitter.quantile(self.jitter.unit(correlation.jitter))
        };
        let duplicated = *duplicate > 0.0 && self.duplicate.chance(*duplicate, correlation.duplicate);
        let mut overtakes = *overtake;
        if let Some((share, by)) = *reorder
            && self.reorder.chance(share, correlation.reorder)
        {
            extra = extra.saturating_add(by as i64);
            overtakes = true;
        }
        let corrupted = (*corrupt > 0.0 && self.corrupt.chance(*corrupt, correlation.corrupt))
            .then(|| self.corrupt.random.next_u64());
        FrameEffects { lost, extra, duplicated, overtakes, corrupted }
    }
}
