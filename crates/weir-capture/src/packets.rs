//! The packets of a capture that can be sent again.

use std::io::Read;

use crate::{CaptureError, CaptureReader, CapturedFrame, ETHERNET};

/// Reads the first packets of a capture, at most `most`, so that they can be sent again. The
/// packets must be complete Ethernet frames, in the order of their times.
///
/// # Errors
/// The file can't be read, or one of these packets is damaged, was cut off, was not captured on
/// Ethernet, or is earlier than the packet before it.
pub fn read_packets<R: Read>(file: R, most: usize) -> Result<Vec<CapturedFrame>, CaptureError> {
    let mut packets: Vec<CapturedFrame> = Vec::new();
    for (frame, packet) in CaptureReader::new(file)?.take(most).zip(0..) {
        let frame = frame?;
        let CapturedFrame { time, ref bytes, original_len: length, link_type } = frame;
        if link_type != ETHERNET {
            return Err(CaptureError::NotEthernet { packet, link_type });
        }
        if bytes.len() < length as usize {
            return Err(CaptureError::Cut { packet, captured: bytes.len(), length });
        }
        if let Some(by) = packets.last().and_then(|before| before.time.checked_sub(time)).filter(|by| *by > 0)
        {
            return Err(CaptureError::Backwards { packet, by });
        }
        packets.push(frame);
    }
    Ok(packets)
}
