//! A table while it runs: its entries, its default, how often they were met.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use weir_ir::wire::Writer;
use weir_ir::{Action, ActionCall, Bits, ExternId, Keyset, Program, Table};
use weir_tables::{Field, Handle, InsertError, KeyLayout, MatchTable, Pattern, Row};

use crate::ahead::Ahead;
use crate::control::{CounterValue, MatchKind};
use crate::device::Nanos;
use crate::error::{LoadError, Place};
use crate::externs::ExternState;
use crate::externs::meter::{self, Colour, Meter};
use crate::externs::profile::Outcome;
use crate::idle::Idle;
use crate::runtime::{field_kind, key_words};

/// Tables with so many entries do not lie in a processor's nearest memory.
const FAR: usize = 1;

#[derive(Debug)]
pub(crate) struct TableRuntime {
    pub entries: MatchTable<Stored>,
    /// In effect now.
    default: Outcome,
    /// The program's default action: what an empty group comes down to.
    pub own_default: Arc<ActionCall>,
    pub hits: u64,
    pub misses: u64,
    /// Its direct meter, and whether that meters bytes.
    pub meter: Option<(ExternId, bool)>,
    /// Its action profile.
    pub profile: Option<ExternId>,
    /// Whether entries may have a time-out.
    pub support_timeout: bool,
    /// Where the keys lie in the words of all keys.
    pub keys: KeyWords,
    /// Look-ups made before their packets run.
    pub ahead: Ahead,
    /// The default in words.
    default_row: Vec<u64>,
}

/// What belongs to an entry.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub outcome: Outcome,
    pub is_const: bool,
    pub hits: CounterValue,
    /// The cell of the table's direct meter, if it has been given rates.
    pub meter: Option<Meter>,
    pub last_hit: Option<Nanos>,
    /// Its time-out, if it has one.
    pub idle: Option<Idle>,
}

impl Stored {
    /// Not met yet.
    pub(crate) fn new(outcome: Outcome, is_const: bool) -> Self {
        let hits = CounterValue::default();
        Self { outcome, is_const, hits, meter: None, last_hit: None, idle: None }
    }
}

/// What a key met.
pub(crate) struct Met<'a> {
    /// The entry's handle, if there was one.
    pub entry: Option<u64>,
    /// What it does, or the default.
    pub outcome: &'a Outcome,
    /// The same in words.
    pub row: RowWords<'a>,
    /// What the direct meter says.
    pub colour: Option<(ExternId, Colour)>,
    /// The entry's time-out if it has run out before.
    pub idle: Option<&'a mut Idle>,
}

/// What to do, in words: the position of an action in the program and its data; see [`FIRST_OF_PROFILE`].
pub(crate) enum RowWords<'a> {
    /// In an entry's row.
    Entry(Row<'a>),
    /// In the default's.
    Default(&'a [u64]),
}

impl RowWords<'_> {
    pub(crate) fn action(&self) -> u32 {
        match self {
            Self::Entry(row) => row.action(),
            Self::Default(words) => words[0] as u32,
        }
    }

    /// Copies the data, as much of it as there is room for.
    #[inline]
    pub(crate) fn copy_data(&self, into: &mut [u64]) {
        match self {
            Self::Entry(row) => {
                into.iter_mut().zip(&row.words()[1..]).for_each(|(to, from)| *to = from.load(Relaxed));
            }
            Self::Default(words) => into.iter_mut().zip(&words[1..]).for_each(|(to, from)| *to = *from),
        }
    }
}

