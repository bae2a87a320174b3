//! Tokens: produced by the lexer, processed by the preprocessor, read by the parser.

mod kind;
mod lexer;
mod symbol;

pub(crate) use kind::TokenKind;
pub(crate) use lexer::{lex, lex_from, lex_single};
pub(crate) use symbol::{Interner, Keyword, Symbol};

use crate::span::Span;

/// The maximum number of tokens of a program's files.
pub(crate) const MAX_TOKENS: usize = 1 << 21;

/// A token. Small and `Copy`: its text is interned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub span: Span,
    /// The text of identifiers and integers, the contents of strings; [`Symbol::EMPTY`] for other
    /// tokens.
    pub text: Symbol,
    pub kind: TokenKind,
    pub flags: u8,
}

impl Token {
    const LINE_START: u8 = 1;
    const SPACE_BEFORE: u8 = 2;
    const NO_EXPAND: u8 = 4;

    pub fn new(kind: TokenKind, text: Symbol, span: Span) -> Token {
        Token { span, text, kind, flags: 0 }
    }

    /// Returns whether this is the first token of its logical line.
    pub fn at_line_start(self) -> bool {
        self.flags & Token::LINE_START != 0
    }

    pub fn with_line_start(mut self, on: bool) -> Token {
        self.flags = if on { self.flags | Token::LINE_START } else { self.flags & !Token::LINE_START };
        self
    }

    /// Returns whether whitespace or a comment separates the token from the previous one.
    pub fn has_space_before(self) -> bool {
        self.flags & (Token::SPACE_BEFORE | Token::LINE_START) != 0
    }

    pub fn with_space_before(mut self, on: bool) -> Token {
        self.flags = if on { self.flags | Token::SPACE_BEFORE } else { self.flags & !Token::SPACE_BEFORE };
        self
    }

    /// Returns whether this is a macro's own name within the macro's expansion; such a name is
    /// never expanded again (C11 6.10.3.4).
    pub fn is_no_expand(self) -> bool {
        self.flags & Token::NO_EXPAND != 0
    }

    pub fn with_no_expand(mut self) -> Token {
        self.flags |= Token::NO_EXPAND;
        self
    }

    /// Returns the token's keyword, if it is one, including contextual keywords.
    pub fn keyword(self) -> Option<Keyword> {
        if self.kind == TokenKind::Identifier { self.text.keyword() } else { None }
    }

    /// Returns the token's source text.
    pub fn spelling(self, interner: &Interner) -> std::borrow::Cow<'_, str> {
        match self.kind {
            TokenKind::String => format!("\"{}\"", interner.text(self.text)).into(),
            TokenKind::Identifier
            | TokenKind::Integer
            | TokenKind::Unknown
            | TokenKind::UnterminatedString
            | TokenKind::UnterminatedComment => (&**interner.text(self.text)).into(),
            kind => kind.symbol().into(),
        }
    }
}
