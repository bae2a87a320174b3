//! Facts about the whole program that one attempt at lowering finds, and that later attempts use.
//!
//! The code of an instance is generated where it is first applied. A later application may need
//! different code: with copied arguments, with a choice between extern objects, or with an `exit`
//! that unwinds through callers. Such facts are recorded here and the program is lowered again.
//! Facts are only added, at most one for each instance, object and action, so this terminates.
//! Names and the order of instances are the same in each attempt, so facts remain valid.

use rustc_hash::{FxHashMap, FxHashSet};
use weir_ir as ir;

/// The facts that one attempt passes to the next. Blocks are identified by the order of their
/// creation, actions by their control-plane name and source location.
#[derive(Debug, Default)]
pub(super) struct LoweringFacts {
    /// The blocks that several other blocks apply. Their parameters cannot share the storage of an
    /// argument.
    copied: FxHashSet<usize>,
    /// The blocks in which `exit` must unwind through callers that copy out.
    unwinding: FxHashSet<usize>,
    /// The extern objects that are passed for a parameter of a block, by block and position.
    objects: FxHashMap<(usize, usize), Vec<ir::ExternId>>,
    /// The actions to which tables bind different arguments.
    selected: FxHashSet<(String, ir::Loc)>,
    /// Whether this attempt added a fact that it did not use itself.
    has_new_facts: bool,
}

impl LoweringFacts {
    /// Returns whether another attempt is necessary. The next attempt uses all facts known so far.
    pub(super) fn take_new_facts(&mut self) -> bool {
        std::mem::take(&mut self.has_new_facts)
    }

    pub(super) fn is_copied(&self, block: usize) -> bool {
        self.copied.contains(&block)
    }

    pub(super) fn record_copied(&mut self, block: usize) {
        self.has_new_facts |= self.copied.insert(block);
    }

    pub(super) fn is_unwinding(&self, block: usize) -> bool {
        self.unwinding.contains(&block)
    }

    pub(super) fn record_unwinding(&mut self, block: usize) {
        self.has_new_facts |= self.unwinding.insert(block);
    }

    /// Returns the extern objects that are passed for a parameter, if there are several.
    pub(super) fn objects(&self, block: usize, param: usize) -> Option<&[ir::ExternId]> {
        self.objects.get(&(block, param)).map(Vec::as_slice)
    }

    /// Records that different applications pass different objects for a parameter.
    pub(super) fn record_objects(&mut self, block: usize, param: usize, given: &[ir::ExternId]) {
        let objects = self.objects.entry((block, param)).or_default();
        for &object in given {
            if !objects.contains(&object) {
                objects.push(object);
                self.has_new_facts = true;
            }
        }
    }

    pub(super) fn is_selected(&self, action: &str, loc: ir::Loc) -> bool {
        self.selected.contains(&(action.to_string(), loc))
    }

    pub(super) fn record_selected(&mut self, action: &str, loc: ir::Loc) {
        self.has_new_facts |= self.selected.insert((action.to_string(), loc));
    }
}
