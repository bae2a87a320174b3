//! Steps as JSON objects.

use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use weir_control::field_text::field_text;
use weir_control::matching::format_match;
use weir_ir::Bits;
use weir_switch::Place;
use weir_switch::trace::{Argument, CopyKind, Field, HitEntry, Step, StepKind};

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

/// The fields of a header, or values without a header.
struct Fields<'a> {
    header: &'a str,
    fields: &'a [Field],
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.fields.len()))?;
        for field in self.fields {
            list.serialize_element(&HeaderField { header: self.header, field })?;
        }
        list.end()
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
        let mut map = serializer.serialize_map(Some(self.0.matches.len()))?;
        for ((name, accepts), key) in self.0.matches.iter().zip(self.1) {
            map.serialize_entry(name, &format_match(accepts, key.value.width(), name))?;
        }
        map.end()
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
                    list.serialize_element(&One { parameter, value: Fields { header: "", fields } })?;
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
        members(&self.step.what, &mut map)?;
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

/// Writes the members that depend on the kind of the step.
fn members<M: SerializeMap>(what: &StepKind, map: &mut M) -> Result<(), M::Error> {
    let plain = |fields| Fields { header: "", fields };
    let one = |field| HeaderField { header: "", field };
    match what {
        StepKind::Received { port, bytes } | StepKind::Transmitted { port, bytes } => {
            map.serialize_entry("port", port)?;
            map.serialize_entry("bytes", &Hexadecimal(bytes))?;
        }
        StepKind::Copied { from, how } => {
            map.serialize_entry("from", from)?;
            match how {
                CopyKind::IngressClone { session } => {
                    map.serialize_entry("how", "ingress_clone")?;
                    map.serialize_entry("session", session)?;
                }
                CopyKind::EgressClone { session } => {
                    map.serialize_entry("how", "egress_clone")?;
                    map.serialize_entry("session", session)?;
                }
                CopyKind::Replica { port, rid } => {
                    map.serialize_entry("how", "replica")?;
                    map.serialize_entry("port", port)?;
                    map.serialize_entry("rid", rid)?;
                }
            }
        }
        StepKind::Block(block) => map.serialize_entry("block", block)?,
        StepKind::State(state) => map.serialize_entry("state", state)?,
        StepKind::Extracted { header, fields } | StepKind::Emitted { header, fields } => {
            map.serialize_entry("header", header)?;
            map.serialize_entry("fields", &Fields { header, fields })?;
        }
        StepKind::Transition { to, keys } => {
            map.serialize_entry("to", to)?;
            map.serialize_entry("keys", &keys.iter().map(Plain).collect::<Vec<_>>())?;
        }
        StepKind::ParserError(error) => map.serialize_entry("error", error)?,
        StepKind::Applied { table, keys, hit, entry, action, args } => {
            map.serialize_entry("table", table)?;
            map.serialize_entry("keys", &plain(keys))?;
            map.serialize_entry("hit", hit)?;
            let entry = entry.as_ref().map(|entry| EntryDocument { entry, keys });
            map.serialize_entry("entry", &entry)?;
            map.serialize_entry("action", action)?;
            map.serialize_entry("args", &plain(args))?;
        }
        StepKind::Selected { table, group, member, choice: _ } => {
            map.serialize_entry("table", table)?;
            map.serialize_entry("group", group)?;
            map.serialize_entry("member", member)?;
        }
        StepKind::Action { action, args } => {
            map.serialize_entry("action", action)?;
            map.serialize_entry("args", &plain(args))?;
        }
        StepKind::Assigned { now, before } => {
            map.serialize_entry("now", &one(now))?;
            map.serialize_entry("before", &one(before))?;
        }
        StepKind::AssignedInvalid(field) => map.serialize_entry("value", &one(field))?,
        StepKind::Validity { header, valid } => {
            map.serialize_entry("header", header)?;
            map.serialize_entry("valid", valid)?;
        }
        StepKind::Branch(taken) => map.serialize_entry("taken", taken)?,
        StepKind::Switched { value, case } => {
            map.serialize_entry("value", &Plain(value))?;
            map.serialize_entry("case", case)?;
        }
        StepKind::Called { callee, object, args } => {
            map.serialize_entry("callee", callee)?;
            map.serialize_entry("object", object)?;
            map.serialize_entry("args", &Arguments(args))?;
        }
        StepKind::Logged(line) => map.serialize_entry("line", line)?,
        StepKind::Digested { receiver, fields } => {
            map.serialize_entry("receiver", receiver)?;
            map.serialize_entry("fields", &plain(fields))?;
        }
        StepKind::Drawn { value, low, high, choice: _ } => {
            map.serialize_entry("value", &Plain(value))?;
            map.serialize_entry("low", &Plain(low))?;
            map.serialize_entry("high", &Plain(high))?;
        }
        StepKind::Verified { given, computed } => {
            map.serialize_entry("given", &Plain(given))?;
            map.serialize_entry("computed", &Plain(computed))?;
        }
        StepKind::NotCloned { session } => map.serialize_entry("session", session)?,
        StepKind::Multicast { group, copies } => {
            map.serialize_entry("group", group)?;
            map.serialize_entry("copies", copies)?;
        }
        StepKind::Queued { port, priority } => {
            map.serialize_entry("port", port)?;
            map.serialize_entry("priority", priority)?;
        }
        StepKind::Dequeued { port, waited } => {
            map.serialize_entry("port", port)?;
            map.serialize_entry("waited", waited)?;
        }
        StepKind::Dropped { place, reason } => {
            map.serialize_entry("place", &format_args!("{place}"))?;
            map.serialize_entry("reason", &format_args!("{reason}"))?;
        }
        StepKind::PassStarted
        | StepKind::ActionEnded
        | StepKind::Returned
        | StepKind::Recirculated
        | StepKind::Resubmitted => {}
    }
    Ok(())
}
