//! Reads capture files in pcap and pcapng format.

use std::fs::File;
use std::io::BufReader;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_capture::{CaptureError, CapturedFrame, read_packets};

use crate::errors;

/// A packet: its time in nanoseconds and its bytes.
type Row<'py> = (u64, Bound<'py, PyBytes>);

/// Reads up to `most` packets from the start of a capture, for a replay. Fails if a packet is not a
/// complete Ethernet frame, or if the packets are not sorted by time.
#[pyfunction]
pub fn read_capture<'py>(py: Python<'py>, path: &str, most: usize) -> PyResult<Vec<Row<'py>>> {
    let file = File::open(path).map_err(CaptureError::Io);
    let frames = file.and_then(|file| read_packets(BufReader::new(file), most));
    let frames = frames.map_err(|error| errors::file(path, error.to_string()))?;
    let row = |frame: CapturedFrame| (frame.time, PyBytes::new(py, &frame.bytes));
    Ok(frames.into_iter().map(row).collect())
}
