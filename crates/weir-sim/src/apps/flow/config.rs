//! Settings of a measured UDP flow.

use std::net::IpAddr;

use weir_device::Nanos;

use super::{MAX_DATAGRAMS, MAX_PAYLOAD, Pattern, STAMP_BYTES};
use crate::Error;

/// The settings of a measured UDP flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UdpFlowConfig {
    /// The address and port to send to.
    pub destination: (IpAddr, u16),
    /// Whether the server sends, to the source of the client's first datagram.
    pub reverse: bool,
    /// The client's port; by default a free dynamic port.
    pub source_port: Option<u16>,
    /// The payload of a datagram in bytes, 16 to 65507.
    pub payload_bytes: usize,
    /// The times at which datagrams are sent. The first one is sent at the start.
    pub pattern: Pattern,
    /// The sending time in nanoseconds from the start.
    pub duration: Option<Nanos>,
    /// The maximum number of datagrams.
    pub datagrams: Option<u64>,
    /// The length of the report's intervals in nanoseconds, at least 1 µs; `None` for no intervals.
    pub interval: Option<Nanos>,
    /// The type of service (IPv6: traffic class) of the flow's datagrams.
    pub class: u8,
    /// The time for which the flow waits for missing datagrams, after the last one was sent or
    /// received.
    pub linger: Nanos,
    /// Whether to record a row for each datagram that arrives.
    pub keep_rows: bool,
}

impl UdpFlowConfig {
    /// Datagrams of 1470 bytes at a payload rate for a time, with an interval of a second, as in
    /// iperf.
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
            class: 0,
            linger: 2_000_000_000,
            keep_rows: false,
        }
    }

    /// Checks that the settings are valid.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refused = |reason: String| Err(Error::BadApp { app: "udp flow", reason });
        self.pattern.check()?;
        if !(STAMP_BYTES..=MAX_PAYLOAD).contains(&self.payload_bytes) {
            return refused(format!(
                "{} bytes of payload; expected {STAMP_BYTES} to {MAX_PAYLOAD}",
                self.payload_bytes
            ));
        }
        if self.duration.is_none() && self.datagrams.is_none() {
            return refused(
                "neither a duration nor a number of datagrams; expected one, or it would never end".into(),
            );
        }
        if self.duration == Some(0) || self.datagrams == Some(0) {
            return refused("a duration or number of datagrams of 0; expected 1 or more".into());
        }
        if self.datagrams.is_some_and(|count| count > MAX_DATAGRAMS) {
            return refused(format!("more than {MAX_DATAGRAMS} datagrams"));
        }
        if self.interval.is_some_and(|interval| interval < 1000) {
            return refused("report intervals below 1 µs".into());
        }
        if self.source_port == Some(0) || self.destination.1 == 0 {
            return refused("port 0; expected 1 to 65535".into());
        }
        if self.destination.0.is_unspecified() {
            return refused(format!(
                "destination {}; expected an address that can be sent to",
                self.destination.0
            ));
        }
        Ok(())
    }
}
