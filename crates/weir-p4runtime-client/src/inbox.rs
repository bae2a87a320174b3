//! Stores messages of a switch until the client reads them.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tonic::{Code, Status};

use crate::proto::v1::stream_message_response::Update;
use crate::proto::v1::{self, StreamMessageResponse};
use crate::wire::number;

/// The maximum number of stored messages of each kind; older ones are lost, and counted.
const MAX_STORED: usize = 1 << 16;

/// The messages that have arrived, by kind.
#[derive(Default)]
pub struct Inbox {
    held: Mutex<HeldMessages>,
    arrived: Condvar,
}

#[derive(Default)]
struct HeldMessages {
    arbitration: Option<v1::MasterArbitrationUpdate>,
    packets: NumberedMessages<v1::PacketIn>,
    digests: NumberedMessages<v1::DigestList>,
    idle: NumberedMessages<v1::IdleTimeoutNotification>,
    errors: NumberedMessages<v1::StreamError>,
    /// The numbers of messages that arrived and of messages that were lost.
    counts: (u64, u64),
    /// The numbers of packets, digests and notices that a switch in lock-step waits for.
    unanswered: BTreeSet<u64>,
    /// The number of messages that were read or lost and still need an answer.
    read: u64,
    ended: Option<Status>,
}

/// Messages with their numbers in the order of arrival.
type NumberedMessages<T> = VecDeque<(u64, T)>;

impl Inbox {
    fn lock_messages(&self) -> MutexGuard<'_, HeldMessages> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message that has arrived.
    pub(super) fn add(&self, message: StreamMessageResponse) {
        let mut held = self.lock_messages();
        let held = &mut *held;
        held.counts.0 += 1;
        let number = held.counts.0;
        let lost = match message.update {
            Some(Update::Arbitration(update)) => {
                held.arbitration = Some(update);
                None
            }
            Some(Update::Error(error)) => enqueue(&mut held.errors, number, error),
            Some(Update::Other(_)) | None => None,
            Some(message) => {
                held.unanswered.insert(number);
                match message {
                    Update::Packet(packet) => enqueue(&mut held.packets, number, packet),
                    Update::Digest(list) => enqueue(&mut held.digests, number, list),
                    Update::IdleTimeoutNotification(notice) => enqueue(&mut held.idle, number, notice),
                    _ => None,
                }
            }
        };
        if let Some(lost) = lost {
            held.counts.1 += 1;
            held.has_read(lost);
        }
        self.arrived.notify_all();
    }

    pub(super) fn end_stream(&self, status: Status) {
        self.lock_messages().ended = Some(status);
        self.arrived.notify_all();
    }

    /// Returns the reason why the stream has ended, if it has.
    pub fn end_status(&self) -> Option<Status> {
        self.lock_messages().ended.clone()
    }

    pub(super) fn wait_for_end(&self, timeout: Duration) {
        let waits = |held: &mut HeldMessages| held.ended.is_none();
        drop(self.arrived.wait_timeout_while(self.lock_messages(), timeout, waits));
    }

