//! The sending half of a packet socket. Frames without offloads can leave by a faster path: an
//! AF_XDP socket or a program.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::arrival::BATCH_FRAMES;
use crate::mailbox::Mailbox;
use crate::offload::wire_size;
use crate::sys::{PacketSocket, ProgramSender, XdpSender, interface, send};
use crate::vnet::{VNET_BYTES, VnetHeader};
use crate::watch::Shared;
use crate::{Checksum, Frame, Metadata, Offloads, PortError, Transmit, TransmitCounts};

/// The number of bytes of an Ethernet header.
const ETHERNET: usize = 14;

/// The faster path for frames without offloads.
pub(crate) enum DirectSender {
    /// An AF_XDP socket, whose frames bypass queueing disciplines and captures.
    Xdp(XdpSender),
    /// A program that gives frames to the interface.
    Program(ProgramSender),
}

impl DirectSender {
    /// Returns the length of the longest frame that can be sent, in bytes.
    fn max_frame_length(&self) -> usize {
        match self {
            Self::Xdp(_) => XdpSender::MAX_FRAME_BYTES,
            Self::Program(_) => ProgramSender::MAX_FRAME_BYTES,
        }
    }

    /// Returns the number of frames in a row that make this path faster than the socket.
    fn frames_for_direct(&self) -> usize {
        match self {
            Self::Xdp(_) => 1,
            // Running the program takes as long as sending a few frames.
            Self::Program(_) => 4,
        }
    }

    /// Sends up to [`BATCH_FRAMES`] frames, until one does not leave or must leave with another
    /// call. Returns how many frames were taken, and an error only if none was.
    fn send<'f>(&mut self, frames: impl Iterator<Item = &'f [u8]>) -> io::Result<usize> {
        match self {
            Self::Xdp(sender) => sender.send(frames),
            Self::Program(sender) => sender.send(frames),
        }
    }
}

/// The sending half of an interface's port.
pub(crate) struct Sender {
    name: String,
    socket: Arc<PacketSocket>,
    direct: Option<DirectSender>,
    new_direct: Mailbox<DirectSender>,
    /// The interface's MTU; zero until the watch has checked the interface.
    mtu: Arc<AtomicUsize>,
    /// Whether the link was down at the watch's last check.
    is_down: Arc<AtomicBool>,
    counts: TransmitCounts,
}

impl Sender {
    /// Sends by the interface to which the socket is bound.
    pub(crate) fn new(
        interface: &str,
        direct: Option<DirectSender>,
        new_direct: Mailbox<DirectSender>,
        shared: &Shared,
    ) -> Self {
        Self {
            name: interface.to_owned(),
            socket: Arc::clone(&shared.socket),
            direct,
            new_direct,
            mtu: Arc::clone(&shared.mtu),
            is_down: Arc::clone(&shared.is_down),
            counts: TransmitCounts::default(),
        }
    }
}

