//! The integer expressions of `#if` and `#elif` (C11 6.10.1), evaluated in 64 bits with wrapping.

use super::{Preprocessor, limits};
use crate::ast::IntegerLiteral;
use crate::span::Span;
use crate::token::{Interner, Keyword, Token, TokenKind};

/// A message and its location.
struct ConditionError(String, Span);

struct Evaluation<'a> {
    tokens: &'a [Token],
    at: usize,
    end: Span,
    interner: &'a Interner,
    nesting: usize,
}

impl Preprocessor<'_> {
    /// Whether the value is not 0. Errors are reported and count as 0.
    pub(super) fn condition(&mut self, directive: Span, tokens: Vec<Token>) -> bool {
        let end = tokens.last().map_or(directive, |t| t.span).after();
        let value = self.resolve_defined(tokens).and_then(|tokens| {
            let tokens = self.expand_list(tokens);
            let mut evaluation =
                Evaluation { tokens: &tokens, at: 0, end, interner: self.interner, nesting: 0 };
            let value = evaluation.ternary(true)?;
            match tokens.get(evaluation.at) {
                None => Ok(value),
                Some(token) => Err(ConditionError(
                    format!("unexpected `{}` in the condition", token.spelling(self.interner)),
                    token.span,
                )),
            }
        });
        match value {
            Ok(value) => value != 0,
            Err(ConditionError(message, span)) => {
                self.error("preprocess-condition", message, span);
                false
            }
        }
    }

    /// Replaces `defined X` and `defined(X)` by 1 or 0, before macros are expanded.
    fn resolve_defined(&mut self, tokens: Vec<Token>) -> Result<Vec<Token>, ConditionError> {
        let defined = self.interner.intern("defined");
        let (zero, one) = (self.interner.intern("0"), self.interner.intern("1"));
        let mut result = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while let Some(&token) = tokens.get(at) {
            at += 1;
            if token.kind != TokenKind::Identifier || token.text != defined {
                result.push(token);
                continue;
            }
            let parenthesised = tokens.get(at).is_some_and(|t| t.kind == TokenKind::LParen);
            let name =
                tokens.get(at + usize::from(parenthesised)).filter(|t| t.kind == TokenKind::Identifier);
            let Some(name) = name else {
                return Err(ConditionError("expected a macro name after `defined`".into(), token.span));
            };
            at += 1;
            if parenthesised {
                at += 2;
                if tokens.get(at - 1).is_none_or(|t| t.kind != TokenKind::RParen) {
                    return Err(ConditionError("expected `)` after `defined(…`".into(), name.span.after()));
                }
            }
            let text = if self.macros.contains_key(&name.text) { one } else { zero };
            result.push(Token { kind: TokenKind::Integer, text, ..token });
        }
        Ok(result)
    }
}

