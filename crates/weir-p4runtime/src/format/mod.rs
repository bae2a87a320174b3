//! Reads and writes messages as text, JSON and bytes.

mod text;

use prost::{Message, Name};
use prost_reflect::{DynamicMessage, MessageDescriptor, SerializeOptions};

use crate::proto::descriptors;

/// A format for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Protocol buffers' text format.
    Text,
    /// Protocol buffers' JSON.
    Json,
    /// The wire format.
    Binary,
}

impl Format {
    /// All formats with their names.
    pub const NAMES: [(&'static str, Self); 3] =
        [("text", Self::Text), ("json", Self::Json), ("binary", Self::Binary)];

    /// Returns the format with this name: `text`, `json` or `binary`.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }
}

/// The reason why a message cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormatError(String);

/// Encodes a message in a format. Text begins with comments that name the message's type, as other
/// tools expect.
pub fn write<M: Message + Name>(message: &M, format: Format) -> Vec<u8> {
    let bytes = message.encode_to_vec();
    if format == Format::Binary {
        return bytes;
    }
    let descriptor = descriptor::<M>();
    let file = descriptor.parent_file().name().to_owned();
    let dynamic = DynamicMessage::decode(descriptor, bytes.as_slice()).expect("it was just encoded");
    match format {
        Format::Text => {
            let text = text::text(&dynamic);
            format!("# proto-file: {file}\n# proto-message: {}\n\n{text}", M::full_name()).into_bytes()
        }
        Format::Json => {
            let mut text = Vec::new();
            let mut serializer = serde_json::Serializer::pretty(&mut text);
            let options = SerializeOptions::new();
            dynamic.serialize_with_options(&mut serializer, &options).expect("memory takes all text");
            text.push(b'\n');
            text
        }
        Format::Binary => bytes,
    }
}

/// Decodes a message that [`write()`] or another tool wrote.
///
/// # Errors
/// The bytes are not a message of this type. The error says where and why.
pub fn read<M: Message + Name + Default>(bytes: &[u8], format: Format) -> Result<M, FormatError> {
    let dynamic = match format {
        Format::Binary => return M::decode(bytes).map_err(|error| FormatError(error.to_string())),
        Format::Text => {
            let text = std::str::from_utf8(bytes).map_err(|error| FormatError(error.to_string()))?;
            DynamicMessage::parse_text_format(descriptor::<M>(), text)
                .map_err(|error| FormatError(error.to_string()))?
        }
        Format::Json => {
            let mut deserializer = serde_json::Deserializer::from_slice(bytes);
            let read = DynamicMessage::deserialize(descriptor::<M>(), &mut deserializer)
                .map_err(|error| FormatError(error.to_string()))?;
            deserializer.end().map_err(|error| FormatError(error.to_string()))?;
            read
        }
    };
    dynamic.transcode_to().map_err(|error| FormatError(error.to_string()))
}

/// Returns the description of a message's fields.
fn descriptor<M: Name>() -> MessageDescriptor {
    descriptors().get_message_by_name(&M::full_name()).expect("all messages have descriptors")
}
