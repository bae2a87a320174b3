//! Reads quantities.

use crate::decimal::{Decimal, Fault};
use crate::error::show_text;
use crate::{Error, WantedQuantity};

/// The maximum time in nanoseconds. Larger times would not fit in the simulator's 64-bit numbers.
const MAX_TIME_NS: u64 = 1_000_000_000_000_000_000;
const MAX_RATE_BPS: u64 = 1_000_000_000_000_000;
const MAX_SIZE_BITS: u64 = 8_000_000_000_000_000_000;
const MAX_PACKETS: u64 = 1 << 31;

/// The units of time in nanoseconds.
const NANOSECONDS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The units of rates, in lower case, in bits per second.
const BITS_PER_SECOND: [(&str, u64); 10] = [
    ("bit", 1),
    ("bps", 1),
    ("kbit", 1_000),
    ("kbps", 1_000),
    ("mbit", 1_000_000),
    ("mbps", 1_000_000),
    ("gbit", 1_000_000_000),
    ("gbps", 1_000_000_000),
    ("tbit", 1_000_000_000_000),
    ("tbps", 1_000_000_000_000),
];

/// The units of sizes, in lower case, in bits.
const BITS: [(&str, u64); 11] = [
    ("b", 8),
    ("kb", 8_000),
    ("mb", 8_000_000),
    ("gb", 8_000_000_000),
    ("kib", 8 << 10),
    ("mib", 8 << 20),
    ("gib", 8 << 30),
    ("bit", 1),
    ("kbit", 1_000),
    ("mbit", 1_000_000),
    ("gbit", 1_000_000_000),
];

/// The limit of a queue in packets or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A length in packets.
    Packets(u64),
    /// A length in bytes.
    Bytes(u64),
}

/// A number with a unit, as the user wrote it.
#[derive(Clone, Debug)]
pub struct Quantity<'a> {
    wanted: WantedQuantity<'a>,
    /// The text in messages.
    shown: String,
    number: Decimal,
    unit: &'a str,
}

