//! Annotations: `@name`, `@name(tokens)`, `@name[expressions]` (specification section
//! "Annotations").

use super::{Expr, KeyValue, Name};
use crate::span::Span;
use std::sync::Arc;

/// An annotation. `@pragma name tokens`, up to the end of its line, is parsed as `@name(tokens)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The name after `@`.
    pub name: Name,
    /// The body.
    pub body: AnnotationBody,
    /// The text, from `@` to the closing bracket.
    pub span: Span,
}

/// The body of an annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum AnnotationBody {
    /// No body: `@hidden`.
    Empty,
    /// Any tokens with balanced parentheses: `@name("x.y")`. If the tokens would be valid in
    /// brackets, the second part contains the resulting expressions or pairs.
    Unstructured(Vec<AnnotationToken>, Option<Box<AnnotationBody>>),
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
    /// The location.
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
