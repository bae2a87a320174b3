//! Macro expansion as in C11 6.10.3: arguments are expanded first, the result is rescanned together
//! with the tokens after it, and a macro's own name is not expanded within its expansion.

use super::define::{BodyItem, BodyKind, Macro, MacroBody};
use super::{Preprocessor, limits};
use crate::diagnostic::Diagnostic;
use crate::span::{Expansion, ExpansionId, Span};
use crate::token::{Symbol, Token, TokenKind, lex_single};
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
    /// There is no argument for the last parameter of a variadic macro.
    rest_missing: bool,
}

/// Where expansion takes tokens from when nothing is pending.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The current file: arguments may follow in the file.
    File,
    /// A fixed list: an argument, a directive.
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
            let known = token.kind == TokenKind::Identifier && !protected && !self.expansion_stopped;
            match self.macros.get(&token.text).filter(|_| known) {
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

    /// Whether `defined` or `defined (` comes before the next token of a condition.
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
            finish(pending);
        }
    }

    /// The next token, without consuming it.
    fn peek(&self, pending: &[Pending], source: Source) -> Option<Token> {
        let waiting = pending.iter().rev().find_map(|p| p.tokens.get(p.at).copied());
        waiting.or_else(|| match source {
            Source::List => None,
            Source::File => self.open_files.last().and_then(|r| r.tokens.get(r.at).copied()),
        })
    }

    fn take(&mut self, pending: &mut Vec<Pending>, source: Source) -> Option<Token> {
        while let Some(top) = pending.last_mut() {
            if let Some(&token) = top.tokens.get(top.at) {
                top.at += 1;
                return Some(token);
            }
            // The first list stays, so that `expand_run` ends its own loop.
            if pending.len() == 1 {
                break;
            }
            finish(pending);
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
                    // Arguments may contain directives, as with GNU's cpp, but no other files.
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

    /// Whether the directive at the current position is an active `#include`.
    fn is_include(&self) -> bool {
        let Some(current) = self.open_files.last() else { return false };
        let active = current.conditionals.last().is_none_or(|c| c.active);
        let word = current.tokens.get(current.at + 1);
        active && word.is_some_and(|word| &**self.interner.text(word.text) == "include")
    }

    /// The replacement of a macro name (and arguments); `None` if the name is not expanded.
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
        let mut tokens = self.substitute(found, body, &arguments, expansion)?;
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
    fn count_tokens(&mut self, tokens: usize, at: Span) -> Option<()> {
        self.expanded_tokens += tokens;
        if self.expanded_tokens > limits::EXPANDED_TOKENS {
            self.stop_expansion(at);
            return None;
        }
        Some(())
    }

    fn stop_expansion(&mut self, at: Span) {
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

    /// The tokens of each argument, and the closing parenthesis.
    fn arguments(
        &mut self,
        found: &Macro,
        name: Token,
        pending: &mut Vec<Pending>,
        source: Source,
    ) -> Option<(Vec<Vec<Token>>, Span)> {
        self.take(pending, source);
        let mut list = vec![Vec::new()];
        let mut depth = 0usize;
        let mut taken = 0usize;
        while let Some(token) = self.take(pending, source) {
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

    fn substitute(
        &mut self,
        found: &Macro,
        body: &[BodyItem],
        arguments: &Arguments,
        expansion: ExpansionId,
    ) -> Option<Vec<Token>> {
        let Arguments { list: arguments, rest_missing } = arguments;
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let mut result: Vec<Token> = Vec::with_capacity(body.len());
        // False if the left side of a following `##` is an empty argument.
        let mut left_side = false;
        for (at, item) in body.iter().enumerate() {
            let next_pasted = body.get(at + 1).is_some_and(|next| next.pasted);
            let own = Token { span: Span { ctx: expansion, ..item.token.span }, ..item.token };
            let before = result.len();
            let mut piece: Vec<Token> = match item.kind {
                BodyKind::Token => vec![own],
                BodyKind::Stringified(index) => {
                    let text = self.stringify(&arguments[index]);
                    vec![Token { kind: TokenKind::String, text, ..own }]
                }
                BodyKind::Param(index) if item.pasted || next_pasted => arguments[index].clone(),
                BodyKind::Param(index) => {
                    if expanded[index].is_none() {
                        if self.nesting >= limits::NESTING {
                            self.stop_expansion(own.span);
                            return None;
                        }
                        self.nesting += 1;
                        let tokens = self.expand_list(arguments[index].clone());
                        self.nesting -= 1;
                        expanded[index] = Some(tokens);
                    }
                    expanded[index].clone().unwrap_or_default()
                }
            };
            let after_comma =
                item.pasted && at.checked_sub(1).is_some_and(|at| body[at].token.kind == TokenKind::Comma);
            let is_rest = found.variadic && item.kind == BodyKind::Param(arguments.len() - 1);
            if after_comma && is_rest {
                // GNU's `, ## __VA_ARGS__`: no comma if there are no further arguments.
                if *rest_missing {
                    result.pop();
                }
                left_side = false;
            }
            if let (BodyKind::Param(_), Some(first)) = (item.kind, piece.first_mut()) {
                *first = first.with_space_before(item.token.has_space_before());
            }
            if item.pasted && left_side && !piece.is_empty() {
                let right = piece.remove(0);
                if let Some(left) = result.pop() {
                    let pasted = self.paste(left, right, item.token.span);
                    result.extend(pasted);
                }
            }
            result.extend(piece);
            self.count_tokens(result.len().saturating_sub(before), own.span)?;
            left_side = if item.pasted { left_side || result.len() > before } else { result.len() > before };
        }
        Some(result)
    }

    /// Joins two tokens; both, if they do not form a single one.
    fn paste(&mut self, left: Token, right: Token, at: Span) -> Vec<Token> {
        let text = format!("{}{}", left.spelling(self.interner), right.spelling(self.interner));
        if let Some(token) = lex_single(&text, left.span, self.interner) {
            return vec![token.with_space_before(left.has_space_before())];
        }
        if self.failed_pastes.insert((at.file, at.start)) {
            let message = format!(
                "pasting `{}` and `{}` does not form a single token",
                left.spelling(self.interner),
                right.spelling(self.interner)
            );
            let diagnostic = Diagnostic::warning("preprocess-paste", message)
                .primary(left.span, "this and the next remain separate tokens")
                .note("leave out the `##`: it is needed only where the parts form one name or number");
            self.diagnostics.push(diagnostic);
        }
        vec![left, right]
    }

    fn stringify(&mut self, argument: &[Token]) -> Symbol {
        let mut text = String::new();
        for (at, token) in argument.iter().enumerate() {
            if at > 0 && token.has_space_before() {
                text.push(' ');
            }
            let spelling = token.spelling(self.interner);
            if token.kind == TokenKind::String {
                text.push_str(&spelling.replace('\\', "\\\\").replace('"', "\\\""));
            } else {
                text.push_str(&spelling);
            }
        }
        self.interner.intern(&text)
    }

    fn line_token(&mut self, name: Token) -> Token {
        let line = self.sources.line(self.sources.user_site(name.span));
        let text = self.interner.intern(&line.to_string());
        Token { kind: TokenKind::Integer, text, ..name }
    }

    fn file_token(&mut self, name: Token) -> Token {
        let location = self.sources.location(self.sources.user_site(name.span));
        let text = self.interner.intern(&location.map_or_else(String::new, |l| l.file));
        Token { kind: TokenKind::String, text, ..name }
    }
}

/// Removes the top pending list; its macro may be expanded again.
fn finish(pending: &mut Vec<Pending>) {
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
