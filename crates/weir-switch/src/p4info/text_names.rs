//! Reads the texts that represent the numbers of a type:
//! `@p4runtime_translation_mappings({{"Ethernet0", 2}})`.

use std::collections::BTreeMap;

use weir_ir::{Annotation, AnnotationForm};

/// The annotation of types with values that controllers see as texts.
pub const MAPPINGS: &str = "p4runtime_translation_mappings";

/// An example of the annotation, for messages.
const EXAMPLE: &str = "`{{\"Ethernet0\", 1}, {\"Ethernet1\", 2}}`";

/// A one-to-one mapping of texts to numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextNames {
    numbers: BTreeMap<String, u64>,
    texts: BTreeMap<u64, String>,
}

impl TextNames {
    /// Reads the names from the annotations of a type. Returns `None` without the annotation.
    ///
    /// # Errors
    /// The annotation is not a list of pairs, or repeats a text or a number.
    pub fn from_annotations(annotations: &[Annotation]) -> Result<Option<Self>, String> {
        let Some(annotation) = annotations.iter().find(|annotation| annotation.name == MAPPINGS) else {
            return Ok(None);
        };
        match &annotation.form {
            AnnotationForm::Unstructured(body) => Self::parse(body).map(Some),
            _ => Err(format!("expected pairs of a text and a number in parentheses, such as {EXAMPLE}")),
        }
    }

    /// Parses the names in the annotation's parentheses.
    ///
    /// # Errors
    /// The text is not a list of pairs, or repeats a text or a number.
    pub fn parse(body: &str) -> Result<Self, String> {
        let mut scanner = Scanner(body);
        let mut names = Self::default();
        scanner.expect('{')?;
        while !scanner.skips('}') {
            scanner.expect('{')?;
            let text = scanner.text()?;
            scanner.expect(',')?;
            let number = scanner.number()?;
            scanner.skips(',');
            scanner.expect('}')?;
            names.add(&text, number)?;
            if !scanner.skips(',') {
                scanner.expect('}')?;
                break;
            }
        }
        if scanner.rest_of_text().is_empty() {
            Ok(names)
        } else {
            Err(scanner.expected_error("the end of the list"))
        }
    }

    /// Adds a text with its number.
    ///
    /// # Errors
    /// Another pair has the same text or number, or the text consists of the digits of another
    /// number.
    pub fn add(&mut self, text: &str, number: u64) -> Result<(), String> {
        if text.parse::<u64>().is_ok_and(|own| own != number && own.to_string() == text) {
            return Err(format!("the text \"{text}\" is the number {text}, not {number}"));
        }
        if let Some(other) = self.numbers.get(text) {
            return Err(format!("the text \"{text}\" stands for {other} and for {number}"));
        }
        if let Some(other) = self.texts.get(&number) {
            return Err(format!("the number {number} has two texts: \"{other}\" and \"{text}\""));
        }
        self.numbers.insert(text.to_owned(), number);
        self.texts.insert(number, text.to_owned());
        Ok(())
    }

    /// Returns the number that a text represents.
    pub fn number(&self, text: &str) -> Option<u64> {
        self.numbers.get(text).copied()
    }

    /// Returns the text that represents a number.
    pub fn text(&self, number: u64) -> Option<&str> {
        self.texts.get(&number).map(String::as_str)
    }

    /// Returns all texts with their numbers, in the order of the texts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.numbers.iter().map(|(text, number)| (text.as_str(), *number))
    }
}

/// The characters of an annotation that have not been read yet.
struct Scanner<'a>(&'a str);

