//! The values of a document.

/// A value and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The kind of the value, with its contents.
    pub kind: Kind,
    /// The byte offset at which the value starts; `None` for a value that was not read from text.
    pub offset: Option<usize>,
}

/// The kinds of JSON values.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Value>),
    /// An object: keys and values in order, each key once.
    Object(Vec<(String, Value)>),
    /// A value of a front end that JSON cannot express: its text in messages.
    Other(String),
}

impl From<Kind> for Value {
    /// Makes a value that was not read from text.
    fn from(kind: Kind) -> Self {
        Self { kind, offset: None }
    }
}

impl Value {
    /// Describes the value in words, for a message: `a number 5`, `a list`. Long values are not
    /// shown.
    pub fn describe(&self) -> String {
        /// The maximum number of characters of a string that a message shows.
        const MAX_SHOWN_CHARACTERS: usize = 40;
        let (kind, shown) = match &self.kind {
            Kind::Null => return "null".to_owned(),
            Kind::List(_) => return "a list".to_owned(),
            Kind::Object(_) => return "an object".to_owned(),
            Kind::Other(shown) => return shown.clone(),
            Kind::Bool(value) => return value.to_string(),
            Kind::Number(text) => ("a number", text.clone()),
            Kind::Text(text) => ("a string", quoted(text)),
        };
        if shown.chars().count() <= MAX_SHOWN_CHARACTERS {
            format!("{kind} {shown}")
        } else {
            kind.to_owned()
        }
    }
}

/// Quotes and escapes a string as JSON writes it.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            c if (c as u32) < 0x20 => literal += &format!("\\u{:04x}", c as u32),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}
