//! A cache of lookup results, in memory that machine code reads. Most tables of most programs are
//! looked up with few different keys.
//!
//! It serves tables that have a [version](Environment::table_version), from [`LookupCache::begin`]
//! to [`LookupCache::finish`]. Machine code looks for a key; if the key is not cached, the
//! environment looks it up and the result is stored. A table with a low hit rate is left out for a
//! while: each table has a credit, which hits raise and misses lower.

use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

use weir_exec::{Environment, LookupResult, Pipeline};
use weir_ir::{Program, TableId};

use crate::abi::row_words;
use crate::options::{InjectedBug, Options};

/// The number of slots of each table.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 9;
/// The maximum number of words of a key or a row. Tables with longer keys or rows are not cached.
const MAX_KEY_OR_ROW_WORDS: usize = 8;
/// The size of the cache of one thread. Tables that do not fit are not cached. Machine code reaches
/// a table's region at an offset of 32 bits, which this limit keeps from overflowing.
const MAX_BYTES: usize = 1 << 26;
/// The number that a miss subtracts from a table's credit. A hit adds 1.
const MISS_COST: u64 = 3;
/// The number of batches for which a table is left out when its credit is used up.
const PAUSE_BATCHES: u32 = 1 << 10;

/// The hash of a key: for each word, rotate, xor, multiply; the highest bits are the slot's number.
pub(crate) const HASH_MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
pub(crate) const HASH_ROTATION: u32 = 23;
pub(crate) const HASH_SHIFT: u64 = 64 - SLOT_BITS as u64;

/// The number of words of a region before its slots: the selector, the number of lookups that the
/// cache answered, and how many of these hit.
///
/// The selector tells machine code where to look: 0 means nowhere; an odd number means in the slot
/// of the key's hash (the bits above the lowest are the table's position); an even number is the
/// address, less [`Region::slot_bias`], of the slot that the [lookahead](crate::lookahead) has
/// filled for the packet that runs.
const HEAD_WORDS: usize = 8;

/// The part of the cache that belongs to one table. A slot holds a key, then 1 if an entry was hit
/// (else 0), then the row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub table: TableId,
    /// The region's first word, its selector.
    first: usize,
    pub key_words: usize,
    pub row_words: usize,
}

impl Region {
    /// Returns the selector's offset in the cache, in bytes. All offsets are less than
    /// [`MAX_BYTES`].
    pub(crate) fn selector_offset(self) -> i32 {
        self.first as i32 * 8
    }

    /// Returns the offset of the number of lookups that the cache answered.
    pub(crate) fn lookups_offset(self) -> i32 {
        self.selector_offset() + 8
    }

    /// Returns the offset of the number of answered lookups that hit.
    pub(crate) fn hits_offset(self) -> i32 {
        self.selector_offset() + 16
    }

    /// Returns the offset of the first slot.
    pub(crate) fn slots_offset(self) -> i32 {
        (self.first + HEAD_WORDS) as i32 * 8
    }

    /// Returns the number that machine code adds to an even selector to get the address of a slot.
    /// So one instruction reaches slots in the cache and in other memory.
    pub(crate) fn slot_bias(self) -> u64 {
        self.slots_offset() as u64
    }

    pub(crate) fn slot_words(self) -> usize {
        self.key_words + 1 + self.row_words
    }

    pub(crate) fn slot_bytes(self) -> u64 {
        self.slot_words() as u64 * 8
    }

    fn row_words(self) -> usize {
        HEAD_WORDS + SLOTS * self.slot_words()
    }
}

/// Returns the slot of a key, as machine code computes it.
fn slot(key: &[u64]) -> usize {
    let mix = |hash: u64, word: &u64| (hash.rotate_left(HASH_ROTATION) ^ word).wrapping_mul(HASH_MULTIPLIER);
    (key.iter().fold(0, mix) >> HASH_SHIFT) as usize
}

