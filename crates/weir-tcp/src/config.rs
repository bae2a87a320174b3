//! How an end point behaves.

use crate::congestion::Algorithm;
use crate::{MILLISECOND, Nanos, SECOND};

/// The least payload of a full segment: below it options could take all of a segment.
pub(crate) const LEAST_MSS: u16 = 64;

/// The settings of a connection. The defaults are those of today's systems, which published measurements ran on.
#[derive(Clone, Debug)]
pub struct Config {
    /// How much may be in flight. Default CUBIC.
    pub congestion: Algorithm,
    /// The largest payload the interface takes, in bytes: MTU less the headers of IP (options included) and TCP. Default 1460, at least 64.
    pub mss: u16,
    /// What the IP header takes, options included, in bytes: rates of pacing count it. Default 20.
    pub ip_header: u16,
    /// Segments at the start (RFC 6928). Default 10.
    pub initial_window_segments: u32,
    /// Bytes written and not yet acknowledged. Default 4 MiB.
    pub send_buffer: u32,
    /// Bytes received and not yet read: the largest window. Default 6 MiB.
    pub receive_buffer: u32,
    /// Selective acknowledgements (RFC 2018). Default on.
    pub sack: bool,
    /// Timestamps (RFC 7323). Default on.
    pub timestamps: bool,
    /// Windows above 65 535 bytes (RFC 7323). Default on.
    pub window_scaling: bool,
    /// Explicit congestion notification (RFC 3168). Default off.
    pub ecn: bool,
    /// When data is acknowledged.
    pub delayed_ack: DelayedAck,
    /// So many first segments are acknowledged at once. Default 16.
    pub quick_acks: u32,
    /// Nagle's rule (RFC 9293 section 3.7.4): less than a full segment waits while anything is unacknowledged. Default on.
    pub nagle: bool,
    /// Minshall's variant of that rule, as Linux has it (draft-minshall-nagle-01): it waits only while another one less than full is
    /// unacknowledged, so that the end of a write of several segments leaves at once. Default on.
    pub minshall: bool,
    /// The least retransmission time-out. Default 200 ms.
    pub min_rto: Nanos,
    /// What the variation of round trips (4·RTTVAR) counts for at least in the time-out, which so is never less than this above the
    /// smoothed round trip. Default 200 ms, as Linux has it: a queue that fills from one round trip to the next is no reason for a
    /// time-out. The time by which a peer may delay an acknowledgement counts in any case.
    pub least_variation: Nanos,
    /// The time-out before a round trip was measured. Default 1 s (RFC 6298).
    pub initial_rto: Nanos,
    /// The largest time-out. Default 120 s.
    pub max_rto: Nanos,
    /// So many repetitions of a SYN, then the connection is given up. Default 6.
    pub syn_tries: u32,
    /// So many repetitions of data, then the connection is given up. Default 15.
    pub data_tries: u32,
    /// How long TIME-WAIT lasts. Default 60 s.
    pub time_wait: Nanos,
    /// How long a peer may leave its side open after [`Connection::release`](crate::Connection::release). Default 60 s.
    pub fin_wait: Nanos,
    /// How the window is reduced in recovery.
    pub reduction: Reduction,
    /// Losses are found by times too (the time rule of RFC 8985): what left a quarter of the least round trip before something that
    /// has arrived is lost, first transmissions and repetitions. A segment that turns out to have been late widens that. Default on.
    pub rack: bool,
    /// So much as later segments were seen to overtake earlier ones is not taken for loss any more, as Linux does: three segments
    /// at first (RFC 6675), at most 300. Default on.
    pub adapt_reordering: bool,
    /// A last segment that may be lost is sent again, or a new one, after two round trips (RFC 8985 section 7). Needs selective
    /// acknowledgements. Default on.
    pub tail_loss_probe: bool,
    /// HyStart++ (RFC 9406); `None`: as the algorithm does by default.
    pub hystart: Option<bool>,
    /// Fast convergence of CUBIC (RFC 9438 section 4.7). Default on.
    pub fast_convergence: bool,
    /// Whether segments are spaced in time.
    pub pacing: Pacing,
    /// So far ahead of its time a paced segment is handed over, for a queue behind the connection that holds it until
    /// [`Outgoing::earliest`](crate::Outgoing::earliest). Default 0: the connection waits itself.
    pub paced_ahead: Nanos,
    /// Only few bytes wait in the host's own queue: whoever runs the connection reports departures. Default on.
    pub small_queue: bool,
    /// Whether received bytes are kept or only counted. Default kept.
    pub keep: Keep,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            congestion: Algorithm::Cubic,
            mss: 1460,
            ip_header: 20,
            initial_window_segments: 10,
            send_buffer: 4 << 20,
            receive_buffer: 6 << 20,
            sack: true,
            timestamps: true,
            window_scaling: true,
            ecn: false,
            delayed_ack: DelayedAck { every: 2, timeout: 40 * MILLISECOND },
            quick_acks: 16,
            nagle: true,
            minshall: true,
            min_rto: 200 * MILLISECOND,
            least_variation: 200 * MILLISECOND,
            initial_rto: SECOND,
            max_rto: 120 * SECOND,
            syn_tries: 6,
            data_tries: 15,
            time_wait: 60 * SECOND,
            fin_wait: 60 * SECOND,
            reduction: Reduction::Prr,
            rack: true,
            adapt_reordering: true,
            tail_loss_probe: true,
            hystart: None,
            fast_convergence: true,
            pacing: Pacing::Controller,
            paced_ahead: 0,
            small_queue: true,
            keep: Keep::Bytes,
        }
    }
}

