//! Values in the words of an extern call's frame.

use weir_exec::FrameValue;

/// Reads the low 64 bits of a value.
pub(crate) fn low_bits(words: &[u64], value: FrameValue) -> u64 {
    if value.width == 0 { 0 } else { words[value.at] }
}

/// Reads a value as a number; `None` if it has more than 64 bits.
pub(crate) fn number(words: &[u64], value: FrameValue) -> Option<u64> {
    if value.width > 64 && words[value.words()][1..].iter().any(|word| *word != 0) {
        return None;
    }
    Some(low_bits(words, value))
}

/// Sets a value to the low bits of `value`, as many as the value has.
pub(crate) fn write_value(words: &mut [u64], to: FrameValue, value: u128) {
    let value = if to.width < 128 { value & ((1 << to.width) - 1) } else { value };
    for (index, word) in words[to.words()].iter_mut().enumerate() {
        *word = if index < 2 { (value >> (64 * index)) as u64 } else { 0 };
    }
}

/// Returns the values without fields of invalid headers.
pub(crate) fn valid_values<'a>(
    words: &'a [u64],
    values: &'a [FrameValue],
) -> impl Iterator<Item = &'a FrameValue> {
    values.iter().filter(|value| value.is_present(words))
}
