//! Queues messages for a controller. The queue is bounded, so that a slow controller loses only its
//! own messages.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use prost::Message;
use tokio_stream::Stream;
use tonic::Status;
use weir_grpc::{Account, Held};

use crate::proto::v1::StreamMessageResponse;
use crate::proto::v1::stream_message_response::Update;

/// The limits on messages that wait for a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxLimits {
    /// The maximum number of waiting messages.
    pub messages: usize,
    /// The maximum size of the waiting messages in bytes. An eighth of it is reserved for
    /// arbitration messages.
    pub bytes: usize,
}

/// Numbers of messages by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// The number of packets.
    pub packets: u64,
    /// The number of lists of digests.
    pub digests: u64,
    /// The number of notices of idle entries.
    pub notices: u64,
    /// The number of errors about the controller's own messages, and of all other messages.
    pub errors: u64,
}

impl MessageCounts {
    /// Counts a message by its kind.
    fn count(&mut self, message: &Update) {
        *match message {
            Update::Packet(_) => &mut self.packets,
            Update::Digest(_) => &mut self.digests,
            Update::IdleTimeoutNotification(_) => &mut self.notices,
            _ => &mut self.errors,
        } += 1;
    }
}

impl std::ops::AddAssign for MessageCounts {
    fn add_assign(&mut self, other: Self) {
        self.packets += other.packets;
        self.digests += other.digests;
        self.notices += other.notices;
        self.errors += other.errors;
    }
}

/// The sending end of a controller's queue.
#[derive(Clone, Debug)]
pub struct Outbox(Arc<Mutex<Waiting>>);

/// The receiving end, which the controller's stream reads.
#[derive(Debug)]
pub struct Outgoing(Arc<Mutex<Waiting>>);

#[derive(Debug)]
struct Waiting {
    limits: OutboxLimits,
    account: Account,
    messages: VecDeque<Queued>,
    /// The size of the waiting messages in bytes.
    bytes: usize,
    lost: MessageCounts,
    /// The status with which the stream ends after the waiting messages.
    end: Option<Result<(), Status>>,
    reader: Option<Waker>,
    /// Wakes the task that waits until the stream has ended.
    closing: Option<Waker>,
    is_closed: bool,
}

/// A waiting message.
#[derive(Debug)]
struct Queued {
    message: StreamMessageResponse,
    size: usize,
    _held: Held,
}

/// The limit for arbitration messages, as a multiple of the limit for messages. Arbitration
/// messages are not dropped: a controller is disconnected if more of them wait, or if there is no
/// room for their bytes.
const ARBITRATION_FACTOR: usize = 2;

/// The memory of a message in bytes, beyond its size.
const OVERHEAD: usize = 512;
/// The memory of the values in a digest, as a multiple of their size on the wire.
const DIGEST_FACTOR: usize = 16;

/// Creates a queue for messages that take their memory from an account, and returns its two ends.
pub fn outbox(limits: OutboxLimits, account: Account) -> (Outbox, Outgoing) {
    let waiting = Waiting {
        limits,
        account,
        messages: VecDeque::new(),
        bytes: 0,
        lost: MessageCounts::default(),
        end: None,
        reader: None,
        closing: None,
        is_closed: false,
    };
    let waiting = Arc::new(Mutex::new(waiting));
    (Outbox(Arc::clone(&waiting)), Outgoing(waiting))
}

