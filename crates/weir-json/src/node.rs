//! Typed, checked access to the values of a document.

use crate::text::shorten;
use crate::{Diagnostic, Document, Kind, Value};

/// A value in its document. Its getters return what the document contains, or a diagnostic that
/// says what was expected.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    document: &'d Document,
    value: &'d Value,
}

impl Document {
    /// Returns the root value of the document.
    pub fn root(&self) -> Node<'_> {
        Node::new(self, &self.root)
    }
}

impl<'d> Node<'d> {
    fn new(document: &'d Document, value: &'d Value) -> Self {
        Self { document, value }
    }

    /// Returns the value itself.
    pub fn value(self) -> &'d Value {
        self.value
    }

    /// Creates a diagnostic at the place of this value.
    pub fn error(self, message: impl Into<String>) -> Diagnostic {
        self.document.diagnostic(self.value, message.into(), None)
    }

    /// Creates a diagnostic at the place of this value, with a suggestion.
    pub fn error_with_suggestion(self, message: impl Into<String>, suggestion: Option<String>) -> Diagnostic {
        self.document.diagnostic(self.value, message.into(), suggestion)
    }

    /// Returns whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.value.kind == Kind::Null
    }

    /// Returns the diagnostic that another kind of value was expected.
    pub fn expected(self, what: &str) -> Diagnostic {
        self.error(format!("expected {what}, found {}", self.value.describe()))
    }

    /// Reads a string. `what` describes the string in messages, for example `a table's name`.
    pub fn text(self, what: &str) -> Result<&'d str, Diagnostic> {
        match &self.value.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.expected(&format!("{what} (a string)"))),
        }
    }

    /// Reads `true` or `false`.
    pub fn flag(self) -> Result<bool, Diagnostic> {
        match self.value.kind {
            Kind::Bool(value) => Ok(value),
            _ => Err(self.expected("true or false")),
        }
    }

    /// Reads a whole number from `least` to `most`. `what` describes the number in messages, for
    /// example `a port`.
    pub fn integer(self, what: &str, least: u64, most: u64) -> Result<u64, Diagnostic> {
        let Kind::Number(text) = &self.value.kind else {
            return Err(self.expected(&format!("{what} (a whole number)")));
        };
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.expected(&format!("{what} (a whole number)")));
        }
        match text.parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(number),
            _ => {
                let number_text = if text.len() <= 40 { text } else { "the number" };
                Err(self
                    .error(format!("{number_text} is out of range: expected {what} from {least} to {most}")))
            }
        }
    }

    /// Returns the elements of a list, or a diagnostic if the value is not a list.
    pub fn items(self) -> Result<impl ExactSizeIterator<Item = Node<'d>>, Diagnostic> {
        match &self.value.kind {
            Kind::List(items) => Ok(items.iter().map(move |item| Node::new(self.document, item))),
            _ => Err(self.expected("a list")),
        }
    }

    /// Returns the elements of a list that must have `N` elements. `what` describes the list in
    /// messages.
    pub fn elements<const N: usize>(self, what: &str) -> Result<[Node<'d>; N], Diagnostic> {
        let Kind::List(_) = self.value.kind else { return Err(self.expected(what)) };
        let items: Vec<_> = self.items()?.collect();
        let number = items.len();
        <[Node<'d>; N]>::try_from(items).map_err(|_| {
            let s = if number == 1 { "" } else { "s" };
            self.error(format!("expected {what}, found a list with {number} element{s}"))
        })
    }

    /// Returns the members of an object, in order, or a diagnostic if the value is not an object.
    pub fn members(self) -> Result<impl ExactSizeIterator<Item = (&'d str, Node<'d>)>, Diagnostic> {
        let members = self.entries()?;
        Ok(members.iter().map(move |(key, value)| (key.as_str(), Node::new(self.document, value))))
    }

    /// Returns the members of an object with their keys.
    fn entries(self) -> Result<&'d [(String, Value)], Diagnostic> {
        match &self.value.kind {
            Kind::Object(members) => Ok(members),
            _ => Err(self.expected("an object")),
        }
    }

    /// Returns the member of an object with this key, if there is one.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        let Kind::Object(members) = &self.value.kind else { return None };
        members.iter().find(|(known, _)| known == key).map(|(_, value)| Node::new(self.document, value))
    }

    /// Returns the member of an object with this key, or a diagnostic if there is none.
    pub fn require(self, key: &str) -> Result<Node<'d>, Diagnostic> {
        let members = self.entries()?;
        self.get(key).ok_or_else(|| {
            let keys = members.iter().map(|(keys, _)| keys.as_str());
            let near = weir_suggest::nearest(key, keys).map(str::to_owned);
            self.error_with_suggestion(format!("missing key \"{key}\""), near)
        })
    }

    /// Returns the diagnostic for a member whose key is not among the known keys.
    pub(crate) fn unknown_key(self, key: &str, nearest: Option<&str>, known: &[&str]) -> Diagnostic {
        let listed = match nearest {
            Some(_) => String::new(),
            None => format!(" (known: {})", listing(known)),
        };
        self.error_with_suggestion(
            format!("unknown key \"{}\"{listed}", shorten(key)),
            nearest.map(str::to_owned),
        )
    }
}

/// Formats the known keys of an object for a message, cut if there are many.
fn listing(known: &[&str]) -> String {
    /// The maximum number of keys that a message shows.
    const MAX_SHOWN_KEYS: usize = 8;
    let list = known[..known.len().min(MAX_SHOWN_KEYS)].join(", ");
    if known.len() > MAX_SHOWN_KEYS {
        format!("{list} and {} more", known.len() - MAX_SHOWN_KEYS)
    } else {
        list
    }
}
