//! Annotations.

/// An annotation `@name(body)`, kept for the control plane and the architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The name without the `@`.
    pub name: String,
    /// The evaluated arguments. An unstructured body that is neither a list of constants nor a list
    /// of `key = constant` pairs is a single `Text`.
    pub args: Vec<AnnotationArg>,
    /// The form in which the source writes the annotation.
    pub form: AnnotationForm,
}

/// The source form of an [`Annotation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotationForm {
    /// An annotation without a body: `@name`.
    Bare,
    /// An annotation `@name(…)`, with the tokens of its body, separated by spaces.
    Unstructured(String),
    /// An annotation `@name[…]`.
    Structured,
}

/// One argument of an [`Annotation`], with its key if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationArg {
    /// The key of a `key = value` argument.
    pub key: Option<String>,
    /// The constant that is given.
    pub value: AnnotationValue,
}

/// The constant that an [`AnnotationArg`] gives.
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
    /// Returns the usual form of an annotation with these arguments: bare if there are none,
    /// otherwise an unstructured body.
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
