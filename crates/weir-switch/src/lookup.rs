//! Looking keys up in tables and in what tables lead to: action profiles and selectors.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rand_core::Rng;
use weir_device::Nanos;
use weir_exec::{Lookup, LookupBatch, LookupResult};
use weir_ir::{ActionCall, Bits, ExternId, TableId};
use weir_tables::Hit;

use crate::choices::Choice;
use crate::externs::ExternState;
use crate::externs::hash::HashKind;
use crate::externs::meter::Colour;
use crate::externs::profile::{Outcome, choose_one};
use crate::plane::Pinned;
use crate::runtime::Runtime;
use crate::tables::{FIRST_OF_PROFILE, Met, Seen};

/// Tables with so many entries do not lie in a processor's near memory: looking many keys up at once gains more than it costs.
const FAR: usize = 1 << 14;

/// What a look-up came to: a [`Lookup`], or an [`LookupResult`] by words.
#[derive(Clone, Debug)]
pub(crate) struct Found<L = Lookup> {
    pub lookup: L,
    /// What the table's direct meter says.
    pub colour: Option<(ExternId, Colour)>,
    /// What an entry of an action profile's table chose.
    pub chosen: Option<Chosen>,
}

/// The group and the member that were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// None if the entry names its member or chooses among actions of its own.
    pub group: Option<u32>,
    /// The member, or the position of the action in a one-shot list; none in an empty group.
    pub member: Option<u32>,
    /// Among how many; none where there was nothing to choose.
    pub choice: Option<Choice>,
}

/// Room that look-ups use again.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// The words of all keys.
    key: Vec<u64>,
    /// Those of the match fields.
    fields: Vec<u64>,
    /// The selector keys.
    flow: Vec<u8>,
}

impl Runtime {
    /// Looks a table's key values up, and in the table's action profile if it has one. A group without members acts as the table's
    /// default action in the program; the entry has been hit all the same.
    pub(crate) fn lookup(
        &mut self,
        table: TableId,
        keys: &[Bits],
        now: Nanos,
        packet_length: usize,
    ) -> Found {
        let mut key = std::mem::take(&mut self.room.key);
        self.tables[table.index()].keys.write(keys, &mut key);
        let met = self.meet(table, &key, now, packet_length);
        let (place, colour, action) = (met.place, met.colour, met.action());
        let Self { tables, plane, .. } = self;
        let (runtime, seen) = (&mut tables[table.index()], seen(plane, table));
        let entry = place.map(|place| runtime.handle(seen, place));
        let (call, chosen) = match place {
            _ if action >= FIRST_OF_PROFILE => self.decide(table, place, &key),
            Some(place) => (runtime.call(seen, place.row()), None),
            None => (runtime.default_call(seen), None),
        };
        self.room.key = key;
        Found { lookup: Lookup { hit: entry.is_some(), call, entry }, colour, chosen }
    }

