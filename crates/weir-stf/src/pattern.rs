//! Packets as hexadecimal digits, and patterns for them.

use std::fmt;

use weir_control::Error;

/// The packet that an `expect` line describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Hexadecimal digits in lower case, with `*` for any digit; `None` if the line accepts any
    /// packet.
    pub digits: Option<String>,
    /// Whether the packet ends after these digits.
    pub exact: bool,
}

impl Pattern {
    /// Reads the text after the port of an `expect` line: digits, `*` for any digit, and `$` for
    /// the packet's end.
    ///
    /// # Errors
    /// The text contains something else.
    pub fn read(text: &str) -> Result<Self, Error> {
        let mut digits: String = text.split_whitespace().collect();
        digits.make_ascii_lowercase();
        let exact = digits.ends_with('$');
        if exact {
            digits.pop();
        }
        if let Some(wrong) = digits.chars().find(|c| !c.is_ascii_hexdigit() && *c != '*') {
            return Err(Error::new(format!(
                "the packet expected: expected hexadecimal digits, * and a $ at the end, found \"{wrong}\""
            )));
        }
        Ok(Self { digits: (!digits.is_empty() || exact).then_some(digits), exact })
    }

    /// Returns whether the packet matches the pattern.
    pub fn matches(&self, packet: &[u8]) -> bool {
        let Some(digits) = &self.digits else { return true };
        let got = hex(packet);
        let long_enough = if self.exact { got.len() == digits.len() } else { got.len() >= digits.len() };
        long_enough && digits.bytes().zip(got.bytes()).all(|(want, got)| want == b'*' || want == got)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.digits {
            None => f.write_str("any packet"),
            Some(digits) => write!(f, "{}{}", group_digits(digits), if self.exact { " $" } else { "" }),
        }
    }
}

/// Formats a packet in hexadecimal digits.
pub(crate) fn hex(packet: &[u8]) -> String {
    use std::fmt::Write;
    packet.iter().fold(String::with_capacity(2 * packet.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Digits in groups of four bytes.
pub fn group_digits(digits: &str) -> String {
    let digits: Vec<char> = digits.chars().collect();
    let groups: Vec<String> = digits.chunks(8).map(|group| group.iter().collect()).collect();
    groups.join(" ")
}

/// Reads the bytes of a packet from hexadecimal digits; spaces are ignored. `what` is the name of
/// the text in messages.
///
/// # Errors
/// The text contains anything but pairs of hexadecimal digits.
pub fn read_hex(text: &str, what: &str) -> Result<Vec<u8>, Error> {
    let mut digits = Vec::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        let Some(digit) = c.to_digit(16) else {
            return Err(Error::new(format!("{what}: expected hexadecimal digits, found \"{c}\"")));
        };
        digits.push(digit as u8);
    }
    if digits.len() % 2 == 1 {
        let count = digits.len();
        let noun = if count == 1 { "digit" } else { "digits" };
        return Err(Error::new(format!("{what} has {count} hexadecimal {noun}: a byte has two")));
    }
    Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
