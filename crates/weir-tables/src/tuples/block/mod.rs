//! Blocks of up to 256 rules, with a filter that finds, in one step, all rules that a key may
//! match.
//!
//! A *probe* is a table of sixteen rows, one for each value of four bits of the key. A row has a
//! bit for each rule, which says whether the rule accepts that value (bit vectors: T. V. Lakshman,
//! D. Stiliadis, "High-speed policy-based packet forwarding using efficient multi-dimensional range
//! matching", SIGCOMM 1998). If all rules that test some bits of a word require the same value of
//! these bits, one *equality test* replaces probes. The bits of a row are in the order of the
//! rules' preference. The bits that are left after all tests and probes are the candidates.

mod bits;
mod change;
mod filter;
#[cfg(test)]
mod tests;

use self::bits::{Bits, NONE};
use super::nibbles::{Nibbles, UnpackedRule};

/// The maximum number of rules in a block.
pub(crate) const MAX_RULES: usize = 256;

/// Maximum number of probes. More would take too much time.
const MAX_PROBES: usize = 24;

/// Number of candidates for probes, the best ones, that are examined in detail.
const MAX_CANDIDATES: usize = 48;

/// The number of keys in the sample with which probes are chosen.
const SAMPLE_KEYS: usize = 24;

/// The number of probes that take as much time as comparing a key with one rule.
const PROBES_PER_COMPARISON: usize = 6;

/// A block of rules with one tuple, best first.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The priorities and slots.
    rules: Vec<(u32, u32)>,
    /// The number of words of a row: 1, 2 or 4.
    width: usize,
    /// The bits of the rules that exist.
    present: Bits,
    equalities: Vec<EqualityTest>,
    probes: Vec<Probe>,
    /// The sixteen rows for each probe.
    rows: Vec<u64>,
    /// Whether to use as many probes as are needed to avoid candidates that do not match. True for
    /// a block that is usually the table's only block.
    precise: bool,
    /// Whether every candidate matches the key.
    exact: bool,
    /// The number of rules when the filter was built.
    built_for: usize,
}

/// A test of some bits of a word that several rules share: all of them require the same value.
#[derive(Clone, Debug)]
struct EqualityTest {
    word: u32,
    mask: u64,
    value: u64,
    /// The rules that do not test these bits.
    unconstrained: Bits,
}

/// The nibble that selects a probe's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe {
    word: u32,
    shift: u32,
}

impl Block {
    /// Creates an empty block. See the field for `precise`.
    pub(crate) fn new(precise: bool) -> Self {
        let (rules, equalities, probes, rows) = Default::default();
        Self { rules, width: 1, present: NONE, equalities, probes, rows, precise, exact: true, built_for: 0 }
    }

    /// Returns a block of rules given as priorities and slots, best first. In this function and in
    /// others, `rule_of` returns the rule in a slot.
    pub(crate) fn from_rules(
        precise: bool,
        rules: Vec<(u32, u32)>,
        nibbles: &Nibbles,
        rule_of: impl Fn(u32) -> UnpackedRule,
    ) -> Self {
        let mut block = Self { rules, ..Self::new(precise) };
        block.rebuild_filter(nibbles, rule_of);
        block
    }

    /// Returns the priorities and slots of the rules, best first.
    pub(crate) fn rules(&self) -> &[(u32, u32)] {
        &self.rules
    }

    /// Returns the best priority of the block's rules.
    #[inline]
    pub(crate) fn best(&self) -> Option<u32> {
        self.rules.first().map(|(priority, _)| *priority)
    }

    /// Returns whether every candidate of [`Block::for_each_candidate`] is a match.
    #[inline]
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns the candidates for a key, in a block whose rules fit `W` words. `N` is 16 `W`.
    #[inline(always)]
    fn candidates<const W: usize, const N: usize>(&self, key: &[u64]) -> [u64; W] {
        let mut left: [u64; W] = std::array::from_fn(|word| self.present[word]);
        for equality in &self.equalities {
            if (key[equality.word as usize] ^ equality.value) & equality.mask != 0 {
                left.iter_mut().zip(&equality.unconstrained).for_each(|(left, others)| *left &= others);
                if left.iter().all(|word| *word == 0) {
                    return left;
                }
            }
        }
        for (probe, rows) in self.probes.iter().zip(self.rows.as_chunks::<N>().0) {
            let row = (key[probe.word as usize] >> probe.shift & 15) as usize * W;
            for word in 0..W {
                left[word] &= rows[row + word];
            }
            if left.iter().fold(0, |any, word| any | word) == 0 {
                break;
            }
        }
        left
    }

    #[inline(always)]
    fn for_each_of<const W: usize, const N: usize>(
        &self,
        key: &[u64],
        mut done: impl FnMut(u32, u32) -> bool,
    ) {
        for (word, mut left) in self.candidates::<W, N>(key).into_iter().enumerate() {
            while left != 0 {
                let (priority, slot) = self.rules[word * 64 + left.trailing_zeros() as usize];
                if done(priority, slot) {
                    return;
                }
                left &= left - 1;
            }
        }
    }

    /// Calls `done` with the priority and slot of each rule that a key may match, best first, until
    /// it returns true.
    #[inline(always)]
    pub(crate) fn for_each_candidate(&self, key: &[u64], done: impl FnMut(u32, u32) -> bool) {
        match self.width {
            1 => self.for_each_of::<1, 16>(key, done),
            2 => self.for_each_of::<2, 32>(key, done),
            _ => self.for_each_of::<4, 64>(key, done),
        }
    }

    /// Returns the size of the block in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.rules.capacity() * 8
            + self.equalities.capacity() * size_of::<EqualityTest>()
            + self.probes.capacity() * size_of::<Probe>()
            + self.rows.capacity() * 8
    }
}
