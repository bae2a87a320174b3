//! Segments, parsed from and written to bytes (RFC 9293 section 3.1).

use crate::checksum::{PseudoSum, fold, sum};
use crate::options::Options;
use crate::seq::Seq;

/// The eight control bits. FIN is the lowest.
#[derive(Copy, Clone, Eq, PartialEq, Debug, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// The flag FIN: the end of the sender's stream.
    pub const FIN: Flags = Flags(1);
    /// The flag SYN: the start of the stream, which synchronizes sequence numbers.
    pub const SYN: Flags = Flags(2);
    /// The flag RST: resets the connection.
    pub const RST: Flags = Flags(4);
    /// The flag PSH: deliver the data to the application without delay.
    pub const PSH: Flags = Flags(8);
    /// The flag ACK: the acknowledgement number is valid.
    pub const ACK: Flags = Flags(16);
    /// The flag URG: the urgent pointer is valid.
    pub const URG: Flags = Flags(32);
    /// The flag ECE: an ECN echo (RFC 3168).
    pub const ECE: Flags = Flags(64);
    /// The flag CWR: the congestion window was reduced (RFC 3168).
    pub const CWR: Flags = Flags(128);

    /// Returns whether all bits of `other` are set.
    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of two sets of bits.
    #[must_use]
    pub fn union(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

/// A received segment of TCP, parsed.
#[derive(Clone, Debug)]
pub struct Segment<'a> {
    /// The source port.
    pub source: u16,
    /// The destination port.
    pub destination: u16,
    /// The sequence number of the first byte of payload, or of the SYN.
    pub seq: Seq,
    /// The next sequence number that the sender expects. Valid with [`Flags::ACK`].
    pub ack: Seq,
    /// The control bits.
    pub flags: Flags,
    /// The window field, before scaling.
    pub window: u16,
    /// The urgent pointer, which is ignored.
    pub urgent: u16,
    /// The options.
    pub options: Options,
    /// The payload.
    pub payload: &'a [u8],
}

/// The error for bytes that are not a valid segment.
#[derive(Debug, Clone, Copy, Eq, PartialEq, thiserror::Error)]
pub enum SegmentError {
    /// Fewer than 20 bytes.
    #[error("{0} bytes cannot hold a TCP header of 20")]
    TruncatedHeader(usize),
    /// The data offset is less than the fixed header or beyond the segment.
    #[error("data offset of {0} bytes in a segment of {1}")]
    BadOffset(usize, usize),
    /// The checksum of pseudo header, header and payload is wrong.
    #[error("TCP checksum wrong")]
    BadChecksum,
}

impl<'a> Segment<'a> {
    /// Parses a segment and verifies its checksum with the sum of the pseudo header.
    ///
    /// # Errors
    /// See [`SegmentError`].
    pub fn parse(bytes: &'a [u8], pseudo: PseudoSum) -> Result<Self, SegmentError> {
        if bytes.len() < 20 {
            return Err(SegmentError::TruncatedHeader(bytes.len()));
        }
        let offset = usize::from(bytes[12] >> 4) * 4;
        if offset < 20 || offset > bytes.len() {
            return Err(SegmentError::BadOffset(offset, bytes.len()));
        }
        if fold(pseudo_header_sum(pseudo, bytes.len()) + sum(bytes)) != 0 {
            return Err(SegmentError::BadChecksum);
        }
        let u16_at = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) << 16 | u32::from(u16_at(at + 2));
        Ok(Segment {
            source: u16_at(0),
            destination: u16_at(2),
            seq: Seq(u32_at(4)),
            ack: Seq(u32_at(8)),
            flags: Flags(bytes[13]),
            window: u16_at(14),
            urgent: u16_at(18),
            options: Options::parse(&bytes[20..offset]),
            payload: &bytes[offset..],
        })
    }

    /// Returns the length in the sequence space: payload, SYN and FIN.
    pub fn sequence_length(&self) -> u64 {
        self.payload.len() as u64
            + u64::from(self.flags.contains(Flags::SYN))
            + u64::from(self.flags.contains(Flags::FIN))
    }

    /// Returns the reset that answers this segment if there is no connection for it (RFC 9293
    /// section 3.10.7.1). `None` if the segment itself is a reset.
    pub fn reset_for(&self) -> Option<Reply> {
        if self.flags.contains(Flags::RST) {
            return None;
        }
        let (seq, ack, flags) = if self.flags.contains(Flags::ACK) {
            (self.ack, Seq(0), Flags::RST)
        } else {
            (Seq(0), self.seq.plus(self.sequence_length()), Flags::RST.union(Flags::ACK))
        };
        Some(Reply {
            header: Header {
                source: self.destination,
                destination: self.source,
                seq,
                ack,
                flags,
                window: 0,
                options: Options::default(),
            },
        })
    }
}

/// A segment without payload that does not come from a connection: a reset, or an acknowledgement
/// of TIME-WAIT.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reply {
    pub(crate) header: Header,
}

impl Reply {
    /// Returns the length of the segment in bytes.
    pub fn len(&self) -> usize {
        self.header.len()
    }

