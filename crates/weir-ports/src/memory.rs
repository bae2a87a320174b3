//! Two ports connected in memory, for tests and for parts of one program.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{EventfdFlags, eventfd};
use weir_device::HEADROOM;

use crate::offload::{self, Malformed};
use crate::{
    Batch, Frame, Link, LinkState, Metadata, Offloads, Port, PortError, Receive, ReceiveCounts, Transmit,
    TransmitCounts, WaitOn,
};

/// The size of the memory for a frame, in bytes. Longer frames get separate memory.
const FRAME_MEMORY_BYTES: usize = HEADROOM + 2048;
/// The bytes that a frame may be longer than the MTU: an Ethernet header with two VLAN tags.
const ETHERNET_BYTES: usize = 22;

/// The connection between two ports, which can be unplugged.
#[derive(Clone)]
pub struct Cable(Arc<Wire>);

/// The link between two memory ports.
struct Wire {
    up: AtomicBool,
    mtu: AtomicUsize,
    offloads: Offloads,
    /// The frames in flight from each end to the other.
    lanes: [LinkDirection; 2],
}

struct LinkDirection {
    queue: Mutex<Queue>,
    /// Readable while there are frames.
    event: OwnedFd,
}

/// The frames that wait for the receiver, with memory for more.
struct Queue {
    frames: VecDeque<StoredFrame>,
    free: Vec<Box<[u8]>>,
    capacity: usize,
}

struct StoredFrame {
    memory: Box<[u8]>,
    start: usize,
    end: usize,
    metadata: Metadata,
}

impl LinkDirection {
    fn new(capacity: usize) -> std::io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let queue = Queue { frames: VecDeque::new(), free: Vec::new(), capacity };
        Ok(Self { queue: Mutex::new(queue), event })
    }

    /// Locks the queue.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A queue is valid between any two statements.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the event readable, or not.
    fn set_readable(&self, frames: bool) {
        // An error only means that the event is already in this state.
        if frames {
            let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
        } else {
            let _ = rustix::io::read(&self.event, &mut [0; 8]);
        }
    }
}

impl Queue {
    /// Adds a copy of a frame.
    fn push(&mut self, frame: &Frame<'_>) {
        let end = HEADROOM + frame.len();
        let fits = self.free.last().is_some_and(|memory| memory.len() >= end);
        let mut memory = match self.free.pop() {
            Some(memory) if fits => memory,
            _ => vec![0; end.max(FRAME_MEMORY_BYTES)].into_boxed_slice(),
        };
        memory[HEADROOM..end].copy_from_slice(frame.bytes());
        self.frames.push_back(StoredFrame { memory, start: HEADROOM, end, metadata: frame.metadata });
    }
}

/// Connects two ports. Each direction holds up to `capacity` frames. Frames with the offloads in
/// `offloads` pass unchanged; the sender performs the other offloads.
///
/// # Errors
/// There are no more descriptors.
pub fn connect(
    names: [&str; 2],
    capacity: usize,
    offloads: Offloads,
) -> Result<([Port; 2], Cable), PortError> {
    let lane = || {
        LinkDirection::new(capacity).map_err(|source| PortError::System {
            port: names.join("-"),
            step: "create an event",
            source,
        })
    };
    let cable = Cable(Arc::new(Wire {
        up: AtomicBool::new(true),
        mtu: AtomicUsize::new(1500),
        offloads,
        lanes: [lane()?, lane()?],
    }));
    let end = |from: usize| Port {
        name: names[from].to_owned(),
        receive: Box::new(MemoryReceiver {
            wire: cable.0.clone(),
            from: 1 - from,
            lent: Vec::new(),
            counts: ReceiveCounts::default(),
        }),
        transmit: Box::new(MemoryTransmitter {
            wire: cable.0.clone(),
            from,
            counts: TransmitCounts::default(),
        }),
        link: Box::new(cable.clone()),
    };
    Ok(([end(0), end(1)], cable))
}

impl Cable {
    /// Plugs the cable in, or unplugs it. Frames in flight still arrive.
    pub fn set_up(&self, up: bool) {
        self.0.up.store(up, Ordering::Relaxed);
    }

    /// Sets the longest packet, in bytes without the Ethernet header and VLAN tags.
    pub fn set_mtu(&self, mtu: usize) {
        self.0.mtu.store(mtu, Ordering::Relaxed);
    }
}

impl Link for Cable {
    fn check(&mut self) -> Result<LinkState, PortError> {
        let (up, mtu) = (self.0.up.load(Ordering::Relaxed), self.0.mtu.load(Ordering::Relaxed));
        Ok(LinkState::Present { up, mtu })
    }
}

struct MemoryReceiver {
    wire: Arc<Wire>,
    from: usize,
    lent: Vec<StoredFrame>,
    counts: ReceiveCounts,
}

impl Receive for MemoryReceiver {
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError> {
        let lane = &self.wire.lanes[self.from];
        let mut queue = lane.queue();
        queue.free.extend(self.lent.drain(..).map(|frame| frame.memory));
        let count = batch.remaining_capacity().min(queue.frames.len());
        self.lent.extend(queue.frames.drain(..count));
        if count > 0 && queue.frames.is_empty() {
            lane.set_readable(false);
        }
        drop(queue);
        for frame in &mut self.lent {
            self.counts.frames += 1;
            self.counts.bytes += (frame.end - frame.start) as u64;
            batch.push(Frame::borrowing(&mut frame.memory, frame.start, frame.end, frame.metadata));
        }
        Ok(())
    }

    fn wait_on(&self) -> WaitOn<'_> {
        WaitOn::Readable(self.wire.lanes[self.from].event.as_fd())
    }

    fn counts(&mut self) -> ReceiveCounts {
        self.counts
    }
}

struct MemoryTransmitter {
    wire: Arc<Wire>,
    from: usize,
    counts: TransmitCounts,
}

impl Transmit for MemoryTransmitter {
    fn transmit(&mut self, frames: &[Frame<'_>], numbers: &[u16]) -> Result<usize, PortError> {
        if !self.wire.up.load(Ordering::Relaxed) {
            let packets = |number: &u16| offload::wire_size(&frames[usize::from(*number)]).frames;
            self.counts.no_link += numbers.iter().map(packets).sum::<u64>();
            return Ok(numbers.len());
        }
        let longest = self.wire.mtu.load(Ordering::Relaxed) + ETHERNET_BYTES;
        let lane = &self.wire.lanes[self.from];
        let mut queue = lane.queue();
        let was_empty = queue.frames.is_empty();
        let mut sent = 0;
        for number in numbers {
            let frame = &frames[usize::from(*number)];
            if queue.frames.len() >= queue.capacity {
                break;
            }
            sent += 1;
            if frame.metadata.gso.is_none() && frame.len() > longest {
                self.counts.too_long += 1;
                continue;
            }
            let counts = &mut self.counts;
            let queued = offload::for_interface(frame, self.wire.offloads, |frame| {
                queue.push(frame);
                counts.add_sent(frame);
                Ok::<(), Malformed>(())
            });
            counts.malformed += u64::from(queued.is_err());
        }
        if was_empty && !queue.frames.is_empty() {
            lane.set_readable(true);
        }
        Ok(sent)
    }

    fn offloads(&self) -> Offloads {
        self.wire.offloads
    }

    fn counts(&self) -> TransmitCounts {
        self.counts
    }
}
