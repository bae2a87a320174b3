//! Answers to reads. The parts that a reader has not taken yet wait in memory, encoded, so that a
//! slow reader does not block the switch for others.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use prost::Message;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio_stream::Stream;
use tonic::Status;

use crate::proto::v1::ReadResponse;

/// How many parts of an answer wait for their reader before further parts are encoded.
const PARTS: usize = 2;

/// The memory for a server's answers, shared by all its readers.
#[derive(Debug)]
pub struct AnswerMemory {
    /// The limit in bytes.
    limit: usize,
    used: AtomicUsize,
    /// The number of answers that are still being read from a switch.
    reading: AtomicUsize,
    /// The number of answers that are read, but not yet taken by their readers.
    waiting: AtomicUsize,
}

impl AnswerMemory {
    /// A memory of `limit` bytes, all free.
    pub fn new(limit: usize) -> Self {
        let zero = AtomicUsize::default;
        Self { limit, used: zero(), reading: zero(), waiting: zero() }
    }

    /// How many answers are still being read from a switch, and how many are read but not yet taken
    /// by their readers.
    pub fn counts(&self) -> (usize, usize) {
        (self.reading.load(Ordering::Relaxed), self.waiting.load(Ordering::Relaxed))
    }
}

/// An answer that [`AnswerMemory::counts`] includes.
struct CountedAnswer {
    memory: Arc<AnswerMemory>,
    is_read: bool,
}

impl CountedAnswer {
    fn new(memory: Arc<AnswerMemory>) -> Self {
        memory.reading.fetch_add(1, Ordering::Relaxed);
        Self { memory, is_read: false }
    }

    fn place(&self) -> &AtomicUsize {
        if self.is_read { &self.memory.waiting } else { &self.memory.reading }
    }

    fn is_read_now(&mut self) {
        self.memory.waiting.fetch_add(1, Ordering::Relaxed);
        self.place().fetch_sub(1, Ordering::Relaxed);
        self.is_read = true;
    }
}

impl Drop for CountedAnswer {
    fn drop(&mut self) {
        self.place().fetch_sub(1, Ordering::Relaxed);
    }
}

/// One answer's share of the memory: at most half of what is free besides the other answers'
/// shares, so that a slow reader cannot take all of it.
struct Share {
    memory: Arc<AnswerMemory>,
    used: AtomicUsize,
}

impl Share {
    /// Takes bytes if enough are free.
    fn take(self: &Arc<Self>, bytes: usize) -> Option<HeldMemory> {
        let mine = self.used.load(Ordering::Relaxed);
        let more = |used: usize| {
            let others = used.saturating_sub(mine);
            let enough = mine.checked_add(bytes)? <= self.memory.limit.saturating_sub(others) / 2;
            enough.then_some(used + bytes)
        };
        self.memory.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        self.used.fetch_add(bytes, Ordering::Relaxed);
        Some(HeldMemory { share: Arc::clone(self), bytes })
    }
}

/// The memory of one part. It is freed when the reader has taken the part.
struct HeldMemory {
    share: Arc<Share>,
    bytes: usize,
}

