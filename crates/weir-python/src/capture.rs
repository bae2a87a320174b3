//! Reads capture files in pcap and pcapng format.

use std::fs::File;
use std::io::BufReader;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_capture::{CaptureError, CaptureReader, CapturedFrame};

use crate::errors;

/// A packet: its time in nanoseconds, its captured bytes, its length on the wire.
type Row<'py> = (u64, Bound<'py, PyBytes>, u32);

/// Reads the first packets of a capture, at most `most`.
#[pyfunction]
pub fn read_capture<'py>(py: Python<'py>, path: &str, most: usize) -> PyResult<Vec<Row<'py>>> {
    let frames = read(path, most).map_err(|error| errors::file(path, error.to_string()))?;
    let row = |frame: CapturedFrame| (frame.time, PyBytes::new(py, &frame.bytes), frame.original_len);
    Ok(frames.into_iter().map(row).collect())
}

fn read(path: &str, most: usize) -> Result<Vec<CapturedFrame>, CaptureError> {
    let file = File::open(path).map_err(CaptureError::Io)?;
    CaptureReader::new(BufReader::new(file))?.take(most).collect()
}
