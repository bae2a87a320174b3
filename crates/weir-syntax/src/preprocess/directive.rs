//! Directives: lines that start with `#`.

use super::{Conditional, Preprocessor, limits};
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Token, TokenKind};

const DIRECTIVES: &[&str] = &[
    "include", "define", "undef", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
    "error", "warning", "line", "pragma",
];

impl Preprocessor<'_> {
    /// Processes the directive at the current position.
    pub(super) fn directive(&mut self) {
        let Some(current) = self.open_files.last_mut() else { return };
        let hash = current.tokens[current.at];
        current.at += 1;
        let skipping = current.conditionals.last().is_some_and(|c| !c.active);
        let mut tokens = self.rest_of_line();
        let Some(name) = tokens.first().copied() else { return };
        let directive = hash.span.to(name.span);
        let word = name.spelling(self.interner).into_owned();
        if name.kind != TokenKind::Integer {
            tokens.remove(0);
        }
        match word.as_str() {
            "if" | "ifdef" | "ifndef" => self.open_conditional(&word, directive, tokens, skipping),
            "elif" | "elifdef" | "elifndef" => self.elif(&word, directive, tokens),
            "else" => self.else_branch(directive, &tokens),
            "endif" => self.endif(directive, &tokens),
            _ if skipping => {}
            "include" => self.include(directive, tokens),
            "define" => self.define(directive, &tokens),
            "undef" => self.undef(directive, &tokens),
            "error" | "warning" => self.user_message(&word, directive, &tokens),
            "line" => self.line_directive(directive, tokens),
            "pragma" => self.pragma(&tokens),
            _ if self.line_number(&tokens).is_some() => self.line_directive(directive, tokens),
            _ => self.unknown_directive(&word, directive, name),
        }
    }

    /// Reports an unknown directive, and skips its line, as p4c with `cpp` does.
    fn unknown_directive(&mut self, word: &str, directive: Span, name: Token) {
        let message = format!("unknown directive `#{word}`: the line is skipped");
        let mut diagnostic =
            Diagnostic::warning("preprocess-unknown-directive", message).primary(directive, "");
        if let Some(near) = weir_suggest::misspelt_word(word, DIRECTIVES.iter().copied()) {
            diagnostic = diagnostic.suggest(format!("did you mean `#{near}`?"), name.span, near);
        } else {
            diagnostic = diagnostic.note("comments start with `//`");
        }
        self.diagnostics.push(diagnostic);
    }

    fn open_conditional(&mut self, word: &str, directive: Span, tokens: Vec<Token>, skipping: bool) {
        let branch_is_active = !skipping && self.branch_is_active(word, directive, tokens);
        if let Some(current) = self.open_files.last_mut() {
            let conditional = Conditional {
                directive,
                active: branch_is_active,
                taken: branch_is_active || skipping,
                seen_else: false,
            };
            current.conditionals.push(conditional);
            // This is reported once, when the limit is first exceeded.
            if current.conditionals.len() == limits::CONDITIONALS + 1 {
                let message = "conditionals are nested too deeply";
                let label = format!("at most {} levels are allowed", limits::CONDITIONALS);
                self.diagnostics
                    .push(Diagnostic::error("syntax-too-deep", message).primary(directive, label));
            }
        }
    }

    /// Returns whether the branch of an `#if`, `#ifdef`, `#elif` or the like is active.
    fn branch_is_active(&mut self, word: &str, directive: Span, tokens: Vec<Token>) -> bool {
        if matches!(word, "if" | "elif") {
            return self.condition(directive, tokens);
        }
        match tokens.first().filter(|t| t.kind == TokenKind::Identifier) {
            Some(name) => {
                self.extra_tokens(&tokens[1..], word);
                self.macros.contains_key(&name.text) == word.ends_with("ifdef")
            }
            None => {
                let message = format!("expected a macro name after `#{word}`");
                self.error("preprocess-condition", message, directive.after());
                false
            }
        }
    }

    fn innermost_conditional(&mut self, word: &str, directive: Span) -> Option<&mut Conditional> {
        if self.open_files.last().is_none_or(|r| r.conditionals.is_empty()) {
            self.error(
                "preprocess-unmatched",
                format!("`#{word}` without a matching `#if` in this file"),
                directive,
            );
            return None;
        }
        self.open_files.last_mut()?.conditionals.last_mut()
    }

    fn directive_after_else(&mut self, word: &str, directive: Span, opened: Span) {
        let diagnostic = Diagnostic::error("preprocess-unmatched", format!("`#{word}` after `#else`"))
            .primary(directive, "")
            .secondary(opened, "in this conditional");
        self.diagnostics.push(diagnostic);
    }

    fn elif(&mut self, word: &str, directive: Span, tokens: Vec<Token>) {
        let Some(conditional) = self.innermost_conditional(word, directive) else { return };
        let (opened, seen_else, taken) = (conditional.directive, conditional.seen_else, conditional.taken);
        conditional.active = false;
        if seen_else {
            self.directive_after_else(word, directive, opened);
        } else if !taken
            && self.branch_is_active(word, directive, tokens)
            && let Some(conditional) = self.innermost_conditional(word, directive)
        {
            conditional.active = true;
            conditional.taken = true;
        }
    }

    fn else_branch(&mut self, directive: Span, tokens: &[Token]) {
        let Some(conditional) = self.innermost_conditional("else", directive) else { return };
        let (opened, seen_else) = (conditional.directive, conditional.seen_else);
        conditional.active = !conditional.taken;
        conditional.taken = true;
        conditional.seen_else = true;
        if seen_else {
            self.directive_after_else("else", directive, opened);
        }
        self.extra_tokens(tokens, "else");
    }

    fn endif(&mut self, directive: Span, tokens: &[Token]) {
        if self.innermost_conditional("endif", directive).is_none() {
            return;
        }
        if let Some(current) = self.open_files.last_mut() {
            current.conditionals.pop();
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

    /// Processes `#line 12 "file"`, and `# 12 "file" flags` as C preprocessors print it.
    fn line_directive(&mut self, directive: Span, tokens: Vec<Token>) {
        let tokens = self.expand_list(tokens);
        let Some(line) = self.line_number(&tokens) else {
            let place = tokens.first().map_or(directive.after(), |t| t.span);
            self.error("preprocess-line", "expected a line number after `#line`", place);
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
        // `cpp` begins its output with line 0; lines of places count from 1.
        self.sources.add_line_mark(directive.file, offset as u32, line.max(1), name);
    }

    fn line_number(&self, tokens: &[Token]) -> Option<u32> {
        let number = tokens.first().filter(|t| t.kind == TokenKind::Integer)?;
        self.interner.text(number.text).parse::<u32>().ok().filter(|line| *line < u32::MAX / 2)
    }

    /// Warns about tokens after a complete directive.
    pub(super) fn extra_tokens(&mut self, tokens: &[Token], word: &str) {
        if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            let diagnostic = Diagnostic::warning(
                "preprocess-extra-tokens",
                format!("extra text after `#{word}` is ignored"),
            )
            .primary(first.span.to(last.span), "");
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn error(&mut self, id: &'static str, message: impl Into<String>, at: Span) {
        self.diagnostics.push(Diagnostic::error(id, message).primary(at, ""));
    }
}
