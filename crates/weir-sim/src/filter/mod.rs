//! A language for frames, after the manner of tcpdump (pcap-filter(7)): which are captured, handed to a program, put into a class.
//!
//! ```text
//! tcp port 80 and host 10.0.0.1        src net 10.0.0.0/8 or ip6        not arp        vlan 5
//! udp portrange 5000-5010              ether proto 0x1313               len > 1000     tcp[tcpflags] & tcp-syn != 0
//! ```
//!
//! Primitives are joined by `and`, `or` (equally strong, from the left, as in tcpdump), `not` and parentheses; `port 80 or 443` repeats
//! the qualifiers. Three things differ from tcpdump: protocols, addresses and ports are looked for behind VLAN tags whether or not `vlan` was
//! said, and behind IPv6's extension headers; a comparison that reads behind the end of a frame is false instead of making the whole
//! filter false.

mod eval;
mod lex;
mod parse;
mod view;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub(crate) use self::view::{flow, network};

/// A predicate of frames, read from text; see [`Filter::parse`].
#[derive(Clone)]
pub struct Filter {
    text: Arc<str>,
    test: Arc<eval::Test>,
}

impl Filter {
    /// Reads a filter. An empty one matches every frame, as in tcpdump.
    ///
    /// # Errors
    /// It is not of the language; the error names the place, what was expected, and the nearest word.
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        Ok(Filter { text: text.trim().into(), test: Arc::new(parse::parse(text)?) })
    }

    /// Whether a frame, from its Ethernet header on, is one of these. A truncated frame has what it holds of its headers.
    pub fn matches(&self, frame: &[u8]) -> bool {
        self.test.matches(&view::View::new(frame))
    }

    /// As it was written.
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
    /// Whether both were written alike.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Filter {}

/// A text that is no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("filter `{text}`, column {column}: {message}{}", suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?")))]
pub struct FilterError {
    /// The whole text.
    pub text: String,
    /// Where, in characters from 1.
    pub column: usize,
    /// What is wrong and what was expected.
    pub message: String,
    /// The nearest right word.
    pub suggestion: Option<String>,
}
