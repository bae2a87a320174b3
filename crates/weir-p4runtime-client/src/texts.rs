//! Types that are translated to `string`, and ports that are texts.

use weir_device::Port;
use weir_ir::Bits;
use weir_switch::control::{TEXT_BITS, TypeSchema, Values, bytes_of_text};
use weir_switch::p4info::TextNames;

use crate::proto::config::p4_new_type_translation::SdnType;
use crate::proto::config::{P4Info, P4NewTypeSpec, P4TypeInfo};
use crate::translated::{SDN_PORT_CPU, is_port_type, text_names, translation};
use crate::wire::shortest;

/// The named types of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types<'a> {
    /// The entry of the type in the P4Info.
    pub info: Option<&'a P4TypeInfo>,
    /// The types that the client knows from the program itself.
    pub own: &'a [TypeSchema],
    /// The CPU port of the switch, if the client knows it.
    pub cpu: Option<Port>,
}

/// The form that a type's values have in the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The protocol carries the number itself.
    Plain,
    /// The protocol carries a number of this many bits, which the switch translates.
    Number(u32),
    /// The protocol carries the number of a port, of this many bits. In the protocol, the switch's
    /// CPU port, if it is known, has a number of its own.
    Port(u32, Option<Port>),
    /// The protocol carries a text.
    Text,
}

impl Form {
    /// Returns the protocol's bits of translated numbers; `None` for other values.
    pub fn number_bits(self) -> Option<u32> {
        match self {
            Self::Number(bits) | Self::Port(bits, _) => Some(bits),
            Self::Plain | Self::Text => None,
        }
    }
}

impl Types<'_> {
    /// Returns, for values of a type with a name, their width in bits in this client, their text
    /// form, and their form in the protocol (with `bits` bits if these are numbers). If the client
    /// knows the switch's own type, the width is that of this type.
    pub fn form(&self, name: Option<&str>, bits: u32) -> (u32, Values, Form) {
        let translated = || {
            let name = name?;
            let found = translation(self.info?.new_types.get(name)?)?;
            let own = self.own.iter().find(|own| own.name == name);
            let known = |otherwise| own.map_or(otherwise, |own| (own.width, own.values.clone()));
            let is_port = is_port_type(&found.uri) || is_port_type(name);
            let ((width, values), form) = match found.sdn_type.as_ref()? {
                SdnType::SdnString(_) => (known((TEXT_BITS, Values::Texts)), Form::Text),
                SdnType::SdnBitwidth(_) if is_port && own.is_some() => {
                    (known((bits, Values::Unsigned)), Form::Port(bits, self.cpu))
                }
                SdnType::SdnBitwidth(_) => (known((bits, Values::Unsigned)), Form::Number(bits)),
            };
            Some((width, values, form))
        };
        translated().unwrap_or((bits, Values::Unsigned, Form::Plain))
    }
}

/// Returns the URI of a type whose values are texts; `None` for other types.
fn uri_of_text(spec: &P4NewTypeSpec) -> Option<&str> {
    let translated = translation(spec)?;
    matches!(translated.sdn_type, Some(SdnType::SdnString(_))).then_some(translated.uri.as_str())
}

/// Returns a value in the protocol's form. Where the protocol has texts, a number that stands for
/// one is its name, or its digits.
pub(super) fn encode_value(value: &Bits, values: &Values, form: Form) -> Vec<u8> {
    match values {
        _ if form != Form::Text => shortest(value),
        Values::Texts => bytes_of_text(value),
        Values::Named(names) => match value.to_u64().and_then(|number| names.text(number)) {
            Some(name) => name.as_bytes().to_vec(),
            None => value.to_biguint().to_string().into_bytes(),
        },
        Values::Unsigned | Values::Signed => value.to_biguint().to_string().into_bytes(),
    }
}

/// Returns a value of this width in the protocol's form.
///
/// # Errors
/// The value is a text that stands for an unknown number, or the number is too large for the width.
pub(super) fn read(bytes: &[u8], width: u32, values: &Values, form: Form) -> Result<Bits, String> {
    match form {
        Form::Plain => return Ok(Bits::from_be_bytes(width, bytes)),
        Form::Number(bits) => return fit_width(&Bits::from_be_bytes(bits, bytes), width),
        Form::Port(bits, cpu) => {
            let number = Bits::from_be_bytes(bits, bytes);
            let special = cpu.filter(|_| number.to_u64() == Some(u64::from(SDN_PORT_CPU)));
            return fit_width(&special.map_or(number, |port| Bits::new(32, u128::from(port))), width);
        }
        Form::Text if *values == Values::Texts => return Ok(Bits::from_be_bytes(width, bytes)),
        Form::Text => {}
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

/// Converts a number to a value in a width that has room for it.
fn fit_width(number: &Bits, width: u32) -> Result<Bits, String> {
    let here = number.resize(width);
    match here.to_biguint() == number.to_biguint() {
        true => Ok(here),
        false => Err(format!(
            "the switch answered with {}, which does not fit in the program's {width} bits",
            number.to_biguint()
        )),
    }
}

/// The controllers' names of ports that have no type in the protocol: those of replicas, and
/// watched ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Ports {
    /// If ports are texts, the names that the P4Info gives them, by type.
    names: Vec<TextNames>,
    are_texts: bool,
    /// The CPU port of the switch, if the client knows it.
    cpu: Option<Port>,
}

impl Ports {
    /// Returns the names of ports in a program. Ports are texts if the server treats them as texts:
    /// if a type of ports is translated to `string`.
    pub fn from_p4info(info: &P4Info, cpu: Option<Port>) -> Self {
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
        Self { names, are_texts: !ports.is_empty(), cpu }
    }

    /// Returns a port in the protocol's form. Digits stand for their number.
    pub fn write(&self, port: Port) -> Vec<u8> {
        match self.are_texts {
            true => port.to_string().into_bytes(),
            false => shortest(&Bits::new(32, u128::from(port))),
        }
    }

    /// Returns a port in an answer of the switch.
    ///
    /// # Errors
    /// The port is a text for which the P4Info has no number.
    pub fn read(&self, bytes: &[u8]) -> Result<Port, String> {
        if !self.are_texts {
            let number = u32::try_from(Bits::from_be_bytes(32, bytes).low_u64()).unwrap_or(u32::MAX);
            return Ok(self.cpu.filter(|_| number == SDN_PORT_CPU).unwrap_or(number));
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
