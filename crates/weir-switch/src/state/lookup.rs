//! Looks up keys in tables, and in the action profiles and selectors that their entries name.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_device::Nanos;
use weir_exec::{Lookup, LookupBatch, LookupResult};
use weir_ir::{ActionCall, Bits, ExternId, TableId};
use weir_tables::Hit;

use super::{ControlView, ThreadState};
use crate::choice::Choice;
use crate::externs::ExternState;
use crate::externs::hash::HashKind;
use crate::externs::meter::Colour;
use crate::externs::profile::{Outcome, choose_member, choose_one, is_up};
use crate::tables::{FIRST_OF_PROFILE, FoundRow, TableView};

/// The number of entries above which a table does not fit in the processor's cache, so that batches
/// of lookups are faster.
const BATCHING_PAYS_OFF: usize = 1 << 14;

/// The result of a lookup, with the choice of the table's profile and the colour of its meter. The
/// result is a [`Lookup`] of values, or a [`LookupResult`] of words.
#[derive(Clone, Debug)]
pub(crate) struct Found<L = Lookup> {
    pub lookup: L,
    /// The colour from the table's direct meter.
    pub colour: Option<(ExternId, Colour)>,
    /// The choice of a member, for an entry of a table with an action profile.
    pub chosen: Option<ChosenMember>,
    /// If calls use the table's direct counter or meter: the slot of the entry, or `None` for the
    /// default.
    pub cells: Option<Option<u32>>,
}

/// The group and the member that were chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChosenMember {
    /// The group; `None` if the entry names a member or has actions of its own.
    pub group: Option<u32>,
    /// The member, or the position of the action in the entry's action set; `None` if the group is
    /// empty.
    pub member: Option<u32>,
    /// The decision; `None` if there was only one possible outcome.
    pub choice: Option<Choice>,
}

impl ThreadState {
    /// Looks up key values in a table, and in the table's action profile if it has one. If a group
    /// has no members, the table's action for empty groups runs, and the lookup still counts as a
    /// hit.
    pub(crate) fn lookup(
        &mut self,
        control: ControlView<'_>,
        table: TableId,
        keys: &[Bits],
        now: Nanos,
        packet_length: usize,
    ) -> Found {
        let of = control.tables.get(table);
        let mut key = std::mem::take(&mut self.key);
        of.shape.keys.write(keys, &mut key);
        let result = self.find_row(control, table, &key, now, packet_length);
        let (place, colour, action) = (result.place, result.colour, result.action());
        let (call, chosen) = match place {
            _ if action >= FIRST_OF_PROFILE => self.choose_action(control, table, place, &key),
            Some(place) => (self.tables[table.index()].call(of, place.row()), None),
            None => (of.default_call(), None),
        };
        self.key = key;
        let entry = place.map(|place| of.handle(place));
        let cells = of.cells_for_calls(place);
        Found { lookup: Lookup { hit: entry.is_some(), call, entry }, colour, chosen, cells }
    }