    /// The same by words, without allocation: `key` has all keys of the table, those that feed the selector too, each in ⌈width/64⌉ words, least
    /// significant first, one key after the other; what an action profile decides goes into `room`, which has room for a row of every action of the table.
    ///
    /// It finds what [`Runtime::lookup`] finds, and counts, meters and chooses as that does.
    pub(crate) fn lookup_words<'a>(
        &'a mut self,
        table: TableId,
        key: &[u64],
        room: &'a [AtomicU64],
        now: Nanos,
        packet_length: usize,
    ) -> Found<LookupResult<'a>> {
        if self.tables[table.index()].profile.is_none() {
            let Met { place, row, colour } = self.meet(table, key, now, packet_length);
            return Found { lookup: LookupResult { hit: place.is_some(), row }, colour, chosen: None };
        }
        let met = self.meet(table, key, now, packet_length);
        let (place, hit, action, colour) = (met.place, met.place.is_some(), met.action(), met.colour);
        if action < FIRST_OF_PROFILE {
            met.copy_row(room);
            return Found { lookup: LookupResult { hit, row: room }, colour, chosen: None };
        }
        let (call, chosen) = self.decide(table, place, key);
        call.write_row(room);
        Found { lookup: LookupResult { hit, row: room }, colour, chosen }
    }

    /// Whether look-ups in a table do no more than that.
    #[inline]
    pub(crate) fn is_plain(&self, table: TableId) -> bool {
        self.tables[table.index()].is_plain
    }

    /// As [`Runtime::lookup_words`], in a plain table.
    #[inline]
    pub(crate) fn lookup_plain(&mut self, table: TableId, key: &[u64]) -> LookupResult<'_> {
        let Self { tables, plane, .. } = self;
        tables[table.index()].meet_plain(seen(plane, table), key)
    }

    /// A number that stays the same as long as look-ups in a table find the same; none if they do more than that.
    pub(crate) fn table_version(&mut self, table: TableId) -> Option<u64> {
        let Self { tables, plane, moments, .. } = self;
        tables[table.index()].table_version(seen(plane, table), moments)
    }

    /// Looks keys up that will be asked for soon, and fetches the memory for all of them at once: `keys` one after the other, each as
    /// [`Runtime::lookup_words`] gets it, at most [`MAX_BATCH`](weir_exec::MAX_BATCH) (more are left aside). Later look-ups of these keys in this table find them
    /// without searching if they come in the same order; a few keys may be passed over, and others may come between. Any change of the table and any
    /// other call for this table forgets them. Nothing is counted, metered or chosen before the look-up itself.
    pub(crate) fn prefetch_lookups(&mut self, table: TableId, keys: &[u64]) {
        let Self { tables, room, plane, .. } = self;
        tables[table.index()].prefetch_lookups(seen(plane, table), keys, &mut room.fields);
    }

    /// Brings near what look-ups in a plain table read first, of keys of which one begins every `each` words.
    pub(crate) fn prefetch(&self, table: TableId, keys: &[u64], each: usize) {
        self.tables[table.index()].view(seen(&self.plane, table)).prefetch_batch(keys, each);
    }

    /// Answers keys of a plain table as [`Runtime::lookup_plain`] does, many at once; nothing is counted.
    pub(crate) fn lookup_batch(&mut self, table: TableId, asked: &mut LookupBatch<'_>) {
        let Self { tables, plane, .. } = self;
        tables[table.index()].lookup_batch(seen(plane, table), asked);
    }

    /// Whether a table is so large that its memory is not near by itself.
    pub(crate) fn prefers_batches(&self, table: TableId) -> bool {
        self.tables[table.index()].len(seen(&self.plane, table)) >= FAR
    }

    #[inline]
    fn meet(&mut self, table: TableId, key: &[u64], now: Nanos, packet_length: usize) -> Met<'_> {
        let Self { tables, idle, room, plane, turn, .. } = self;
        let runtime = &mut tables[table.index()];
        let key = runtime.keys.fields(key, &mut room.fields);
        if runtime.beside.in_turn {
            turn.take();
        }
        runtime.meet(seen(plane, table), key, now, packet_length, idle)
    }

    /// The action that a member, a group or a choice among actions comes down to: that of an entry's row, or of the default.
    #[cold]
    fn decide(
        &mut self,
        table: TableId,
        place: Option<Hit>,
        key: &[u64],
    ) -> (Arc<ActionCall>, Option<Chosen>) {
        let Self { tables, externs, random, hashes, choices, room, plane, .. } = self;
        let runtime = &tables[table.index()];
        let empty = || Arc::clone(&runtime.own_default);
        let Some(ExternState::Profile(profile)) = runtime.profile.map(|id| &externs[id.index()]) else {
            return (empty(), None);
        };
        let outcome = &runtime.outcome_of(seen(plane, table), place.map(Hit::row));
        let mut flow = || {
            profile.flow(match profile.hash {
                Some(HashKind::Data(algorithm)) => {
                    runtime.keys.selector_bytes(key, &mut room.flow);
                    hashes.compute(algorithm, &room.flow)
                }
                Some(HashKind::Random) => random.next_u64(),
                None => 0,
            })
        };
        let member = |id: u32| profile.members.get(&id).cloned();
        let mut decide = |options: usize, usual: usize| choices.decide(options as u32, usual as u32);
        let (call, group, member, choice) = match outcome {
            Outcome::Call(call) => (Some(Arc::clone(call)), None, None, None),
            Outcome::Member(id) => (member(*id), None, Some(*id), None),
            Outcome::Group(group) => {
                let members = profile.groups.get(group).map_or(&[][..], Vec::as_slice);
                let choice = profile.choose(*group, flow()).map(|usual| decide(members.len(), usual));
                let chosen = choice.map(|choice| members[choice.taken as usize].0);
                (chosen.and_then(member), Some(*group), chosen, choice)
            }
            Outcome::OneOf(calls) => {
                let choice = choose_one(calls, flow()).map(|usual| decide(calls.len(), usual));
                let position = choice.map(|choice| choice.taken);
                (position.map(|p| Arc::clone(&calls[p as usize].0)), None, position, choice)
            }
        };
        (call.unwrap_or_else(empty), Some(Chosen { group, member, choice }))
    }
}

/// A table as packets on this thread see it, if they do not see the runtime's own.
#[inline]
fn seen(plane: &Option<Pinned>, table: TableId) -> Option<&Seen> {
    plane.as_ref().map(|plane| &*plane.tables[table.index()])
}

#[cfg(test)]
mod tests;
