//! Settings of a measured flow of datagrams.

use std::net::IpAddr;

use weir_device::Nanos;

use super::{MAX_DATAGRAMS, MAX_PAYLOAD, Pattern, STAMP};
use crate::Error;

/// A measured flow of datagrams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UdpFlowConfig {
    /// The address and port to send to.
    pub destination: (IpAddr, u16),
    /// Whether the server sends, to where the client's first datagram came from.
    pub reverse: bool,
    /// The client's port; by default one of the dynamic ports that is free.
    pub source_port: Option<u16>,
    /// Bytes after the UDP header, 16 to 65507.
    pub payload_bytes: usize,
    /// When datagrams leave. The first does so at the start.
    pub pattern: Pattern,
    /// Nanoseconds from the start after which none leaves any more.
    pub duration: Option<Nanos>,
    /// Most datagrams to send.
    pub datagrams: Option<u64>,
    /// Length of the report's intervals in nanoseconds, 1 µs or more; none keeps no intervals.
    pub interval: Option<Nanos>,
    /// How long, after the last datagram was sent or one arrived, to wait for those that are missing before the flow counts as finished.
    pub linger: Nanos,
    /// Whether to keep a row for each datagram that arrives.
    pub keep_rows: bool,
}

impl UdpFlowConfig {
    /// Datagrams of 1470 bytes at a rate of payload for a time, with a report a second, as iperf has it.
    pub fn new(destination: (IpAddr, u16), bits_per_second: u64, duration: Nanos) -> Self {
        UdpFlowConfig {
            destination,
            reverse: false,
            source_port: None,
            payload_bytes: 1470,
            pattern: Pattern::Constant { bits_per_second },
            duration: Some(duration),
            datagrams: None,
            interval: Some(1_000_000_000),
            linger: 2_000_000_000,
            keep_rows: false,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let bad = |reason: String| Err(Error::BadApp { app: "udp flow", reason });
        self.pattern.check()?;
        if !(STAMP..=MAX_PAYLOAD).contains(&self.payload_bytes) {
            return bad(format!(
                "{} bytes of payload; expected {STAMP} to {MAX_PAYLOAD}",
                self.payload_bytes
            ));
        }
        if self.duration.is_none() && self.datagrams.is_none() {
            return bad(
                "neither a duration nor a number of datagrams; expected one, or it would never end".into()
            );
        }
        if self.duration == Some(0) || self.datagrams == Some(0) {
            return bad("a duration or number of datagrams of 0; expected 1 or more".into());
        }
        if self.datagrams.is_some_and(|most| most > MAX_DATAGRAMS) {
            return bad(format!("more than {MAX_DATAGRAMS} datagrams"));
        }
        if self.interval.is_some_and(|interval| interval < 1000) {
            return bad("report intervals below 1 µs".into());
        }
        if self.source_port == Some(0) || self.destination.1 == 0 {
            return bad("port 0; expected 1 to 65535".into());
        }
        if self.destination.0.is_unspecified() {
            return bad(format!(
                "destination {}; expected an address that can be sent to",
                self.destination.0
            ));
        }
        Ok(())
    }
}
