//! Decisions with several possible outcomes: a selector's hash or the random generator decides,
//! unless a reader of traces forces another outcome.

use std::collections::VecDeque;

/// A decision among several outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// How many outcomes there were, at least 1.
    pub options: u32,
    /// Which was taken, counted from 0.
    pub taken: u32,
    /// Which the hash or the generator would have taken.
    pub usual: u32,
}

/// Outcomes that are forced, in the order in which they come up.
#[derive(Debug, Default)]
pub(crate) struct ForcedChoices {
    forced: VecDeque<u32>,
}

impl ForcedChoices {
    /// Forces these options in the next decisions; later decisions have their usual outcomes.
    pub(crate) fn force(&mut self, options: Vec<u32>) {
        self.forced = options.into();
    }

    /// Decides among `options` outcomes. A forced one that does not exist is skipped.
    pub(crate) fn decide(&mut self, options: u32, usual: u32) -> Choice {
        let taken = self.forced.pop_front().filter(|forced| *forced < options).unwrap_or(usual);
        Choice { options, taken, usual }
    }
}
