//! The schedule of exchanges, requests and their responses, whatever carries them: when each begins, how large it is, what became of it.

use std::net::IpAddr;

use weir_device::Nanos;
use weir_tcp::Closed;

use super::shared::Shared;
use crate::host::app::HostContext;
use crate::{Random, math};

/// When exchanges begin. The first does so at the start, but for a Poisson process.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Each so many nanoseconds after the end of the one before.
    Sequential {
        /// Nanoseconds of thinking.
        think: Nanos,
    },
    /// As a Poisson process with this mean of nanoseconds between two, whether or not those before have ended.
    Poisson {
        /// Nanoseconds, above 0.
        mean: f64,
    },
    /// Each so many nanoseconds after the beginning of the one before.
    Every {
        /// Nanoseconds.
        gap: Nanos,
    },
    /// At these times in nanoseconds from the start.
    At(Vec<Nanos>),
}

impl Arrivals {
    /// When the exchange of this number begins, if that is known by now: one by one it is not. `started` is when the first could.
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

    fn error(&self) -> Option<&'static str> {
        match self {
            Arrivals::At(times) if times.is_empty() => Some("no exchange; expected 1 or more"),
            Arrivals::Poisson { mean } if mean.is_nan() || *mean <= 0.0 => {
                Some("a mean of 0 ns between two exchanges; expected more")
            }
            _ => None,
        }
    }
}

/// How large requests or responses are, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub enum Sizes {
    /// All alike.
    Fixed(u64),
    /// Exponentially distributed, rounded up to 1 byte at least.
    Exponential {
        /// The mean in bytes.
        mean: f64,
    },
    /// Each drawn from these with equal chances.
    Choice(Vec<u64>),
}

impl Sizes {
    fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Sizes::Fixed(bytes) => *bytes,
            Sizes::Exponential { mean } => (math::exponential(random) * mean) as u64 + 1,
            Sizes::Choice(sizes) => sizes[random.up_to(sizes.len() as u64 - 1) as usize],
        }
    }

    /// Whether all that are named fit; those that are drawn freely may still not.
    pub(crate) fn all(&self, fits: impl Fn(u64) -> bool) -> bool {
        match self {
            Sizes::Fixed(bytes) => fits(*bytes),
            Sizes::Exponential { .. } => true,
            Sizes::Choice(sizes) => sizes.iter().all(|bytes| fits(*bytes)),
        }
    }

    /// Whether any can be drawn.
    fn check(&self) -> bool {
        match self {
            Sizes::Fixed(_) => true,
            Sizes::Exponential { mean } => *mean > 0.0 && mean.is_finite(),
            Sizes::Choice(sizes) => !sizes.is_empty(),
        }
    }
}

/// One exchange and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeRow {
    /// When it began, in nanoseconds.
    pub started: Nanos,
    /// Bytes of the request.
    pub request: u64,
    /// Bytes of the response.
    pub response: u64,
    /// When the request had come in whole at the server.
    pub requested: Option<Nanos>,
    /// When it was over: when the response had come in whole, or the request if there is none.
    pub finished: Option<Nanos>,
    /// How often the request was sent again, of datagrams.
    pub repeats: u32,
    /// How its connection ended, if it ended before that; of datagrams, that the last answer was waited for in vain.
    pub failed: Option<Closed>,
    /// Which of the named servers the request came to, by its place among them; if several, the last before it was over.
    pub server: Option<usize>,
}

impl ExchangeRow {
    /// Something of the request has come in at the server of this place.
    pub(crate) fn note_server(&mut self, place: usize) {
        if self.finished.is_none() {
            self.server = Some(place);
        }
    }

    /// The request has come in whole; how many bytes are to be answered. One that comes again is answered again.
    pub(crate) fn note_request(&mut self, now: Nanos) -> u64 {
        self.requested.get_or_insert(now);
        if self.response == 0 {
            self.finished.get_or_insert(now);
        }
        self.response
    }
}

/// SharedRows of exchanges, in the order of their beginning.
pub(crate) type SharedRows = Shared<Vec<ExchangeRow>>;

/// What is wrong with exchanges, of whatever carries them.
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
        (!drawn()).then_some("sizes of which none can be drawn; expected a mean above 0 or some sizes")
    })
}

/// The client's schedule of exchanges. Tokens of the wake-ups it asks for are the numbers of the exchanges that are due.
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
    /// One without [`check_exchanges`]; of given times there are as many exchanges as these.
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

    /// A row for each exchange so far.
    pub(crate) fn rows(&self) -> &SharedRows {
        &self.rows
    }

    /// Why an exchange could not begin, if one could not: then no other does.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// One could not begin.
    pub(crate) fn fail(&mut self, failure: String) {
        self.failure = Some(failure);
    }

    /// No other begins.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Whether it was ended early.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// How many have begun.
    fn begun(&self) -> u64 {
        self.rows.lock().len() as u64
    }

    /// Whether no other begins.
    pub(crate) fn all_begun(&self) -> bool {
        self.stopped || self.failure.is_some() || self.begun() == self.count
    }

    /// It starts now; whether an exchange is to begin at once.
    pub(crate) fn start(&mut self, host: &mut HostContext<'_>) -> bool {
        self.started = host.now();
        self.plan(host);
        matches!(self.arrivals, Arrivals::Sequential { .. }) && !self.all_begun()
    }

    /// Whether the exchange of this number is to begin: it is the next.
    pub(crate) fn is_due(&self, number: u64) -> bool {
        number == self.begun() && !self.all_begun()
    }

    /// One that could begin now, its sizes drawn.
    pub(crate) fn draw(&mut self, now: Nanos) -> ExchangeRow {
        let (request, response) = (self.request.draw(&mut self.random), self.response.draw(&mut self.random));
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

    /// It has begun; its place among the rows.
    pub(crate) fn push(&mut self, row: ExchangeRow) -> usize {
        let mut rows = self.rows.lock();
        rows.push(row);
        rows.len() - 1
    }

    /// Asks for the wake-up at which the next begins, if its time is known by now.
    pub(crate) fn plan(&mut self, host: &mut HostContext<'_>) {
        let begun = self.begun();
        if self.all_begun() {
            return;
        }
        if let Some(next) = self.arrivals.next(begun, self.started, host.now(), &mut self.random) {
            host.wake_at(next, begun);
        }
    }

    /// One is over: where they come one by one, the next follows after the time of thinking.
    pub(crate) fn follow(&mut self, host: &mut HostContext<'_>) {
        if let Arrivals::Sequential { think } = self.arrivals
            && !self.all_begun()
        {
            host.wake_at(host.now().saturating_add(think), self.begun());
        }
    }
}
