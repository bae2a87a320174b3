//! Aliases: the shortest ends of names.

use rustc_hash::{FxHashMap, FxHashSet};

use super::find::Found;

/// How many names of the program have each end, cut at a dot. A name of objects of several kinds
/// counts once.
pub(super) struct Ends<'a>(FxHashMap<&'a str, u32>);

impl<'a> Ends<'a> {
    pub(super) fn new(found: &[Found<'a>]) -> Self {
        let names: FxHashSet<&str> = found.iter().map(|object| object.declared).collect();
        let mut ends = FxHashMap::default();
        for name in names {
            for end in Self::name_ends(name) {
                *ends.entry(end).or_default() += 1;
            }
        }
        Self(ends)
    }

    /// The ends of a name, the shortest first.
    fn name_ends(name: &'a str) -> impl Iterator<Item = &'a str> {
        name.rmatch_indices('.').map(|(at, _)| &name[at + 1..]).chain([name])
    }

    /// The shortest end of a name that no other name has.
    pub(super) fn shortest(&self, name: &'a str) -> &'a str {
        Self::name_ends(name).find(|end| self.0.get(end) == Some(&1)).unwrap_or(name)
    }
}