/// Why settings make no connection.
#[derive(Debug, Clone, Copy, Eq, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// [`Config::mss`] too small.
    #[error(
        "segments of {0} bytes of payload: at least 64 are needed, an MTU of 104 for IPv4 and of 124 for IPv6"
    )]
    Mss(u16),
    /// A buffer without room.
    #[error("a buffer of 0 bytes: nothing would ever be {0}")]
    Buffer(&'static str),
    /// [`Config::initial_window_segments`] is 0.
    #[error("an initial window of 0 segments: at least 1 is needed; 10 is usual")]
    InitialWindow,
    /// [`DelayedAck::every`] is 0.
    #[error("an acknowledgement for every 0th segment: 1 acknowledges each at once, 2 is usual")]
    AckEvery,
    /// [`DelayedAck::timeout`] above 500 ms.
    #[error("acknowledgements {0} ms late: RFC 5681 allows 500")]
    AckTimeout(u64),
    /// [`Config::min_rto`] above [`Config::max_rto`].
    #[error("a least time-out of {0} ns above the largest of {1} ns")]
    TimeOuts(Nanos, Nanos),
    /// [`Pacing::Rate`] of 0.
    #[error("pacing at 0 bit/s: nothing would ever leave")]
    Rate,
}

impl Config {
    /// TCP as the RFCs have it and books draw it, without what systems add: NewReno, a least time-out of 1 s (RFC 6298), every second
    /// segment acknowledged from the first on, or after 200 ms, Nagle's rule without Minshall's exception, and a loss is what three later
    /// segments say (RFC 6675) and nothing else: no probes, no losses by time, no learning from segments that overtake.
    pub fn rfc() -> Self {
        Config::default().like(Profile::Rfc)
    }

    /// These settings, but those in which the profiles differ as this one has them.
    #[must_use]
    pub fn like(self, profile: Profile) -> Self {
        match profile {
            Profile::Linux => {
                let Config {
                    congestion,
                    min_rto,
                    least_variation,
                    delayed_ack,
                    quick_acks,
                    minshall,
                    rack,
                    adapt_reordering,
                    tail_loss_probe,
                    ..
                } = Config::default();
                Config {
                    congestion,
                    min_rto,
                    least_variation,
                    delayed_ack,
                    quick_acks,
                    minshall,
                    rack,
                    adapt_reordering,
                    tail_loss_probe,
                    ..self
                }
            }
            Profile::Rfc => Config {
                congestion: Algorithm::Reno,
                min_rto: SECOND,
                least_variation: 0,
                delayed_ack: DelayedAck { every: 2, timeout: 200 * MILLISECOND },
                quick_acks: 0,
                minshall: false,
                rack: false,
                adapt_reordering: false,
                tail_loss_probe: false,
                ..self
            },
        }
    }

