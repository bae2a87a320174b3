//! Sequence numbers on the wire: 32 bits that wrap (RFC 9293 section 3.4).

/// A sequence or acknowledgement number, which wraps at 2^32.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Hash, Default)]
pub struct Seq(pub u32);

impl Seq {
    /// Advances the number by `bytes`, modulo 2^32.
    #[must_use]
    pub fn plus(self, bytes: u64) -> Seq {
        Seq(self.0.wrapping_add(bytes as u32))
    }

    /// Returns the distance from `earlier` to this number, negative if this number is before it.
    /// Correct for distances below 2^31.
    #[must_use]
    pub fn distance_from(self, earlier: Seq) -> i32 {
        self.0.wrapping_sub(earlier.0) as i32
    }
}

/// Returns the 64-bit position of `seq` in a stream whose initial number is `first`, given a
/// position close to it. `None` if the position is before the stream.
pub(crate) fn unwrap(seq: Seq, first: Seq, reference: u64) -> Option<u64> {
    reference.checked_add_signed(i64::from(seq.distance_from(first.plus(reference))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_numbers_wrap() {
        assert_eq!(Seq(u32::MAX).plus(2), Seq(1));
        assert_eq!(Seq(1).distance_from(Seq(u32::MAX)), 2);
        assert_eq!(Seq(u32::MAX).distance_from(Seq(1)), -2);
    }

    #[test]
    fn positions_do_not_wrap() {
        let first = Seq(u32::MAX - 10);
        let far = (1_u64 << 32) * 5 + 7;
        assert_eq!(unwrap(first.plus(far + 100), first, far), Some(far + 100));
        assert_eq!(unwrap(first.plus(far - 100), first, far), Some(far - 100));
        assert_eq!(unwrap(Seq(first.0 - 1), first, 0), None);
    }
}
