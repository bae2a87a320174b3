//! Answers to reads. What a reader has not taken yet waits in memory, encoded, so that a slow reader
//! keeps the switch from nobody else.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use prost::Message;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tonic::Status;

use crate::proto::v1::ReadResponse;

/// How many parts of an answer wait for their reader before others are encoded.
pub const PARTS: usize = 8;

/// The memory for the answers of a server, of all its readers together.
#[derive(Debug)]
pub struct AnswerMemory {
    /// Bytes.
    limit: usize,
    used: AtomicUsize,
}

impl AnswerMemory {
    /// So many bytes, all of them free.
    pub fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0) }
    }

    /// Takes bytes if there are so many.
    fn take(&self, bytes: usize) -> bool {
        let more = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// An answer on its way to its reader.
pub struct Answer {
    parts: mpsc::Sender<Result<ReadResponse, Status>>,
    memory: Arc<AnswerMemory>,
    /// Encoded parts that wait behind those in the channel.
    waiting: VecDeque<Vec<u8>>,
    /// There was no memory for the rest.
    is_cut: bool,
}

impl Answer {
    /// An answer without parts.
    pub fn new(parts: mpsc::Sender<Result<ReadResponse, Status>>, memory: Arc<AnswerMemory>) -> Self {
        Self { parts, memory, waiting: VecDeque::new(), is_cut: false }
    }

    /// Adds a part, without waiting. Returns false if it is of no use to add more.
    pub fn add(&mut self, part: ReadResponse) -> bool {
        let part = if self.waiting.is_empty() {
            match self.parts.try_send(Ok(part)) {
                Ok(()) => return true,
                Err(TrySendError::Full(Ok(part))) => part,
                Err(_closed) => return false,
            }
        } else {
            part
        };
        let encoded = part.encode_to_vec();
        if self.parts.is_closed() || !self.memory.take(encoded.len()) {
            self.is_cut = !self.parts.is_closed();
            return false;
        }
        self.waiting.push_back(encoded);
        true
    }

    /// Sends the rest, as fast as the reader reads, and then how the read has ended. Gives up if the
    /// reader takes nothing for as long as `patience`.
    pub async fn finish(mut self, end: Result<(), Status>, patience: Duration) {
        let mut end = end;
        if self.is_cut {
            self.forget();
            end = Err(Status::resource_exhausted(format!(
                "answers that wait for their readers have {} bytes at most: read faster, or read less at a \
                 time (give a table_id)",
                self.memory.limit
            )));
        }
        while let Some(encoded) = self.waiting.pop_front() {
            self.memory.give_back(encoded.len());
            let part = ReadResponse::decode(&encoded[..])
                .map_err(|error| Status::internal(format!("the answer cannot be decoded: {error}")));
            match tokio::time::timeout(patience, self.parts.send(part)).await {
                Ok(Ok(())) => {}
                Ok(Err(_closed)) => return,
                Err(_elapsed) => {
                    self.forget();
                    end = Err(Status::cancelled("nobody reads the answer"));
                }
            }
        }
        if let Err(status) = end {
            let _nobody_reads = self.parts.send(Err(status)).await;
        }
    }

    fn forget(&mut self) {
        let bytes = self.waiting.drain(..).map(|encoded| encoded.len()).sum();
        self.memory.give_back(bytes);
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::v1;

    /// A part of 10 to 20 bytes.
    fn part(number: u32) -> ReadResponse {
        let entry = v1::TableEntry { table_id: number, metadata: vec![1; 4], ..v1::TableEntry::default() };
        let entity = v1::entity::Entity::TableEntry(entry);
        ReadResponse { entities: vec![v1::Entity { entity: Some(entity) }] }
    }

    #[tokio::test]
    async fn parts_keep_their_order_and_give_their_memory_back() {
        let memory = Arc::new(AnswerMemory::new(1000));
        let (sender, mut parts) = mpsc::channel(2);
        let mut answer = Answer::new(sender, Arc::clone(&memory));
        assert!((0..20).all(|number| answer.add(part(number))));
        assert!((18 * 10..18 * 20).contains(&memory.used.load(Ordering::Relaxed)));
        let sending = tokio::spawn(answer.finish(Ok(()), Duration::from_secs(20)));
        for number in 0..20 {
            assert_eq!(parts.recv().await.unwrap().unwrap(), part(number));
        }
        assert!(parts.recv().await.is_none());
        sending.await.unwrap();
        assert_eq!(memory.used.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn an_answer_that_exceeds_the_memory_ends_with_an_error() {
        let memory = Arc::new(AnswerMemory::new(100));
        let (sender, mut parts) = mpsc::channel(1);
        let mut answer = Answer::new(sender, Arc::clone(&memory));
        let added = (0..20).take_while(|number| answer.add(part(*number))).count();
        assert!((5..11).contains(&added), "{added}");
        let sending = tokio::spawn(answer.finish(Ok(()), Duration::from_secs(20)));
        assert!(parts.recv().await.unwrap().is_ok());
        let end = parts.recv().await.unwrap().unwrap_err();
        assert_eq!(end.code(), tonic::Code::ResourceExhausted);
        sending.await.unwrap();
        assert_eq!(memory.used.load(Ordering::Relaxed), 0);
    }
}
