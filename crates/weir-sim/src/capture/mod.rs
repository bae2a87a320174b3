//! Captures: the frames that pass link ends, written as pcapng files for Wireshark and tshark.
//!
//! An interface of the file represents one end of a link, as if `tcpdump -i` ran there. It records
//! the frames that its node sends, marked outbound, at the time when the first bit leaves; and the
//! frames that its node receives, marked inbound, at the time when the last bit arrives. Times are
//! nanoseconds from the start of the simulation, which is written as the Unix epoch.

mod watch;

use std::io::{self, BufWriter, Write};

use weir_capture::{CaptureError, CaptureWriter, Direction};
use weir_device::Nanos;

pub(crate) use self::watch::Watch;
pub use self::watch::{WatchConfig, WatchedFrame};
use crate::Filter;

/// The number of a capture or watch of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaptureId(pub(crate) usize);

/// The destination of a capture file's bytes.
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

/// A capture of packets to a file.
pub(crate) struct Capture {
    /// The frames to record; `None` records all.
    filter: Option<Filter>,
    writer: Option<CaptureWriter<Sink>>,
    interfaces: u32,
    /// The first error; nothing is written after it.
    failure: Option<CaptureError>,
}

impl Capture {
    pub(crate) fn new(sink: Sink, filter: Option<Filter>) -> Self {
        let (writer, failure) = match CaptureWriter::new(sink) {
            Ok(writer) => (Some(writer), None),
            Err(error) => (None, Some(error)),
        };
        Capture { filter, writer, interfaces: 0, failure }
    }

    /// Writes to the file, unless an earlier write failed.
    fn write<T>(&mut self, write: impl FnOnce(&mut CaptureWriter<Sink>) -> Result<T, CaptureError>) {
        if let (Some(writer), None) = (&mut self.writer, &self.failure) {
            self.failure = write(writer).err();
        }
    }

    /// Adds an interface and returns its number in the file.
    pub(crate) fn add_interface(&mut self, name: &str, description: &str) -> u32 {
        self.write(|writer| writer.add_interface(name, description));
        self.interfaces += 1;
        self.interfaces - 1
    }

    pub(crate) fn write_frame(&mut self, interface: u32, direction: Direction, now: Nanos, bytes: &[u8]) {
        if self.filter.as_ref().is_some_and(|filter| !filter.matches(bytes)) {
            return;
        }
        self.write(|writer| writer.write_frame(interface, direction, now, bytes));
    }

    /// Completes the file. Returns the bytes if the file is in memory, and no bytes if the caller
    /// gave a writer.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, String> {
        let sink = self.writer.take().map(CaptureWriter::into_inner);
        if let Some(failure) = self.failure {
            return Err(failure.to_string());
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
