//! Reads and writes values of keys and parameters in the form that people use: numbers, and IPv4,
//! IPv6 and MAC addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

use num_bigint::{BigInt, BigUint};
use weir_ir::Bits;
use weir_json::{Kind, Value};
use weir_switch::control::{KeySchema, ParamSchema, Values, bits_of_text, bytes_of_text};

use crate::Error;
use crate::listing::listing;

/// The maximum number of digits of a number. Values of the widest type have fewer digits.
const MAX_DIGITS: usize = 20_000;

/// The form of a field's values: their width, and their text form.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    /// The width of the values in bits.
    pub width: u32,
    /// Whether the values are signed numbers, unsigned numbers, names or texts.
    pub values: &'a Values,
}

impl Form<'_> {
    /// Returns the form of a key's masks: masks of signed values may be signed, too, such as -1 for
    /// all bits.
    pub fn of_mask(key: &KeySchema) -> Self {
        let values = if key.values.has_sign() { &Values::Signed } else { &Values::Unsigned };
        Self { width: key.width, values }
    }
}

impl From<u32> for Form<'_> {
    /// Returns the form of unsigned values of this width in bits.
    fn from(width: u32) -> Self {
        Self { width, values: &Values::Unsigned }
    }
}

impl<'a> From<&'a KeySchema> for Form<'a> {
    fn from(key: &'a KeySchema) -> Self {
        Self { width: key.width, values: &key.values }
    }
}

impl<'a> From<&'a ParamSchema> for Form<'a> {
    fn from(param: &'a ParamSchema) -> Self {
        Self { width: param.width, values: &param.values }
    }
}

/// Reads a value of a field: a number, or text such as `0x0800`, `10.0.1.1`, `2001:db8::1` or
/// `08:00:00:00:01:11`.
///
/// # Errors
/// The value cannot be read, is an address of another width, or does not fit.
pub fn read_value<'a>(value: &Value, form: impl Into<Form<'a>>) -> Result<Bits, Error> {
    let form = form.into();
    match &value.kind {
        Kind::Number(text) if *form.values == Values::Texts => text_value(text),
        Kind::Bool(_) | Kind::Null if *form.values == Values::Texts => {
            Err(Error::new(format!("expected a text such as \"Ethernet0\", found {}", value.describe())))
        }
        Kind::Bool(flag) => fit_width(u128::from(*flag).into(), flag, form),
        Kind::Number(text) if is_digits(text) => fit_width(decimal(text)?, text, form),
        Kind::Number(text) if text.strip_prefix('-').is_some_and(is_digits) => negative(text, form),
        Kind::Text(text) => read_text(text, form),
        _ => Err(Error::new(format!(
            "expected a value such as 1, \"0x0800\", \"10.0.1.1\" or \"08:00:00:00:01:11\", found {}",
            value.describe()
        ))),
    }
}

/// Reads a string as a value of a type whose values are strings.
fn text_value(text: &str) -> Result<Bits, Error> {
    bits_of_text(text).ok_or_else(|| {
        Error::new(format!(
            "\"{}\" is not a text for a value: it has at most 1024 bytes and does not begin with the character 0",
            shorten(text)
        ))
    })
}

/// Returns whether a text is not empty, and consists of underscores and of digits for which `is`
/// returns true.
fn all_digits(digits: &str, is: fn(&u8) -> bool) -> bool {
    !digits.is_empty() && digits.bytes().all(|byte| byte == b'_' || is(&byte))
}