    pub(super) fn wait_for_arbitration(&self, timeout: Duration) -> Result<(), Status> {
        let held = self.lock_messages();
        let waits = |held: &mut HeldMessages| held.arbitration.is_none() && held.ended.is_none();
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

    /// Waits until more messages than `seen` have arrived, until the stream has ended, or until the
    /// time `until`. Returns how many have arrived.
    pub fn wait(&self, seen: u64, until: Instant) -> u64 {
        let timeout = until.saturating_duration_since(Instant::now());
        let waits = |held: &mut HeldMessages| held.counts.0 <= seen && held.ended.is_none();
        let waited = self.arrived.wait_timeout_while(self.lock_messages(), timeout, waits);
        let (held, _) = waited.unwrap_or_else(PoisonError::into_inner);
        held.counts.0
    }

    /// Returns the number of messages that have arrived, and how many were lost because nobody read
    /// them.
    pub fn counts(&self) -> (u64, u64) {
        self.lock_messages().counts
    }

    /// Returns whether this client is primary, and the election id of the primary, if there is one.
    pub fn primary(&self) -> (bool, Option<u128>) {
        let held = self.lock_messages();
        let Some(update) = &held.arbitration else { return (false, None) };
        let is_primary = update.status.as_ref().is_none_or(|status| status.code == Code::Ok as i32);
        let id = update.election_id.as_ref().map(number);
        (is_primary && held.ended.is_none(), id)
    }

    /// Returns the number of messages that have been handled but not answered: those that were
    /// read, and the first `seen` messages. Marks them as answered.
    pub(super) fn take_unanswered(&self, seen: u64) -> u64 {
        let mut held = self.lock_messages();
        let later = held.unanswered.split_off(&seen.saturating_add(1));
        let earlier = std::mem::replace(&mut held.unanswered, later);
        std::mem::take(&mut held.read) + earlier.len() as u64
    }

    /// Returns the packets since the last call.
    pub fn take_packets(&self) -> Vec<v1::PacketIn> {
        self.take(|held| &mut held.packets)
    }

    /// Returns the lists of digests since the last call.
    pub fn take_digests(&self) -> Vec<v1::DigestList> {
        self.take(|held| &mut held.digests)
    }

    /// Returns the notices of idle entries since the last call.
    pub fn take_idle(&self) -> Vec<v1::IdleTimeoutNotification> {
        self.take(|held| &mut held.idle)
    }

    /// Returns the errors that the switch reported on the stream since the last call.
    pub fn take_errors(&self) -> Vec<v1::StreamError> {
        self.take(|held| &mut held.errors)
    }

    /// Takes all messages of a queue.
    fn take<T>(&self, queue: impl FnOnce(&mut HeldMessages) -> &mut NumberedMessages<T>) -> Vec<T> {
        let mut held = self.lock_messages();
        let messages = std::mem::take(queue(&mut held));
        let read = |(number, message)| {
            held.has_read(number);
            message
        };
        messages.into_iter().map(read).collect()
    }
}

impl HeldMessages {
    fn has_read(&mut self, number: u64) {
        self.read += u64::from(self.unanswered.remove(&number));
    }
}

/// Adds a message to a queue. Returns the number of the message that was dropped for it.
fn enqueue<T>(queue: &mut NumberedMessages<T>, number: u64, message: T) -> Option<u64> {
    let lost = if queue.len() >= MAX_STORED { queue.pop_front() } else { None };
    queue.push_back((number, message));
    lost.map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(inbox: &Inbox, update: Update) {
        inbox.add(StreamMessageResponse { update: Some(update) });
    }

    #[test]
    fn each_packet_list_of_digests_and_notice_is_answered_once() {
        let inbox = Inbox::default();
        add(&inbox, Update::Arbitration(v1::MasterArbitrationUpdate::default()));
        add(&inbox, Update::Digest(v1::DigestList::default()));
        add(&inbox, Update::Packet(v1::PacketIn::default()));
        let idle = vec![v1::TableEntry::default(); 2];
        let notice = v1::IdleTimeoutNotification { table_entry: idle, timestamp: 0 };
        add(&inbox, Update::IdleTimeoutNotification(notice));
        add(&inbox, Update::Error(v1::StreamError::default()));
        assert_eq!(inbox.take_unanswered(0), 0, "nothing is read yet");
        assert_eq!(inbox.take_idle().len(), 1);
        assert_eq!(inbox.take_unanswered(0), 1, "a notice of two entries is one message");
        assert_eq!(inbox.take_unanswered(2), 1, "the digest was seen");
        assert_eq!(inbox.take_digests().len(), 1);
        assert_eq!(inbox.take_packets().len(), 1);
        assert_eq!(inbox.take_unanswered(u64::MAX), 1, "the packet; errors need no answer");
        assert_eq!(inbox.take_unanswered(u64::MAX), 0);
    }

    #[test]
    fn lost_messages_are_answered_too() {
        let inbox = Inbox::default();
        (0..MAX_STORED + 3).for_each(|_| add(&inbox, Update::Packet(v1::PacketIn::default())));
        assert_eq!(inbox.counts(), (MAX_STORED as u64 + 3, 3));
        assert_eq!(inbox.take_unanswered(0), 3);
        assert_eq!(inbox.take_packets().len(), MAX_STORED);
        assert_eq!(inbox.take_unanswered(0), MAX_STORED as u64);
    }
}
