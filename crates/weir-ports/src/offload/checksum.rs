//! The checksum of TCP and UDP.

use crate::{Checksum, Frame};

/// The metadata of a frame contradicts its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the offload metadata contradicts the frame: {0}")]
pub struct Malformed(pub &'static str);

/// The ones' complement sum of `bytes` and `sum` (RFC 1071), not complemented. An odd last byte is
/// followed by a zero.
pub fn internet_sum(sum: u16, bytes: &[u8]) -> u16 {
    let mut total = u64::from(sum);
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        total += u64::from(u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
    }
    let mut rest = [0; 4];
    rest[..words.remainder().len()].copy_from_slice(words.remainder());
    total += u64::from(u32::from_be_bytes(rest));
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    total as u16
}

/// Completes the partial checksum of a frame, if it has one. UDP's sum 0 is written as 0xffff, which
/// is the same number, because 0 would mean that there is no checksum (RFC 768).
///
/// # Errors
/// The checksum's field is not inside the frame.
pub fn complete(frame: &mut Frame<'_>) -> Result<(), Malformed> {
    let Checksum::Partial { start, offset } = frame.metadata.checksum else {
        return Ok(());
    };
    let (start, offset) = (usize::from(start), usize::from(offset));
    let covered = frame.bytes_mut().get_mut(start..).unwrap_or_default();
    if covered.len() < offset + 2 {
        return Err(Malformed("its partial checksum lies outside"));
    }
    let sum = !internet_sum(0, covered);
    let sum = if sum == 0 { 0xffff } else { sum };
    covered[offset..offset + 2].copy_from_slice(&sum.to_be_bytes());
    frame.metadata.checksum = Checksum::Valid;
    Ok(())
}
