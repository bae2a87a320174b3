//! The schedule of request-response exchanges, for both transport protocols: when each one begins,
//! how large it is, and its result.

use std::net::IpAddr;

use weir_device::Nanos;
use weir_tcp::Closed;

use super::shared::Shared;
use crate::Random;
use crate::host::app::HostContext;
use weir_impair::math;

/// The start times of exchanges. Except for a Poisson process, the first one begins at the start.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Each exchange begins `think` nanoseconds after the end of the previous one.
    Sequential {
        /// The think time in nanoseconds.
        think: Nanos,
    },
    /// A Poisson process, independent of the end of exchanges.
    Poisson {
        /// The mean time between two exchanges in nanoseconds, above 0.
        mean: f64,
    },
    /// Each exchange begins `gap` nanoseconds after the beginning of the previous one.
    Every {
        /// The gap in nanoseconds.
        gap: Nanos,
    },
    /// Exchanges begin at these times, in nanoseconds from the start.
    At(Vec<Nanos>),
}

impl Arrivals {
    /// Returns the time at which exchange `number` begins, if that is known now; for sequential
    /// exchanges it is not. `started` is the start time.
    fn next(&self, number: u64, started: Nanos, now: Nanos, random: &mut Random) -> Option<Nanos> {
        match self {
            Arrivals::Sequential { .. } => None,
            Arrivals::Poisson { mean } => {
                Some(now.saturating_add((math::exponential(random) * mean) as Nanos))
            }
            Arrivals::Every { gap } => Some(started.saturating_add(gap.saturating_mul(number))),
            Arrivals::At(times) => times.get(number as usize).map(|time| started.saturating_add(*time)),
        }
    }

    /// Returns the error in the arrivals, if there is one.
    fn error(&self) -> Option<&'static str> {
        match self {
            Arrivals::At(times) if times.is_empty() => Some("no exchange; expected 1 or more"),
            Arrivals::Poisson { mean } if mean.is_nan() || *mean <= 0.0 => {
                Some("a mean of 0 ns between two exchanges; expected more than 0")
            }
            _ => None,
        }
    }
}

/// The distribution of request or response sizes in bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// A constant size.
    Fixed(u64),
    /// Exponential, rounded up to at least 1 byte.
    Exponential {
        /// The mean in bytes.
        mean: f64,
    },
    /// One of these sizes, each with the same probability.
    Choice(Vec<u64>),
}

impl Sizes {
    fn draw_size(&self, random: &mut Random) -> u64 {
        match self {
            Sizes::Fixed(bytes) => *bytes,
            Sizes::Exponential { mean } => (math::exponential(random) * mean) as u64 + 1,
            Sizes::Choice(sizes) => sizes[random.up_to(sizes.len() as u64 - 1) as usize],
        }
    }

    /// Returns whether all listed sizes satisfy a condition; random sizes may still not.
    pub(crate) fn all_sizes(&self, fits: impl Fn(u64) -> bool) -> bool {
        match self {
            Sizes::Fixed(bytes) => fits(*bytes),
            Sizes::Exponential { .. } => true,
            Sizes::Choice(sizes) => sizes.iter().all(|bytes| fits(*bytes)),
        }
    }

    /// Returns whether a size can be drawn.
    fn check(&self) -> bool {
        match self {
            Sizes::Fixed(_) => true,
            Sizes::Exponential { mean } => *mean > 0.0 && mean.is_finite(),
            Sizes::Choice(sizes) => !sizes.is_empty(),
        }
    }
}

/// A row of results: an exchange and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeRow {
    /// When the exchange began, in nanoseconds.
    pub started: Nanos,
    /// The number of bytes of the request.
    pub request: u64,
    /// The number of bytes of the response.
    pub response: u64,
    /// The time at which the complete request had arrived at the server.
    pub requested: Option<Nanos>,
    /// When the exchange ended: when the complete response had arrived, or the complete request if
    /// there is no response.
    pub finished: Option<Nanos>,
    /// The number of times that the request was retransmitted (UDP only).
    pub repeats: u32,
    /// How the exchange failed. For TCP: how the connection ended early, at the end where it ended
    /// first. For UDP: a time-out after the last try.
    pub failed: Option<Closed>,
    /// The index of the server that received the request; if several did, the last one before the
    /// exchange ended.
    pub server: Option<usize>,
}

impl ExchangeRow {
    /// Records how the exchange failed, unless it has finished or failed before.
    pub(crate) fn fail(&mut self, closed: Closed) {
        if self.finished.is_none() {
            self.failed.get_or_insert(closed);
        }
    }

    /// Records that a part of the request has arrived at this server.
    pub(crate) fn record_server(&mut self, place: usize) {
        if self.finished.is_none() {
            self.server = Some(place);
        }
    }

