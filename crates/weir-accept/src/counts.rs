//! Counts connections by their outcome.

use std::collections::BTreeMap;

/// The reason why a service closed a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// No whole request arrived in time.
    Late,
    /// The connection had sent no whole request, and made room for a newer one.
    Displaced,
    /// The connection was idle for the longest time, and made room for another one.
    Idle,
    /// All places were taken by connections that do not make room.
    NoPlace,
    /// All places for new connections were taken by peers with a right.
    Refused,
    /// The process has no file descriptors left, so it closed the connection.
    Descriptors,
    /// Other connections needed the memory of this connection.
    Memory,
    /// The TLS handshake failed.
    Handshake,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 8] = [
        Self::Late,
        Self::Displaced,
        Self::Idle,
        Self::NoPlace,
        Self::Refused,
        Self::Descriptors,
        Self::Memory,
        Self::Handshake,
    ];

    /// Returns the reason's name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Displaced => "displaced",
            Self::Idle => "idle",
            Self::NoPlace => "no_place",
            Self::Refused => "refused",
            Self::Descriptors => "descriptors",
            Self::Memory => "memory",
            Self::Handshake => "handshake",
        }
    }

    /// Returns the reason as text for a log line, in which it follows a number of connections.
    const fn text(self) -> &'static str {
        match self {
            Self::Late => "sent no whole request in time",
            Self::Displaced => "made room for newer ones before their first request",
            Self::Idle => "were idle and made room for others",
            Self::NoPlace => "found no place among connections that are in use",
            Self::Refused => "were refused, since peers with a right are connecting",
            Self::Descriptors => "were closed because the process has no file descriptors left",
            Self::Memory => "were closed because others needed their memory",
            Self::Handshake => "failed the TLS handshake",
        }
    }
}

/// Counts of a service's connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The connections that the service has accepted so far, including refused ones.
    pub accepted: u64,
    /// The connections that the service has closed so far, by reason.
    pub closed: BTreeMap<Reason, u64>,
    /// The open connections that have not got a place yet.
    pub newcomers: usize,
    /// The open connections that have a place.
    pub placed: usize,
}

impl Counts {
    /// Returns the number of connections that were closed for a reason.
    pub fn closed(&self, reason: Reason) -> u64 {
        self.closed.get(&reason).copied().unwrap_or_default()
    }

    /// Returns the connections that were closed since earlier counts, as a log line; `None` if no
    /// connection was closed.
    pub fn closed_since(&self, before: &Self) -> Option<String> {
        let part = |(reason, count): (&Reason, &u64)| {
            let more = count - before.closed(*reason);
            (more > 0).then(|| format!("{more} {}", reason.text()))
        };
        let parts: Vec<String> = self.closed.iter().filter_map(part).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
