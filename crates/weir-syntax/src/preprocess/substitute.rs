//! Substitution of a macro's arguments in its body (C11 6.10.3.1 to 6.10.3.3, C++20 for
//! `__VA_OPT__`).

use super::define::{BodyItem, BodyKind, Macro};
use super::{Preprocessor, limits};
use crate::diagnostic::Diagnostic;
use crate::span::{ExpansionId, Span};
use crate::token::{Symbol, Token, TokenKind, lex_single};

/// A macro call with its arguments.
pub(super) struct Call<'a> {
    pub of: &'a Macro,
    pub id: ExpansionId,
    /// The tokens of each parameter's argument.
    pub arguments: &'a [Vec<Token>],
    /// Whether the last parameter of a variadic macro has no argument.
    pub rest_missing: bool,
    /// The expanded arguments, each expanded when it is first needed.
    pub expanded: Vec<Option<Vec<Token>>>,
}

impl Preprocessor<'_> {
    /// Returns the tokens of a macro's body, or of a part of it, with the call's arguments.
    pub(super) fn substitute(&mut self, call: &mut Call<'_>, body: &[BodyItem]) -> Option<Vec<Token>> {
        let mut result: Vec<Token> = Vec::with_capacity(body.len());
        // This is false if the left side of a following `##` is an empty argument.
        let mut left_side = false;
        for (at, item) in body.iter().enumerate() {
            let next_pasted = body.get(at + 1).is_some_and(|next| next.pasted);
            let own_token = Token { span: Span { ctx: call.id, ..item.token.span }, ..item.token };
            let before = result.len();
            let mut piece: Vec<Token> = match &item.kind {
                BodyKind::Token => vec![own_token],
                BodyKind::Stringified(index) => {
                    let text = self.stringify(&call.arguments[*index]);
                    vec![Token { kind: TokenKind::String, text, ..own_token }]
                }
                BodyKind::Param(index) if item.pasted || next_pasted => call.arguments[*index].clone(),
                BodyKind::Param(index) => self.argument(call, *index, own_token.span)?.to_vec(),
                BodyKind::Optional { items, stringified } => {
                    let part = self.optional(call, items, own_token.span)?;
                    if *stringified {
                        let text = self.stringify(&part);
                        vec![Token { kind: TokenKind::String, text, ..own_token }]
                    } else {
                        part
                    }
                }
            };
            let after_comma =
                item.pasted && at.checked_sub(1).is_some_and(|at| body[at].token.kind == TokenKind::Comma);
            let is_rest =
                call.of.variadic && matches!(item.kind, BodyKind::Param(n) if n == call.arguments.len() - 1);
            if after_comma && is_rest {
                // This is GNU's `, ## __VA_ARGS__`: there is no comma if there are no further
                // arguments.
                if call.rest_missing {
                    result.pop();
                }
                left_side = false;
            }
            if let (BodyKind::Param(_) | BodyKind::Optional { .. }, Some(first)) =
                (&item.kind, piece.first_mut())
            {
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
            self.count_tokens(result.len().saturating_sub(before), own_token.span)?;
            left_side = if item.pasted { left_side || result.len() > before } else { result.len() > before };
        }
        Some(result)
    }

    /// Returns an argument after expansion.
    fn argument<'a>(&mut self, call: &'a mut Call<'_>, index: usize, at: Span) -> Option<&'a [Token]> {
        if call.expanded[index].is_none() {
            call.expanded[index] = Some(self.expand_nested(call.arguments[index].clone(), at)?);
        }
        call.expanded[index].as_deref()
    }

    /// Expands a list of tokens during another expansion; `None` if they are nested too deeply.
    pub(super) fn expand_nested(&mut self, tokens: Vec<Token>, at: Span) -> Option<Vec<Token>> {
        if self.nesting >= limits::NESTING {
            self.stop_expansion(at);
            return None;
        }
        self.nesting += 1;
        let tokens = self.expand_list(tokens);
        self.nesting -= 1;
        Some(tokens)
    }

    /// Returns the expansion of `__VA_OPT__(…)`; empty if the arguments of `...` expand to nothing.
    fn optional(&mut self, call: &mut Call<'_>, items: &[BodyItem], at: Span) -> Option<Vec<Token>> {
        let rest = call.arguments.len() - 1;
        if self.argument(call, rest, at)?.is_empty() {
            return Some(Vec::new());
        }
        self.substitute(call, items)
    }

    /// Joins two tokens. Returns both if they do not form a single one.
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

    /// Makes a string from the tokens of an argument. Quotes in them are escaped, including the
    /// quote of an unterminated string.
    fn stringify(&mut self, argument: &[Token]) -> Symbol {
        let mut text = String::new();
        for (at, token) in argument.iter().enumerate() {
            if at > 0 && token.has_space_before() {
                text.push(' ');
            }
            let spelling = token.spelling(self.interner);
            if matches!(token.kind, TokenKind::String | TokenKind::UnterminatedString) {
                complete_escape(&mut text);
                text.push_str(&spelling.replace('\\', "\\\\").replace('"', "\\\""));
            } else {
                text.push_str(&spelling);
            }
        }
        complete_escape(&mut text);
        self.interner.intern(&text)
    }
}

/// Doubles a backslash at the end of a string's text, which would escape the next character.
fn complete_escape(text: &mut String) {
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    if backslashes % 2 == 1 {
        text.push('\\');
    }
}
