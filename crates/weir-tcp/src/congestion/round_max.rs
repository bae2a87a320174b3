//! The largest value of the last rounds.

/// The largest value seen in the last `N` rounds. Old values are forgotten only when a newer value
/// arrives, not as time passes: if nothing can be measured on a path, the last value stays.
#[derive(Clone, Debug)]
pub(super) struct RoundMax<const N: usize> {
    /// Each round's largest value, at the round modulo `N`.
    best: [(u64, u64); N],
    max: u64,
}

impl<const N: usize> Default for RoundMax<N> {
    fn default() -> Self {
        RoundMax { best: [(0, 0); N], max: 0 }
    }
}

impl<const N: usize> RoundMax<N> {
    /// Returns the maximum; 0 before the first value.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Adds a value of `round`, which never decreases.
    pub fn update(&mut self, round: u64, value: u64) {
        let slot = &mut self.best[(round % N as u64) as usize];
        *slot = if slot.0 == round { (round, slot.1.max(value)) } else { (round, value) };
        let recent = |&&(then, _): &&(u64, u64)| round - then < N as u64;
        self.max = self.best.iter().filter(recent).map(|&(_, value)| value).max().unwrap_or(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_rounds_are_remembered() {
        let mut filter = RoundMax::<10>::default();
        filter.update(1, 100);
        filter.update(1, 50);
        for round in 2..=10 {
            filter.update(round, 60);
            assert_eq!(filter.max(), 100);
        }
        filter.update(11, 40);
        assert_eq!(filter.max(), 60);
    }

    #[test]
    fn a_pause_keeps_the_maximum() {
        let mut filter = RoundMax::<10>::default();
        filter.update(1, 100);
        assert_eq!(filter.max(), 100);
        filter.update(500, 7);
        assert_eq!(filter.max(), 7);
    }
}
