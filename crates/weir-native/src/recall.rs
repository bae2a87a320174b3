//! What tables answered lately, kept where machine code finds it: most tables of most programs see few different keys.
//!
//! It is of use for tables whose environment says that they are [steady](Environment::table_version), from [`Recall::begin`] to [`Recall::finish`], and rests
//! where keys seldom come again. Machine code looks into it; what is not there the environment is asked for, and is kept.

use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

use weir_exec::{Environment, LookupResult, Pipeline};
use weir_ir::{ActionId, Program, TableId};

use crate::compile::{Broken, Policy};

/// Keys of a table that are kept at most, a power of two.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 9;
/// Longer keys and data are not kept.
const MOST_WORDS: usize = 8;
/// Bytes of all parts together, for one thread. Tables for which there is no room left are not cached. Machine code reaches
/// a part at an offset of 32 bits, which this bound keeps from wrapping.
pub(crate) const MAX_BYTES: usize = 1 << 26;
/// How far trust goes up and begins, and what a key that is not there costs of it.
pub(crate) const TRUST: u64 = 2048;
const LOSS: u64 = 3;
/// Batches in which nothing is kept, once there is no trust.
const REST: u32 = 1 << 10;

/// Spreads keys.
pub(crate) const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// How far what was spread turns before the next word joins.
pub(crate) const TURN: u32 = 23;
/// How far down the place stands in what was spread.
pub(crate) const DOWN: u64 = 64 - PLACE_BITS as u64;

/// Words of a part before its places: where to look; look-ups that it answered; those of them that hit.
///
/// Where to look is 0 for nowhere; odd if the part is in use, its position above the lowest bit; and otherwise an answer for the packet at hand, told ahead.
const HEAD: usize = 8;

/// Where what a table answered lies. A place is a key, whether an entry was hit, and the answer's row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub table: TableId,
    /// Its first word, which says whether it is in use.
    at: usize,
    pub key_words: usize,
    pub row_words: usize,
}

impl Part {
    /// Bytes from the first part to the word that says where to look.
    pub(crate) fn whither(self) -> i32 {
        self.at as i32 * 8
    }

    /// The same to the number of look-ups that it answered.
    pub(crate) fn asked(self) -> i32 {
        self.whither() + 8
    }

    /// The same to the number of those that hit.
    pub(crate) fn hits(self) -> i32 {
        self.whither() + 16
    }

    /// The same to the first place.
    pub(crate) fn first(self) -> i32 {
        (self.at + HEAD) as i32 * 8
    }

    /// What tells machine code to look at a place, wherever it lies, is the place's address less so many bytes: it looks as far behind it as the first
    /// place is behind the first part.
    pub(crate) fn bias(self) -> u64 {
        self.first() as u64
    }

    /// Words of a place.
    pub(crate) fn stride(self) -> usize {
        self.key_words + 1 + self.row_words
    }

    /// Bytes from one place to the next.
    pub(crate) fn step(self) -> u64 {
        self.stride() as u64 * 8
    }

    fn words(self) -> usize {
        HEAD + PLACES * self.stride()
    }
}

/// The place of a key, as machine code finds it.
fn place(key: &[u64]) -> usize {
    let mix = |hash: u64, word: &u64| (hash.rotate_left(TURN) ^ word).wrapping_mul(SPREAD);
    (key.iter().fold(0, mix) >> DOWN) as usize
}

/// Words of a row of any action of a table.
pub(crate) fn row_words(program: &Program, table: TableId) -> usize {
    let of = &program.tables[table];
    let listed = of.actions.iter().map(|listed| listed.action).chain([of.default_action.action]);
    1 + listed.map(|action| data_words(program, action)).max().unwrap_or(0)
}

/// Words of an action's data.
pub(crate) fn data_words(program: &Program, action: ActionId) -> usize {
    let params = program.actions[action].params.iter();
    params.map(|param| program.vars[param.var].ty.width().div_ceil(64) as usize).sum()
}

/// Where all parts lie, as far as there is room for them.
pub(crate) fn parts(program: &Program, pipeline: &Pipeline) -> Vec<Part> {
    let mut at = 0;
    let mut parts = Vec::new();
    for table in &pipeline.cacheable_tables {
        let key_words = program.tables[*table].key_words();
        let row_words = row_words(program, *table);
        if key_words == 0 || key_words.max(row_words) > MOST_WORDS {
            continue;
        }
        let part = Part { table: *table, at, key_words, row_words };
        if at + part.words() <= MAX_BYTES / 8 {
            at += part.words();
            parts.push(part);
        }
    }
    parts
}

/// The memory of one thread.
#[derive(Debug)]
pub(crate) struct Recall {
    /// Parts one behind the other. Machine code reads them, and counts.
    words: Box<[Cell<u64>]>,
    tables: Vec<Cell<Kept>>,
    /// Whether look-ups come.
    open: bool,
    most_trust: u64,
    /// Broken on purpose: it does not hear of changes.
    stale: bool,
}

/// A table's.
#[derive(Clone, Copy, Debug)]
struct Kept {
    part: Part,
    /// The table's number, while it is steady.
    steady: Option<u64>,
    /// Whether all that is there is of the table as it is.
    clean: bool,
    trust: u64,
    /// Look-ups answered when trust was last looked at.
    before: u64,
    /// Batches that it sits out.
    rest: u32,
}

impl Recall {
    pub(crate) fn new(parts: &[Part], policy: Policy) -> Self {
        let words = parts.last().map_or(0, |last| last.at + last.words());
        let trust = policy.trust;
        let kept = |part: &Part| Kept { part: *part, steady: None, clean: false, trust, before: 0, rest: 0 };
        Self {
            words: vec![Cell::new(0); words].into(),
            tables: parts.iter().map(kept).map(Cell::new).collect(),
            open: false,
            most_trust: trust,
            stale: policy.broken(Broken::StaleAnswers),
        }
    }

