//! Settings of an end point.

use crate::congestion::Algorithm;
use crate::{MILLISECOND, Nanos, SECOND};

/// The minimum MSS: with a smaller one, options could fill a segment.
pub(crate) const MIN_MSS: u16 = 64;

/// Settings of a connection. The defaults are those of Linux, under which most published
/// measurements were made.
#[derive(Clone, Debug)]
pub struct Config {
    /// Congestion control. Default: CUBIC.
    pub congestion: Algorithm,
    /// Maximum payload of a segment on this interface, in bytes: the MTU less the headers of IP
    /// (with options) and TCP. Default 1460, at least 64.
    pub mss: u16,
    /// Size of the IP header with options, in bytes. Pacing rates include it. Default 20.
    pub ip_header: u16,
    /// Initial window in segments (RFC 6928). Default 10.
    pub initial_window_segments: u32,
    /// Maximum number of bytes written and not yet acknowledged. Default 4 MiB.
    pub send_buffer: u32,
    /// Maximum number of bytes received and not yet read, which limits the window. Default 6 MiB.
    pub receive_buffer: u32,
    /// Selective acknowledgements (RFC 2018). Default on.
    pub sack: bool,
    /// Timestamps (RFC 7323). Default on.
    pub timestamps: bool,
    /// Window scaling, for windows above 65 535 bytes (RFC 7323). Default on.
    pub window_scaling: bool,
    /// Explicit congestion notification (RFC 3168). Default off.
    pub ecn: bool,
    /// The rules for the acknowledgement of data.
    pub delayed_ack: DelayedAck,
    /// Number of segments at the start that are acknowledged at once. Default 16.
    pub quick_acks: u32,
    /// Whether data that arrives in order is acknowledged when the application reads it, so that
    /// one acknowledgement covers all data of one read. Data with gaps, and the segments of
    /// [`Config::quick_acks`], are still acknowledged on arrival. Default off.
    pub ack_on_read: bool,
    /// Nagle's algorithm (RFC 9293 section 3.7.4): a segment that is not full waits while data is
    /// unacknowledged. Default on.
    pub nagle: bool,
    /// Minshall's variant of Nagle's algorithm, as in Linux (draft-minshall-nagle-01): a segment
    /// that is not full waits only while another segment that is not full is unacknowledged. So the
    /// last segment of a longer write leaves at once. Default on.
    pub minshall: bool,
    /// Minimum retransmission time-out. Default 200 ms.
    pub min_rto: Nanos,
    /// Lower bound of the RTT variation term (4·RTTVAR) in the retransmission time-out, so that the
    /// time-out exceeds the smoothed RTT by at least this time. Default 200 ms, as in Linux: a
    /// queue that fills within a round trip must not cause a time-out. The peer's delay of
    /// acknowledgements is a lower bound as well.
    pub min_variation: Nanos,
    /// Retransmission time-out before the first RTT measurement. Default 1 s (RFC 6298).
    pub initial_rto: Nanos,
    /// Maximum retransmission time-out. Default 120 s.
    pub max_rto: Nanos,
    /// Maximum number of SYN retransmissions before the connection fails. Default 6.
    pub syn_retries: u32,
    /// Maximum number of data retransmissions before the connection fails. Default 15.
    pub data_retries: u32,
    /// Duration of TIME-WAIT. Default 60 s.
    pub time_wait: Nanos,
    /// The time for which the peer may keep its side open after
    /// [`Connection::release`](crate::Connection::release). Default 60 s.
    pub fin_wait: Nanos,
    /// The reduction of the window in recovery.
    pub reduction: Reduction,
    /// Loss detection by time (RFC 8985): a segment is lost if one that was sent a quarter of the
    /// minimum RTT later has arrived. This also finds lost retransmissions. If a segment marked
    /// lost arrives after all, the interval grows. Default on.
    pub rack: bool,
    /// Adaptation to reordering, as in Linux: when segments arrive after later ones, the number of
    /// later segments that indicate a loss grows from three (RFC 6675) to at most 300. Default on.
    pub adapt_reordering: bool,
    /// Tail loss probes (RFC 8985 section 7): two round trips after the last segment, that segment
    /// is sent again, or a new segment is sent. Needs selective acknowledgements. Default on.
    pub tail_loss_probe: bool,
    /// HyStart, for Reno HyStart++ (RFC 9406). `None` means on for CUBIC and off for Reno.
    pub hystart: Option<bool>,
    /// Fast convergence of CUBIC (RFC 9438 section 4.7). Default on.
    pub fast_convergence: bool,
    /// Whether segments are paced.
    pub pacing: Pacing,
    /// The time before its departure at which a paced segment is handed over to a queue that holds
    /// it until [`Outgoing::earliest`](crate::Outgoing::earliest). Default 0: the connection holds
    /// the segment.
    pub paced_ahead: Nanos,
    /// Limits the bytes in the host's own queue. The caller of the connection reports departures.
    /// Default on.
    pub small_queue: bool,
    /// Whether received bytes are stored or only counted. Default: stored.
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
            ack_on_read: false,
            nagle: true,
            minshall: true,
            min_rto: 200 * MILLISECOND,
            min_variation: 200 * MILLISECOND,
            initial_rto: SECOND,
            max_rto: 120 * SECOND,
            syn_retries: 6,
            data_retries: 15,
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

/// The reason why settings are invalid.
#[derive(Debug, Clone, Copy, Eq, PartialEq, thiserror::Error)]
pub enum ConfigError {
    /// [`Config::mss`] is too small.
    #[error(
        "segments of {0} bytes of payload: at least 64 are needed, an MTU of 104 for IPv4 and of 124 for IPv6"
    )]
    Mss(u16),
    /// A buffer has no room.
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
    /// [`Config::min_rto`] is above [`Config::max_rto`].
    #[error("a minimum time-out of {0} ns is above the maximum of {1} ns")]
    TimeOuts(Nanos, Nanos),
    /// [`Pacing::Rate`] is 0.
    #[error("pacing at 0 bit/s: nothing would ever leave")]
    Rate,
}

