//! The reason why frames must reach a program as on a wire.

use std::fmt;

use weir_ir::{Loc, Program};

use crate::error::Place;

/// The part of a program that could distinguish a frame with offloads from frames on a wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The place in the source; `None` if there is no place.
    pub place: Option<Place>,
    /// A description of what the program does at this place.
    pub what: String,
}

impl Reason {
    pub(super) fn new(program: &Program, loc: Loc, what: impl Into<String>) -> Self {
        Self { place: loc.is_some().then(|| Place::new(program, loc)), what: what.into() }
    }
}

impl fmt::Display for Reason {
    /// Writes `file:line:column: what`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.what)
    }
}