/// Returns the regions of a pipeline's tables, as far as they fit into the cache.
pub(crate) fn regions(program: &Program, pipeline: &Pipeline) -> Vec<Region> {
    let mut first = 0;
    let mut regions = Vec::new();
    for table in pipeline.cacheable_tables() {
        let key_words = program.tables[*table].key_words();
        let row_words = row_words(program, *table);
        if key_words == 0 || key_words.max(row_words) > MAX_KEY_OR_ROW_WORDS {
            continue;
        }
        let region = Region { table: *table, first, key_words, row_words };
        if first + region.row_words() <= MAX_BYTES / 8 {
            first += region.row_words();
            regions.push(region);
        }
    }
    regions
}

/// The cache of one thread.
#[derive(Debug)]
pub(crate) struct LookupCache {
    /// All regions. Machine code reads slots and counts lookups.
    words: Box<[Cell<u64>]>,
    tables: Vec<Cell<CachedTable>>,
    /// Whether packets run.
    active: bool,
    max_credit: u64,
    /// An injected bug: new versions of tables are not detected.
    ignores_versions: bool,
}

#[derive(Clone, Copy, Debug)]
struct CachedTable {
    region: Region,
    /// The version that the environment gave at the last [`LookupCache::begin`]; `None` if each
    /// lookup must be made again.
    version: Option<u64>,
    /// Whether all results in the region are of this version.
    valid: bool,
    credit: u64,
    /// The number of lookups that were answered when the credit was last updated.
    lookups_before: u64,
    /// The number of batches for which the region is left out.
    pause: u32,
}

impl LookupCache {
    pub(crate) fn new(regions: &[Region], options: Options) -> Self {
        let words = regions.last().map_or(0, |last| last.first + last.row_words());
        let credit = options.cache_credit;
        let table = |region: &Region| CachedTable {
            region: *region,
            version: None,
            valid: false,
            credit,
            lookups_before: 0,
            pause: 0,
        };
        Self {
            words: vec![Cell::new(0); words].into(),
            tables: regions.iter().map(table).map(Cell::new).collect(),
            active: false,
            max_credit: credit,
            ignores_versions: options.has_bug(InjectedBug::StaleLookups),
        }
    }

    /// Returns the memory, for machine code.
    pub(crate) fn address(&self) -> *mut u64 {
        self.words.as_ptr().cast_mut().cast()
    }

    /// Finds what the cache holds for a table.
    fn table(&self, table: TableId) -> Option<CachedTable> {
        self.tables.iter().map(Cell::get).find(|cached| cached.region.table == table)
    }

    /// Returns a table's region, if it has one.
    pub(crate) fn region(&self, table: TableId) -> Option<Region> {
        self.table(table).map(|cached| cached.region)
    }

    /// Returns a table's version, if packets run, the table has a region, and it has a version.
    pub(crate) fn version(&self, table: TableId) -> Option<u64> {
        self.table(table).and_then(|cached| cached.version).filter(|_| self.active)
    }

    /// Returns whether the table of the region at this position has a version.
    #[inline]
    pub(crate) fn has_version(&self, region: usize) -> bool {
        self.active && self.tables[region].get().version.is_some()
    }

    /// Returns whether machine code looks for keys in a table's region.
    pub(crate) fn is_in_use(&self, table: TableId) -> bool {
        self.table(table).is_some_and(|cached| self.words[cached.region.first].get() & 1 == 1)
    }

    /// Returns the selector of a region.
    pub(crate) fn selector(&self, region: Region) -> &Cell<u64> {
        &self.words[region.first]
    }

    /// Prepares the cache; called before packets run.
    pub(crate) fn begin(&mut self, env: &mut dyn Environment) {
        self.active = true;
        for (position, cached) in self.tables.iter_mut().map(Cell::get_mut).enumerate() {
            let version = env.table_version(cached.region.table);
            if version != cached.version && !(self.ignores_versions && cached.valid) {
                (cached.version, cached.valid) = (version, false);
                if version.is_none() {
                    (cached.credit, cached.pause) = (self.max_credit, 0);
                }
            }
            cached.pause = cached.pause.saturating_sub(1);
            let in_use = cached.version.is_some() && cached.pause == 0;
            let words = &self.words[cached.region.first..][..cached.region.row_words()];
            words[0].set(if in_use { (position as u64) << 1 | 1 } else { 0 });
            if in_use && !cached.valid {
                cached.clear(&words[HEAD_WORDS..]);
            }
        }
    }

