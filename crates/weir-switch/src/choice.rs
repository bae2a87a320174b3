//! Decides between several possible outcomes. The hash of a selector or a random number decides,
//! unless a reader of traces forces an outcome.

use std::collections::VecDeque;

/// A decision between several outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The number of possible outcomes, at least 1.
    pub options: u32,
    /// The outcome that was taken, counted from 0.
    pub taken: u32,
    /// The outcome that the hash or the generator would have taken.
    pub usual: u32,
}

/// Outcomes that are forced, in the order of the decisions.
#[derive(Debug, Default)]
pub(crate) struct ForcedChoices {
    forced: VecDeque<u32>,
}

impl ForcedChoices {
    /// Forces the outcomes of the next decisions. Later decisions are not forced.
    pub(crate) fn force_outcomes(&mut self, options: Vec<u32>) {
        self.forced = options.into();
    }

    /// Decides between `options` outcomes. A forced outcome that does not exist is skipped.
    pub(crate) fn decide(&mut self, options: u32, usual: u32) -> Choice {
        let taken = self.forced.pop_front().filter(|forced| *forced < options).unwrap_or(usual);
        Choice { options, taken, usual }
    }
}
