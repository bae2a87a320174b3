//! The traits of ports.

use std::os::fd::BorrowedFd;

use crate::{Batch, Frame, PortError};

/// A port with both halves. They can be used by different threads.
pub struct Port {
    /// What people call it: the interface, or the file.
    pub name: String,
    /// The receiving half.
    pub receive: Box<dyn Receive>,
    /// The sending half.
    pub transmit: Box<dyn Transmit>,
    /// The watch over its link.
    pub link: Box<dyn Link>,
}

/// The half of a port that receives.
pub trait Receive: Send {
    /// Adds the frames that have arrived to a batch, as far as the batch has room. Never waits. The
    /// batch holds this half until its frames are given back.
    ///
    /// # Errors
    /// The operating system or the file fails. A link that is down is no error: nothing arrives.
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError>;

    /// What to wait for, after a call of [`Receive::receive`] that left room in its batch.
    fn wait_on(&self) -> WaitOn<'_>;

    /// Counts since the port was opened.
    fn counts(&mut self) -> ReceiveCounts;
}

/// The half of a port that sends.
pub trait Transmit: Send {
    /// Sends the frames with these numbers, in this order. Never waits. Completes partial checksums
    /// and segments GSO frames where [`Transmit::offloads`] says that the interface does not.
    ///
    /// Returns how many of the numbers it has dealt with: sent, or dropped and counted. The queue
    /// of the interface is full if there are more.
    ///
    /// # Errors
    /// The operating system or the file fails. A link that is down is no error: frames are dropped
    /// and counted.
    ///
    /// # Panics
    /// There is no frame with one of the numbers.
    fn transmit(&mut self, frames: &[Frame<'_>], numbers: &[u16]) -> Result<usize, PortError>;

    /// What the interface does itself.
    fn offloads(&self) -> Offloads;

    /// Counts since the port was opened.
    fn counts(&self) -> TransmitCounts;
}

/// The watch over a port's link.
pub trait Link: Send {
    /// Looks at the interface of this name in the network namespace of the calling thread. If it
    /// has come back, or is another one than before, both halves use it from now on.
    ///
    /// # Errors
    /// The operating system refuses something other than because the interface is gone. After
    /// [`PortError::NotSeen`] the state is the one of the last look.
    fn check(&mut self) -> Result<LinkState, PortError>;

    /// How often [`Link::check`] has opened the interface again: it was away, or another one has
    /// its name now.
    fn reopened(&self) -> u64 {
        0
    }

    /// Lets go of the interface, because its network namespace is gone. [`Link::check`] opens it
    /// again.
    ///
    /// # Errors
    /// The operating system refuses.
    fn close(&mut self) -> Result<(), PortError> {
        Ok(())
    }
}

/// The state of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// There is no interface of this name.
    Gone,
    /// The interface exists.
    Present {
        /// Whether frames can pass: it is switched on, and so is the other end.
        up: bool,
        /// The longest packet in bytes, without the Ethernet header and VLAN tags.
        mtu: usize,
    },
}

/// What a port can wait for.
#[derive(Clone, Copy, Debug)]
pub enum WaitOn<'a> {
    /// A descriptor that becomes readable.
    Readable(BorrowedFd<'a>),
    /// Nothing: there are always frames.
    Nothing,
    /// There will be no more frames.
    Finished,
}

/// What the sender of a port leaves to its interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offloads {
    /// The interface completes partial checksums.
    pub checksum: bool,
    /// The interface takes GSO frames whole.
    pub gso: bool,
}

/// What a port has received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiveCounts {
    /// Frames; a GSO frame counts as one.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Frames that arrived when the port's memory was full.
    pub missed: u64,
    /// Frames of which bytes are missing, in captures with a limit. They are not given out.
    pub truncated: u64,
    /// Frames with an offload that Weir does not know: UDP fragments (UFO), tunnels, SCTP. They are
    /// not given out.
    pub unknown_offload: u64,
}

/// What a port has sent and dropped, as a wire has it: a GSO frame counts as its segments, each
/// with all headers, unless its metadata is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransmitCounts {
    /// Frames that left.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Frames dropped because the link is down or the interface is gone.
    pub no_link: u64,
    /// Frames dropped because they are longer than the MTU allows.
    pub too_long: u64,
    /// Frames dropped because they are shorter than an Ethernet header.
    pub too_short: u64,
    /// Frames dropped because their metadata contradicts their bytes.
    pub malformed: u64,
}
