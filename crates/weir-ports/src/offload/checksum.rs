//! The checksum of TCP and UDP, and SCTP's CRC.

use crc::{CRC_32_ISCSI, Crc};

use super::bytes::internet_sum;
use super::network_start;
use crate::{Checksum, Frame};

/// The CRC algorithm of SCTP (RFC 9260, appendix A).
const SCTP_CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
/// The protocol number of SCTP.
const SCTP: u8 = 132;
const SCTP_CHECKSUM: usize = 8;

/// The error that the metadata of a frame contradicts its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the offload metadata contradicts the frame: {0}")]
pub struct Malformed(pub &'static str);

/// Completes the partial checksum of a frame, if it has one. A UDP sum of 0 is written as 0xffff,
/// the same number in ones' complement, because 0 means that there is no checksum (RFC 768). The
/// kernel marks SCTP packets without CRC in the same way; this function adds their CRC.
///
/// # Errors
/// The checksum's field is not inside the frame.
pub fn complete(frame: &mut Frame<'_>) -> Result<(), Malformed> {
    let Checksum::Partial { start, offset } = frame.metadata.checksum else {
        return Ok(());
    };
    let (start, offset) = (usize::from(start), usize::from(offset));
    let is_sctp = offset == SCTP_CHECKSUM && protocol(frame.bytes()) == Some(SCTP);
    let covered = frame.bytes_mut().get_mut(start..).unwrap_or_default();
    if is_sctp && covered.len() >= SCTP_CHECKSUM + 4 {
        covered[SCTP_CHECKSUM..SCTP_CHECKSUM + 4].fill(0);
        let crc = SCTP_CRC.checksum(covered);
        covered[SCTP_CHECKSUM..SCTP_CHECKSUM + 4].copy_from_slice(&crc.to_le_bytes());
        frame.metadata.checksum = Checksum::Valid;
        return Ok(());
    }
    if covered.len() < offset + 2 {
        return Err(Malformed("its partial checksum lies outside"));
    }
    let sum = !internet_sum(0, covered);
    let sum = if sum == 0 { 0xffff } else { sum };
    covered[offset..offset + 2].copy_from_slice(&sum.to_be_bytes());
    frame.metadata.checksum = Checksum::Valid;
    Ok(())
}

/// Returns the protocol after the IP header, or the first extension header of IPv6.
fn protocol(frame: &[u8]) -> Option<u8> {
    let ip = frame.get(network_start(frame)?..)?;
    match ip.first()? >> 4 {
        4 => ip.get(9).copied(),
        6 => ip.get(6).copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Metadata;

    /// The CRC of the digits 1 to 9 is a well-known number. In this test, the digits are part of an
    /// SCTP packet.
    #[test]
    fn sctp_gets_its_crc() {
        let mut bytes = vec![0; 12];
        bytes.extend([0x08, 0x00, 0x45, 0, 0, 36, 0, 0, 0, 0, 64, SCTP, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        bytes.extend([0x30, 0x39, 0x30, 0x39, 1, 2, 3, 4, 0xde, 0xad, 0xbe, 0xef, 3, 0, 0, 4]);
        let checksum = Checksum::Partial { start: 34, offset: 8 };
        let mut frame = Frame::copy_of(&bytes, Metadata { checksum, ..Metadata::default() });
        complete(&mut frame).unwrap();
        assert_eq!(SCTP_CRC.checksum(b"123456789"), 0xe306_9283);
        let mut zeroed = bytes[34..].to_vec();
        zeroed[8..12].fill(0);
        assert_eq!(frame.bytes()[42..46], SCTP_CRC.checksum(&zeroed).to_le_bytes());
        assert_eq!((&frame.bytes()[..42], &frame.bytes()[46..]), (&bytes[..42], &bytes[46..]));
        assert_eq!(frame.metadata.checksum, Checksum::Valid);
    }
}
