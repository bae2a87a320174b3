//! Adding and removing rules.

use super::bits::{insert_bit, remove_bit};
use super::{Block, EqualityTest, MAX_PROBES, MAX_RULES, Probe};
use crate::tuples::nibbles::{ALL_VALUES, Nibbles, UnpackedRule};

impl Block {
    /// Inserts a rule after the rules for which `is_better` returns true.
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
        let position = self.rules.partition_point(|rule| is_better(*rule));
        let old_len = self.rules.len();
        assert!(old_len < MAX_RULES, "a block has room");
        if old_len == self.rules.capacity() {
            self.rules.reserve_exact((old_len / 4).max(1));
        }
        self.rules.insert(position, (priority, slot));
        let rule = rule_of(slot);
        let passes: Option<Vec<bool>> =
            self.equalities.iter().map(|equality| equality.is_unconstrained_for(&rule)).collect();
        let Some(passes) = passes.filter(|_| old_len + 1 < 2 * self.built_for && old_len < 64 * self.width)
        else {
            return self.rebuild_filter(nibbles, rule_of);
        };
        self.exact &= nibbles.are_decisive(&rule);
        let missing = self.missing_probes(nibbles, &rule);
        if self.exact && self.probes.len() + missing.len() <= MAX_PROBES {
            for probe in missing {
                self.probes.push(probe);
                // None of the present rules tests these bits.
                let present = &self.present[..self.width];
                (0..16).for_each(|_| self.rows.extend_from_slice(present));
            }
        } else {
            self.exact &= missing.is_empty();
        }
        insert_bit(&mut self.present, position, true);
        for (equality, passes) in self.equalities.iter_mut().zip(passes) {
            insert_bit(&mut equality.unconstrained, position, passes);
        }
        for (probe, rows) in self.probes.iter().zip(self.rows.chunks_exact_mut(16 * self.width)) {
            let accepted = nibbles.accepted(&rule, probe.word as usize, probe.shift);
            if let Ok(rows) = <&mut [u64; 16]>::try_from(&mut *rows) {
                for (value, row) in rows.iter_mut().enumerate() {
                    let above = u64::MAX << position;
                    *row = *row & !above | (*row & above) << 1 | u64::from(accepted >> value & 1) << position;
                }
                continue;
            }
            for (value, row) in rows.chunks_exact_mut(self.width).enumerate() {
                insert_bit(row, position, accepted >> value & 1 == 1);
            }
        }
    }

    /// Returns the probes that must be added for a new rule so that the filter stays exact.
    fn missing_probes(&self, nibbles: &Nibbles, rule: &UnpackedRule) -> Vec<Probe> {
        if !self.exact {
            return Vec::new();
        }
        let mut missing = Vec::new();
        for word in 0..nibbles.words() {
            let equalities = self.equalities.iter().filter(|equality| equality.word == word as u32);
            let shut = equalities.fold(0, |all, equality| all | equality.mask);
            if !nibbles.is_range(word) && rule.mask[word] & !shut == 0 {
                continue;
            }
            for shift in nibbles.shifts(word) {
                let probe = Probe { word: word as u32, shift };
                let gated = !nibbles.is_range(word) && rule.mask[word] & !shut & 15 << shift == 0;
                if !gated
                    && !self.probes.contains(&probe)
                    && nibbles.accepted(rule, word, shift) != ALL_VALUES
                {
                    missing.push(probe);
                }
            }
        }
        missing
    }

    /// Removes the rule in a slot.
    pub(crate) fn remove(&mut self, nibbles: &Nibbles, slot: u32, rule_of: impl Fn(u32) -> UnpackedRule) {
        let Some(at) = self.rules.iter().position(|(_, other)| *other == slot) else { return };
        self.rules.remove(at);
        if self.rules.len() * 4 <= self.built_for {
            self.rules.shrink_to_fit();
            return self.rebuild_filter(nibbles, rule_of);
        }
        remove_bit(&mut self.present, at);
        self.equalities.iter_mut().for_each(|equality| remove_bit(&mut equality.unconstrained, at));
        self.rows.chunks_exact_mut(self.width).for_each(|row| remove_bit(row, at));
    }
}

impl EqualityTest {
    /// Returns whether the rule does not test these bits at all. Returns `None` if it tests only
    /// some of these bits, or compares them with another value.
    fn is_unconstrained_for(&self, rule: &UnpackedRule) -> Option<bool> {
        let word = self.word as usize;
        match rule.mask[word] & self.mask {
            0 => Some(true),
            mask if mask == self.mask && rule.value[word] & mask == self.value => Some(false),
            _ => None,
        }
    }
}
