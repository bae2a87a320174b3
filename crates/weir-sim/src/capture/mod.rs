//! Captures: the frames that pass link ends, written as pcapng files for Wireshark and tshark.
//!
//! An interface of the file stands for one end of a link, as if `tcpdump -i` ran there. It records
//! what its node sends, at the time when the first bit leaves and marked outbound, and what its
//! node receives, at the time when the last bit arrives and marked inbound. Times are nanoseconds
//! from the start of the simulation, which is written as the Unix epoch.

mod watch;

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use weir_device::Nanos;

pub(crate) use self::watch::Watch;
pub use self::watch::{WatchConfig, WatchedFrame};
use crate::Filter;

/// `if_tsresol`: timestamps count 10^-9 seconds.
const NANOSECONDS: u8 = 9;
/// The direction bits of `epb_flags` (pcapng, section 4.3.1).
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;

/// The number of a capture or watch of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaptureId(pub(crate) usize);

/// Where the bytes of a capture file go.
pub(crate) enum Sink {
    Memory(Vec<u8>),
    Writer(BufWriter<Box<dyn Write + Send>>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::Memory(buffer) => buffer.write(bytes),
            Sink::Writer(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::Memory(_) => Ok(()),
            Sink::Writer(writer) => writer.flush(),
        }
    }
}

/// The direction in which a frame passes a link end, as the node at that end sees it.
#[derive(Clone, Copy)]
pub(crate) enum TapDirection {
    Outbound,
    Inbound,
}

pub(crate) struct Capture {
    /// Which frames to record; `None` records all.
    filter: Option<Filter>,
    writer: Option<PcapNgWriter<Sink>>,
    interfaces: u32,
    /// The first error; nothing is written after it.
    failure: Option<String>,
}

impl Capture {
    pub(crate) fn new(sink: Sink, filter: Option<Filter>) -> Self {
        let mut capture = Capture { filter, writer: None, interfaces: 0, failure: None };
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(Cow::Borrowed("weir"))],
            ..SectionHeaderBlock::default()
        };
        match PcapNgWriter::with_section_header(sink, section) {
            Ok(writer) => capture.writer = Some(writer),
            Err(error) => capture.failure = Some(describe(&error)),
        }
        capture
    }

    fn write(&mut self, write: impl FnOnce(&mut PcapNgWriter<Sink>) -> Result<usize, PcapError>) {
        if let (Some(writer), None) = (&mut self.writer, &self.failure) {
            self.failure = write(writer).err().map(|error| describe(&error));
        }
    }

    /// Adds an interface and returns its number in the file.
    pub(crate) fn add_interface(&mut self, name: String, description: String) -> u32 {
        let block = InterfaceDescriptionBlock {
            linktype: DataLink::ETHERNET,
            snaplen: 0,
            options: vec![
                InterfaceDescriptionOption::IfName(Cow::Owned(name)),
                InterfaceDescriptionOption::IfDescription(Cow::Owned(description)),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ],
        };
        self.write(|writer| writer.write_pcapng_block(block));
        self.interfaces += 1;
        self.interfaces - 1
    }

    pub(crate) fn frame(&mut self, interface: u32, direction: TapDirection, now: Nanos, bytes: &[u8]) {
        if self.filter.as_ref().is_some_and(|filter| !filter.matches(bytes)) {
            return;
        }
        let flags = match direction {
            TapDirection::Outbound => OUTBOUND,
            TapDirection::Inbound => INBOUND,
        };
        let block = EnhancedPacketBlock {
            interface_id: interface,
            timestamp: Duration::from_nanos(now),
            original_len: bytes.len() as u32,
            data: Cow::Borrowed(bytes),
            options: vec![EnhancedPacketOption::Flags(flags)],
        };
        self.write(|writer| writer.write_pcapng_block(block));
    }

    /// Completes the file. Returns the bytes of a file in memory, and nothing for a caller's
    /// writer.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, String> {
        let sink = self.writer.take().map(PcapNgWriter::into_inner);
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        match sink {
            Some(Sink::Memory(buffer)) => Ok(buffer),
            Some(Sink::Writer(mut writer)) => {
                writer.flush().map(|()| Vec::new()).map_err(|error| error.to_string())
            }
            None => Ok(Vec::new()),
        }
    }
}

fn describe(error: &PcapError) -> String {
    match error {
        PcapError::IoError(error) => error.to_string(),
        error => error.to_string(),
    }
}