    /// Returns whether the reply has no bytes: always false, because there is always a header.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Writes the segment to `buffer`, which has [`Reply::len`] bytes.
    pub fn emit(&self, pseudo: PseudoSum, buffer: &mut [u8]) {
        self.header.emit(buffer);
        write_checksum(pseudo, buffer, buffer.len(), None);
    }
}

/// The header of a segment to send.
#[derive(Clone, Debug, Eq, PartialEq, Default)]
pub(crate) struct Header {
    pub source: u16,
    pub destination: u16,
    pub seq: Seq,
    pub ack: Seq,
    pub flags: Flags,
    pub window: u16,
    pub options: Options,
}

impl Header {
    pub fn len(&self) -> usize {
        20 + self.options.len()
    }

    /// Writes the header with a checksum of 0.
    pub fn emit(&self, buffer: &mut [u8]) {
        let len = self.len();
        let (fixed, rest) = buffer.split_at_mut(20);
        let buffer = fixed;
        buffer[0..2].copy_from_slice(&self.source.to_be_bytes());
        buffer[2..4].copy_from_slice(&self.destination.to_be_bytes());
        buffer[4..8].copy_from_slice(&self.seq.0.to_be_bytes());
        buffer[8..12].copy_from_slice(&self.ack.0.to_be_bytes());
        buffer[12] = ((len / 4) << 4) as u8;
        buffer[13] = self.flags.0;
        buffer[14..16].copy_from_slice(&self.window.to_be_bytes());
        buffer[16..20].fill(0);
        self.options.emit(&mut rest[..len - 20]);
    }
}

/// Computes the checksum of a segment and writes it. The checksum's field must be 0 before.
/// `payload` is the sum of everything after the first `header` bytes, if it is known.
pub(crate) fn write_checksum(pseudo: PseudoSum, buffer: &mut [u8], header: usize, payload: Option<u32>) {
    let bytes = match payload {
        Some(payload) => sum(&buffer[..header]) + payload,
        None => sum(buffer),
    };
    let checksum = fold(pseudo_header_sum(pseudo, buffer.len()) + bytes);
    buffer[16..18].copy_from_slice(&checksum.to_be_bytes());
}

/// Returns the sum of the pseudo header, including the length. It is small enough that another
/// folded sum can be added to it.
fn pseudo_header_sum(pseudo: PseudoSum, len: usize) -> u32 {
    let total = u64::from(pseudo.0) + len as u64;
    let total = (total & 0xffff) + (total >> 16);
    ((total & 0xffff) + (total >> 16)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(header: &Header, payload: &[u8]) -> Vec<u8> {
        let mut buffer = vec![0; header.len() + payload.len()];
        header.emit(&mut buffer);
        buffer[header.len()..].copy_from_slice(payload);
        write_checksum(PseudoSum(0x1234), &mut buffer, header.len(), None);
        buffer
    }

    #[test]
    fn written_segments_are_read_back() {
        let header = Header {
            source: 1,
            destination: 2,
            seq: Seq(3),
            ack: Seq(4),
            flags: Flags(0x18),
            window: 5,
            options: Options { timestamps: Some((6, 7)), ..Options::default() },
        };
        let mut sent = bytes(&header, b"odd");
        let read = Segment::parse(&sent, PseudoSum(0x1234)).unwrap();
        assert_eq!(
            (read.source, read.destination, read.seq, read.ack, read.window),
            (1, 2, Seq(3), Seq(4), 5)
        );
        assert_eq!(read.options, header.options);
        assert_eq!(read.payload, b"odd");
        for bit in 0..sent.len() * 8 {
            sent[bit / 8] ^= 1 << (bit % 8);
            assert!(Segment::parse(&sent, PseudoSum(0x1234)).is_err(), "bit {bit}");
            sent[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn short_and_misled_headers_are_refused() {
        assert_eq!(Segment::parse(&[0; 19], PseudoSum(0)).unwrap_err(), SegmentError::TruncatedHeader(19));
        assert_eq!(Segment::parse(&[0; 20], PseudoSum(0)).unwrap_err(), SegmentError::BadOffset(0, 20));
        let mut long = [0; 20];
        long[12] = 0xf0;
        assert_eq!(Segment::parse(&long, PseudoSum(0)).unwrap_err(), SegmentError::BadOffset(60, 20));
    }

    #[test]
    fn resets_answer_as_section_3_10_7_1_says() {
        let mut segment = Segment {
            source: 1,
            destination: 2,
            seq: Seq(100),
            ack: Seq(0),
            flags: Flags::SYN,
            window: 9,
            urgent: 0,
            options: Options::default(),
            payload: &[],
        };
        let reset = segment.reset_for().unwrap().header;
        assert_eq!((reset.seq, reset.ack, reset.flags), (Seq(0), Seq(101), Flags::RST.union(Flags::ACK)));
        segment.flags = Flags::ACK;
        segment.ack = Seq(77);
        let reset = segment.reset_for().unwrap().header;
        assert_eq!((reset.seq, reset.flags), (Seq(77), Flags::RST));
        segment.flags = Flags::RST;
        assert!(segment.reset_for().is_none());
    }
}
