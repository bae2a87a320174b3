//! Reads matches for the keys of a table in the form in which users write them.

use std::net::{Ipv4Addr, Ipv6Addr};

use weir_ir::Bits;
use weir_json::{Kind, Value};
use weir_switch::control::{KeySchema, Match, MatchKind, Values};

use crate::Error;
use crate::value::{Form, format_as, read_value, shorten};

/// Reads an entry's match for one key, which messages call `name`.
///
/// An exact key takes a value; lpm `[value, length]` or `"10.0.1.0/24"`; ternary `[value, mask]` or
/// `"0x800 &&& 0xfff"`; range `[low, high]` or `"1..5"`; optional a value. All kinds except exact
/// accept `"*"` for any value.
///
/// # Errors
/// The value is not a match of the key's kind, or does not fit the key's width.
pub fn read_match(value: &Value, key: &KeySchema, name: &str) -> Result<Match, Error> {
    if key.kind != MatchKind::Exact && matches!(&value.kind, Kind::Text(text) if text == "*") {
        return Ok(Match::Any);
    }
    match key.kind {
        MatchKind::Exact | MatchKind::Optional => match &value.kind {
            Kind::List(items) if items.len() == 1 => Ok(Match::Exact(read_value(&items[0], key)?)),
            Kind::List(items) => {
                Err(Error::new(format!("{name} matches exactly: expected one value, found {}", items.len())))
            }
            _ => Ok(Match::Exact(read_value(value, key)?)),
        },
        MatchKind::Lpm => lpm(&read_pair(value, key, name, "/", "[value, prefix length]")?, key, name),
        MatchKind::Ternary => ternary(&read_pair(value, key, name, "&&&", "[value, mask]")?, key),
        MatchKind::Range => range(&read_pair(value, key, name, "..", "[low, high]")?, key),
    }
}

/// The two parts of a match, such as value and mask.
type Pair = [Value; 2];

fn read_pair(value: &Value, key: &KeySchema, name: &str, separator: &str, form: &str) -> Result<Pair, Error> {
    let description = match &value.kind {
        Kind::Text(text) if text.contains(separator) => {
            // The length of a prefix follows the last slash: `Ethernet1/1/9`.
            let parts = if separator == "/" { text.rsplit_once('/') } else { text.split_once(separator) };
            let (first, second) = parts.unwrap_or((text, ""));
            return Ok([first, second].map(|part| Kind::Text(part.trim().to_owned()).into()));
        }
        Kind::List(items) if items.len() == 2 => return Ok([items[0].clone(), items[1].clone()]),
        Kind::List(items) => format!("{} values", items.len()),
        _ => value.describe(),
    };
    let kind = key.kind.name();
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'l']) { "an" } else { "a" };
    Err(Error::new(format!("{name} is {article} {kind} key: expected {form}, found {description}")))
}

/// Returns a part in the form in which the user wrote it.
fn written_form(value: &Value) -> String {
    match &value.kind {
        Kind::Number(text) | Kind::Text(text) => shorten(text),
        Kind::Bool(flag) => flag.to_string(),
        _ => value.describe(),
    }
}

/// Reads a value and a prefix length as an LPM match.
fn lpm([value, length]: &Pair, key: &KeySchema, name: &str) -> Result<Match, Error> {
    let width = key.width;
    let number = read_value(value, key)?;
    let (Kind::Number(digits) | Kind::Text(digits)) = &length.kind else {
        return Err(missing_length_error(width, length));
    };
    let is_number = digits.strip_prefix('-').unwrap_or(digits).bytes().all(|byte| byte.is_ascii_digit());
    let Some(len) = digits.parse::<i64>().ok().filter(|_| is_number && !digits.starts_with('+')) else {
        return Err(missing_length_error(width, length));
    };
    let Some(len) = u32::try_from(len).ok().filter(|len| *len <= width) else {
        return Err(Error::new(format!("prefix length {len} is out of range: {name} has {width} bits")));
    };
    if key.values == Values::Texts {
        return Ok(if len == 0 { Match::Any } else { Match::Lpm(number, len) });
    }
    let kept = masked(&number, &prefix(len, width));
    if kept != number {
        let right = format!("{}/{len}", format_prefix(&kept, name, &key.values));
        let message = format!("{}/{len} has bits set past its prefix", written_form(value));
        return Err(Error::new(message).suggesting(right));
    }
    Ok(if len == 0 { Match::Any } else { Match::Lpm(number, len) })
}

fn missing_length_error(width: u32, found: &Value) -> Error {
    Error::new(format!("expected a prefix length from 0 to {width}, found {}", found.describe()))
}

/// Makes a mask whose highest `len` bits are set.
pub fn prefix(len: u32, width: u32) -> Bits {
    let ones = Bits::ones(width).to_biguint();
    let low = (num_bigint::BigUint::from(1u32) << (width - len)) - 1u32;
    Bits::wrap(width, ones - low)
}

/// Returns a value with the bits outside the mask cleared.
pub(crate) fn masked(value: &Bits, mask: &Bits) -> Bits {
    Bits::wrap(value.width(), value.to_biguint() & mask.to_biguint())
}

