//! The names that are known as types at the current position: in P4, declarations precede uses.

use crate::token::Symbol;
use rustc_hash::FxHashMap;

/// Declared types, and the type parameters of the declarations being parsed.
#[derive(Default)]
pub(super) struct TypeNames {
    known: FxHashMap<Symbol, bool>,
    undo: Vec<(Symbol, Option<bool>)>,
}

impl TypeNames {
    /// Declares a type for the rest of the program.
    pub fn declare(&mut self, name: Symbol) {
        self.known.insert(name, true);
    }

    /// Declares a type until [`TypeNames::leave`].
    pub fn declare_locally(&mut self, name: Symbol) {
        let before = self.known.insert(name, true);
        self.undo.push((name, before));
    }

    /// Starts a scope.
    pub fn enter(&self) -> usize {
        self.undo.len()
    }

    /// Ends the scope for which [`TypeNames::enter`] returned `mark`.
    pub fn leave(&mut self, mark: usize) {
        for (name, before) in self.undo.drain(mark..).rev() {
            match before {
                Some(known) => self.known.insert(name, known),
                None => self.known.remove(&name),
            };
        }
    }

    pub fn contains(&self, name: Symbol) -> bool {
        self.known.get(&name).copied().unwrap_or(false)
    }
}
