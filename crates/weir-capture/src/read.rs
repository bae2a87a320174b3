//! Reads pcap and pcapng files.

use std::io::{Chain, Cursor, Read};

use pcap_file::PcapError;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader, blocks::interface_description::InterfaceDescriptionOption};

use crate::CaptureError;

/// A frame of a capture file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedFrame {
    /// Nanoseconds from the Unix epoch; 0 if the file has no time for this frame.
    pub time: u64,
    /// The bytes that were captured.
    pub bytes: Vec<u8>,
    /// The length on the wire, in bytes.
    pub original_len: u32,
    /// The type of the interface that captured the frame, as in the file, for example [`ETHERNET`].
    pub link_type: u32,
}

/// The frames of a file in pcap or pcapng format, in the order of the file. After an error there
/// are no more.
pub struct CaptureReader<R: Read> {
    format: Format<Chain<Cursor<Vec<u8>>, R>>,
    read: u64,
    failed: bool,
}

enum Format<R: Read> {
    Pcap(PcapReader<R>),
    Pcapng { reader: PcapNgReader<R>, interfaces: Vec<Interface> },
}

struct Interface {
    link_type: u32,
    /// The length of a time unit in nanoseconds.
    unit: f64,
}

impl<R: Read> CaptureReader<R> {
    /// Begins to read a file. Reading is faster from a `BufRead`.
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
                Format::Pcapng { reader: PcapNgReader::new(file).map_err(broken)?, interfaces: Vec::new() }
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

type Next = Option<Result<CapturedFrame, PcapError>>;

fn next_of_pcap(reader: &mut PcapReader<impl Read>) -> Next {
    let link_type = reader.header().datalink.into();
    Some(reader.next_packet()?.map(|packet| CapturedFrame {
        time: nanos(packet.timestamp.as_nanos()),
        bytes: packet.data.into_owned(),
        original_len: packet.orig_len,
        link_type,
    }))
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
                let resolution = interface.options.iter().find_map(|option| match option {
                    InterfaceDescriptionOption::IfTsResol(resolution) => Some(*resolution),
                    _ => None,
                });
                let link_type = interface.linktype.into();
                interfaces.push(Interface { link_type, unit: unit(resolution.unwrap_or(6)) });
            }
            Block::EnhancedPacket(packet) => {
                let Some(&Interface { link_type, unit }) = interfaces.get(packet.interface_id as usize)
                else {
                    return Some(Err(PcapError::InvalidInterfaceId(packet.interface_id)));
                };
                // The library treats every time unit as one nanosecond.
                let ticks = packet.timestamp.as_nanos();
                let time = if unit == 1.0 { ticks } else { (ticks as f64 * unit) as u128 };
                return Some(Ok(CapturedFrame {
                    time: nanos(time),
                    bytes: packet.data.into_owned(),
                    original_len: packet.original_len,
                    link_type,
                }));
            }
            Block::SimplePacket(packet) => {
                // Such packets belong to the first interface (pcapng, section 4.4).
                let Some(&Interface { link_type, .. }) = interfaces.first() else {
                    return Some(Err(PcapError::InvalidInterfaceId(0)));
                };
                return Some(Ok(CapturedFrame {
                    time: 0,
                    bytes: packet.data.into_owned(),
                    original_len: packet.original_len,
                    link_type,
                }));
            }
            _ => {}
        }
    }
}

/// The length in nanoseconds of the time unit in `if_tsresol`: a negative power of 10, or of 2 if
/// the highest bit is set.
fn unit(resolution: u8) -> f64 {
    let power = f64::from(resolution & 0x7f);
    1e9 / if resolution & 0x80 == 0 { 10f64.powf(power) } else { power.exp2() }
}

fn nanos(time: u128) -> u64 {
    u64::try_from(time).unwrap_or(u64::MAX)
}
