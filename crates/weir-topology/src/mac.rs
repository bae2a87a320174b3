//! Ethernet addresses.

use std::fmt;

use weir_json::Value;

use crate::Error;
use crate::text::{show_text, string};

/// An Ethernet address. Its text has lower case and colons: `08:00:00:00:01:11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mac(pub [u8; 6]);

impl Mac {
    /// Reads `08:00:00:00:01:11` or `08-00-00-00-01-11`.
    ///
    /// # Errors
    /// The value is not an Ethernet address.
    pub fn read(value: &Value) -> Result<Self, Error> {
        Self::parse(string(value, "a MAC address such as \"08:00:00:00:01:11\"")?)
    }

    /// Reads the text of an address; see [`Mac::read`].
    ///
    /// # Errors
    /// The text is not an Ethernet address.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::bytes(text).map(Mac).ok_or_else(|| {
            let text = show_text(text);
            Error::new(format!(
                "\"{text}\" is not a MAC address such as 08:00:00:00:01:11 (six pairs of hex digits)"
            ))
        })
    }

    /// Reads the six bytes of an Ethernet address, which colons or hyphens separate.
    fn bytes(text: &str) -> Option<[u8; 6]> {
        let separator = if text.contains(':') { ':' } else { '-' };
        let mut bytes = [0; 6];
        let mut pairs = text.split(separator);
        for byte in &mut bytes {
            let pair = pairs.next().filter(|pair| pair.len() == 2)?;
            if !pair.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        pairs.next().is_none().then_some(bytes)
    }

    /// Refuses an address that no host can have: a group address or the all-zero address.
    ///
    /// # Errors
    /// No host can have this address.
    pub fn check_host(self) -> Result<Self, Error> {
        if self.0[0] & 1 == 1 {
            return Err(Error::new(format!(
                "{self} is a group address (odd first byte): a host needs an individual one"
            )));
        }
        if self.0 == [0; 6] {
            return Err(Error::new("a host cannot have the all-zero MAC address"));
        }
        Ok(self)
    }
}

impl fmt::Display for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}
