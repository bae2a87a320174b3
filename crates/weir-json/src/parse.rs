//! Converts text to values.

use std::borrow::Cow;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, ParseResult, parse_to_ast};

use crate::mistakes::MAX_MISTAKES;
use crate::path::key_step;
use crate::repair::repair;
use crate::text::shorten;
use crate::{Kind, Value};

/// A mistake that makes a text an invalid document.
pub(crate) struct ParseError {
    pub message: String,
    /// The byte offset of the mistake.
    pub offset: Option<usize>,
    pub path: Option<String>,
}

/// The options for JSON as in RFC 8259, without the parser's extensions.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The maximum number of syntax errors that are repaired, since each repair reads the text again.
const MAX_REPAIRS: usize = 20;

/// Reads a text.
///
/// # Errors
/// Returns the syntax errors up to the first one that cannot be repaired, and all keys that occur
/// twice in an object.
pub(crate) fn parse(text: &str) -> Result<Value, Vec<ParseError>> {
    let mut errors = Vec::new();
    let mut text = Cow::Borrowed(text);
    loop {
        let error = match parse_to_ast(&text, &CollectOptions::default(), &STRICT) {
            Ok(ParseResult { value: Some(value), .. }) => {
                let value = convert(value, &mut String::from("$"), &mut errors);
                return if errors.is_empty() { Ok(value) } else { Err(errors) };
            }
            Ok(_) => {
                // A text that has only comments is empty after the repairs.
                if errors.is_empty() {
                    errors.push(syntax("the file is empty", 0));
                }
                return Err(errors);
            }
            Err(error) => error,
        };
        let offset = error.range().start;
        if text.trim_end().len() <= offset {
            errors.push(syntax("the file ends too early", offset));
            return Err(errors);
        }
        errors.push(explain(&error));
        if errors.len() > MAX_REPAIRS || !repair(text.to_mut(), error.kind(), offset) {
            return Err(errors);
        }
    }
}

/// Returns the error for text that is not JSON.
fn syntax(what: &str, offset: usize) -> ParseError {
    ParseError { message: format!("is not JSON: {what}"), offset: Some(offset), path: None }
}

/// Converts an error of the JSON reader to Weir's error.
fn explain(error: &jsonc_parser::errors::ParseError) -> ParseError {
    let offset = error.range().start;
    match error.kind() {
        ParseErrorKind::NestingDepthExceeded => {
            ParseError { message: "is nested too deeply".to_owned(), offset: Some(offset), path: None }
        }
        ParseErrorKind::UnterminatedArray | ParseErrorKind::UnterminatedObject => {
            syntax("this bracket is never closed", offset)
        }
        kind => {
            let reason = kind.to_string();
            let (first, rest) = reason.split_at(1);
            syntax(&format!("{}{rest}", first.to_lowercase()), offset)
        }
    }
}

/// Converts the parser's value to ours; adds keys that appear twice to `errors`.
fn convert(value: ast::Value<'_>, path: &mut String, errors: &mut Vec<ParseError>) -> Value {
    let offset = Some(value.range().start);
    let length = path.len();
    let kind = match value {
        ast::Value::NullKeyword(_) => Kind::Null,
        ast::Value::BooleanLit(literal) => Kind::Bool(literal.value),
        ast::Value::NumberLit(literal) => Kind::Number(literal.value.to_owned()),
        ast::Value::StringLit(literal) => Kind::Text(literal.value.into_owned()),
        ast::Value::Array(array) => {
            let mut items = Vec::with_capacity(array.elements.len());
            for (index, element) in array.elements.into_iter().enumerate() {
                *path += &format!("[{index}]");
                items.push(convert(element, path, errors));
                path.truncate(length);
            }
            Kind::List(items)
        }
        ast::Value::Object(object) => {
            let mut members = Vec::with_capacity(object.properties.len());
            let mut keys = std::collections::BTreeSet::new();
            for property in object.properties {
                let at = property.range.start;
                let key = property.name.into_string();
                *path += &key_step(&key);
                if !keys.insert(key.clone()) && errors.len() <= MAX_MISTAKES {
                    errors.push(ParseError {
                        message: format!("the key \"{}\" appears twice in one object", shorten(&key)),
                        offset: Some(at),
                        path: Some(path.clone()),
                    });
                }
                members.push((key, convert(property.value, path, errors)));
                path.truncate(length);
            }
            Kind::Object(members)
        }
    };
    Value { kind, offset }
}
