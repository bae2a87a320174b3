//! How much may be in flight: the trait and what it is told.

mod reno;

use std::fmt;
use std::sync::Arc;

use crate::Nanos;

/// Makes a congestion control of somebody else's.
pub type Make = dyn Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync;

/// Which congestion control.
#[derive(Clone)]
pub enum Algorithm {
    /// RFC 5681, as textbooks draw it.
    Reno,
    /// RFC 9438.
    Cubic,
    /// BBR version 1.
    Bbr,
    /// The caller's own.
    Custom(Arc<Make>),
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Algorithm::Reno => "Reno",
            Algorithm::Cubic => "Cubic",
            Algorithm::Bbr => "Bbr",
            Algorithm::Custom(_) => "Custom",
        })
    }
}

/// What a congestion control begins with.
#[derive(Clone, Debug)]
pub struct Start {
    /// Payload of a full segment, bytes.
    pub mss: u32,
    /// Window at the start, bytes.
    pub initial_window: u64,
    /// Random bits of this connection.
    pub random: u64,
    /// HyStart++ asked for.
    pub hystart: bool,
    /// CUBIC's fast convergence asked for.
    pub fast_convergence: bool,
}

/// An acknowledgement that told of something new. Bytes of payload, nanoseconds.
#[derive(Clone, Debug)]
pub struct Acked {
    /// When it arrived.
    pub now: Nanos,
    /// Bytes that turned out to have arrived: cumulatively or selectively acknowledged for the first time.
    pub delivered: u64,
    /// Bytes by which the cumulative acknowledgement advanced.
    pub acked: u64,
    /// Bytes newly thought lost.
    pub newly_lost: u64,
    /// A round trip, if one could be measured.
    pub rtt: Option<Nanos>,
    /// Smoothed round trip time.
    pub srtt: Nanos,
    /// Least round trip time.
    pub min_rtt: Nanos,
    /// Bytes in flight after it.
    pub in_flight: u64,
    /// Bytes in flight before it.
    pub prior_in_flight: u64,
    /// The window, not the application or the peer, limited what was sent.
    pub cwnd_limited: bool,
    /// In recovery (not after a time-out): the window is reduced, not grown.
    pub in_recovery: bool,
    /// The first acknowledgement of a new round trip.
    pub round_start: bool,
    /// The rate at which data arrives.
    pub rate: Option<RateSample>,
}

/// A measurement of the delivery rate (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub struct RateSample {
    /// Bits of payload per second.
    pub bits_per_second: u64,
    /// Bytes delivered over the interval.
    pub delivered: u64,
    /// All bytes delivered when the newest segment of the sample left.
    pub prior_delivered: u64,
    /// Nanoseconds.
    pub interval: Nanos,
    /// The application, not the network, limited it.
    pub app_limited: bool,
}

/// Why the window is to be reduced.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub enum Cause {
    /// A segment was lost.
    Loss,
    /// A router marked a packet.
    Ecn,
}

/// The network is congested: once a window of data.
#[derive(Clone, Debug)]
pub struct Congestion {
    /// When it was noticed.
    pub now: Nanos,
    /// How.
    pub cause: Cause,
    /// Bytes sent and not acknowledged ("FlightSize"), no more than the window.
    pub in_flight: u64,
    /// Smoothed round trip time.
    pub srtt: Nanos,
    /// Bytes thought lost.
    pub lost: u64,
}

/// A congestion control. All sizes in bytes of payload.
pub trait CongestionControl: Send {
    /// Its name.
    fn name(&self) -> &'static str;
    /// How much may be in flight.
    fn window(&self) -> u64;
    /// Below it the window grows by slow start; `u64::MAX`: none yet.
    fn slow_start_threshold(&self) -> u64;
    /// Bits of IP packets per second at which segments are to leave.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }
    /// Whether proportional rate reduction (RFC 6937) leads the window down in recovery.
    fn reduces_by_prr(&self) -> bool {
        true
    }
    /// Data left; `in_flight` counts it.
    fn on_sent(&mut self, _now: Nanos, _bytes: u64, _in_flight: u64) {}
    /// An acknowledgement told of something new.
    fn on_ack(&mut self, acked: &Acked);
    /// Recovery begins.
    fn on_congestion(&mut self, event: &Congestion);
    /// Recovery is over.
    fn on_recovered(&mut self, _now: Nanos) {}
    /// The retransmission time-out expired.
    fn on_timeout(&mut self, event: &Congestion);
    /// Data is about to leave after nothing was in flight for `idle`.
    fn on_idle(&mut self, _now: Nanos, _idle: Nanos) {}
    /// The last reduction was a mistake.
    fn undo(&mut self) {}
    /// Segments have another size from now on.
    fn on_mss(&mut self, _mss: u32) {}
}

/// The congestion control of this name.
pub fn controller(algorithm: &Algorithm, start: &Start) -> Box<dyn CongestionControl> {
    match algorithm {
        Algorithm::Custom(make) => make(start),
        Algorithm::Reno | Algorithm::Cubic | Algorithm::Bbr => Box::new(reno::Reno::new(start)),
    }
}
