//! Answers to reads. Encoded parts wait in memory until the reader takes them, so that a slow
//! reader does not block the switch for other clients. The reader's account pays for this memory.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tonic::Status;

use crate::budget::{Account, Held};

/// The number of encoded parts of an answer that may wait in the channel to the reader.
const MAX_WAITING_PARTS: usize = 1;

/// The memory of a decoded part, as a multiple of its encoded size.
const DECODED_PER_ENCODED: usize = 4;

/// Counts the answers of a server that are in progress.
#[derive(Debug, Default)]
pub struct AnswerCounts {
    /// The number of answers whose entities are still being read from a switch.
    reading: AtomicUsize,
    /// The number of answers that have been read from a switch and still wait for their readers.
    waiting: AtomicUsize,
}

impl AnswerCounts {
    /// Returns the number of answers that are still being read from a switch, and the number of
    /// answers that wait for their readers.
    pub fn counts(&self) -> (usize, usize) {
        (self.reading.load(Ordering::Relaxed), self.waiting.load(Ordering::Relaxed))
    }
}

/// One answer, counted by [`AnswerCounts`] until this value is dropped.
struct CountedAnswer {
    counts: Arc<AnswerCounts>,
    is_read: bool,
}

impl CountedAnswer {
    fn new(counts: Arc<AnswerCounts>) -> Self {
        counts.reading.fetch_add(1, Ordering::Relaxed);
        Self { counts, is_read: false }
    }

    /// Returns the counter that counts the answer now.
    fn place(&self) -> &AtomicUsize {
        if self.is_read { &self.counts.waiting } else { &self.counts.reading }
    }

    fn is_read_now(&mut self) {
        self.counts.waiting.fetch_add(1, Ordering::Relaxed);
        self.place().fetch_sub(1, Ordering::Relaxed);
        self.is_read = true;
    }
}

impl Drop for CountedAnswer {
    fn drop(&mut self) {
        self.place().fetch_sub(1, Ordering::Relaxed);
    }
}

/// An item of an answer's stream.
enum Piece<M> {
    Part(M, Held),
    End(Result<(), Status>),
}

/// An answer that is being sent to its reader.
pub struct Answer<M> {
    pieces: mpsc::Sender<Piece<M>>,
    account: Account,
    /// The encoded parts that wait for room in the channel.
    waiting: VecDeque<(Vec<u8>, Held)>,
    /// The status that tells the reader why the rest is missing, if there was no memory for it.
    cut: Option<Status>,
    counted: CountedAnswer,
}

impl<M: Message + Default> Answer<M> {
    /// Creates an empty answer, and the stream of its parts for the reader.
    pub fn new(account: Account, counts: Arc<AnswerCounts>) -> (Self, Parts<M>) {
        let (sender, receiver) = mpsc::channel(MAX_WAITING_PARTS);
        let counted = CountedAnswer::new(counts);
        let answer = Self { pieces: sender, account, waiting: VecDeque::new(), cut: None, counted };
        (answer, Parts { pieces: receiver, has_ended: false })
    }

    /// Returns a handle that can end the answer with an error.
    pub fn failing(&self) -> Failing<M> {
        Failing(self.pieces.clone())
    }

    /// Adds a part without waiting. Returns false if the reader is gone or memory has run out.
    pub fn add(&mut self, part: M) -> bool {
        if self.pieces.is_closed() {
            return false;
        }
        let size = part.encoded_len();
        // The next part is decoded only when it can be sent at once.
        let decoded =
            if self.waiting.is_empty() && self.pieces.capacity() > 0 { DECODED_PER_ENCODED } else { 1 };
        let waits = decoded == 1;
        if self.account.cuts_answers() {
            self.cut = Some(self.account.cut_refusal());
            return false;
        }
        let held = match waits {
            true => self.account.try_take_for_answer(size),
            false => self.account.try_take(size * decoded),
        };
        let Some(held) = held else {
            self.cut = Some(self.account.refusal(size * decoded));
            return false;
        };
        if waits {
            self.waiting.push_back((part.encode_to_vec(), held));
            return true;
        }
        // Only this answer sends to the channel, so there is still room.
        self.pieces.try_send(Piece::Part(part, held)).is_ok()
    }

    /// Sends the remaining parts as fast as the reader takes them, and then the result of the read.
    /// If the reader takes nothing for `patience`, or others need the memory, the stream ends with
    /// an error.
    pub async fn finish(mut self, end: Result<(), Status>, patience: Duration) {
        self.counted.is_read_now();
        let account = self.account.clone();
        let end = match self.cut.take() {
            Some(cut) => Err(cut),
            None => tokio::select! {
                sent = self.send_waiting(patience) => match sent {
                    Ok(()) => Ok(end),
                    Err(Unsent) => return,
                },
                () = account.cut() => Err(account.cut_refusal()),
            },
        };
        self.waiting.clear();
        let end = end.unwrap_or_else(|cut| {
            let why = format!("{}, read faster, or read less at a time (give a table_id)", cut.message());
            Err(Status::new(cut.code(), why))
        });
        let _nobody_reads = tokio::time::timeout(patience, self.pieces.send(Piece::End(end))).await;
    }

