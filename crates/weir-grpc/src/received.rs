//! Receives messages from clients: removes gRPC's framing, and reserves memory in the
//! [budget](crate::budget). Memory is reserved when bytes arrive, never for bytes that a length
//! field only announces.

use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::BodyExt;
use prost::bytes::{Buf, Bytes};
use prost::{Message, Name};
use tokio::time::{Instant, timeout};
use tonic::body::Body;
use tonic::{Code, Extensions, Status};
use weir_accept::MessageTimeout;

use weir_p4runtime_proto::{MAX_FIELDS, MAX_PARTS, TooLarge, decoded_bytes, has_few_parts};

use crate::budget::{Account, Held};

/// The length in bytes of the prefix of a gRPC message, which says whether the message is
/// compressed, and how long it is.
const HEADER: usize = 5;
/// The length in bytes above which a message is large. A connection receives only one large message
/// at a time. Otherwise, several incomplete messages could use up the memory, so that none would
/// ever be complete.
const LARGE: usize = 1 << 20;
/// The number of bytes that are reserved first for a message that arrives in pieces.
const START: usize = 4096;
/// The memory in bytes for the outcome of an update or request, besides the decoded message.
const OUTCOME: usize = 256;

/// The messages of a call.
pub struct Messages {
    body: Body,
    account: Account,
    /// The received bytes that have not been read yet.
    unread: Bytes,
    limits: MessageLimits,
    /// The time that the server still waits for more of a message that has begun.
    message_timeout: MessageTimeout,
}

/// The sizes of a call's messages.
#[derive(Clone, Copy, Debug)]
pub struct MessageLimits {
    /// The maximum length of a message in bytes.
    pub longest: usize,
    /// The memory of a decoded part, such as an update, in bytes.
    pub part: usize,
}

/// The messages of a call. The extensions of the request store them until the service takes them.
#[derive(Clone)]
pub struct Arriving(Arc<Mutex<Option<Messages>>>);

impl Arriving {
    /// Takes the messages of a request.
    ///
    /// # Errors
    /// The extensions do not contain messages.
    pub fn take(extensions: &Extensions) -> Result<Messages, Status> {
        let arriving = extensions.get::<Self>();
        let messages = arriving.and_then(|one| one.0.lock().unwrap_or_else(PoisonError::into_inner).take());
        messages.ok_or_else(|| Status::internal("the messages of the call are not there"))
    }
}

impl Messages {
    /// Creates the messages of a body.
    pub fn new(body: Body, account: Account, limits: MessageLimits) -> Self {
        Self { body, account, unread: Bytes::new(), limits, message_timeout: MessageTimeout::default() }
    }

    /// Wraps the messages for the extensions of a request.
    pub fn arriving(self) -> Arriving {
        Arriving(Arc::new(Mutex::new(Some(self))))
    }

