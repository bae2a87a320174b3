//! Ports that are capture files: frames are read from one and written to another.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use weir_capture::{CaptureError, CaptureReader, CaptureWriter, Direction, ETHERNET};
use weir_device::{HEADROOM, Nanos};

use crate::offload::{self, Malformed};
use crate::{
    Batch, Frame, Metadata, Offloads, PortError, Receive, ReceiveCounts, Transmit, TransmitCounts, WaitOn,
};

/// Receives the frames of a pcap or pcapng file as fast as the caller takes them. Frames have the
/// times in the file.
pub struct FileReceiver<R: Read> {
    name: String,
    reader: CaptureReader<R>,
    /// The memory of the lent frames, which is reused.
    lent: Vec<Vec<u8>>,
    finished: bool,
    counts: ReceiveCounts,
}

impl FileReceiver<BufReader<File>> {
    /// Opens a file.
    ///
    /// # Errors
    /// The file can't be read, or is not a capture file.
    pub fn open(path: &Path) -> Result<Self, PortError> {
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Self::new(&name, BufReader::new(file)),
            Err(error) => Err(PortError::Capture { port: name, source: CaptureError::Io(error) }),
        }
    }
}

impl<R: Read> FileReceiver<R> {
    /// Reads a capture file; `name` is for messages.
    ///
    /// # Errors
    /// The file can't be read, or is not a capture file.
    pub fn new(name: &str, file: R) -> Result<Self, PortError> {
        let reader = CaptureReader::new(file)
            .map_err(|source| PortError::Capture { port: name.to_owned(), source })?;
        let counts = ReceiveCounts::default();
        Ok(Self { name: name.to_owned(), reader, lent: Vec::new(), finished: false, counts })
    }

    /// Reads up to `room` frames, and returns their metadata.
    fn fill(&mut self, room: usize) -> Result<Vec<Metadata>, PortError> {
        let mut arrived = Vec::new();
        while arrived.len() < room {
            let Some(frame) = self.reader.next() else {
                self.finished = true;
                break;
            };
            let frame = frame.map_err(|source| PortError::Capture { port: self.name.clone(), source })?;
            if frame.link_type != ETHERNET {
                let link_type = frame.link_type;
                return Err(PortError::NotEthernet { port: self.name.clone(), link_type });
            }
            if frame.bytes.len() < frame.original_len as usize {
                self.counts.truncated += 1;
                continue;
            }
            if self.lent.len() == arrived.len() {
                self.lent.push(Vec::new());
            }
            let memory = &mut self.lent[arrived.len()];
            memory.resize(HEADROOM, 0);
            memory.extend(&frame.bytes);
            self.counts.frames += 1;
            self.counts.bytes += frame.bytes.len() as u64;
            arrived.push(Metadata { time: Some(frame.time), ..Metadata::default() });
        }
        Ok(arrived)
    }
}

impl<R: Read + Send> Receive for FileReceiver<R> {
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError> {
        let arrived = self.fill(batch.remaining_capacity())?;
        for (memory, metadata) in self.lent.iter_mut().zip(arrived) {
            let end = memory.len();
            batch.push(Frame::borrowing(memory, HEADROOM, end, metadata));
        }
        Ok(())
    }

    fn wait_on(&self) -> WaitOn<'_> {
        if self.finished { WaitOn::Finished } else { WaitOn::Nothing }
    }

    fn counts(&mut self) -> ReceiveCounts {
        self.counts
    }
}

/// The source of a written frame's time, in nanoseconds from the Unix epoch.
pub enum Stamp {
    /// The time at which the frame arrived at its receiving port; 0 if that port provides no times.
    Arrival,
    /// The time on this clock when the frame is written.
    Clock(Box<dyn FnMut() -> Nanos + Send>),
}

/// Writes frames to a pcapng file, as they would be on a wire. A buffered writer is flushed when
/// the port is dropped, or by [`FileTransmitter::flush`].
pub struct FileTransmitter<W: Write> {
    name: String,
    writer: CaptureWriter<W>,
    interface: u32,
    stamp: Stamp,
    counts: TransmitCounts,
}

impl FileTransmitter<BufWriter<File>> {
    /// Creates a file, or overwrites it.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn create(path: &Path, stamp: Stamp) -> Result<Self, PortError> {
        let name = path.display().to_string();
        match File::create(path) {
            Ok(file) => Self::new(&name, BufWriter::new(file), stamp),
            Err(error) => Err(PortError::Capture { port: name, source: CaptureError::Io(error) }),
        }
    }
}

impl<W: Write> FileTransmitter<W> {
    /// Begins a capture file; `name` is for messages, and names the interface in the file.
    ///
    /// # Errors
    /// The writer fails.
    pub fn new(name: &str, writer: W, stamp: Stamp) -> Result<Self, PortError> {
        let failed = |source| PortError::Capture { port: name.to_owned(), source };
        let mut writer = CaptureWriter::new(writer).map_err(failed)?;
        let interface = writer.add_interface(name, "").map_err(failed)?;
        Ok(Self { name: name.to_owned(), writer, interface, stamp, counts: TransmitCounts::default() })
    }

    /// Writes the buffered data.
    ///
    /// # Errors
    /// The writer fails.
    pub fn flush(&mut self) -> Result<(), PortError> {
        self.writer
            .get_mut()
            .flush()
            .map_err(|error| PortError::Capture { port: self.name.clone(), source: CaptureError::Io(error) })
    }

    /// Writes a frame to the file.
    fn write(&mut self, frame: &Frame<'_>) -> Result<(), WriteError> {
        let time = match &mut self.stamp {
            Stamp::Arrival => frame.metadata.time.unwrap_or(0),
            Stamp::Clock(clock) => clock(),
        };
        self.writer
            .write_frame(self.interface, Direction::Outbound, time, frame.bytes())
            .map_err(|source| PortError::Capture { port: self.name.clone(), source })
            .map_err(WriteError::Failed)?;
        self.counts.add_sent(frame);
        Ok(())
    }
}

/// The reason why a frame was not written.
enum WriteError {
    Malformed,
    Failed(PortError),
}

impl From<Malformed> for WriteError {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl<W: Write + Send> Transmit for FileTransmitter<W> {
    fn transmit(&mut self, frames: &[Frame<'_>], numbers: &[u16]) -> Result<usize, PortError> {
        for number in numbers {
            let frame = &frames[usize::from(*number)];
            match offload::for_interface(frame, Offloads::default(), |frame| self.write(frame)) {
                Err(WriteError::Malformed) => self.counts.malformed += 1,
                Err(WriteError::Failed(error)) => return Err(error),
                Ok(()) => {}
            }
        }
        Ok(numbers.len())
    }

    fn offloads(&self) -> Offloads {
        Offloads::default()
    }

    fn counts(&self) -> TransmitCounts {
        self.counts
    }
}
