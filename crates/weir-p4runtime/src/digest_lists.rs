//! Collects digests in lists until a list is full or old (specification, "`DigestEntry`"). Callers
//! pass the current time.

use std::collections::BTreeMap;

use prost::Message;
use rustc_hash::{FxHashMap, FxHashSet};
use weir_device::Nanos;

use crate::proto::v1;
use crate::proto::v1::digest_entry::Config;

/// The maximum size of a list if the controller does not set one.
const DEFAULT_LIST_SIZE: usize = 1024;
/// The upper limit for the size that a controller can set.
const MAX_LIST_SIZE: usize = 16_384;
/// The maximum number of unacknowledged messages that are remembered for a digest. The oldest lists
/// are forgotten first.
const MAX_UNACKNOWLEDGED: usize = 65_536;

/// The lists of all digests of a program.
#[derive(Debug, Default)]
pub struct DigestLists {
    by_digest: BTreeMap<u32, Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    /// The messages of the list that is being filled, in the order in which they arrived.
    messages: Vec<v1::P4Data>,
    /// The encoded form of `messages`, to find repeated messages.
    gathered: FxHashSet<Vec<u8>>,
    /// The time at which the list must be sent.
    due: Nanos,
    /// The number of the last list that was sent.
    last_list: u64,
    /// The sent lists that are not acknowledged yet: the time of sending, and the list's messages.
    unacknowledged: BTreeMap<u64, (Nanos, Vec<Vec<u8>>)>,
    /// The messages of unacknowledged lists, each with the number of its list.
    cache: FxHashMap<Vec<u8>, u64>,
}

/// The reason why an acknowledgement matches no list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("digest {digest_id} never had a list {list_id}; its last list is {last_list}")]
pub struct NoSuchList {
    digest_id: u32,
    list_id: u64,
    last_list: u64,
}

impl DigestLists {
    /// Adds a message. Returns the list if this message completes it. Leaves out a message that is
    /// already in the list, or that was sent and not acknowledged yet.
    pub fn add(
        &mut self,
        now: Nanos,
        digest_id: u32,
        config: &Config,
        message: v1::P4Data,
    ) -> Option<v1::DigestList> {
        let lists = self.by_digest.entry(digest_id).or_default();
        lists.forget_old(now, config);
        let bytes = message.encode_to_vec();
        if lists.cache.contains_key(&bytes) || lists.gathered.contains(&bytes) {
            return None;
        }
        if lists.messages.is_empty() {
            lists.due = now.saturating_add(nanos(config.max_timeout_ns));
        }
        lists.messages.push(message);
        lists.gathered.insert(bytes);
        let is_full = lists.messages.len() >= list_size(config);
        (is_full || lists.due <= now).then(|| lists.send(now, digest_id, config))
    }

    /// Takes the lists that must be sent at `now`. Messages of digests without a config are
    /// dropped.
    pub fn take_due(&mut self, now: Nanos, config: impl Fn(u32) -> Option<Config>) -> Vec<v1::DigestList> {
        let mut due = Vec::new();
        for (digest_id, lists) in &mut self.by_digest {
            match config(*digest_id) {
                Some(config) => {
                    lists.forget_old(now, &config);
                    while lists.is_waiting() && lists.due <= now {
                        due.push(lists.send(now, *digest_id, &config));
                    }
                }
                None => *lists = Lists { last_list: lists.last_list, ..Lists::default() },
            }
        }
        due
    }

    /// Returns the time at which the next list must be sent.
    pub fn next_deadline(&self) -> Option<Nanos> {
        self.by_digest.values().filter(|lists| lists.is_waiting()).map(|lists| lists.due).min()
    }

    /// Forgets the messages of a list that was acknowledged, or that no controller received, so
    /// that they may be sent again.
    ///
    /// # Errors
    /// No list with this id was ever sent. An acknowledgement of a forgotten list is not an error.
    pub fn acknowledge(&mut self, digest_id: u32, list_id: u64) -> Result<(), NoSuchList> {
        let lists = self.by_digest.get_mut(&digest_id);
        let last_list = lists.as_ref().map_or(0, |lists| lists.last_list);
        match lists {
            Some(lists) if (1..=last_list).contains(&list_id) => {
                lists.forget(list_id);
                Ok(())
            }
            _ => Err(NoSuchList { digest_id, list_id, last_list }),
        }
    }
}

impl Lists {
    fn is_waiting(&self) -> bool {
        !self.messages.is_empty()
    }

    /// Sends the oldest messages that fit in a list. If more messages wait, because the controller
    /// has reduced the size of lists, they are due at once.
    fn send(&mut self, now: Nanos, digest_id: u32, config: &Config) -> v1::DigestList {
        self.last_list += 1;
        let size = list_size(config);
        let data: Vec<_> = self.messages.drain(..self.messages.len().min(size)).collect();
        let sent: Vec<_> = if self.messages.is_empty() {
            self.gathered.drain().collect()
        } else {
            data.iter().filter_map(|message| self.gathered.take(&message.encode_to_vec())).collect()
        };
        if self.messages.len() >= size {
            self.due = now;
        }
        if config.ack_timeout_ns > 0 {
            self.cache.extend(sent.iter().map(|message| (message.clone(), self.last_list)));
            self.unacknowledged.insert(self.last_list, (now, sent));
            while self.cache.len() > MAX_UNACKNOWLEDGED {
                let Some(oldest) = self.unacknowledged.keys().next().copied() else { break };
                self.forget(oldest);
            }
        }
        let timestamp = i64::try_from(now).unwrap_or(i64::MAX);
        v1::DigestList { digest_id, list_id: self.last_list, data, timestamp }
    }

