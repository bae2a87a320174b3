//! TCP end points (RFC 9293) as plain values, in virtual time.
//!
//! A [`Connection`] takes segments, bytes from its application, and times. It returns segments to
//! send, events for the application, and the next deadline. It implements one end of RFC 9293: the
//! state machine, send and receive queues, time-outs (RFC 6298), selective acknowledgements and
//! loss recovery (RFC 2018, 6675, 6937, 6582), window scaling and timestamps (RFC 7323), ECN (RFC
//! 3168). A [`CongestionControl`] decides how much may be in flight.
//!
//! - **Input:** [`Segment`]s parsed from bytes, nanoseconds since the start of the simulation;
//!   64 random bits and an initial sequence number for each connection; the sum of the addresses as
//!   a [`PseudoSum`].
//! - **Output:** [`Outgoing`] segments, [`Event`]s, [`Info`].
//! - **Independent of:** IP addresses, hosts, links, a clock, randomness of its own.

mod checksum;
mod config;
pub mod congestion;
mod connection;
mod info;
pub mod math;
mod options;
pub mod pacer;
mod rate;
mod receive_queue;
mod recovery;
mod rtt;
mod scoreboard;
mod segment;
mod send_queue;
mod seq;
mod state;

pub use checksum::{PseudoSum, fold, sum};
pub use config::{Config, ConfigError, DelayedAck, Keep, Pacing, Profile, Reduction};
pub use congestion::{Acked, Algorithm, Cause, Congestion, CongestionControl, Start, controller};
pub use connection::{Connection, Outgoing, TimeWait, TimeWaitAnswer};
pub use info::{Info, TraceKind, TraceRow};
pub use options::Options;
pub use pacer::Pacer;
pub use rate::{Delivery, RateSample, SendStamp};
pub use segment::{Flags, Reply, Segment, SegmentError};
pub use send_queue::pattern;
pub use seq::Seq;
pub use state::{Closed, Event, State};

/// Virtual time or a duration, in nanoseconds.
pub type Nanos = u64;

/// A millisecond in nanoseconds.
pub(crate) const MILLISECOND: Nanos = 1_000_000;
/// A second in nanoseconds.
pub(crate) const SECOND: Nanos = 1_000_000_000;
