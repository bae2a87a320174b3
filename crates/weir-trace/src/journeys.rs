//! Assembles journeys from the steps that a switch recorded.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use weir_switch::trace::{Step, StepKind};

use crate::journey::Journey;

/// A journey that may still receive steps while it is read.
pub type SharedJourney = Arc<RwLock<Journey>>;

/// The journeys of one switch.
#[derive(Debug, Default)]
pub struct Journeys {
    count: u64,
    /// The journey of each packet and copy, by number.
    by_copy: BTreeMap<u64, SharedJourney>,
    /// The journeys that were not yet taken, by the number of the packet that arrived.
    under_way: BTreeMap<u64, SharedJourney>,
}

impl Journeys {
    /// Adds the next step, and returns the journey to which the step belongs. Returns `None` if the
    /// first steps of the journey were lost.
    pub fn add(&mut self, step: Step) -> Option<SharedJourney> {
        let journey = match step.what {
            StepKind::Received { .. } => {
                let journey = Arc::new(RwLock::new(Journey::new(self.count)));
                self.count += 1;
                self.under_way.insert(step.copy, Arc::clone(&journey));
                self.by_copy.insert(step.copy, Arc::clone(&journey));
                journey
            }
            StepKind::Copied { from, .. } => {
                let journey = Arc::clone(self.by_copy.get(&from)?);
                self.by_copy.insert(step.copy, Arc::clone(&journey));
                journey
            }
            _ => Arc::clone(self.by_copy.get(&step.copy)?),
        };
        journey.write().unwrap_or_else(PoisonError::into_inner).add(step);
        Some(journey)
    }

    /// Returns whether a journey was not taken yet.
    pub fn is_any_under_way(&self) -> bool {
        !self.under_way.is_empty()
    }

    /// Returns the journey of the packet that arrived last, if it was not taken yet.
    pub fn last(&self) -> Option<SharedJourney> {
        self.under_way.values().next_back().cloned()
    }

    /// Takes the journeys that have ended since the last call, in the order of arrival.
    pub fn take_ended(&mut self) -> Vec<SharedJourney> {
        self.take(|journey| journey.has_ended())
    }

    /// Takes all journeys, including those that have not ended.
    pub fn take_all(&mut self) -> Vec<SharedJourney> {
        self.take(|_| true)
    }

    fn take(&mut self, wanted: impl Fn(&Journey) -> bool) -> Vec<SharedJourney> {
        let mut taken = Vec::new();
        self.under_way.retain(|_, shared| {
            let journey = shared.read().unwrap_or_else(PoisonError::into_inner);
            if !wanted(&journey) {
                return true;
            }
            for copy in journey.copies() {
                self.by_copy.remove(&copy.number);
            }
            drop(journey);
            taken.push(Arc::clone(shared));
            false
        });
        taken
    }
}
