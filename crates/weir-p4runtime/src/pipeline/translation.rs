//! Values that controllers see otherwise than the program (`@p4runtime_translation`; specification,
//! "PSA Metadata Translation").

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use weir_device::Port;
use weir_ir::Bits;

use super::number::{fit, number};
use crate::status::{Code, Problem};
use crate::wire::shortest;

/// The number of the CPU port for controllers.
pub(crate) const SDN_PORT_CPU: u32 = 0xffff_fffd;
/// The number of the recirculation port for controllers.
pub(crate) const SDN_PORT_RECIRCULATE: u32 = 0xffff_fffa;
/// The longest text that stands for a number, in bytes.
const MAX_TEXT: usize = 1024;
/// How many texts of a type may stand for numbers.
const MAX_TEXTS: usize = 1 << 20;

/// How a value of a field is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Translation {
    /// Not at all.
    None,
    /// It is a number of another width.
    Number,
    /// It is a port: the same number, but for the CPU port and the recirculation port.
    Ports,
    /// It is a text; the position of its map.
    Text(usize),
}

/// The switch's ports that have numbers of their own for controllers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpecialPorts {
    /// The port at which the controller is: 0xfffffffd.
    pub cpu: Option<Port>,
    /// The port whose packets enter again: 0xfffffffa.
    pub recirculate: Option<Port>,
}

/// Texts, and the numbers that stand for them in the program: 1, 2, … in the order in which
/// controllers first wrote them.
#[derive(Debug, Default)]
struct Texts {
    numbers: FxHashMap<Vec<u8>, usize>,
    texts: Vec<Vec<u8>>,
}

/// Translates values.
#[derive(Debug, Default)]
pub(crate) struct Translator {
    pub ports: SpecialPorts,
    /// By type. Only requests with texts that stand for numbers wait for the lock.
    texts: Vec<Mutex<Texts>>,
}

impl Translator {
    /// With maps for this many types.
    pub fn new(types: usize) -> Self {
        Self { ports: SpecialPorts::default(), texts: (0..types).map(|_| Mutex::default()).collect() }
    }

    /// The switch's port for a controller's number of 32 bits.
    pub fn port(&self, given: &[u8]) -> Result<Port, Problem> {
        let port = number(given, 32)?;
        self.switch_port(port.low_u64() as u32)
    }

    /// The controller's number of a port, as short as possible.
    pub fn port_bytes(&self, port: Port) -> Vec<u8> {
        shortest(&Bits::new(32, u128::from(self.sdn_port(port))))
    }

    /// The controller's number of a port.
    pub fn sdn_port(&self, port: Port) -> u32 {
        if self.ports.cpu == Some(port) {
            SDN_PORT_CPU
        } else if self.ports.recirculate == Some(port) {
            SDN_PORT_RECIRCULATE
        } else {
            port
        }
    }

    /// The switch's port for a controller's number.
    pub fn switch_port(&self, sdn: u32) -> Result<Port, Problem> {
        match sdn {
            SDN_PORT_CPU => self.ports.cpu.ok_or_else(|| Problem::invalid("the switch has no CPU port")),
            SDN_PORT_RECIRCULATE => {
                self.ports.recirculate.ok_or_else(|| Problem::invalid("the switch has no recirculation port"))
            }
            port => Ok(port),
        }
    }

    pub(super) fn port_in(&self, value: &Bits, bits: u32) -> Result<Bits, Problem> {
        match u32::try_from(value.low_u64()) {
            Ok(sdn) if value.width() <= 64 => fit(&Bits::new(32, u128::from(self.switch_port(sdn)?)), bits),
            _ => fit(value, bits),
        }
    }

    pub(super) fn port_out(&self, value: &Bits) -> Vec<u8> {
        match value.to_u64().map(u32::try_from) {
            Some(Ok(port)) => self.port_bytes(port),
            _ => shortest(value),
        }
    }

    fn texts(&self, map: usize) -> MutexGuard<'_, Texts> {
        self.texts[map].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn number_of_text(&self, map: usize, text: &[u8], bits: u32) -> Result<Bits, Problem> {
        if text.is_empty() || text.len() > MAX_TEXT {
            return Err(Problem::out_of_range(format!(
                "a text that stands for a number has 1 to {MAX_TEXT} bytes, not {}",
                text.len()
            )));
        }
        let mut texts = self.texts(map);
        if let Some(number) = texts.numbers.get(text) {
            return Ok(Bits::new(bits, *number as u128));
        }
        let number = texts.texts.len() + 1;
        if number > MAX_TEXTS || fit(&Bits::new(64, number as u128), bits).is_err() {
            return Err(Problem::new(
                Code::ResourceExhausted,
                format!("{} texts stand for numbers of {bits} bits already", number - 1),
            ));
        }
        texts.numbers.insert(text.to_vec(), number);
        texts.texts.push(text.to_vec());
        Ok(Bits::new(bits, number as u128))
    }

    /// Of a number that no text stands for: its digits.
    pub(super) fn text_of_number(&self, map: usize, value: &Bits) -> Vec<u8> {
        let texts = self.texts(map);
        let place = value.to_u64().and_then(|number| usize::try_from(number).ok()?.checked_sub(1));
        let text = place.and_then(|place| texts.texts.get(place));
        text.cloned().unwrap_or_else(|| value.to_biguint().to_string().into_bytes())
    }
}
