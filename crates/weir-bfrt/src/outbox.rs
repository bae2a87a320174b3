//! Queues messages for a client. The queue is bounded, so that a slow client loses only its own
//! messages.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tonic::Status;
use weir_grpc::{Account, Held};
use weir_p4runtime_proto::bfrt::StreamMessageResponse;
use weir_p4runtime_proto::bfrt::stream_message_response::Update;

/// The memory of a message, as a multiple of its size on the wire.
const FACTOR: usize = 8;
/// The memory of a message in bytes, beyond its size.
const OVERHEAD: usize = 512;

type Item = Result<(StreamMessageResponse, Held), Status>;

/// The sending end of a client's queue.
#[derive(Clone, Debug)]
pub struct Outbox {
    messages: mpsc::Sender<Item>,
    account: Account,
    lost: Arc<AtomicU64>,
}

/// The receiving end, which the client's stream reads.
#[derive(Debug)]
pub struct Outgoing(mpsc::Receiver<Item>);

/// Creates a queue for this number of messages, which take their memory from an account.
pub fn outbox(messages: usize, account: Account) -> (Outbox, Outgoing) {
    // The last place is for the status at the end.
    let (sender, receiver) = mpsc::channel(messages + 1);
    (Outbox { messages: sender, account, lost: Arc::default() }, Outgoing(receiver))
}

impl Outbox {
    /// Puts a message into the queue, or counts it as lost if too many messages wait. Returns
    /// whether it was put into the queue.
    pub fn send(&self, message: Update) -> bool {
        let message = StreamMessageResponse { update: Some(message) };
        let room = self.messages.capacity() > 1;
        let size = FACTOR * message.encoded_len() + OVERHEAD;
        let held = room.then(|| self.account.try_take(size)).flatten();
        let is_sent = held.is_some_and(|held| self.messages.try_send(Ok((message, held))).is_ok());
        if !is_sent {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        is_sent
    }

    /// Ends the stream with a status after the waiting messages.
    pub fn fail(&self, status: Status) {
        // This fails only if the client is gone.
        let _gone = self.messages.try_send(Err(status));
    }

    /// Returns the number of messages that the client has lost.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Completes when the client is gone.
    pub async fn closed(&self) {
        self.messages.closed().await;
    }
}

impl Stream for Outgoing {
    type Item = Result<StreamMessageResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|item| item.map(|item| item.map(|(message, _held)| message)))
    }
}
