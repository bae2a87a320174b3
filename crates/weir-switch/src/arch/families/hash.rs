//! Hashes of values, and numbers made of hashes.

use weir_exec::FrameValue;
use weir_ir::Bits;

use crate::externs::hash::HashKind;
use crate::path::{ExternContext, low_bits, valid_values, write_value};

/// Computes the checksum or hash of values, without fields of invalid headers. If `with_payload`,
/// the payload follows the values.
pub(in crate::arch) fn sum(
    env: &mut ExternContext<'_, '_>,
    kind: HashKind,
    data: &[FrameValue],
    words: &[u64],
    with_payload: bool,
) -> u64 {
    env.hash(kind, with_payload, |writer| {
        for value in valid_values(words, data) {
            writer.push_words(value.bits(words), &words[value.words()]);
        }
    })
}

/// Sets a result to `base` plus the hash modulo `max`; to `base` if `max` is 0.
pub(in crate::arch) fn write_hash(
    words: &mut [u64],
    result: FrameValue,
    (base, max): (FrameValue, FrameValue),
    hash: u64,
) {
    if base.width <= 64 && max.width <= 64 {
        let (base, max) = (low_bits(words, base), low_bits(words, max));
        let offset = match max {
            0 => 0,
            max if max.is_power_of_two() => hash & (max - 1),
            max => hash % max,
        };
        write_value(words, result, u128::from(base) + u128::from(offset));
    } else {
        let (base, max) = (base.read(words), max.read(words));
        place_hash(hash, &base, &max, result.width).write_words(&mut words[result.words()]);
    }
}

/// Returns `base` plus the hash modulo `max`, in the width of the result.
fn place_hash(hash: u64, base: &Bits, max: &Bits, width: u32) -> Bits {
    let hash = Bits::new(max.width().max(64), u128::from(hash));
    // The sum is computed in this width, so that neither the remainder nor the sum is truncated
    // before the result is.
    let wide = hash.width().max(base.width()).max(width) + 1;
    let modulus = max.resize(wide);
    let offset = if modulus.is_zero() { modulus } else { hash.resize(wide).rem(&modulus) };
    base.resize(wide).add(&offset).resize(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_narrow_numbers_give_the_same_result() {
        for (base, max) in [(0, 0), (5, 1), (5, 10), (1 << 40, 1 << 20), (3, u64::MAX)] {
            let hash = 0x1234_5678_9abc_def0u64;
            let offset = if max == 0 { 0 } else { hash % max };
            let wanted = Bits::new(48, u128::from(base) + u128::from(offset));
            let wide = |value: u64| Bits::new(100, u128::from(value));
            assert_eq!(place_hash(hash, &wide(base), &wide(max), 48), wanted);
        }
    }
}
