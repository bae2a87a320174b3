//! Names and annotations. Messages and the control plane use them to identify declarations.

use num_bigint::BigInt;
use weir_syntax::Span;

/// A declaration's name as written, with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier as the source writes it.
    pub text: String,
    /// The location of the identifier (not of the whole declaration).
    pub span: Span,
}

/// The annotations of a declaration, in source order.
#[derive(Clone, Debug, Default)]
pub struct Annotations(pub Vec<Annotation>);

impl Annotations {
    /// Returns the first annotation called `name` (without the `@`).
    pub fn get(&self, name: &str) -> Option<&Annotation> {
        self.0.iter().find(|annotation| annotation.name == name)
    }

    /// Returns whether an annotation called `name` is present.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns the string of `@name("…")`, which replaces the control-plane name. A leading `.`
    /// makes it absolute.
    pub fn control_plane_name(&self) -> Option<&str> {
        self.get("name")?.string().filter(|name| !name.is_empty())
    }
}

/// `@name`, `@name(tokens)` or `@name[expressions]` (P4_16 section 20).
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The name without the `@`.
    pub name: String,
    /// The content of the parentheses or brackets.
    pub body: AnnotationBody,
    /// The place of the whole annotation in the source.
    pub span: Span,
}

impl Annotation {
    /// Returns the single string of a body such as `("ingress.t")`.
    pub fn string(&self) -> Option<&str> {
        match self.values() {
            [AnnotationValue::String(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the values of a body that is a list of constants; empty for any other body.
    pub fn values(&self) -> &[AnnotationValue] {
        match &self.body {
            AnnotationBody::Unstructured { values: Some(values), .. } | AnnotationBody::List(values) => {
                values
            }
            _ => &[],
        }
    }
}

/// The body of an annotation, in one of its three forms.
#[derive(Clone, Debug)]
pub enum AnnotationBody {
    /// `@name` alone.
    Empty,
    /// `@name(...)`: the tokens as written and, if they form a comma-separated list of constants
    /// (literals or names of constants in scope, as in `@field_list(1)` or `@field_list(MY_LIST)`),
    /// their values.
    Unstructured {
        /// The source text of each token.
        tokens: Vec<String>,
        /// The values, if every item is a compile-time constant.
        values: Option<Vec<AnnotationValue>>,
        /// The items by key, if every one is of the form `key = constant`.
        pairs: Vec<(String, AnnotationValue)>,
    },
    /// `@name[a, b]`: evaluated constants.
    List(Vec<AnnotationValue>),
    /// `@name[k=v, …]`: evaluated constants by key, in source order.
    KeyValues(Vec<(String, AnnotationValue)>),
}

/// A constant inside an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationValue {
    /// An integer of any width.
    Int(BigInt),
    /// A boolean.
    Bool(bool),
    /// The content of a string literal.
    String(String),
}
