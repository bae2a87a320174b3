//! Congestion control, which determines how much may be in flight.
//!
//! A congestion control sees bytes, times and RTTs. The connection decides which segments are lost,
//! and when recovery begins and ends. It also ensures that losses and ECN echoes reduce the window
//! only once per window of data. The congestion control returns a window and, if it paces, a rate.

use std::fmt;
use std::sync::Arc;

use crate::Nanos;
pub use crate::rate::RateSample;

mod bbr;
mod bbr_draft;
mod cubic;
mod hystart;
mod hystart_plus_plus;
mod reno;
mod round_max;
mod slow_start;

pub use bbr::Bbr;
pub use bbr_draft::BbrDraft;
pub use cubic::Cubic;
pub use reno::Reno;

/// The maximum window: TCP cannot announce more (RFC 7323, section 2.3).
const MAX_WINDOW: u64 = 1 << 30;

/// A function that creates a congestion control defined outside this crate.
pub type Factory = Arc<dyn Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync>;

/// The congestion control of a connection.
#[derive(Clone, Default)]
pub enum Algorithm {
    /// [`Reno`].
    Reno,
    /// [`Cubic`] with Linux' HyStart.
    #[default]
    Cubic,
    /// [`Cubic`] with the HyStart++ of RFC 9406.
    CubicRfc,
    /// [`Bbr`], as in Linux.
    Bbr,
    /// [`BbrDraft`].
    BbrDraft,
    /// A congestion control that this function creates for each connection.
    Custom(Factory),
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Algorithm::Reno => "Reno",
            Algorithm::Cubic => "Cubic",
            Algorithm::CubicRfc => "CubicRfc",
            Algorithm::Bbr => "Bbr",
            Algorithm::BbrDraft => "BbrDraft",
            Algorithm::Custom(_) => "Custom",
        })
    }
}

impl Algorithm {
    /// The names of the congestion controls of this crate. If Linux has a congestion control of the
    /// same name, it is the one of Linux.
    pub const NAMES: [&'static str; 5] = ["reno", "cubic", "cubic-rfc", "bbr", "bbr-draft"];

    /// Returns the congestion control with this name, one of [`NAMES`](Self::NAMES).
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "reno" => Some(Algorithm::Reno),
            "cubic" => Some(Algorithm::Cubic),
            "cubic-rfc" => Some(Algorithm::CubicRfc),
            "bbr" => Some(Algorithm::Bbr),
            "bbr-draft" => Some(Algorithm::BbrDraft),
            _ => None,
        }
    }
}

/// The initial state of a congestion control.
#[derive(Clone, Debug)]
pub struct Start {
    /// SMSS: payload bytes of a full segment.
    pub mss: u32,
    /// Initial window in bytes (RFC 6928: ten segments).
    pub initial_window: u64,
    /// Smoothed RTT of the handshake; 0 if it was not measured.
    pub srtt: Nanos,
    /// Random bits for this congestion control.
    pub random: u64,
    /// Whether segments are paced even if the congestion control has no rate.
    pub paced: bool,
    /// Whether slow start ends when RTTs grow, for Reno and CUBIC. The rule is HyStart++ (RFC
    /// 9406), or Linux' HyStart for [`Algorithm::Cubic`].
    pub hystart: bool,
    /// Whether CUBIC leaves capacity to new flows (RFC 9438, section 4.7).
    pub fast_convergence: bool,
}

/// The information that a congestion control gets from an ACK.
#[derive(Clone, Debug, Default)]
pub struct Acked {
    /// The time at which the ACK arrived.
    pub now: Nanos,
    /// The number of bytes newly known to have arrived, by cumulative or selective acknowledgement.
    pub delivered: u64,
    /// The number of bytes that the cumulative acknowledgement advanced.
    pub acked: u64,
    /// The number of bytes newly marked lost.
    pub newly_lost: u64,
    /// The RTT measured by this ACK, if any.
    pub rtt: Option<Nanos>,
    /// Smoothed RTT (RFC 6298), 0 before the first measurement.
    pub srtt: Nanos,
    /// Minimum RTT of the connection, 0 before the first measurement.
    pub min_rtt: Nanos,
    /// The number of bytes in flight after this ACK: sent, and neither known to have arrived nor
    /// marked lost.
    pub in_flight: u64,
    /// The number of bytes in flight before this ACK.
    pub prior_in_flight: u64,
    /// Whether sending was limited by the congestion window, not by the application or the
    /// receiver.
    pub cwnd_limited: bool,
    /// Whether the connection is in fast recovery. False after a time-out, when slow start
    /// continues.
    pub in_recovery: bool,
    /// Whether a new round trip begins, because everything that was in flight at the start of the
    /// last round trip has been acknowledged.
    pub round_start: bool,
    /// The delivery rate, if this ACK gave a sample.
    pub rate: Option<RateSample>,
    /// The time at which pacing lets the next segment leave. With 0 or a time in the past, the
    /// segment may leave at once.
    pub departure: Nanos,
}