impl Drop for HeldMemory {
    fn drop(&mut self) {
        self.share.used.fetch_sub(self.bytes, Ordering::Relaxed);
        self.share.memory.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// An item of an answer's stream.
enum Piece {
    Part(ReadResponse, HeldMemory),
    End(Result<(), Status>),
}

/// An answer that is being sent to its reader.
pub struct Answer {
    pieces: mpsc::Sender<Piece>,
    share: Arc<Share>,
    /// Encoded parts that wait for room in the channel.
    waiting: VecDeque<(Vec<u8>, HeldMemory)>,
    /// Whether memory ran out, so that further parts were dropped.
    is_cut: bool,
    counted: CountedAnswer,
}

impl Answer {
    /// An answer without parts, and the stream of its parts.
    pub fn new(memory: Arc<AnswerMemory>) -> (Self, Parts) {
        let (sender, receiver) = mpsc::channel(PARTS);
        let counted = CountedAnswer::new(Arc::clone(&memory));
        let share = Arc::new(Share { memory, used: AtomicUsize::new(0) });
        let answer = Self { pieces: sender, share, waiting: VecDeque::new(), is_cut: false, counted };
        (answer, Parts { pieces: receiver, has_ended: false })
    }

    /// A handle that can end the answer with an error.
    pub fn failing(&self) -> Failing {
        Failing(self.pieces.clone())
    }

    /// Adds a part without waiting. Returns false if the reader is gone or memory has run out.
    pub fn add(&mut self, part: ReadResponse) -> bool {
        if self.pieces.is_closed() {
            return false;
        }
        let Some(held) = self.share.take(part.encoded_len()) else {
            self.is_cut = true;
            return false;
        };
        let (part, held) = if self.waiting.is_empty() {
            match self.pieces.try_send(Piece::Part(part, held)) {
                Ok(()) => return true,
                Err(TrySendError::Full(Piece::Part(part, held))) => (part, held),
                Err(_closed) => return false,
            }
        } else {
            (part, held)
        };
        self.waiting.push_back((part.encode_to_vec(), held));
        true
    }

    /// Sends the remaining parts as fast as the reader reads, and then the result of the read.
    /// Gives up if the reader takes nothing for `patience`; the stream then ends with an error.
    pub async fn finish(mut self, mut end: Result<(), Status>, patience: Duration) {
        self.counted.is_read_now();
        if self.is_cut {
            let mine = self.share.used.load(Ordering::Relaxed);
            self.waiting.clear();
            end = Err(Status::resource_exhausted(format!(
                "an answer that waits for its reader takes half of the free memory at most, {mine} bytes now: \
                 read faster, or read less at a time (give a table_id)"
            )));
        }
        while let Some((encoded, held)) = self.waiting.pop_front() {
            let piece = match ReadResponse::decode(&encoded[..]) {
                Ok(part) => Piece::Part(part, held),
                Err(error) => {
                    self.waiting.clear();
                    Piece::End(Err(Status::internal(format!("the answer cannot be decoded: {error}"))))
                }
            };
            match tokio::time::timeout(patience, self.pieces.send(piece)).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
        let _nobody_reads = tokio::time::timeout(patience, self.pieces.send(Piece::End(end))).await;
    }
}

/// Ends an answer with an error.
pub struct Failing(mpsc::Sender<Piece>);

impl Failing {
    /// Sends the reader the reason.
    pub async fn fail(self, status: Status) {
        let _nobody_reads = self.0.send(Piece::End(Err(status))).await;
    }
}

/// The parts of an answer for its reader, with an error at the end if parts are missing.
pub struct Parts {
    pieces: mpsc::Receiver<Piece>,
    has_ended: bool,
}

impl Stream for Parts {
    type Item = Result<ReadResponse, Status>;

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
    use crate::proto::v1;

    /// A part of 10 to 20 bytes.
    fn part(number: u32) -> ReadResponse {
        let entry = v1::TableEntry { table_id: number, metadata: vec![1; 4], ..v1::TableEntry::default() };
        let entity = v1::entity::Entity::TableEntry(entry);
        ReadResponse { entities: vec![v1::Entity { entity: Some(entity) }] }
    }

    fn used(memory: &AnswerMemory) -> usize {
        memory.used.load(Ordering::Relaxed)
    }

    #[tokio::test]
    async fn parts_keep_their_order_and_free_their_memory() {
        let memory = Arc::new(AnswerMemory::new(1000));
        let (mut answer, mut parts) = Answer::new(Arc::clone(&memory));
        assert!((0..20).all(|number| answer.add(part(number))));
        assert!((20 * 10..20 * 20).contains(&used(&memory)));
        let sending = tokio::spawn(answer.finish(Ok(()), Duration::from_secs(20)));
        for number in 0..20 {
            assert_eq!(parts.next().await.unwrap().unwrap(), part(number));
        }
        assert!(parts.next().await.is_none());
        sending.await.unwrap();
        assert_eq!(used(&memory), 0);
    }

    #[tokio::test]
    async fn an_answer_that_exceeds_its_share_ends_with_an_error_without_affecting_others() {
        let memory = Arc::new(AnswerMemory::new(200));
        let (mut slow, mut parts) = Answer::new(Arc::clone(&memory));
        let added = (0..20).take_while(|number| slow.add(part(*number))).count();
        assert!((5..11).contains(&added), "{added}");
        let (mut other, others) = Answer::new(Arc::clone(&memory));
        assert!(other.add(part(0)) && other.add(part(1)));
        let sending = tokio::spawn(slow.finish(Ok(()), Duration::from_secs(20)));
        assert!(parts.next().await.unwrap().is_ok());
        assert!(parts.next().await.unwrap().is_ok());
        let end = parts.next().await.unwrap().unwrap_err();
        assert_eq!(end.code(), tonic::Code::ResourceExhausted);
        assert!(parts.next().await.is_none());
        sending.await.unwrap();
        drop((other, others));
        assert_eq!(used(&memory), 0);
    }

    #[tokio::test]
    async fn an_answer_that_nobody_takes_ends_with_an_error() {
        let memory = Arc::new(AnswerMemory::new(1000));
        let (mut answer, mut parts) = Answer::new(Arc::clone(&memory));
        assert!((0..10).all(|number| answer.add(part(number))));
        answer.finish(Ok(()), Duration::from_millis(10)).await;
        // The parts in the channel stay; the memory of the others is freed.
        assert_eq!(used(&memory), part(0).encoded_len() + part(1).encoded_len());
        assert!(parts.next().await.unwrap().is_ok());
        assert!(parts.next().await.unwrap().is_ok());
        assert_eq!(parts.next().await.unwrap().unwrap_err().code(), tonic::Code::Cancelled);
        assert!(parts.next().await.is_none());
        assert_eq!(used(&memory), 0);
    }
}