    /// Sends the parts that wait.
    async fn send_waiting(&mut self, patience: Duration) -> Result<(), Unsent> {
        while let Some((encoded, held)) = self.waiting.pop_front() {
            let held = held.no_longer_waits();
            let piece = match M::decode(&encoded[..]) {
                Ok(part) => Piece::Part(part, held),
                Err(error) => {
                    self.waiting.clear();
                    Piece::End(Err(Status::internal(format!("the answer cannot be decoded: {error}"))))
                }
            };
            match tokio::time::timeout(patience, self.pieces.send(piece)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return Err(Unsent),
            }
        }
        Ok(())
    }
}

/// The reader takes nothing, or is gone.
struct Unsent;

/// Ends an answer with an error.
pub struct Failing<M>(mpsc::Sender<Piece<M>>);

impl<M> Failing<M> {
    /// Ends the answer with this status.
    pub async fn fail(self, status: Status) {
        let _nobody_reads = self.0.send(Piece::End(Err(status))).await;
    }
}

/// The stream of an answer's parts for its reader. It ends with an error if parts are missing.
pub struct Parts<M> {
    pieces: mpsc::Receiver<Piece<M>>,
    has_ended: bool,
}

impl<M> Stream for Parts<M> {
    type Item = Result<M, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let piece = ready!(self.pieces.poll_recv(context));
        self.has_ended = !matches!(piece, Some(Piece::Part(..)));
        Poll::Ready(match piece {
            Some(Piece::Part(part, _held)) => Some(Ok(part)),
            Some(Piece::End(end)) => end.err().map(Err),
            None => Some(Err(Status::cancelled("the answer is cut: nobody read it for too long"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio_stream::StreamExt;

    use super::*;
    use crate::budget::Budget;
    use weir_p4runtime_proto::v1::{self, ReadResponse};

    /// Makes a part of 10 to 20 bytes.
    fn part(number: u32) -> ReadResponse {
        let entry = v1::TableEntry { table_id: number, metadata: vec![1; 4], ..v1::TableEntry::default() };
        let entity = v1::entity::Entity::TableEntry(entry);
        ReadResponse { entities: vec![v1::Entity { entity: Some(entity) }] }
    }

    /// Creates an answer to a client whose account may hold half of the budget, and the stream of
    /// its parts.
    fn answer(budget: &Arc<Budget>) -> (Answer<ReadResponse>, Parts<ReadResponse>) {
        Answer::new(budget.account(true).0, Arc::default())
    }

    #[tokio::test]
    async fn parts_keep_their_order_and_give_their_memory_back() {
        let budget = Budget::new(1000, "--memory");
        let (mut answer, mut parts) = answer(&budget);
        assert!((0..20).all(|number| answer.add(part(number))));
        assert!((20 * 10..20 * 20).contains(&budget.used()));
        let sending = tokio::spawn(answer.finish(Ok(()), Duration::from_secs(20)));
        for number in 0..20 {
            assert_eq!(parts.next().await.unwrap().unwrap(), part(number));
        }
        assert!(parts.next().await.is_none());
        sending.await.unwrap();
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test]
    async fn an_answer_that_exceeds_its_share_ends_with_an_error_and_leaves_others_theirs() {
        let budget = Budget::new(300, "--memory");
        let (mut slow, mut parts) = answer(&budget);
        let added = (0..20).take_while(|number| slow.add(part(*number))).count();
        assert!((5..11).contains(&added), "{added}");
        let (mut other, others) = answer(&budget);
        assert!(other.add(part(0)) && other.add(part(1)));
        let sending = tokio::spawn(slow.finish(Ok(()), Duration::from_secs(20)));
        assert!(parts.next().await.unwrap().is_ok());
        let end = parts.next().await.unwrap().unwrap_err();
        assert_eq!(end.code(), tonic::Code::ResourceExhausted);
        assert!(parts.next().await.is_none());
        sending.await.unwrap();
        drop((other, others));
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test]
    async fn an_answer_whose_memory_others_need_ends_with_an_error() {
        let budget = Budget::new(1000, "--memory");
        let (large, mut closes) = budget.account(false);
        let (mut answer, mut parts) = Answer::new(large, Arc::default());
        assert!((0..30).all(|number| answer.add(part(number))));
        let sending = tokio::spawn(answer.finish(Ok(()), Duration::from_secs(20)));
        let (other, _closes) = budget.account(true);
        while other.try_take(450).is_none() {
            tokio::task::yield_now().await;
        }
        // The reader gets what was sent, and then the reason.
        let end = loop {
            match parts.next().await.unwrap() {
                Ok(_) => {}
                Err(end) => break end,
            }
        };
        assert_eq!(end.code(), tonic::Code::ResourceExhausted);
        assert!(end.message().contains("read faster"), "{end}");
        assert!(parts.next().await.is_none() && closes.try_recv().is_err());
        sending.await.unwrap();
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test]
    async fn an_answer_that_nobody_takes_ends_with_an_error() {
        let budget = Budget::new(1000, "--memory");
        let (mut answer, mut parts) = answer(&budget);
        assert!((0..10).all(|number| answer.add(part(number))));
        answer.finish(Ok(()), Duration::from_millis(10)).await;
        // The part in the channel remains; the others are freed.
        assert_eq!(budget.used(), DECODED_PER_ENCODED * part(0).encoded_len());
        assert!(parts.next().await.unwrap().is_ok());
        assert_eq!(parts.next().await.unwrap().unwrap_err().code(), tonic::Code::Cancelled);
        assert!(parts.next().await.is_none());
        assert_eq!(budget.used(), 0);
    }
}
