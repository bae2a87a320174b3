//! Captures of what passes the ports: a pcapng file for each (`--pcap DIR`).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use weir_capture::{CaptureError, CaptureWriter, Direction};
use weir_device::Port;

/// The capture files of a switch's ports. Without any it does nothing.
#[derive(Default)]
pub struct Captures(Vec<(Port, Mutex<Capture>)>);

struct Capture {
    path: PathBuf,
    /// None after the file could not be written.
    writer: Option<CaptureWriter<BufWriter<File>>>,
}

impl Captures {
    /// Creates `DIR/INTERFACE.pcapng` for each port.
    ///
    /// # Errors
    /// The folder or a file cannot be created; which one, and why.
    pub fn create(folder: &Path, ports: &[(Port, String)]) -> Result<Self, String> {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let open = |(port, interface): &(Port, String)| {
            let path = folder.join(format!("{}.pcapng", interface.replace('/', "-")));
            let create = || -> Result<_, CaptureError> {
                let mut writer =
                    CaptureWriter::new(BufWriter::new(File::create(&path).map_err(CaptureError::Io)?))?;
                writer.add_interface(interface, &format!("port {port}"))?;
                Ok(writer)
            };
            let writer = create().map_err(|error| format!("{}: {error}", path.display()))?;
            Ok((*port, Mutex::new(Capture { path, writer: Some(writer) })))
        };
        Ok(Self(ports.iter().map(open).collect::<Result<_, String>>()?))
    }

    /// A frame came in by a port.
    pub fn received(&self, port: Port, frame: &[u8]) {
        self.write(port, Direction::Inbound, frame);
    }

    /// A frame leaves by a port.
    pub fn sent(&self, port: Port, frame: &[u8]) {
        self.write(port, Direction::Outbound, frame);
    }

    /// Writes what waits in memory to the files.
    pub fn flush(&self) {
        for (_, capture) in &self.0 {
            lock(capture).attempt(|writer| writer.get_mut().flush().map_err(CaptureError::Io));
        }
    }

    fn write(&self, port: Port, direction: Direction, frame: &[u8]) {
        let Some((_, capture)) = self.0.iter().find(|(number, _)| *number == port) else { return };
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        lock(capture).attempt(|writer| writer.write_frame(0, direction, time, frame));
    }
}

impl Capture {
    /// Writes. A file that cannot be written, such as one on a full disk, is given up; packets are not.
    fn attempt(
        &mut self,
        write: impl FnOnce(&mut CaptureWriter<BufWriter<File>>) -> Result<(), CaptureError>,
    ) {
        let Some(writer) = &mut self.writer else { return };
        if let Err(error) = write(writer) {
            let path = self.path.display();
            tracing::error!(file = %path, %error, "the capture ends: its file cannot be written");
            self.writer = None;
        }
    }
}

fn lock(capture: &Mutex<Capture>) -> std::sync::MutexGuard<'_, Capture> {
    capture.lock().unwrap_or_else(PoisonError::into_inner)
}
