//! Ports that are TAP devices. The kernel's end is an interface, for example in the bridge of a
//! virtual machine or a container; Weir's end is this port.

use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;

use weir_device::HEADROOM;

use crate::offload::wire_size;
use crate::sys::{attach_tap, interface, open_tap};
use crate::vnet::{VNET_BYTES, VnetHeader};
use crate::{
    Batch, Frame, Link, LinkState, Metadata, Offloads, Port, PortError, Receive, ReceiveCounts, Transmit,
    TransmitCounts, WaitOn,
};

/// The number of frames that the port lends at once.
const BATCH_FRAMES: usize = 64;
/// The longest GSO frame, in bytes.
const MAX_FRAME_BYTES: usize = 65_536 + 64;

/// Creates the interface of this name, or connects to an existing one to which no program is
/// connected. The interface is down until it is switched on (`ip link set NAME up`), and disappears
/// when the port is dropped.
///
/// # Errors
/// The interface belongs to another program or is not a TAP interface, or the process does not
/// have the permission to create one (`CAP_NET_ADMIN`).
pub fn open(name: &str) -> Result<Port, PortError> {
    let failed = |step| move |source| PortError::System { port: name.to_owned(), step, source };
    let device = Arc::new(open_tap(name).map_err(failed("create the TAP interface"))?);
    let socket = UnixDatagram::unbound().map_err(failed("open a socket"))?;
    Ok(Port {
        name: name.to_owned(),
        receive: Box::new(TapReceiver {
            name: name.to_owned(),
            device: device.clone(),
            memory: vec![vec![0; HEADROOM + MAX_FRAME_BYTES].into_boxed_slice(); BATCH_FRAMES],
            counts: ReceiveCounts::default(),
        }),
        transmit: Box::new(TapTransmitter {
            name: name.to_owned(),
            device: device.clone(),
            counts: TransmitCounts::default(),
        }),
        link: Box::new(Watch { name: name.to_owned(), device, socket, attached: true }),
    })
}

/// Returns whether an error says that the interface is down or gone.
fn is_link_error(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EIO | libc::EBADFD))
}

struct TapReceiver {
    name: String,
    device: Arc<File>,
    memory: Vec<Box<[u8]>>,
    counts: ReceiveCounts,
}

impl TapReceiver {
    /// Fills memory with up to `room` frames. Returns the end of each frame in the memory, and its
    /// metadata.
    fn fill(&mut self, room: usize) -> Result<Vec<(usize, Metadata)>, PortError> {
        let mut arrived = Vec::new();
        while arrived.len() < room.min(BATCH_FRAMES) {
            let memory = &mut self.memory[arrived.len()];
            let mut header = [0; VNET_BYTES];
            let mut parts = [IoSliceMut::new(&mut header), IoSliceMut::new(&mut memory[HEADROOM..])];
            let length = match (&*self.device).read_vectored(&mut parts) {
                Ok(length) => length.saturating_sub(VNET_BYTES),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock || is_link_error(&error) => break,
                Err(source) => {
                    return Err(PortError::System { port: self.name.clone(), step: "receive", source });
                }
            };
            let end = HEADROOM + length;
            match VnetHeader::read(&header).metadata(&memory[HEADROOM..end]) {
                Some(metadata) => arrived.push((end, metadata)),
                None => self.counts.unknown_offload += 1,
            }
        }
        Ok(arrived)
    }
}

impl Receive for TapReceiver {
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError> {
        let arrived = self.fill(batch.remaining_capacity())?;
        for (memory, (end, metadata)) in self.memory.iter_mut().zip(arrived) {
            self.counts.frames += 1;
            self.counts.bytes += (end - HEADROOM) as u64;
            batch.push(Frame::borrowing(memory, HEADROOM, end, metadata));
        }
        Ok(())
    }

    fn wait_on(&self) -> WaitOn<'_> {
        WaitOn::Readable(self.device.as_fd())
    }

    fn counts(&mut self) -> ReceiveCounts {
        self.counts
    }
}

struct TapTransmitter {
    name: String,
    device: Arc<File>,
    counts: TransmitCounts,
}

impl Transmit for TapTransmitter {
    fn transmit(&mut self, frames: &[Frame<'_>], numbers: &[u16]) -> Result<usize, PortError> {
        let mut sent = 0;
        while let Some(number) = numbers.get(sent) {
            let frame = &frames[usize::from(*number)];
            let header = VnetHeader::for_frame(frame.bytes(), &frame.metadata).write();
            let parts = [IoSlice::new(&header), IoSlice::new(frame.bytes())];
            match (&*self.device).write_vectored(&parts) {
                Ok(_) => self.counts.add_sent(frame),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(sent),
                Err(error) if is_link_error(&error) => self.counts.no_link += wire_size(frame).frames,
                Err(error) if error.raw_os_error() == Some(libc::EINVAL) => self.counts.malformed += 1,
                Err(source) => {
                    return Err(PortError::System { port: self.name.clone(), step: "send", source });
                }
            }
            sent += 1;
        }
        Ok(sent)
    }

    fn offloads(&self) -> Offloads {
        Offloads { checksum: true, gso: true }
    }

    fn counts(&self) -> TransmitCounts {
        self.counts
    }
}

/// Watches whether a TAP device is attached and up.
struct Watch {
    name: String,
    device: Arc<File>,
    /// A socket to query the interface.
    socket: UnixDatagram,
    attached: bool,
}

impl Link for Watch {
    fn check(&mut self) -> Result<LinkState, PortError> {
        let failed = |step| {
            let port = self.name.clone();
            move |source| PortError::System { port, step, source }
        };
        let state = interface(self.socket.as_fd(), &self.name).map_err(failed("look for the interface"))?;
        let Some(state) = state else {
            self.attached = false;
            return Ok(LinkState::Gone);
        };
        if !self.attached {
            attach_tap(&self.device, &self.name).map_err(failed("connect with the TAP interface"))?;
            self.attached = true;
        }
        Ok(LinkState::Present { up: state.up, mtu: state.mtu })
    }
}
