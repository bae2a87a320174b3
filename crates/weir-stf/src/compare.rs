//! Compares expected packets with those that arrived, field by field in the program's own names.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use num_bigint::BigUint;
use weir_control::value::format_value;
use weir_exec::Executor;
use weir_ir::Bits;
use weir_switch::LoadError;

use crate::bench::{Bench, MAX_PASSES};
use crate::pattern::{Pattern, group_digits, hex};
use crate::sent_packets::{Header, Output, extracted_headers};

/// The largest number that is shown in decimal. Larger numbers are shown in hexadecimal only.
const MAX_DECIMAL: u32 = 65_535;
/// The width of the widest field that is shown as a number, in bits. Wider fields and the payload
/// are shown as hexadecimal digits.
const MAX_WIDTH: u32 = 128;

/// A field whose value is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field, such as `hdr.ipv4.ttl`, or `payload`.
    pub field: String,
    /// The position of the field's first bit in the packet that arrived.
    pub bit: usize,
    /// The width in bits.
    pub width: usize,
    /// The expected value; empty if no value was expected.
    pub expected: String,
    /// The received value; empty if no value arrived.
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_nothing = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
        write!(f, "{} (byte {}", self.field, self.bit / 8)?;
        if !self.bit.is_multiple_of(8) {
            write!(f, " bit {}", self.bit % 8)?;
        }
        write!(f, "): expected {}, got {}", or_nothing(&self.expected), or_nothing(&self.got))
    }
}

/// The differences between the expected packet and the one that arrived.
pub(crate) struct Comparison {
    /// The lines for the message: the packets as digits, and their lengths and headers if these
    /// differ.
    pub lines: Vec<String>,
    pub differences: Vec<Difference>,
}

/// Finds the headers of packets with the program's own parser, on a switch without entries.
pub(crate) struct Headers(Bench);

impl Headers {
    pub(crate) fn new(executor: Arc<dyn Executor>) -> Result<Self, LoadError> {
        Ok(Self(Bench::new(executor, [0], 1)?))
    }

    /// Returns the headers that the parser extracts, up to its end or its error, and whether there
    /// was an error.
    fn parse(&mut self, packet: Vec<u8>) -> (Vec<Header>, bool) {
        self.0.receive(0, packet);
        self.0.settle(MAX_PASSES, &|| false);
        extracted_headers(&self.0.take_steps().0)
    }

    /// Returns the differences from the expected packet.
    ///
    /// Both packets are divided into the headers that the program emitted. If the program's parser
    /// finds exactly these headers in the packet that arrived, and other headers in the expected
    /// packet, each packet is divided into its own headers.
    pub(crate) fn compare(&mut self, pattern: &Pattern, output: &Output) -> Comparison {
        let digits = pattern.digits.as_deref().unwrap_or_default();
        let got = hex(&output.packet);
        let mut lines = vec![format!("expected {pattern}"), format!("got      {}", group_digits(&got))];
        if got.len() < digits.len() || (pattern.exact && got.len() != digits.len()) {
            let more = if pattern.exact { "" } else { " or more" };
            let [wanted, came] = [digits.len(), got.len()].map(bytes_in_words);
            lines.push(format!("length: expected {wanted}{more}, got {came}"));
        }
        let came = &output.headers;
        let wanted = self.expected_headers(digits, &got, output);
        let wanted = match wanted {
            Some(wanted) if !same_names(&wanted, came) => {
                lines.push(format!(
                    "headers: expected {}; got {}",
                    header_names(&wanted),
                    header_names(came)
                ));
                wanted
            }
            _ => came.clone(),
        };
        Comparison { lines, differences: differences(digits, &wanted, &got, came) }
    }

    /// Returns the headers of the expected packet, if they are known to differ from those that
    /// arrived.
    fn expected_headers(&mut self, digits: &str, got: &str, output: &Output) -> Option<Vec<Header>> {
        let came = &output.headers;
        if !same_names(&self.parse(output.packet.clone()).0, came) {
            return None;
        }
        // For unspecified digits, the digits of the packet that arrived are used.
        let filled = digits.bytes().enumerate().map(|(at, digit)| match digit {
            b'*' => got.as_bytes().get(at).copied().unwrap_or(b'0'),
            digit => digit,
        });
        let nibbles: Vec<u8> =
            filled.map(|digit| char::from(digit).to_digit(16).unwrap_or_default() as u8).collect();
        let packet = nibbles.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0));
        let (wanted, gave_up) = self.parse(packet.collect());
        // An expected packet that ends early does not specify the headers after its end.
        let ends_early = gave_up && came.len() >= wanted.len() && same_names(&wanted, &came[..wanted.len()]);
        (!ends_early && !wanted.is_empty()).then_some(wanted)
    }
}

