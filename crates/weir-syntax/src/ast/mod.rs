//! The syntax tree: what was written, after preprocessing, with every name unresolved.
//!
//! Conventions. Every node has a `span`; every node that a later stage may want to say something about has an `id`,
//! unique within a [`Program`]. Structs hold what is always there; an `…Kind` enum holds the choice.
//! Parentheses leave no trace: the [printer](crate::print) puts them back where precedence needs them.
//! Derived equality compares spans and ids too; [`same_program`] compares what was written alone.
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

/// Number of a node, unique within its [`Program`], from 1 to [`Program::node_count`]; 0 in trees not made by the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct NodeId(pub u32);

/// A name as written, at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

impl Name {
    /// A name at a place.
    pub fn new(text: impl Into<Arc<str>>, span: Span) -> Name {
        Name { text: text.into(), span }
    }

    /// The identifier as a plain string.
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
    /// The largest [`NodeId`] in use: side tables of this size plus one hold any node.
    pub node_count: u32,
}
