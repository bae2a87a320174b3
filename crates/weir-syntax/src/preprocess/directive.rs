//! Directives: lines that begin with `#`.

use super::{Conditional, Preprocessor, limits};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Token, TokenKind};

const DIRECTIVES: &[&str] = &[
    "include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning",
    "line", "pragma",
];

impl Preprocessor<'_> {
    /// Obeys the directive that the reader stands at.
    pub(super) fn directive(&mut self) {
        let Some(reading) = self.readings.last_mut() else { return };
        let hash = reading.tokens[reading.at];
        reading.at += 1;
        let skipping = reading.conditionals.last().is_some_and(|c| !c.active);
        let mut tokens = self.rest_of_line();
        let Some(name) = tokens.first().copied() else { return };
        let directive = hash.span.to(name.span);
        let word = name.spelling(self.interner).into_owned();
        if name.kind != TokenKind::Integer {
            tokens.remove(0);
        }
        match word.as_str() {
            "if" | "ifdef" | "ifndef" => self.open_conditional(&word, directive, tokens, skipping),
            "elif" => self.elif(directive, tokens),
            "else" => self.else_branch(directive, &tokens),
            "endif" => self.endif(directive, &tokens),
            _ if skipping => {}
            "include" => self.include(directive, tokens),
            "define" => self.define(directive, &tokens),
            "undef" => self.undef(directive, &tokens),
            "error" | "warning" => self.user_message(&word, directive, &tokens),
            "line" => self.line_directive(directive, tokens),
            "pragma" => self.pragma(&tokens),
            _ if name.kind == TokenKind::Integer => self.line_directive(directive, tokens),
            _ => self.unknown_directive(&word, directive, name),
        }
    }

    fn unknown_directive(&mut self, word: &str, directive: Span, name: Token) {
        let mut diagnostic =
            Diagnostic::error("preprocess-unknown-directive", format!("there is no directive `#{word}`"))
                .primary(directive, "");
        if let Some(near) = weir_suggest::misspelled(word, DIRECTIVES.iter().copied()) {
            diagnostic = diagnostic.suggest(format!("did you mean `#{near}`?"), name.span, near);
        } else {
            diagnostic = diagnostic.note("comments begin with `//`");
        }
        self.diagnostics.push(diagnostic);
    }

    fn open_conditional(&mut self, word: &str, directive: Span, tokens: Vec<Token>, skipping: bool) {
        let holds = if skipping {
            false
        } else if word == "if" {
            self.condition(directive, tokens)
        } else {
            match tokens.first().filter(|t| t.kind == TokenKind::Identifier) {
                Some(name) => {
                    self.extra_tokens(&tokens[1..], word);
                    self.macros.contains_key(&name.text) == (word == "ifdef")
                }
                None => {
                    let message = format!("expected the name of a macro behind `#{word}`");
                    self.error("preprocess-condition", message, directive.after());
                    false
                }
            }
        };
        if let Some(reading) = self.readings.last_mut() {
            let conditional =
                Conditional { directive, active: holds, taken: holds || skipping, seen_else: false };
            reading.conditionals.push(conditional);
            // Said once, where the limit is passed.
            if reading.conditionals.len() == limits::CONDITIONALS + 1 {
                let message = "conditionals nest too deep";
                let label = format!("at most {} may be open", limits::CONDITIONALS);
                self.diagnostics
                    .push(Diagnostic::error("syntax-too-deep", message).primary(directive, label));
            }
        }
    }

    fn innermost(&mut self, word: &str, directive: Span) -> Option<&mut Conditional> {
        if self.readings.last().is_none_or(|r| r.conditionals.is_empty()) {
            self.error(
                "preprocess-unmatched",
                format!("`#{word}` without an `#if` before it in this file"),
                directive,
            );
            return None;
        }
        self.readings.last_mut()?.conditionals.last_mut()
    }

    fn behind_else(&mut self, word: &str, directive: Span, opened: Span) {
        let diagnostic = Diagnostic::error("preprocess-unmatched", format!("`#{word}` behind `#else`"))
            .primary(directive, "")
            .secondary(opened, "of this conditional");
        self.diagnostics.push(diagnostic);
    }

    fn elif(&mut self, directive: Span, tokens: Vec<Token>) {
        let Some(conditional) = self.innermost("elif", directive) else { return };
        let (opened, seen_else, taken) = (conditional.directive, conditional.seen_else, conditional.taken);
        conditional.active = false;
        if seen_else {
            self.behind_else("elif", directive, opened);
        } else if !taken
            && self.condition(directive, tokens)
            && let Some(conditional) = self.innermost("elif", directive)
        {
            conditional.active = true;
            conditional.taken = true;
        }
    }

    fn else_branch(&mut self, directive: Span, tokens: &[Token]) {
        let Some(conditional) = self.innermost("else", directive) else { return };
        let (opened, seen_else) = (conditional.directive, conditional.seen_else);
        conditional.active = !conditional.taken;
        conditional.taken = true;
        conditional.seen_else = true;
        if seen_else {
            self.behind_else("else", directive, opened);
        }
        self.extra_tokens(tokens, "else");
    }

    fn endif(&mut self, directive: Span, tokens: &[Token]) {
        if self.innermost("endif", directive).is_none() {
            return;
        }
        if let Some(reading) = self.readings.last_mut() {
            reading.conditionals.pop();
        }
        self.extra_tokens(tokens, "endif");
    }

    fn user_message(&mut self, word: &str, directive: Span, tokens: &[Token]) {
        let text = match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => self.sources.text(first.span.to(last.span)).trim().to_string(),
            _ => format!("#{word}"),
        };
        let diagnostic = match word {
            "error" => Diagnostic::error("preprocess-error-directive", text),
            _ => Diagnostic::warning("preprocess-warning-directive", text),
        };
        let span = tokens.last().map_or(directive, |last| directive.to(last.span));
        self.diagnostics.push(diagnostic.primary(span, ""));
    }

    /// `#line 12 "file"`, and `# 12 "file" flags` as C preprocessors print it.
    fn line_directive(&mut self, directive: Span, tokens: Vec<Token>) {
        let tokens = self.expand_list(tokens);
        let number = tokens
            .first()
            .filter(|t| t.kind == TokenKind::Integer)
            .and_then(|t| self.interner.text(t.text).parse::<u32>().ok())
            .filter(|line| *line < u32::MAX / 2);
        let Some(line) = number else {
            let at = tokens.first().map_or(directive.after(), |t| t.span);
            self.error("preprocess-line", "expected a line number behind `#line`", at);
            return;
        };
        let name =
            tokens.get(1).filter(|t| t.kind == TokenKind::String).map(|t| self.interner.text(t.text).clone());
        let Some(file) = self.sources.file(directive.file) else { return };
        let next_line = file.line_index(directive.start) + 1;
        let offset = match file.line_count() > next_line {
            true => file.line_range(next_line).0,
            false => return,
        };
        self.sources.add_line_mark(directive.file, offset as u32, line, name);
    }

    /// Warns of what follows a complete directive.
    pub(super) fn extra_tokens(&mut self, tokens: &[Token], word: &str) {
        if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            let diagnostic =
                Diagnostic::warning("preprocess-extra-tokens", format!("text behind `#{word}` is ignored"))
                    .primary(first.span.to(last.span), "");
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn error(&mut self, id: &'static str, message: impl Into<String>, at: Span) {
        self.diagnostics.push(Diagnostic::error(id, message).primary(at, ""));
    }
}
