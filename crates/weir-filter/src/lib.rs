//! A filter language for frames in the style of tcpdump (pcap-filter(7)), for captures, watches and
//! traffic classes; and the addresses in frames.
//!
//! - **Input:** the text of a filter or of an address; frames, from their Ethernet header on.
//! - **Output:** whether a frame matches; a hash of the frame's flow; mistakes in a text.
//! - **Must never know:** the use of a match.
//!
//! ```text
//! tcp port 80 and host 10.0.0.1        src net 10.0.0.0/8 or ip6        not arp        vlan 5
//! udp portrange 5000-5010              ether proto 0x1313               len > 1000     tcp[tcpflags] & tcp-syn != 0
//! ```
//!
//! Primitives are combined by `and`, `or` (same precedence, left-associative, as in tcpdump), `not`
//! and parentheses; `port 80 or 443` repeats the qualifiers. There are three differences from
//! tcpdump. Protocols, addresses and ports are found after VLAN tags even without `vlan`. They are
//! also found after IPv6 extension headers. If a comparison reads past the end of the frame, only
//! this comparison is false, and not the whole filter.

mod address;
mod eval;
mod lex;
mod parse;
mod view;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use self::address::{IpPrefix, MacAddress, ParseAddressError, is_unicast};
pub use self::view::{flow, network};

/// A parsed filter; see [`Filter::parse`].
#[derive(Clone)]
pub struct Filter {
    text: Arc<str>,
    test: Arc<eval::Test>,
}

impl Filter {
    /// Parses a filter. An empty text matches every frame, as in tcpdump.
    ///
    /// # Errors
    /// The text is not a filter. The error names the column, what was expected, and the nearest
    /// keyword.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        Ok(Filter { text: text.trim().into(), test: Arc::new(parse::parse(text)?) })
    }

    /// Returns whether a frame matches. The frame starts with its Ethernet header. In a truncated
    /// frame, only complete headers are considered.
    pub fn matches(&self, frame: &[u8]) -> bool {
        self.test.matches(&view::View::new(frame))
    }

    /// Returns the text of the filter.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Filter::parse(text)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filter({:?})", self.text)
    }
}

impl PartialEq for Filter {
    /// Returns whether both filters were parsed from the same text.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Filter {}

/// The error for a text that is not a valid filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("filter `{text}`, column {column}: {message}{}", suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?")))]
pub struct FilterError {
    /// The whole text of the filter.
    pub text: String,
    /// The column in characters, from 1.
    pub column: usize,
    /// A description of the mistake and of the expected value.
    pub message: String,
    /// The nearest valid word.
    pub suggestion: Option<String>,
}
