//! The connections of a running service.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

use crate::counts::{Counts, Reason};
use crate::source::Source;
use crate::table::{Limits, Table};

/// The time between two log lines about connections that were closed.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The maximum number of failures that a log line describes, each from a different source.
const MAX_DESCRIBED_FAILURES: usize = 4;

/// Decides which connections of a service stay open.
#[derive(Debug)]
pub struct Gate {
    /// The service, in log lines.
    service: String,
    began: Instant,
    state: Mutex<State>,
    /// Notified when `run` may have to act earlier than it expected.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    table: Table,
    /// The channels that tell connections to close, by connection.
    closers: BTreeMap<u64, oneshot::Sender<()>>,
    /// The counts in the last log line.
    logged: Counts,
    /// The earliest time of the next log line.
    next_line: Duration,
    /// The failures that the next log line describes.
    failures: BTreeMap<Source, String>,
}

impl Gate {
    /// Creates a gate for a service without connections, on the current runtime.
    pub fn new(service: impl Into<String>, limits: Limits) -> Arc<Self> {
        let state = State {
            table: Table::new(limits),
            closers: BTreeMap::new(),
            logged: Counts::default(),
            next_line: Duration::ZERO,
            failures: BTreeMap::new(),
        };
        let (began, changed) = (Instant::now(), Notify::new());
        Arc::new(Self { service: service.into(), began, state: Mutex::new(state), changed })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the table, and closes the connections that must close.
    fn with_table<T>(&self, act: impl FnOnce(&mut Table, Duration) -> T) -> T {
        self.with_state(|state, now| act(&mut state.table, now))
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State, Duration) -> T) -> T {
        let mut state = self.state();
        let result = act(&mut state, self.began.elapsed());
        let closing = state.table.take_closing();
        for id in &closing {
            if let Some(close) = state.closers.remove(id) {
                let _already_closed = close.send(());
            }
        }
        drop(state);
        if !closing.is_empty() {
            self.changed.notify_one();
        }
        result
    }

    /// Adds a connection. Returns its place, and a channel that says when to close the connection;
    /// `None` if the connection must be closed at once.
    pub(crate) fn arrive(
        self: &Arc<Self>,
        source: Source,
        has_right: bool,
    ) -> Option<(Place, oneshot::Receiver<()>)> {
        let (close, closes) = oneshot::channel();
        // In one step: another connection may displace this one at once.
        let id = self.with_state(|state, now| {
            let id = state.table.arrive(now, source, has_right)?;
            state.closers.insert(id, close);
            Some(id)
        });
        self.changed.notify_one();
        let id = id?;
        Some((Place { gate: Arc::clone(self), id }, closes))
    }

    /// Returns the current counts.
    pub fn counts(&self) -> Counts {
        self.state().table.counts()
    }

    /// Closes a connection because the process has no file descriptors left.
    pub fn free_descriptor(&self) {
        self.with_table(|table, _| table.free_descriptor());
    }

    /// Closes connections whose time has passed, and logs the reasons. This function never ends;
    /// nothing is lost if its future is dropped and the function is called again.
    pub async fn run(&self) {
        loop {
            self.with_table(Table::expire);
            match self.log() {
                Some(next) => tokio::select! {
                    () = sleep_until(self.began + next) => {}
                    () = self.changed.notified() => {}
                },
                None => self.changed.notified().await,
            }
        }
    }

    /// Logs the closed connections, if the last log line is old enough. Returns when to call this
    /// function again.
    fn log(&self) -> Option<Duration> {
        let (line, next) = self.line();
        if let Some((last, line)) = line {
            tracing::warn!(service = self.service, last, "{line}");
        }
        next
    }

    /// Returns two things: the source of the connection that was closed last and a log line about
    /// the closed connections, if the last log line is old enough; and the time of the next log
    /// line.
    fn line(&self) -> (Option<(String, String)>, Option<Duration>) {
        let mut state = self.state();
        let (now, counts) = (self.began.elapsed(), state.table.counts());
        let closed = counts.closed_since(&state.logged);
        let deadline = state.table.next_deadline();
        let Some(closed) = closed else { return (None, deadline) };
        if now < state.next_line {
            let next = deadline.map_or(state.next_line, |deadline| deadline.min(state.next_line));
            return (None, Some(next));
        }
        (state.logged, state.next_line) = (counts, now + LOG_INTERVAL);
        let last = state.table.last_closed().map(|source| source.to_string()).unwrap_or_default();
        let failures = std::mem::take(&mut state.failures).into_values();
        let failures: String = failures.map(|failure| format!("; {failure}")).collect();
        (Some((last, format!("connections were closed: {closed}{failures}"))), deadline)
    }
}

