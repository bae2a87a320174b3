//! Annotations.

/// `@name(body)`, kept for the control plane and the architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Without the `@`.
    pub name: String,
    /// Its evaluated arguments; unstructured bodies are one `Text`.
    pub args: Vec<AnnotationArg>,
}

/// One argument of an [`Annotation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationArg {
    /// The key of a `key = value` argument.
    pub key: Option<String>,
    /// Its value.
    pub value: AnnotationValue,
}

/// The value of an [`AnnotationArg`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationValue {
    /// A string, without quotes.
    Text(String),
    /// An integer.
    Int(num_bigint::BigInt),
    /// A boolean.
    Bool(bool),
}
