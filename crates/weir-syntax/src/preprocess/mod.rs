//! A C-style preprocessor on tokens (specification section "Preprocessing", and C11 6.10 for
//! details that it leaves open). Where C differs from GNU's `cpp -x assembler-with-cpp`, which p4c
//! calls, the preprocessor behaves like `cpp`, because programs are written for it. `tests.rs`
//! compares the two.
//!
//! Open files are kept on an explicit stack, so that nested includes need no recursion. [`limits`]
//! bounds the work.

mod architectures;
mod condition;
mod define;
mod directive;
mod expand;
mod include;
mod loader;
mod substitute;
mod text;

pub use loader::{LoadError, LoadedSource, MemoryLoader, SourceLoader};
pub use text::text;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source_map::SourceMap;
use crate::span::{FileId, Span};
use crate::token::{Interner, Symbol, Token, TokenKind, lex, lex_from};
use define::Macro;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Limits that bound the work on hostile input.
pub mod limits {
    /// Maximum depth of nested includes.
    pub const INCLUDE_DEPTH: usize = 64;
    /// Maximum number of included files in total.
    pub const INCLUDES: usize = 4096;
    /// Maximum number of bytes of text read in total.
    pub const BYTES: usize = 1 << 24;
    /// Maximum number of tokens of all files in total, before macros are expanded. Each node of the
    /// syntax tree has at least one token of its own.
    pub const TOKENS: usize = crate::token::MAX_TOKENS;
    /// Maximum number of tokens produced by macro expansion in total.
    pub const EXPANDED_TOKENS: usize = 1 << 21;
    /// Maximum number of macro expansions in total.
    pub const EXPANSIONS: usize = 1 << 19;
    /// Maximum number of times the rest of a file is lexed again after a lone quote in an inactive
    /// branch.
    pub const RELEXINGS: usize = 64;
    /// Maximum depth of macro calls nested in arguments, and of nesting in `#if` expressions.
    pub const NESTING: usize = 128;
    /// Maximum depth of nested `#if`s.
    pub const CONDITIONALS: usize = 256;
}

/// A file being read.
struct OpenFile {
    name: Arc<str>,
    tokens: Vec<Token>,
    at: usize,
    conditionals: Vec<Conditional>,
    /// The number of times that the rest of the file was lexed again, see
    /// [`Preprocessor::skip_string`].
    relexed: usize,
}

/// An open `#if`.
struct Conditional {
    directive: Span,
    /// Whether the current branch is active.
    active: bool,
    /// Whether a branch was already active, or the conditional is in an inactive branch.
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
    open_files: Vec<OpenFile>,
    output: Vec<Token>,
    includes: usize,
    bytes: usize,
    tokens: usize,
    includes_stopped: bool,
    expanded_tokens: usize,
    expansion_stopped: bool,
    nesting: usize,
    /// True while a condition is expanded, in which `defined` protects names.
    in_condition: bool,
    /// Whether an error in the current condition was reported.
    condition_failed: bool,
    /// The next value of `__COUNTER__`.
    counter: u32,
    /// The places of `##` operators whose tokens could not be joined, so that each is reported
    /// once.
    failed_pastes: FxHashSet<(FileId, u32)>,
}

/// Preprocesses a root file with all its includes. The last token returned is [`TokenKind::Eof`].
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
        open_files: Vec::new(),
        output: Vec::new(),
        includes: 0,
        bytes: 0,
        tokens: 0,
        includes_stopped: false,
        expanded_tokens: 0,
        expansion_stopped: false,
        nesting: 0,
        in_condition: false,
        condition_failed: false,
        counter: 0,
        failed_pastes: FxHashSet::default(),
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

/// Returns the first carriage return in a line with a directive or a comment `//` that stands
/// before other text of that line.
fn lone_carriage_return(text: &str) -> Option<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let carriage_return = line.trim_end().find('\r');
        if let Some(at) =
            carriage_return.filter(|_| line.trim_start().starts_with('#') || line.contains("//"))
        {
            return Some(start + at);
        }
        start += line.len();
    }
    None
}

impl Preprocessor<'_> {
    /// Starts reading a file. The including file continues when it ends.
    fn open(&mut self, source: LoadedSource, included_from: Option<Span>) {
        let name: Arc<str> = source.name.into();
        let mut text = source.text;
        self.bytes += text.len();
        if self.bytes > limits::BYTES {
            self.too_large(&name, included_from);
            return;
        }
        if text.starts_with('\u{feff}') {
            // Three spaces replace the byte order mark, which preserves the byte offsets after it.
            text.replace_range(..3, "   ");
        }
        let file = self.sources.add_file(name.clone(), text, included_from);
        let text = self.sources.file(file).map_or("", |f| f.text());
        if let Some(at) = lone_carriage_return(text) {
            let diagnostic = Diagnostic::warning(
                "preprocess-extra-tokens",
                "a carriage return without a line feed does not end a line",
            )
            .primary(Span::new(file, at as u32, at as u32 + 1), "what follows belongs to this line")
            .note("end lines with a line feed, or with both");
            self.diagnostics.push(diagnostic);
        }
        let tokens = lex(text, file, self.interner);
        self.tokens += tokens.len();
        if self.tokens > limits::TOKENS {
            self.too_large(&name, included_from);
            return;
        }
        self.open_files.push(OpenFile { name, tokens, at: 0, conditionals: Vec::new(), relexed: 0 });
    }

    fn run(&mut self) {
        let mut last = Span::NONE;
        while let Some(current) = self.open_files.last_mut() {
            let token = current.tokens[current.at];
            let skipping = current.conditionals.last().is_some_and(|c| !c.active);
            match token.kind {
                TokenKind::Eof => {
                    last = token.span;
                    self.close();
                }
                TokenKind::Hash if token.at_line_start() => self.directive(),
                TokenKind::String if skipping => self.skip_string(token),
                _ if skipping => current.at += 1,
                TokenKind::Identifier if self.macros.contains_key(&token.text) => {
                    current.at += 1;
                    self.expand_in_file(token);
                }
                _ => {
                    current.at += 1;
                    self.output.push(token);
                }
            }
        }
        self.output.push(Token::new(TokenKind::Eof, Symbol::EMPTY, last).with_line_start(true));
    }

    /// Skips a string in an inactive branch, where a quote may be part of prose: strings there end
    /// with their line.
    fn skip_string(&mut self, token: Token) {
        let Some(current) = self.open_files.last_mut() else { return };
        current.at += 1;
        let Some(text) = self.sources.file(token.span.file).map(|f| f.text()) else { return };
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        if let Some(length) = text[start..end].find('\n').filter(|_| current.relexed < limits::RELEXINGS) {
            current.relexed += 1;
            current.tokens.truncate(current.at);
            current.tokens.extend(lex_from(text, start + length, token.span.file, self.interner));
        }
    }

    fn close(&mut self) {
        for open in self.open_files.pop().map_or(Vec::new(), |r| r.conditionals) {
            self.diagnostics.push(
                Diagnostic::error(
                    "preprocess-unterminated-conditional",
                    "this conditional has no matching `#endif`",
                )
                .primary(open.directive, "opened here")
                .note("each `#if`, `#ifdef` and `#ifndef` needs an `#endif` in the same file"),
            );
        }
    }

    /// Consumes and returns the rest of the current line.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let Some(current) = self.open_files.last_mut() else { return Vec::new() };
        let rest = &current.tokens[current.at..];
        let length =
            rest.iter().position(|t| t.at_line_start() || t.kind == TokenKind::Eof).unwrap_or(rest.len() - 1);
        current.at += length;
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

#[cfg(test)]
mod tests;
