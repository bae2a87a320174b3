//! Match fields (specification, "Match Format").

use weir_grpc::Problem;
use weir_ir::Bits;
use weir_switch::control::{Match, MatchKind};

use crate::pipeline::{Field, Key, Translation, Translator, number};
use crate::proto::v1;
use crate::proto::v1::field_match::{self, FieldMatchType};

/// The maximum length of a mask for a text, in bytes.
const MAX_MASK: usize = 1024;

/// Reads the values that the keys of an object accept, and returns them in the program's order.
/// Omitted keys accept all values.
pub(super) fn read_matches(
    keys: &[Key],
    translator: &Translator,
    messages: &[v1::FieldMatch],
) -> Result<Vec<Match>, Problem> {
    let mut matches = vec![Match::Any; keys.len()];
    for field in messages {
        // Most ids are the positions of the fields, counted from 1.
        let place = (field.field_id as usize).wrapping_sub(1);
        let key = match keys.get(place) {
            Some(key) if key.field.id == field.field_id => key,
            _ => find(keys, field.field_id)?,
        };
        let accepts = &mut matches[key.position];
        if *accepts != Match::Any {
            return Err(key.problem("stands there twice"));
        }
        *accepts = read_match(key, translator, field)?;
    }
    match keys.iter().find(|key| key.kind == MatchKind::Exact && matches[key.position] == Match::Any) {
        Some(key) => Err(key.problem("must be given: it is matched `exact`")),
        None => Ok(matches),
    }
}

/// Returns the key with this id; the error lists the known ids.
fn find(keys: &[Key], id: u32) -> Result<&Key, Problem> {
    keys.iter().find(|key| key.field.id == id).ok_or_else(|| {
        let key_text = |key: &Key| match key.field.name.as_str() {
            "" => key.field.id.to_string(),
            name => format!("{} `{name}`", key.field.id),
        };
        let listed: Vec<_> = keys.iter().map(key_text).collect();
        let listed = if listed.is_empty() { "there are none".to_owned() } else { listed.join(", ") };
        Problem::invalid(format!("there is no match field with the id {id} ({listed})"))
    })
}

impl Key {
    /// Returns the error for a wrong match field.
    fn problem(&self, what: impl AsRef<str>) -> Problem {
        let name = self.field.shown();
        let what = what.as_ref();
        Problem::invalid(match self.field.name.is_empty() {
            true => format!("the match {name} {what}"),
            false => format!("the match field {name} {what}"),
        })
    }

    /// Returns whether entries can match only whole values. This is true of translated numbers,
    /// because their single bits have no meaning.
    fn is_whole_only(&self) -> bool {
        matches!(self.field.translation, Translation::Number | Translation::Ports)
    }

    /// Returns whether values are texts. Masks and prefixes for texts apply to the numbers that
    /// represent the texts in the program. P4Info does not say how many bits these numbers have, so
    /// bits of a mask or prefix beyond that width are dropped.
    fn is_text(&self) -> bool {
        matches!(self.field.translation, Translation::Text(_))
    }
}

fn read_match(key: &Key, translator: &Translator, field_match: &v1::FieldMatch) -> Result<Match, Problem> {
    let field = &key.field;
    let read = |value: &[u8]| field.read(translator, value);
    match (key.kind, &field_match.field_match_type) {
        (MatchKind::Exact, Some(FieldMatchType::Exact(exact))) => Ok(Match::Exact(read(&exact.value)?)),
        (MatchKind::Optional, Some(FieldMatchType::Optional(optional))) => {
            Ok(Match::Exact(read(&optional.value)?))
        }
        (MatchKind::Lpm, Some(FieldMatchType::Lpm(lpm))) => read_lpm(key, lpm, read(&lpm.value)?),
        (MatchKind::Ternary, Some(FieldMatchType::Ternary(ternary))) => {
            read_ternary(key, translator, ternary)
        }
        (MatchKind::Range, Some(FieldMatchType::Range(range))) => {
            let (low, high) = (read(&range.low)?, read(&range.high)?);
            if low.compare(&high, false).is_gt() {
                return Err(key.problem("has a range whose low end is above its high end"));
            }
            if key.is_whole_only() && low != high {
                return Err(key.problem("is translated: its range must have one value"));
            }
            if low.is_zero() && high == Bits::ones(field.bits) && !key.is_whole_only() {
                return Err(key.problem("has a range of all values: leave the field out"));
            }
            Ok(Match::Range(low, high))
        }
        (_, None) => Err(key.problem("has no match")),
        (kind, Some(_)) => Err(key.problem(format!("is matched `{}`", kind.name()))),
    }
}

fn read_lpm(key: &Key, lpm: &field_match::Lpm, value: Bits) -> Result<Match, Problem> {
    let bits = key.field.bits;
    let width = if key.is_whole_only() { key.field.width } else { bits };
    let len = match u32::try_from(lpm.prefix_len) {
        Ok(0) => return Err(key.problem("has a prefix of 0 bits: leave the field out")),
        Ok(len) if len <= width => len,
        Ok(_) if key.is_text() => bits,
        _ => {
            return Err(
                key.problem(format!("has {width} bits: a prefix has 1 to {width}, not {}", lpm.prefix_len))
            );
        }
    };
    if key.is_whole_only() {
        if len != width {
            return Err(key.problem(format!("is translated: its prefix must have all {width} bits")));
        }
        return Ok(Match::Lpm(value, bits));
    }
    if !value.and(&prefix_mask(len, bits).not()).is_zero() {
        return Err(key.problem("has bits behind its prefix, which must be 0"));
    }
    Ok(Match::Lpm(value, len))
}

