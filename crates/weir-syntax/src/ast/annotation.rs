//! Annotations: `@name`, `@name(tokens)`, `@name[expressions]` (specification section
//! "Annotations").

use super::{Expr, KeyValue, Name};
use crate::span::Span;
use num_bigint::BigInt;
use std::sync::Arc;

/// An annotation. `@pragma name tokens`, up to the end of its line, is parsed as `@name(tokens)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The name after `@`.
    pub name: Name,
    /// Its body.
    pub body: AnnotationBody,
    /// From `@` to the closing bracket.
    pub span: Span,
}

/// The body of an annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationBody {
    /// No body: `@hidden`.
    Empty,
    /// Any tokens with balanced parentheses: `@name("x.y")`.
    Unstructured(Vec<AnnotationToken>),
    /// Structured expressions: `@field_list[1, 2]`.
    Expressions(Vec<Expr>),
    /// Structured pairs: `@range[low=1, high=2]`.
    KeyValues(Vec<KeyValue>),
}

/// A token in an unstructured annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnotationToken {
    /// The kind of token, with its text.
    pub kind: AnnotationTokenKind,
    /// Its location.
    pub span: Span,
}

/// The kinds of tokens in an unstructured annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationTokenKind {
    /// An identifier or keyword.
    Word(Arc<str>),
    /// An integer literal as spelled: `8w0xFF`.
    Integer(Arc<str>),
    /// A string literal without its quotes, with escapes unprocessed.
    String(Arc<str>),
    /// An operator, a bracket, or a character that P4 does not use.
    Punctuation(Arc<str>),
}

impl Annotation {
    /// The string of an annotation whose body is one string literal, structured or not:
    /// `@name("x")`.
    pub fn single_string(&self) -> Option<&str> {
        match &self.body {
            AnnotationBody::Unstructured(tokens) => match tokens.as_slice() {
                [AnnotationToken { kind: AnnotationTokenKind::String(text), .. }] => Some(text),
                _ => None,
            },
            AnnotationBody::Expressions(list) => match list.as_slice() {
                [Expr { kind: super::ExprKind::String(text), .. }] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// The values of an annotation whose body is a comma-separated list of integer literals:
    /// `@field_list(1, 2)`.
    pub fn integers(&self) -> Option<Vec<BigInt>> {
        match &self.body {
            AnnotationBody::Unstructured(tokens) => integers_of_tokens(tokens),
            AnnotationBody::Expressions(list) => list
                .iter()
                .map(|e| match &e.kind {
                    super::ExprKind::Integer(literal) => Some(literal.value.clone()),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

fn integers_of_tokens(tokens: &[AnnotationToken]) -> Option<Vec<BigInt>> {
    let mut values = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match (at % 2, &token.kind) {
            (0, AnnotationTokenKind::Integer(text)) => {
                values.push(super::IntegerLiteral::from_spelling(text).ok()?.value);
            }
            (1, AnnotationTokenKind::Punctuation(p)) if &**p == "," => {}
            _ => return None,
        }
    }
    Some(values)
}
