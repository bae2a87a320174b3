//! States and events of a connection.

/// The states of RFC 9293 section 3.3.2, except LISTEN, which belongs to the host.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum State {
    /// The SYN was sent.
    SynSent,
    /// A SYN was received, and the SYN-ACK was sent.
    SynReceived,
    /// The connection is open: data can be transferred.
    Established,
    /// The FIN was sent, and is not acknowledged.
    FinWait1,
    /// The FIN was acknowledged, and the peer's FIN was not received.
    FinWait2,
    /// The peer's FIN was received, and no FIN was sent.
    CloseWait,
    /// Both FINs were sent, and this end's FIN is not acknowledged.
    Closing,
    /// The peer's FIN was received before this end's FIN was sent, which is not acknowledged.
    LastAck,
    /// The connection is closed, except for old segments in the network.
    TimeWait,
    /// The connection is closed.
    Closed,
}

impl State {
    /// Returns whether data of the peer may still arrive.
    pub(crate) fn receives(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::FinWait2)
    }
}

/// The reason why a connection ended.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Closed {
    /// Both ends closed the connection, and all data arrived.
    Both,
    /// The peer reset the connection.
    Reset,
    /// The peer answered the SYN with a reset.
    Refused,
    /// The peer did not answer.
    TimedOut,
    /// This end aborted the connection.
    Aborted,
}

/// An event of a connection that the application should handle.
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
    /// The connection has ended.
    Closed(Closed),
}
