//! Where a packet's outcome is open, and who decides it: a selector's hash and the random generator, unless a reader of traces
//! wants to see another way.

use std::collections::VecDeque;

/// A decision among several outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// How many outcomes there were, at least 1.
    pub options: u32,
    /// Which was taken, counted from 0.
    pub taken: u32,
    /// Which hash or generator had taken by themselves.
    pub usual: u32,
}

/// Decisions to be taken, in the order in which they come up.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    wanted: VecDeque<u32>,
}

impl Choices {
    /// Takes these options where the next outcomes are open; behind them, the usual ones.
    pub(crate) fn want(&mut self, options: Vec<u32>) {
        self.wanted = options.into();
    }

    /// Decides among `options` outcomes. A wish for one that is not there is passed over.
    pub(crate) fn decide(&mut self, options: u32, usual: u32) -> Choice {
        let taken = self.wanted.pop_front().filter(|wanted| *wanted < options).unwrap_or(usual);
        Choice { options, taken, usual }
    }
}
