//! `#include` and `#pragma once`.

use super::architectures::{SUPPORTED, architecture};
use super::{LoadError, Preprocessor, limits};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Token, TokenKind};
use weir_suggest::nearest;

/// Maximum number of available files to list.
const MAX_NAMES: usize = 20;

/// Returns the limits on text, for messages.
fn text_limits() -> String {
    let (mib, tokens) = (limits::BYTES >> 20, limits::TOKENS);
    format!("a program has at most {mib} MiB of text and {tokens} words, numbers and signs, in all its files")
}

impl Preprocessor<'_> {
    /// Processes an `#include`; `tokens` are the tokens after `include`.
    pub(super) fn include(&mut self, directive: Span, tokens: Vec<Token>) {
        let Some((name, angled, span)) = self.include_name(directive, tokens) else { return };
        if self.includes_stopped {
            return;
        }
        if self.open_files.len() >= limits::INCLUDE_DEPTH {
            self.stop_at_include_depth(span);
            return;
        }
        if !self.may_load(span) {
            return;
        }
        let from = self.open_files.last().map(|r| r.name.clone());
        match self.loader.load(&name, angled, from.as_deref()) {
            Ok(source) if self.once.contains(source.name.as_str()) => {}
            Ok(source) => {
                self.includes += 1;
                self.open(source, Some(directive.to(span)));
            }
            Err(LoadError::NotFound { searched }) => {
                let names = self.loader.names();
                if let Some(what) = architecture(&name) {
                    self.unknown_architecture(&name, what, &names, span);
                    return;
                }
                let mut diagnostic = Diagnostic::error(
                    "preprocess-include-not-found",
                    format!("cannot find the file `{name}` to include"),
                )
                .primary(span, "not found");
                if !searched.is_empty() {
                    diagnostic = diagnostic.note(format!("searched in {}", searched.join(", ")));
                }
                if let Some(near) = nearest(&name, names.iter().map(String::as_str)) {
                    let quoted = if angled { format!("<{near}>") } else { format!("\"{near}\"") };
                    diagnostic = diagnostic.suggest(format!("did you mean `{quoted}`?"), span, quoted);
                } else if angled && !names.is_empty() && names.len() <= MAX_NAMES {
                    diagnostic = diagnostic.note(format!("available files: {}", names.join(", ")));
                }
                self.diagnostics.push(diagnostic);
            }
            Err(LoadError::Unreadable(why)) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        "preprocess-include-unreadable",
                        format!("cannot read `{name}`: {why}"),
                    )
                    .primary(span, "included here"),
                );
            }
        }
    }

    /// Returns whether another file may be loaded; if not, this is reported.
    fn may_load(&mut self, span: Span) -> bool {
        let may = self.includes < limits::INCLUDES && self.bytes < limits::BYTES;
        if !may {
            self.includes_too_much(span);
        }
        may
    }

    fn includes_too_much(&mut self, span: Span) {
        if std::mem::replace(&mut self.includes_stopped, true) {
            return;
        }
        let diagnostic = Diagnostic::error("preprocess-include-limit", "the program includes too much text")
            .primary(span, "this and all further includes are skipped")
            .note(format!("a program may include at most {} files; {}", limits::INCLUDES, text_limits()));
        self.diagnostics.push(diagnostic);
    }

    /// Reports a file that exceeds the limits on text; it is not read.
    pub(super) fn too_large(&mut self, name: &str, included_from: Option<Span>) {
        match included_from {
            Some(span) => self.includes_too_much(span),
            None => {
                let message = format!("the program `{name}` is too large");
                self.diagnostics.push(Diagnostic::error("program-too-large", message).note(text_limits()));
            }
        }
    }

    /// Returns whether `#include` would find a file. Files that exist but cannot be read count as
    /// found.
    pub(super) fn can_include(&mut self, name: &str, angled: bool, span: Span) -> bool {
        if !self.may_load(span) {
            return false;
        }
        self.includes += 1;
        let from = self.open_files.last().map(|r| r.name.clone());
        match self.loader.load(name, angled, from.as_deref()) {
            Ok(source) => {
                self.bytes += source.text.len();
                true
            }
            Err(LoadError::NotFound { .. }) => false,
            Err(LoadError::Unreadable(_)) => true,
        }
    }

    /// Returns the file that the tokens between the parentheses of `__has_include` name, and
    /// whether it is in angle brackets.
    pub(super) fn named_file(&mut self, tokens: Vec<Token>, at: Span) -> Option<(String, bool)> {
        let expanded = tokens.first().is_some_and(|t| t.kind == TokenKind::Identifier);
        let tokens = if expanded { self.expand_nested(tokens, at)? } else { tokens };
        match tokens.as_slice() {
            [name] if name.kind == TokenKind::String => {
                Some((self.interner.text(name.text).to_string(), false))
            }
            [open, name @ .., close] if (open.kind, close.kind) == (TokenKind::Lt, TokenKind::Gt) => {
                Some((self.spelling(name), true))
            }
            _ => None,
        }
    }

    /// Reports an architecture that Weir does not support.
    fn unknown_architecture(&mut self, name: &str, what: &str, names: &[String], span: Span) {
        let message = format!("Weir does not support the architecture of `{name}`");
        let mut diagnostic = Diagnostic::error("preprocess-include-not-found", message)
            .primary(span, format!("declares {what}"));
        let is_architecture = |file: &&String| SUPPORTED.contains(&file.as_str());
        let supported: Vec<&str> = names.iter().filter(is_architecture).map(String::as_str).collect();
        if !supported.is_empty() {
            diagnostic = diagnostic.note(format!("supported architectures: {}", supported.join(", ")));
        }
        self.diagnostics.push(
            diagnostic
                .note("to check a program against another architecture file, pass its folder with `-I`"),
        );
    }

    fn stop_at_include_depth(&mut self, span: Span) {
        self.includes_stopped = true;
        let limit = limits::INCLUDE_DEPTH;
        let current = self.open_files.last().map(|r| r.name.clone());
        let repeated = self.open_files.iter().filter(|r| Some(&r.name) == current.as_ref()).count() > 1;
        let diagnostic = if repeated {
            let cycle = self.cycle();
            let name = current.unwrap_or_default();
            Diagnostic::error("preprocess-include-cycle", format!("`{name}` includes itself: {cycle}"))
                .primary(span, "included again here")
                .note("add `#pragma once` or an include guard (`#ifndef NAME`, `#define NAME`, `#endif`) to each file")
        } else {
            Diagnostic::error(
                "preprocess-include-depth",
                format!("includes are nested more than {limit} levels deep"),
            )
            .primary(span, "this and all further includes are skipped")
        };
        self.diagnostics.push(diagnostic);
    }

    /// Returns the shortest cycle of includes that contains the current file: `a.p4 → b.p4 → a.p4`.
    fn cycle(&self) -> String {
        let names: Vec<&str> = self.open_files.iter().map(|r| &*r.name).collect();
        let last = names.len() - 1;
        let start = names[..last].iter().rposition(|n| *n == names[last]).unwrap_or(0);
        names[start..].join(" → ")
    }

    fn include_name(&mut self, directive: Span, tokens: Vec<Token>) -> Option<(String, bool, Span)> {
        let is_name = |t: &Token| matches!(t.kind, TokenKind::String | TokenKind::Lt);
        let expanded = tokens.first().is_some_and(|t| t.kind == TokenKind::Identifier);
        let tokens = if expanded { self.expand_list(tokens) } else { tokens };
        let first = match tokens.first().filter(|t| is_name(t)) {
            Some(first) => *first,
            None => {
                let unterminated = tokens.first().filter(|t| t.kind == TokenKind::UnterminatedString);
                let (message, at) = match unterminated {
                    Some(token) => ("unterminated file name in `#include`: expected `\"`", token.span),
                    None => (
                        "expected a file name after `#include`: `\"file.p4\"` or `<file.p4>`",
                        tokens.first().map_or(directive.after(), |t| t.span),
                    ),
                };
                self.error("preprocess-include-name", message, at);
                return None;
            }
        };
        if first.kind == TokenKind::String {
            self.extra_tokens(&tokens[1..], "include");
            return Some((self.interner.text(first.text).to_string(), false, first.span));
        }
        // A name in angle brackets is not lexed: `//` in it does not start a comment.
        let from_text = if expanded { None } else { self.angled_text(first) };
        let (name, span) = from_text.or_else(|| {
            let close = tokens.iter().position(|t| t.kind == TokenKind::Gt)?;
            Some((self.spelling(&tokens[1..close]), first.span.to(tokens[close].span)))
        })?;
        Some((name, true, span))
    }

    fn angled_text(&mut self, open: Token) -> Option<(String, Span)> {
        let line = self.sources.file(open.span.file)?.text()[open.span.end as usize..].lines().next()?;
        match line.find('>') {
            Some(length) => {
                let end = open.span.end + length as u32 + 1;
                Some((line[..length].to_string(), Span { end, ..open.span }))
            }
            None => {
                let span = Span { end: open.span.end + line.trim_end().len() as u32, ..open.span };
                self.error(
                    "preprocess-include-name",
                    "unterminated file name in `#include`: expected `>`",
                    span,
                );
                None
            }
        }
    }

    /// Handles `#pragma once`; other pragmas are ignored.
    pub(super) fn pragma(&mut self, tokens: &[Token]) {
        let once = tokens.first().is_some_and(|t| &**self.interner.text(t.text) == "once");
        if let (true, Some(current)) = (once, self.open_files.last()) {
            self.once.insert(current.name.clone());
        }
    }
}