    fn forget_old(&mut self, now: Nanos, config: &Config) {
        let age = nanos(config.ack_timeout_ns);
        while let Some((list, (sent, _))) = self.unacknowledged.first_key_value() {
            if sent.saturating_add(age) > now {
                return;
            }
            self.forget(*list);
        }
    }

    fn forget(&mut self, list: u64) {
        let Some((_, messages)) = self.unacknowledged.remove(&list) else { return };
        for message in messages {
            self.cache.remove(&message);
        }
    }
}

/// Converts a time in a digest's config. Negative times count as 0.
fn nanos(time: i64) -> Nanos {
    Nanos::try_from(time).unwrap_or(0)
}

fn list_size(config: &Config) -> usize {
    match usize::try_from(config.max_list_size) {
        Ok(0) | Err(_) => DEFAULT_LIST_SIZE,
        Ok(size) => size.min(MAX_LIST_SIZE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(max_timeout_ns: i64, max_list_size: i32, ack_timeout_ns: i64) -> Config {
        Config { max_timeout_ns, max_list_size, ack_timeout_ns }
    }

    fn message(value: u8) -> v1::P4Data {
        v1::P4Data { data: Some(v1::p4_data::Data::Bitstring(vec![value])) }
    }

    /// Returns the id of a list, and the number of its messages.
    fn list(list: &v1::DigestList) -> (u64, usize) {
        (list.list_id, list.data.len())
    }

    #[test]
    fn a_list_is_sent_when_it_is_full_or_old() {
        let (mut lists, config) = (DigestLists::default(), config(100, 3, 0));
        assert_eq!(lists.add(10, 7, &config, message(1)), None);
        assert_eq!(lists.add(20, 7, &config, message(1)), None, "lists have no message twice");
        assert_eq!(lists.add(30, 7, &config, message(2)), None);
        assert_eq!(lists.add(40, 7, &config, message(3)).as_ref().map(list), Some((1, 3)));
        assert_eq!(lists.next_deadline(), None);
        lists.add(50, 7, &config, message(1));
        assert_eq!(lists.next_deadline(), Some(150));
        assert!(lists.take_due(149, |_| Some(config)).is_empty());
        let due = lists.take_due(150, |_| Some(config));
        assert_eq!((list(&due[0]), due[0].timestamp, due[0].digest_id), ((2, 1), 150, 7));
    }

    #[test]
    fn a_timeout_or_a_size_of_one_sends_at_once() {
        for config in [config(0, 0, 0), config(0, 50, 0), config(100, 1, 0)] {
            let mut lists = DigestLists::default();
            assert_eq!(lists.add(10, 7, &config, message(1)).as_ref().map(list), Some((1, 1)));
            assert!(lists.add(10, 7, &config, message(1)).is_some(), "nothing is remembered");
        }
    }

    #[test]
    fn messages_are_not_repeated_until_acknowledged_or_old() {
        let (mut lists, config) = (DigestLists::default(), config(0, 1, 1000));
        assert!(lists.add(10, 7, &config, message(1)).is_some());
        assert!(lists.add(20, 7, &config, message(1)).is_none());
        assert!(lists.add(20, 8, &config, message(1)).is_some(), "another digest");
        lists.acknowledge(7, 1).unwrap();
        assert!(lists.add(30, 7, &config, message(1)).is_some());
        assert!(lists.add(1029, 7, &config, message(1)).is_none());
        assert!(lists.add(1030, 7, &config, message(1)).is_some());
        assert_eq!(lists.acknowledge(7, 1), Ok(()), "a list that was acknowledged before");
        assert!(lists.acknowledge(7, 4).is_err() && lists.acknowledge(9, 1).is_err());
        assert!(lists.acknowledge(7, 0).is_err());
    }

    #[test]
    fn a_list_is_never_longer_than_the_controller_wants_now() {
        let (mut lists, config) = (DigestLists::default(), config(100, 50, 0));
        for value in 0..7 {
            assert_eq!(lists.add(10, 7, &config, message(value)), None);
        }
        let shorter = Config { max_list_size: 3, ack_timeout_ns: 1000, ..config };
        assert_eq!(lists.add(20, 7, &shorter, message(7)).as_ref().map(list), Some((1, 3)));
        assert_eq!(lists.next_deadline(), Some(20), "a full list waits");
        assert_eq!(lists.add(20, 7, &shorter, message(0)), None, "it was sent");
        let due = lists.take_due(20, |_| Some(shorter));
        assert_eq!(due.iter().map(list).collect::<Vec<_>>(), [(2, 3), (3, 2)]);
    }

    #[test]
    fn a_digest_without_config_loses_its_messages() {
        let (mut lists, config) = (DigestLists::default(), config(100, 3, 50));
        lists.add(10, 7, &config, message(1));
        assert!(lists.take_due(500, |_| None).is_empty());
        assert_eq!(lists.next_deadline(), None);
    }

    #[test]
    fn memory_is_bounded() {
        let (mut lists, config) = (DigestLists::default(), config(i64::MAX, i32::MAX, i64::MAX));
        let mut sent = 0;
        for number in 0..(MAX_UNACKNOWLEDGED as u32 + 40_000) {
            let data = v1::p4_data::Data::Bitstring(number.to_be_bytes().to_vec());
            sent += usize::from(lists.add(0, 7, &config, v1::P4Data { data: Some(data) }).is_some());
        }
        assert_eq!(sent, (MAX_UNACKNOWLEDGED + 40_000) / MAX_LIST_SIZE);
        assert!(lists.by_digest[&7].cache.len() <= MAX_UNACKNOWLEDGED);
    }
}
