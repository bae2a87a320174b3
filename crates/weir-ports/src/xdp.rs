//! Ports that receive with AF_XDP: a BPF program on the interface puts frames into memory that the
//! kernel shares, before the kernel makes packets from them. A BPF program also sends frames. Both
//! programs end with the process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::event::epoll;
use weir_device::prefetch;

use crate::arrival::{BATCH_FRAMES, SOCKET_MEMORY};
use crate::mailbox::Mailbox;
use crate::offload::infer_checksum;
use crate::packet_sender::{DirectSender, Sender};
use crate::port_claim::PortClaim;
use crate::sys::{
    AttachedProgram, Attachment, PacketSocket, ProgramSender, XdpReceiver, interface, receive_queues,
};
use crate::watch::{HalfResources, Shared, Watch};
use crate::{Batch, Frame, Metadata, Port, PortError, Receive, ReceiveCounts, WaitOn};

/// Bytes of a frame beyond the MTU: an Ethernet header and two VLAN tags.
const ETHERNET_BYTES: usize = 22;

/// The time to wait until a queue is free when the port is opened.
const QUEUE_TIMEOUT: Duration = Duration::from_millis(500);

/// The way in which the program gets the frames of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// From the driver, before the kernel makes packets from them.
    Native,
    /// From the kernel, with any driver; this takes more time.
    Generic,
}

/// Opens a port on an interface, in native mode if the driver supports it, unless `mode` is given.
/// The port receives frames for all addresses, but not those that this computer sends; other
/// programs do not receive the port's frames. Also returns the mode in use.
///
/// Frames longer than 3840 bytes are lost. AF_XDP does not support offloads: partial checksums are
/// recognized by the bytes, and GSO frames, which interfaces with a generic program may get, are
/// counted as unknown offloads and lost. VLAN tags that a VLAN interface at the other end of a veth
/// pair adds are not in the bytes and are lost (prevent this with `ethtool -K PEER txvlan off`).
/// Threads that send must be in the network namespace of the interface: that is where the program
/// looks for it.
///
/// # Errors
/// There is no such interface, it has another program, its MTU is too long, or the process does
/// not have the permissions for BPF (`CAP_BPF` and `CAP_NET_ADMIN` in the first user namespace).
pub fn open(interface: &str, mode: Option<Mode>) -> Result<(Port, Mode), PortError> {
    let failed = |source| {
        let port = interface.to_owned();
        PortError::System { port, step: "open a packet socket", source }
    };
    let socket = Arc::new(PacketSocket::open().map_err(failed)?);
    let ready = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(io::Error::from).map_err(failed)?;
    let ready = Arc::new(ready);
    let ConnectedPort { index, mtu, queues, sockets, mode: found, sender } =
        connect(&socket, &ready, interface, mode, QUEUE_TIMEOUT)?;
    let (new_sockets, new_direct) = (Mailbox::new(), Mailbox::new());
    let shared = Shared {
        socket,
        mtu: Arc::new(AtomicUsize::new(mtu)),
        is_down: Arc::new(AtomicBool::new(false)),
        claim: PortClaim::unclaimed(interface, None),
    };
    let receive = Box::new(Receiver {
        sockets: Some(sockets),
        new_sockets: new_sockets.other_end(),
        ready: Arc::clone(&ready),
        mtu: Arc::clone(&shared.mtu),
        was_empty: true,
        counts: ReceiveCounts::default(),
        missed: 0,
        _claim: Arc::clone(&shared.claim),
    });
    let transmit = Box::new(Sender::new(interface, Some(sender), new_direct.other_end(), &shared));
    let uses = Attachments { ready, mode: found, new_sockets, new_direct, queues };
    let link = Box::new(Watch::new(interface, index, &shared, uses));
    Ok((Port { name: interface.to_owned(), receive, transmit, link }, found))
}

/// The sockets of an interface's queues. The program comes first, so that it ends before the
/// sockets.
struct Sockets {
    _attached: AttachedProgram,
    receivers: Vec<XdpReceiver>,
}

