//! Random numbers that depend on the previous ones.

use crate::Random;

/// A random stream with optional correlation; see [`crate::Correlations`].
#[derive(Clone, Debug)]
pub struct Correlated {
    pub(crate) random: Random,
    last: Option<f64>,
}

impl Correlated {
    /// Creates the random stream with this name.
    pub fn new(seed: u64, name: &str) -> Self {
        Correlated { random: Random::new(seed, name), last: None }
    }

    /// Returns a random number in [0, 1) that correlates with the previous one.
    pub fn unit(&mut self, correlation: f64) -> f64 {
        if correlation == 0.0 {
            return self.random.unit();
        }
        let last = self.last.unwrap_or_else(|| self.random.unit());
        let next = (1.0 - correlation) * self.random.unit() + correlation * last;
        self.last = Some(next);
        next
    }

    /// Draws whether an event with this probability happens.
    pub fn chance(&mut self, probability: f64, correlation: f64) -> bool {
        self.unit(correlation) < probability
    }
}
