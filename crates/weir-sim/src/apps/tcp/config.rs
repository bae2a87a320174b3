//! Settings of bulk flows over TCP.

use std::net::IpAddr;

use weir_device::Nanos;

use super::TcpOptions;
use crate::Error;
use crate::apps::flow::Pattern;

/// An application that does not offer all it has to send at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// When it offers some: at the beginning, and whenever the pattern has a departure. What there is no room for waits.
    pub pattern: Pattern,
    /// How many bytes it offers each time, 1 or more.
    pub bytes: usize,
}

/// A flow over TCP.
#[derive(Clone, Debug)]
pub struct TcpFlowConfig {
    /// The address and port to connect to.
    pub destination: (IpAddr, u16),
    /// Nanoseconds from the start after which nothing more is written. What has not left by then is not sent.
    pub duration: Option<Nanos>,
    /// Bytes to send. One of the two must be given.
    pub bytes: Option<u64>,
    /// Length of the report's intervals in nanoseconds, 1 µs or more; none keeps no intervals.
    pub interval: Option<Nanos>,
    /// Whether the server sends, and the client, which opens the connection, receives.
    pub reverse: bool,
    /// How the application offers its bytes; all at once if none.
    pub offer: Option<Offer>,
    /// Settings other than the host's; of a flow in reverse, congestion control, window and pacing are the server's.
    pub options: TcpOptions,
    /// IPv4 options of the SYN.
    pub ip_options: Vec<u8>,
    /// Whether to keep a trace: a row for each segment sent and each acknowledgement.
    pub trace: bool,
}

impl TcpFlowConfig {
    /// A flow of so many nanoseconds with a report a second.
    pub fn new(destination: (IpAddr, u16), duration: Nanos) -> Self {
        TcpFlowConfig {
            destination,
            duration: Some(duration),
            bytes: None,
            interval: Some(1_000_000_000),
            reverse: false,
            offer: None,
            options: TcpOptions::default(),
            ip_options: Vec::new(),
            trace: false,
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let bad = |reason: &str| Err(Error::BadApp { app: "tcp flow", reason: reason.to_owned() });
        if self.duration.is_none() && self.bytes.is_none() {
            return bad("neither a duration nor a number of bytes; expected one, or it would never end");
        }
        if self.duration == Some(0) || self.bytes == Some(0) {
            return bad("a duration or number of bytes of 0; expected 1 or more");
        }
        if self.interval.is_some_and(|interval| interval < 1000) {
            return bad("report intervals below 1 µs");
        }
        if self.destination.1 == 0 {
            return bad("port 0; expected 1 to 65535");
        }
        if let Some(offer) = &self.offer {
            offer.pattern.check()?;
            if offer.bytes == 0 {
                return bad("0 bytes offered at a time; expected 1 or more");
            }
        }
        self.options.check("tcp flow")
    }
}
