//! Writes pcapng and pcap files.

use std::borrow::Cow;
use std::io::Write;
use std::time::Duration;

use pcap_file::pcap::PcapHeader;
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, TsResolution};

use crate::{CaptureError, Direction};

/// The `if_tsresol` of written files: timestamps count 10^-9 seconds.
const NANOSECONDS: u8 = 9;

/// Writes frames to a pcapng file.
pub struct CaptureWriter<W: Write> {
    writer: PcapNgWriter<W>,
    interfaces: u32,
}

impl<W: Write> CaptureWriter<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// The writer fails.
    pub fn new(writer: W) -> Result<Self, CaptureError> {
        let section = SectionHeaderBlock {
            endianness: Endianness::Little,
            options: vec![SectionHeaderOption::UserApplication(Cow::Borrowed("weir"))],
            ..SectionHeaderBlock::default()
        };
        let writer = PcapNgWriter::with_section_header(writer, section).map_err(CaptureError::writing)?;
        Ok(Self { writer, interfaces: 0 })
    }

    /// Adds an Ethernet interface and returns its number in the file.
    ///
    /// # Errors
    /// The writer fails.
    pub fn add_interface(&mut self, name: &str, description: &str) -> Result<u32, CaptureError> {
        let block = InterfaceDescriptionBlock {
            linktype: DataLink::ETHERNET,
            snaplen: 0,
            options: vec![
                InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
                InterfaceDescriptionOption::IfDescription(Cow::Borrowed(description)),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ],
        };
        self.writer.write_pcapng_block(block.into_owned()).map_err(CaptureError::writing)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Writes a frame that passed an interface at `time`, in nanoseconds.
    ///
    /// # Errors
    /// The writer fails.
    pub fn write_frame(
        &mut self,
        interface: u32,
        direction: Direction,
        time: u64,
        frame: &[u8],
    ) -> Result<(), CaptureError> {
        let block = EnhancedPacketBlock {
            interface_id: interface,
            timestamp: Duration::from_nanos(time),
            original_len: frame.len() as u32,
            data: Cow::Borrowed(frame),
            options: vec![EnhancedPacketOption::Flags(direction as u32)],
        };
        self.writer.write_pcapng_block(block).map(|_| ()).map_err(CaptureError::writing)
    }

    /// Returns the underlying writer, so that the caller can flush it.
    pub fn get_mut(&mut self) -> &mut W {
        self.writer.get_mut()
    }

    /// Completes the file, and returns the writer.
    pub fn into_inner(self) -> W {
        self.writer.into_inner()
    }
}

/// Writes frames to a file in the older pcap format, which records neither interfaces nor
/// directions.
pub struct PcapCaptureWriter<W: Write>(W);

impl<W: Write> PcapCaptureWriter<W> {
    /// Starts a file.
    ///
    /// # Errors
    /// The writer fails.
    pub fn new(mut writer: W) -> Result<Self, CaptureError> {
        let header = PcapHeader {
            ts_resolution: TsResolution::NanoSecond,
            endianness: Endianness::Little,
            ..PcapHeader::default()
        };
        header.write_to(&mut writer).map_err(CaptureError::writing)?;
        Ok(Self(writer))
    }

    /// Writes a frame with its time in nanoseconds.
    ///
    /// # Errors
    /// The writer fails.
    pub fn write_frame(&mut self, time: u64, frame: &[u8]) -> Result<(), CaptureError> {
        // The library's writer cannot be flushed, so the header is written here: seconds,
        // nanoseconds, and the length twice (in the file and on the wire).
        let (seconds, nanoseconds, length) = (time / 1_000_000_000, time % 1_000_000_000, frame.len() as u32);
        let record = [seconds as u32, nanoseconds as u32, length, length].map(u32::to_le_bytes);
        self.0
            .write_all(record.as_flattened())
            .and_then(|()| self.0.write_all(frame))
            .map_err(CaptureError::Io)
    }

    /// Returns the underlying writer, so that the caller can flush it.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.0
    }
}