/// The resources that a port has opened for an interface: sockets for its queues.
struct ConnectedPort {
    index: u32,
    mtu: usize,
    queues: u32,
    sockets: Sockets,
    mode: Mode,
    sender: DirectSender,
}

/// Binds a new socket to an interface for sending, opens sockets for the interface's queues, and
/// attaches the program. Waits for queues as long as `patience`.
fn connect(
    socket: &PacketSocket,
    ready: &impl AsFd,
    name: &str,
    mode: Option<Mode>,
    patience: Duration,
) -> Result<ConnectedPort, PortError> {
    let failed = |step| move |source| PortError::System { port: name.to_owned(), step, source };
    let state = interface(socket.as_fd(), name).map_err(failed("look for the interface"))?;
    let state = state.ok_or_else(|| PortError::no_interface(name))?;
    if state.mtu + ETHERNET_BYTES > XdpReceiver::MAX_FRAME_BYTES {
        let longest = XdpReceiver::MAX_FRAME_BYTES - ETHERNET_BYTES;
        let reason = format!("its MTU is {}, AF_XDP allows {longest}", state.mtu);
        return Err(failed("attach a program")(io::Error::new(io::ErrorKind::InvalidInput, reason)));
    }
    let asked = socket.set(libc::SOL_PACKET, libc::PACKET_VNET_HDR, 1);
    asked.map_err(failed("ask for virtio-net headers"))?;
    socket.set_memory(SOCKET_MEMORY).map_err(failed("size the socket's memory"))?;
    socket.be_promiscuous(state.index).map_err(failed("receive frames for other hosts"))?;
    socket.bind_to_send(state.index).map_err(failed("bind the packet socket"))?;
    let sender = ProgramSender::open(state.index).map_err(failed("load a program that sends"))?;
    let queues = receive_queues(socket.as_fd(), name);
    let end = Instant::now() + patience;
    let receivers: io::Result<Vec<_>> = (0..queues).map(|queue| receiver(state.index, queue, end)).collect();
    let receivers = receivers.map_err(failed("open AF_XDP sockets"))?;
    let (attached, mode) = attach(state.index, &receivers, mode).map_err(failed("attach a program"))?;
    for receiver in &receivers {
        epoll::add(ready, receiver, epoll::EventData::new_u64(0), epoll::EventFlags::IN)
            .map_err(io::Error::from)
            .map_err(failed("wait for frames"))?;
    }
    let sockets = Sockets { _attached: attached, receivers };
    let (index, mtu, sender) = (state.index, state.mtu, DirectSender::Program(sender));
    Ok(ConnectedPort { index, mtu, queues, sockets, mode, sender })
}

/// Opens a socket for a queue, and tries again until `end`: the kernel frees a queue only some time
/// after its last socket was closed or the socket's process has ended.
fn receiver(index: u32, queue: u32, end: Instant) -> io::Result<XdpReceiver> {
    loop {
        match XdpReceiver::open(index, queue) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) && Instant::now() < end => {
                std::thread::sleep(QUEUE_TIMEOUT / 50);
            }
            other => return other,
        }
    }
}

/// Attaches the program in one mode, or in the mode that the driver supports.
fn attach(index: u32, receivers: &[XdpReceiver], mode: Option<Mode>) -> io::Result<(AttachedProgram, Mode)> {
    let generic = || Ok((AttachedProgram::new(index, receivers, Attachment::Generic)?, Mode::Generic));
    if mode == Some(Mode::Generic) {
        return generic();
    }
    match AttachedProgram::new(index, receivers, Attachment::Native) {
        Ok(attached) => Ok((attached, Mode::Native)),
        // The driver does not support programs.
        Err(error) if mode.is_none() && error.raw_os_error() == Some(libc::EOPNOTSUPP) => generic(),
        Err(error) => Err(error),
    }
}

