//! Reads numbers, keys and parameters in the syntax of the runtime commands.

use weir_ir::{ActionId, Bits, TableId};
use weir_switch::control::{ActionUse, Call, KeySchema, Match, MatchKind, Values};

use crate::matching::{self, masked, prefix, range_between};
use crate::value::{Form, format_as, read_text};
use crate::{Error, Names};

/// Reads a whole number between bounds, decimal or `0x…`, `0b…`, `0o…`.
pub fn read_whole(text: &str, what: &str, least: u64, most: u64) -> Result<u64, Error> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.get(..2) {
        Some("0x") => (&lower[2..], 16),
        Some("0b") => (&lower[2..], 2),
        Some("0o") => (&lower[2..], 8),
        _ => (lower.as_str(), 10),
    };
    if digits.is_empty() || text.len() > 4096 || !digits.chars().all(|c| c.is_digit(radix)) {
        let text = crate::value::shorten(text);
        return Err(Error::new(format!("expected {what}, a whole number, found \"{text}\"")));
    }
    match u64::from_str_radix(digits, radix) {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => {
            let text = crate::value::shorten(text);
            Err(Error::new(format!("{what} {text} is out of range: expected {least} to {most}")))
        }
    }
}

/// Reads a number of up to 63 bits.
pub fn number(text: &str, what: &str) -> Result<u64, Error> {
    read_whole(text, what, 0, i64::MAX as u64)
}

/// Reads a number of up to 32 bits.
pub fn number32(text: &str, what: &str) -> Result<u32, Error> {
    Ok(read_whole(text, what, 0, u64::from(u32::MAX))? as u32)
}

/// Reads the handle of an entry.
pub fn handle(text: &str) -> Result<u64, Error> {
    number(text, "an entry's handle")
}

/// Reads a value of a field: a number, an address or a name.
pub fn value<'a>(text: &str, form: impl Into<Form<'a>>, what: &str) -> Result<Bits, Error> {
    let form = form.into();
    let read = match text {
        "true" => read_text("1", form),
        "false" => read_text("0", form),
        _ => match text.strip_prefix("0o").or_else(|| text.strip_prefix("0O")) {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|b| matches!(b, b'0'..=b'7')) => {
                read_octal(digits, text, form.width)
            }
            _ => read_text(text, form),
        },
    };
    read.map_err(|error| error.in_part(what))
}

fn read_octal(digits: &str, text: &str, width: u32) -> Result<Bits, Error> {
    let number = num_bigint::BigUint::parse_bytes(digits.as_bytes(), 8).unwrap_or_default();
    if number.bits() > u64::from(width) {
        return Err(Error::new(format!("{} does not fit in {width} bits", crate::value::shorten(text))));
    }
    Ok(Bits::wrap(width, number))
}

/// Returns the match for a key: `VALUE`, `VALUE/LENGTH` (lpm), `VALUE&&&MASK` (ternary),
/// `LOW->HIGH` (range). Bits outside the mask or the prefix are ignored; see [`surplus_bits`].
pub fn read_match(text: &str, key: &KeySchema, name: &str) -> Result<Match, Error> {
    let key_text = format!("key {name}");
    let (width, full) = (key.width, Bits::ones(key.width));
    let is_zero = |bits: &Bits| *bits == Bits::zero(width);
    let pair = |separator: &str, form: &str| {
        text.split_once(separator).ok_or_else(|| {
            let kind = key.kind.name();
            Error::new(format!("{key_text} is matched {kind}: expected {form}, found \"{text}\""))
        })
    };
    Ok(match key.kind {
        MatchKind::Exact => Match::Exact(value(text, key, &key_text)?),
        MatchKind::Lpm => {
            let (first, length) = pair("/", "VALUE/LENGTH")?;
            let number = value(first, key, &key_text)?;
            let len =
                read_whole(length, &format!("{key_text}: a prefix length"), 0, u64::from(width))? as u32;
            if len == 0 { Match::Any } else { Match::Lpm(masked(&number, &prefix(len, width)), len) }
        }
        MatchKind::Ternary => {
            let (first, second) = pair("&&&", "VALUE&&&MASK")?;
            let (number, mask) =
                (value(first, key, &key_text)?, value(second, Form::of_mask(key), &key_text)?);
            if is_zero(&mask) { Match::Any } else { Match::Ternary(masked(&number, &mask), mask) }
        }
        MatchKind::Range => {
            let (first, second) = pair("->", "LOW->HIGH")?;
            let (low, high) = (value(first, key, &key_text)?, value(second, key, &key_text)?);
            let swapped = || format!("{second}->{first}");
            range_between([low, high], [first, second], key, swapped)
                .map_err(|error| error.in_part(&key_text))?
        }
        MatchKind::Optional if text == "*" => Match::Any,
        MatchKind::Optional => match text.split_once("&&&") {
            None => Match::Exact(value(text, key, &key_text)?),
            Some((first, second)) => {
                let mask = value(second, Form::of_mask(key), &key_text)?;
                if is_zero(&mask) {
                    Match::Any
                } else if mask == full {
                    Match::Exact(value(first, key, &key_text)?)
                } else {
                    let message =
                        format!("{key_text} is optional: its mask is 0 or all ones, found {second}");
                    return Err(Error::new(message));
                }
            }
        },
    })
}

