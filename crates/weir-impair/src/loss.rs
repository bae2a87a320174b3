//! Loss models.

use std::sync::Arc;

use crate::check::{out_of_range, probability};
use crate::{Correlated, OutOfRange};

/// The frames that are lost on the wire. A lost frame still takes its transmission time.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Loss {
    /// No frame is lost.
    #[default]
    None,
    /// Each frame is lost independently, with this probability from 0 to 1.
    Random(f64),
    /// Bursts: a Markov chain with a good and a bad state (Gilbert 1960, Elliott 1963), one step
    /// per frame, initially good. A frame is lost with the probability of the current state. The
    /// bad state lasts 1 / leave frames on average.
    GilbertElliott {
        /// The probability of a transition from good to bad.
        enter: f64,
        /// The probability of a transition from bad to good.
        leave: f64,
        /// The probability of loss in the good state; Gilbert's model has 0.
        good: f64,
        /// The probability of loss in the bad state.
        bad: f64,
    },
    /// netem's `loss state`: a Markov chain with gap and burst periods, in which single frames may
    /// be lost in a gap period and single frames may arrive in a burst period (S. Salsano, F.
    /// Ludovici, A. Ordine 2009). Each frame makes a transition, and is lost if it ends in one of
    /// the two loss states.
    FourState {
        /// The probability of a transition from the gap period to a burst of losses.
        p13: f64,
        /// The probability of a transition from a burst of losses back to the gap period.
        p31: f64,
        /// The probability of a transition from losses to deliveries within a burst.
        p32: f64,
        /// The probability of a transition from deliveries within a burst back to losses.
        p23: f64,
        /// The probability of a single loss in the gap period; the next frame is not lost.
        p14: f64,
    },
    /// Every n-th frame is lost: frames n, 2n, 3n, … counted from 1.
    Every(u64),
    /// The frames with these numbers are lost. Numbers are counted from 1 and must ascend.
    Frames(Arc<[u64]>),
}

impl Loss {
    /// Checks that the loss model's settings are in range.
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
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
                out_of_range("loss", value, "transitions out of one state that add up to 1 or less")
            }
            Loss::Every(0) => out_of_range("loss", "every 0th frame".into(), "every 1st (all), 2nd, 3rd, …"),
            Loss::Every(_) => Ok(()),
            Loss::Frames(numbers) => {
                let ascending = numbers.windows(2).all(|pair| pair[0] < pair[1]);
                if ascending && numbers.first() != Some(&0) {
                    return Ok(());
                }
                out_of_range("loss", format!("frames {numbers:?}"), "numbers from 1, in ascending order")
            }
        }
    }
}

/// The state of a loss model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    /// The state of the Markov chains: good, deliveries within a burst, losses in a burst, a single
    /// loss.
    state: State,
    /// The number of frames since the loss model was set.
    seen: u64,
    /// The number of [`Loss::Frames`] that have been lost.
    passed: usize,
}

/// The state of the loss model between two frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Good,
    Gap,
    Bad,
    Single,
}

impl Losses {
    /// Returns whether the next frame is lost.
    pub(crate) fn next(&mut self, loss: &Loss, random: &mut Correlated, correlation: f64) -> bool {
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