    /// Whether a connection can live by these settings. Whoever takes them from a user asks before it makes one;
    /// [`Connection`](crate::Connection) itself takes anything, and an `mss` below 64 as 64.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), ConfigError> {
        let DelayedAck { every, timeout } = self.delayed_ack;
        let error = if self.mss < LEAST_MSS {
            ConfigError::Mss(self.mss)
        } else if self.send_buffer == 0 {
            ConfigError::Buffer("sent")
        } else if self.receive_buffer == 0 {
            ConfigError::Buffer("received")
        } else if self.initial_window_segments == 0 {
            ConfigError::InitialWindow
        } else if every == 0 {
            ConfigError::AckEvery
        } else if timeout > 500 * MILLISECOND {
            ConfigError::AckTimeout(timeout / MILLISECOND)
        } else if self.min_rto > self.max_rto {
            ConfigError::TimeOuts(self.min_rto, self.max_rto)
        } else if self.pacing == Pacing::Rate(0) {
            ConfigError::Rate
        } else {
            return Ok(());
        };
        Err(error)
    }
}

/// Whose TCP it is like.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Profile {
    /// Today's systems: [`Config::default`].
    Linux,
    /// The RFCs and nothing else: [`Config::rfc`].
    Rfc,
}

/// When in-order data is acknowledged (RFC 5681 section 4.2).
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct DelayedAck {
    /// With every so many-th full segment; 1 is at once.
    pub every: u32,
    /// After this time at the latest.
    pub timeout: Nanos,
}

/// Whether segments are spaced in time.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Pacing {
    /// If the congestion control gives a rate.
    Controller,
    /// Always: where the congestion control has no rate, at twice the window a round trip while it is below half of the slow
    /// start threshold, and at 1.2 times after it ([`crate::pacer::rate_of_window`]).
    Always,
    /// At this rate, in bits of IP packets per second, and no faster than the congestion control wants.
    Rate(u64),
}

/// How the window is reduced in recovery.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Reduction {
    /// Proportionally to what arrives (RFC 6937).
    Prr,
    /// At once to the threshold (RFC 6675).
    Rfc6675,
}

/// What becomes of received bytes.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Keep {
    /// They are kept until read.
    Bytes,
    /// They are counted.
    Count,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_connection_could_live_by_is_refused() {
        assert_eq!(Config::default().check(), Ok(()));
        assert_eq!(Config { mss: 64, ..Config::default() }.check(), Ok(()));
        let late = DelayedAck { every: 2, timeout: 501 * MILLISECOND };
        for (config, error) in [
            (Config { mss: 63, ..Config::default() }, ConfigError::Mss(63)),
            (Config { send_buffer: 0, ..Config::default() }, ConfigError::Buffer("sent")),
            (Config { receive_buffer: 0, ..Config::default() }, ConfigError::Buffer("received")),
            (Config { initial_window_segments: 0, ..Config::default() }, ConfigError::InitialWindow),
            (
                Config { delayed_ack: DelayedAck { every: 0, timeout: 0 }, ..Config::default() },
                ConfigError::AckEvery,
            ),
            (Config { delayed_ack: late, ..Config::default() }, ConfigError::AckTimeout(501)),
            (Config { min_rto: 2, max_rto: 1, ..Config::default() }, ConfigError::TimeOuts(2, 1)),
            (Config { pacing: Pacing::Rate(0), ..Config::default() }, ConfigError::Rate),
        ] {
            assert_eq!(config.check(), Err(error));
        }
    }
}