fn same_names(one: &[Header], other: &[Header]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.name == other.name)
}

fn header_names(headers: &[Header]) -> String {
    let names: Vec<&str> = headers.iter().map(|header| header.name.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn bytes_in_words(digits: usize) -> String {
    let half = if digits.is_multiple_of(2) { "" } else { ".5" };
    format!("{}{half} byte{}", digits / 2, if digits == 2 { "" } else { "s" })
}

/// A field's first bit and width.
type Span = (usize, usize);

/// Returns the spans of all fields, in order; the payload follows the headers.
fn spans(headers: &[Header], digits: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let mut start = 0;
    for header in headers {
        for (field, width) in &header.fields {
            let width = *width as usize;
            if width > 0 {
                found.push((format!("{}.{field}", header.name), (start, width)));
            }
            start += width;
        }
    }
    if start < 4 * digits.len() {
        found.push(("payload".to_owned(), (start, 4 * digits.len() - start)));
    }
    found
}

/// Compares the fields of the expected packet with those of the packet that arrived.
fn differences(digits: &str, wanted: &[Header], got: &str, came: &[Header]) -> Vec<Difference> {
    let got_spans: BTreeMap<String, Span> = spans(came, got).into_iter().collect();
    let mut found = Vec::new();
    for (field, (start, width)) in spans(wanted, digits) {
        // Fields that only one packet has are left out, because the message shows the difference in
        // headers or lengths.
        let Some(&(bit, has)) = got_spans.get(&field) else { continue };
        if field == "payload" {
            found.extend(payload(&digits[start / 4..], &got[bit / 4..], bit));
        } else if start < 4 * digits.len() && differs(digits, start, got, bit, width.min(has)) {
            let (expected, got) = (value(&field, digits, start, width), value(&field, got, bit, has));
            found.push(Difference { field, bit, width: has, expected, got });
        }
    }
    found
}

/// Returns the part of the payload from the first to the last byte that differs.
fn payload(want: &str, have: &str, bit: usize) -> Option<Difference> {
    let pairs = want.bytes().zip(have.bytes()).enumerate();
    let wrong_digits: Vec<usize> =
        pairs.filter(|(_, (want, have))| *want != b'*' && want != have).map(|(at, _)| at).collect();
    let (first, last) = (wrong_digits.first()? / 2 * 2, wrong_digits.last()? / 2 * 2 + 2);
    let part = |digits: &str| digits[first..last.min(digits.len())].to_owned();
    Some(Difference {
        field: "payload".to_owned(),
        bit: bit + 4 * first,
        width: 4 * (last - first),
        expected: part(want),
        got: part(have),
    })
}

/// Returns the value of a bit; `None` if the bit is unspecified or does not exist.
fn bit_of(digits: &str, bit: usize) -> Option<u32> {
    let digit = char::from(*digits.as_bytes().get(bit / 4)?).to_digit(16)?;
    Some(digit >> (3 - bit % 4) & 1)
}

/// Returns whether two fields differ in a bit that is specified.
fn differs(digits: &str, start: usize, got: &str, at: usize, width: usize) -> bool {
    (0..width)
        .any(|bit| bit_of(digits, start + bit).is_some_and(|wanted| bit_of(got, at + bit) != Some(wanted)))
}

/// Returns a field's value. It is shown as digits if some of them are unknown.
fn value(name: &str, digits: &str, start: usize, width: usize) -> String {
    let (first, last) = (start / 4, (start + width - 1) / 4);
    let text = digits.get(first..(last + 1).min(digits.len())).unwrap_or_default();
    let is_known = !text.contains('*') && text.len() == last - first + 1;
    let number =
        BigUint::parse_bytes(text.as_bytes(), 16).filter(|_| is_known && width <= MAX_WIDTH as usize);
    let Some(number) = number else {
        return if text.is_empty() { String::new() } else { format!("0x{text}") };
    };
    let number = Bits::wrap(width as u32, number >> (4 * (last + 1) - start - width));
    let formatted = format_value(&number, name);
    let number = number.to_biguint();
    if formatted.contains(['.', ':']) {
        format!("{formatted} ({number:#x})")
    } else if number > BigUint::from(9u32) && number <= BigUint::from(MAX_DECIMAL) {
        format!("{number:#x} ({number})")
    } else {
        format!("{number:#x}")
    }
}
