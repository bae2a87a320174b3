//! Reads pcap and pcapng files.

use std::io::{Chain, Cursor, Read};

use pcap_file::PcapError;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::{
    enhanced_packet::EnhancedPacketOption, interface_description::InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgReader};

use crate::{CaptureError, blocks::SimplerBlocks};

/// A frame of a capture file, without the frame check sequence that some captures have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedFrame {
    /// The number of nanoseconds from the Unix epoch; 0 if the file has no time for this frame.
    pub time: u64,
    /// The bytes that were captured.
    pub bytes: Vec<u8>,
    /// The length on the wire, in bytes.
    pub original_len: u32,
    /// The type of the interface that captured the frame, as in the file, for example [`ETHERNET`].
    pub link_type: u32,
}

/// An iterator over the frames of a file in pcap or pcapng format, in the order of the file. After
/// an error, it returns no more frames.
pub struct CaptureReader<R: Read> {
    format: Format<Chain<Cursor<Vec<u8>>, R>>,
    read: u64,
    failed: bool,
}

/// The reader of a file in one of the two formats.
enum Format<R: Read> {
    Pcap(PcapReader<R>),
    Pcapng { reader: PcapNgReader<SimplerBlocks<R>>, interfaces: Vec<Interface> },
}

/// The description of one interface in a pcapng file.
struct Interface {
    link_type: u32,
    /// The length of a time unit in nanoseconds.
    unit: f64,
    /// The length of the frame check sequence at the end of each frame, in bytes.
    check: u32,
}

impl<R: Read> CaptureReader<R> {
    /// Starts to read a file. Reading is faster if `file` is buffered.
    ///
    /// # Errors
    /// The file can't be read, has another format, or its header is damaged.
    pub fn new(mut file: R) -> Result<Self, CaptureError> {
        let mut magic = Vec::new();
        file.by_ref().take(4).read_to_end(&mut magic).map_err(CaptureError::Io)?;
        let kind = magic.clone();
        let file = Cursor::new(magic).chain(file);
        let broken = |error| CaptureError::reading(0, error);
        let format = match kind.as_slice() {
            [0x0a, 0x0d, 0x0d, 0x0a] => {
                let reader = PcapNgReader::new(SimplerBlocks::new(file)).map_err(broken)?;
                Format::Pcapng { reader, interfaces: Vec::new() }
            }
            [0xa1, 0xb2, 0xc3, 0xd4]
            | [0xd4, 0xc3, 0xb2, 0xa1]
            | [0xa1, 0xb2, 0x3c, 0x4d]
            | [0x4d, 0x3c, 0xb2, 0xa1] => Format::Pcap(PcapReader::new(file).map_err(broken)?),
            _ => return Err(CaptureError::Format),
        };
        Ok(Self { format, read: 0, failed: false })
    }
}

impl<R: Read> Iterator for CaptureReader<R> {
    type Item = Result<CapturedFrame, CaptureError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let frame = match &mut self.format {
            Format::Pcap(reader) => next_of_pcap(reader),
            Format::Pcapng { reader, interfaces } => next_of_pcapng(reader, interfaces),
        };
        let frame = frame.map(|frame| frame.map_err(|error| CaptureError::reading(self.read, error)));
        self.read += 1;
        self.failed = matches!(frame, Some(Err(_)));
        frame
    }
}

/// The next frame of a file, if there is one.
type Next = Option<Result<CapturedFrame, PcapError>>;

fn next_of_pcap(reader: &mut PcapReader<impl Read>) -> Next {
    let header = reader.header();
    // The link type is the lower half. If bit 26 is set, the uppermost four bits are the length of
    // the frame check sequence in units of 16 bits (pcap, section 4).
    let word = u32::from(header.datalink);
    let (link_type, check) = (word & 0xffff, if word & 0x0400_0000 == 0 { 0 } else { (word >> 28) * 2 });
    // Some writers exceed the snap length of their header.
    let packet = reader.next_raw_packet()?;
    Some(packet.and_then(|packet| packet.try_into_pcap_packet(header.ts_resolution, u32::MAX)).map(
        |packet| {
            let time = nanos(packet.timestamp.as_nanos());
            captured_frame(time, packet.data.into_owned(), packet.orig_len, link_type, check)
        },
    ))
}

/// Makes a frame without its frame check sequence. A capture that cuts frames may contain only a
/// part of the sequence, or no byte of it.
fn captured_frame(
    time: u64,
    mut bytes: Vec<u8>,
    original_len: u32,
    link_type: u32,
    check: u32,
) -> CapturedFrame {
    let original_len = original_len.saturating_sub(check);
    bytes.truncate(original_len as usize);
    CapturedFrame { time, bytes, original_len, link_type }
}

fn next_of_pcapng(reader: &mut PcapNgReader<impl Read>, interfaces: &mut Vec<Interface>) -> Next {
    loop {
        let block = match reader.next_block()? {
            Ok(block) => block,
            Err(error) => return Some(Err(error)),
        };
        match block {
            Block::SectionHeader(_) => interfaces.clear(),
            Block::InterfaceDescription(interface) => {
                let (mut resolution, mut check) = (6, 0);
                for option in &interface.options {
                    match option {
                        InterfaceDescriptionOption::IfTsResol(own) => resolution = *own,
                        // The specification counts bits, but its example and most writers count
                        // bytes.
                        InterfaceDescriptionOption::IfFcsLen(own) if *own < 8 => check = u32::from(*own),
                        InterfaceDescriptionOption::IfFcsLen(own) => check = u32::from(*own / 8),
                        _ => {}
                    }
                }
                let link_type = interface.linktype.into();
                interfaces.push(Interface { link_type, unit: time_unit_ns(resolution), check });
            }
            Block::EnhancedPacket(packet) => {
                let Some(&Interface { link_type, unit, check }) =
                    interfaces.get(packet.interface_id as usize)
                else {
                    return Some(Err(PcapError::InvalidInterfaceId(packet.interface_id)));
                };
                // The library treats every time unit as one nanosecond.
                let ticks = packet.timestamp.as_nanos();
                let time = if unit == 1.0 { ticks } else { (ticks as f64 * unit) as u128 };
                // The packet's flags may state another length of the check sequence, in bits 5 to
                // 8.
                let own = packet.options.iter().find_map(|option| match option {
                    EnhancedPacketOption::Flags(flags) => Some(flags >> 5 & 0xf).filter(|own| *own > 0),
                    _ => None,
                });
                let bytes = packet.data.into_owned();
                let check = own.unwrap_or(check);
                return Some(Ok(captured_frame(nanos(time), bytes, packet.original_len, link_type, check)));
            }
            Block::SimplePacket(packet) => {
                // Such packets belong to the first interface (pcapng, section 4.4).
                let Some(&Interface { link_type, check, .. }) = interfaces.first() else {
                    return Some(Err(PcapError::InvalidInterfaceId(0)));
                };
                let bytes = packet.data.into_owned();
                return Some(Ok(captured_frame(0, bytes, packet.original_len, link_type, check)));
            }
            _ => {}
        }
    }
}

/// Returns the length in nanoseconds of the time unit in `if_tsresol`: a negative power of 10, or
/// of 2 if the highest bit is set.
fn time_unit_ns(resolution: u8) -> f64 {
    let power = f64::from(resolution & 0x7f);
    1e9 / if resolution & 0x80 == 0 { 10f64.powf(power) } else { power.exp2() }
}

/// Converts a time to nanoseconds, limited to the largest `u64`.
fn nanos(time: u128) -> u64 {
    u64::try_from(time).unwrap_or(u64::MAX)
}
