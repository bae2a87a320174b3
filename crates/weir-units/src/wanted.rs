//! Descriptions of quantities for messages.

use crate::Error;
use crate::decimal::Decimal;
use crate::error::show_text;

/// The name of a quantity, and examples of it, for messages.
#[derive(Clone, Copy, Debug)]
pub struct WantedQuantity<'a> {
    /// The purpose of the quantity, such as `delay`.
    pub what: &'a str,
    /// A valid quantity, such as `1ms`.
    pub example: &'a str,
    /// The unit that a number without a unit most likely has.
    pub usual: &'a str,
    /// The text that stands for no limit, such as `null`; `None` if there must be a limit.
    pub unlimited: Option<&'a str>,
}

impl<'a> WantedQuantity<'a> {
    /// Describes a wanted time, usually in milliseconds.
    pub const fn time(what: &'a str) -> Self {
        Self { what, example: "1ms", usual: "ms", unlimited: None }
    }

    /// Describes a wanted rate, usually in megabits per second.
    pub const fn rate(what: &'a str) -> Self {
        Self { what, example: "10Mbit", usual: "Mbit", unlimited: None }
    }

    /// Describes a wanted size, usually in bytes.
    pub const fn size(what: &'a str) -> Self {
        Self { what, example: "1500B", usual: "B", unlimited: None }
    }

    /// Describes a wanted share in percent.
    pub const fn share(what: &'a str) -> Self {
        Self { what, example: "1%", usual: "%", unlimited: None }
    }

    /// Describes a wanted number of packets.
    pub const fn packets(what: &'a str) -> Self {
        Self { what, example: "100p", usual: "p", unlimited: None }
    }

    /// Returns the same wanted value with another example.
    #[must_use]
    pub const fn example(self, example: &'a str) -> Self {
        Self { example, ..self }
    }

    /// Returns the same wanted value with another usual unit.
    #[must_use]
    pub const fn usual(self, usual: &'a str) -> Self {
        Self { usual, ..self }
    }

    /// Returns the same description, with the text that stands for no limit.
    #[must_use]
    pub const fn unlimited(self, unlimited: &'a str) -> Self {
        Self { unlimited: Some(unlimited), ..self }
    }

    /// Returns the error for a value that is not text, such as `null`; `found` describes it.
    pub fn expected(self, found: &str) -> Error {
        let article = if self.what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        Error::new(format!("expected {article} {} such as \"{}\", found {found}", self.what, self.example))
    }

    /// Returns the error for a number that must have a unit, such as `5` or `1e-3`.
    pub fn bare_number(self, number: &str) -> Error {
        let error = format!("{}: a bare number {} has no unit", self.what, show_text(number));
        match self.meaning(number) {
            Some(meaning) => Error::new(error).suggesting(meaning),
            None => Error::new(format!("{error}: expected one with a unit, such as \"{}\"", self.example)),
        }
    }

    /// Returns the quantity that a number without a unit most likely means; two quantities in
    /// quotes if there are two possibilities.
    pub(crate) fn meaning(self, number: &str) -> Option<String> {
        let decimal = Decimal::parse(number).filter(|number| !number.is_negative())?;
        let usual = format!("{}{}", decimal.plain()?, self.usual);
        match self.usual {
            // A fraction of 1, or a percentage as in Mininet?
            "%" if decimal.is_fraction() => {
                let percent = decimal.times_ten_to_the(2).plain()?;
                Some(format!("\"{percent}%\" or \"{usual}\""))
            }
            // A number this large must count bits per second.
            "Mbit" if decimal.magnitude() > 5 => {
                let (unit, places) = if decimal.magnitude() > 9 { ("Gbit", 9) } else { ("Mbit", 6) };
                Some(format!("{}{unit}", decimal.times_ten_to_the(-places).plain()?))
            }
            _ => Some(usual),
        }
    }
}
