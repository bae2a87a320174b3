//! The lines that check counters and registers.

use std::cmp::Ordering;

use num_bigint::BigInt;
use weir_control::Error;
use weir_control::commands::values::{read_whole, value};
use weir_switch::control::{CounterUnit, CounterValue};

use crate::mistake::{AtPart, PartMistake};

const COUNTER_USAGE: &str = "check_counter NAME(INDEX) [packets|bytes] == N";
const REGISTER_USAGE: &str = "check_register NAME(INDEX) == N";
/// The width of the widest number that can be compared, in bits.
const MAX_WIDTH: u32 = 4096;

/// A comparison operator, as the user wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Operator {
    /// All operators. Longer ones come first, because shorter ones may be their prefixes.
    const ALL: [(&'static str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::Unequal),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Returns the operator as tests write it.
    pub(crate) fn text(self) -> &'static str {
        Self::ALL.iter().find(|(_, operator)| *operator == self).map_or("", |(text, _)| text)
    }

    /// Returns whether the operator holds for the ordering of two values.
    pub(crate) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::Unequal => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

/// The unit that a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Packets,
    Bytes,
}

impl Unit {
    /// Returns the unit's name, and `count` in this unit. Fails if the counter does not count this
    /// unit.
    pub(crate) fn count_in_unit(
        self,
        count: CounterValue,
        counted: CounterUnit,
        counter: &str,
    ) -> Result<(&'static str, u64), Error> {
        let (unit, other, value, has) = match self {
            Self::Packets => ("packets", "bytes", count.packets, counted.has_packets()),
            Self::Bytes => ("bytes", "packets", count.bytes, counted.has_bytes()),
        };
        if has {
            return Ok((unit, value));
        }
        let message = format!("{counter} counts {other}, not {unit}: write \"{other}\" before the operator");
        Err(Error::new(message))
    }
}

/// A check of a counter's or register's cell.
#[derive(Clone, Debug)]
pub(crate) struct Check<'t> {
    pub name: &'t str,
    pub index: &'t str,
    pub unit: Unit,
    /// The condition on the cell's value; `None` to print the cell.
    pub expected: Option<(Operator, BigInt)>,
}

impl<'t> Check<'t> {
    /// Reads the arguments of `check_counter`.
    pub(crate) fn counter(text: &'t str) -> Result<Self, PartMistake<'t>> {
        let usage_error = || Error::new(format!("expected {COUNTER_USAGE}, found \"check_counter {text}\""));
        let (name, index, rest) = cell(text).ok_or_else(usage_error).at_part(text)?;
        let (unit, rest) = [("packets", Unit::Packets), ("bytes", Unit::Bytes)]
            .into_iter()
            .find_map(|(word, unit)| Some((unit, rest.strip_prefix(word)?.trim_start())))
            .unwrap_or((Unit::Packets, rest));
        let expected = match rest {
            "" => None,
            rest => {
                let (operator, number) = comparison(rest).ok_or_else(usage_error).at_part(text)?;
                Some((operator, read_whole(number, "a count", 0, i64::MAX as u64).at_part(number)?.into()))
            }
        };
        Ok(Self { name, index, unit, expected })
    }

    /// Reads the arguments of `check_register`.
    pub(crate) fn register(text: &'t str) -> Result<Self, PartMistake<'t>> {
        let usage_error =
            || Error::new(format!("expected {REGISTER_USAGE}, found \"check_register {text}\""));
        let (name, index, rest) = cell(text).ok_or_else(usage_error).at_part(text)?;
        let (operator, number) = comparison(rest).ok_or_else(usage_error).at_part(text)?;
        let (is_negative, digits) = number.strip_prefix('-').map_or((false, number), |digits| (true, digits));
        let magnitude = BigInt::from(value(digits, MAX_WIDTH, "a value").at_part(number)?.to_biguint());
        let wanted = if is_negative { -magnitude } else { magnitude };
        Ok(Self { name, index, unit: Unit::Packets, expected: Some((operator, wanted)) })
    }
}

/// Splits a text that begins with a cell (`NAME(INDEX)`, `NAME[INDEX]` or `NAME INDEX`) into the
/// name, the index and the rest.
fn cell(text: &str) -> Option<(&str, &str, &str)> {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '(' | '['))?;
    let (name, rest) = (&text[..end], text[end..].trim_start());
    let close = match rest.chars().next()? {
        '(' => Some(')'),
        '[' => Some(']'),
        _ => None,
    };
    let (index, rest) = match close {
        Some(close) => rest[1..].split_once(close)?,
        None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
    };
    let index = index.trim();
    let is_word = !index.is_empty() && !index.contains(char::is_whitespace);
    (!name.is_empty() && is_word).then_some((name, index, rest.trim()))
}

/// Reads a comparison: `== N`, or a number with another operator.
fn comparison(text: &str) -> Option<(Operator, &str)> {
    let operator_at_start =
        |(sign, operator): &(&str, Operator)| Some((*operator, text.strip_prefix(sign)?.trim_start()));
    let (operator, number) = Operator::ALL.iter().find_map(operator_at_start)?;
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_word = !digits.is_empty() && digits.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_word.then_some((operator, number))
}
