//! Looks up the first keys of many packets together before the packets run, so that their memory
//! accesses overlap.
//!
//! A [`KeyPredictor`] guesses the keys. For a table that has a
//! [version](Environment::table_version) the results are stored packet by packet, and machine code
//! finds them in the same way as the results in the [lookup cache](crate::lookup_cache). For other
//! tables, the environment stores the results.

mod predictor;

use std::ops::Range;

use weir_exec::{Environment, LookupBatch, MAX_BATCH, PacketView};
use weir_ir::{Program, Table, TableId};

use crate::lookup_cache::{LookupCache, Region};
use crate::options::{InjectedBug, Options};
pub(crate) use predictor::KeyPredictor;
use predictor::WantedKeys;

/// The smallest number of packets that are looked at together.
const MIN_PACKETS: usize = 4;
/// The number of keys after which the environment may prefetch, while later keys are predicted.
const PREFETCH_GROUP: usize = 16;
/// The maximum number of batches for which the lookahead pauses. It pauses after a batch without
/// gain, and each pause is twice as long as the last one.
const MAX_PAUSE: u32 = 64;

/// The state of the lookahead: facts about packets that have not run yet.
#[derive(Debug)]
pub(crate) struct Lookahead {
    /// The number of words of each table's key.
    key_words: Vec<usize>,
    max_key_words: usize,
    /// The keys of one table. If the table has a region, these words form slots like those of the
    /// region.
    words: Box<[u64]>,
    /// The region that the slots replace, and the table's version at that time.
    results: Option<(Region, u64)>,
    /// For each packet, the region's selector while the packet runs.
    selectors: [u64; MAX_BATCH],
    /// The packets that were looked at and have not run.
    pending: Range<usize>,
    /// Batches for which the lookahead still pauses, and the length of its last pause.
    pause: u32,
    last_pause: u32,
    /// An injected bug: the first key gets the result of the second one.
    swaps_results: bool,
}

impl Lookahead {
    pub(crate) fn new(program: &Program, regions: &[Region], options: Options) -> Self {
        let key_words: Vec<usize> = program.tables.values().map(Table::key_words).collect();
        let max_key_words = key_words.iter().copied().max().unwrap_or(0);
        let slot_words = regions.iter().map(|region| region.slot_words()).max().unwrap_or(0);
        Self {
            key_words,
            max_key_words,
            words: vec![0; MAX_BATCH * max_key_words.max(slot_words)].into(),
            results: None,
            selectors: [0; MAX_BATCH],
            pending: 0..0,
            pause: 0,
            last_pause: 0,
            swaps_results: options.has_bug(InjectedBug::SwappedLookups),
        }
    }

    /// Returns the number of words of the longest key of any table.
    pub(crate) fn max_key_words(&self) -> usize {
        self.max_key_words
    }

    /// Returns how many of the next packets run together, after it has looked up their keys if that
    /// pays off.
    #[inline(never)]
    pub(crate) fn look_ahead(
        &mut self,
        packets: &[PacketView<'_>],
        (cache, env): (&LookupCache, &mut dyn Environment),
        predictor: &mut KeyPredictor<'_>,
    ) -> usize {
        self.results = self.results.filter(|(region, version)| cache.version(region.table) == Some(*version));
        if !self.pending.is_empty() {
            return packets.len().min(self.pending.len());
        }
        let packets = &packets[..packets.len().min(MAX_BATCH)];
        let together = packets.len();
        self.results = None;
        if together < MIN_PACKETS {
            return together;
        }
        self.pending = 0..together;
        if self.pause > 0 {
            self.pause -= 1;
            return together;
        }
        for at in 0..together {
            let guess = predictor.first_table(packets, at, &mut self.words);
            let Some(table) = guess.checked_sub(1).map(TableId::new) else { continue };
            if self.key_words[table.index()] == 0 || !env.prefers_batches(table) {
                continue;
            }
            // The cache handles tables whose keys repeat.
            if !cache.is_in_use(table) {
                self.look_up(table, (packets, at), (cache, env), predictor);
                self.last_pause = 0;
            }
            return together;
        }
        self.last_pause = (2 * self.last_pause).clamp(1, MAX_PAUSE);
        self.pause = self.last_pause;
        together
    }

    /// Looks up the keys of the packets from `first` on that go to this table first.
    fn look_up(
        &mut self,
        table: TableId,
        (packets, first): (&[PacketView<'_>], usize),
        (cache, env): (&LookupCache, &mut dyn Environment),
        predictor: &mut KeyPredictor<'_>,
    ) {
        let key_words = self.key_words[table.index()];
        let cached = cache.region(table).zip(cache.version(table));
        let slot_words = cached.map_or(key_words, |(region, _)| region.slot_words());
        self.selectors[..first].fill(0);
        let slot_bias = cached.map_or(0, |(region, _)| region.slot_bias());
        let wanted = WantedKeys { table: table.index() + 1, slot_words, slot_bias };
        let mut count = 0;
        for from in (first..packets.len()).step_by(PREFETCH_GROUP) {
            let packets = &packets[..packets.len().min(from + PREFETCH_GROUP)];
            let (keys, selectors) = (&mut self.words[count * slot_words..], &mut self.selectors[from..]);
            let more = predictor.collect(packets, from, wanted, (keys, selectors));
            if cached.is_some() {
                env.prefetch(table, &self.words[count * slot_words..][..more * slot_words], slot_words);
            }
            count += more;
        }
        let slots = &mut self.words[..count * slot_words];
        if cached.is_none() {
            return env.prefetch_lookups(table, slots);
        }
        let mut batch = LookupBatch::new(slots, slot_words, key_words);
        env.lookup_batch(table, &mut batch);
        self.results = cached.filter(|_| batch.is_complete());
        if self.swaps_results && count > 1 {
            slots.copy_within(slot_words + key_words..2 * slot_words, key_words);
        }
    }

    /// Returns the region that the results for the next packets replace.
    pub(crate) fn region(&self) -> Option<Region> {
        self.results.map(|(region, _)| region)
    }

    /// Returns the region's selector for each of the next packets, valid while the packet runs;
    /// without results the words have no meaning.
    pub(crate) fn selectors(&self) -> &[u64] {
        let first = if self.pending.is_empty() { 0 } else { self.pending.start };
        &self.selectors[first..]
    }

    /// Called with the number of packets that have run since [`Lookahead::look_ahead`].
    pub(crate) fn advance(&mut self, packets: usize) {
        self.pending.start = self.pending.end.min(self.pending.start + packets);
    }
}
