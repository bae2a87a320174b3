//! Messages of a switch until the client reads them.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tonic::{Code, Status};

use crate::proto::v1::stream_message_response::Update;
use crate::proto::v1::{self, StreamMessageResponse};
use crate::wire::number;

/// Messages of a kind that are kept; older ones are lost, and counted.
const KEPT: usize = 1 << 16;

/// Messages by kind.
#[derive(Default)]
pub struct Inbox {
    held: Mutex<Held>,
    arrived: Condvar,
}

#[derive(Default)]
struct Held {
    arbitration: Option<v1::MasterArbitrationUpdate>,
    packets: VecDeque<v1::PacketIn>,
    digests: VecDeque<v1::DigestList>,
    idle: VecDeque<v1::IdleTimeoutNotification>,
    errors: VecDeque<v1::StreamError>,
    /// Messages that arrived, and messages that were lost.
    counts: (u64, u64),
    ended: Option<Status>,
}

impl Inbox {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn add(&self, message: StreamMessageResponse) {
        let mut held = self.held();
        let held = &mut *held;
        let lost = match message.update {
            Some(Update::Arbitration(update)) => {
                held.arbitration = Some(update);
                0
            }
            Some(Update::Packet(packet)) => keep(&mut held.packets, packet),
            Some(Update::Digest(list)) => keep(&mut held.digests, list),
            Some(Update::IdleTimeoutNotification(notice)) => keep(&mut held.idle, notice),
            Some(Update::Error(error)) => keep(&mut held.errors, error),
            Some(Update::Other(_)) | None => 0,
        };
        held.counts.0 += 1;
        held.counts.1 += lost;
        self.arrived.notify_all();
    }

    pub(super) fn close(&self, status: Status) {
        self.held().ended = Some(status);
        self.arrived.notify_all();
    }

    /// Why the stream has ended, if it has.
    pub fn ended(&self) -> Option<Status> {
        self.held().ended.clone()
    }

    pub(super) fn wait_for_arbitration(&self, timeout: Duration) -> Result<(), Status> {
        let held = self.held();
        let waits = |held: &mut Held| held.arbitration.is_none() && held.ended.is_none();
        let waited = self.arrived.wait_timeout_while(held, timeout, waits);
        let (held, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match (&held.arbitration, &held.ended) {
            (Some(_), _) => Ok(()),
            (None, Some(status)) => Err(status.clone()),
            (None, None) => {
                Err(Status::deadline_exceeded("the server did not answer the bid to become primary"))
            }
        }
    }

    /// Waits until more messages than `seen` have arrived, or the stream has ended, or `until`.
    /// Returns how many have arrived.
    pub fn wait(&self, seen: u64, until: Instant) -> u64 {
        let timeout = until.saturating_duration_since(Instant::now());
        let waits = |held: &mut Held| held.counts.0 <= seen && held.ended.is_none();
        let waited = self.arrived.wait_timeout_while(self.held(), timeout, waits);
        let (held, _) = waited.unwrap_or_else(PoisonError::into_inner);
        held.counts.0
    }

    /// How many messages have arrived, and how many were lost because nobody read them.
    pub fn counts(&self) -> (u64, u64) {
        self.held().counts
    }

    /// Whether this client is primary, and the election id of the primary, if there is one.
    pub fn primary(&self) -> (bool, Option<u128>) {
        let held = self.held();
        let Some(update) = &held.arbitration else { return (false, None) };
        let is_primary = update.status.as_ref().is_none_or(|status| status.code == Code::Ok as i32);
        let id = update.election_id.as_ref().map(number);
        (is_primary && held.ended.is_none(), id)
    }

    /// The packets since the last call.
    pub fn take_packets(&self) -> Vec<v1::PacketIn> {
        self.held().packets.drain(..).collect()
    }

    /// The lists of digests since the last call.
    pub fn take_digests(&self) -> Vec<v1::DigestList> {
        self.held().digests.drain(..).collect()
    }

    /// The notices of idle entries since the last call.
    pub fn take_idle(&self) -> Vec<v1::IdleTimeoutNotification> {
        self.held().idle.drain(..).collect()
    }

    /// The errors that the switch reported on the stream since the last call.
    pub fn take_errors(&self) -> Vec<v1::StreamError> {
        self.held().errors.drain(..).collect()
    }
}

/// Adds to a queue; how many were lost for it.
fn keep<T>(queue: &mut VecDeque<T>, message: T) -> u64 {
    let full = queue.len() >= KEPT;
    if full {
        queue.pop_front();
    }
    queue.push_back(message);
    u64::from(full)
}
