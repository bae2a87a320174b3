//! A C-style preprocessor on tokens (specification section "Preprocessing", and C11 6.10 where that is silent).
//!
//! It goes through the files with an explicit stack, so that includes nest without recursion. Work is bounded: see
//! [`limits`].

mod architectures;
mod condition;
mod define;
mod directive;
mod expand;
mod include;
mod loader;

pub use loader::{LoadError, LoadedSource, MemoryLoader, SourceLoader};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::{SourceMap, Span};
use crate::token::{Interner, Symbol, Token, TokenKind, lex, lex_from};
use define::Macro;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Limits that keep hostile input from taking forever.
pub mod limits {
    /// How deep files may include each other.
    pub const INCLUDE_DEPTH: usize = 64;
    /// How many files may be included in all.
    pub const INCLUDES: usize = 4096;
    /// How many bytes of text may be read in all.
    pub const BYTES: usize = 1 << 28;
    /// How many tokens macro expansion may produce in all.
    pub const EXPANDED_TOKENS: usize = 1 << 21;
    /// How many macro expansions may happen in all.
    pub const EXPANSIONS: usize = 1 << 19;
    /// How many times the rest of a file may be lexed anew after a lone quote in an unused branch.
    pub const RELEXINGS: usize = 64;
    /// How deep macro calls may nest in each other's arguments, and parentheses in `#if`.
    pub const NESTING: usize = 128;
    /// How deep `#if`s may nest in each other.
    pub const CONDITIONALS: usize = 256;
}

/// A file being read.
struct Reading {
    name: Arc<str>,
    tokens: Vec<Token>,
    at: usize,
    conditionals: Vec<Conditional>,
    /// How often the rest was lexed anew, see [`Preprocessor::skip_string`].
    relexed: usize,
}

/// An open `#if`.
struct Conditional {
    directive: Span,
    /// Tokens under the current branch are used.
    active: bool,
    /// Some branch was used already, or the whole stands in an unused one.
    taken: bool,
    seen_else: bool,
}

/// The preprocessor's state.
pub(crate) struct Preprocessor<'a> {
    loader: &'a dyn SourceLoader,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    interner: &'a mut Interner,
    macros: FxHashMap<Symbol, Rc<Macro>>,
    once: FxHashSet<Arc<str>>,
    readings: Vec<Reading>,
    output: Vec<Token>,
    includes: usize,
    bytes: usize,
    includes_refused: bool,
    expanded_tokens: usize,
    expansion_refused: bool,
    nesting: usize,
}

/// Reads a root file with all its includes and returns the tokens that are left, the last of them
/// [`TokenKind::Eof`].
pub(crate) fn preprocess(
    root: &str,
    loader: &dyn SourceLoader,
    defines: &[(String, String)],
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    interner: &mut Interner,
) -> Vec<Token> {
    let mut preprocessor = Preprocessor {
        loader,
        sources,
        diagnostics,
        interner,
        macros: FxHashMap::default(),
        once: FxHashSet::default(),
        readings: Vec::new(),
        output: Vec::new(),
        includes: 0,
        bytes: 0,
        includes_refused: false,
        expanded_tokens: 0,
        expansion_refused: false,
        nesting: 0,
    };
    preprocessor.predefine(defines);
    match loader.load(root, false, None) {
        Ok(source) => preprocessor.open(source, None),
        Err(error) => preprocessor
            .diagnostics
            .push(Diagnostic::error("preprocess-root-unreadable", format!("cannot read `{root}`: {error}"))),
    }
    preprocessor.run();
    preprocessor.output
}

impl Preprocessor<'_> {
    /// Begins to read a text. The reader of the includer goes on when it ends.
    fn open(&mut self, source: LoadedSource, included_from: Option<Span>) {
        let name: Arc<str> = source.name.into();
        let mut text = source.text;
        if text.starts_with('\u{feff}') {
            // Three spaces keep the byte offsets of what follows the byte order mark.
            text.replace_range(..3, "   ");
        }
        self.bytes += text.len();
        let file = self.sources.add_file(name.clone(), text, included_from);
        let text = self.sources.file(file).map_or("", |f| f.text());
        let tokens = lex(text, file, self.interner);
        self.readings.push(Reading { name, tokens, at: 0, conditionals: Vec::new(), relexed: 0 });
    }

    fn run(&mut self) {
        let mut last = Span::NONE;
        while let Some(reading) = self.readings.last_mut() {
            let token = reading.tokens[reading.at];
            let skipping = reading.conditionals.last().is_some_and(|c| !c.active);
            match token.kind {
                TokenKind::Eof => {
                    last = token.span;
                    self.close();
                }
                TokenKind::Hash if token.at_line_start() => self.directive(),
                TokenKind::String if skipping => self.skip_string(token),
                _ if skipping => reading.at += 1,
                TokenKind::Identifier if self.macros.contains_key(&token.text) => {
                    reading.at += 1;
                    self.expand_in_file(token);
                }
                _ => {
                    reading.at += 1;
                    self.output.push(token);
                }
            }
        }
        self.output.push(Token::new(TokenKind::Eof, Symbol::EMPTY, last).with_line_start(true));
    }

    /// Skips a string in an unused branch. There a quote may be an inch sign: no string goes on beyond its line.
    fn skip_string(&mut self, token: Token) {
        let Some(reading) = self.readings.last_mut() else { return };
        reading.at += 1;
        let Some(text) = self.sources.file(token.span.file).map(|f| f.text()) else { return };
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        if let Some(length) = text[start..end].find('\n').filter(|_| reading.relexed < limits::RELEXINGS) {
            reading.relexed += 1;
            reading.tokens.truncate(reading.at);
            reading.tokens.extend(lex_from(text, start + length, token.span.file, self.interner));
        }
    }

    fn close(&mut self) {
        for open in self.readings.pop().map_or(Vec::new(), |r| r.conditionals) {
            self.diagnostics.push(
                Diagnostic::error("preprocess-unterminated-conditional", "this conditional has no `#endif`")
                    .primary(open.directive, "opened here")
                    .note("each `#if`, `#ifdef` and `#ifndef` needs its `#endif` in the same file"),
            );
        }
    }

    /// The tokens of the current line, which are consumed.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let Some(reading) = self.readings.last_mut() else { return Vec::new() };
        let rest = &reading.tokens[reading.at..];
        let length =
            rest.iter().position(|t| t.at_line_start() || t.kind == TokenKind::Eof).unwrap_or(rest.len() - 1);
        reading.at += length;
        rest[..length].to_vec()
    }

    fn spelling(&self, tokens: &[Token]) -> String {
        let mut text = String::new();
        for (at, token) in tokens.iter().enumerate() {
            if at > 0 && token.has_space_before() {
                text.push(' ');
            }
            text.push_str(&token.spelling(self.interner));
        }
        text
    }
}
