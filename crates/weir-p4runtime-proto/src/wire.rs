//! Numbers in the protocol's messages.

use weir_ir::Bits;

use crate::v1;

/// Encodes an unsigned number in the shortest byte string.
pub fn shortest(value: &Bits) -> Vec<u8> {
    if let (0..=64, Some(value)) = (value.width(), value.to_u64()) {
        let zeros = (value | 1).leading_zeros() as usize / 8;
        return value.to_be_bytes()[zeros..].to_vec();
    }
    let mut bytes = value.to_be_bytes();
    let zeros = bytes.iter().take(bytes.len().saturating_sub(1)).take_while(|byte| **byte == 0).count();
    bytes.drain(..zeros);
    bytes
}

/// Encodes a number in two's complement in the shortest byte string.
pub fn shortest_signed(value: &Bits) -> Vec<u8> {
    let bytes = value.resize_signed(value.width().next_multiple_of(8).max(8)).to_be_bytes();
    let spare = |pair: &&[u8]| matches!(pair, [0, 0..=0x7f] | [0xff, 0x80..=0xff]);
    let spare = bytes.windows(2).take_while(spare).count();
    bytes[spare..].to_vec()
}

/// Decodes the number of `width` bits that a byte string encodes in two's complement.
pub fn signed(width: u32, bytes: &[u8]) -> Bits {
    let whole = bytes.len() as u32 * 8;
    Bits::from_be_bytes(whole, bytes).resize_signed(width)
}

/// Encodes a number as a message.
pub fn uint128(number: u128) -> v1::Uint128 {
    v1::Uint128 { high: (number >> 64) as u64, low: number as u64 }
}

/// Decodes a message's number.
pub fn number(message: &v1::Uint128) -> u128 {
    u128::from(message.high) << 64 | u128::from(message.low)
}
