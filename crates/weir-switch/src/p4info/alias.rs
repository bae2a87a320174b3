//! Finds aliases: the shortest unique suffixes of names.

use rustc_hash::{FxHashMap, FxHashSet};

use super::find::Found;

/// The number of names in the program that have each suffix that begins after a dot. A name that
/// objects of several kinds have is counted once.
pub(super) struct Suffixes<'a>(FxHashMap<&'a str, u32>);

impl<'a> Suffixes<'a> {
    pub(super) fn new(found: &[Found<'a>]) -> Self {
        let names: FxHashSet<&str> = found.iter().map(|object| object.declared).collect();
        let mut ends = FxHashMap::default();
        for name in names {
            for end in Self::suffixes(name) {
                *ends.entry(end).or_default() += 1;
            }
        }
        Self(ends)
    }

    /// Returns the suffixes of a name, the shortest first.
    fn suffixes(name: &'a str) -> impl Iterator<Item = &'a str> {
        name.rmatch_indices('.').map(|(at, _)| &name[at + 1..]).chain([name])
    }

    /// Returns the shortest suffix of a name that no other name has.
    pub(super) fn shortest_suffix(&self, name: &'a str) -> &'a str {
        Self::suffixes(name).find(|end| self.0.get(end) == Some(&1)).unwrap_or(name)
    }
}