impl Scanner<'_> {
    fn rest_of_text(&mut self) -> &str {
        self.0 = self.0.trim_start();
        self.0
    }

    fn skips(&mut self, wanted: char) -> bool {
        let is_next = self.rest_of_text().starts_with(wanted);
        if is_next {
            self.0 = &self.0[wanted.len_utf8()..];
        }
        is_next
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        if self.skips(wanted) { Ok(()) } else { Err(self.expected_error(&format!("`{wanted}`"))) }
    }

    fn expected_error(&mut self, what: &str) -> String {
        let excerpt: String = self.rest_of_text().chars().take(20).collect();
        let excerpt = if excerpt.is_empty() { "the end".to_owned() } else { format!("`{excerpt}`") };
        format!("expected {what}, found {excerpt}; the form is {EXAMPLE}")
    }

    /// Reads a string literal, with the escapes of P4.
    fn text(&mut self) -> Result<String, String> {
        if !self.skips('"') {
            return Err(self.expected_error("a text in quotes"));
        }
        let mut text = String::new();
        let mut letters = self.0.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.0 = &self.0[at + 1..];
                    return Ok(text);
                }
                '\\' => text.extend(letters.next().map(|(_, escaped)| match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    other => other,
                })),
                other => text.push(other),
            }
        }
        Err("a text has no closing quote".to_owned())
    }

    /// Reads an integer literal of P4, such as `32`, `8w0x20` or `0b10_0000`.
    fn number(&mut self) -> Result<u64, String> {
        let rest = self.rest_of_text();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        match integer(&rest[..end]) {
            Some(number) => {
                self.0 = &self.0[end..];
                Ok(number)
            }
            None => Err(self.expected_error("a number from 0 to 2^64 - 1")),
        }
    }
}

/// Parses an integer literal of P4.
fn integer(text: &str) -> Option<u64> {
    let text = text.replace('_', "").to_lowercase();
    let digits = match text.split_once(['w', 's']) {
        Some((width, digits)) if !width.is_empty() && width.bytes().all(|b| b.is_ascii_digit()) => digits,
        _ => text.as_str(),
    };
    let radices = [("0x", 16), ("0b", 2), ("0o", 8), ("0d", 10)];
    let (digits, radix) = radices
        .iter()
        .find_map(|(prefix, radix)| Some((digits.strip_prefix(prefix)?, *radix)))
        .unwrap_or((digits, 10));
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_as_they_are_written() {
        for body in [
            "{{\"Ethernet0\", 2}, {\"a \\\"b\\\"\", 0x1f}, {\"\", 9w0}}",
            "{ { \"Ethernet0\" , 2 , } , { \"a \\\"b\\\"\" , 0b1_1111 } , { \"\" , 0 } , }",
        ] {
            let names = TextNames::parse(body).unwrap();
            assert_eq!(names.iter().collect::<Vec<_>>(), [("", 0), ("Ethernet0", 2), ("a \"b\"", 31)]);
            assert_eq!((names.number("Ethernet0"), names.text(0)), (Some(2), Some("")));
            assert_eq!((names.number("Ethernet1"), names.text(1)), (None, None));
        }
        assert_eq!(TextNames::parse("{}"), Ok(TextNames::default()));
        for body in ["{{\"2\", 2}}", "{{\"02\", 3}}", "{{\"\", 0}}"] {
            assert!(TextNames::parse(body).is_ok(), "{body}");
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (body, expected) in [
            ("", "expected `{`, found the end; the form is `{{\"Ethernet0\", 1}"),
            ("{\"a\", 1}", "expected `{`, found `\"a\", 1}`"),
            ("{{a, 1}}", "expected a text in quotes, found `a, 1}}`"),
            ("{{\"a\", b}}", "expected a number from 0 to 2^64 - 1, found `b}}`"),
            ("{{\"a\", -1}}", "expected a number"),
            ("{{\"a\", 1} {\"b\", 2}}", "expected `}`, found `{\"b\", 2}}`"),
            ("{{\"a\", 1}} 7", "expected the end of the list, found `7`"),
            ("{{\"a\", 1}, {\"a\", 2}}", "the text \"a\" stands for 1 and for 2"),
            ("{{\"a\", 1}, {\"b\", 1}}", "the number 1 has two texts: \"a\" and \"b\""),
            ("{{\"2\", 3}}", "the text \"2\" is the number 2, not 3"),
            ("{{\"a, 1}}", "no closing quote"),
        ] {
            let error = TextNames::parse(body).unwrap_err();
            assert!(error.contains(expected), "{body}: {error}");
        }
    }
}
