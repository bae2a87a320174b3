//! Steps as JSON objects.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use weir_control::field_text::field_text;
use weir_ir::Bits;
use weir_switch::Place;
use weir_switch::trace::{Argument, Field, HitEntry, Step};

use crate::step_members::{StepMember, entry_matches, step_members};

/// Returns the text of a source line, without spaces around it.
pub type SourceLine<'a> = &'a dyn Fn(&Place) -> String;

/// Bytes that are written as hexadecimal digits.
pub(crate) struct Hexadecimal<'a>(pub &'a [u8]);

impl fmt::Display for Hexadecimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Serialize for Hexadecimal<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A field of a header. The header's name helps to choose the form of the text.
pub(crate) struct HeaderField<'a> {
    pub header: &'a str,
    pub field: &'a Field,
}

impl Serialize for HeaderField<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Field { name, value, label } = self.field;
        let mut map = serializer.serialize_map(None)?;
        if !name.is_empty() {
            map.serialize_entry("name", name)?;
        }
        map.serialize_entry("width", &value.width())?;
        map.serialize_entry("value", &HexadecimalNumber(value))?;
        match label {
            Some(label) => map.serialize_entry("text", label)?,
            None => map.serialize_entry("text", &field_text(value, None, self.header, name))?,
        }
        map.end()
    }
}

struct HexadecimalNumber<'a>(&'a Bits);

impl Serialize for HexadecimalNumber<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#}", self.0))
    }
}

/// A value without a name.
struct Plain<'a>(&'a Bits);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let field = Field { name: String::new(), value: self.0.clone(), label: None };
        HeaderField { header: "", field: &field }.serialize(serializer)
    }
}

impl Serialize for StepMember<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => number.serialize(serializer),
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Text(text) => text.serialize(serializer),
            Self::Bytes(bytes) => Hexadecimal(bytes).serialize(serializer),
            Self::Value(value) => Plain(value).serialize(serializer),
            Self::Values(values) => serializer.collect_seq(values.iter().map(Plain)),
            Self::Field(field) => HeaderField { header: "", field }.serialize(serializer),
            Self::Fields { header, fields } => {
                serializer.collect_seq(fields.iter().map(|field| HeaderField { header, field }))
            }
            Self::Entry(entry, keys) => {
                entry.map(|entry| EntryDocument { entry, keys }).serialize(serializer)
            }
            Self::Arguments(arguments) => Arguments(arguments).serialize(serializer),
            Self::Choice(_) => serializer.serialize_none(),
        }
    }
}

/// The entry that a packet hit, with the keys of its table.
struct EntryDocument<'a> {
    entry: &'a HitEntry,
    keys: &'a [Field],
}

impl Serialize for EntryDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("handle", &self.entry.handle)?;
        map.serialize_entry("matches", &Matches(self.entry, self.keys))?;
        map.serialize_entry("priority", &self.entry.priority)?;
        map.end()
    }
}

struct Matches<'a>(&'a HitEntry, &'a [Field]);

impl Serialize for Matches<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(entry_matches(self.0, self.1))
    }
}

/// The arguments of an extern call.
struct Arguments<'a>(&'a [(String, Argument)]);

impl Serialize for Arguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct One<'a, T: Serialize> {
            parameter: &'a str,
            value: T,
        }
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for (parameter, argument) in self.0 {
            match argument {
                Argument::Fields(fields) => {
                    list.serialize_element(&One { parameter, value: StepMember::from(fields.as_slice()) })?;
                }
                Argument::Text(text) => {
                    list.serialize_element(&One { parameter, value: format_args!("\"{text}\"") })?;
                }
                Argument::Object(object) => list.serialize_element(&One { parameter, value: object })?,
            }
        }
        list.end()
    }
}

/// A step with its source line.
pub(crate) struct StepDocument<'a> {
    pub step: &'a Step,
    pub source: SourceLine<'a>,
}

impl Serialize for StepDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct PlaceDocument<'a> {
            file: &'a str,
            line: u32,
            column: u32,
            text: String,
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("time_ns", &self.step.time)?;
        map.serialize_entry("kind", self.step.what.name())?;
        for (name, member) in step_members(&self.step.what) {
            if !matches!(member, StepMember::Choice(_)) {
                map.serialize_entry(name, &member)?;
            }
        }
        if let Some(place) = &self.step.place {
            let (file, text) = (place.file.as_str(), (self.source)(place));
            map.serialize_entry(
                "place",
                &PlaceDocument { file, line: place.line, column: place.column, text },
            )?;
        }
        map.end()
    }
}
