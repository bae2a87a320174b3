//! States and events of a connection.

/// The states of RFC 9293 section 3.3.2, except LISTEN, which belongs to the host.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum State {
    /// SYN sent.
    SynSent,
    /// SYN received, SYN-ACK sent.
    SynReceived,
    /// Open: data can be transferred.
    Established,
    /// FIN sent, not acknowledged.
    FinWait1,
    /// FIN acknowledged, the peer's FIN not received.
    FinWait2,
    /// The peer's FIN received, none sent.
    CloseWait,
    /// Both FINs sent, ours not acknowledged.
    Closing,
    /// The peer's FIN received before ours was sent; ours not acknowledged.
    LastAck,
    /// Closed, except for old segments in the network.
    TimeWait,
    /// Closed.
    Closed,
}

impl State {
    /// Whether data of the peer may still arrive.
    pub(crate) fn receives(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::FinWait2)
    }
}

/// Why a connection ended.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Closed {
    /// Both ends closed it, and all data arrived.
    Both,
    /// The peer reset it.
    Reset,
    /// The peer answered the SYN with a reset.
    Refused,
    /// The peer did not answer.
    TimedOut,
    /// This end aborted it.
    Aborted,
}

/// An event for the application.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Event {
    /// The handshake is complete.
    Connected,
    /// There are bytes to read.
    Readable,
    /// There is room in the send buffer again, after a write that did not fit.
    Writable,
    /// The peer has closed its side.
    PeerClosed,
    /// The connection is over.
    Closed(Closed),
}