impl Config {
    /// Returns the settings of TCP as described in the RFCs and in textbooks, without the additions
    /// of operating systems: NewReno; a minimum time-out of 1 s (RFC 6298); every second segment
    /// acknowledged from the start, or after 200 ms; Nagle's algorithm without Minshall's variant;
    /// losses detected only by three later segments (RFC 6675), without probes, without loss
    /// detection by time and without adaptation to reordering.
    pub fn rfc() -> Self {
        Config::default().like(Profile::Rfc)
    }

    /// Returns these settings, in which the settings that differ between profiles are replaced by
    /// those of `profile`.
    #[must_use]
    pub fn like(self, profile: Profile) -> Self {
        match profile {
            Profile::Linux => {
                let Config {
                    congestion,
                    min_rto,
                    min_variation,
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
                    min_variation,
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
                min_variation: 0,
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

    /// Checks that a connection can work with these settings. Callers check a user's settings
    /// before they create a connection. [`Connection`](crate::Connection) itself accepts all
    /// settings, and treats an `mss` below 64 as 64.
    ///
    /// # Errors
    /// A setting is invalid; the error is about the first invalid setting.
    pub fn check(&self) -> Result<(), ConfigError> {
        let DelayedAck { every, timeout } = self.delayed_ack;
        let error = if self.mss < MIN_MSS {
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

/// The source of the settings: an operating system or the RFCs.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Profile {
    /// Linux: [`Config::default`].
    Linux,
    /// The RFCs: [`Config::rfc`].
    Rfc,
}

/// The rules for the acknowledgement of in-order data (RFC 5681 section 4.2).
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct DelayedAck {
    /// The number of full segments for one acknowledgement. With 1, each segment is acknowledged at
    /// once.
    pub every: u32,
    /// The maximum delay of an acknowledgement.
    pub timeout: Nanos,
}

/// Whether segments are paced.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Pacing {
    /// Segments are paced if the congestion control has a pacing rate.
    Controller,
    /// Segments are always paced. If the congestion control has no rate, the rate is twice the
    /// window per round trip while the window is below half of the slow start threshold, and 1.2
    /// times the window after that ([`crate::pacer::rate_of_window`]).
    Always,
    /// Segments are paced at this rate, in bits of IP packets per second, or at the rate of the
    /// congestion control if that is lower.
    Rate(u64),
}

/// The rule that reduces the window in recovery.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Reduction {
    /// The window shrinks in proportion to arrivals (RFC 6937).
    Prr,
    /// The window shrinks to the threshold at once (RFC 6675).
    Rfc6675,
}

/// The way in which received bytes are stored.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Keep {
    /// The bytes are stored until they are read.
    Bytes,
    /// The bytes are only counted.
    Count,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_settings_are_refused() {
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