impl TableRuntime {
    /// With the program's own entries.
    pub(crate) fn new(program: &Program, table: &Table, externs: &[ExternState]) -> Result<Self, LoadError> {
        let fields = table
            .keys
            .iter()
            .enumerate()
            .filter(|(_, key)| key.match_kind != "selector")
            .map(|(position, key)| {
                let kind = MatchKind::from_name(&key.match_kind).ok_or_else(|| LoadError::Unsupported {
                    place: Place::new(program, key.loc),
                    feature: format!("match kind `{}` of table `{}`", key.match_kind, table.name),
                    note: None,
                })?;
                // Of the program's own entries some may have `_` for an exact key; the control interface still takes none.
                let any = table.entries.iter().any(|entry| entry.keysets.get(position) == Some(&Keyset::Any));
                let kind = if any && kind == MatchKind::Exact { MatchKind::Ternary } else { kind };
                Ok(Field { width: key.expr.ty.width(), kind: field_kind(kind) })
            })
            .collect::<Result<Vec<_>, LoadError>>()?;
        let data_words =
            table.actions.iter().map(|listed| data_words(program, &program.actions[listed.action]));
        let data_words = data_words.chain([usize::from(table.implementation.is_some())]).max().unwrap_or(0);
        let mut entries = MatchTable::new(KeyLayout::new(fields), data_words);
        for entry in &table.entries {
            let malformed =
                |problem: String| LoadError::Malformed { place: Place::new(program, entry.loc), problem };
            let keysets = || entry.keysets.iter().zip(&table.keys);
            if let Some((_, key)) =
                keysets().find(|(set, key)| key.match_kind == "selector" && !matches!(set, Keyset::Any))
            {
                return Err(malformed(format!(
                    "`selector` key `{}` of table `{}` matches nothing by itself: write `_`",
                    key.name, table.name
                )));
            }
            let patterns = keysets()
                .filter(|(_, key)| key.match_kind != "selector")
                .zip(entries.layout().fields())
                .map(|((keyset, key), field)| (keyset, field, key))
                .map(|(keyset, field, key)| {
                    pattern(keyset, *field).ok_or_else(|| {
                        malformed(format!(
                            "this entry of table `{}` does not fit its `{}` key `{}`",
                            table.name, key.match_kind, key.name
                        ))
                    })
                })
                .collect::<Result<Vec<_>, LoadError>>()?;
            let is_const = table.const_entries || entry.is_const;
            let stored = Stored::new(Outcome::Call(Arc::new(entry.call.clone())), is_const);
            let row = row(&stored.outcome);
            let inserted = entries.insert(&patterns, entry.priority.unwrap_or(0), (row.0, &row.1), stored);
            inserted.map_err(|error| match error {
                InsertError::Duplicate(_) => {
                    malformed(format!("table `{}` has another entry with this key", table.name))
                }
                _ => malformed(format!("this entry does not fit the keys of table `{}`", table.name)),
            })?;
        }
        let own_default = Arc::new(table.default_action.clone());
        let meter = table.attached.iter().find_map(|(_, object)| match externs[object.index()] {
            ExternState::DirectMeter(bytes) => Some((*object, bytes)),
            _ => None,
        });
        let default = Outcome::Call(Arc::clone(&own_default));
        Ok(Self {
            entries,
            default_row: words(&default),
            default,
            own_default,
            hits: 0,
            misses: 0,
            meter,
            profile: table.implementation,
            support_timeout: supports_timeout(table),
            keys: KeyWords::new(table),
            ahead: Ahead::default(),
        })
    }

    /// Adds an entry.
    pub(crate) fn insert(
        &mut self,
        patterns: &[Pattern],
        priority: u32,
        stored: Stored,
    ) -> Result<Handle, InsertError> {
        let (action, data) = row(&stored.outcome);
        self.entries.insert(patterns, priority, (action, &data), stored)
    }

    /// Lets an entry do something else; returns what it did.
    pub(crate) fn set_outcome(
        &mut self,
        handle: Handle,
        outcome: Outcome,
    ) -> Result<Option<Outcome>, InsertError> {
        let (action, data) = row(&outcome);
        self.entries.modify(handle, action, &data)?;
        Ok(self.entries.get_mut(handle).map(|stored| std::mem::replace(&mut stored.outcome, outcome)))
    }

    /// What happens on a miss.
    pub(crate) fn default(&self) -> &Outcome {
        &self.default
    }

    /// Lets something else happen on a miss; returns what did.
    pub(crate) fn set_default(&mut self, outcome: Outcome) -> Outcome {
        self.default_row = words(&outcome);
        std::mem::replace(&mut self.default, outcome)
    }

    /// Whether it is so large that its memory is not near by itself.
    pub(crate) fn is_far(&self) -> bool {
        self.entries.len() >= FAR
    }

    /// Looks the words of the match fields up, counts, notes the time, and lets the direct meter say its colour. A table without key has no
    /// entries and always misses.
    #[inline]
    pub(crate) fn meet(&mut self, key: &[u64], now: Nanos, packet_length: usize) -> Met<'_> {
        let ahead = self.ahead.take(self.entries.table().version(), key);
        let found = match ahead {
            Some(slot) => slot.and_then(|slot| self.entries.at_mut(slot)),
            None => self.entries.find_mut(key),
        };
        match found {
            Some((found, stored)) => {
                self.hits += 1;
                stored.hits.count(packet_length);
                stored.last_hit = Some(now);
                if let Some(idle) = &mut stored.idle {
                    idle.since = now;
                }
                let colour = self.meter.map(|(object, bytes)| {
                    let cell = stored.meter.as_mut();
                    (object, meter::execute(cell, bytes, now, packet_length, Colour::Green))
                });
                let idle = stored.idle.as_mut().filter(|idle| idle.timer.is_none());
                let (outcome, row) = (&stored.outcome, RowWords::Entry(found.words));
                Met { entry: Some(found.handle), outcome, row, colour, idle }
            }
            None => {
                self.misses += 1;
                let colour = self.meter.map(|(object, _)| (object, Colour::Green));
                let row = RowWords::Default(&self.default_row);
                Met { entry: None, outcome: &self.default, row, colour, idle: None }
            }
        }
    }
}

/// Where a table's keys lie in the words of all of them, one after the other.
#[derive(Debug)]
pub(crate) struct KeyWords {
    /// Bits of each key.
    widths: Vec<u32>,
    /// Words of all keys.
    pub all: usize,
    /// The words of the match fields, if some keys are none but feed the selector.
    fields: Option<Vec<Range<usize>>>,
    /// The selector keys: their first words and their bits.
    selectors: Vec<(usize, u32)>,
}