/// Returns the digits after `0x` or `0b`, with their base.
fn prefixed_digits(text: &str) -> Option<(&str, u32)> {
    let prefixed = |prefixes: [&str; 2]| prefixes.into_iter().find_map(|prefix| text.strip_prefix(prefix));
    let hex = prefixed(["0x", "0X"]).filter(|digits| all_digits(digits, u8::is_ascii_hexdigit));
    let binary = || prefixed(["0b", "0B"]).filter(|digits| all_digits(digits, |b| matches!(b, b'0' | b'1')));
    hex.map(|digits| (digits, 16)).or_else(|| binary().map(|digits| (digits, 2)))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the number of pairs of hex digits that colons or hyphens separate, if the text has only
/// such pairs.
fn pairs(text: &str) -> Option<usize> {
    let mut parts = text.split([':', '-']);
    let is_pair = |part: &str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    (text.len() <= 40 && parts.all(is_pair)).then(|| text.split([':', '-']).count())
}

/// Cuts a text for a message so that it fits in a line.
pub fn shorten(text: &str) -> String {
    const MAX_SHOWN_CHARACTERS: usize = 80;
    if text.chars().count() <= MAX_SHOWN_CHARACTERS {
        text.to_owned()
    } else {
        text.chars().take(MAX_SHOWN_CHARACTERS).chain(['…']).collect()
    }
}

fn decimal(digits: &str) -> Result<BigUint, Error> {
    number(digits, 10)
}

/// Reads a number whose digits have this base, with underscores allowed among them.
fn number(digits: &str, radix: u32) -> Result<BigUint, Error> {
    if let Ok(small) = u128::from_str_radix(digits, radix) {
        return Ok(small.into());
    }
    if digits.len() > MAX_DIGITS {
        return Err(Error::new(format!("a number of {} digits does not fit", digits.len())));
    }
    let plain: Vec<u8> = digits.bytes().filter(|byte| *byte != b'_').collect();
    let not_a_number = || Error::new(format!("\"{}\" is not a number", shorten(digits)));
    BigUint::parse_bytes(&plain, radix).ok_or_else(not_a_number)
}

/// Converts a number to a value of a field, if it fits; `text` is how it was written.
fn fit_width(number: BigUint, text: impl std::fmt::Display, form: Form<'_>) -> Result<Bits, Error> {
    let width = form.width;
    if number.bits() > u64::from(width) {
        let most = (BigUint::from(1u32) << width) - 1u32;
        let shortened = shorten(&text.to_string());
        let range = match form.values {
            Values::Signed => format!("{} to {}, or bits up to {most}", min_signed(width), largest(width)),
            Values::Unsigned | Values::Named(_) | Values::Texts => format!("at most {most}"),
        };
        return Err(Error::new(format!("{shortened} does not fit in {width} bits ({range})")));
    }
    Ok(Bits::wrap(width, number))
}

/// Converts a negative number to two's complement, for fields whose values have a sign.
fn negative(text: &str, form: Form<'_>) -> Result<Bits, Error> {
    let (shown, width) = (shorten(text), form.width);
    if !form.values.has_sign() {
        return Err(Error::new(format!("{shown} is negative: the values here are unsigned")));
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (digits, radix) = prefixed_digits(digits).unwrap_or((digits, 10));
    let number = -BigInt::from(number(digits, radix)?);
    if number < min_signed(width) {
        return Err(Error::new(format!(
            "{shown} does not fit in {width} bits ({} to {}, or bits up to {})",
            min_signed(width),
            largest(width),
            (BigUint::from(1u32) << width) - 1u32
        )));
    }
    Ok(Bits::wrap_signed(width, &number))
}

/// Returns the smallest signed number of this width in bits.
fn min_signed(width: u32) -> BigInt {
    if width == 0 { BigInt::ZERO } else { -(BigInt::from(1) << (width - 1)) }
}

/// Returns the largest signed number of this width in bits.
fn largest(width: u32) -> BigInt {
    if width == 0 { BigInt::ZERO } else { (BigInt::from(1) << (width - 1)) - 1 }
}

/// Reads a value of a field from text.
pub fn read_text<'a>(text: &str, form: impl Into<Form<'a>>) -> Result<Bits, Error> {
    let form = form.into();
    let width = form.width;
    if *form.values == Values::Texts {
        return text_value(text);
    }
    if let Values::Named(names) = form.values
        && let Some(number) = names.number(text)
    {
        return fit_width(number.into(), text, form);
    }
    if let Some((digits, radix)) = prefixed_digits(text) {
        return fit_width(number(digits, radix)?, text, form);
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) && all_digits(text, u8::is_ascii_digit) {
        return fit_width(number(text, 10)?, text, form);
    }
    if let Some(digits) = text.strip_prefix('-')
        && (is_digits(digits) || prefixed_digits(digits).is_some())
    {
        return negative(text, form);
    }
    if let Some(mac) = mac(text) {
        return address(text, "a MAC address", 48, mac.into(), width);
    }
    if text.matches('.').count() == 3 {
        return match text.parse::<Ipv4Addr>() {
            Ok(ip) => address(text, "an IPv4 address", 32, u32::from(ip).into(), width),
            Err(_) => {
                Err(Error::new(format!("\"{}\" is not an IPv4 address{}", shorten(text), wrong_octet(text))))
            }
        };
    }
    if text.contains(':') {
        return match text.parse::<Ipv6Addr>() {
            Ok(ip) => address(text, "an IPv6 address", 128, u128::from(ip), width),
            Err(_) => Err(Error::new(match pairs(text) {
                Some(6) if width == 48 => {
                    return Err(Error::new(format!(
                        "\"{text}\" is not a MAC address: each of its six bytes needs two hex digits"
                    ))
                    .suggesting(whole_pairs(text)));
                }
                Some(count) if width == 48 => {
                    format!(
                        "\"{text}\" is not a MAC address: expected six pairs of hex digits, found {count}"
                    )
                }
                _ => format!("\"{}\" is neither a MAC address nor an IPv6 address", shorten(text)),
            })),
        };
    }
    let error = Error::new(format!(
        "cannot read the value \"{}\": expected a number, 0x…, an IPv4, IPv6 or MAC address",
        shorten(text)
    ));
    let Values::Named(names) = form.values else { return Err(error) };
    let known = || names.iter().map(|(text, _)| text).filter(|text| !text.is_empty());
    match weir_suggest::nearest(text, known()) {
        Some(near) => Err(error.suggesting(near)),
        None => Err(Error::new(format!("{}, or one of: {}", error.message, listing(known())))),
    }
}

/// Writes a text of hex pairs with two digits in each pair, separated by colons.
fn whole_pairs(text: &str) -> String {
    text.split([':', '-']).map(|part| format!("{part:0>2}")).collect::<Vec<_>>().join(":")
}

/// Reads six bytes of two hexadecimal digits each, with a colon or a dash between every two of
/// them.
fn mac(text: &str) -> Option<u64> {
    let separator = text.chars().nth(2).filter(|c| matches!(c, ':' | '-'))?;
    let mut number = 0;
    let mut count = 0;
    for part in text.split(separator) {
        if part.len() != 2 || !part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        number = number << 8 | u64::from(u8::from_str_radix(part, 16).ok()?);
        count += 1;
        if count > 6 {
            return None;
        }
    }
    (count == 6).then_some(number)
}

/// Returns an address as a value of a field, which must be as wide as the address.
fn address(text: &str, kind: &str, bits: u32, number: u128, width: u32) -> Result<Bits, Error> {
    if width == bits {
        Ok(Bits::new(width, number))
    } else {
        Err(Error::new(format!("{text} is {kind} of {bits} bits, but {width} bits are wanted here")))
    }
}

/// Returns the explanation, in brackets, of the mistake in an IPv4 address of four parts.
fn wrong_octet(text: &str) -> String {
    let is_wrong = |octet: &&str| octet.parse::<u8>().is_err() || (octet.len() > 1 && octet.starts_with('0'));
    match text.split('.').find(is_wrong) {
        Some(octet) if is_digits(octet) && octet.starts_with('0') => {
            format!(" ({} has leading zeros)", shorten(octet))
        }
        Some(octet) if is_digits(octet) => format!(" ({} is above 255)", shorten(octet)),
        Some(octet) => format!(" (\"{}\" is not a number from 0 to 255)", shorten(octet)),
        None => String::new(),
    }
}

/// Writes a value in the form of its type: with a sign, or as a name.
pub fn format_as(value: &Bits, name: &str, values: &Values) -> String {
    match values {
        Values::Signed => value.to_signed().to_string(),
        Values::Texts => String::from_utf8_lossy(&bytes_of_text(value)).into_owned(),
        Values::Named(names) => {
            let text = value.to_u64().and_then(|number| names.text(number)).filter(|text| !text.is_empty());
            text.map_or_else(|| format_value(value, name), str::to_owned)
        }
        Values::Unsigned => format_value(value, name),
    }
}

/// Writes a value as a MAC or IP address if the field's width and name suggest one, otherwise as a
/// number. [`read_text`] reads it back.
pub fn format_value(value: &Bits, name: &str) -> String {
    let small = value.to_u128().unwrap_or_default();
    let name = || name.to_ascii_lowercase();
    let has = |parts: &[&str]| {
        let name = name();
        parts.iter().any(|part| name.contains(part))
    };
    match value.width() {
        48 => {
            let bytes = small.to_be_bytes();
            let parts: Vec<String> = bytes[10..].iter().map(|byte| format!("{byte:02x}")).collect();
            parts.join(":")
        }
        32 if has(&["addr", "ip", "gateway", "nexthop", "next_hop", "nhop"]) => {
            Ipv4Addr::from(small as u32).to_string()
        }
        128 if has(&["addr", "ip"]) => Ipv6Addr::from(small).to_string(),
        16 if has(&["ethertype", "ether_type"]) => format!("{small:#06x}"),
        _ => value.to_string(),
    }
}