    /// Called after packets have run. Tells the environment how many lookups the cache answered.
    pub(crate) fn finish(&mut self, env: &mut dyn Environment) {
        self.active = false;
        for cached in self.tables.iter_mut().map(Cell::get_mut) {
            let [selector, lookups, hits] = [0, 1, 2].map(|word| &self.words[cached.region.first + word]);
            selector.set(0);
            let (lookups, hits) = (lookups.take(), hits.take());
            cached.credit = (cached.credit + lookups - cached.lookups_before).min(self.max_credit);
            cached.lookups_before = 0;
            if lookups > 0 {
                env.count_cached_lookups(cached.region.table, hits, lookups - hits);
            }
        }
    }

    /// Stores the result for a key that was not found in the region of this (odd) selector.
    #[inline(never)]
    pub(crate) fn store(&self, selector: u64, key: &[u64], result: &LookupResult<'_>) {
        let table = &self.tables[(selector >> 1) as usize];
        let mut cached = table.get();
        let (head, slots) =
            self.words[cached.region.first..][..cached.region.row_words()].split_at(HEAD_WORDS);
        let lookups = head[1].get();
        let credit = (cached.credit + lookups - cached.lookups_before).min(self.max_credit);
        cached.credit = credit.saturating_sub(MISS_COST);
        cached.lookups_before = lookups;
        if cached.credit == 0 {
            (cached.pause, cached.credit) = (PAUSE_BATCHES, self.max_credit);
            head[0].set(0);
        }
        table.set(cached);
        if cached.pause > 0 {
            return;
        }
        let words = cached.region.slot_words();
        let (of_key, of_result) = slots[slot(key) * words..][..words].split_at(cached.region.key_words);
        of_key.iter().zip(key).for_each(|(to, word)| to.set(*word));
        of_result[0].set(u64::from(result.hit));
        of_result[1..].iter().zip(result.row).for_each(|(to, from)| to.set(from.load(Relaxed)));
    }
}

impl CachedTable {
    /// Fills the slots such that no key is found.
    fn clear(&mut self, slots: &[Cell<u64>]) {
        slots.iter().for_each(|word| word.set(0));
        // A key of zeros belongs in the first slot, so it is found in no other slot. The first slot
        // gets a key that belongs in another slot.
        let mut other = vec![0; self.region.key_words];
        while slot(&other) == 0 {
            other[0] += 1;
        }
        slots[0].set(other[0]);
        self.valid = true;
    }
}

#[cfg(test)]
mod tests {
    use weir_exec::PipelineSpec;

    use super::*;

    #[test]
    fn tables_that_do_not_fit_are_not_cached() {
        let text = "errors { NoError } var k: bit<64> var a.x: bit<64> action a(x = a.x) { }
            table t { key k: exact k action a default a(64w0) }";
        let mut program = weir_ir::text::parse(text).expect("it is IR");
        let table = program.tables[TableId::new(0)].clone();
        // There are so many tables that their offsets would overflow 32 bits.
        let count = (1 << 31) / (SLOTS * 4 * 8);
        let mut add =
            |number| program.tables.push(weir_ir::Table { name: format!("t{number}"), ..table.clone() });
        let more: Vec<TableId> = (1..count).map(&mut add).collect();
        let cacheable_tables = [TableId::new(0)].into_iter().chain(more).collect();
        let program = weir_ir::validate(program).expect("the program is valid");
        let spec = PipelineSpec { cacheable_tables, ..PipelineSpec::default() };
        let pipeline = Pipeline::new(&program, spec).expect("the tables are the program's");
        let regions = regions(&program, &pipeline);
        assert!(regions.len() > 1_000 && regions.len() < count, "{} of {count} tables", regions.len());
        for pair in regions.windows(2) {
            assert!(pair[0].slots_offset() > pair[0].selector_offset());
            assert!(pair[1].selector_offset() > pair[0].slots_offset());
            assert_eq!(pair[1].first - pair[0].first, pair[0].row_words());
        }
        let end = regions.iter().map(|region| region.first + region.row_words()).max().unwrap_or(0);
        assert!(end * 8 <= MAX_BYTES, "{end} words");
    }
}
