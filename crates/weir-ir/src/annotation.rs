//! Annotations.

/// `@name(body)`, kept for the control plane and the architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The name without the `@`.
    pub name: String,
    /// Its evaluated arguments; an unstructured body that is neither a list of constants nor of
    /// `key = constant` pairs is one `Text`.
    pub args: Vec<AnnotationArg>,
    /// Its form in the source.
    pub form: AnnotationForm,
}

/// The source form of an [`Annotation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationForm {
    /// `@name`.
    Bare,
    /// `@name(…)`, with the tokens of its body, separated by spaces.
    Unstructured(String),
    /// `@name[…]`.
    Structured,
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

impl AnnotationForm {
    /// The usual form of an annotation with these arguments: none, or an unstructured body.
    pub fn usual(args: &[AnnotationArg]) -> Self {
        if args.is_empty() {
            return Self::Bare;
        }
        let value = |arg: &AnnotationArg| match &arg.value {
            AnnotationValue::Text(text) => {
                let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                format!("\"{escaped}\"")
            }
            AnnotationValue::Int(value) => value.to_string(),
            AnnotationValue::Bool(value) => value.to_string(),
        };
        let arg = |arg: &AnnotationArg| match &arg.key {
            Some(key) => format!("{key} = {}", value(arg)),
            None => value(arg),
        };
        Self::Unstructured(args.iter().map(arg).collect::<Vec<_>>().join(" , "))
    }
}
