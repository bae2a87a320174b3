//! Looks ahead over tokens without building a tree, for example to find out whether they form a
//! type, or where a bracket ends.
//!
//! All functions are iterative or bounded, so that they are cheap on any text.

use super::Parser;
use crate::token::{Keyword, TokenKind};

/// Maximum number of tokens in a type that lookahead recognises.
const MAX_TYPE_TOKENS: usize = 1024;
/// Maximum nesting of angle brackets in a type that lookahead recognises.
const MAX_TYPE_NESTING: usize = 64;

impl Parser<'_> {
    fn kind_at(&self, index: usize) -> TokenKind {
        self.token_at(index).kind
    }

    /// Scans from an opening bracket to the position after its closing bracket; `None` if a `;` or
    /// the end of the file comes first.
    pub(super) fn scan_balanced(&self, from: usize) -> Option<usize> {
        let mut open = Vec::new();
        let mut index = from;
        loop {
            match self.kind_at(index) {
                TokenKind::LParen => open.push(TokenKind::RParen),
                TokenKind::LBracket => open.push(TokenKind::RBracket),
                TokenKind::LBrace => open.push(TokenKind::RBrace),
                kind @ (TokenKind::RParen | TokenKind::RBracket | TokenKind::RBrace)
                    if open.pop() != Some(kind) =>
                {
                    return None;
                }
                TokenKind::Semicolon | TokenKind::Eof => return None,
                _ => {}
            }
            index += 1;
            if open.is_empty() {
                return Some(index);
            }
        }
    }

    /// Scans from the start of a type to the position after it, including its `[sizes]`.
    pub(super) fn scan_type(&self, from: usize) -> Option<usize> {
        self.scan_type_at(from, from + MAX_TYPE_TOKENS, MAX_TYPE_NESTING)
    }

    /// Scans from the `<` of a list of type arguments to the position after its `>`.
    pub(super) fn scan_type_args(&self, from: usize) -> Option<usize> {
        self.scan_args_at(from, from + MAX_TYPE_TOKENS, MAX_TYPE_NESTING)
    }

    fn scan_type_at(&self, from: usize, limit: usize, nesting: usize) -> Option<usize> {
        let token = self.token_at(from);
        let mut index = match token.keyword() {
            Some(Keyword::Bool | Keyword::Error | Keyword::MatchKind | Keyword::String | Keyword::Void) => {
                from + 1
            }
            Some(Keyword::Bit | Keyword::Int | Keyword::Varbit) => self.scan_width(from + 1)?,
            Some(Keyword::Tuple) => self.scan_args_at(from + 1, limit, nesting)?,
            Some(Keyword::List) if self.kind_at(from + 1) == TokenKind::Lt => {
                self.scan_args_at(from + 1, limit, nesting)?
            }
            _ => {
                let name = from + usize::from(token.kind == TokenKind::Dot);
                if !Parser::is_name(self.token_at(name)) {
                    return None;
                }
                match self.kind_at(name + 1) {
                    TokenKind::Lt => self.scan_args_at(name + 1, limit, nesting)?,
                    _ => name + 1,
                }
            }
        };
        while self.kind_at(index) == TokenKind::LBracket {
            index = self.scan_balanced(index)?;
        }
        (index <= limit).then_some(index)
    }

    /// Scans from the `<` before a width, if there is one, to the position after its `>`, which is
    /// the next `>` outside of parentheses.
    pub(super) fn scan_width(&self, from: usize) -> Option<usize> {
        if self.kind_at(from) != TokenKind::Lt {
            return Some(from);
        }
        let mut index = from + 1;
        while index <= from + MAX_TYPE_TOKENS {
            index = match self.kind_at(index) {
                TokenKind::Gt => return (index > from + 1).then_some(index + 1),
                TokenKind::LParen | TokenKind::LBracket => self.scan_balanced(index)?,
                TokenKind::RParen
                | TokenKind::RBracket
                | TokenKind::LBrace
                | TokenKind::RBrace
                | TokenKind::Comma
                | TokenKind::Semicolon
                | TokenKind::Assign
                | TokenKind::Eof => return None,
                _ => index + 1,
            };
        }
        None
    }

    /// Returns whether the width at the current position is one expression in parentheses.
    pub(super) fn is_parenthesised_width(&self) -> bool {
        self.scan_balanced(self.at).is_none_or(|end| self.kind_at(end) == TokenKind::Gt)
            || self.scan_width(self.at - 1).is_none()
    }

    fn scan_args_at(&self, from: usize, limit: usize, nesting: usize) -> Option<usize> {
        if nesting == 0 || self.kind_at(from) != TokenKind::Lt {
            return None;
        }
        let mut index = from + 1;
        if self.kind_at(index) == TokenKind::Gt {
            return Some(index + 1);
        }
        loop {
            index = match self.token_at(index).keyword() {
                Some(Keyword::DontCare) => index + 1,
                _ => self.scan_type_at(index, limit, nesting - 1)?,
            };
            if index > limit {
                return None;
            }
            match self.kind_at(index) {
                TokenKind::Comma => index += 1,
                TokenKind::Gt => return Some(index + 1),
                _ => return None,
            }
        }
    }

    /// Returns whether the `<` at the cursor starts the type arguments of a call, not a comparison.
    ///
    /// `f<T>(x)` could also be `(f < T) > (x)`, but that compares a Boolean and is never valid. `a
    /// < b, c > (d)` in a list could be valid, so at least one of several arguments must be a known
    /// type.
    pub(super) fn is_generic_call(&self) -> bool {
        let Some(end) = self.scan_type_args(self.at) else { return false };
        if self.kind_at(end) != TokenKind::LParen {
            return false;
        }
        let mut commas = false;
        let mut is_call = false;
        for token in &self.tokens[self.at + 1..end] {
            commas |= token.kind == TokenKind::Comma;
            is_call |= token.kind == TokenKind::Identifier
                && (token.keyword().is_some_and(|k| !k.is_contextual()) || self.types.contains(token.text));
        }
        is_call || !commas
    }

    /// Returns whether the `(` at the cursor starts a cast, not an expression in parentheses.
    pub(super) fn is_cast(&self) -> bool {
        let inside = self.at + 1;
        let first = self.token_at(inside);
        match first.keyword() {
            Some(keyword) if always_starts_type(keyword) => return true,
            Some(Keyword::Error) => return self.kind_at(inside + 1) != TokenKind::Dot,
            _ => {}
        }
        let Some(end) = self.scan_type(inside).filter(|end| self.kind_at(*end) == TokenKind::RParen) else {
            return false;
        };
        let name = inside + usize::from(first.kind == TokenKind::Dot);
        if self.kind_at(name + 1) == TokenKind::Lt || self.types.contains(self.token_at(name).text) {
            return true;
        }
        // The name is not a known type: it is a cast if the next token cannot follow an expression.
        let next = self.token_at(end + 1);
        match next.kind {
            TokenKind::Identifier => !matches!(
                next.keyword(),
                Some(Keyword::In | Keyword::Else | Keyword::Default | Keyword::DontCare)
            ),
            TokenKind::Integer
            | TokenKind::String
            | TokenKind::LBrace
            | TokenKind::InvalidHeader
            | TokenKind::Bang
            | TokenKind::Tilde => true,
            _ => false,
        }
    }
}

/// Returns whether every use of a keyword starts a type. `error`, `list` and others also start
/// expressions.
pub(super) fn always_starts_type(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Bool
            | Keyword::Bit
            | Keyword::Int
            | Keyword::Varbit
            | Keyword::String
            | Keyword::Tuple
            | Keyword::MatchKind
            | Keyword::Void
    )
}
