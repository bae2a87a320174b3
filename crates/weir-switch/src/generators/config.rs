//! The settings of packet generators.

use std::collections::BTreeSet;
use std::fmt;

use weir_device::{Nanos, Port};

/// An application of a packet generator: when it makes packets, and which ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratorApp {
    /// The event at which the application makes its batches of packets.
    pub trigger: GeneratorTrigger,
    /// The position of the packet in the buffer of the pipe.
    pub offset: usize,
    /// The length of the packet in bytes, without the header of the generator.
    pub length: usize,
    /// The port on which the packets arrive, without the number of the pipe.
    pub source_port: Port,
    /// Whether each packet of a batch arrives on the port after that of the previous packet.
    pub increments_source_port: bool,
    /// The number of batches, from 1 to [`GeneratorApp::MAX_COUNT`].
    pub batches: u32,
    /// The number of packets of each batch, from 1 to [`GeneratorApp::MAX_COUNT`].
    pub packets_per_batch: u32,
    /// The time between batches, and the most by which it is longer at random. In Tofino 1, times
    /// are from start to start; in Tofino 2, from the end to the next start.
    pub batch_gap: (Nanos, Nanos),
    /// The same for the packets of a batch.
    pub packet_gap: (Nanos, Nanos),
}

impl GeneratorApp {
    /// The largest number of batches, and of packets of a batch.
    pub const MAX_COUNT: u32 = 1 << 16;
}

/// The event at which an application makes its packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GeneratorTrigger {
    /// This time has passed since the application was set.
    Once(Nanos),
    /// This time has passed since the application was set, or since the last time.
    Periodic(Nanos),
    /// One of these ports went down; `None` means any port of the pipe. A port triggers once, until
    /// [`Update::RearmGenerator`](crate::control::Update::RearmGenerator).
    PortDown(Option<BTreeSet<Port>>),
    /// A recirculated packet begins with bytes that equal `value` in the bits of `mask`: 4 bytes in
    /// Tofino 1, 16 in Tofino 2. Its port must match patterns ([`GeneratorPort`]).
    Recirculated {
        /// The value.
        value: u128,
        /// The bits that count.
        mask: u128,
    },
}

/// The part of a port in the generation of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeneratorPort {
    /// Whether the applications of the port's pipe make packets. One such port suffices.
    pub generates: bool,
    /// Whether packets that are recirculated through the port may trigger applications.
    pub matches_patterns: bool,
}

/// The events and packets of an application so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeneratorCounts {
    /// The number of events.
    pub triggers: u64,
    /// The number of batches.
    pub batches: u64,
    /// The number of packets.
    pub packets: u64,
}

/// The properties in which the generators of chips differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratorFormat {
    /// The number of bits of an application's number.
    pub app_bits: u32,
    /// The number of bytes that a pattern compares.
    pub pattern_bytes: usize,
    /// Whether the headers of recirculation have the number of the batch, and are followed by the
    /// bytes that matched. Otherwise, the last three of these bytes, plus the number of the batch,
    /// are in the header.
    pub has_context: bool,
    /// Whether gaps begin at the end of a packet or batch.
    pub gaps_begin_at_end: bool,
}

/// Why settings of a packet generator are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorError {
    /// The program's architecture has no packet generators.
    NoGenerators,
    /// A number is too large or too small.
    OutOfRange {
        /// What the number is.
        what: &'static str,
        /// The number.
        value: u64,
        /// The smallest possible number.
        least: u64,
        /// The largest possible number.
        most: u64,
    },
}

impl fmt::Display for GeneratorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGenerators => f.write_str("the program's architecture has no packet generators"),
            Self::OutOfRange { what, value, least, most } => {
                write!(f, "{what} is a number from {least} to {most}, not {value}")
            }
        }
    }
}