    /// Records that the complete request has arrived, and returns the size of the response. A
    /// repeated request gets another response.
    pub(crate) fn note_request(&mut self, now: Nanos) -> u64 {
        self.requested.get_or_insert(now);
        if self.response == 0 {
            self.finished.get_or_insert(now);
        }
        self.response
    }
}

/// The rows of exchanges in the order of their beginning.
pub(crate) type SharedRows = Shared<Vec<ExchangeRow>>;

/// Checks the settings of exchanges and returns the error.
pub(crate) fn check_exchanges(
    to: (IpAddr, u16),
    arrivals: &Arrivals,
    count: u64,
    sizes: [&Sizes; 2],
) -> Option<&'static str> {
    if to.1 == 0 {
        return Some("port 0; expected 1 to 65535");
    }
    if count == 0 {
        return Some("no exchange; expected 1 or more");
    }
    let drawn = || sizes.iter().all(|sizes| sizes.check());
    arrivals.error().or_else(|| {
        (!drawn()).then_some("sizes without a value; expected a mean above 0 or at least one size")
    })
}

/// The client's schedule of exchanges. The tokens of its wake-ups are the numbers of the exchanges
/// that are due.
pub(crate) struct ExchangeSchedule {
    arrivals: Arrivals,
    count: u64,
    request: Sizes,
    response: Sizes,
    random: Random,
    rows: SharedRows,
    started: Nanos,
    stopped: bool,
    failure: Option<String>,
}

impl ExchangeSchedule {
    /// Creates a schedule with valid settings (see [`check_exchanges`]). If the times are given,
    /// `count` becomes the number of times.
    pub(crate) fn new(
        mut arrivals: Arrivals,
        mut count: u64,
        [request, response]: [Sizes; 2],
        random: Random,
    ) -> Self {
        if let Arrivals::At(times) = &mut arrivals {
            times.sort_unstable();
            count = times.len() as u64;
        }
        ExchangeSchedule {
            arrivals,
            count,
            request,
            response,
            random,
            rows: SharedRows::default(),
            started: 0,
            stopped: false,
            failure: None,
        }
    }

    /// Returns the rows of all exchanges so far.
    pub(crate) fn rows(&self) -> &SharedRows {
        &self.rows
    }

    /// Returns the reason why an exchange could not begin, if one could not. No further exchange
    /// begins after that.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Records that an exchange could not begin.
    pub(crate) fn fail(&mut self, failure: String) {
        self.failure = Some(failure);
    }

    /// Stops the schedule: no further exchange begins.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Returns whether the schedule was stopped early.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    fn exchanges_begun(&self) -> u64 {
        self.rows.lock().len() as u64
    }

    /// Returns whether no further exchange will begin.
    pub(crate) fn all_begun(&self) -> bool {
        self.stopped || self.failure.is_some() || self.exchanges_begun() == self.count
    }

    /// Starts the schedule. Returns whether an exchange begins immediately.
    pub(crate) fn start(&mut self, host: &mut HostContext<'_>) -> bool {
        self.started = host.now();
        self.schedule_next(host);
        matches!(self.arrivals, Arrivals::Sequential { .. }) && !self.all_begun()
    }

    /// Returns whether exchange `number` is the next and may begin.
    pub(crate) fn is_due(&self, number: u64) -> bool {
        number == self.exchanges_begun() && !self.all_begun()
    }

    /// Makes a row for an exchange that begins now, with random sizes.
    pub(crate) fn draw(&mut self, now: Nanos) -> ExchangeRow {
        let (request, response) =
            (self.request.draw_size(&mut self.random), self.response.draw_size(&mut self.random));
        ExchangeRow {
            started: now,
            request,
            response,
            requested: None,
            finished: None,
            repeats: 0,
            failed: None,
            server: None,
        }
    }

    /// Adds the row of an exchange and returns its index.
    pub(crate) fn push(&mut self, row: ExchangeRow) -> usize {
        let mut rows = self.rows.lock();
        rows.push(row);
        rows.len() - 1
    }

    /// Requests the wake-up for the next exchange, if its time is known.
    pub(crate) fn schedule_next(&mut self, host: &mut HostContext<'_>) {
        let begun = self.exchanges_begun();
        if self.all_begun() {
            return;
        }
        if let Some(next) = self.arrivals.next(begun, self.started, host.now(), &mut self.random) {
            host.wake_at(next, begun);
        }
    }

    /// Called after the end of an exchange: schedules the next one after the think time, for
    /// sequential exchanges.
    pub(crate) fn end_exchange(&mut self, host: &mut HostContext<'_>) {
        if let Arrivals::Sequential { think } = self.arrivals
            && !self.all_begun()
        {
            host.wake_at(host.now().saturating_add(think), self.exchanges_begun());
        }
    }
}