/// Returns a mask of `width` bits with the highest `len` bits set.
fn prefix_mask(len: u32, width: u32) -> Bits {
    Bits::ones(width).shl(u64::from(width - len))
}

fn read_ternary(key: &Key, translator: &Translator, sent: &field_match::Ternary) -> Result<Match, Problem> {
    let field = &key.field;
    let value = field.read(translator, &sent.value)?;
    if key.is_whole_only() {
        let mask = number(&sent.mask, field.width)?;
        if mask != Bits::ones(field.width) {
            return Err(key.problem("is translated: its mask must have all bits"));
        }
        return Ok(Match::Ternary(value, Bits::ones(field.bits)));
    }
    let mask = match key.is_text() {
        true => text_mask(&sent.mask, field.bits)?,
        false => field.read(translator, &sent.mask)?,
    };
    if mask.is_zero() {
        return Err(key.problem("has a mask of 0: leave the field out"));
    }
    if value.and(&mask) != value {
        return Err(key.problem("has bits outside its mask, which must be 0"));
    }
    Ok(Match::Ternary(value, mask))
}

/// Reads a mask for the number that a text stands for.
fn text_mask(bytes: &[u8], bits: u32) -> Result<Bits, Problem> {
    if bytes.len() > MAX_MASK {
        let message = format!("a mask for a text has at most {MAX_MASK} bytes, not {}", bytes.len());
        return Err(Problem::out_of_range(message));
    }
    Ok(number(bytes, MAX_MASK as u32 * 8)?.resize(bits))
}

/// Converts the values that keys accept to the controllers' form. Keys that accept everything are
/// left out.
pub(super) fn write_matches(keys: &[Key], translator: &Translator, matches: &[Match]) -> Vec<v1::FieldMatch> {
    let of_key = |key: &Key| {
        let written = matches.get(key.position)?;
        let written = write_match(key, translator, written)?;
        Some(v1::FieldMatch { field_id: key.field.id, field_match_type: Some(written) })
    };
    keys.iter().filter_map(of_key).collect()
}

fn write_match(key: &Key, translator: &Translator, found: &Match) -> Option<FieldMatchType> {
    let field = &key.field;
    let write = |value: &Bits| field.write(translator, value);
    Some(match (key.kind, found) {
        (_, Match::Any) => return None,
        (MatchKind::Optional, Match::Exact(value)) => {
            FieldMatchType::Optional(field_match::Optional { value: write(value) })
        }
        (MatchKind::Ternary, Match::Exact(value)) => {
            let mask = mask_bytes(key, &Bits::ones(field.bits));
            FieldMatchType::Ternary(field_match::Ternary { value: write(value), mask })
        }
        (MatchKind::Lpm, Match::Exact(value)) => FieldMatchType::Lpm(field_match::Lpm {
            value: write(value),
            prefix_len: prefix_len(key, field.bits),
        }),
        (MatchKind::Range, Match::Exact(value)) => {
            FieldMatchType::Range(field_match::Range { low: write(value), high: write(value) })
        }
        (_, Match::Exact(value)) => FieldMatchType::Exact(field_match::Exact { value: write(value) }),
        (_, Match::Lpm(_, 0)) => return None,
        (_, Match::Lpm(value, len)) => {
            FieldMatchType::Lpm(field_match::Lpm { value: write(value), prefix_len: prefix_len(key, *len) })
        }
        // The program's own entries may omit exact keys. The table then holds masks.
        (MatchKind::Exact, Match::Ternary(value, mask)) => {
            if mask.is_zero() {
                return None;
            }
            FieldMatchType::Exact(field_match::Exact { value: write(value) })
        }
        (_, Match::Ternary(_, mask)) if mask.is_zero() => return None,
        (_, Match::Ternary(value, mask)) => FieldMatchType::Ternary(field_match::Ternary {
            value: write(&value.and(mask)),
            mask: mask_bytes(key, mask),
        }),
        (_, Match::Range(low, high)) => {
            if low.is_zero() && *high == Bits::ones(field.bits) {
                return None;
            }
            FieldMatchType::Range(field_match::Range { low: write(low), high: write(high) })
        }
    })
}

fn prefix_len(key: &Key, len: u32) -> i32 {
    // If controllers see a wider number, the prefix also covers the additional leading zeros.
    let Field { width, bits, .. } = key.field;
    let len = if key.is_whole_only() { (len + width).saturating_sub(bits) } else { len };
    i32::try_from(len).unwrap_or(i32::MAX)
}

fn mask_bytes(key: &Key, mask: &Bits) -> Vec<u8> {
    if key.is_whole_only() && *mask == Bits::ones(key.field.bits) {
        return crate::wire::shortest(&Bits::ones(key.field.width));
    }
    crate::wire::shortest(mask)
}
