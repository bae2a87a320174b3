//! Up to 256 rules, of which a look-up tells at once those that a key may meet.
//!
//! For four bits of a key there is a row for each of their sixteen values with a bit for each rule: whether the rule accepts that value
//! (bit vectors: T. V. Lakshman, D. Stiliadis, "High-speed policy-based packet forwarding using efficient multi-dimensional range matching",
//! SIGCOMM 1998). Where all rules that look at some bits of a word look at all of them and for the same value, one comparison does. Bits stand in the order of preference; what is left when all rows have been put together is what
//! the key may meet.

use super::nibbles::{ANY, Nibbles, UnpackedRule};

/// Rules of a block.
pub(crate) const MAX_RULES: usize = 256;

/// Rows of sixteen that are worth their time.
const MAX_PROBES: usize = 24;

/// Of more fours that could become probes the best are looked at more closely.
const MAX_CANDIDATES: usize = 48;

/// Keys that resemble as many of the rules tell which of them to pick.
const MOST_KEYS: usize = 24;

/// As many probes take the time of one comparison with a rule.
const COMPARISON: usize = 6;

/// A bit for each rule.
type Bits = [u64; 4];

const NONE: Bits = [0; 4];

/// Rules, best first.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Their priorities and slots.
    rules: Vec<(u32, u32)>,
    /// WordVec of a row: 1, 2 or 4.
    width: usize,
    /// As many ones as rules.
    live: Bits,
    gates: Vec<Gate>,
    probes: Vec<Probe>,
    /// For each probe sixteen rows.
    rows: Vec<u64>,
    /// Whether it is a table's only block as a rule, and no time is to be lost with rules that turn out not to be met.
    thorough: bool,
    /// Whether a rule that is left is met without any doubt.
    certain: bool,
    /// Rules that there were when gates and probes were chosen.
    chosen_for: usize,
}

/// One value for all rules that look at these bits.
#[derive(Clone, Debug)]
struct Gate {
    word: u32,
    mask: u64,
    value: u64,
    /// Rules that do not look.
    others: Bits,
}

/// Which four bits choose among the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Probe {
    word: u32,
    shift: u32,
}

/// Four bits that could become a probe.
struct Choice {
    probe: Probe,
    rows: Vec<u64>,
    /// What keys have there that resemble the rules, one after the other.
    keys: Vec<u8>,
}

/// Some of the rules, which keys are taken to resemble.
fn resembled(rules: &[UnpackedRule]) -> impl Iterator<Item = &UnpackedRule> {
    rules.iter().step_by(rules.len().div_ceil(MOST_KEYS).max(1))
}

