//! What a wire does to frames beside carrying them: jitter, loss, copies, another order.

use std::sync::Arc;

use weir_switch::Nanos;

use crate::{Error, Random};

use super::LONGEST;

/// Additional delay, drawn for each frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Jitter {
    /// None.
    #[default]
    None,
    /// Uniform from 0 to this many nanoseconds, both included.
    Uniform(Nanos),
    /// Normal around 0; what would come before the link's delay is over comes then.
    Normal {
        /// Standard deviation in nanoseconds.
        sigma: Nanos,
    },
    /// Exponential.
    Exponential {
        /// Mean in nanoseconds.
        mean: Nanos,
    },
    /// Pareto, from `scale` on.
    Pareto {
        /// The least, in nanoseconds.
        scale: Nanos,
        /// The tail's exponent, above 0.
        shape: f64,
    },
    /// One of these times in nanoseconds, each as likely.
    Table(Arc<[Nanos]>),
}

/// Which frames do not arrive.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Loss {
    /// All arrive.
    #[default]
    None,
    /// Each is lost with this probability from 0 to 1, whatever happens to others.
    Random(f64),
    /// Two states, and a probability to be lost in each (Gilbert 1960, Elliott 1963).
    GilbertElliott {
        /// Probability to enter the bad state before a frame.
        enter: f64,
        /// Probability to leave the bad state before a frame.
        leave: f64,
        /// Probability of loss in the good state.
        good: f64,
        /// Probability of loss in the bad state.
        bad: f64,
    },
    /// The n-th, 2n-th, … frame is lost.
    Every(u64),
    /// The frames of these numbers are lost, counted from 0, ascending.
    Frames(Arc<[u64]>),
}

/// What a wire does to frames; all of it is drawn when a frame's sending begins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// Additional delay.
    pub jitter: Jitter,
    /// Whether a frame of less jitter may overtake one of more. Otherwise one that would arrives at the same time as the one before it,
    /// after it.
    pub overtake: bool,
    /// Which frames are lost. They take their time on the wire all the same.
    pub loss: Loss,
    /// Probability from 0 to 1 that a frame arrives twice, one right behind the other.
    pub duplicate: f64,
    /// Probability from 0 to 1 that a frame takes so many nanoseconds longer, in which others may overtake it.
    pub reorder: Option<(f64, Nanos)>,
}

impl Impairments {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let bad = |setting, value: String, expected| Err(Error::BadLink { setting, value, expected });
        match &self.jitter {
            Jitter::None => {}
            Jitter::Uniform(most) if *most <= LONGEST => {}
            Jitter::Uniform(most) => return bad("jitter", format!("{most} ns"), "at most 2^62 ns"),
            other => return bad("jitter", format!("{other:?}"), "none or uniform: others are not built yet"),
        }
        match &self.loss {
            Loss::None => {}
            Loss::Random(probability) if (0.0..=1.0).contains(probability) => {}
            Loss::Random(other) => return bad("loss", other.to_string(), "a probability from 0 to 1"),
            other => return bad("loss", format!("{other:?}"), "none or random: others are not built yet"),
        }
        if self.duplicate != 0.0 {
            return bad("duplicate", self.duplicate.to_string(), "0: duplication is not built yet");
        }
        if let Some((probability, by)) = self.reorder {
            let value = format!("{probability} by {by} ns");
            return bad("reorder", value, "none: reordering is not built yet");
        }
        Ok(())
    }
}

/// What happens to one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Struck {
    /// It does not arrive.
    pub(crate) lost: bool,
    /// It takes so much longer.
    pub(crate) extra: Nanos,
    /// It arrives twice.
    pub(crate) twin: bool,
    /// It may arrive before frames that were sent before it, and does not hold up those behind it.
    pub(crate) overtakes: bool,
}

/// The impairments of one direction of a link at work.
pub(crate) struct Impair {
    config: Impairments,
    jitter: Random,
    loss: Random,
}

impl Impair {
    /// Each effect draws from a stream of its own: `name`, and what it is.
    pub(crate) fn new(config: &Impairments, seed: u64, name: &str) -> Self {
        let stream = |effect: &str| Random::new(seed, &format!("{name} {effect}"));
        Impair { config: config.clone(), jitter: stream("jitter"), loss: stream("loss") }
    }

    /// Other settings from now on; the streams go on.
    pub(crate) fn set_config(&mut self, config: &Impairments) {
        self.config = config.clone();
    }

    /// What happens to the next frame.
    pub(crate) fn strike(&mut self) -> Struck {
        let extra = match self.config.jitter {
            Jitter::Uniform(most) if most > 0 => self.jitter.up_to(most),
            _ => 0,
        };
        let lost = match self.config.loss {
            Loss::Random(probability) => self.loss.chance(probability),
            _ => false,
        };
        Struck { lost, extra, twin: false, overtakes: self.config.overtake }
    }
}
