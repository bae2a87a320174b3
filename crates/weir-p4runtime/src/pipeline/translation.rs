//! Translates values that controllers see differently from the program (`@p4runtime_translation`;
//! specification, "PSA Metadata Translation").

use std::sync::Arc;

use weir_device::Port;
use weir_grpc::{Code, Problem};
use weir_ir::Bits;
use weir_switch::p4info::TextNames;

use super::number::{fit, number};
use crate::texts::{NoNumber, Texts};
use crate::translated::{SDN_PORT_CPU, SDN_PORT_RECIRCULATE};
use crate::wire::shortest;

/// The maximum length of a text that stands for a number, in bytes.
const MAX_TEXT: usize = 1024;
/// The maximum number of texts that a message lists.
const MAX_LISTED: usize = 8;

/// The translation of a field's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Translation {
    /// No translation.
    None,
    /// The number has another width for controllers.
    Number,
    /// The value is a port. Controllers see the same number, except for the CPU port and the
    /// recirculation port.
    Ports,
    /// Controllers see a text. The value is the position of the text's type.
    Text(usize),
}

/// The switch's ports that have special numbers for controllers. If the program has ports with
/// these numbers, as programs for PSA do, a number without another port stands for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpecialPorts {
    /// The CPU port, which controllers know as 0xfffffffd.
    pub cpu: Option<Port>,
    /// The recirculation port, which controllers know as 0xfffffffa.
    pub recirculate: Option<Port>,
}

/// The data for translations that is not in the program.
#[derive(Clone, Debug, Default)]
pub struct Translations {
    /// The port through which controllers send and receive packets.
    pub cpu: Option<Port>,
    /// Texts that stand for numbers.
    pub texts: Arc<Texts>,
}

/// A type whose values controllers see as texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextType {
    pub name: String,
    pub names: TextNames,
    /// Whether its values are ports.
    pub is_port: bool,
}

/// Translates values.
#[derive(Debug, Default)]
pub(crate) struct Translator {
    pub ports: SpecialPorts,
    /// The largest port number of the program.
    last_port: Option<Port>,
    types: Vec<TextType>,
    texts: Arc<Texts>,
}

impl Translator {
    /// Creates a translator for a program with this largest port number. Controllers see the values
    /// of `types` as texts.
    pub fn new(types: Vec<TextType>, last_port: Option<Port>) -> Self {
        Self { types, last_port, ..Self::default() }
    }

    /// Returns the switch's texts.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Sets the switch's texts; the names in a file replace the program's.
    pub fn set_texts(&mut self, texts: Arc<Texts>) {
        for ty in &mut self.types {
            if let Some(names) = texts.names(&ty.name) {
                ty.names = names.clone();
            }
        }
        self.texts = texts;
    }

    /// Converts a controller's port to the switch's port. The controller gives a number of 32 bits,
    /// or a text if the program's ports are texts.
    pub fn port(&self, bytes: &[u8]) -> Result<Port, Problem> {
        let mut mapped: Option<(Port, &str)> = None;
        let mut refused = None;
        for (place, ty) in self.types.iter().enumerate().filter(|(_, ty)| ty.is_port) {
            match self.number_of_text(place, bytes, 32) {
                Ok(value) => {
                    let port = value.low_u64() as u32;
                    if let Some((other, of)) = mapped.filter(|(other, _)| *other != port) {
                        return Err(Problem::invalid(format!(
                            "{} is port {other} in the type `{of}` and port {port} in `{}`",
                            printable(bytes),
                            ty.name
                        )));
                    }
                    mapped = Some((port, &ty.name));
                }
                Err(problem) => refused = refused.or(Some(problem)),
            }
        }
        match (mapped, refused) {
            (Some((port, _)), _) => Ok(port),
            (None, Some(problem)) => Err(problem),
            (None, None) => self.switch_port(number(bytes, 32)?.low_u64() as u32),
        }
    }

    /// Converts a port to the controllers' form: its text if the program's ports are texts, or
    /// otherwise its number in the shortest form.
    pub fn port_bytes(&self, port: Port) -> Vec<u8> {
        let value = Bits::new(32, u128::from(port));
        let mut of_ports = self.types.iter().enumerate().filter(|(_, ty)| ty.is_port);
        let Some((first, _)) = of_ports.clone().next() else {
            return shortest(&Bits::new(32, u128::from(self.sdn_port(port))));
        };
        let named = of_ports.find(|(place, _)| self.text(*place, u64::from(port)).is_some());
        self.text_of_number(named.map_or(first, |(place, _)| place), &value)
    }

    /// Converts a port to the controllers' number.
    pub fn sdn_port(&self, port: Port) -> u32 {
        if self.ports.cpu == Some(port) {
            SDN_PORT_CPU
        } else if self.ports.recirculate == Some(port) {
            SDN_PORT_RECIRCULATE
        } else {
            port
        }
    }

    /// Converts a controller's port number to the switch's port.
    pub fn switch_port(&self, sdn: u32) -> Result<Port, Problem> {
        let (special, name) = match sdn {
            SDN_PORT_CPU => (self.ports.cpu, "CPU"),
            SDN_PORT_RECIRCULATE => (self.ports.recirculate, "recirculation"),
            port => return Ok(port),
        };
        let own = self.last_port.filter(|last| *last >= sdn).map(|_| sdn);
        special.or(own).ok_or_else(|| Problem::invalid(format!("the switch has no {name} port")))
    }