impl Transmit for Sender {
    fn transmit(&mut self, frames: &[Frame<'_>], numbers: &[u16]) -> Result<usize, PortError> {
        if let Some(direct) = self.new_direct.take_new() {
            self.direct = direct;
        }
        // Neither faster path checks the MTU.
        let longest = match (self.mtu.load(Ordering::Relaxed), &self.direct) {
            (mtu @ 1.., Some(direct)) => direct.max_frame_length().min(mtu + ETHERNET),
            _ => 0,
        };
        let is_usual = |number: &u16| {
            let frame = &frames[usize::from(*number)];
            let Metadata { checksum, gso, .. } = &frame.metadata;
            let fits = (ETHERNET..=longest).contains(&frame.len());
            fits && gso.is_none() && !matches!(checksum, Checksum::Partial { .. })
        };
        let mut sent_frames = 0;
        while let Some(rest) = numbers.get(sent_frames..).filter(|rest| !rest.is_empty()) {
            let before = match &self.direct {
                Some(direct) => count_before_run(rest, direct.frames_for_direct(), is_usual),
                None => rest.len(),
            };
            let is_direct = before == 0;
            let sent = match &mut self.direct {
                Some(direct) if is_direct => {
                    let count = rest.iter().take(BATCH_FRAMES).take_while(|number| is_usual(number)).count();
                    direct.send(rest[..count].iter().map(|number| frames[usize::from(*number)].bytes()))
                }
                _ => send_by_socket(&self.socket, frames, &rest[..before]),
            };
            match sent {
                // The queue has no room now.
                Ok(0) => return Ok(sent_frames),
                Ok(sent) if self.is_link_down(is_direct) => {
                    let sizes = rest[..sent].iter().map(|number| wire_size(&frames[usize::from(*number)]));
                    self.counts.no_link += sizes.map(|size| size.frames).sum::<u64>();
                    sent_frames += sent;
                }
                Ok(sent) => {
                    for number in &rest[..sent] {
                        self.counts.add_sent(&frames[usize::from(*number)]);
                    }
                    sent_frames += sent;
                }
                Err(error) => {
                    let counts = &mut self.counts;
                    let frame = &frames[usize::from(rest[0])];
                    let count = match error.raw_os_error() {
                        Some(libc::EAGAIN | libc::ENOBUFS | libc::EBUSY) => return Ok(sent_frames),
                        Some(libc::EINTR) => continue,
                        Some(libc::ENETDOWN | libc::ENXIO | libc::ENODEV) => &mut counts.no_link,
                        Some(libc::EMSGSIZE) => &mut counts.too_long,
                        Some(libc::EINVAL) if frame.len() < ETHERNET => &mut counts.too_short,
                        // ENOMEM: the kernel could not segment it.
                        Some(libc::EINVAL | libc::ENOMEM) => &mut counts.malformed,
                        _ => {
                            let (port, step) = (self.name.clone(), "send");
                            return Err(PortError::System { port, step, source: error });
                        }
                    };
                    *count += wire_size(frame).frames;
                    sent_frames += 1;
                }
            }
        }
        Ok(sent_frames)
    }

    fn offloads(&self) -> Offloads {
        Offloads { checksum: true, gso: true }
    }

    fn counts(&self) -> TransmitCounts {
        self.counts
    }
}

impl Sender {
    /// Returns whether the frames that just left are lost because the link is down. For frames of
    /// the socket, the kernel reports an error only if the interface itself is switched off; if the
    /// other end is switched off, the kernel drops frames silently. Querying the link takes about
    /// as long as sending a frame.
    fn is_link_down(&self, is_direct: bool) -> bool {
        let program_drops =
            matches!(self.direct, Some(DirectSender::Program(ProgramSender { drops: true, .. })));
        if !(is_direct && program_drops || self.is_down.load(Ordering::Relaxed)) {
            return false;
        }
        matches!(interface(self.socket.as_fd(), &self.name), Ok(found) if !found.is_some_and(|found| found.up))
    }
}

/// Returns the number of elements before the first run of `few` elements that all satisfy `holds`.
fn count_before_run<T>(list: &[T], few: usize, holds: impl Fn(&T) -> bool) -> usize {
    let mut row = 0;
    for (at, element) in list.iter().enumerate() {
        row = if holds(element) { row + 1 } else { 0 };
        if row == few {
            return at + 1 - few;
        }
    }
    list.len()
}

/// Sends frames, each after its virtio-net header.
fn send_by_socket(socket: &PacketSocket, frames: &[Frame<'_>], numbers: &[u16]) -> io::Result<usize> {
    let mut headers = [[0; VNET_BYTES]; BATCH_FRAMES];
    for (header, number) in headers.iter_mut().zip(numbers) {
        let frame = &frames[usize::from(*number)];
        *header = VnetHeader::for_frame(frame.bytes(), &frame.metadata).write();
    }
    send(socket.as_fd(), &headers, numbers.iter().map(|number| frames[usize::from(*number)].bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_begins_at_enough_elements_in_a_row() {
        let before = |text: &str, few| count_before_run(text.as_bytes(), few, |byte| *byte == b'x');
        assert_eq!(before("xx.xxx", 1), 0);
        assert_eq!(before("..xx.xxxx.", 3), 5);
        assert_eq!(before("xxx", 3), 0);
        assert_eq!(before("xx.xx.", 3), 6, "no run");
        assert_eq!(before("", 1), 0, "an empty list has no elements before");
    }
}
