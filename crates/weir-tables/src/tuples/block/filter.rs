//! Choosing the tests of a block's filter.

use super::bits::{NONE, set_bit};
use super::{Block, EqualityTest, MAX_CANDIDATES, MAX_PROBES, PROBES_PER_COMPARISON, Probe, SAMPLE_KEYS};
use crate::tuples::nibbles::{ALL_VALUES, Nibbles, UnpackedRule};

/// A nibble that could become a probe.
struct ProbeCandidate {
    probe: Probe,
    rows: Vec<u64>,
    /// The nibble's value in the keys of a sample, one after the other.
    keys: Vec<u8>,
}

/// Returns a sample of the rules. The sampled rules also serve as sample keys, because keys are
/// assumed to be similar to rules.
fn sampled_rules(rules: &[UnpackedRule]) -> impl Iterator<Item = &UnpackedRule> {
    rules.iter().step_by(rules.len().div_ceil(SAMPLE_KEYS).max(1))
}

impl Block {
    /// Chooses equality tests and probes for the present rules.
    pub(super) fn rebuild_filter(&mut self, nibbles: &Nibbles, rule_of: impl Fn(u32) -> UnpackedRule) {
        let rules: Vec<UnpackedRule> = self.rules.iter().map(|(_, slot)| rule_of(*slot)).collect();
        let count = rules.len();
        *self = Self {
            width: if count <= 128 { count.div_ceil(64).max(1) } else { 4 },
            built_for: count,
            rules: std::mem::take(&mut self.rules),
            ..Self::new(self.precise)
        };
        (0..count).for_each(|at| set_bit(&mut self.present, at));
        self.exact = self.precise && rules.iter().all(|rule| nibbles.are_decisive(rule));
        let mut candidates = Vec::new();
        for word in 0..nibbles.words() {
            for shift in nibbles.shifts(word) {
                let accepted: Vec<u16> =
                    rules.iter().map(|rule| nibbles.accepted(rule, word, shift)).collect();
                if accepted.iter().all(|accepted| *accepted == ALL_VALUES) {
                    continue;
                }
                let mut looking =
                    accepted.iter().enumerate().filter(|(_, accepted)| **accepted != ALL_VALUES);
                let (first, one) = looking.next().unwrap_or((0, &ALL_VALUES));
                if nibbles.is_range(word) || looking.any(|(_, other)| other != one) {
                    candidates.push(ProbeCandidate::new((word, shift), &rules, &accepted, self.width));
                } else {
                    let (value, mask) = (rules[first].value[word], rules[first].mask[word] & 15 << shift);
                    let mut unconstrained = NONE;
                    let free = accepted.iter().enumerate().filter(|(_, accepted)| **accepted == ALL_VALUES);
                    free.for_each(|(at, _)| set_bit(&mut unconstrained, at));
                    self.add_equality_test(EqualityTest {
                        word: word as u32,
                        mask,
                        value: value & mask,
                        unconstrained,
                    });
                }
            }
        }
        if !self.precise {
            // Nearly all keys that reach this block pass the tests that all rules share, so these
            // tests are not needed.
            self.equalities.retain(|equality| equality.unconstrained != NONE);
        }
        self.exact &= candidates.len() <= MAX_PROBES;
        let all = vec![u64::MAX; SAMPLE_KEYS * self.width];
        candidates.sort_by_cached_key(|candidate| candidate.candidates_left(&all));
        if !self.exact {
            let most = if self.precise { MAX_PROBES } else { (count / 2).min(MAX_PROBES) };
            candidates = self.pick_probes(&rules, candidates, most);
        }
        self.rows = Vec::with_capacity(candidates.len() * 16 * self.width);
        for candidate in candidates {
            self.probes.push(candidate.probe);
            self.rows.extend(candidate.rows);
        }
        self.equalities.shrink_to_fit();
        self.probes.shrink_to_fit();
    }

    /// Picks at most `most` candidates, and none that costs more time than it saves.
    fn pick_probes(
        &self,
        rules: &[UnpackedRule],
        mut candidates: Vec<ProbeCandidate>,
        most: usize,
    ) -> Vec<ProbeCandidate> {
        candidates.truncate(MAX_CANDIDATES);
        let width = self.width;
        let mut left: Vec<u64> = Vec::with_capacity(SAMPLE_KEYS * width);
        for rule in sampled_rules(rules) {
            let mut bits = self.present;
            let shut = |equality: &&EqualityTest| {
                (rule.value[equality.word as usize] ^ equality.value) & equality.mask != 0
            };
            for equality in self.equalities.iter().filter(shut) {
                bits.iter_mut().zip(equality.unconstrained).for_each(|(bits, others)| *bits &= others);
            }
            left.extend_from_slice(&bits[..width]);
        }
        let keys = left.len() / width;
        let mut count = left.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let mut picked: Vec<ProbeCandidate> = Vec::new();
        while picked.len() < most
            && let Some((fewer, at)) = candidates
                .iter()
                .enumerate()
                .map(|(at, candidate)| (candidate.candidates_left(&left), at))
                .min()
            && (count - fewer) * PROBES_PER_COMPARISON >= keys
        {
            let candidate = candidates.swap_remove(at);
            candidate.cut(&mut left);
            count = fewer;
            picked.push(candidate);
        }
        picked
    }

    /// Adds an equality test, by extending one of the same word and the same rules if there is one.
    fn add_equality_test(&mut self, new: EqualityTest) {
        let same =
            |test: &&mut EqualityTest| test.word == new.word && test.unconstrained == new.unconstrained;
        match self.equalities.iter_mut().find(same) {
            Some(test) => (test.mask, test.value) = (test.mask | new.mask, test.value | new.value),
            None => self.equalities.push(new),
        }
    }
}

impl ProbeCandidate {
    fn new((word, shift): (usize, u32), rules: &[UnpackedRule], accepted: &[u16], width: usize) -> Self {
        let (mut rows, mut any) = (vec![0; 16 * width], NONE);
        for (at, accepted) in accepted.iter().enumerate() {
            if *accepted == ALL_VALUES {
                set_bit(&mut any, at);
                continue;
            }
            let mut accepted = *accepted;
            while accepted != 0 {
                set_bit(&mut rows[accepted.trailing_zeros() as usize * width..], at);
                accepted &= accepted - 1;
            }
        }
        for row in rows.chunks_exact_mut(width) {
            row.iter_mut().zip(any).for_each(|(row, any)| *row |= any);
        }
        let keys = sampled_rules(rules).map(|rule| (rule.value[word] >> shift & 15) as u8).collect();
        Self { probe: Probe { word: word as u32, shift }, rows, keys }
    }

    /// Returns a row of the filter, which has a bit for each candidate.
    fn row(&self, key: u8, width: usize) -> &[u64] {
        &self.rows[usize::from(key) * width..][..width]
    }

    /// Returns the number of candidates in the sample that would remain after the probe.
    fn candidates_left(&self, left: &[u64]) -> usize {
        let width = self.rows.len() / 16;
        let left_words = self.keys.iter().zip(left.chunks_exact(width)).flat_map(|(key, left)| {
            left.iter().zip(self.row(*key, width)).map(|(left, row)| (left & row).count_ones() as usize)
        });
        left_words.sum()
    }

    /// Removes the candidates that the filter's keys exclude.
    fn cut(&self, left: &mut [u64]) {
        let width = self.rows.len() / 16;
        for (key, left) in self.keys.iter().zip(left.chunks_exact_mut(width)) {
            left.iter_mut().zip(self.row(*key, width)).for_each(|(left, row)| *left &= row);
        }
    }
}
