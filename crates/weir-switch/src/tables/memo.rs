//! What keys met lately, so that those that come again and again need no search: most tables of most programs see few different keys.

/// Keys that are remembered at most, a power of two.
const PLACES: usize = 512;
/// Longer keys and data are not remembered.
const MOST_WORDS: usize = 8;
/// How far trust goes up and begins, and what a key that is not there costs of it.
const TRUST: u32 = 2048;
const LOSS: u32 = 3;
/// Look-ups without the memory, once it is not trusted.
const REST: u32 = 1 << 16;

/// In a place: nothing yet, or no entry is met. From here on up the position of the entry's action.
const NOTHING: u64 = 0;
const MISS: u64 = 1;
const HIT: u64 = 2;

/// What a key met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recalled {
    /// No entry.
    Miss,
    /// An entry with the action at this position; its data has been copied.
    Hit(u32),
}

/// A table's memory, of the table at one version. It goes to rest where keys seldom come again.
#[derive(Debug)]
pub(super) struct Memo {
    key_words: usize,
    data_words: usize,
    /// By place: a key, what it met, and the entry's data.
    places: Vec<u64>,
    version: u64,
    trust: u32,
    /// Look-ups that it sits out.
    rest: u32,
}

impl Memo {
    /// For keys and data of so many words.
    pub(super) fn new(key_words: usize, data_words: usize) -> Self {
        Self { key_words, data_words, places: Vec::new(), version: 0, trust: TRUST, rest: 0 }
    }

    fn stride(&self) -> usize {
        self.key_words + 1 + self.data_words
    }

    #[inline]
    fn place(&self, key: &[u64]) -> usize {
        let mix = |hash: u64, word: &u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (key.iter().fold(0, mix) >> (64 - PLACES.ilog2())) as usize * self.stride()
    }

    /// What the key met when it last came, if that is still so and remembered.
    #[inline]
    pub(super) fn recall(&mut self, version: u64, key: &[u64], data: &mut [u64]) -> Option<Recalled> {
        if self.rest > 0 {
            self.rest -= 1;
            return None;
        }
        if self.version != version || self.places.is_empty() {
            self.begin(version);
            return None;
        }
        let place = self.place(key);
        let (known, met) = self.places.get(place..place + self.stride())?.split_at(self.key_words);
        if !known.iter().zip(key).all(|(known, word)| known == word) || met[0] == NOTHING {
            return None;
        }
        self.trust = (self.trust + 1).min(TRUST);
        if met[0] == MISS {
            return Some(Recalled::Miss);
        }
        data.iter_mut().zip(&met[1..]).for_each(|(to, from)| *to = *from);
        Some(Recalled::Hit((met[0] - HIT) as u32))
    }

    /// Remembers what a key met that was not there.
    #[inline]
    pub(super) fn keep(&mut self, version: u64, key: &[u64], met: Recalled, data: &[u64]) {
        if self.rest > 0 || self.version != version || self.places.is_empty() {
            return;
        }
        self.trust = self.trust.saturating_sub(LOSS);
        if self.trust == 0 {
            (self.rest, self.trust) = (REST, TRUST);
            return;
        }
        let (place, stride) = (self.place(key), self.stride());
        let Some(place) = self.places.get_mut(place..place + stride) else { return };
        let (known, of) = place.split_at_mut(self.key_words);
        known.iter_mut().zip(key).for_each(|(known, word)| *known = *word);
        of[0] = match met {
            Recalled::Miss => MISS,
            Recalled::Hit(action) => HIT + u64::from(action),
        };
        of[1..].iter_mut().zip(data).for_each(|(to, from)| *to = *from);
    }

    /// Forgets everything: the table has changed.
    #[cold]
    fn begin(&mut self, version: u64) {
        if self.key_words == 0 || self.key_words.max(self.data_words) > MOST_WORDS {
            self.rest = u32::MAX;
            return;
        }
        self.places.clear();
        self.places.resize(PLACES * self.stride(), NOTHING);
        self.version = version;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_comes_back_until_the_table_changes() {
        let mut memo = Memo::new(2, 1);
        let mut data = [0];
        assert_eq!(memo.recall(7, &[1, 2], &mut data), None);
        memo.keep(7, &[1, 2], Recalled::Hit(4), &[99]);
        memo.keep(7, &[1, 3], Recalled::Miss, &[]);
        assert_eq!((memo.recall(7, &[1, 2], &mut data), data), (Some(Recalled::Hit(4)), [99]));
        assert_eq!(memo.recall(7, &[1, 3], &mut data), Some(Recalled::Miss));
        assert_eq!(memo.recall(7, &[2, 2], &mut data), None);
        assert_eq!(memo.recall(8, &[1, 2], &mut data), None);
        assert_eq!(memo.recall(8, &[1, 2], &mut data), None, "another version");
    }

    #[test]
    fn keys_of_zeroes_are_not_known_from_the_start() {
        let mut memo = Memo::new(1, 0);
        assert_eq!([memo.recall(0, &[0], &mut []), memo.recall(0, &[0], &mut [])], [None, None]);
    }

    #[test]
    fn it_rests_where_no_key_comes_twice() {
        let mut memo = Memo::new(1, 0);
        let mut recall = |key| {
            let found = memo.recall(0, &[key], &mut []);
            memo.keep(0, &[key], Recalled::Miss, &[]);
            found
        };
        assert!((0..5_000).all(|key| recall(key).is_none()));
        assert_eq!([recall(9), recall(9)], [None, None]);
        let again = (0..REST + 5).filter(|_| recall(9).is_some()).count();
        assert!(again > 0, "after a while it tries again");
    }

    #[test]
    fn long_keys_and_keyless_tables_are_none_of_its_business() {
        for mut memo in [Memo::new(MOST_WORDS + 1, 0), Memo::new(0, 0)] {
            let key = vec![1; memo.key_words];
            for _ in 0..3 {
                assert_eq!(memo.recall(0, &key, &mut []), None);
                memo.keep(0, &key, Recalled::Miss, &[]);
            }
        }
    }
}