/// The receiving half of a port that uses AF_XDP.
struct Receiver {
    sockets: Option<Sockets>,
    new_sockets: Mailbox<Sockets>,
    /// Becomes readable when one of the sockets becomes readable.
    ready: Arc<OwnedFd>,
    mtu: Arc<AtomicUsize>,
    /// Whether the last call found no frames.
    was_empty: bool,
    counts: ReceiveCounts,
    /// The number of frames that earlier sockets missed.
    missed: u64,
    _claim: Arc<PortClaim>,
}

impl Receive for Receiver {
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError> {
        if let Some(sockets) = self.new_sockets.take_new() {
            self.missed += self.sockets.as_ref().map_or(0, missed_frames);
            self.sockets = sockets;
        }
        let Some(Sockets { receivers, .. }) = &mut self.sockets else { return Ok(()) };
        // The queues are rotated, so that no queue is always served after another.
        receivers.rotate_left(1);
        let longest = self.mtu.load(Ordering::Relaxed) + ETHERNET_BYTES;
        let room = batch.remaining_capacity();
        let mut taken = 0;
        for receiver in receivers.iter_mut() {
            taken += receiver.take_frames((room - taken).min(BATCH_FRAMES));
        }
        let had_nothing = std::mem::replace(&mut self.was_empty, taken == 0);
        if taken == 0 {
            for receiver in receivers.iter().filter(|_| had_nothing) {
                // The link went down, or the interface is gone: the socket reports this once, and
                // stays readable until the error is read. If the previous call returned frames, the
                // caller has not waited for the socket. Reading the error fails only if the
                // descriptor is not a socket.
                let _ = receiver.clear_error();
            }
            return Ok(());
        }
        for receiver in receivers {
            // Prefetches let the processor load all frames in parallel.
            receiver.frames().for_each(|(memory, start, end)| prefetch(&memory[start..end], 128));
            for (memory, start, end) in receiver.frames() {
                let bytes = &memory[start..end];
                if bytes.len() > longest {
                    self.counts.unknown_offload += 1;
                    continue;
                }
                let metadata = Metadata { checksum: infer_checksum(bytes), ..Metadata::default() };
                self.counts.frames += 1;
                self.counts.bytes += bytes.len() as u64;
                batch.push(Frame::borrowing(memory, start, end, metadata));
            }
        }
        Ok(())
    }

    fn wait_on(&self) -> WaitOn<'_> {
        WaitOn::Readable(self.ready.as_fd())
    }

    fn counts(&mut self) -> ReceiveCounts {
        self.counts.missed = self.missed + self.sockets.as_ref().map_or(0, missed_frames);
        self.counts
    }
}

/// Frames for which the sockets had no place.
fn missed_frames(sockets: &Sockets) -> u64 {
    // This fails only if the descriptor is not a socket.
    sockets.receivers.iter().map(|receiver| receiver.missed().unwrap_or(0)).sum()
}

/// The state of the attachment to an interface that both halves of a port share.
struct Attachments {
    ready: Arc<OwnedFd>,
    mode: Mode,
    new_sockets: Mailbox<Sockets>,
    new_direct: Mailbox<DirectSender>,
    /// The number of queues that the interface had when it was opened.
    queues: u32,
}

impl HalfResources for Attachments {
    fn connect(&mut self, socket: &PacketSocket, name: &str) -> Result<u32, PortError> {
        let connected = connect(socket, &self.ready, name, Some(self.mode), Duration::ZERO)?;
        self.new_sockets.set(Some(connected.sockets));
        self.new_direct.set(Some(connected.sender));
        self.queues = connected.queues;
        Ok(connected.index)
    }

    fn disconnect(&mut self) {
        self.new_sockets.set(None);
        self.new_direct.set(None);
    }

    /// Returns whether the old program must be dropped first: it stays on the interface until its
    /// owner drops it.
    fn must_drop_first(&self) -> bool {
        true
    }

    /// Returns whether the queues have changed, in which case the port would miss the frames of new
    /// queues.
    fn has_other_queues(&self, socket: BorrowedFd<'_>, name: &str) -> bool {
        receive_queues(socket, name) != self.queues
    }
}
