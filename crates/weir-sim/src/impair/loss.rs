//! Which frames are lost.

use std::sync::Arc;

use super::{Correlated, bad, probability};
use crate::Error;

/// Which frames are lost on the wire. Each takes its time to be sent all the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Loss {
    /// None.
    #[default]
    None,
    /// Each with this probability from 0 to 1, whatever became of others.
    Random(f64),
    /// Bursts: a chain of a good and a bad state (Gilbert 1960, Elliott 1963), one step a frame, good at first. A frame is lost by the
    /// probability of the state it finds. The bad state lasts 1 / leave frames in the mean.
    GilbertElliott {
        /// The probability of a step from good to bad.
        enter: f64,
        /// The probability of a step from bad to good.
        leave: f64,
        /// The probability of loss in the good state; Gilbert's model has 0.
        good: f64,
        /// The probability of loss in the bad state.
        bad: f64,
    },
    /// netem's `loss state`: a Markov chain over good and bad times, in which frames may be lost one by one and bursts may have gaps
    /// (S. Salsano, F. Ludovici, A. Ordine 2009). Each frame takes a step and is lost if it ends in one of the two states of loss.
    FourState {
        /// The probability of a step from good times to a burst of losses.
        p13: f64,
        /// The probability of a step from a burst of losses back to good times.
        p31: f64,
        /// The probability of a step from a burst of losses to a gap within it.
        p32: f64,
        /// The probability of a step from such a gap back to losses.
        p23: f64,
        /// The probability of a single loss in good times, with the next frame not lost.
        p14: f64,
    },
    /// Every n-th frame: n, 2n, 3n, … counted from 1.
    Every(u64),
    /// The frames of these numbers, counted from 1, ascending.
    Frames(Arc<[u64]>),
}

impl Loss {
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Loss::None => Ok(()),
            Loss::Random(share) => probability("loss", *share),
            Loss::GilbertElliott { enter, leave, good, bad } => {
                [enter, leave, good, bad].into_iter().try_for_each(|share| probability("loss", *share))
            }
            Loss::FourState { p13, p31, p32, p23, p14 } => {
                [p13, p31, p32, p23, p14].into_iter().try_for_each(|share| probability("loss", *share))?;
                if p13 + p14 <= 1.0 && p31 + p32 <= 1.0 {
                    return Ok(());
                }
                let value = format!("p13 {p13} + p14 {p14}, p31 {p31} + p32 {p32}");
                bad("loss", value, "ways out of one state that add up to 1 or less")
            }
            Loss::Every(0) => bad("loss", "every 0th frame".into(), "every 1st (all), 2nd, 3rd, …"),
            Loss::Every(_) => Ok(()),
            Loss::Frames(numbers) => {
                let ascending = numbers.windows(2).all(|pair| pair[0] < pair[1]);
                if ascending && numbers.first() != Some(&0) {
                    return Ok(());
                }
                bad("loss", format!("frames {numbers:?}"), "numbers from 1 on, in ascending order")
            }
        }
    }
}

/// Where a loss stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    /// Of the chains: the good state, a gap in a burst, losses in a burst, a loss by itself.
    state: State,
    /// Frames so far, since the loss was set.
    seen: u64,
    /// How many of [`Loss::Frames`] are behind.
    passed: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Good,
    Gap,
    Bad,
    Single,
}

impl Losses {
    /// Whether the next frame is lost.
    pub(super) fn next(&mut self, loss: &Loss, random: &mut Correlated, correlation: f64) -> bool {
        self.seen += 1;
        match loss {
            Loss::None => false,
            Loss::Random(share) => random.chance(*share, correlation),
            Loss::GilbertElliott { enter, leave, good, bad } => {
                let in_bad = self.state == State::Bad;
                let (share, step) = if in_bad { (*bad, *leave) } else { (*good, *enter) };
                let lost = random.chance(share, 0.0);
                if random.chance(step, 0.0) {
                    self.state = if in_bad { State::Good } else { State::Bad };
                }
                lost
            }
            Loss::FourState { p13, p31, p32, p23, p14 } => {
                let draw = random.unit(0.0);
                self.state = match self.state {
                    State::Good if draw < *p14 => State::Single,
                    State::Good if draw < p13 + p14 => State::Bad,
                    State::Gap if draw < *p23 => State::Bad,
                    State::Gap => State::Gap,
                    State::Bad if draw < *p32 => State::Gap,
                    State::Bad if draw >= p31 + p32 => State::Bad,
                    State::Good | State::Bad | State::Single => State::Good,
                };
                matches!(self.state, State::Bad | State::Single)
            }
            Loss::Every(n) => self.seen.is_multiple_of(*n),
            Loss::Frames(numbers) => {
                let lost = numbers.get(self.passed) == Some(&self.seen);
                self.passed += usize::from(lost);
                lost
            }
        }
    }
}