/// The handle with which a service reports the events of one connection. After the connection is
/// closed, reports have no effect.
#[derive(Clone, Debug)]
pub struct Place {
    gate: Arc<Gate>,
    id: u64,
}

impl Place {
    /// Records that a whole request or message has arrived.
    pub fn ask(&self) {
        self.gate.with_table(|table, now| table.ask(now, self.id));
    }

    /// Makes the connection keep its place until the returned value is dropped, even if other
    /// connections need places.
    pub fn hold(&self) -> HeldStream {
        self.gate.with_table(|table, _| table.hold(self.id));
        HeldStream(self.clone())
    }

    /// Sets whether the peer has proven a right to connect.
    pub fn set_right(&self, has_right: bool) {
        self.gate.with_table(|table, _| table.set_right(self.id, has_right));
    }

    /// Counts the connection as closed by the service, for the given reason.
    pub fn count_closed(&self, reason: Reason) {
        self.gate.with_table(|table, _| table.count_closed(self.id, reason));
        self.gate.changed.notify_one();
    }

    /// Records that the TLS handshake of the connection failed. `peer` is the address for the log
    /// line, which describes one failure for each of the first sources.
    pub fn fail(&self, peer: &str, why: &str) {
        self.gate.with_state(|state, _| {
            let Some(source) = state.table.source(self.id) else { return };
            state.table.count_closed(self.id, Reason::Handshake);
            if state.failures.len() < MAX_DESCRIBED_FAILURES {
                state.failures.entry(source).or_insert_with(|| format!("{peer}: {why}"));
            }
        });
        self.gate.changed.notify_one();
    }

    /// Records that the connection is closed.
    pub(crate) fn leave(&self) {
        self.gate.with_state(|state, _| {
            state.table.leave(self.id);
            state.closers.remove(&self.id);
        });
    }
}

/// A stream that a connection holds, until this value is dropped.
#[derive(Debug)]
pub struct HeldStream(Place);

impl Drop for HeldStream {
    fn drop(&mut self) {
        self.0.gate.with_table(|table, now| table.release(now, self.0.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn failed_handshakes_are_logged_with_their_reasons_once_in_a_while() {
        let gate = Gate::new("P4Runtime", Limits::default());
        let fail = |last_byte: u8, why: &str| {
            let address = std::net::IpAddr::from([192, 0, 2, last_byte]);
            let (place, _closes) = gate.arrive(address.into(), false).unwrap();
            place.fail(&format!("{address}:4000"), why);
            place.leave();
        };
        fail(1, "UnknownIssuer");
        let (line, _) = gate.line();
        let expected = "connections were closed: 1 failed the TLS handshake; 192.0.2.1:4000: UnknownIssuer";
        assert_eq!(line, Some(("192.0.2.1".to_owned(), expected.to_owned())));
        for _ in 0..1000 {
            (2..100).for_each(|last_byte| fail(last_byte, "Expired"));
        }
        let (line, next) = gate.line();
        assert_eq!((line, next), (None, Some(LOG_INTERVAL)));
        tokio::time::advance(LOG_INTERVAL).await;
        let (_, line) = gate.line().0.unwrap();
        assert!(
            line.starts_with(
                "connections were closed: 98000 failed the TLS handshake; 192.0.2.2:4000: Expired"
            ),
            "{line}"
        );
        assert_eq!(line.matches(": Expired").count(), MAX_DESCRIBED_FAILURES);
        assert_eq!(gate.counts().closed(Reason::Handshake), 98_001);
        // A connection that the gate itself has closed fails for no reason of its client.
        let (place, _closes) = gate.arrive(Source::Loopback, false).unwrap();
        tokio::time::advance(Limits::default().opening).await;
        gate.with_table(Table::expire);
        place.fail("127.0.0.1:4000", "the connection's place is needed for others");
        assert_eq!(gate.counts().closed(Reason::Handshake), 98_001);
    }
}