fn set(bits: &mut [u64], at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

/// Moves the bits from `at` on up by one, and puts one there.
fn open(bits: &mut [u64], at: usize, value: bool) {
    let (word, below) = (at / 64, (1 << (at % 64)) - 1);
    let mut carry = bits[word] >> 63;
    bits[word] = bits[word] & below | (bits[word] & !below) << 1 | u64::from(value) << (at % 64);
    for word in &mut bits[word + 1..] {
        (*word, carry) = (*word << 1 | carry, *word >> 63);
    }
}

/// Takes the bit at `at` out; those above move down.
fn close(bits: &mut [u64], at: usize) {
    let (word, below) = (at / 64, (1 << (at % 64)) - 1);
    bits[word] = bits[word] & below | bits[word] >> 1 & !below;
    for next in word + 1..bits.len() {
        bits[next - 1] |= bits[next] << 63;
        bits[next] >>= 1;
    }
}

impl Block {
    /// An empty one; see [`Block::thorough`].
    pub(crate) fn new(thorough: bool) -> Self {
        let (rules, gates, probes, rows) = Default::default();
        Self { rules, width: 1, live: NONE, gates, probes, rows, thorough, certain: true, chosen_for: 0 }
    }

    /// Of priorities and slots, best first. `rule_of` tells the rule in a slot, here and below.
    pub(crate) fn of(
        thorough: bool,
        rules: Vec<(u32, u32)>,
        nibbles: &Nibbles,
        rule_of: impl Fn(u32) -> UnpackedRule,
    ) -> Self {
        let mut block = Self { rules, ..Self::new(thorough) };
        block.choose(nibbles, rule_of);
        block
    }

    /// Priorities and slots, best first.
    pub(crate) fn rules(&self) -> &[(u32, u32)] {
        &self.rules
    }

    /// The best priority.
    #[inline]
    pub(crate) fn best(&self) -> Option<u32> {
        self.rules.first().map(|(priority, _)| *priority)
    }

    /// Whether what [`Block::each`] tells of a key is met for certain.
    #[inline]
    pub(crate) fn is_certain(&self) -> bool {
        self.certain
    }

    /// The rules that a key may meet, of as many as fit `W` words; `N` is 16 `W`.
    #[inline(always)]
    fn left<const W: usize, const N: usize>(&self, key: &[u64]) -> [u64; W] {
        let mut left: [u64; W] = std::array::from_fn(|word| self.live[word]);
        for gate in &self.gates {
            if (key[gate.word as usize] ^ gate.value) & gate.mask != 0 {
                left.iter_mut().zip(&gate.others).for_each(|(left, others)| *left &= others);
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
    fn each_of<const W: usize, const N: usize>(&self, key: &[u64], mut done: impl FnMut(u32, u32) -> bool) {
        for (word, mut left) in self.left::<W, N>(key).into_iter().enumerate() {
            while left != 0 {
                let (priority, slot) = self.rules[word * 64 + left.trailing_zeros() as usize];
                if done(priority, slot) {
                    return;
                }
                left &= left - 1;
            }
        }
    }

    /// Tells the priorities and slots of the rules that a key may meet, best first, until one is enough.
    #[inline(always)]
    pub(crate) fn each(&self, key: &[u64], done: impl FnMut(u32, u32) -> bool) {
        match self.width {
            1 => self.each_of::<1, 16>(key, done),
            2 => self.each_of::<2, 32>(key, done),
            _ => self.each_of::<4, 64>(key, done),
        }
    }

    /// Adds a rule behind those that `is_better` says yes to.
    ///
    /// # Panics
    /// If the block is full.
    pub(crate) fn insert(
        &mut self,
        nibbles: &Nibbles,
        (priority, slot): (u32, u32),
        is_better: impl Fn((u32, u32)) -> bool,
        rule_of: impl Fn(u32) -> UnpackedRule,
    ) {
        let at = self.rules.partition_point(|rule| is_better(*rule));
        let before = self.rules.len();
        assert!(before < MAX_RULES, "a block has room");
        if before == self.rules.capacity() {
            self.rules.reserve_exact((before / 4).max(1));
        }
        self.rules.insert(at, (priority, slot));
        let rule = rule_of(slot);
        let passes: Option<Vec<bool>> = self.gates.iter().map(|gate| gate.passed_by(&rule)).collect();
        let Some(passes) = passes.filter(|_| before + 1 < 2 * self.chosen_for && before < 64 * self.width)
        else {
            return self.choose(nibbles, rule_of);
        };
        self.certain &= nibbles.are_all(&rule);
        let missing = self.missing(nibbles, &rule);
        if self.certain && self.probes.len() + missing.len() <= MAX_PROBES {
            for probe in missing {
                self.probes.push(probe);
                // No rule that is there looks at these bits.
                let live = &self.live[..self.width];
                (0..16).for_each(|_| self.rows.extend_from_slice(live));
            }
        } else {
            self.certain &= missing.is_empty();
        }
        open(&mut self.live, at, true);
        for (gate, passes) in self.gates.iter_mut().zip(passes) {
            open(&mut gate.others, at, passes);
        }
        for (probe, rows) in self.probes.iter().zip(self.rows.chunks_exact_mut(16 * self.width)) {
            let accepted = nibbles.accepted(&rule, probe.word as usize, probe.shift);
            if let Ok(rows) = <&mut [u64; 16]>::try_from(&mut *rows) {
                for (value, row) in rows.iter_mut().enumerate() {
                    let above = u64::MAX << at;
                    *row = *row & !above | (*row & above) << 1 | u64::from(accepted >> value & 1) << at;
                }
                continue;
            }
            for (value, row) in rows.chunks_exact_mut(self.width).enumerate() {
                open(row, at, accepted >> value & 1 == 1);
            }
        }
    }

    /// Probes that a rule needs for certainty and that are not there.
    fn missing(&self, nibbles: &Nibbles, rule: &UnpackedRule) -> Vec<Probe> {
        if !self.certain {
            return Vec::new();
        }
        let mut missing = Vec::new();
        for word in 0..nibbles.words() {
            let gates = self.gates.iter().filter(|gate| gate.word == word as u32);
            let shut = gates.fold(0, |all, gate| all | gate.mask);
            if !nibbles.is_range(word) && rule.mask[word] & !shut == 0 {
                continue;
            }
            for shift in nibbles.shifts(word) {
                let probe = Probe { word: word as u32, shift };
                let gated = !nibbles.is_range(word) && rule.mask[word] & !shut & 15 << shift == 0;
                if !gated && !self.probes.contains(&probe) && nibbles.accepted(rule, word, shift) != ANY {
                    missing.push(probe);
                }
            }
        }
        missing
    }

    /// Takes the rule of a slot out.
    pub(crate) fn remove(&mut self, nibbles: &Nibbles, slot: u32, rule_of: impl Fn(u32) -> UnpackedRule) {
        let Some(at) = self.rules.iter().position(|(_, other)| *other == slot) else { return };
        self.rules.remove(at);
        if self.rules.len() * 4 <= self.chosen_for {
            self.rules.shrink_to_fit();
            return self.choose(nibbles, rule_of);
        }
        close(&mut self.live, at);
        self.gates.iter_mut().for_each(|gate| close(&mut gate.others, at));
        self.rows.chunks_exact_mut(self.width).for_each(|row| close(row, at));
    }

    /// Chooses gates and probes for the rules that are there.
    fn choose(&mut self, nibbles: &Nibbles, rule_of: impl Fn(u32) -> UnpackedRule) {
        let rules: Vec<UnpackedRule> = self.rules.iter().map(|(_, slot)| rule_of(*slot)).collect();
        let count = rules.len();
        *self = Self {
            width: if count <= 128 { count.div_ceil(64).max(1) } else { 4 },
            chosen_for: count,
            rules: std::mem::take(&mut self.rules),
            ..Self::new(self.thorough)
        };
        (0..count).for_each(|at| set(&mut self.live, at));
        self.certain = self.thorough && rules.iter().all(|rule| nibbles.are_all(rule));
        let mut choices = Vec::new();
        for word in 0..nibbles.words() {
            for shift in nibbles.shifts(word) {
                let accepted: Vec<u16> =
                    rules.iter().map(|rule| nibbles.accepted(rule, word, shift)).collect();
                if accepted.iter().all(|accepted| *accepted == ANY) {
                    continue;
                }
                let mut looking = accepted.iter().enumerate().filter(|(_, accepted)| **accepted != ANY);
                let (first, one) = looking.next().unwrap_or((0, &ANY));
                if nibbles.is_range(word) || looking.any(|(_, other)| other != one) {
                    choices.push(Choice::new((word, shift), &rules, &accepted, self.width));
                } else {
                    let (value, mask) = (rules[first].value[word], rules[first].mask[word] & 15 << shift);
                    let mut others = NONE;
                    let free = accepted.iter().enumerate().filter(|(_, accepted)| **accepted == ANY);
                    free.for_each(|(at, _)| set(&mut others, at));
                    self.gate(Gate { word: word as u32, mask, value: value & mask, others });
                }
            }
        }
        if !self.thorough {
            // The keys that come here nearly all have what all rules want.
            self.gates.retain(|gate| gate.others != NONE);
        }
        self.certain &= choices.len() <= MAX_PROBES;
        let all = vec![u64::MAX; MOST_KEYS * self.width];
        choices.sort_by_cached_key(|choice| choice.left(&all));
        if !self.certain {
            let most = if self.thorough { MAX_PROBES } else { (count / 2).min(MAX_PROBES) };
            choices = self.pick(&rules, choices, most);
        }
        self.rows = Vec::with_capacity(choices.len() * 16 * self.width);
        for choice in choices {
            self.probes.push(choice.probe);
            self.rows.extend(choice.rows);
        }
        self.gates.shrink_to_fit();
        self.probes.shrink_to_fit();
    }

    /// At most so many choices, and none that spares less time than it takes.
    fn pick(&self, rules: &[UnpackedRule], mut choices: Vec<Choice>, most: usize) -> Vec<Choice> {
        choices.truncate(MAX_CANDIDATES);
        let width = self.width;
        let mut left: Vec<u64> = Vec::with_capacity(MOST_KEYS * width);
        for rule in resembled(rules) {
            let mut bits = self.live;
            let shut = |gate: &&Gate| (rule.value[gate.word as usize] ^ gate.value) & gate.mask != 0;
            for gate in self.gates.iter().filter(shut) {
                bits.iter_mut().zip(gate.others).for_each(|(bits, others)| *bits &= others);
            }
            left.extend_from_slice(&bits[..width]);
        }
        let keys = left.len() / width;
        let mut count = left.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let mut picked: Vec<Choice> = Vec::new();
        while picked.len() < most
            && let Some((fewer, at)) =
                choices.iter().enumerate().map(|(at, choice)| (choice.left(&left), at)).min()
            && (count - fewer) * COMPARISON >= keys
        {
            let choice = choices.swap_remove(at);
            choice.cut(&mut left);
            count = fewer;
            picked.push(choice);
        }
        picked
    }

    /// Adds a gate, to another one of the same word and the same rules if there is one.
    fn gate(&mut self, new: Gate) {
        let twin = self.gates.iter_mut().find(|gate| gate.word == new.word && gate.others == new.others);
        match twin {
            Some(gate) => (gate.mask, gate.value) = (gate.mask | new.mask, gate.value | new.value),
            None => self.gates.push(new),
        }
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.rules.capacity() * 8
            + self.gates.capacity() * size_of::<Gate>()
            + self.probes.capacity() * size_of::<Probe>()
            + self.rows.capacity() * 8
    }
}

impl Gate {
    /// Whether keys that the rule accepts may have anything else here; none if the rule looks at some of the bits only, or for another value.
    fn passed_by(&self, rule: &UnpackedRule) -> Option<bool> {
        let word = self.word as usize;
        match rule.mask[word] & self.mask {
            0 => Some(true),
            mask if mask == self.mask && rule.value[word] & mask == self.value => Some(false),
            _ => None,
        }
    }
}

impl Choice {
    fn new((word, shift): (usize, u32), rules: &[UnpackedRule], accepted: &[u16], width: usize) -> Self {
        let (mut rows, mut any) = (vec![0; 16 * width], NONE);
        for (at, accepted) in accepted.iter().enumerate() {
            if *accepted == ANY {
                set(&mut any, at);
                continue;
            }
            let mut accepted = *accepted;
            while accepted != 0 {
                set(&mut rows[accepted.trailing_zeros() as usize * width..], at);
                accepted &= accepted - 1;
            }
        }
        for row in rows.chunks_exact_mut(width) {
            row.iter_mut().zip(any).for_each(|(row, any)| *row |= any);
        }
        let keys = resembled(rules).map(|rule| (rule.value[word] >> shift & 15) as u8).collect();
        Self { probe: Probe { word: word as u32, shift }, rows, keys }
    }

    fn row(&self, key: u8, width: usize) -> &[u64] {
        &self.rows[usize::from(key) * width..][..width]
    }

    /// How many rules of those that are left to each key would still be.
    fn left(&self, left: &[u64]) -> usize {
        let width = self.rows.len() / 16;
        let both = self.keys.iter().zip(left.chunks_exact(width)).flat_map(|(key, left)| {
            left.iter().zip(self.row(*key, width)).map(|(left, row)| (left & row).count_ones() as usize)
        });
        both.sum()
    }

    fn cut(&self, left: &mut [u64]) {
        let width = self.rows.len() / 16;
        for (key, left) in self.keys.iter().zip(left.chunks_exact_mut(width)) {
            left.iter_mut().zip(self.row(*key, width)).for_each(|(left, row)| *left &= row);
        }
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::key::{Field, FieldKind, KeyLayout};
    use crate::workload::Numbers;

    #[test]
    fn bits_move_aside_and_back() {
        for at in [0, 1, 62, 63, 64, 65, 127, 128, 200, 254] {
            let bits =
                [0x8000_0000_0000_0001, 0xf0f0_f0f0_f0f0_f0f1, 0x8123_4567_89ab_cdef, 0x7edc_ba98_7654_3210];
            let mut moved = bits;
            open(&mut moved, at, true);
            let bit = |bits: &[u64], at: usize| bits[at / 64] >> (at % 64) & 1;
            for other in 0..255 {
                assert_eq!(bit(&bits, other), bit(&moved, other + usize::from(other >= at)));
            }
            assert_eq!(bit(&moved, at), 1);
            close(&mut moved, at);
            assert_eq!(moved, bits);
        }
    }

    /// Three fields of a word each, the second one a range, and rules that have much in common.
    fn rule(numbers: &mut Numbers) -> UnpackedRule {
        let mut prefix = |width: u32| {
            let mask = u64::MAX << numbers.below(u64::from(width) + 1) & (u64::MAX >> (64 - width));
            ((numbers.below(4) * 0x1111_0101) & mask, mask)
        };
        let (wide, narrow) = (prefix(32), if numbers.below(3) == 0 { (0, 0) } else { (6, 0xff) });
        let (low, len) = (numbers.below(200) * 100, [0, 10, 5000, 65535][numbers.below(4) as usize]);
        let (low, high) = if numbers.below(3) == 0 { (0, 65535) } else { (low, (low + len).min(65535)) };
        UnpackedRule { value: smallvec![wide.0, low, narrow.0], mask: smallvec![wide.1, high, narrow.1] }
    }

    fn accepts(rule: &UnpackedRule, key: &[u64]) -> bool {
        [0, 2].iter().all(|word| (rule.value[*word] ^ key[*word]) & rule.mask[*word] == 0)
            && (rule.value[1]..=rule.mask[1]).contains(&key[1])
    }

    #[test]
    fn no_rule_that_a_key_meets_is_left_out() {
        let field = |width, kind| Field { width, kind };
        let fields =
            vec![field(32, FieldKind::Ternary), field(16, FieldKind::Range), field(8, FieldKind::Ternary)];
        let nibbles = Nibbles::new(&KeyLayout::new(fields));
        let mut numbers = Numbers::new(11);
        for (thorough, ranges) in [(true, true), (true, false), (false, true), (false, false)] {
            let rules: Vec<UnpackedRule> = (0..MAX_RULES)
                .map(|_| match (ranges, rule(&mut numbers)) {
                    (true, rule) => rule,
                    (false, UnpackedRule { value, mask }) => UnpackedRule {
                        value: smallvec![value[0], 0, value[2]],
                        mask: smallvec![mask[0], 65535, mask[2]],
                    },
                })
                .collect();
            let rule_of = |slot: u32| {
                let UnpackedRule { value, mask } = &rules[slot as usize];
                UnpackedRule { value: value.clone(), mask: mask.clone() }
            };
            let mut block = Block::new(thorough);
            let mut check = |block: &Block| {
                for _ in 0..100 {
                    let near = &rules[numbers.below(MAX_RULES as u64) as usize].value;
                    let key = [
                        near[0] | numbers.below(16),
                        near[1] + numbers.below(20),
                        near[2] + numbers.below(2),
                    ];
                    // Bits above the fields do not count.
                    let junk =
                        [key[0] | numbers.draw() << 32, key[1] | numbers.draw() << 16, key[2] | 7 << 8];
                    let (mut left, mut before) = (Vec::new(), 0);
                    block.each(&junk, |priority, slot| {
                        assert_eq!(priority, 1000 - slot);
                        assert!(before <= slot, "best first");
                        before = slot;
                        left.push(slot);
                        false
                    });
                    let met = |slot: &u32| accepts(&rules[*slot as usize], &key);
                    let met: Vec<u32> = block.rules().iter().map(|(_, slot)| *slot).filter(met).collect();
                    assert!(met.iter().all(|slot| left.contains(slot)), "{met:?} of {left:?}");
                    assert!(!block.is_certain() || met == left, "{met:?} for certain, not {left:?}");
                }
            };
            let mut slots: Vec<u32> =
                (0..MAX_RULES as u32).map(|slot| slot * 77 % MAX_RULES as u32).collect();
            for slot in &slots {
                block.insert(&nibbles, (1000 - slot, *slot), |(other, _)| other > 1000 - slot, rule_of);
                check(&block);
            }
            assert_eq!(block.is_certain(), thorough && !ranges);
            let built = block.rules().to_vec();
            check(&Block::of(thorough, built, &nibbles, rule_of));
            while let Some(slot) = slots.pop() {
                block.remove(&nibbles, slot, rule_of);
                assert_eq!(block.rules().len(), slots.len());
                check(&block);
            }
        }
    }

    /// From 1 to 65535 each four bits may be anything, and yet 0 is not accepted.
    #[test]
    fn a_range_that_no_four_bits_show_makes_uncertain() {
        let field = |width, kind| Field { width, kind };
        let layout = KeyLayout::new(vec![field(32, FieldKind::Ternary), field(16, FieldKind::Range)]);
        let nibbles = Nibbles::new(&layout);
        let rule_of = |slot: u32| match slot {
            7 => UnpackedRule { value: smallvec![0, 1], mask: smallvec![0, 65535] },
            _ => UnpackedRule { value: smallvec![u64::from(slot), 0], mask: smallvec![0xffff_ffff, 65535] },
        };
        for count in 0..7 {
            let mut block = Block::new(true);
            let mut insert =
                |slot: u32| block.insert(&nibbles, (9 - slot, slot), |(than, _)| than > 9 - slot, rule_of);
            (0..count).for_each(&mut insert);
            insert(7);
            let mut left = Vec::new();
            block.each(&[100, 0], |_, slot| {
                left.push(slot);
                false
            });
            assert_eq!((left, block.is_certain()), (vec![7], false), "behind {count} others");
        }
    }
}
