//! The names of where a connection stands and of what happens to it.

/// The states of RFC 9293 section 3.3.2; a listener is the host's.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum State {
    /// SYN sent.
    SynSent,
    /// SYN received and sent.
    SynReceived,
    /// Data flows.
    Established,
    /// FIN sent, not acknowledged.
    FinWait1,
    /// FIN acknowledged, the peer's not seen.
    FinWait2,
    /// The peer's FIN seen, none sent.
    CloseWait,
    /// Both FINs sent, ours not acknowledged.
    Closing,
    /// As CLOSING, the peer was first.
    LastAck,
    /// Over, but for old segments in the network.
    TimeWait,
    /// Over.
    Closed,
}

impl State {
    /// Whether data of the peer may still come.
    pub(crate) fn receives(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::FinWait2)
    }
}

/// How a connection ended.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Closed {
    /// Both ends closed and all data arrived.
    Both,
    /// The peer reset it.
    Reset,
    /// The peer reset the SYN.
    Refused,
    /// No answer.
    TimedOut,
    /// This end aborted it.
    Aborted,
}

/// What the application is told.
#[derive(Copy, Clone, Debug, Eq, PartialEq, Hash)]
pub enum Event {
    /// The handshake is complete.
    Connected,
    /// More bytes are there to be read.
    Readable,
    /// There is room again after a write was cut short.
    Writable,
    /// The peer sends no more.
    PeerClosed,
    /// The connection is over.
    Closed(Closed),
}
