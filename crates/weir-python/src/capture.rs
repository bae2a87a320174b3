//! Reads capture files in pcap and pcapng format.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};

use pcap_file::PcapError;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader, blocks::interface_description::InterfaceDescriptionOption};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// A packet: its time in nanoseconds, its captured bytes, its length on the wire.
type Row<'py> = (u64, Bound<'py, PyBytes>, u32);

/// Reads the first packets of a capture, at most `most`.
#[pyfunction]
pub fn read_capture<'py>(py: Python<'py>, path: &str, most: usize) -> PyResult<Vec<Row<'py>>> {
    let packets = read(path, most).map_err(|reason| errors::file(path, reason))?;
    Ok(packets.into_iter().map(|(time, bytes, wire)| (time, PyBytes::new(py, &bytes), wire)).collect())
}

type Packet = (u64, Vec<u8>, u32);

fn read(path: &str, most: usize) -> Result<Vec<Packet>, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut magic = Vec::new();
    file.by_ref().take(4).read_to_end(&mut magic).map_err(|error| error.to_string())?;
    file.rewind().map_err(|error| error.to_string())?;
    let file = BufReader::new(file);
    match magic.as_slice() {
        [0x0a, 0x0d, 0x0d, 0x0a] => read_pcapng(file, most),
        [0xa1, 0xb2, 0xc3, 0xd4]
        | [0xd4, 0xc3, 0xb2, 0xa1]
        | [0xa1, 0xb2, 0x3c, 0x4d]
        | [0x4d, 0x3c, 0xb2, 0xa1] => read_pcap(file, most),
        _ => Err("is neither a pcap nor a pcapng file".to_owned()),
    }
}

fn broken(number: usize, error: &PcapError) -> String {
    match error {
        PcapError::IncompleteBuffer => format!("ends in the middle of packet {number}"),
        PcapError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            format!("ends in the middle of packet {number}")
        }
        PcapError::IoError(error) => error.to_string(),
        error => format!("is damaged at packet {number}: {error}"),
    }
}

fn read_pcap(file: impl Read, most: usize) -> Result<Vec<Packet>, String> {
    let mut packets = Vec::new();
    let mut reader = PcapReader::new(file).map_err(|error| broken(0, &error))?;
    while packets.len() < most
        && let Some(packet) = reader.next_packet()
    {
        let packet = packet.map_err(|error| broken(packets.len(), &error))?;
        packets.push((nanos(packet.timestamp.as_nanos()), packet.data.into_owned(), packet.orig_len));
    }
    Ok(packets)
}

fn read_pcapng(file: impl Read, most: usize) -> Result<Vec<Packet>, String> {
    let mut packets = Vec::new();
    // The length of a time unit in nanoseconds, for each interface.
    let mut units: Vec<f64> = Vec::new();
    let mut reader = PcapNgReader::new(file).map_err(|error| broken(0, &error))?;
    while packets.len() < most
        && let Some(block) = reader.next_block()
    {
        match block.map_err(|error| broken(packets.len(), &error))? {
            Block::SectionHeader(_) => units.clear(),
            Block::InterfaceDescription(interface) => {
                let resolution = interface.options.iter().find_map(|option| match option {
                    InterfaceDescriptionOption::IfTsResol(resolution) => Some(*resolution),
                    _ => None,
                });
                units.push(unit(resolution.unwrap_or(6)));
            }
            Block::EnhancedPacket(packet) => {
                let unit = units.get(packet.interface_id as usize).copied().unwrap_or(1000.0);
                // The library treats every time unit as one nanosecond.
                let time = packet.timestamp.as_nanos() as f64 * unit;
                let time = if unit == 1.0 { packet.timestamp.as_nanos() } else { time as u128 };
                packets.push((nanos(time), packet.data.into_owned(), packet.original_len));
            }
            Block::SimplePacket(packet) => {
                packets.push((0, packet.data.into_owned(), packet.original_len));
            }
            _ => {}
        }
    }
    Ok(packets)
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
