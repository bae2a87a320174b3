//! Ports that are packet sockets (packet(7)) on a Linux interface. They suit bulk traffic, because
//! GSO frames of 64 KB pass whole.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use weir_device::HEADROOM;

use crate::arrival::{BATCH_FRAMES, SOCKET_MEMORY, queued_frame};
use crate::fanout::Member;
use crate::mailbox::Mailbox;
use crate::packet_ring::RingReceiver;
use crate::packet_sender::{DirectSender, Sender};
use crate::port_claim::PortClaim;
use crate::sys::{Inbox, PacketSocket, ProgramSender, Ring, XdpSender};
use crate::watch::{HalfResources, Shared, Watch};
use crate::{Batch, Fanout, Port, PortError, Receive, ReceiveCounts, WaitOn};

/// The longest frame: GSO frames have up to 65 226 bytes of IP packet with usual settings.
const MAX_FRAME_BYTES: usize = 65_536 + 64;

/// The settings with which a packet socket is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Whether frames have the time at which the kernel received them. This costs some time for
    /// each frame that the computer receives on any interface.
    pub timestamps: bool,
    /// Whether frames arrive in a ring, memory that the kernel shares, so that small frames cost no
    /// system call. A ring has 1 MB: 496 frames.
    pub ring: bool,
    /// Whether sent frames bypass the interface's queueing discipline. This saves time, but the
    /// discipline no longer limits the rate.
    pub bypass_queue: bool,
    /// Whether small frames leave by a faster path. If the process may use BPF, the path is a BPF
    /// program: four or more frames in a row leave like those of any socket, except that a generic
    /// XDP program at the other end of a veth pair does not see them. Otherwise the path is AF_XDP,
    /// if the kernel allows it: frames bypass the interface's queueing discipline and programs that
    /// capture, and frames that leave by different paths may overtake each other. An interface
    /// without a queueing discipline (veth) keeps all frames in order. Frames with partial
    /// checksums, GSO frames, and frames longer than 2048 bytes leave by the socket.
    pub direct: bool,
}

/// Opens a port on an interface. The port receives frames for all addresses, but not those that
/// this computer sends.
///
/// # Errors
/// There is no such interface, or the process does not have the permission for packet sockets
/// (`CAP_NET_RAW`).
pub fn open(interface: &str, settings: Settings) -> Result<Port, PortError> {
    open_port(interface, settings, None)
}

/// Opens a port that shares the interface's frames with the other ports that have the same
/// `fanout`.
///
/// # Errors
/// As for [`open`].
pub fn open_shared(interface: &str, settings: Settings, fanout: &Fanout) -> Result<Port, PortError> {
    open_port(interface, settings, Some(fanout.clone()))
}

fn open_port(interface: &str, settings: Settings, fanout: Option<Fanout>) -> Result<Port, PortError> {
    let failed = |source| {
        let port = interface.to_owned();
        PortError::System { port, step: "open a packet socket", source }
    };
    let socket = Arc::new(PacketSocket::open().map_err(failed)?);
    let Connection { index, ring, direct, member } = connect(&socket, interface, settings, fanout.as_ref())?;
    let name = interface.to_owned();
    let (inbox, counts) = (Inbox::new(BATCH_FRAMES, HEADROOM, MAX_FRAME_BYTES), ReceiveCounts::default());
    let (new_ring, new_direct) = (Mailbox::new(), Mailbox::new());
    let shared = Shared {
        socket,
        mtu: Arc::new(AtomicUsize::new(0)),
        is_down: Arc::new(AtomicBool::new(false)),
        claim: PortClaim::unclaimed(interface, fanout.as_ref()),
    };
    let (own_name, socket, _claim) = (name.clone(), shared.socket.clone(), shared.claim.clone());
    let receive: Box<dyn Receive> = if settings.ring {
        let (timestamps, new_ring) = (settings.timestamps, new_ring.other_end());
        Box::new(RingReceiver {
            name: own_name,
            socket,
            ring,
            new_ring,
            was_empty: true,
            inbox,
            timestamps,
            counts,
            _claim,
        })
    } else {
        Box::new(Receiver { name: own_name, socket, inbox, asks_for: FEW_FRAMES, counts, _claim })
    };
    let new_sender = new_direct.other_end();
    let transmit = Box::new(Sender::new(&name, direct, new_sender, &shared));
    let uses = Attachments { settings, fanout, member, new_ring, new_direct };
    let link = Box::new(Watch::new(&name, index, &shared, uses));
    Ok(Port { name, receive, transmit, link })
}

/// The resources that a port has opened for an interface: the socket and its rings.
struct Connection {
    /// The interface's index.
    index: u32,
    ring: Option<Ring>,
    /// The faster path for small frames, if the kernel allows one.
    direct: Option<DirectSender>,
    member: Option<Member>,
}