    /// Where machine code finds it.
    pub(crate) fn address(&self) -> *mut u64 {
        self.words.as_ptr().cast_mut().cast()
    }

    fn kept(&self, table: TableId) -> Option<Kept> {
        self.tables.iter().map(Cell::get).find(|kept| kept.part.table == table)
    }

    /// A table's part, if it has one.
    pub(crate) fn part(&self, table: TableId) -> Option<Part> {
        self.kept(table).map(|kept| kept.part)
    }

    /// A table's number, if look-ups come, it has a part, and it is steady.
    pub(crate) fn steady(&self, table: TableId) -> Option<u64> {
        self.kept(table).and_then(|kept| kept.steady).filter(|_| self.open)
    }

    /// Whether a table's part is in use.
    pub(crate) fn is_in_use(&self, table: TableId) -> bool {
        self.kept(table).is_some_and(|kept| self.words[kept.part.at].get() & 1 == 1)
    }

    /// Where machine code is told where to look in a part; see [`Part::bias`].
    pub(crate) fn whither(&self, part: Part) -> &Cell<u64> {
        &self.words[part.at]
    }

    /// Look-ups come.
    pub(crate) fn begin(&mut self, env: &mut dyn Environment) {
        self.open = true;
        for (position, kept) in self.tables.iter_mut().map(Cell::get_mut).enumerate() {
            let steady = env.table_version(kept.part.table);
            if steady != kept.steady && !(self.stale && kept.clean) {
                (kept.steady, kept.clean) = (steady, false);
                if steady.is_none() {
                    (kept.trust, kept.rest) = (self.most_trust, 0);
                }
            }
            kept.rest = kept.rest.saturating_sub(1);
            let in_use = kept.steady.is_some() && kept.rest == 0;
            let words = &self.words[kept.part.at..][..kept.part.words()];
            words[0].set(if in_use { (position as u64) << 1 | 1 } else { 0 });
            if in_use && !kept.clean {
                kept.forget(&words[HEAD..]);
            }
        }
    }

    /// No more look-ups come for now; tells which ones it answered.
    pub(crate) fn finish(&mut self, env: &mut dyn Environment) {
        self.open = false;
        for kept in self.tables.iter_mut().map(Cell::get_mut) {
            let [whither, asked, hits] = [0, 1, 2].map(|word| &self.words[kept.part.at + word]);
            whither.set(0);
            let (asked, hits) = (asked.take(), hits.take());
            kept.trust = (kept.trust + asked - kept.before).min(self.most_trust);
            kept.before = 0;
            if asked > 0 {
                env.count_cached_lookups(kept.part.table, hits, asked - hits);
            }
        }
    }

    /// Keeps what a key met that was not there, in the part that machine code looked into.
    #[inline(never)]
    pub(crate) fn keep(&self, whither: u64, key: &[u64], answer: &LookupResult<'_>) {
        let of = &self.tables[(whither >> 1) as usize];
        let mut kept = of.get();
        let (head, places) = self.words[kept.part.at..][..kept.part.words()].split_at(HEAD);
        let asked = head[1].get();
        kept.trust = (kept.trust + asked - kept.before).min(self.most_trust).saturating_sub(LOSS);
        kept.before = asked;
        if kept.trust == 0 {
            (kept.rest, kept.trust) = (REST, self.most_trust);
            head[0].set(0);
        }
        of.set(kept);
        if kept.rest > 0 {
            return;
        }
        let stride = kept.part.stride();
        let (known, of) = places[place(key) * stride..][..stride].split_at(kept.part.key_words);
        known.iter().zip(key).for_each(|(known, word)| known.set(*word));
        of[0].set(u64::from(answer.hit));
        of[1..].iter().zip(answer.row).for_each(|(to, from)| to.set(from.load(Relaxed)));
    }
}

impl Kept {
    /// Makes the places such that they know no key.
    fn forget(&mut self, places: &[Cell<u64>]) {
        places.iter().for_each(|word| word.set(0));
        // Keys of zeroes belong into the first place, so that no other place knows them, and what is there instead does not belong there.
        let mut other = vec![0; self.part.key_words];
        while place(&other) == 0 {
            other[0] += 1;
        }
        places[0].set(other[0]);
        self.clean = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_for_which_there_is_no_room_are_not_cached() {
        let text = "errors { NoError } var k: bit<64> var a.x: bit<64> action a(x = a.x) { }
            table t { key k: exact k action a default a(64w0) }";
        let mut program = weir_ir::text::parse(text).expect("it is IR");
        let table = program.tables[TableId::new(0)].clone();
        // As many as would reach past offsets of 32 bits.
        let count = (1 << 31) / (PLACES * 4 * 8);
        let more = (1..count).map(|_| program.tables.push(table.clone()));
        let cacheable_tables = [TableId::new(0)].into_iter().chain(more.collect::<Vec<_>>()).collect();
        let parts = parts(&program, &Pipeline { cacheable_tables, ..Pipeline::default() });
        assert!(parts.len() > 1_000 && parts.len() < count, "{} of {count} tables", parts.len());
        for pair in parts.windows(2) {
            assert!(pair[0].first() > pair[0].whither() && pair[1].whither() > pair[0].first());
            assert_eq!((pair[1].at - pair[0].at) % pair[0].words(), 0);
        }
        let end = parts.iter().map(|part| part.at + part.words()).max().unwrap_or(0);
        assert!(end * 8 <= MAX_BYTES, "{end} words");
    }
}