fn ternary([value, mask]: &Pair, key: &KeySchema) -> Result<Match, Error> {
    let (number, bits) = (read_value(value, key)?, read_value(mask, Form::of_mask(key))?);
    // The mask applies to the number that represents a text, and only the switch knows this number.
    if key.values == Values::Texts {
        return Ok(if is_zero(&bits) { Match::Any } else { Match::Ternary(number, bits) });
    }
    let kept = masked(&number, &bits);
    if kept != number {
        let message =
            format!("{} has bits set where the mask {} has none", written_form(value), written_form(mask));
        return Err(Error::new(message).suggesting(format!("{kept:#} &&& {bits:#}")));
    }
    Ok(if is_zero(&bits) { Match::Any } else { Match::Ternary(number, bits) })
}

/// Reads a lower and an upper bound as a range match.
fn range([low, high]: &Pair, key: &KeySchema) -> Result<Match, Error> {
    let (from, to) = (read_value(low, key)?, read_value(high, key)?);
    let swapped = || format!("[{}, {}]", written_form(high), written_form(low));
    range_between([from, to], [&written_form(low), &written_form(high)], key, swapped)
}

/// Returns the range between two values. `low` and `high` are the values as the user wrote them.
/// Ranges compare bits: for a signed key, a range from a negative number to 0 or above is refused,
/// and one from 0 or above to a negative number is empty. An upper end that was written as bits is
/// accepted: `0..128`.
pub(crate) fn range_between(
    [from, to]: [Bits; 2],
    [low, high]: [&str; 2],
    key: &KeySchema,
    swapped: impl FnOnce() -> String,
) -> Result<Match, Error> {
    // Only the switch knows the numbers that represent texts.
    if key.values == Values::Texts {
        return Ok(Match::Range(from, to));
    }
    let is_over_zero = key.values.has_sign() && from.sign_bit() != to.sign_bit();
    if is_over_zero && from.sign_bit() {
        return Err(Error::new(format!(
            "the range {low} to {high} goes over 0: ranges compare bits, where negative numbers come after \
             the others; write a range up to -1 and one from 0"
        )));
    }
    // A range from 5 to -5 is empty, although the same bits without signs would be 5 to 251. In the
    // other order, the range would cross 0.
    if is_over_zero && high.trim_start().starts_with('-') {
        return Err(Error::new(format!("the range {low} to {high} is empty")));
    }
    if from.to_biguint() > to.to_biguint() {
        return Err(Error::new(format!("the range {low} to {high} is empty")).suggesting(swapped()));
    }
    Ok(Match::Range(from, to))
}

/// Formats a match as text that [`read_match`] reads back.
pub fn format_match<'a>(value: &Match, key: impl Into<Form<'a>>, name: &str) -> String {
    let Form { width: key_width, values } = key.into();
    let text = |value: &Bits| format_as(value, name, values);
    match value {
        Match::Any => "*".to_owned(),
        Match::Exact(value) => text(value),
        Match::Lpm(_, 0) if matches!(values, Values::Texts | Values::Named(_)) => "*".to_owned(),
        Match::Lpm(value, len) => format!("{}/{len}", format_prefix(value, name, values)),
        Match::Ternary(_, mask) if is_zero(mask) => "*".to_owned(),
        Match::Ternary(value, mask) if has_text(value, values) => format!("{} &&& {mask:#}", text(value)),
        Match::Ternary(value, mask) => format!("{value:#} &&& {mask:#}"),
        Match::Range(low, high) if is_zero(low) && is_full(high, key_width) => "*".to_owned(),
        // The upper end is written as an unsigned number, because `0..-128` would be empty.
        Match::Range(low, high) if values.has_sign() && !low.sign_bit() && high.sign_bit() => {
            format!("{}..{}", text(low), high.to_biguint())
        }
        Match::Range(low, high) => format!("{}..{}", text(low), text(high)),
    }
}

fn has_text(value: &Bits, values: &Values) -> bool {
    match values {
        Values::Texts => true,
        Values::Named(names) => value
            .to_u64()
            .and_then(|number| names.text(number))
            .is_some_and(|text| !text.is_empty() && !text.contains("&&&")),
        Values::Unsigned | Values::Signed => false,
    }
}

/// Returns the value of a prefix as text. A key with prefixes that has the width of an IP address
/// matches addresses, whatever its name is.
fn format_prefix(value: &Bits, name: &str, values: &Values) -> String {
    match (values, value.width(), value.to_u128()) {
        (Values::Unsigned, 32, Some(number)) => Ipv4Addr::from(number as u32).to_string(),
        (Values::Unsigned, 128, Some(number)) => Ipv6Addr::from(number).to_string(),
        _ => format_as(value, name, values),
    }
}

fn is_zero(value: &Bits) -> bool {
    value.to_biguint().bits() == 0
}

fn is_full(value: &Bits, width: u32) -> bool {
    value.resize(width) == Bits::ones(width)
}

/// Returns the canonical form of all matches of a key that accept the same values.
pub fn canonical(value: Match, width: u32) -> Match {
    match value {
        Match::Lpm(_, 0) => Match::Any,
        Match::Lpm(value, len) if len == width => Match::Exact(value),
        Match::Ternary(_, mask) if is_zero(&mask) => Match::Any,
        Match::Ternary(value, mask) if is_full(&mask, width) => Match::Exact(value),
        Match::Range(low, high) if is_zero(&low) && is_full(&high, width) => Match::Any,
        Match::Range(low, high) if low == high => Match::Exact(low),
        other => other,
    }
}
