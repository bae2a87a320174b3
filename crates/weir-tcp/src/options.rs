//! TCP options: maximum segment size (RFC 9293), window scale and timestamps (RFC 7323), selective
//! acknowledgement (RFC 2018).

use crate::seq::Seq;

/// The options of a segment that this crate supports. Others are skipped.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Options {
    /// Maximum payload that the sender of a SYN accepts, in bytes, without options (RFC 6691).
    pub mss: Option<u16>,
    /// Number of bits by which later windows are shifted, as in the option (values above 14 count
    /// as 14, RFC 7323).
    pub window_scale: Option<u8>,
    /// Whether the peer permits SACK.
    pub sack_permitted: bool,
    /// The timestamps TSval and TSecr.
    pub timestamps: Option<(u32, u32)>,
    /// The ranges that were received out of order: the first number, and the number after the last.
    /// Only the first `sack_blocks` elements are used.
    pub sack: [(Seq, Seq); 4],
    /// Number of blocks in `sack`.
    pub sack_blocks: u8,
}

impl Options {
    /// Parses options. A malformed option ends parsing; options before it are used.
    pub(crate) fn parse(mut bytes: &[u8]) -> Self {
        let mut options = Options::default();
        if let [1, 1, 8, 10, stamps @ ..] = bytes
            && stamps.len() == 8
        {
            // Most segments have exactly these options (RFC 7323 appendix A).
            options.timestamps = Some((read_u32(stamps, 0), read_u32(stamps, 4)));
            return options;
        }
        while let Some((&kind, rest)) = bytes.split_first() {
            match kind {
                0 => break,
                1 => {
                    bytes = rest;
                    continue;
                }
                _ => {}
            }
            let Some(&length) = rest.first() else { break };
            let length = usize::from(length);
            if length < 2 || length > bytes.len() {
                break;
            }
            let body = &bytes[2..length];
            match (kind, body.len()) {
                (2, 2) => options.mss = Some(u16::from_be_bytes([body[0], body[1]])),
                (3, 1) => options.window_scale = Some(body[0]),
                (4, 0) => options.sack_permitted = true,
                (5, 8 | 16 | 24 | 32) => {
                    options.sack_blocks = (body.len() / 8) as u8;
                    for (block, bytes) in options.sack.iter_mut().zip(body.chunks_exact(8)) {
                        *block = (Seq(read_u32(bytes, 0)), Seq(read_u32(bytes, 4)));
                    }
                }
                (8, 8) => options.timestamps = Some((read_u32(body, 0), read_u32(body, 4))),
                _ => {}
            }
            bytes = &bytes[length..];
        }
        options
    }

    /// Returns the blocks of the SACK option.
    pub fn sack(&self) -> &[(Seq, Seq)] {
        &self.sack[..usize::from(self.sack_blocks).min(4)]
    }

    /// Returns whether there are no options except timestamps.
    fn is_plain(&self) -> bool {
        self.sack_blocks == 0 && self.mss.is_none() && self.window_scale.is_none() && !self.sack_permitted
    }

    /// Returns the length on the wire, padded to a multiple of 4 bytes. At most 40 for segments of
    /// this crate.
    pub(crate) fn len(&self) -> usize {
        if self.is_plain() {
            return if self.timestamps.is_some() { 12 } else { 0 };
        }
        let mut len = 0;
        len += if self.mss.is_some() { 4 } else { 0 };
        len += if self.window_scale.is_some() { 4 } else { 0 };
        // SACK-permitted replaces the padding of timestamps.
        len += match (self.sack_permitted, self.timestamps.is_some()) {
            (_, true) => 12,
            (true, false) => 4,
            (false, false) => 0,
        };
        len += if self.sack_blocks > 0 { 4 + 8 * usize::from(self.sack_blocks) } else { 0 };
        len
    }

    /// Writes the options to `buffer`, which has [`Options::len`] bytes.
    pub(crate) fn emit(&self, buffer: &mut [u8]) {
        if self.is_plain() {
            if let (Some((value, echo)), Some(buffer)) = (self.timestamps, buffer.first_chunk_mut::<12>()) {
                buffer[..4].copy_from_slice(&[1, 1, 8, 10]);
                buffer[4..8].copy_from_slice(&value.to_be_bytes());
                buffer[8..].copy_from_slice(&echo.to_be_bytes());
            }
            return;
        }
        let mut offset = 0;
        let mut put = |bytes: &[u8]| {
            buffer[offset..offset + bytes.len()].copy_from_slice(bytes);
            offset += bytes.len();
        };
        if let Some(mss) = self.mss {
            put(&[2, 4]);
            put(&mss.to_be_bytes());
        }
        match (self.sack_permitted, self.timestamps.is_some()) {
            (true, true) => put(&[4, 2]),
            (true, false) => put(&[1, 1, 4, 2]),
            (false, true) => put(&[1, 1]),
            (false, false) => {}
        }
        if let Some((value, echo)) = self.timestamps {
            put(&[8, 10]);
            put(&value.to_be_bytes());
            put(&echo.to_be_bytes());
        }
        if let Some(shift) = self.window_scale {
            put(&[1, 3, 3, shift]);
        }
        if self.sack_blocks > 0 {
            put(&[1, 1, 5, 2 + 8 * self.sack_blocks]);
            for (left, right) in self.sack() {
                put(&left.0.to_be_bytes());
                put(&right.0.to_be_bytes());
            }
        }
    }
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn written_values_are_read(mss: Option<u16>, scale: Option<u8>, permitted: bool, stamps: Option<(u32, u32)>, blocks in 0_u8..=2, edge: u32) {
            let mut options = Options { mss, window_scale: scale, sack_permitted: permitted, timestamps: stamps, sack_blocks: blocks, ..Options::default() };
            for at in 0..usize::from(blocks) {
                options.sack[at] = (Seq(edge), Seq(edge.wrapping_add(7)));
            }
            let mut buffer = vec![0xee; options.len()];
            options.emit(&mut buffer);
            prop_assert!(buffer.len().is_multiple_of(4) && buffer.len() <= 40);
            prop_assert_eq!(Options::parse(&buffer), options);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let options = Options::parse(&bytes);
            prop_assert!(options.sack().len() <= 4);
        }
    }

    #[test]
    fn malformed_options_end_the_list() {
        let options = Options::parse(&[254, 4, 9, 9, 2, 4, 5, 0xb4, 3, 0, 4, 2]);
        assert_eq!(options.mss, Some(1460));
        assert!(!options.sack_permitted);
    }
}