/// Binds a new socket to an interface.
fn connect(
    socket: &PacketSocket,
    interface: &str,
    settings: Settings,
    fanout: Option<&Fanout>,
) -> Result<Connection, PortError> {
    let failed = |step| move |source| PortError::System { port: interface.to_owned(), step, source };
    let state = crate::sys::interface(socket.as_fd(), interface).map_err(failed("look for the interface"))?;
    let index = state.ok_or_else(|| PortError::no_interface(interface))?.index;
    let packet = |option, value| socket.set(libc::SOL_PACKET, option, value);
    packet(libc::PACKET_VNET_HDR, 1).map_err(failed("ask for virtio-net headers"))?;
    packet(libc::PACKET_AUXDATA, 1).map_err(failed("ask for VLAN tags"))?;
    packet(libc::PACKET_QDISC_BYPASS, i32::from(settings.bypass_queue))
        .map_err(failed("choose the queue"))?;
    if settings.timestamps {
        let asked = socket.set(libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1);
        asked.map_err(failed("ask for timestamps"))?;
    }
    socket.set_memory(SOCKET_MEMORY).map_err(failed("size the socket's memory"))?;
    let ring = settings.ring.then(|| Ring::new(socket)).transpose().map_err(failed("make a ring"))?;
    socket.be_promiscuous(index).map_err(failed("receive frames for other hosts"))?;
    let member = match fanout {
        Some(fanout) => Some(fanout.bind(socket, index).map_err(failed("share the interface's frames"))?),
        None => {
            packet(libc::PACKET_IGNORE_OUTGOING, 1).map_err(failed("ignore outgoing frames"))?;
            socket.bind(index).map_err(failed("bind the packet socket"))?;
            None
        }
    };
    let direct = settings.direct.then(|| {
        let program = ProgramSender::open(index).ok().map(DirectSender::Program);
        program.or_else(|| direct_sender(index))
    });
    Ok(Connection { index, ring, direct: direct.flatten(), member })
}

/// Opens an AF_XDP socket on the first queue without one.
fn direct_sender(index: u32) -> Option<DirectSender> {
    for queue in 0.. {
        match XdpSender::open(index, queue) {
            Ok(sender) => return Some(DirectSender::Xdp(sender)),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
            Err(_) => break,
        }
    }
    None
}

/// The receiving half of an interface's port.
struct Receiver {
    name: String,
    socket: Arc<PacketSocket>,
    inbox: Inbox,
    /// The number of frames to request. It is adapted to the load, because preparing many messages
    /// takes as long as receiving a frame.
    asks_for: usize,
    counts: ReceiveCounts,
    _claim: Arc<PortClaim>,
}

/// The number of frames that a receiver requests when few arrive.
const FEW_FRAMES: usize = 4;

impl Receive for Receiver {
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError> {
        let room = batch.remaining_capacity().min(BATCH_FRAMES);
        let mut received = self.fill(0, room.min(self.asks_for))?;
        if received == self.asks_for && received < room {
            // A lasting error recurs in the next call.
            received += self.fill(received, room - received).unwrap_or(0);
        }
        self.asks_for = if received < FEW_FRAMES { FEW_FRAMES } else { BATCH_FRAMES };
        for (memory, message, start) in self.inbox.slots().take(received) {
            match queued_frame(memory, message, start) {
                Some(arrival) => arrival.add_to_batch(batch, &mut self.counts),
                None => self.counts.truncated += 1,
            }
        }
        Ok(())
    }

    fn wait_on(&self) -> WaitOn<'_> {
        WaitOn::Readable(self.socket.as_fd())
    }

    fn counts(&mut self) -> ReceiveCounts {
        // This fails only if the descriptor is not a socket.
        self.counts.missed += self.socket.take_missed().unwrap_or(0);
        self.counts
    }
}

impl Receiver {
    /// Receives up to `limit` frames into the inbox, from its place `first` on; returns how many.
    fn fill(&mut self, first: usize, limit: usize) -> Result<usize, PortError> {
        self.inbox.receive(self.socket.as_fd(), first, limit).or_else(|error| match error.raw_os_error() {
            // The link went down, which the socket reports once.
            Some(libc::EAGAIN | libc::EINTR | libc::ENETDOWN) => Ok(0),
            // The frame had an offload that virtio-net headers cannot express; it is lost.
            Some(libc::EINVAL) => {
                self.counts.unknown_offload += 1;
                Ok(0)
            }
            _ => Err(self.system_error("receive", error)),
        })
    }

    fn system_error(&self, step: &'static str, source: io::Error) -> PortError {
        PortError::System { port: self.name.clone(), step, source }
    }
}

/// The state of the attachment to an interface that both halves of a port share.
struct Attachments {
    settings: Settings,
    fanout: Option<Fanout>,
    member: Option<Member>,
    new_ring: Mailbox<Ring>,
    new_direct: Mailbox<DirectSender>,
}

impl HalfResources for Attachments {
    fn connect(&mut self, socket: &PacketSocket, name: &str) -> Result<u32, PortError> {
        let Connection { index, ring, direct, member } =
            connect(socket, name, self.settings, self.fanout.as_ref())?;
        self.member = member;
        self.new_ring.set(ring);
        self.new_direct.set(direct);
        Ok(index)
    }

    fn disconnect(&mut self) {
        self.member = None;
        self.new_ring.set(None);
        self.new_direct.set(None);
    }

    /// Returns whether the old ring must be dropped before a new one opens: the old ring keeps the
    /// old socket, with its fanout group, until its owner drops it.
    fn must_drop_first(&self) -> bool {
        self.settings.ring
    }
}
