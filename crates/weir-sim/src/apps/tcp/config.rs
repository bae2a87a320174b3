//! Settings of TCP bulk flows.

use std::net::IpAddr;

use weir_device::Nanos;

use super::TcpOptions;
use crate::Error;
use crate::apps::flow::Pattern;

/// The times at which an application writes its data in portions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteSchedule {
    /// When the application writes: at the beginning, and at each departure of the pattern. Data
    /// that does not fit in the send buffer waits.
    pub pattern: Pattern,
    /// The bytes written each time, at least 1.
    pub bytes: usize,
}

/// The settings of a TCP flow.
#[derive(Clone, Debug)]
pub struct TcpFlowConfig {
    /// The address and port to connect to.
    pub destination: (IpAddr, u16),
    /// The duration in nanoseconds from the start. Data that has not been sent by then is
    /// discarded.
    pub duration: Option<Nanos>,
    /// The number of bytes to send. A duration or a number of bytes is required.
    pub bytes: Option<u64>,
    /// The length of the report's intervals in nanoseconds, at least 1 µs; `None` for no intervals.
    pub interval: Option<Nanos>,
    /// Whether the server sends and the client, which opens the connection, receives.
    pub reverse: bool,
    /// The times and sizes of the application's writes; `None` if it writes all data at once.
    pub offer: Option<WriteSchedule>,
    /// TCP settings that differ from the host's. In a reverse flow, the congestion control, window
    /// and pacing apply to the server.
    pub options: TcpOptions,
    /// The IPv4 options of the SYN.
    pub ip_options: Vec<u8>,
    /// Whether to record a trace: a row for each segment sent and each acknowledgement.
    pub trace: bool,
}

impl TcpFlowConfig {
    /// Creates a flow with this duration in nanoseconds and an interval of a second.
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

    /// Checks that the settings are valid.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refused = |reason: &str| Err(Error::BadApp { app: "tcp flow", reason: reason.to_owned() });
        if self.duration.is_none() && self.bytes.is_none() {
            return refused("neither a duration nor a number of bytes; expected one, or it would never end");
        }
        if self.duration == Some(0) || self.bytes == Some(0) {
            return refused("a duration or number of bytes of 0; expected 1 or more");
        }
        if self.interval.is_some_and(|interval| interval < 1000) {
            return refused("report intervals below 1 µs");
        }
        if self.destination.1 == 0 {
            return refused("port 0; expected 1 to 65535");
        }
        if let Some(offer) = &self.offer {
            offer.pattern.check()?;
            if offer.bytes == 0 {
                return refused("0 bytes offered at a time; expected 1 or more");
            }
        }
        self.options.check("tcp flow")
    }
}
