//! Decisions with several possible outcomes: a selector's hash or the random generator decides,
//! unless a reader of traces forces another outcome.

use std::collections::VecDeque;

/// A decision among several outcomes.
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
    /// Forces these outcomes in the next decisions; later decisions have their usual outcomes.
    pub(crate) fn force(&mut self, options: Vec<u32>) {
        self.forced = options.into();
    }

    /// Decides among `options` outcomes. A forced outcome that does not exist is skipped.
    pub(crate) fn decide(&mut self, options: u32, usual: u32) -> Choice {
        let taken = self.forced.pop_front().filter(|forced| *forced < options).unwrap_or(usual);
        Choice { options, taken, usual }
    }
}
