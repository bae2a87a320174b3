//! What happens to frames on the wire: delay that varies, loss, copies, changes of order, bits that flip.
//!
//! Each effect draws from a stream of its own, once a frame, so that switching one on or off changes no other.

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

/// How one direction of a link treats the frames that were sent. Nothing happens by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// What is added to each frame's delay.
    pub jitter: Jitter,
    /// Whether a frame that jitter delays less may overtake the one before it. If not, it arrives at the same time, after it.
    pub overtake: bool,
    /// Which frames do not arrive.
    pub loss: Loss,
    /// The probability from 0 to 1 that a frame which arrives does so twice; the copy comes at the same time, right behind.
    pub duplicate: f64,
    /// The probability from 0 to 1 that a frame is held, and for how many nanoseconds longer: those behind it pass meanwhile.
    pub reorder: Option<(f64, Nanos)>,
    /// The probability from 0 to 1 that one bit of a frame, any of its bits, arrives flipped.
    pub corrupt: f64,
    /// How much each frame's lot depends on the one before.
    pub correlation: Correlations,
}

/// How much the random number that decides an effect depends on the last such number, each from 0 (not at all) to 1 (it never changes):
/// as in netem, it is `correlation` times the last one and 1 - `correlation` times a new one. Such numbers crowd around their mean, so a
/// rare effect becomes rarer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correlations {
    /// Of [`Impairments::jitter`].
    pub jitter: f64,
    /// Of [`Loss::Random`]; other kinds of loss know bursts of their own.
    pub loss: f64,
    /// Of [`Impairments::duplicate`].
    pub duplicate: f64,
    /// Of [`Impairments::reorder`], and of netem's.
    pub reorder: f64,
    /// Of [`Impairments::corrupt`].
    pub corrupt: f64,
}

impl Impairments {
    /// # Errors
    /// A setting is out of its range.
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

/// What becomes of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameEffects {
    /// It does not arrive.
    pub(crate) lost: bool,
    /// Nanoseconds that it takes longer, or if negative less, than the delay.
    pub(crate) extra: i64,
    /// A copy arrives right behind it, unless it is lost.
    pub(crate) duplicated: bool,
    /// Order does not bind it: it may arrive before frames sent earlier, and those sent later before it.
    pub(crate) overtakes: bool,
    /// A bit of it is flipped: which, is for [`FrameEffects::corrupt`].
    corrupted: Option<u64>,
}

impl FrameEffects {
    /// Flips a bit of the frame, if one is to be.
    pub(crate) fn corrupt(&self, bytes: &mut [u8]) {
        if let Some(draw) = self.corrupted {
            let bit = ((u128::from(draw) * (bytes.len() as u128 * 8)) >> 64) as usize;
            if let Some(byte) = bytes.get_mut(bit / 8) {
                *byte ^= 1 << (bit % 8);
            }
        }
    }
}

/// A stream of random numbers that may depend on one another; see [`Correlations`].
#[derive(Clone, Debug)]
pub(crate) struct Correlated {
    random: Random,
    last: Option<f64>,
}

impl Correlated {
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Correlated { random: Random::new(seed, name), last: None }
    }

    /// From 0 up to, but not, 1.
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

/// The impairments of one direction, as they go.
#[derive(Clone, Debug)]
pub(crate) struct Impairer {
    config: Impairments,
    /// Nothing ever happens.
    inactive: bool,
    jitter: Correlated,
    loss: Correlated,
    duplicate: Correlated,
    reorder: Correlated,
    corrupt: Correlated,
    losses: Losses,
}

impl Impairer {
    /// `name` is that of the place, such as `link h1-eth0->s1-p1`.
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

    /// Other settings from the next frame on; the streams go on. A loss that changes counts frames anew and begins in the good state.
    pub(crate) fn set_config(&mut self, config: &Impairments) {
        if config.loss != self.config.loss {
            self.losses = Losses::default();
        }
        self.inactive = *config == Impairments::default();
        self.config = config.clone();
    }

    /// What becomes of the next frame.
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
