//! Writes captures of the frames that ports receive and send (`--pcap DIR`). Each port has one
//! pcapng file or, as in `simple_switch`, two files in pcap format (`--pcap-format pcap`).

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use weir_capture::{CaptureError, CaptureWriter, Direction, PcapCaptureWriter};
use weir_device::Port;

use crate::args::PcapFormat;

/// The capture files of a switch's ports; empty without `--pcap`.
#[derive(Default)]
pub struct Captures(Vec<(Port, Mutex<Capture>)>);

struct Capture {
    path: PathBuf,
    /// The direction of the frames that are written; `None` for both directions.
    direction: Option<Direction>,
    /// `None` after writing to the file has failed.
    writer: Option<Writer>,
}

enum Writer {
    Pcapng(CaptureWriter<BufWriter<File>>),
    Pcap(PcapCaptureWriter<BufWriter<File>>),
}

impl Captures {
    /// Creates `DIR/INTERFACE.pcapng` for each port, or `DIR/INTERFACE_in.pcap` and
    /// `DIR/INTERFACE_out.pcap`. A new file replaces a link of its name.
    ///
    /// # Errors
    /// The folder or a file cannot be created; the error says which one, and why.
    pub fn create(folder: &Path, format: PcapFormat, ports: &[(Port, String)]) -> Result<Self, String> {
        std::fs::create_dir_all(folder).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => format!("--pcap {}: is a file, expected a folder", folder.display()),
            _ => format!("--pcap {}: the folder cannot be made: {error}", folder.display()),
        })?;
        let ends: &[_] = match format {
            PcapFormat::Pcapng => &[(".pcapng", None)],
            PcapFormat::Pcap => {
                &[("_in.pcap", Some(Direction::Inbound)), ("_out.pcap", Some(Direction::Outbound))]
            }
        };
        let mut captures = Vec::new();
        for (port, interface) in ports {
            for (end, direction) in ends {
                let path = folder.join(format!("{}{end}", interface.replace('/', "-")));
                let writer = Writer::create(&path, format, *port, interface)
                    .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
                let capture = Capture { path, direction: *direction, writer: Some(writer) };
                captures.push((*port, Mutex::new(capture)));
            }
        }
        Ok(Self(captures))
    }

    /// Returns whether there are no capture files.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Captures a frame that arrived at a port.
    pub fn write_received(&self, port: Port, frame: &[u8]) {
        self.write(port, Direction::Inbound, frame);
    }

    /// Captures a frame that leaves by a port.
    pub fn write_sent(&self, port: Port, frame: &[u8]) {
        self.write(port, Direction::Outbound, frame);
    }

    /// Writes buffered frames to the files.
    pub fn flush(&self) {
        for (_, capture) in &self.0 {
            lock(capture).attempt(|writer| writer.flush());
        }
    }

    fn write(&self, port: Port, direction: Direction, frame: &[u8]) {
        if self.0.is_empty() {
            return;
        }
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        for (_, capture) in self.0.iter().filter(|(number, _)| *number == port) {
            let mut capture = lock(capture);
            if capture.direction.is_none_or(|only| only == direction) {
                capture.attempt(|writer| writer.write(direction, time, frame));
            }
        }
    }
}

impl Capture {
    /// Writes to the file. If a write fails, for example because the disk is full, the capture
    /// stops, but packets are still forwarded.
    fn attempt(&mut self, write: impl FnOnce(&mut Writer) -> Result<(), CaptureError>) {
        let Some(writer) = &mut self.writer else { return };
        if let Err(error) = write(writer) {
            let path = self.path.display();
            tracing::error!(file = %path, %error, "the capture ends: its file cannot be written");
            self.writer = None;
        }
    }
}

impl Writer {
    fn create(path: &Path, format: PcapFormat, port: Port, interface: &str) -> Result<Self, CaptureError> {
        let file = BufWriter::new(weir_files::create_inside(path).map_err(CaptureError::Io)?);
        Ok(match format {
            PcapFormat::Pcapng => {
                let mut writer = CaptureWriter::new(file)?;
                writer.add_interface(interface, &format!("port {port}"))?;
                Self::Pcapng(writer)
            }
            PcapFormat::Pcap => Self::Pcap(PcapCaptureWriter::new(file)?),
        })
    }

    fn write(&mut self, direction: Direction, time: u64, frame: &[u8]) -> Result<(), CaptureError> {
        match self {
            Self::Pcapng(writer) => writer.write_frame(0, direction, time, frame),
            Self::Pcap(writer) => writer.write_frame(time, frame),
        }
    }

    fn flush(&mut self) -> Result<(), CaptureError> {
        match self {
            Self::Pcapng(writer) => writer.get_mut().flush(),
            Self::Pcap(writer) => writer.get_mut().flush(),
        }
        .map_err(CaptureError::Io)
    }
}

fn lock(capture: &Mutex<Capture>) -> std::sync::MutexGuard<'_, Capture> {
    capture.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_follow_no_links() {
        let folder = std::env::temp_dir().join(format!("weir-captures-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let precious = folder.join("precious");
        std::fs::write(&precious, "precious").unwrap();
        let ports = [(1, "s1-eth1".to_owned())];
        let names = ["s1-eth1.pcapng", "s1-eth1_in.pcap", "s1-eth1_out.pcap"];
        for name in names {
            std::os::unix::fs::symlink(&precious, folder.join(name)).unwrap();
        }
        for format in [PcapFormat::Pcapng, PcapFormat::Pcap] {
            let captures = Captures::create(&folder, format, &ports).unwrap();
            captures.write_received(1, &[0; 60]);
            captures.flush();
        }
        let text = std::fs::read_to_string(&precious).unwrap();
        let files = names.map(|name| folder.join(name).symlink_metadata().unwrap().is_file());
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!((text.as_str(), files), ("precious", [true; 3]));
    }
}
