//! Types that are translated to `string`, and ports that are texts.

use weir_device::Port;
use weir_ir::Bits;
use weir_switch::control::{TEXT_BITS, TypeSchema, Values, bytes_of_text};
use weir_switch::p4info::TextNames;

use crate::proto::config::p4_new_type_translation::SdnType;
use crate::proto::config::{P4Info, P4NewTypeSpec, P4TypeInfo};
use crate::translated::{is_port_type, text_names, translation};
use crate::wire::shortest;

/// The named types of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types<'a> {
    /// What its P4Info says about them.
    pub info: Option<&'a P4TypeInfo>,
    /// What the client knows otherwise.
    pub own: &'a [TypeSchema],
}

impl Types<'_> {
    /// The width of a type's values in bits, and how people write them. `None` if the values are
    /// not texts in the protocol.
    pub fn text(&self, name: &str) -> Option<(u32, Values)> {
        uri_of_text(self.info?.new_types.get(name)?)?;
        let own = self.own.iter().find(|own| own.name == name);
        Some(own.map_or((TEXT_BITS, Values::Texts), |own| (own.width, own.values.clone())))
    }
}

/// The URI of a type whose values are texts; none for other types.
fn uri_of_text(spec: &P4NewTypeSpec) -> Option<&str> {
    let found = translation(spec)?;
    matches!(found.sdn_type, Some(SdnType::SdnString(_))).then_some(found.uri.as_str())
}

/// A value in the protocol's form. Where the protocol has texts, a number that stands for one is
/// its name, or its digits.
pub(super) fn written(value: &Bits, values: &Values, is_text: bool) -> Vec<u8> {
    match values {
        _ if !is_text => shortest(value),
        Values::Texts => bytes_of_text(value),
        Values::Named(names) => match value.to_u64().and_then(|number| names.text(number)) {
            Some(name) => name.as_bytes().to_vec(),
            None => value.to_biguint().to_string().into_bytes(),
        },
        Values::Unsigned | Values::Signed => value.to_biguint().to_string().into_bytes(),
    }
}

/// A value of this width in the protocol's form.
///
/// # Errors
/// It is a text that stands for a number, and the number is not known.
pub(super) fn read(bytes: &[u8], width: u32, values: &Values, is_text: bool) -> Result<Bits, String> {
    if !is_text || *values == Values::Texts {
        return Ok(Bits::from_be_bytes(width, bytes));
    }
    let text = String::from_utf8_lossy(bytes);
    let named = match values {
        Values::Named(names) => names.number(&text).map(u128::from),
        _ => None,
    };
    let number = named.or_else(|| text.parse().ok());
    number.map(|number| Bits::new(width, number)).ok_or_else(|| {
        format!(
            "the switch answered with the text \"{}\", for which its program has no number",
            text.chars().take(40).collect::<String>().escape_debug()
        )
    })
}

/// The controllers' names of ports that have no type in the protocol: those of replicas, and
/// watched ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Ports {
    /// If ports are texts: the names that the P4Info gives, by type.
    names: Vec<TextNames>,
    are_texts: bool,
}

impl Ports {
    /// The names of ports in a program. Ports are texts if the server treats them as texts: if a
    /// type of ports is translated to `string`.
    pub fn of(info: &P4Info) -> Self {
        let types = info.type_info.iter().flat_map(|types| &types.new_types);
        let texts = types.filter_map(|(name, spec)| Some((name.as_str(), uri_of_text(spec)?, spec)));
        let mut ports: Vec<_> =
            texts.filter(|(name, uri, _)| is_port_type(uri) || is_port_type(name)).collect();
        let headers = info.controller_packet_metadata.iter().flat_map(|header| &header.metadata);
        let sent: Vec<&str> =
            headers.filter_map(|field| Some(field.type_name.as_ref()?.name.as_str())).collect();
        if ports.iter().any(|(name, ..)| sent.contains(name)) {
            ports.retain(|(name, ..)| sent.contains(name));
        }
        ports.sort_by_key(|(name, ..)| *name);
        let names = ports.iter().filter_map(|(.., spec)| text_names(spec)?.ok()).collect();
        Self { names, are_texts: !ports.is_empty() }
    }

    /// A port in the protocol's form. Digits stand for their number.
    pub fn write(&self, port: Port) -> Vec<u8> {
        match self.are_texts {
            true => port.to_string().into_bytes(),
            false => shortest(&Bits::new(32, u128::from(port))),
        }
    }

    /// A port in an answer of the switch.
    ///
    /// # Errors
    /// The port is a text for which the P4Info has no number.
    pub fn read(&self, bytes: &[u8]) -> Result<Port, String> {
        if !self.are_texts {
            return Ok(u32::try_from(Bits::from_be_bytes(32, bytes).low_u64()).unwrap_or(u32::MAX));
        }
        let text = String::from_utf8_lossy(bytes);
        let named = self.names.iter().find_map(|names| names.number(&text));
        let number = named.and_then(|number| u32::try_from(number).ok()).or_else(|| text.parse().ok());
        number.ok_or_else(|| {
            format!(
                "the switch answered with the port \"{}\", for which its P4Info has no number",
                text.chars().take(40).collect::<String>().escape_debug()
            )
        })
    }
}
