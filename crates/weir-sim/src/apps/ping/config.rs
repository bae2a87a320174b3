//! The settings of a ping.

use std::net::IpAddr;

use weir_device::Nanos;

use crate::Error;
use weir_filter::is_unicast;

/// One second in nanoseconds.
pub(super) const SECOND: Nanos = 1_000_000_000;
/// The maximum payload: an IPv4 packet of 65535 bytes without 20 bytes of IP header and 8 of ICMP
/// header.
const MAX_PAYLOAD: usize = 65507;

/// The settings of a ping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PingConfig {
    /// The destination: a host, or a group, whose members answer in IPv6 only. All replies after
    /// the first are duplicates.
    pub destination: IpAddr,
    /// The number of requests (`ping -c`). Without it, only a deadline ends the ping.
    pub count: Option<u64>,
    /// The number of bytes after the ICMP header (`ping -s`): 0 to 65507, 56 by default. They start
    /// with the time of sending (8 bytes, big-endian nanoseconds) and the sequence number (8 bytes,
    /// big-endian), as far as these fit. The value of each byte after them is its own offset.
    pub payload_bytes: usize,
    /// The number of nanoseconds between requests (`ping -i`); 1 s by default. The n-th request is
    /// sent at exactly start + n · interval.
    pub interval: Nanos,
    /// Whether the next request is sent as soon as the previous one is answered, and after
    /// `interval` at the latest (`ping -f`, which uses 10 ms).
    pub flood: bool,
    /// The time-out for replies in nanoseconds (`ping -W`); 10 s by default. A later reply is
    /// recorded as late and counts as lost.
    pub timeout: Nanos,
    /// Whether the ping also ends without further replies: once the last request is sent and at
    /// least one reply has arrived, it ends when no reply has arrived for the longest of twice the
    /// longest round-trip time so far, the interval, and a second. This is what `ping` does without
    /// `-W`. False by default.
    pub ends_when_quiet: bool,
    /// The time in nanoseconds after which the ping ends in any case (`ping -w`).
    pub deadline: Option<Nanos>,
    /// The time to live of requests (`ping -t`); 64 by default.
    pub ttl: u8,
    /// The type of service (IPv6: traffic class) of requests (`ping -Q`); 0 by default.
    pub class: u8,
    /// The ICMP identifier (`ping -e`); by default a free random one.
    pub ident: Option<u16>,
}

impl PingConfig {
    /// Makes settings for `count` requests, with defaults for all other settings.
    pub fn new(destination: impl Into<IpAddr>, count: u64) -> Self {
        PingConfig {
            destination: destination.into(),
            count: Some(count),
            payload_bytes: 56,
            interval: SECOND,
            flood: false,
            timeout: 10 * SECOND,
            ends_when_quiet: false,
            deadline: None,
            ttl: 64,
            class: 0,
            ident: None,
        }
    }

    /// Checks that the settings are valid.
    pub(super) fn check(&self) -> Result<(), Error> {
        let refused = |reason: &str| Err(Error::BadApp { app: "ping", reason: reason.to_owned() });
        if self.payload_bytes > MAX_PAYLOAD {
            return refused(&format!(
                "{} bytes of payload; expected at most {MAX_PAYLOAD}",
                self.payload_bytes
            ));
        }
        if self.count == Some(0) {
            return refused("a count of 0; expected 1 or more");
        }
        if self.count.is_none() && self.deadline.is_none() {
            return refused("neither a count nor a deadline; expected one of them, or it would never end");
        }
        if self.flood && self.interval == 0 {
            return refused(
                "an interval of 0 in flood mode; expected the maximum time between two requests, such as 10 ms",
            );
        }
        if self.interval == 0 && self.count.is_none() {
            return refused("an interval of 0 without a count; expected a longer interval or a count");
        }
        if self.timeout == 0 {
            return refused("a timeout of 0 ns; expected 1 or more");
        }
        if self.ttl == 0 {
            return refused("a time to live of 0; expected 1 to 255");
        }
        if !is_unicast(self.destination) && !self.destination.is_multicast() {
            let destination = self.destination;
            return refused(&format!("destination {destination}; expected a unicast or multicast address"));
        }
        Ok(())
    }
}
