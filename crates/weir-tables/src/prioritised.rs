//! Ternary, range and optional fields and mixtures: entries in the order of their precedence, the first that matches wins.

use std::cmp::Reverse;

use crate::key::KeyLayout;
use crate::pattern::{Pattern, masked_eq};

/// Rules from the most to the least preferred.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrioritisedIndex {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    precedence: Precedence,
    value: Box<[u8]>,
    mask: Box<[u8]>,
    ranges: Vec<FieldRange>,
    slot: usize,
}

#[derive(Clone, Debug)]
struct FieldRange {
    field: usize,
    low: Box<[u8]>,
    high: Box<[u8]>,
}

/// Larger priorities first, then older entries.
type Precedence = (Reverse<u32>, u64);

impl PrioritisedIndex {
    pub(crate) fn find(&self, layout: &KeyLayout, key: &[u8]) -> Option<usize> {
        self.rules.iter().find(|rule| rule.matches(layout, key)).map(|rule| rule.slot)
    }

    pub(crate) fn insert(
        &mut self,
        layout: &KeyLayout,
        patterns: &[Pattern],
        priority: u32,
        handle: u64,
        slot: usize,
    ) {
        let precedence = (Reverse(priority), handle);
        let fields = || patterns.iter().zip(layout.fields());
        let rule = Rule {
            precedence,
            value: fields().flat_map(|(pattern, field)| pattern.base(*field)).collect(),
            mask: fields().flat_map(|(pattern, field)| pattern.mask(*field)).collect(),
            ranges: patterns
                .iter()
                .enumerate()
                .filter_map(|(field, pattern)| match pattern {
                    Pattern::Range(low, high) => {
                        Some(FieldRange { field, low: low.clone(), high: high.clone() })
                    }
                    _ => None,
                })
                .collect(),
            slot,
        };
        let place = self.rules.partition_point(|other| other.precedence < precedence);
        self.rules.insert(place, rule);
    }

    pub(crate) fn remove(&mut self, priority: u32, handle: u64) {
        if let Ok(place) =
            self.rules.binary_search_by_key(&(Reverse(priority), handle), |rule| rule.precedence)
        {
            self.rules.remove(place);
        }
    }
}

impl Rule {
    fn matches(&self, layout: &KeyLayout, key: &[u8]) -> bool {
        masked_eq(key, &self.value, &self.mask)
            && self.ranges.iter().all(|range| {
                let value = &key[layout.range(range.field)];
                *range.low <= *value && *value <= *range.high
            })
    }
}
