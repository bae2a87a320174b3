//! Congestion control: how much may be in flight.
//!
//! A controller knows bytes, times and round trips. What is lost, where recovery begins and ends, and that marks and losses
//! reduce once a window of data is the connection's to find out; the controller answers with a window and, if it paces, with
//! a rate.

use std::fmt;
use std::sync::Arc;

use crate::Nanos;
pub use crate::rate::RateSample;

mod bbr;
mod cubic;
mod hystart;
mod reno;

pub use bbr::Bbr;
pub use cubic::Cubic;
pub use reno::Reno;

/// No window grows beyond this: TCP cannot announce more (RFC 7323, section 2.3).
const LARGEST_WINDOW: u64 = 1 << 30;

/// Makes a controller of somebody else's.
pub type Factory = Arc<dyn Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync>;

/// Which controller a connection has.
#[derive(Clone, Default)]
pub enum Algorithm {
    /// [`Reno`].
    Reno,
    /// [`Cubic`].
    #[default]
    Cubic,
    /// [`Bbr`].
    Bbr,
    /// What this makes for each connection.
    Custom(Factory),
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Algorithm::Reno => "Reno",
            Algorithm::Cubic => "Cubic",
            Algorithm::Bbr => "Bbr",
            Algorithm::Custom(_) => "Custom",
        })
    }
}

/// What a controller starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// SMSS: payload bytes of a full segment.
    pub mss: u32,
    /// Bytes (RFC 6928: ten segments).
    pub initial_window: u64,
    /// Smoothed round trip, as the handshake told it; 0 where it did not.
    pub srtt: Nanos,
    /// The controller's share of the connection's randomness.
    pub random: u64,
    /// Leave the first slow start when round trips grow (RFC 9406); Reno and CUBIC.
    pub hystart: bool,
    /// Give way to newcomers (RFC 9438, section 4.7); CUBIC.
    pub fast_convergence: bool,
}

/// What an ACK brought.
#[derive(Clone, Debug, Default)]
pub struct Acked {
    /// When it came.
    pub now: Nanos,
    /// Bytes now known to have arrived, by the cumulative number or selectively.
    pub delivered: u64,
    /// Bytes by which the cumulative number moved.
    pub acked: u64,
    /// Bytes now taken for lost.
    pub newly_lost: u64,
    /// The round trip this ACK measured, if it did.
    pub rtt: Option<Nanos>,
    /// Smoothed round trip (RFC 6298), 0 before the first.
    pub srtt: Nanos,
    /// The connection's shortest round trip, 0 before the first.
    pub min_rtt: Nanos,
    /// Bytes in flight after this ACK: sent, neither known to have arrived nor taken for lost.
    pub in_flight: u64,
    /// Bytes in flight before it.
    pub prior_in_flight: u64,
    /// The window, not the application or the receiver, has been what held data back.
    pub cwnd_limited: bool,
    /// In fast recovery. Not after a time-out: there slow start goes on.
    pub in_recovery: bool,
    /// All that was in flight when the last round began has been acknowledged: a new round trip begins.
    pub round_start: bool,
    /// The rate of delivery, if this ACK gave a sample.
    pub rate: Option<RateSample>,
}

/// What told of congestion.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    /// A lost segment.
    Loss,
    /// The receiver echoed a mark (ECE, RFC 3168).
    Ecn,
}

/// Congestion, told once a window of data.
#[derive(Clone, Debug)]
pub struct Congestion {
    /// When it was noticed.
    pub now: Nanos,
    /// By what.
    pub cause: Cause,
    /// FlightSize: bytes outstanding just before, those now taken for lost included (RFC 5681).
    pub in_flight: u64,
    /// Smoothed round trip, 0 before the first.
    pub srtt: Nanos,
    /// Bytes of `in_flight` that are taken for lost.
    pub lost: u64,
}

/// A controller of one connection.
///
/// The connection calls, for an ACK: [`on_recovered`](Self::on_recovered) if it ends a recovery, else
/// [`on_congestion`](Self::on_congestion) if it begins one, then always [`on_ack`](Self::on_ack).
pub trait CongestionControl: Send {
    /// `reno`, `cubic`, `bbr` or the maker's own.
    fn name(&self) -> &'static str;
    /// Bytes that may be in flight: never less than a segment.
    fn window(&self) -> u64;
    /// Bytes below which the window is in slow start; `u64::MAX` if there is no such bound.
    fn slow_start_threshold(&self) -> u64;
    /// Payload bits a second at which to send, for controllers that pace: never 0. It counts what [`RateSample`] counts, so
    /// whoever paces by it counts payload too; headers on top would hold the sender below the bottleneck's rate.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }
    /// Whether the connection approaches a smaller window by PRR (RFC 6937). Otherwise the window holds as it is.
    fn reduces_by_prr(&self) -> bool {
        true
    }
    /// Data leaves, new or again; `in_flight` counts it.
    fn on_sent(&mut self, now: Nanos, bytes: u64, in_flight: u64) {
        let _ = (now, bytes, in_flight);
    }
    /// An ACK came.
    fn on_ack(&mut self, acked: &Acked);
    /// Fast recovery begins, or the window answers a mark.
    fn on_congestion(&mut self, event: &Congestion);
    /// All that was outstanding at the last congestion or time-out is acknowledged.
    fn on_recovered(&mut self, now: Nanos) {
        let _ = now;
    }
    /// The retransmission timer ran out.
    fn on_timeout(&mut self, event: &Congestion);
    /// Sending begins again after a pause longer than a retransmission time-out (RFC 5681, section 4.1).
    fn on_idle(&mut self, now: Nanos, idle: Nanos) {
        let _ = (now, idle);
    }
    /// The last reduction was for nothing: what seemed lost had only been late.
    fn undo(&mut self) {}
    /// Segments have another size from now on.
    fn on_mss(&mut self, mss: u32) {
        let _ = mss;
    }
}

/// A controller for a new connection.
pub fn controller(algorithm: &Algorithm, start: &Start) -> Box<dyn CongestionControl> {
    match algorithm {
        Algorithm::Reno => Box::new(Reno::new(start)),
        Algorithm::Cubic => Box::new(Cubic::new(start)),
        Algorithm::Bbr => Box::new(Bbr::new(start)),
        Algorithm::Custom(factory) => factory(start),
    }
}

/// Marks reduce once a window of data (RFC 3168, section 6.1.2). A connection sees to this by sequence numbers; here a count of
/// acknowledged bytes does, so that a connection that passes on each echo does no harm.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    /// Bytes still to be acknowledged of what was outstanding at the last reduction.
    outstanding: u64,
}

impl Marks {
    fn acked(&mut self, bytes: u64) {
        self.outstanding = self.outstanding.saturating_sub(bytes);
    }

    /// Whether to reduce for this event; if so, its flight is the window of data that counts.
    fn reduces(&mut self, event: &Congestion) -> bool {
        if event.cause == Cause::Ecn && self.outstanding > 0 {
            return false;
        }
        self.outstanding = event.in_flight;
        true
    }
}
