//! Looking the first keys of many packets up at once, before the packets run: the memory of one look-up is fetched while others are made.
//!
//! The scout, which is a pipeline up to its first look-up, guesses the keys. Where a table is steady its answers are kept, packet by packet, and machine
//! code finds them as it finds those of keys that come again (see [`recall`](crate::recall)); other tables' environment remembers.

use std::ops::Range;

use weir_exec::{Environment, LookupBatch, MAX_BATCH, PacketView};
use weir_ir::{Program, TableId};

use crate::compile::{Broken, Policy};
use crate::recall::{Part, Recall};
use crate::scout::{Scout, Wanted};

/// The fewest packets that it gains to look at together.
const FEWEST: usize = 4;
/// After so many of their keys, what is read first is brought near while the next are guessed.
const NEAR: usize = 16;
/// After so many batches without gain, doubled each time, one is tried again; never more.
const LONGEST_REST: u32 = 64;

/// What is known of packets that have not run.
#[derive(Debug)]
pub(crate) struct Ahead {
    /// By table: words of its key.
    key_words: Vec<usize>,
    longest: usize,
    /// Keys of one table. Each is followed by whether an entry was hit and the answer's row, if it has a part.
    words: Box<[u64]>,
    /// The part whose answers these are, and the table's number when they were true.
    of: Option<(Part, u64)>,
    /// By packet: what [`Part::whither`] holds while it runs.
    whither: [u64; MAX_BATCH],
    /// Packets, of those that were looked at, that have not run.
    left: Range<usize>,
    /// Batches that are still let pass, and how many were let pass last time.
    rest: u32,
    rested: u32,
    /// Broken on purpose: the first key gets the second one's answer.
    foreign: bool,
}

impl Ahead {
    pub(crate) fn new(program: &Program, parts: &[Part], policy: Policy) -> Self {
        let key_words: Vec<usize> = program.tables.values().map(weir_ir::Table::key_words).collect();
        let longest = key_words.iter().copied().max().unwrap_or(0);
        let place = parts.iter().map(|part| part.stride()).max().unwrap_or(0);
        Self {
            key_words,
            longest,
            words: vec![0; MAX_BATCH * longest.max(place)].into(),
            of: None,
            whither: [0; MAX_BATCH],
            left: 0..0,
            rest: 0,
            rested: 0,
            foreign: policy.broken(Broken::ForeignAnswers),
        }
    }

    /// Words of the longest key of any table.
    pub(crate) fn longest_key(&self) -> usize {
        self.longest
    }

    /// How many of the packets that come next go together. Looks at them first, unless they have been looked at or it is not worth while.
    #[inline(never)]
    pub(crate) fn look(
        &mut self,
        packets: &[PacketView<'_>],
        (recall, env): (&Recall, &mut dyn Environment),
        scout: &mut Scout<'_>,
    ) -> usize {
        self.of = self.of.filter(|(part, number)| recall.steady(part.table) == Some(*number));
        if !self.left.is_empty() {
            return packets.len().min(self.left.len());
        }
        let packets = &packets[..packets.len().min(MAX_BATCH)];
        let together = packets.len();
        self.of = None;
        if together < FEWEST {
            return together;
        }
        self.left = 0..together;
        if self.rest > 0 {
            self.rest -= 1;
            return together;
        }
        for at in 0..together {
            let guess = scout.guess(packets, at, &mut self.words);
            let Some(table) = guess.checked_sub(1).map(TableId::new) else { continue };
            if self.key_words[table.index()] == 0 || !env.prefers_batches(table) {
                continue;
            }
            if !recall.is_in_use(table) {
                self.look_in(table, (packets, at), (recall, env), scout);
                self.rested = 0;
            } // else its keys come again.
            return together;
        }
        self.rested = (2 * self.rested).clamp(1, LONGEST_REST);
        self.rest = self.rested;
        together
    }

    /// Has the keys looked up of those packets, from one on, that go to this table.
    fn look_in(
        &mut self,
        table: TableId,
        (packets, first): (&[PacketView<'_>], usize),
        (recall, env): (&Recall, &mut dyn Environment),
        scout: &mut Scout<'_>,
    ) {
        let key_words = self.key_words[table.index()];
        let steady = recall.part(table).zip(recall.steady(table));
        let each = steady.map_or(key_words, |(part, _)| part.stride());
        self.whither[..first].fill(0);
        let wanted =
            Wanted { guess: table.index() + 1, each, bias: steady.map_or(0, |(part, _)| part.bias()) };
        let mut count = 0;
        for from in (first..packets.len()).step_by(NEAR) {
            let packets = &packets[..packets.len().min(from + NEAR)];
            let (keys, whither) = (&mut self.words[count * each..], &mut self.whither[from..]);
            let more = scout.gather(packets, from, wanted, (keys, whither));
            if steady.is_some() {
                env.prefetch(table, &self.words[count * each..][..more * each], each);
            }
            count += more;
        }
        let places = &mut self.words[..count * each];
        if steady.is_none() {
            return env.prefetch_lookups(table, places);
        }
        let mut asked = LookupBatch::new(places, each, key_words);
        env.lookup_batch(table, &mut asked);
        self.of = steady.filter(|_| asked.is_complete());
        if self.foreign && count > 1 {
            places.copy_within(each + key_words..2 * each, key_words);
        }
    }

    /// The part that there are answers of for the packets that come next.
    pub(crate) fn told(&self) -> Option<Part> {
        self.of.map(|(part, _)| part)
    }

    /// By packet that comes next what [`Part::whither`] holds while it runs, if there are answers; otherwise there are as many words.
    pub(crate) fn whither(&self) -> &[u64] {
        let first = if self.left.is_empty() { 0 } else { self.left.start };
        &self.whither[first..]
    }

    /// So many packets have run since [`Ahead::look`].
    pub(crate) fn passed(&mut self, packets: usize) {
        self.left.start = self.left.end.min(self.left.start + packets);
    }
}
