//! Received bytes, in order and out of order.

use std::collections::VecDeque;

use crate::config::Keep;

/// The received bytes. Positions are relative to the peer's initial sequence number: the SYN has
/// the position 0, and the first byte the position 1.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveQueue {
    /// The next position expected.
    next: u64,
    /// The next position to be read.
    read: u64,
    /// The ranges that were received out of order, in ascending order; they neither overlap nor
    /// touch.
    ranges: Vec<(u64, u64)>,
    /// A position in each of the most recently changed ranges, newest first.
    recent: VecDeque<u64>,
    /// The bytes from the position `read` on, with zeros in gaps.
    ring: VecDeque<u8>,
    keep: Keep,
    limit: u64,
    /// The position of the peer's FIN, if it has arrived. The FIN is a separate range while earlier
    /// bytes are missing.
    fin: Option<u64>,
}

impl ReceiveQueue {
    pub fn new(limit: u32, keep: Keep) -> Self {
        ReceiveQueue {
            next: 1,
            read: 1,
            ranges: Vec::new(),
            recent: VecDeque::new(),
            ring: VecDeque::new(),
            keep,
            limit: u64::from(limit),
            fin: None,
        }
    }

    /// Returns the next position expected.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Returns the number of bytes that the application has not read.
    pub fn unread(&self) -> u64 {
        self.next - self.read - u64::from(self.finished())
    }

    /// Returns the position of the end of the available buffer.
    pub fn window_end(&self) -> u64 {
        self.read + self.limit
    }