impl<'a> Quantity<'a> {
    /// Reads a number and its unit.
    ///
    /// # Errors
    /// The text is not a number, or has no unit.
    pub fn read(text: &'a str, wanted: WantedQuantity<'a>) -> Result<Self, Error> {
        let WantedQuantity { what, example, usual, .. } = wanted;
        let trimmed = text.trim();
        let end = trimmed.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c)));
        let (number, unit) = trimmed.split_at(end.unwrap_or(trimmed.len()));
        let unit = unit.trim_start();
        let is_unit = !unit.contains(|c: char| c.is_whitespace() || c.is_ascii_digit());
        let quoted = show_text(text);
        // A number with an exponent and no unit.
        if let Some(meaning) = trimmed.contains(['e', 'E']).then(|| wanted.meaning(trimmed)).flatten() {
            return Err(Error::new(format!("{what} '{quoted}' has no unit")).suggesting(meaning));
        }
        let Some(decimal) = Decimal::parse(number).filter(|_| is_unit) else {
            return Err(Error::new(format!(
                "cannot read {what} '{quoted}': expected a number and a unit, such as \"{example}\""
            )));
        };
        if unit.is_empty() && number.starts_with('-') {
            return Err(Error::new(format!(
                "{what} '{quoted}' is negative, and has no unit: expected one such as \"{example}\""
            )));
        }
        if unit.is_empty()
            && decimal.to_f64() == 0.0
            && BITS_PER_SECOND.iter().any(|(name, _)| *name == usual.to_lowercase())
        {
            return Err(Error::new(format!(
                "{what} '{quoted}' lets nothing through, and has no unit: expected a rate such as \"{example}\""
            )));
        }
        if unit.is_empty() {
            let error = Error::new(format!("{what} '{quoted}' has no unit"));
            let meaning = wanted.meaning(number).unwrap_or_else(|| format!("{}{usual}", show_text(number)));
            return Err(error.suggesting(meaning));
        }
        Ok(Self { wanted, shown: quoted, number: decimal, unit })
    }

    /// Reads a number in the usual unit. The number may have an exponent, as in JSON.
    ///
    /// # Errors
    /// The text is not a number.
    pub fn in_usual_unit(number: &str, wanted: WantedQuantity<'a>) -> Result<Self, Error> {
        let text = show_text(&format!("{number}{}", wanted.usual));
        match Decimal::parse(number) {
            Some(number) => Ok(Self { wanted, shown: text, number, unit: wanted.usual }),
            None => Err(wanted.expected(number)),
        }
    }

    /// Returns a time in nanoseconds.
    ///
    /// # Errors
    /// The quantity is not a time, is negative, has fractions of a nanosecond, or is above 10^18
    /// ns.
    pub fn nanoseconds(&self) -> Result<u64, Error> {
        let find = |unit: &str| NANOSECONDS.iter().find(|(name, _)| *name == unit);
        let Some((_, scale)) = find(self.unit) else {
            let error = self.unknown_unit("ns, us, ms, s, min or h");
            let near = find(&self.unit.to_lowercase()).zip(self.number.plain());
            return Err(match near {
                Some(((unit, _), number)) => error.suggesting(format!("{number}{unit}")),
                None => error,
            });
        };
        self.scaled(*scale, MAX_TIME_NS, "a nanosecond")
    }

    /// Returns a rate in bits per second, 1 or more.
    ///
    /// # Errors
    /// The quantity is not a rate, is not above zero, has fractions of a bit per second, or is
    /// above 10^15 bit/s.
    pub fn bits_per_second(&self) -> Result<u64, Error> {
        let unit = self.unit.to_lowercase();
        let unit = unit.strip_suffix("/s").unwrap_or(&unit);
        let Some((_, scale)) = BITS_PER_SECOND.iter().find(|(name, _)| *name == unit) else {
            return Err(self.unknown_unit("bit, kbit, Mbit, Gbit or Tbit (per second)"));
        };
        match self.scaled(*scale, MAX_RATE_BPS, "a bit per second")? {
            0 => {
                let unlimited = self.wanted.unlimited.map(|text| format!(" ({text} means unlimited)"));
                Err(Error::new(format!(
                    "{} lets nothing through: a rate must be above zero{}",
                    self.name(),
                    unlimited.unwrap_or_default()
                )))
            }
            bits => Ok(bits),
        }
    }

    /// Returns a size in bytes.
    ///
    /// # Errors
    /// The quantity is not a size, is negative, is not a whole number of bytes, or is above 10^18
    /// bytes.
    pub fn bytes(&self) -> Result<u64, Error> {
        let Some(scale) = self.bits_of_unit() else {
            return Err(self.unknown_unit("B, kB, MB, GB, KiB, MiB, GiB or kbit"));
        };
        match self.scaled(scale, MAX_SIZE_BITS, "a byte")? {
            bits if bits.is_multiple_of(8) => Ok(bits / 8),
            _ => Err(self.fault(Fault::TooFine, "a byte")),
        }
    }

    /// Returns a share of the whole, from 0 to 1.
    ///
    /// # Errors
    /// The unit is not `%`, or the quantity is outside 0 % to 100 %.
    pub fn share(&self) -> Result<f64, Error> {
        if self.unit != "%" {
            return Err(self.unknown_unit("%"));
        }
        if !self.number.is_percentage() {
            return Err(Error::new(format!("{} is outside 0% to 100%", self.name())));
        }
        Ok(self.number.times_ten_to_the(-2).to_f64())
    }

    /// Returns a number of packets.
    ///
    /// # Errors
    /// The unit is not `p`, or the quantity is negative, not whole, or above 2^31.
    pub fn packets(&self) -> Result<u64, Error> {
        if self.unit != "p" {
            return Err(self.unknown_unit("p (packets)"));
        }
        self.scaled(1, MAX_PACKETS, "a packet")
    }

    /// Returns the limit of a queue, in packets or bytes.
    ///
    /// # Errors
    /// The quantity is neither in packets nor in bytes, is negative, is not whole, or is too large.
    pub fn limit(&self) -> Result<Limit, Error> {
        if self.unit == "p" {
            return self.packets().map(Limit::Packets);
        }
        if self.bits_of_unit().is_none() {
            return Err(self.unknown_unit("p (packets) or a size's unit such as kB"));
        }
        self.bytes().map(Limit::Bytes)
    }

    /// Returns the number of bits in the unit, which must be a unit of size.
    fn bits_of_unit(&self) -> Option<u64> {
        let unit = self.unit.to_lowercase();
        BITS.iter().find(|(name, _)| *name == unit).map(|(_, bits)| *bits)
    }

    /// Returns the number and what it is for, as messages name it.
    fn name(&self) -> String {
        format!("{} '{}'", self.wanted.what, self.shown)
    }

    fn unknown_unit(&self, known: &str) -> Error {
        Error::new(format!("unknown unit '{}' in {}: use {known}", show_text(self.unit), self.name()))
    }

    /// Returns the number times `scale`, at most `max`; `resolution` describes a difference of 1.
    fn scaled(&self, scale: u64, max: u64, resolution: &str) -> Result<u64, Error> {
        self.number.scaled(scale, max).map_err(|fault| self.fault(fault, resolution))
    }

    /// Returns the error for a number that is out of range or too precise.
    fn fault(&self, fault: Fault, resolution: &str) -> Error {
        let text = match fault {
            Fault::Negative => "negative".to_owned(),
            Fault::TooLarge => "too large".to_owned(),
            Fault::TooFine => format!("finer than {resolution}"),
        };
        Error::new(format!("{} is {text}", self.name()))
    }
}
