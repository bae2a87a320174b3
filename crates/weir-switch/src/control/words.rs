//! Numbers and matches of requests as words, checked.

use weir_ir::Bits;

use super::error::{ControlError, Field};
use super::table_schema::KeySchema;
use crate::tables::{Match, MatchKind};

fn too_wide(field: Field, value: &Bits, needs: u64, has: u32) -> ControlError {
    let needs = u32::try_from(needs).unwrap_or(u32::MAX);
    ControlError::ValueTooWide { field, value: value.clone(), needs, has }
}

/// Cuts a number to the width of its field. Returns an error if set bits would be lost.
pub(super) fn fit_width(field: Field, value: &Bits, width: u32) -> Result<Bits, ControlError> {
    let needs = value.to_biguint().bits();
    if needs > u64::from(width) {
        return Err(too_wide(field, value, needs, width));
    }
    Ok(value.resize(width))
}

/// Writes a number into the words of its field. Returns an error if set bits would be lost.
pub(super) fn write_field(
    field: Field,
    value: &Bits,
    width: u32,
    into: &mut [u64],
) -> Result<(), ControlError> {
    let Some(small) = value.to_u128() else {
        fit_width(field, value, width)?.write_words(into);
        return Ok(());
    };
    let needs = 128 - small.leading_zeros();
    if needs > width {
        return Err(too_wide(field, value, u64::from(needs), width));
    }
    into.fill(0);
    into.iter_mut().zip([small as u64, (small >> 64) as u64]).for_each(|(into, word)| *into = word);
    Ok(())
}

/// Sets the highest `ones` of a field's bits, and no others.
fn set_prefix_bits(ones: u32, width: u32, into: &mut [u64]) {
    let low = width - ones;
    for (at, word) in into.iter_mut().enumerate() {
        let at = at as u32 * 64;
        let above = |bit: u32| u64::MAX.checked_shl(bit.saturating_sub(at)).unwrap_or(0);
        *word = above(low) & !above(width);
    }
}

/// Writes the match of a field as value and mask, or as low and high end of a range; see
/// [`weir_tables::Table::insert_words`].
pub(super) fn write_match(
    field: Field,
    key: &KeySchema,
    accepts: &Match,
    value: &mut [u64],
    mask: &mut [u64],
) -> Result<(), ControlError> {
    match (accepts, key.kind) {
        (Match::Exact(number), kind) => {
            write_field(field, number, key.width, value)?;
            if kind == MatchKind::Range {
                mask.copy_from_slice(value);
            } else {
                set_prefix_bits(key.width, key.width, mask);
            }
        }
        (Match::Lpm(number, len), MatchKind::Lpm) => {
            if *len > key.width {
                return Err(ControlError::PrefixTooLong { field, len: *len, width: key.width });
            }
            write_field(field, number, key.width, value)?;
            set_prefix_bits(*len, key.width, mask);
        }
        (Match::Ternary(number, bits), MatchKind::Ternary) => {
            write_field(field, number, key.width, value)?;
            write_field(field, bits, key.width, mask)?;
        }
        (Match::Range(low, high), MatchKind::Range) => {
            write_field(field, low, key.width, value)?;
            write_field(field, high, key.width, mask)?;
            if value.iter().rev().gt(mask.iter().rev()) {
                return Err(ControlError::EmptyRange { field, ends: Box::new((low.clone(), high.clone())) });
            }
        }
        (Match::Any, kind) if kind != MatchKind::Exact => {
            value.fill(0);
            set_prefix_bits(if kind == MatchKind::Range { key.width } else { 0 }, key.width, mask);
        }
        (given, kind) => {
            return Err(ControlError::WrongMatch { field, kind, given: Box::new(given.clone()) });
        }
    }
    Ok(())
}
