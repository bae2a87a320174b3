//! Tokens: what the lexer makes of text, the preprocessor passes on and the parser reads.

mod kind;
mod lexer;
mod symbol;

pub(crate) use kind::TokenKind;
pub(crate) use lexer::{lex, lex_from, lex_single};
pub(crate) use symbol::{Interner, Keyword, Symbol};

use crate::span::Span;

/// A token. Small and `Copy`: its text is interned, its place is a span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub span: Span,
    /// The text of identifiers and integers, the inside of strings; [`Symbol::EMPTY`] for the rest.
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

    /// First token of its logical line.
    pub fn at_line_start(self) -> bool {
        self.flags & Token::LINE_START != 0
    }

    pub fn with_line_start(mut self, on: bool) -> Token {
        self.flags = if on { self.flags | Token::LINE_START } else { self.flags & !Token::LINE_START };
        self
    }

    /// Separated from the token before.
    pub fn has_space_before(self) -> bool {
        self.flags & (Token::SPACE_BEFORE | Token::LINE_START) != 0
    }

    pub fn with_space_before(mut self, on: bool) -> Token {
        self.flags = if on { self.flags | Token::SPACE_BEFORE } else { self.flags & !Token::SPACE_BEFORE };
        self
    }

    /// A macro's own name within its expansion, never to be expanded again (C11 6.10.3.4).
    pub fn is_painted(self) -> bool {
        self.flags & Token::NO_EXPAND != 0
    }

    pub fn painted(mut self) -> Token {
        self.flags |= Token::NO_EXPAND;
        self
    }

    /// The keyword that the token is, contextual ones included.
    pub fn keyword(self) -> Option<Keyword> {
        if self.kind == TokenKind::Identifier { self.text.keyword() } else { None }
    }

    /// The token as it would be spelled.
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
