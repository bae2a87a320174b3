//! Tokens to tree: recursive descent, with precedence climbing for operators.
//!
//! A mistake is reported where it is met and the function returns [`Abort`]; the nearest list (of statements, fields,
//! declarations …) skips to where its next element may begin and goes on. Where only a `;` is missing nothing is
//! skipped at all.
//!
//! P4's grammar needs to know which names are types in few places; there the parser looks ahead over tokens, and
//! where that is not enough asks which types were declared so far ([`scope`]).

mod annotation;
mod body;
mod control_flow;
mod cursor;
mod declaration;
mod expression;
mod local;
mod lookahead;
mod recovery;
mod scope;
mod signature;
mod state;
mod statement;
mod table;
mod types;

use crate::ast::{NodeId, Program};
use crate::diagnostic::Diagnostics;
use crate::span::SourceMap;
use crate::token::{Interner, Token};
use scope::TypeNames;

/// Limits that keep trees small enough for recursion, here and in every later stage.
pub mod limits {
    /// How deep brackets, statements and types may nest.
    pub const NESTING: u32 = 128;
    /// How high an expression's tree may be: the longest chain of operators.
    pub const HEIGHT: u32 = 500;
    /// How long an `else if` chain may be, those around it counted in.
    pub const CHAIN: u32 = 500;
}

/// A mistake was reported; the caller gives up too or recovers.
#[derive(Debug)]
pub(crate) struct Abort;

type Parsed<T> = Result<T, Abort>;

pub(crate) struct Parser<'a> {
    /// Ends in [`TokenKind::Eof`](crate::token::TokenKind::Eof).
    tokens: &'a [Token],
    at: usize,
    interner: &'a Interner,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    last_id: u32,
    /// Calls of [`Parser::nested`] under way.
    nesting: u32,
    /// Links of `else if` chains under way.
    chain: u32,
    /// Height of the expression parsed last.
    height: u32,
    /// The token of the last mistake reported: another one there would be a consequence.
    mistake_at: Option<usize>,
    types: TypeNames,
}

/// Builds the tree of a preprocessed program.
pub(crate) fn parse_tokens(
    tokens: &[Token],
    interner: &Interner,
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) -> Program {
    let mut parser = Parser {
        tokens,
        at: 0,
        interner,
        sources,
        diagnostics,
        last_id: 0,
        nesting: 0,
        chain: 0,
        height: 0,
        mistake_at: None,
        types: TypeNames::default(),
    };
    let declarations = parser.program();
    Program { declarations, node_count: parser.last_id }
}

impl Parser<'_> {
    fn fresh(&mut self) -> NodeId {
        self.last_id += 1;
        NodeId(self.last_id)
    }
}