    pub fn has_gap(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// Adds payload that begins at `start` and lies within the window. Returns the number of bytes
    /// by which `next` advanced, without the FIN.
    pub fn insert(&mut self, start: u64, payload: &[u8]) -> u64 {
        let end = start + payload.len() as u64;
        if end <= self.next || payload.is_empty() {
            return 0;
        }
        let (start, payload) = if start < self.next {
            (self.next, &payload[(self.next - start) as usize..])
        } else {
            (start, payload)
        };
        if self.keep == Keep::Bytes {
            self.store(start, payload);
        }
        let before = self.next;
        if start > self.next {
            self.add(start, end);
        } else {
            self.next = end;
            let reached = self.ranges.partition_point(|range| range.0 <= end);
            if let Some(last) = self.ranges[..reached].last() {
                self.next = self.next.max(last.1);
            }
            self.ranges.drain(..reached);
            let next = self.next;
            self.recent.retain(|position| *position >= next);
        }
        let payload = self.fin.map_or(self.next, |fin| self.next.min(fin));
        payload.saturating_sub(before)
    }

    /// Notes the position of the peer's FIN.
    pub fn end_at(&mut self, at: u64) {
        if self.fin.is_some() || at < self.next {
            return;
        }
        self.fin = Some(at);
        if at > self.next {
            self.add(at, at + 1);
        } else {
            self.next += 1;
            self.ranges.clear();
            self.recent.clear();
        }
    }

    /// Returns the position of the FIN, if it has arrived.
    pub fn end(&self) -> Option<u64> {
        self.fin
    }

    /// Returns whether the whole stream and its FIN have arrived.
    pub fn finished(&self) -> bool {
        self.fin.is_some_and(|fin| fin < self.next)
    }

    /// Stores bytes in the buffer.
    fn store(&mut self, start: u64, payload: &[u8]) {
        let offset = (start - self.read) as usize;
        if offset == self.ring.len() {
            self.ring.extend(payload);
            return;
        }
        if self.ring.len() < offset + payload.len() {
            self.ring.resize(offset + payload.len(), 0);
        }
        let (head, tail) = self.ring.as_mut_slices();
        let first = head.len().saturating_sub(offset).min(payload.len());
        if first > 0 {
            head[offset..offset + first].copy_from_slice(&payload[..first]);
        }
        if first < payload.len() {
            let from = offset + first - head.len();
            tail[from..from + payload.len() - first].copy_from_slice(&payload[first..]);
        }
    }

    /// Adds a range of bytes that have arrived, and joins it with its neighbours.
    fn add(&mut self, start: u64, end: u64) {
        let first = self.ranges.partition_point(|range| range.1 < start);
        let behind = self.ranges.partition_point(|range| range.0 <= end);
        let merged = self.ranges[first..behind]
            .iter()
            .fold((start, end), |all, range| (all.0.min(range.0), all.1.max(range.1)));
        self.ranges.splice(first..behind, [merged]);
        self.recent.retain(|position| *position < merged.0 || *position >= merged.1);
        self.recent.push_front(start);
        self.recent.truncate(8);
    }

    /// Returns up to `most` SACK blocks, the most recently changed block first (RFC 2018 section
    /// 4).
    pub fn sack_blocks(&self, most: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.recent
            .iter()
            .filter_map(|position| {
                let index = self.ranges.partition_point(|range| range.1 <= *position);
                self.ranges.get(index).copied()
            })
            .take(most)
    }

    /// Reads bytes in order, and returns how many.
    pub fn read(&mut self, buffer: &mut [u8]) -> usize {
        let take = (self.unread() as usize).min(buffer.len());
        if self.keep == Keep::Bytes {
            let (head, tail) = self.ring.as_slices();
            let first = head.len().min(take);
            buffer[..first].copy_from_slice(&head[..first]);
            buffer[first..take].copy_from_slice(&tail[..take - first]);
            self.ring.drain(..take);
        } else {
            buffer[..take].fill(0);
        }
        self.read += take as u64;
        take
    }

    /// Discards all bytes that can be read, and returns how many.
    pub fn discard(&mut self) -> u64 {
        let unread = self.unread();
        if self.keep == Keep::Bytes {
            self.ring.drain(..unread as usize);
        }
        self.read += unread;
        unread
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_come_newest_first() {
        let mut queue = ReceiveQueue::new(1000, Keep::Count);
        for start in [11, 31, 51] {
            assert_eq!(queue.insert(start, &[0; 5]), 0);
        }
        assert_eq!(queue.sack_blocks(3).collect::<Vec<_>>(), [(51, 56), (31, 36), (11, 16)]);
        queue.insert(36, &[0; 5]);
        assert_eq!(queue.sack_blocks(2).collect::<Vec<_>>(), [(31, 41), (51, 56)]);
        assert_eq!(queue.insert(1, &[0; 30]), 40);
        assert_eq!(queue.sack_blocks(3).collect::<Vec<_>>(), [(51, 56)]);
    }

    proptest! {
        #[test]
        fn segments_in_any_order_give_the_stream(pieces in prop::collection::vec((0_usize..300, 1_usize..60), 1..60)) {
            let stream: Vec<u8> = (0..400).map(|at| (at * 7 % 251) as u8).collect();
            let mut queue = ReceiveQueue::new(1000, Keep::Bytes);
            let mut have = vec![false; 400];
            let mut read = Vec::new();
            for (start, len) in pieces {
                let before = queue.next();
                let advanced = queue.insert(1 + start as u64, &stream[start..start + len]);
                prop_assert_eq!(queue.next(), before + advanced);
                have[start..start + len].fill(true);
                let mut buffer = [0; 17];
                let got = queue.read(&mut buffer);
                read.extend_from_slice(&buffer[..got]);
                let in_order = have.iter().take_while(|had| **had).count();
                prop_assert_eq!(queue.next(), 1 + in_order as u64);
                for (left, right) in queue.sack_blocks(4) {
                    prop_assert!(have[left as usize - 1..right as usize - 1].iter().all(|had| *had));
                    prop_assert!(left > queue.next());
                }
            }
            let mut buffer = [0; 400];
            let got = queue.read(&mut buffer);
            read.extend_from_slice(&buffer[..got]);
            prop_assert_eq!(&read[..], &stream[..read.len()]);
            prop_assert_eq!(read.len() as u64, queue.next() - 1);
        }
    }
}
