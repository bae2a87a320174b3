//! Notes: values that controllers write and read back although the switch does not store them, such
//! as metadata, sizes of groups, one-shot actions as written, and settings of digests.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use weir_ir::TableId;

use crate::proto::v1;

/// The note for an entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EntryNote {
    pub metadata: Vec<u8>,
    pub controller_metadata: u64,
    /// The one-shot actions as the controller wrote them.
    pub action_set: Option<Box<v1::ActionProfileActionSet>>,
}

impl EntryNote {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The note for a group of a selector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GroupNote {
    pub max_size: i32,
    /// The members as the controller wrote them.
    pub members: Vec<v1::action_profile_group::Member>,
}

/// A table entry by its handle, or the default entry if there is no handle.
pub(crate) type EntryKey = (TableId, Option<u64>);

/// All notes of a pipeline. Changes can be undone until [`Notes::settle`] is called.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub entries: Kept<EntryKey, EntryNote>,
    /// The groups, by profile and number.
    pub groups: Kept<(usize, u32), GroupNote>,
    /// The number of members and the sum of weights in all groups of each profile.
    pub group_sizes: Kept<usize, (i64, i64)>,
    /// The number of entries with one-shot actions in the tables of each profile.
    pub one_shots: Kept<usize, u64>,
    pub multicast: Kept<u32, v1::MulticastGroupEntry>,
    pub clones: Kept<u32, v1::CloneSessionEntry>,
    pub digests: Kept<u32, v1::DigestEntry>,
}

/// A position in the change logs of all notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark([usize; 7]);

impl Notes {
    /// Returns the notes of all kinds.
    fn each(&mut self) -> [&mut dyn Undo; 7] {
        [
            &mut self.entries,
            &mut self.groups,
            &mut self.group_sizes,
            &mut self.one_shots,
            &mut self.multicast,
            &mut self.clones,
            &mut self.digests,
        ]
    }

    /// Forgets the notes about state that a reset of the switch removes. Clone sessions and digests
    /// stay.
    pub fn forget_reset(&mut self) {
        let clones = std::mem::take(&mut self.clones);
        let digests = std::mem::take(&mut self.digests);
        *self = Self { clones, digests, ..Self::default() };
    }

    pub fn mark(&mut self) -> Mark {
        Mark(self.each().map(|notes| notes.changes()))
    }

    /// Undoes all changes since the mark.
    pub fn take_back(&mut self, Mark(mark): Mark) {
        self.each().into_iter().zip(mark).for_each(|(notes, mark)| notes.take_back(mark));
    }

    /// Makes the changes permanent.
    pub fn settle(&mut self) {
        self.each().into_iter().for_each(Undo::settle);
    }
}

/// A type that can undo its changes.
trait Undo {
    fn changes(&self) -> usize;
    fn take_back(&mut self, len: usize);
    fn settle(&mut self);
}

impl<K: Copy + Ord + std::hash::Hash, V> Undo for Kept<K, V> {
    fn changes(&self) -> usize {
        self.old.len()
    }

    fn take_back(&mut self, len: usize) {
        while self.old.len() > len {
            match self.old.pop() {
                Some((key, Some(note))) => drop(self.notes.insert(key, note)),
                Some((key, None)) => drop(self.notes.remove(&key)),
                None => return,
            }
        }
    }

    fn settle(&mut self) {
        self.old.clear();
    }
}

/// Notes of one kind, by key.
#[derive(Debug)]
pub(crate) struct Kept<K, V> {
    notes: FxHashMap<K, V>,
    /// The previous values of changed keys, in the order of the changes, until the changes are
    /// settled.
    old: Vec<(K, Option<V>)>,
}

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self { notes: FxHashMap::default(), old: Vec::new() }
    }
}

impl<K: Copy + Ord + std::hash::Hash, V> Kept<K, V> {
    pub fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    pub fn get(&self, key: K) -> Option<&V> {
        self.notes.get(&key)
    }

    /// Sets or removes a note.
    pub fn set(&mut self, key: K, note: Option<V>) {
        let old = match note {
            Some(note) => self.notes.insert(key, note),
            None => self.notes.remove(&key),
        };
        self.old.push((key, old));
    }

    /// Returns all notes in the order of their keys.
    pub fn sorted(&self) -> BTreeMap<K, &V> {
        self.notes.iter().map(|(key, note)| (*key, note)).collect()
    }
}
