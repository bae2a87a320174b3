//! The parser: recursive descent, with precedence climbing for operators.
//!
//! A syntax error is reported where it is found and the function returns [`Abort`]; the innermost
//! list (of statements, fields, declarations …) skips to where its next element may start and
//! continues. If only a `;` is missing, nothing is skipped. In a few places, P4's grammar depends
//! on which names are types. There, the parser looks ahead over tokens and, if that is not enough,
//! checks which types are declared so far ([`scope`]).

mod annotation;
mod body;
mod control_flow;
mod cursor;
mod declaration;
mod expression;
mod habits;
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
use crate::source_map::SourceMap;
use crate::token::{Interner, Token};
use scope::TypeNames;

/// Limits that keep trees shallow enough for recursion, in the parser and in all later stages.
pub mod limits {
    /// Maximum nesting depth of brackets, statements and types.
    pub const NESTING: u32 = 128;
    /// Maximum height of an expression's tree: operators and their operands.
    pub const HEIGHT: u32 = 500;

    /// Returns an upper bound of the height that a chain of operators adds to a tree, if its
    /// operands may be grouped in any way. (See
    /// [`ChainExpr::GROUP`](crate::ast::ChainExpr::GROUP).)
    pub(super) fn height_of_run(operators: u32) -> u32 {
        operators.min(crate::ast::ChainExpr::GROUP as u32 + u32::BITS - operators.leading_zeros())
    }
}

/// A syntax error was reported; the caller also returns, or recovers.
#[derive(Debug)]
pub(crate) struct Abort;

type Parsed<T> = Result<T, Abort>;

pub(crate) struct Parser<'a> {
    /// The last token is [`TokenKind::Eof`](crate::token::TokenKind::Eof).
    tokens: &'a [Token],
    at: usize,
    interner: &'a Interner,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    last_id: u32,
    /// The number of active calls of [`Parser::nested`].
    nesting: u32,
    /// The height of the expression that was parsed last.
    height: u32,
    /// The token of the last reported error. Another error at this token is a consequence of the
    /// first one.
    last_error_at: Option<usize>,
    /// The `>` that ends the width being parsed, and is therefore not an operator.
    width_end: Option<usize>,
    types: TypeNames,
}

/// Parses a preprocessed program.
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
        height: 0,
        last_error_at: None,
        width_end: None,
        types: TypeNames::default(),
    };
    let declarations = parser.program();
    Program { declarations, node_count: parser.last_id }
}

impl Parser<'_> {
    fn next_id(&mut self) -> NodeId {
        self.last_id += 1;
        NodeId(self.last_id)
    }
}