fn lock_waiting(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Outbox {
    /// Puts a message into the queue, or counts it as lost if too many messages wait. Returns
    /// whether it was put into the queue.
    pub fn send(&self, message: Update) -> bool {
        let mut waiting = lock_waiting(&self.0);
        if waiting.end.is_some() || waiting.is_closed {
            return false;
        }
        let is_arbitration = matches!(message, Update::Arbitration(_));
        let factor = if matches!(message, Update::Digest(_)) { DIGEST_FACTOR } else { 1 };
        let message = StreamMessageResponse { update: Some(message) };
        let size = message.encoded_len();
        let OutboxLimits { mut messages, mut bytes } = waiting.limits;
        if is_arbitration {
            messages = messages.saturating_mul(ARBITRATION_FACTOR).max(16);
        } else {
            bytes -= bytes / 8;
        }
        let has_room = waiting.messages.len() < messages && waiting.bytes.saturating_add(size) <= bytes;
        let held = has_room.then(|| waiting.account.try_take(factor * size + OVERHEAD)).flatten();
        let Some(held) = held else {
            if is_arbitration {
                let reason = "the controller does not read its messages";
                waiting.finish(Err(Status::resource_exhausted(reason)));
            } else {
                message.update.iter().for_each(|message| waiting.lost.count(message));
            }
            return false;
        };
        waiting.bytes += size;
        waiting.messages.push_back(Queued { message, size, _held: held });
        waiting.wake();
        true
    }

    /// Ends the stream after the waiting messages.
    pub fn finish(&self, end: Result<(), Status>) {
        lock_waiting(&self.0).finish(end);
    }

    /// Returns the numbers of messages that the controller has lost.
    pub fn lost(&self) -> MessageCounts {
        lock_waiting(&self.0).lost
    }

    /// Returns the number of waiting messages.
    pub fn waiting(&self) -> usize {
        lock_waiting(&self.0).messages.len()
    }

    /// Completes when the stream has ended or the controller is gone.
    pub async fn closed(&self) {
        std::future::poll_fn(|context| {
            let mut waiting = lock_waiting(&self.0);
            if waiting.is_closed || waiting.end.is_some() {
                return Poll::Ready(());
            }
            waiting.closing = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

impl Waiting {
    fn finish(&mut self, end: Result<(), Status>) {
        if self.end.is_none() {
            self.end = Some(end);
        }
        self.wake();
        if let Some(closing) = self.closing.take() {
            closing.wake();
        }
    }

    /// Wakes the task that waits for a message.
    fn wake(&mut self) {
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

impl Stream for Outgoing {
    type Item = Result<StreamMessageResponse, Status>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut waiting = lock_waiting(&self.0);
        if let Some(queued) = waiting.messages.pop_front() {
            waiting.bytes -= queued.size;
            return Poll::Ready(Some(Ok(queued.message)));
        }
        match &mut waiting.end {
            Some(end) => match std::mem::replace(end, Ok(())) {
                Ok(()) => Poll::Ready(None),
                Err(status) => Poll::Ready(Some(Err(status))),
            },
            None => {
                waiting.reader = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        let mut waiting = lock_waiting(&self.0);
        waiting.is_closed = true;
        waiting.messages.clear();
        waiting.bytes = 0;
        if let Some(closing) = waiting.closing.take() {
            closing.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use weir_grpc::Budget;

    use super::*;
    use crate::proto::v1;

    /// Creates a queue with room for these numbers of messages and bytes.
    fn queue(messages: usize, bytes: usize) -> (Outbox, Outgoing) {
        let (account, _closes) = Budget::new(1 << 20, "--memory").account(true);
        outbox(OutboxLimits { messages, bytes }, account)
    }

    fn packet(bytes: usize) -> Update {
        Update::Packet(v1::PacketIn { payload: vec![0; bytes], metadata: Vec::new() })
    }

    fn arbitration() -> Update {
        Update::Arbitration(v1::MasterArbitrationUpdate::default())
    }

    fn next(outgoing: &mut Outgoing) -> Poll<Option<Result<StreamMessageResponse, Status>>> {
        Pin::new(outgoing).poll_next(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_full_queue_loses_messages_and_counts_them() {
        let (outbox, mut outgoing) = queue(2, 1000);
        assert!(outbox.send(packet(10)) && outbox.send(packet(10)) && !outbox.send(packet(10)));
        assert!(!outbox.send(Update::Digest(v1::DigestList::default())));
        assert!(outbox.send(arbitration()));
        assert_eq!(outbox.lost(), MessageCounts { packets: 1, digests: 1, ..Default::default() });
        for _ in 0..3 {
            assert!(matches!(next(&mut outgoing), Poll::Ready(Some(Ok(_)))));
        }
        assert!(next(&mut outgoing).is_pending());
        assert!(!outbox.send(packet(1000)) && outbox.send(packet(800)) && !outbox.send(packet(100)));
        assert!(outbox.send(arbitration()), "the last eighth is for arbitration");
    }

    /// Reads this number of messages from a controller's stream, and returns the status that
    /// follows.
    fn end(outgoing: &mut Outgoing, messages: usize) -> Status {
        for _ in 0..messages {
            assert!(matches!(next(outgoing), Poll::Ready(Some(Ok(_)))));
        }
        let Poll::Ready(Some(Err(status))) = next(outgoing) else { panic!("no status") };
        assert!(matches!(next(outgoing), Poll::Ready(None)));
        status
    }

    #[test]
    fn a_controller_that_reads_nothing_is_disconnected() {
        let (outbox, mut outgoing) = queue(1, 1000);
        assert_eq!((0..100).filter(|_| outbox.send(arbitration())).count(), 16);
        assert_eq!(end(&mut outgoing, 16).code(), tonic::Code::ResourceExhausted);
    }

    #[test]
    fn arbitration_messages_fit_the_bytes_and_the_budget_too() {
        let large = || {
            let config = prost_types::Any { value: vec![0; 300], ..Default::default() };
            let role = v1::Role { config: Some(config), ..Default::default() };
            Update::Arbitration(v1::MasterArbitrationUpdate { role: Some(role), ..Default::default() })
        };
        let (full, mut outgoing) = queue(100, 1000);
        assert_eq!((0..100).filter(|_| full.send(large())).count(), 3);
        assert_eq!(end(&mut outgoing, 3).code(), tonic::Code::ResourceExhausted);
        let budget = Budget::new(8000, "--memory");
        let (account, _closes) = budget.account(true);
        let (poor, mut outgoing) = outbox(OutboxLimits { messages: 100, bytes: 1 << 20 }, account);
        let sent = (0..100).filter(|_| poor.send(large())).count();
        assert_eq!(sent, 4, "half of the budget is for one connection");
        assert_eq!(end(&mut outgoing, sent).code(), tonic::Code::ResourceExhausted);
        assert_eq!(budget.used(), 0);
    }
}