    /// Looks up a key in words, without allocation. `key` has all keys of the table, including
    /// those for the selector, one after the other, each in ⌈width/64⌉ words, least significant
    /// first. The choice of an action profile is stored in `room`, which is large enough for a row
    /// of every action of the table.
    ///
    /// The result is the same as that of [`ThreadState::lookup`], also for counters, meters and
    /// choices.
    pub(crate) fn lookup_words<'a>(
        &mut self,
        control: ControlView<'a>,
        table: TableId,
        key: &[u64],
        room: &'a [AtomicU64],
        now: Nanos,
        packet_length: usize,
    ) -> Found<LookupResult<'a>> {
        let result = self.find_row(control, table, key, now, packet_length);
        let (hit, colour) = (result.place.is_some(), result.colour);
        let of = control.tables.get(table);
        let cells = of.cells_for_calls(result.place);
        if of.shape.profile.is_none() {
            return Found { lookup: LookupResult { hit, row: result.row }, colour, chosen: None, cells };
        }
        if result.action() < FIRST_OF_PROFILE {
            result.copy_row(room);
            return Found { lookup: LookupResult { hit, row: room }, colour, chosen: None, cells };
        }
        let (call, chosen) = self.choose_action(control, table, result.place, key);
        call.write_row(room);
        Found { lookup: LookupResult { hit, row: room }, colour, chosen, cells }
    }

    /// Looks up a key like [`ThreadState::lookup_words`], in a plain table.
    #[inline]
    pub(crate) fn lookup_plain<'a>(
        &mut self,
        table: TableId,
        view: TableView<'a>,
        key: &[u64],
    ) -> LookupResult<'a> {
        self.tables[table.index()].find_plain(view, key)
    }

    /// Returns a number that does not change while lookups in a table have the same results, or
    /// `None` if lookups do more than find entries.
    pub(crate) fn table_version(&mut self, control: ControlView<'_>, table: TableId) -> Option<u64> {
        self.tables[table.index()].table_version(control.tables.get(table), &mut self.versions)
    }

    /// Looks up keys that will be needed soon, and fetches the memory for all of them at once.
    /// `keys` has the keys one after the other, each as for [`ThreadState::lookup_words`]. Keys
    /// after the first [`MAX_BATCH`](weir_exec::MAX_BATCH) are ignored. Later lookups of these keys
    /// in this table use the results if they come in the same order. A few keys may be skipped, and
    /// other keys may come in between. Any change of the table and any other call for this table
    /// discards the results. Nothing is counted, metered or chosen before the lookup itself.
    pub(crate) fn prefetch_lookups(&mut self, control: ControlView<'_>, table: TableId, keys: &[u64]) {
        self.tables[table.index()].prefetch_lookups(control.tables.get(table), keys, &mut self.fields);
    }

    #[inline]
    fn find_row<'a>(
        &mut self,
        control: ControlView<'a>,
        table: TableId,
        key: &[u64],
        now: Nanos,
        packet_length: usize,
    ) -> FoundRow<'a> {
        let of = control.tables.get(table);
        let key = of.shape.keys.fields(key, &mut self.fields);
        if of.shape.needs_lock {
            self.register_lock.acquire();
        }
        self.tables[table.index()].look_up(of, key, now, packet_length, &mut self.hits)
    }

    /// Chooses the action of the member, group or list that an entry's row names, or the default
    /// action.
    #[cold]
    fn choose_action(
        &mut self,
        control: ControlView<'_>,
        table: TableId,
        place: Option<Hit>,
        key: &[u64],
    ) -> (Arc<ActionCall>, Option<ChosenMember>) {
        let Self { random, choices, flow, .. } = self;
        let of = control.tables.get(table);
        let settings = control.settings;
        let default = || Arc::clone(&of.shape.own_default);
        let Some(ExternState::Profile(profile)) = of.shape.profile.map(|id| &settings.externs[id.index()])
        else {
            return (default(), None);
        };
        let outcome = &of.outcome(place.map(Hit::row));
        let mut flow = |random: &mut Pcg64Mcg| {
            profile.flow(match profile.hash {
                Some(HashKind::Data(algorithm)) => {
                    of.shape.keys.selector_bytes(key, flow);
                    settings.hashes.compute(algorithm, flow)
                }
                Some(HashKind::Random) => random.next_u64(),
                None => 0,
            })
        };
        let member = |id: u32| profile.members.get(&id).cloned();
        let down = &*settings.down_ports;
        // Only options that take part can be chosen, but the result is a position among all
        // options.
        let mut decide = |usual: usize, all: usize, takes_part: &dyn Fn(usize) -> bool| {
            let count = |until: usize| (0..until).filter(|position| takes_part(*position)).count() as u32;
            let choice = choices.decide(count(all), count(usual));
            let taken = (0..all).filter(|position| takes_part(*position)).nth(choice.taken as usize);
            (taken.unwrap_or(usual), choice)
        };
        let (call, group, member, choice) = match outcome {
            Outcome::Call(call) => (Some(Arc::clone(call)), None, None, None),
            Outcome::Member(id) => (member(*id), None, Some(*id), None),
            Outcome::Group(group) => {
                let members = profile.groups.get(group).map_or(&[][..], Vec::as_slice);
                let takes_part = |position: usize| is_up(members[position].watch, down);
                let usual = choose_member(members, flow(random), down);
                let chosen = usual.map(|usual| decide(usual, members.len(), &takes_part));
                let (chosen, choice) = chosen.map(|(at, choice)| (members[at].member, choice)).unzip();
                (chosen.and_then(member), Some(*group), chosen, choice)
            }
            Outcome::OneOf(list) => {
                let calls = &list.actions;
                let takes_part = |position: usize| is_up(calls[position].watch, down);
                let flow = if list.at_random { random.next_u64() } else { flow(random) };
                let usual = choose_one(calls, flow, down);
                let (position, choice) = usual.map(|usual| decide(usual, calls.len(), &takes_part)).unzip();
                (position.map(|at| Arc::clone(&calls[at].runs)), None, position.map(|at| at as u32), choice)
            }
        };
        let call = call.unwrap_or_else(|| match group {
            Some(_) => Arc::clone(&of.shape.empty_group),
            None => default(),
        });
        (call, Some(ChosenMember { group, member, choice }))
    }
}

impl ControlView<'_> {
    /// Prefetches the memory that lookups of these keys in a plain table read first. A key begins
    /// every `stride` words.
    pub(crate) fn prefetch(self, table: TableId, keys: &[u64], stride: usize) {
        self.tables.get(table).entries.prefetch_batch(keys, stride);
    }

    /// Looks up many keys of a plain table at once, like [`ThreadState::lookup_plain`], without
    /// counting.
    pub(crate) fn lookup_batch(self, table: TableId, batch: &mut LookupBatch<'_>) {
        self.tables.get(table).lookup_batch(batch);
    }

    /// Returns whether batches of lookups are faster, because the table does not fit in the cache.
    pub(crate) fn prefers_batches(self, table: TableId) -> bool {
        self.tables.get(table).entries.len() >= BATCHING_PAYS_OFF
    }
}

#[cfg(test)]
mod tests;
