//! Macro expansion as in C11 6.10.3: arguments are expanded first, the result is rescanned together
//! with the tokens after it, and a macro's own name is not expanded within its expansion.

use super::define::{Macro, MacroBody};
use super::substitute::Call;
use super::{Preprocessor, limits};
use crate::diagnostic::Diagnostic;
use crate::source_map::Expansion;
use crate::span::{ExpansionId, Span};
use crate::token::{Symbol, Token, TokenKind};
use std::rc::Rc;

/// Tokens to be rescanned; the macro they come from is active until all of them are consumed.
struct Pending {
    tokens: Vec<Token>,
    at: usize,
    of_macro: Option<Rc<Macro>>,
}

/// The arguments of a macro call.
#[derive(Default)]
struct Arguments {
    /// The tokens of each parameter's argument.
    list: Vec<Vec<Token>>,
    /// Whether the last parameter of a variadic macro has no argument.
    rest_missing: bool,
}

/// The source of tokens when nothing is pending.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The current file, in which arguments may follow.
    File,
    /// A fixed list of tokens: an argument, or a directive.
    List,
}

impl Preprocessor<'_> {
    /// Expands a macro name read from the file.
    pub(super) fn expand_in_file(&mut self, name: Token) {
        let mut output = std::mem::take(&mut self.output);
        self.expand_run(vec![name], Source::File, &mut output);
        self.output = output;
    }

    /// Expands a fixed list of tokens.
    pub(super) fn expand_list(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let mut output = Vec::with_capacity(tokens.len());
        self.expand_run(tokens, Source::List, &mut output);
        output
    }

    fn expand_run(&mut self, tokens: Vec<Token>, source: Source, output: &mut Vec<Token>) {
        let mut pending = vec![Pending { tokens, at: 0, of_macro: None }];
        while let Some(token) = self.next_pending(&mut pending) {
            let protected = token.is_no_expand() || self.in_condition && self.follows_defined(output);
            let may_be_macro = token.kind == TokenKind::Identifier && !protected && !self.expansion_stopped;
            match self.macros.get(&token.text).filter(|_| may_be_macro) {
                None => output.push(token),
                Some(found) if found.active.get() => output.push(token.with_no_expand()),
                Some(found) => {
                    let found = Rc::clone(found);
                    if let Some(tokens) = self.expand_one(&found, token, &mut pending, source) {
                        found.active.set(true);
                        pending.push(Pending { tokens, at: 0, of_macro: Some(found) });
                    } else {
                        output.push(token.with_no_expand());
                    }
                }
            }
        }
    }

    /// Returns whether `defined` or `defined (` comes before the next token of a condition.
    fn follows_defined(&self, output: &[Token]) -> bool {
        let word = match output {
            [.., word, paren] if paren.kind == TokenKind::LParen => word,
            [.., word] => word,
            [] => return false,
        };
        word.kind == TokenKind::Identifier && &**self.interner.text(word.text) == "defined"
    }

    fn next_pending(&mut self, pending: &mut Vec<Pending>) -> Option<Token> {
        loop {
            let top = pending.last_mut()?;
            if let Some(&token) = top.tokens.get(top.at) {
                top.at += 1;
                return Some(token);
            }
            end_expansion(pending);
        }
    }

    /// Returns the next token, without consuming it.
    fn peek(&self, pending: &[Pending], source: Source) -> Option<Token> {
        let waiting = pending.iter().rev().find_map(|p| p.tokens.get(p.at).copied());
        waiting.or_else(|| match source {
            Source::List => None,
            Source::File => self.open_files.last().and_then(|r| r.tokens.get(r.at).copied()),
        })
    }

    fn next_token(&mut self, pending: &mut Vec<Pending>, source: Source) -> Option<Token> {
        while let Some(top) = pending.last_mut() {
            if let Some(&token) = top.tokens.get(top.at) {
                top.at += 1;
                return Some(token);
            }
            // The first list is not removed, because `expand_run` ends its own loop.
            if pending.len() == 1 {
                break;
            }
            end_expansion(pending);
        }
        if source == Source::List {
            return None;
        }
        loop {
            let current = self.open_files.last_mut()?;
            let token = *current.tokens.get(current.at)?;
            let skipping = current.conditionals.last().is_some_and(|c| !c.active);
            match token.kind {
                TokenKind::Eof => return None,
                TokenKind::Hash if token.at_line_start() => {
                    // As in GNU's cpp, arguments can contain directives, but cannot include files.
                    if self.is_include() {
                        return None;
                    }
                    self.directive();
                }
                TokenKind::String if skipping => self.skip_string(token),
                _ => {
                    current.at += 1;
                    if !skipping {
                        return Some(token);
                    }
                }
            }
        }
    }

    /// Returns whether the directive at the current position is an active `#include`.
    fn is_include(&self) -> bool {
        let Some(current) = self.open_files.last() else { return false };
        let active = current.conditionals.last().is_none_or(|c| c.active);
        let word = current.tokens.get(current.at + 1);
        active && word.is_some_and(|word| &**self.interner.text(word.text) == "include")
    }

    /// Returns the replacement of a macro name (and arguments); `None` if the name is not expanded.
    fn expand_one(
        &mut self,
        found: &Macro,
        name: Token,
        pending: &mut Vec<Pending>,
        source: Source,
    ) -> Option<Vec<Token>> {
        let body = match &found.body {
            MacroBody::Line => return Some(vec![self.line_token(name)]),
            MacroBody::File => return Some(vec![self.file_token(name)]),
            MacroBody::Counter => return Some(vec![self.counter_token(name)]),
            MacroBody::HasInclude => {
                let token = self.has_include(name, pending, source)?;
                return Some(vec![token]);
            }
            MacroBody::Tokens(body) => body,
        };
        let mut call_site = name.span;
        let mut arguments = Arguments::default();
        if let Some(params) = &found.params {
            if self.peek(pending, source).is_none_or(|t| t.kind != TokenKind::LParen) {
                return None;
            }
            let (list, close) = self.arguments(found, name, pending, source)?;
            arguments = self.check_arguments(found, params, list, name)?;
            call_site = name.span.to(close);
        }
        let expansion = self.begin_expansion(found, call_site)?;
        let Arguments { list: arguments, rest_missing } = &arguments;
        let mut call = Call {
            of: found,
            id: expansion,
            arguments,
            rest_missing: *rest_missing,
            expanded: vec![None; arguments.len()],
        };
        let mut tokens = self.substitute(&mut call, body)?;
        if let Some(first) = tokens.first_mut() {
            *first = first.with_space_before(name.has_space_before()).with_line_start(name.at_line_start());
        }
        self.count_tokens(tokens.len(), call_site)?;
        Some(tokens)
    }

    fn begin_expansion(&mut self, found: &Macro, call_site: Span) -> Option<ExpansionId> {
        if self.sources.expansion_count() >= limits::EXPANSIONS {
            self.stop_expansion(call_site);
            return None;
        }
        let macro_name = self.interner.text(found.name).clone();
        Some(self.sources.add_expansion(Expansion { macro_name, call_site, definition: found.span }))
    }

    /// Counts tokens produced by expansion; `None` once the limit is exceeded.
    pub(super) fn count_tokens(&mut self, tokens: usize, at: Span) -> Option<()> {
        self.expanded_tokens += tokens;
        if self.expanded_tokens > limits::EXPANDED_TOKENS {
            self.stop_expansion(at);
            return None;
        }
        Some(())
    }

    pub(super) fn stop_expansion(&mut self, at: Span) {
        if !self.expansion_stopped {
            self.expansion_stopped = true;
            self.diagnostics.push(
                Diagnostic::error("preprocess-expansion-limit", "macro expansion exceeds a limit")
                    .primary(at, "expansion stopped here")
                    .note(format!(
                        "a program may expand macros {} times, into {} tokens in total, with calls nested {} levels deep",
                        limits::EXPANSIONS,
                        limits::EXPANDED_TOKENS,
                        limits::NESTING
                    )),
            );
        }
    }

    /// Returns the tokens of each argument, and the closing parenthesis.
    fn arguments(
        &mut self,
        found: &Macro,
        name: Token,
        pending: &mut Vec<Pending>,
        source: Source,
    ) -> Option<(Vec<Vec<Token>>, Span)> {
        self.next_token(pending, source);
        let mut list = vec![Vec::new()];
        let mut depth = 0usize;
        let mut taken = 0usize;
        while let Some(token) = self.next_token(pending, source) {
            taken += 1;
            match token.kind {
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => {
                    self.count_tokens(taken, name.span)?;
                    return Some((list, token.span));
                }
                TokenKind::RParen => depth -= 1,
                TokenKind::Comma if depth == 0 => {
                    list.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if let Some(last) = list.last_mut() {
                last.push(token.with_line_start(false).with_space_before(token.has_space_before()));
            }
        }
        let text = self.interner.text(found.name);
        let diagnostic = Diagnostic::error(
            "preprocess-macro-call",
            format!("unterminated argument list of macro `{text}`: expected `)`"),
        )
        .primary(name.span, "called here")
        .secondary(found.span, "defined here")
        .note("arguments may span several lines, but not an `#include` or the end of a file");
        self.diagnostics.push(diagnostic);
        None
    }

    /// Checks the number of arguments; joins the arguments of a variadic parameter.
    fn check_arguments(
        &mut self,
        found: &Macro,
        params: &[Symbol],
        mut list: Vec<Vec<Token>>,
        name: Token,
    ) -> Option<Arguments> {
        let mut rest_missing = false;
        if found.variadic {
            let fixed = params.len() - 1;
            while list.len() > params.len() {
                let more = list.remove(fixed + 1);
                list[fixed].push(Token::new(TokenKind::Comma, Symbol::EMPTY, name.span));
                list[fixed].extend(more);
            }
            rest_missing = list.len() == fixed || fixed == 0 && list[0].is_empty();
            if list.len() == fixed {
                list.push(Vec::new());
            }
        }
        if params.is_empty() && list.len() == 1 && list[0].is_empty() {
            list.clear();
        }
        if list.len() == params.len() {
            return Some(Arguments { list, rest_missing });
        }
        let text = self.interner.text(found.name);
        let diagnostic = Diagnostic::error(
            "preprocess-macro-call",
            format!("macro `{text}` takes {}, found {}", count(params.len()), count(list.len())),
        )
        .primary(name.span, "called here")
        .secondary(found.span, "defined here");
        self.diagnostics.push(diagnostic);
        None
    }

    fn line_token(&mut self, name: Token) -> Token {
        let line = self.sources.line(self.sources.user_site(name.span));
        let text = self.interner.intern(&line.to_string());
        Token { kind: TokenKind::Integer, text, ..name }
    }

    fn counter_token(&mut self, name: Token) -> Token {
        let text = self.interner.intern(&self.counter.to_string());
        self.counter += 1;
        Token { kind: TokenKind::Integer, text, ..name }
    }

    /// Returns the value of `__has_include("file")` or `__has_include(<file>)`: 1 or 0.
    fn has_include(&mut self, name: Token, pending: &mut Vec<Pending>, source: Source) -> Option<Token> {
        if !self.in_condition {
            let message = "`__has_include` is an operator of `#if` and `#elif`";
            self.error("preprocess-condition", message, name.span);
            return None;
        }
        let mut tokens = Vec::new();
        let mut closed = false;
        if self.peek(pending, source).is_some_and(|t| t.kind == TokenKind::LParen) {
            self.next_token(pending, source);
            let mut depth = 0usize;
            while let Some(token) = self.next_token(pending, source) {
                match token.kind {
                    TokenKind::LParen => depth += 1,
                    TokenKind::RParen if depth == 0 => {
                        closed = true;
                        break;
                    }
                    TokenKind::RParen => depth -= 1,
                    _ => {}
                }
                tokens.push(token);
            }
            // Each nested call processes the tokens of the calls inside it again.
            self.count_tokens(tokens.len(), name.span)?;
        }
        self.count_tokens(tokens.len(), name.span)?;
        let exists = match closed.then(|| self.named_file(tokens, name.span)).flatten() {
            Some((file, angled)) => self.can_include(&file, angled, name.span),
            // Only the first error in a condition is reported.
            None if self.condition_failed || self.expansion_stopped => false,
            None => {
                self.condition_failed = true;
                let message = "expected `(\"file.p4\")` or `(<file.p4>)` after `__has_include`";
                self.error("preprocess-condition", message, name.span);
                false
            }
        };
        let text = self.interner.intern(if exists { "1" } else { "0" });
        Some(Token { kind: TokenKind::Integer, text, ..name })
    }

    fn file_token(&mut self, name: Token) -> Token {
        let location = self.sources.location(self.sources.user_site(name.span));
        let text = self.interner.intern(&location.map_or_else(String::new, |l| l.file));
        Token { kind: TokenKind::String, text, ..name }
    }
}

/// Removes the top pending list; its macro may be expanded again.
fn end_expansion(pending: &mut Vec<Pending>) {
    if let Some(done) = pending.pop().and_then(|p| p.of_macro) {
        done.active.set(false);
    }
}

fn count(arguments: usize) -> String {
    match arguments {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    }
}
