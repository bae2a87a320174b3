//! The syntax tree of a program after preprocessing. Names are unresolved.
//!
//! Conventions: every node has a `span`; every node that later stages attach information to has an
//! `id`, unique within a [`Program`]. A struct holds the common parts of a node, its `…Kind` enum
//! the variants. Parentheses are not in the tree: the [printer](crate::print) inserts them where
//! precedence needs them. The derived `==` also compares spans and ids; [`same_program`] ignores
//! them.
//!
//! The grammar is that of the P4_16 specification v1.2.5, appendix "P4 grammar".

mod annotation;
mod decl;
mod erase;
mod expr;
mod literal;
mod parser_state;
mod stmt;
mod table;
mod ty;

pub use annotation::*;
pub use decl::*;
pub use erase::{EraseLocations, same_program};
pub use expr::*;
pub use literal::*;
pub use parser_state::*;
pub use stmt::*;
pub use table::*;
pub use ty::*;

use crate::span::Span;
use std::sync::Arc;

/// Id of a node, unique within its [`Program`], from 1 to [`Program::node_count`]; 0 in trees not
/// created by the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct NodeId(pub u32);

/// A name with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: Arc<str>,
    /// The location.
    pub span: Span,
}

impl Name {
    /// Creates a name.
    pub fn new(text: impl Into<Arc<str>>, span: Span) -> Name {
        Name { text: text.into(), span }
    }

    /// Returns the identifier as a plain string.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// A whole program: the root file with everything it includes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// The top-level declarations in order.
    pub declarations: Vec<Declaration>,
    /// The largest [`NodeId`] in use: a side table indexed by node needs this size plus one.
    pub node_count: u32,
}