    pub(super) fn port_in(&self, value: &Bits, bits: u32) -> Result<Bits, Problem> {
        match u32::try_from(value.low_u64()) {
            Ok(sdn) if value.width() <= 64 => fit(&Bits::new(32, u128::from(self.switch_port(sdn)?)), bits),
            _ => fit(value, bits),
        }
    }

    pub(super) fn port_out(&self, value: &Bits) -> Vec<u8> {
        match value.to_u64().map(u32::try_from) {
            Some(Ok(port)) => shortest(&Bits::new(32, u128::from(self.sdn_port(port)))),
            _ => shortest(value),
        }
    }

    /// Returns the number for a text, in a type of `bits` bits. The number comes from a name in the
    /// P4Info or in a file, or from the text's digits, or it is newly allocated.
    pub(super) fn number_of_text(&self, ty: usize, bytes: &[u8], bits: u32) -> Result<Bits, Problem> {
        let ty = &self.types[ty];
        if bytes.len() > MAX_TEXT {
            return Err(Problem::out_of_range(format!(
                "a text that stands for a number has at most {MAX_TEXT} bytes, not {}",
                bytes.len()
            )));
        }
        let text = std::str::from_utf8(bytes).ok();
        if let Some(number) = text.and_then(|text| ty.names.number(text)) {
            return fit(&Bits::new(64, u128::from(number)), bits);
        }
        if let Some(digits) = text.filter(|text| is_number(text)) {
            let value = digits
                .parse()
                .map_err(|_| Problem::invalid(format!("{} is not a number", printable(bytes))))?;
            let value = Bits::wrap(digits.len() as u32 * 4, value);
            if let Some(number) = value.to_u64() {
                self.texts.written(&ty.name, number).map_err(|why| self.refuse(ty, bytes, bits, &why))?;
            }
            return fit(&value, bits);
        }
        let allocated = match text.filter(|text| !text.is_empty()) {
            Some(text) => self.texts.allocate(&ty.name, text, &ty.names, bits),
            None => Err(NoNumber::Unknown),
        };
        let number = allocated.map_err(|why| self.refuse(ty, bytes, bits, &why))?;
        fit(&Bits::new(64, u128::from(number)), bits)
    }

    /// Makes the error for a text that has no number. It says why, and what the user can do.
    fn refuse(&self, ty: &TextType, bytes: &[u8], bits: u32, why: &NoNumber) -> Problem {
        let (text, name) = (printable(bytes), &ty.name);
        match why {
            NoNumber::Full => Problem::new(
                Code::ResourceExhausted,
                format!("{text}: all numbers of {bits} bits stand for texts of the type `{name}` already"),
            ),
            NoNumber::Taken(by) => Problem::invalid(format!(
                "the number {text} of the type `{name}` was given to the text \"{by}\""
            )),
            NoNumber::Unknown => {
                let known: Vec<&str> = ty.names.iter().map(|(text, _)| text).collect();
                let near = std::str::from_utf8(bytes)
                    .ok()
                    .and_then(|text| weir_suggest::nearest(text, known.iter().copied()));
                let other = weir_suggest::nearest(name, self.texts.types().filter(|known| known != name));
                let hint = match (near, other) {
                    (Some(near), _) => format!("; did you mean \"{near}\"?"),
                    (None, Some(other)) if self.texts.names(name).is_none() => {
                        format!("; the file of texts has the type `{other}`, not `{name}`")
                    }
                    _ => list_of_names(&known),
                };
                Problem::invalid(format!(
                    "no number stands for {text} in the type `{name}`{hint} (a number in digits stands for \
                     itself; other texts need @p4runtime_translation_mappings or a file of texts)"
                ))
            }
        }
    }

    /// Returns the text that stands for a number, if there is one.
    fn text(&self, ty: usize, number: u64) -> Option<String> {
        let ty = &self.types[ty];
        ty.names.text(number).map(str::to_owned).or_else(|| self.texts.text(&ty.name, number))
    }

    /// Returns the text that stands for a number, or otherwise the number's digits.
    pub(super) fn text_of_number(&self, ty: usize, value: &Bits) -> Vec<u8> {
        let text = value.to_u64().and_then(|number| self.text(ty, number));
        text.unwrap_or_else(|| value.to_biguint().to_string()).into_bytes()
    }
}

/// Returns whether a text is a decimal number without leading zeros.
fn is_number(text: &str) -> bool {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && (text == "0" || !text.starts_with('0'))
}

/// Formats a text for messages. Bytes that are not printable text are shown as bytes.
fn printable(value: &[u8]) -> String {
    match std::str::from_utf8(value) {
        Ok(text) if !text.chars().any(char::is_control) => {
            format!("\"{}\"", text.chars().take(40).collect::<String>())
        }
        _ => {
            let bytes: Vec<String> = value.iter().take(16).map(|byte| format!("{byte:#04x}")).collect();
            format!("the bytes {}", bytes.join(" "))
        }
    }
}

/// Lists the first texts of a type, for the end of a message.
fn list_of_names(known: &[&str]) -> String {
    if known.is_empty() {
        return ", which has no names".to_owned();
    }
    let listed: Vec<String> = known.iter().take(MAX_LISTED).map(|text| format!("\"{text}\"")).collect();
    let more = known.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(", which has {}{more}", listed.join(", "))
}