    /// Reads the next bytes of the body. Returns false at the end of the body.
    async fn more(&mut self) -> Result<bool, Status> {
        while self.unread.is_empty() {
            match self.body.frame().await {
                Some(Ok(frame)) => self.unread = frame.into_data().unwrap_or_default(),
                // A client that resets its stream sends no more bytes.
                Some(Err(status)) if status.code() == Code::Cancelled => return Ok(false),
                Some(Err(status)) => return Err(status),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Reads the next bytes of a message that must arrive in time, because it has begun or because
    /// the call must have one.
    async fn more_in_time(&mut self) -> Result<bool, Status> {
        if !self.unread.is_empty() {
            return Ok(true);
        }
        let (began, message_timeout) = (Instant::now(), self.message_timeout);
        let Ok(more) = timeout(message_timeout.remaining(), self.more()).await else {
            return Err(Status::deadline_exceeded(format!(
                "the message arrives too slowly: it has {message_timeout}"
            )));
        };
        self.message_timeout.arrived(began.elapsed(), self.unread.len());
        more
    }

    /// Receives the next message. Returns `None` if the client sends no more messages.
    ///
    /// # Errors
    /// The message arrives too slowly, is too long, compressed or incomplete, or the budget has no
    /// room for it.
    pub async fn next(&mut self) -> Result<Option<Received>, Status> {
        let mut header = [0; HEADER];
        let mut has = 0;
        while has < HEADER {
            let has_more = if has == 0 { self.more().await? } else { self.more_in_time().await? };
            if !has_more {
                return if has == 0 { Ok(None) } else { Err(cut_message_error()) };
            }
            let some = self.unread.len().min(HEADER - has);
            self.unread.copy_to_slice(&mut header[has..has + some]);
            has += some;
        }
        let [compressed, length @ ..] = header;
        if compressed != 0 {
            return Err(Status::internal("the message is compressed, which the call did not announce"));
        }
        let length = u32::from_be_bytes(length) as usize;
        if length > self.limits.longest {
            let longest = self.limits.longest;
            return Err(Status::out_of_range(format!(
                "the message has {length} bytes: the limit is {longest} bytes; send several with fewer parts"
            )));
        }
        let account = self.account.clone();
        let turns = self.account.clone();
        let _turn = if length > LARGE { Some(turns.turn_for_large().await) } else { None };
        let mut bytes = Vec::new();
        let mut held = account.take_anyway(0);
        while bytes.len() < length {
            if self.unread.is_empty() && !self.more_in_time().await? {
                return Err(cut_message_error());
            }
            let some = self.unread.len().min(length - bytes.len());
            let wanted = bytes.len() + some;
            if wanted > bytes.capacity() {
                let capacity = wanted.max(bytes.capacity() * 2).max(START).min(length);
                // Both the old and the new buffer exist while the bytes are copied.
                let more = account.take(capacity).await?;
                bytes.reserve_exact(capacity - bytes.len());
                held = more;
            }
            bytes.extend_from_slice(&self.unread.split_to(some));
        }
        self.message_timeout = MessageTimeout::default();
        account.ask();
        Ok(Some(Received { bytes, account, part: self.limits.part, _held: held }))
    }

    /// Receives the message of a call that must have exactly one.
    ///
    /// # Errors
    /// The errors of [`Messages::next`], and an error if the call has no message or several
    /// messages.
    pub async fn only(mut self) -> Result<Received, Status> {
        if !self.more_in_time().await? {
            return Err(Status::internal("the call has no message"));
        }
        let message = self.next().await?.ok_or_else(|| Status::internal("the call has no message"))?;
        match self.more_in_time().await? {
            true => Err(Status::internal("the call has more than one message")),
            false => Ok(message),
        }
    }
}

/// Returns the error that a call ended within a message.
fn cut_message_error() -> Status {
    Status::internal("the call ended within a message")
}

/// A message that has arrived.
pub struct Received {
    bytes: Vec<u8>,
    /// The account of its connection.
    pub account: Account,
    /// The memory of a decoded part in bytes.
    part: usize,
    _held: Held,
}

/// A message that has arrived, with the memory reserved for its decoded form.
pub struct Decodable {
    received: Received,
    held: Held,
}

/// A decoded message, with its reserved memory.
pub struct Decoded<M> {
    /// The message.
    pub message: M,
    /// The reserved memory.
    pub held: Held,
}

impl Received {
    /// Returns the length of the encoded message in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Checks that the message has few fields at its top level.
    ///
    /// # Errors
    /// The message has too many parts.
    pub fn check_parts(&self) -> Result<(), Status> {
        if !has_few_parts(&self.bytes) {
            return Err(Status::resource_exhausted(format!(
                "the message has more than {MAX_PARTS} parts: send several with fewer parts"
            )));
        }
        Ok(())
    }

    /// Decodes the fields of the message that `M` has, and skips all others.
    ///
    /// # Errors
    /// The message cannot be decoded.
    pub fn some_fields<M: Message + Default>(&self) -> Result<M, Status> {
        M::decode(&*self.bytes).map_err(malformed)
    }

    /// Computes the memory in bytes that the decoded message will take.
    ///
    /// # Errors
    /// The decoded message would take more memory than a connection may have, or the message has
    /// too many fields.
    pub fn decoded_bytes<M: Name>(&self) -> Result<usize, Status> {
        let most = self.account.max_bytes();
        let bytes = decoded_bytes::<M>(&self.bytes, most).map_err(|too_large| {
            Status::resource_exhausted(match too_large {
                TooLarge::Memory => format!(
                    "the message would take more than {most} bytes of memory (`{}` is twice that): send several \
                     with fewer parts",
                    self.account.option()
                ),
                TooLarge::Fields => {
                    format!("the message has more than {MAX_FIELDS} fields: send several with fewer parts")
                }
            })
        })?;
        // A field has at least two bytes.
        Ok(bytes + OUTCOME * (self.bytes.len() / 2).min(bytes / self.part))
    }

    /// Reserves memory for the decoded message.
    ///
    /// # Errors
    /// The budget has no room.
    pub async fn decodable(self, bytes: usize) -> Result<Decodable, Status> {
        let held = self.account.take(bytes).await?;
        Ok(Decodable { received: self, held })
    }

    /// Decodes a message that needs little memory.
    ///
    /// # Errors
    /// The budget has no room, or the bytes are not a message of this type.
    pub async fn decode<M: Message + Name + Default>(self) -> Result<Decoded<M>, Status> {
        let bytes = self.decoded_bytes::<M>()?;
        self.decodable(bytes).await?.decode()
    }
}

impl Decodable {
    /// Decodes the message.
    ///
    /// # Errors
    /// The bytes are not a message of this type.
    pub fn decode<M: Message + Default>(self) -> Result<Decoded<M>, Status> {
        let message = M::decode(&*self.received.bytes).map_err(malformed)?;
        Ok(Decoded { message, held: self.held })
    }
}

/// Returns the error that a message cannot be decoded.
fn malformed(error: prost::DecodeError) -> Status {
    Status::internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use tokio::sync::mpsc;
    use tokio_stream::StreamExt;
    use tokio_stream::wrappers::UnboundedReceiverStream;

    use super::*;
    use crate::budget::Budget;

    /// Creates messages with bytes from the returned sender.
    fn messages() -> (Messages, mpsc::UnboundedSender<&'static [u8]>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let frames = UnboundedReceiverStream::new(receiver);
        let frames = frames.map(|bytes| Ok::<_, Infallible>(Frame::data(Bytes::from_static(bytes))));
        let (account, _closes) = Budget::new(1 << 20, "--memory").account(false);
        let body = Body::new(StreamBody::new(frames));
        (Messages::new(body, account, MessageLimits { longest: 1 << 16, part: 64 }), sender)
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_that_drips_ends() {
        let (mut messages, sender) = messages();
        sender.send(&[0, 0, 0, 1]).unwrap();
        let dripping = tokio::spawn(async move {
            while sender.send(&[0]).is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        let status = messages.next().await.err().unwrap();
        assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
        drop(messages);
        dripping.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_may_be_silent_between_messages() {
        let (mut messages, sender) = messages();
        let sending = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            sender.send(&[0, 0, 0]).unwrap();
            tokio::time::sleep(Duration::from_secs(20)).await;
            sender.send(&[0, 2, 7]).unwrap();
            sender.send(&[7]).unwrap();
            sender
        });
        let received = messages.next().await.unwrap().unwrap();
        assert_eq!(received.len(), 2);
        drop(sending.await.unwrap());
        assert!(messages.next().await.unwrap().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_without_its_message_ends() {
        let (messages, _sender) = messages();
        let status = messages.only().await.err().unwrap();
        assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
    }
}