impl Evaluation<'_> {
    fn kind(&self) -> Option<TokenKind> {
        self.tokens.get(self.at).map(|t| t.kind)
    }

    fn accept(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == Some(kind);
        self.at += usize::from(found);
        found
    }

    fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, ConditionError>,
    ) -> Result<T, ConditionError> {
        if self.nesting >= limits::NESTING {
            let span = self.tokens.get(self.at).map_or(self.end, |t| t.span);
            return Err(ConditionError(
                format!("the condition is nested more than {} levels deep", limits::NESTING),
                span,
            ));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// `live` is false if the value is not used, as after `0 &&`: division by zero is then not an
    /// error.
    fn ternary(&mut self, live: bool) -> Result<i64, ConditionError> {
        let condition = self.binary(1, live)?;
        if !self.accept(TokenKind::Question) {
            return Ok(condition);
        }
        let then = self.nested(|e| e.ternary(live && condition != 0))?;
        if !self.accept(TokenKind::Colon) {
            return Err(self.expected("`:`"));
        }
        let otherwise = self.nested(|e| e.ternary(live && condition == 0))?;
        Ok(if condition != 0 { then } else { otherwise })
    }

    fn expected(&self, what: &str) -> ConditionError {
        match self.tokens.get(self.at) {
            Some(token) => ConditionError(
                format!("expected {what}, found `{}`", token.spelling(self.interner)),
                token.span,
            ),
            None => ConditionError(format!("expected {what} at the end of the condition"), self.end),
        }
    }

    /// The next operator with its precedence (that of C) and number of tokens.
    fn operator(&self) -> Option<(&'static str, u8, usize)> {
        use TokenKind::*;
        let token = self.tokens.get(self.at)?;
        let next = self.tokens.get(self.at + 1);
        let shift = token.kind == Gt && next.is_some_and(|n| n.kind == Gt && !n.has_space_before());
        Some(match token.kind {
            OrOr => ("||", 1, 1),
            AndAnd => ("&&", 2, 1),
            Or => ("|", 3, 1),
            Caret => ("^", 4, 1),
            And => ("&", 5, 1),
            EqEq => ("==", 6, 1),
            NotEq => ("!=", 6, 1),
            _ if shift => (">>", 8, 2),
            Lt => ("<", 7, 1),
            Gt => (">", 7, 1),
            Le => ("<=", 7, 1),
            Ge => (">=", 7, 1),
            Shl => ("<<", 8, 1),
            Plus => ("+", 9, 1),
            Minus => ("-", 9, 1),
            Star => ("*", 10, 1),
            Slash => ("/", 10, 1),
            Percent => ("%", 10, 1),
            _ => return None,
        })
    }

    fn binary(&mut self, min_precedence: u8, live: bool) -> Result<i64, ConditionError> {
        let mut left = self.unary(live)?;
        while let Some((operator, precedence, length)) = self.operator().filter(|o| o.1 >= min_precedence) {
            let span = self.tokens[self.at].span;
            self.at += length;
            let live = live && !(operator == "&&" && left == 0) && !(operator == "||" && left != 0);
            let right = self.nested(|e| e.binary(precedence + 1, live))?;
            left = match operator {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "<<" => left.wrapping_shl(right as u32),
                ">>" => left.wrapping_shr(right as u32),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                _ if right == 0 && live => {
                    return Err(ConditionError("division by zero in the condition".into(), span));
                }
                _ if right == 0 => 0,
                "/" => left.wrapping_div(right),
                _ => left.wrapping_rem(right),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<i64, ConditionError> {
        let Some(&token) = self.tokens.get(self.at) else { return Err(self.expected("a value")) };
        self.at += 1;
        match token.kind {
            TokenKind::Bang => self.nested(|e| e.unary(live)).map(|v| i64::from(v == 0)),
            TokenKind::Tilde => self.nested(|e| e.unary(live)).map(|v| !v),
            TokenKind::Minus => self.nested(|e| e.unary(live)).map(i64::wrapping_neg),
            TokenKind::Plus => self.nested(|e| e.unary(live)),
            TokenKind::LParen => {
                let value = self.nested(|e| e.ternary(live))?;
                if self.accept(TokenKind::RParen) { Ok(value) } else { Err(self.expected("`)`")) }
            }
            TokenKind::Integer => self.integer(token),
            // A name that is not a macro is 0, but `true` is 1 as in C++.
            TokenKind::Identifier => Ok(i64::from(token.keyword() == Some(Keyword::True))),
            _ => {
                self.at -= 1;
                Err(self.expected("a value"))
            }
        }
    }

    fn integer(&self, token: Token) -> Result<i64, ConditionError> {
        let text = self.interner.text(token.text);
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        let octal = digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        let spelled = if octal { format!("0o{digits}") } else { digits.to_string() };
        let literal =
            IntegerLiteral::from_spelling(&spelled).map_err(|why| ConditionError(why, token.span))?;
        i64::try_from(&literal.value).map_err(|_| {
            ConditionError("the number is too large: conditions are evaluated in 64 bits".into(), token.span)
        })
    }
}
