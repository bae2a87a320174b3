//! The integer expressions of `#if` and `#elif` (C11 6.10.1), evaluated in 64 bits with wrapping,
//! signed or unsigned.

use super::{Preprocessor, limits};
use crate::ast::IntegerLiteral;
use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::token::{Interner, Keyword, Token, TokenKind};

/// A value of 64 bits. The result of an operator is unsigned if one of its operands is unsigned.
#[derive(Clone, Copy)]
struct Number {
    bits: i64,
    unsigned: bool,
}

impl Number {
    fn signed(bits: i64) -> Self {
        Self { bits, unsigned: false }
    }

    fn from_bool(holds: bool) -> Self {
        Self::signed(i64::from(holds))
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

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
    /// Returns whether the value is not 0. Errors are reported and count as 0.
    pub(super) fn condition(&mut self, directive: Span, tokens: Vec<Token>) -> bool {
        let end = tokens.last().map_or(directive, |t| t.span).after();
        let stopped = self.expansion_stopped;
        (self.in_condition, self.condition_failed) = (true, false);
        let tokens = self.expand_list(tokens);
        self.in_condition = false;
        if self.condition_failed || self.expansion_stopped != stopped {
            return false;
        }
        self.warn_of_true(&tokens);
        let value = self.resolve_defined(tokens).and_then(|tokens| {
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
            Ok(value) => value.is_true(),
            Err(ConditionError(message, span)) => {
                self.error("preprocess-condition", message, span);
                false
            }
        }
    }

    /// Warns about `true`, which C's preprocessor does not know.
    fn warn_of_true(&mut self, tokens: &[Token]) {
        if let Some(token) = tokens.iter().find(|token| token.keyword() == Some(Keyword::True)) {
            let message = "`true` is 0 in a condition, like every name that is not a macro";
            let diagnostic = Diagnostic::warning("preprocess-condition", message)
                .primary(token.span, "")
                .suggest("write 1", token.span, "1");
            self.diagnostics.push(diagnostic);
        }
    }

    /// Replaces `defined X` and `defined(X)` with 1 or 0. Expansion does not change these names.
    fn resolve_defined(&mut self, tokens: Vec<Token>) -> Result<Vec<Token>, ConditionError> {
        let defined = self.interner.intern("defined");
        let (zero, one) = (self.interner.intern("0"), self.interner.intern("1"));
        let mut result = Vec::with_capacity(tokens.len());
        let mut index = 0;
        while let Some(&token) = tokens.get(index) {
            index += 1;
            if token.kind != TokenKind::Identifier || token.text != defined {
                result.push(token);
                continue;
            }
            let parenthesised = tokens.get(index).is_some_and(|t| t.kind == TokenKind::LParen);
            let name =
                tokens.get(index + usize::from(parenthesised)).filter(|t| t.kind == TokenKind::Identifier);
            let Some(name) = name else {
                return Err(ConditionError("expected a macro name after `defined`".into(), token.span));
            };
            index += 1;
            if parenthesised {
                index += 2;
                if tokens.get(index - 1).is_none_or(|t| t.kind != TokenKind::RParen) {
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
        let is_next = self.kind() == Some(kind);
        self.at += usize::from(is_next);
        is_next
    }

    fn evaluate_nested<T>(
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

    /// Evaluates a ternary. `live` is false if the value is not used, as after `0 &&`; division by
    /// zero is then not an error.
    fn ternary(&mut self, live: bool) -> Result<Number, ConditionError> {
        let condition = self.binary(1, live)?;
        if !self.accept(TokenKind::Question) {
            return Ok(condition);
        }
        let then = self.evaluate_nested(|e| e.ternary(live && condition.is_true()))?;
        if !self.accept(TokenKind::Colon) {
            return Err(self.expected_error("`:`"));
        }
        let otherwise = self.evaluate_nested(|e| e.ternary(live && !condition.is_true()))?;
        let unsigned = then.unsigned || otherwise.unsigned;
        Ok(Number { unsigned, ..if condition.is_true() { then } else { otherwise } })
    }

    fn expected_error(&self, what: &str) -> ConditionError {
        match self.tokens.get(self.at) {
            Some(token) => ConditionError(
                format!("expected {what}, found `{}`", token.spelling(self.interner)),
                token.span,
            ),
            None => ConditionError(format!("expected {what} at the end of the condition"), self.end),
        }
    }

    /// Returns the next operator with its precedence (as in C) and its number of tokens.
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

    fn binary(&mut self, min_precedence: u8, live: bool) -> Result<Number, ConditionError> {
        let mut left = self.unary(live)?;
        while let Some((operator, precedence, length)) = self.operator().filter(|o| o.1 >= min_precedence) {
            let span = self.tokens[self.at].span;
            self.at += length;
            let live = match operator {
                "&&" => live && left.is_true(),
                "||" => live && !left.is_true(),
                _ => live,
            };
            let right = self.evaluate_nested(|e| e.binary(precedence + 1, live))?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None if live => return Err(ConditionError("division by zero in the condition".into(), span)),
                None => Number::signed(0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Number, ConditionError> {
        let Some(&token) = self.tokens.get(self.at) else { return Err(self.expected_error("a value")) };
        self.at += 1;
        let operand = |e: &mut Self| e.evaluate_nested(|e| e.unary(live));
        match token.kind {
            TokenKind::Bang => operand(self).map(|v| Number::from_bool(!v.is_true())),
            TokenKind::Tilde => operand(self).map(|v| Number { bits: !v.bits, ..v }),
            TokenKind::Minus => operand(self).map(|v| Number { bits: v.bits.wrapping_neg(), ..v }),
            TokenKind::Plus => operand(self),
            TokenKind::LParen => {
                let value = self.evaluate_nested(|e| e.ternary(live))?;
                if self.accept(TokenKind::RParen) { Ok(value) } else { Err(self.expected_error("`)`")) }
            }
            TokenKind::Integer => self.integer(token),
            // A name that is not a macro counts as 0.
            TokenKind::Identifier => Ok(Number::signed(0)),
            _ => {
                self.at -= 1;
                Err(self.expected_error("a value"))
            }
        }
    }

    fn integer(&self, token: Token) -> Result<Number, ConditionError> {
        let text = self.interner.text(token.text);
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
        let octal = digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit());
        let spelled = if octal { format!("0o{digits}") } else { digits.to_string() };
        let literal =
            IntegerLiteral::from_spelling(&spelled).map_err(|why| ConditionError(why, token.span))?;
        let Ok(value) = u64::try_from(&literal.value) else {
            let message = "the number is too large: conditions are evaluated in 64 bits";
            return Err(ConditionError(message.into(), token.span));
        };
        let unsigned = text[digits.len()..].contains(['u', 'U']) || i64::try_from(value).is_err();
        Ok(Number { bits: value as i64, unsigned })
    }
}

/// Returns the value of an operator; `None` for a division by zero.
fn apply(operator: &str, left: Number, right: Number) -> Option<Number> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let order = if unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) };
    let bits = match operator {
        "||" => return Some(Number::from_bool(left.is_true() || right.is_true())),
        "&&" => return Some(Number::from_bool(left.is_true() && right.is_true())),
        "==" => return Some(Number::from_bool(a == b)),
        "!=" => return Some(Number::from_bool(a != b)),
        "<" => return Some(Number::from_bool(order.is_lt())),
        ">" => return Some(Number::from_bool(order.is_gt())),
        "<=" => return Some(Number::from_bool(order.is_le())),
        ">=" => return Some(Number::from_bool(order.is_ge())),
        "<<" => return Some(shift(left, right, true)),
        ">>" => return Some(shift(left, right, false)),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        _ if b == 0 => return None,
        "/" if unsigned => (a as u64 / b as u64) as i64,
        "/" => a.wrapping_div(b),
        _ if unsigned => (a as u64 % b as u64) as i64,
        _ => a.wrapping_rem(b),
    };
    Some(Number { bits, unsigned })
}

/// Shifts a number to the left, or to the right, where a signed number keeps its sign. A negative
/// distance shifts the other way, as with GNU's cpp.
fn shift(value: Number, by: Number, to_left: bool) -> Number {
    let negative = !by.unsigned && by.bits < 0;
    let by =
        u32::try_from(if negative { by.bits.unsigned_abs() } else { by.bits as u64 }).unwrap_or(u32::MAX);
    let sign = if value.bits < 0 && !value.unsigned { -1 } else { 0 };
    let bits = match (to_left != negative, value.unsigned) {
        (true, _) => value.bits.checked_shl(by).unwrap_or(0),
        (false, true) => (value.bits as u64).checked_shr(by).unwrap_or(0) as i64,
        (false, false) => value.bits.checked_shr(by).unwrap_or(sign),
    };
    Number { bits, ..value }
}
