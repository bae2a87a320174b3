//! Formats messages as text, with the layout of the C++ library, which writes most P4Info files:
//! repeated fields one by one, one field per line, in the order of their numbers.

use std::fmt::Write;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, ReflectMessage, Value};

/// Formats a message's fields, one per line.
pub(super) fn text(message: &DynamicMessage) -> String {
    let mut out = String::new();
    fields(message, 0, &mut out);
    out
}

/// Writes the fields of a message, ordered by number.
fn fields(message: &DynamicMessage, indent: usize, out: &mut String) {
    let mut descriptors: Vec<FieldDescriptor> = message.descriptor().fields().collect();
    descriptors.sort_by_key(FieldDescriptor::number);
    for descriptor in descriptors.iter().filter(|descriptor| message.has_field(descriptor)) {
        match message.get_field(descriptor).as_ref() {
            Value::List(items) => items.iter().for_each(|item| field(descriptor, item, indent, out)),
            Value::Map(entries) => {
                let mut sorted: Vec<(Value, &Value)> =
                    entries.iter().map(|(key, value)| (key_value(key), value)).collect();
                sorted.sort_by_key(|(key, _)| scalar(descriptor, key));
                for (key, value) in sorted {
                    entry(descriptor, &key, value, indent, out);
                }
            }
            value => field(descriptor, value, indent, out),
        }
    }
}

/// Writes a field with its name.
fn field(descriptor: &FieldDescriptor, value: &Value, indent: usize, out: &mut String) {
    let (space, name) = ("  ".repeat(indent), descriptor.name());
    match value {
        Value::Message(inner) => {
            let _ = writeln!(out, "{space}{name} {{");
            fields(inner, indent + 1, out);
            let _ = writeln!(out, "{space}}}");
        }
        value => {
            let _ = writeln!(out, "{space}{name}: {}", scalar(descriptor, value));
        }
    }
}

/// Formats an entry of a map as a message with the fields `key` and `value`.
fn entry(descriptor: &FieldDescriptor, key: &Value, value: &Value, indent: usize, out: &mut String) {
    let space = "  ".repeat(indent);
    let _ = writeln!(out, "{space}{} {{", descriptor.name());
    if let Kind::Message(pair) = descriptor.kind() {
        field(&pair.map_entry_key_field(), key, indent + 1, out);
        field(&pair.map_entry_value_field(), value, indent + 1, out);
    }
    let _ = writeln!(out, "{space}}}");
}

fn key_value(key: &MapKey) -> Value {
    key.clone().into()
}

fn scalar(descriptor: &FieldDescriptor, value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::U32(value) => value.to_string(),
        Value::U64(value) => value.to_string(),
        Value::F32(value) => value.to_string(),
        Value::F64(value) => value.to_string(),
        Value::String(text) => quoted_value(text.as_bytes(), false),
        Value::Bytes(bytes) => quoted_value(bytes, true),
        Value::EnumNumber(number) => match descriptor.kind() {
            Kind::Enum(kind) => {
                kind.get_value(*number).map_or_else(|| number.to_string(), |member| member.name().to_owned())
            }
            _ => number.to_string(),
        },
        Value::Message(_) | Value::List(_) | Value::Map(_) => String::new(),
    }
}

/// Puts a value in quotes. In `bytes` fields, bytes above ASCII are escaped. In strings, which are
/// UTF-8, they are unchanged.
fn quoted_value(bytes: &[u8], all: bool) -> String {
    let mut literal = vec![b'"'];
    for &byte in bytes {
        match byte {
            b'\n' => literal.extend(b"\\n"),
            b'\r' => literal.extend(b"\\r"),
            b'\t' => literal.extend(b"\\t"),
            b'"' | b'\\' | b'\'' => literal.extend([b'\\', byte]),
            b' '..=b'~' => literal.push(byte),
            0x80.. if !all => literal.push(byte),
            _ => literal.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    literal.push(b'"');
    String::from_utf8(literal).expect("strings are UTF-8, all else is escaped")
}
