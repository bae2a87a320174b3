//! The rate at which the queues of a switch drain.

use std::fmt;

use weir_json::{Kind, Value};
use weir_units::{Quantity, WantedQuantity};

use crate::Error;
use crate::text::{nearest, show_text};

/// The rate at which the queues at each port of a switch drain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueueRate {
    /// The rate of the port's link, if the switch's program can tell how long packets wait;
    /// otherwise unlimited.
    #[default]
    Auto,
    /// The rate of the port's link: packets wait in the switch.
    Link,
    /// Unlimited: packets wait at the link.
    Unlimited,
    /// A rate in bits per second.
    Bits(u64),
}

impl QueueRate {
    /// Reads `"auto"`, `"link"`, a rate such as `"10Mbit"`, or null for no limit.
    ///
    /// # Errors
    /// The value is none of these.
    pub fn read(value: &Value) -> Result<Self, Error> {
        let wanted = WantedQuantity::rate("queue_rate").unlimited("null");
        match &value.kind {
            Kind::Null => Ok(Self::Unlimited),
            Kind::Text(text) if text == "auto" => Ok(Self::Auto),
            Kind::Text(text) if text == "link" => Ok(Self::Link),
            Kind::Text(text) if !text.contains(|c: char| c.is_ascii_digit()) => {
                let error = format!(
                    "queue_rate \"{}\" is neither \"auto\", \"link\" nor a rate such as \"10Mbit\" (null means unlimited)",
                    show_text(text)
                );
                Err(Error::new(error).suggesting(nearest(text, &["auto", "link"])))
            }
            Kind::Text(text) => Ok(Self::Bits(Quantity::read(text, wanted)?.bits_per_second()?)),
            Kind::Number(number) => Err(wanted.bare_number(number).into()),
            _ => Err(wanted.expected(&value.describe()).into()),
        }
    }
}

impl fmt::Display for QueueRate {
    /// Writes `auto`, `link`, `unlimited` or `10Mbit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Link => f.write_str("link"),
            Self::Unlimited => f.write_str("unlimited"),
            Self::Bits(bits) => f.write_str(&weir_units::format_rate(*bits)),
        }
    }
}
