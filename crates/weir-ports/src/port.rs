//! The traits of ports.

use std::os::fd::BorrowedFd;

use crate::{AlreadyClaimed, Batch, Frame, PortError};

/// A port with both halves. Different threads can use the halves.
pub struct Port {
    /// The name of the interface or the file.
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
    /// Adds frames that have arrived to a batch, until the batch is full. Never waits. The batch
    /// borrows this half until its frames are given back.
    ///
    /// # Errors
    /// The operating system or the file failed. A link that is down is not an error: no frames
    /// arrive.
    fn receive<'a>(&'a mut self, batch: &mut Batch<'a>) -> Result<(), PortError>;

    /// Returns the event to wait for after a call of [`Receive::receive`] that did not fill its
    /// batch.
    fn wait_on(&self) -> WaitOn<'_>;

    /// Counts since the port was opened.
    fn counts(&mut self) -> ReceiveCounts;
}

/// The half of a port that sends.
pub trait Transmit: Send {
    /// Sends the frames with these numbers, in this order. Never waits. Completes partial checksums
    /// and segments GSO frames if the interface does not do so itself (see [`Transmit::offloads`]).
    ///
    /// Returns how many of the frames were handled: sent, or dropped and counted. If it is fewer
    /// than all, the queue of the interface is full.
    ///
    /// # Errors
    /// The operating system or the file failed. A link that is down is not an error: frames are
    /// dropped and counted.
    ///
    /// # Panics
    /// There is no frame with one of the numbers.
    fn transmit(&mut self, frames: &[Frame<'_>], numbers: &[u16]) -> Result<usize, PortError>;

    /// Returns the offloads of the interface.
    fn offloads(&self) -> Offloads;

    /// Counts since the port was opened.
    fn counts(&self) -> TransmitCounts;
}

/// The watch over a port's link.
pub trait Link: Send {
    /// Checks the interface with the port's name in the network namespace of the calling thread. If
    /// the interface has come back, or another interface now has its name, both halves use it from
    /// now on.
    ///
    /// # Errors
    /// The operating system failed for another reason than a missing interface. After
    /// [`PortError::NotSeen`], the state is that of the last check.
    fn check(&mut self) -> Result<LinkState, PortError>;

    /// Returns how often [`Link::check`] has reopened the interface, because the interface was gone
    /// or another interface now has its name.
    fn reopened(&self) -> u64 {
        0
    }

    /// Returns the notice that the interface was already a port of another switch or link when it
    /// was opened. Each opening gives at most one notice.
    fn take_already_claimed(&mut self) -> Option<AlreadyClaimed> {
        None
    }

    /// Releases the interface, because its network namespace is gone. [`Link::check`] opens the
    /// interface again.
    ///
    /// # Errors
    /// The operating system refuses.
    fn close(&mut self) -> Result<(), PortError> {
        Ok(())
    }
}

/// The state of a port's link: whether the interface exists and is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// There is no interface of this name.
    Gone,
    /// The interface exists.
    Present {
        /// Whether frames can pass: the interface and its other end are switched on.
        up: bool,
        /// The longest packet in bytes, without the Ethernet header and VLAN tags.
        mtu: usize,
    },
}

/// The event that a port can wait for before it receives.
#[derive(Clone, Copy, Debug)]
pub enum WaitOn<'a> {
    /// A descriptor that becomes readable.
    Readable(BorrowedFd<'a>),
    /// The caller need not wait, because there are always frames.
    Nothing,
    /// There will be no more frames.
    Finished,
}

/// The offloads that the sending half of a port leaves to its interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offloads {
    /// The interface completes partial checksums.
    pub checksum: bool,
    /// The interface accepts GSO frames uncut.
    pub gso: bool,
}

/// Counts of the frames that a port has received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiveCounts {
    /// The number of frames; a GSO frame counts as one.
    pub frames: u64,
    /// The bytes of these frames.
    pub bytes: u64,
    /// The number of frames that arrived when the port's memory was full.
    pub missed: u64,
    /// The number of frames with missing bytes, in captures with a length limit. They are not
    /// delivered.
    pub truncated: u64,
    /// The number of frames with an offload that Weir does not know: UDP fragments (UFO), tunnels,
    /// SCTP. They are not delivered.
    pub unknown_offload: u64,
}

/// Counts of the frames that a port has sent and dropped, as on a wire: a GSO frame counts as its
/// segments, each with all headers, unless its metadata is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransmitCounts {
    /// The number of frames that left.
    pub frames: u64,
    /// The bytes of these frames.
    pub bytes: u64,
    /// The number of frames dropped because the link is down or the interface is gone.
    pub no_link: u64,
    /// The number of frames dropped because they are longer than the MTU allows.
    pub too_long: u64,
    /// The number of frames dropped because they are shorter than an Ethernet header.
    pub too_short: u64,
    /// The number of frames dropped because their metadata contradicts their bytes.
    pub malformed: u64,
}