/// The kind of congestion signal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    /// A lost segment.
    Loss,
    /// The receiver echoed an ECN mark (ECE, RFC 3168).
    Ecn,
}

/// The report of congestion, made once per window of data.
#[derive(Clone, Debug)]
pub struct Congestion {
    /// The time at which it was detected.
    pub now: Nanos,
    /// The signal that indicated the congestion.
    pub cause: Cause,
    /// FlightSize (RFC 5681): the bytes that were outstanding just before the congestion, including
    /// those that are now marked lost.
    pub in_flight: u64,
    /// Smoothed RTT, 0 before the first measurement.
    pub srtt: Nanos,
    /// The number of bytes of `in_flight` that are marked lost.
    pub lost: u64,
}

/// The congestion control of a connection.
///
/// For each ACK the connection calls [`on_recovered`](Self::on_recovered) if it ends a recovery, or
/// else [`on_congestion`](Self::on_congestion) if it begins one, and then always
/// [`on_ack`](Self::on_ack).
pub trait CongestionControl: Send {
    /// Returns the name: one of [`Algorithm::NAMES`], or the name of a custom congestion control.
    fn name(&self) -> &'static str;
    /// Returns the bytes that may be in flight, at least one segment.
    fn window(&self) -> u64;
    /// Returns the slow start threshold in bytes; `u64::MAX` if there is none.
    fn slow_start_threshold(&self) -> u64;
    /// Returns the pacing rate in bits of payload per second, never 0, if this congestion control
    /// paces. It counts the same bytes as [`RateSample`], so pacing must also count payload; if it
    /// counted headers, the sender would stay below the bottleneck's rate.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }
    /// Returns the size of a burst in bytes of payload, if segments leave in bursts as in Linux,
    /// which hands full segments to the interface in one piece. Pacing then spaces bursts instead
    /// of segments, lets the first ten segments pass, and makes up for delays. With `None`, each
    /// segment leaves by itself.
    fn burst(&self) -> Option<u64> {
        None
    }
    /// Returns whether the connection reduces the window by PRR (RFC 6937). Otherwise the
    /// connection uses the window unchanged.
    fn reduces_by_prr(&self) -> bool {
        true
    }
    /// Called when data is sent or retransmitted. `in_flight` includes it. `app_limited` is true if
    /// the application had nothing to send although the window had room.
    fn on_sent(&mut self, now: Nanos, bytes: u64, in_flight: u64, app_limited: bool) {
        let _ = (now, bytes, in_flight, app_limited);
    }
    /// Updates the window; called for each ACK.
    fn on_ack(&mut self, acked: &Acked);
    /// Called when fast recovery begins or the window is reduced because of ECN.
    fn on_congestion(&mut self, event: &Congestion);
    /// Called when everything that was outstanding at the last congestion or time-out has been
    /// acknowledged.
    fn on_recovered(&mut self, now: Nanos) {
        let _ = now;
    }
    /// Called when the retransmission timer expires.
    fn on_timeout(&mut self, event: &Congestion);
    /// Called when sending resumes after a pause longer than a retransmission time-out (RFC 5681,
    /// section 4.1).
    fn on_idle(&mut self, now: Nanos, idle: Nanos) {
        let _ = (now, idle);
    }
    /// Called when the last reduction was wrong, because segments were late and not lost.
    fn undo(&mut self) {}
    /// Called when the segment size changes.
    fn on_mss(&mut self, mss: u32) {
        let _ = mss;
    }
}

/// Returns the congestion control of a new connection.
pub fn controller(algorithm: &Algorithm, start: &Start) -> Box<dyn CongestionControl> {
    match algorithm {
        Algorithm::Reno => Box::new(Reno::new(start)),
        Algorithm::Cubic => Box::new(Cubic::new(start)),
        Algorithm::CubicRfc => Box::new(Cubic::rfc(start)),
        Algorithm::Bbr => Box::new(Bbr::new(start)),
        Algorithm::BbrDraft => Box::new(BbrDraft::new(start)),
        Algorithm::Custom(factory) => factory(start),
    }
}

/// Limits reductions due to ECN to one per window of data (RFC 3168, section 6.1.2). The connection
/// ensures this by sequence numbers. This type also counts acknowledged bytes, so that a caller may
/// report each echo.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// The bytes that were outstanding at the last reduction and are not yet acknowledged.
    outstanding: u64,
}

impl Marks {
    fn record_acked(&mut self, bytes: u64) {
        self.outstanding = self.outstanding.saturating_sub(bytes);
    }

    /// Returns whether to reduce the window for this event. If so, the next window of data begins.
    fn reduces(&mut self, event: &Congestion) -> bool {
        if event.cause == Cause::Ecn && self.outstanding > 0 {
            return false;
        }
        self.outstanding = event.in_flight;
        true
    }
}
