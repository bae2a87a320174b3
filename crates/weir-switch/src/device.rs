//! How any world drives a switch: packets and times in, packets and times out.

use std::any::Any;

use crate::buffer::Buffer;

/// A point or a span of time in nanoseconds. Points count from the start of the world the device lives in.
pub type Nanos = u64;

/// A data-plane port number as the P4 program sees it.
pub type Port = u32;

/// A packet outside a program: its bytes and who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The frame, from the first byte of its first header; no preamble, no frame check sequence.
    pub bytes: Vec<u8>,
    /// Given by whoever made the packet and kept by every device that passes it on; copies (clones, multicast)
    /// share the id of their original. Lets a world account for every packet.
    pub id: u64,
}

/// A packet that leaves a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmission {
    /// When its first bit is ready for the wire.
    pub time: Nanos,
    /// Where it leaves.
    pub port: Port,
    /// What leaves.
    pub packet: Packet,
}

/// A packet that a device gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drop {
    /// When.
    pub time: Nanos,
    /// Where in the device, such as `ingress`, `queue 3`, `port 7`.
    pub place: String,
    /// Why, such as `drop port`, `queue full`, `no such port`.
    pub reason: String,
    /// The packet's id.
    pub packet: u64,
}

/// What became of a packet that went to a device in its [`Buffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The device has taken it, with all that will become of it. The buffer is the caller's again; what is in it means nothing.
    Inside,
    /// It leaves in the same buffer.
    Leaves {
        /// When its first bit is ready for the wire: now or later. The device does not count it as inside any more.
        time: Nanos,
        /// Where.
        port: Port,
    },
    /// The device gave it up and has counted it. The buffer is the caller's again.
    Dropped,
}

/// A device's account of its packets. At any time `received + made = transmitted + dropped + inside`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Packets that came in.
    pub received: u64,
    /// Packets that the device made: copies, or its own.
    pub made: u64,
    /// Packets that left.
    pub transmitted: u64,
    /// Packets given up.
    pub dropped: u64,
    /// Packets inside now.
    pub inside: u64,
}

/// A passive device between ports. It never reads a clock: the world calls [`Device::receive`] when a packet arrives, asks
/// [`Device::next_deadline`] when to come back, and calls [`Device::advance`] at that time.
///
/// Calls come with times that never decrease.
pub trait Device: Any + Send {
    /// Takes a packet that has arrived completely on `port` at `now`.
    fn receive(&mut self, now: Nanos, port: Port, packet: Packet);

    /// Takes a packet that has arrived completely on `port` at `now`, in memory that is the caller's. A device that needs no time of its own
    /// to look at it may say at once where it leaves, and when; what it would do in between cannot be told from outside.
    fn pass(&mut self, now: Nanos, port: Port, frame: &mut Buffer) -> Passed {
        self.receive(now, port, Packet { bytes: frame.bytes().to_vec(), id: frame.id });
        Passed::Inside
    }

    /// When the device next has something to do, if it has.
    fn next_deadline(&self) -> Option<Nanos>;

    /// Does everything due up to and including `now`; packets that leave are appended to `out` in the order of their times.
    fn advance(&mut self, now: Nanos, out: &mut Vec<Transmission>);

    /// Takes the drops noted since the last call. A device counts drops in any case; it notes them one by one only after
    /// [`Device::note_drops`].
    fn take_drops(&mut self) -> Vec<Drop>;

    /// Whether to note drops one by one.
    fn note_drops(&mut self, on: bool);

    /// Packets that wait inside to leave by a port, by the number of their queue; none of a device that has no queues.
    fn waiting(&self, _port: Port) -> Vec<usize> {
        Vec::new()
    }

    /// Packets inside the device now.
    fn in_flight(&self) -> usize;

    /// The account of all packets so far.
    fn tally(&self) -> Tally;

    /// All packets given up so far: place, reason and how many, in an order that depends on nothing but these.
    fn drop_counts(&self) -> Vec<(String, String, u64)>;
}
