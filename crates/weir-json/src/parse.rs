//! From text to values.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::path::step;
use crate::text::short;
use crate::{Kind, Value};

/// Why a text is not a document.
pub(crate) struct ParseError {
    pub message: String,
    /// The byte of the mistake; none at the end of the text.
    pub offset: Option<usize>,
    pub path: Option<String>,
}

/// JSON as in RFC 8259, without the parser's extensions.
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

pub(crate) fn parse(text: &str) -> Result<Value, ParseError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT).map_err(|error| {
        let ended = text.trim_end().len() <= error.range().start;
        let message = match error.kind() {
            ParseErrorKind::NestingDepthExceeded => "is nested too deeply".to_owned(),
            _ if ended => "is not JSON: the file ends too early".to_owned(),
            ParseErrorKind::UnterminatedArray | ParseErrorKind::UnterminatedObject => {
                "is not JSON: this bracket is never closed".to_owned()
            }
            kind => {
                let reason = kind.to_string();
                let (first, rest) = reason.split_at(1);
                format!("is not JSON: {}{rest}", first.to_lowercase())
            }
        };
        ParseError { message, offset: Some(error.range().start), path: None }
    })?;
    match parsed.value {
        Some(value) => convert(value, &mut String::from("$")),
        None => {
            let message = "is not JSON: the file is empty".to_owned();
            Err(ParseError { message, offset: Some(0), path: None })
        }
    }
}

/// Converts the parser's value to ours; refuses keys that appear twice.
fn convert(value: ast::Value<'_>, path: &mut String) -> Result<Value, ParseError> {
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
                items.push(convert(element, path)?);
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
                *path += &step(&key);
                if !keys.insert(key.clone()) {
                    return Err(ParseError {
                        message: format!("the key \"{}\" appears twice in one object", short(&key)),
                        offset: Some(at),
                        path: Some(path.clone()),
                    });
                }
                members.push((key, convert(property.value, path)?));
                path.truncate(length);
            }
            Kind::Object(members)
        }
    };
    Ok(Value { kind, offset })
}