impl KeyWords {
    fn new(table: &Table) -> Self {
        let (mut all, mut fields, mut selectors) = (0, Vec::<Range<usize>>::new(), Vec::new());
        for key in &table.keys {
            let width = key.expr.ty.width();
            let end = all + width.div_ceil(64) as usize;
            match fields.last_mut() {
                _ if key.match_kind == "selector" => selectors.push((all, width)),
                Some(last) if last.end == all => last.end = end,
                _ => fields.push(all..end),
            }
            all = end;
        }
        let widths = table.keys.iter().map(|key| key.expr.ty.width()).collect();
        Self { widths, all, fields: (!selectors.is_empty()).then_some(fields), selectors }
    }

    /// Puts the keys' values into words.
    pub(crate) fn write(&self, keys: &[Bits], into: &mut Vec<u64>) {
        into.clear();
        into.resize(self.all, 0);
        let mut at = 0;
        for (key, width) in keys.iter().zip(&self.widths) {
            key.write_words(&mut into[at..]);
            at += width.div_ceil(64) as usize;
        }
    }

    /// The words of the match fields, in `room` if they are not all.
    #[inline]
    pub(crate) fn fields<'a>(&self, key: &'a [u64], room: &'a mut Vec<u64>) -> &'a [u64] {
        let Some(fields) = &self.fields else { return key };
        room.clear();
        self.push_fields(fields, key, room);
        room
    }

    /// Likewise of several keys, one after the other.
    pub(crate) fn fields_of_all<'a>(&self, keys: &'a [u64], room: &'a mut Vec<u64>) -> &'a [u64] {
        let Some(fields) = &self.fields else { return keys };
        room.clear();
        for key in keys.chunks_exact(self.all) {
            self.push_fields(fields, key, room);
        }
        room
    }

    fn push_fields(&self, fields: &[Range<usize>], key: &[u64], into: &mut Vec<u64>) {
        fields.iter().for_each(|words| into.extend_from_slice(&key[words.clone()]));
    }

    /// The selector keys as bytes, one behind the other.
    pub(crate) fn selector_bytes(&self, key: &[u64], into: &mut Vec<u8>) {
        into.clear();
        let mut writer = Writer::new(into);
        self.selectors.iter().for_each(|(at, width)| writer.push_words(*width, &key[*at..]));
    }
}

/// Words of an action's data in a table's rows: each parameter in whole words, least significant first.
fn data_words(program: &Program, action: &Action) -> usize {
    action.params.iter().map(|param| program.vars[param.var].ty.width().div_ceil(64) as usize).sum()
}

/// In a row the position of an action; from this on up what is no action of its own but is looked up in the action profile.
pub(crate) const FIRST_OF_PROFILE: u32 = u32::MAX - 2;

/// What an outcome is in its entry's row: the position of its action in the program and its data, or beyond all actions a member (its number is
/// the data), a group (likewise), or a choice among actions.
fn row(outcome: &Outcome) -> (u32, Vec<u64>) {
    match outcome {
        Outcome::Call(call) => {
            let mut data = Vec::new();
            key_words(&call.args, &mut data);
            (call.action.index() as u32, data)
        }
        Outcome::Member(member) => (FIRST_OF_PROFILE, vec![u64::from(*member)]),
        Outcome::Group(group) => (FIRST_OF_PROFILE + 1, vec![u64::from(*group)]),
        Outcome::OneOf(_) => (FIRST_OF_PROFILE + 2, Vec::new()),
    }
}

/// Likewise, as words that follow each other.
fn words(outcome: &Outcome) -> Vec<u64> {
    let (action, data) = row(outcome);
    [&[u64::from(action)][..], &data].concat()
}

/// Whether the program lets the table's entries have time-outs.
pub(crate) fn supports_timeout(table: &Table) -> bool {
    let property = table.properties.iter().find(|(name, _)| name == "support_timeout");
    property.is_some_and(|(_, value)| *value == weir_ir::PropertyValue::Bool(true))
}

/// A keyset of the program as a pattern of the field; none if it cannot be one.
pub(crate) fn pattern(keyset: &Keyset, field: Field) -> Option<Pattern> {
    let number = |bits: &Bits| bits.resize(field.width).to_be_bytes().into_boxed_slice();
    let pattern = match keyset {
        Keyset::Any => Pattern::Any,
        Keyset::Value(value) => Pattern::Value(number(value)),
        Keyset::Mask(value, mask) if field.kind == weir_tables::FieldKind::Lpm => {
            Pattern::Prefix(number(value), prefix_length(mask, field.width)?)
        }
        Keyset::Mask(value, mask) => Pattern::Mask(number(value), number(mask)),
        Keyset::Range(low, high) => Pattern::Range(number(low), number(high)),
        Keyset::Set(_) => return None,
    };
    pattern.normalised(field).ok()
}

/// The number of leading ones of a mask that has no other ones.
fn prefix_length(mask: &Bits, width: u32) -> Option<u32> {
    let len = (0..width).take_while(|i| mask.bit(width - 1 - i)).count() as u32;
    (len..width).all(|i| !mask.bit(width - 1 - i)).then_some(len)
}