/// Returns a remark that tells the user that bits outside the mask or the prefix are ignored, as in
/// `10.0.1.1/24`; `None` if there are no such bits.
pub fn surplus_bits(text: &str, key: &KeySchema) -> Option<String> {
    let (separator, mask_or_prefix) = match key.kind {
        MatchKind::Lpm => ("/", "prefix"),
        MatchKind::Ternary => ("&&&", "mask"),
        MatchKind::Exact | MatchKind::Range | MatchKind::Optional => return None,
    };
    // The mask of a text applies to the number that represents the text, and only the switch knows
    // this number.
    if key.values == Values::Texts {
        return None;
    }
    let full_value = value(text.split_once(separator)?.0, key, "").ok()?;
    let accepted = read_match(text, key, "").ok()?;
    let all_bits_count = match &accepted {
        Match::Any => full_value == Bits::zero(key.width),
        Match::Exact(number) | Match::Lpm(number, _) | Match::Ternary(number, _) => *number == full_value,
        Match::Range(..) => true,
    };
    let accepted_text = || matching::format_match(&accepted, key, &key.name);
    (!all_bits_count).then(|| {
        format!("{text} has bits outside its {mask_or_prefix}, which do not count: {}", accepted_text())
    })
}

/// Formats a match as [`read_match`] reads it.
pub fn format_match(accepts: &Match, key: &KeySchema, name: &str) -> String {
    match accepts {
        Match::Any => match key.kind {
            MatchKind::Lpm => "0/0".to_owned(),
            MatchKind::Range => format!("0x0->{:#}", Bits::ones(key.width)),
            MatchKind::Optional => "*".to_owned(),
            MatchKind::Exact | MatchKind::Ternary => "0x0&&&0x0".to_owned(),
        },
        Match::Exact(value) => format_as(value, name, &key.values),
        Match::Lpm(value, len) => format!("{}/{len}", format_as(value, name, &key.values)),
        Match::Ternary(value, mask) => format!("{value:#}&&&{mask:#}"),
        Match::Range(low, high) => format!("{low:#}->{high:#}"),
    }
}

impl Names<'_> {
    /// Reads one match per key, in the table's order.
    pub(super) fn command_keys(self, table: TableId, texts: &[&str]) -> Result<Vec<Match>, Error> {
        let schema = self.table_schema(table);
        if schema.keys.is_empty() {
            return Err(Error::new(self.no_keys(table)));
        }
        if texts.len() != schema.keys.len() {
            return Err(
                self.explain(weir_switch::control::ControlError::KeyCount { table, given: texts.len() })
            );
        }
        texts.iter().zip(&schema.keys).map(|(text, key)| read_match(text, key, &key.name)).collect()
    }

    /// Returns the result of [`surplus_bits`] for the keys of an entry.
    pub(super) fn surplus_bits(self, table: TableId, texts: &[&str]) -> Vec<String> {
        let keys = texts.iter().zip(&self.table_schema(table).keys);
        keys.filter_map(|(text, key)| surplus_bits(text, key)).collect()
    }

    /// Reads the values of an action's parameters, in the action's order.
    pub(super) fn command_call(self, action: ActionId, texts: &[&str]) -> Result<Call, Error> {
        let schema = self.action_schema(action);
        if texts.len() != schema.params.len() {
            return Err(Error::new(self.argument_count(action, texts.len())));
        }
        let read = |(text, param): (&&str, &weir_switch::control::ParamSchema)| {
            value(text, param, &format!("parameter {} of {}", param.name, schema.name))
        };
        Ok(Call { action, args: texts.iter().zip(&schema.params).map(read).collect::<Result<_, _>>()? })
    }

    /// Finds an action of a table, and refuses it if the table does not allow this use.
    pub fn usable_action(self, table: TableId, name: &str, wanted: ActionUse) -> Result<ActionId, Error> {
        let action = self.action(table, name)?;
        self.check_use(table, action, wanted)?;
        Ok(action)
    }
}
