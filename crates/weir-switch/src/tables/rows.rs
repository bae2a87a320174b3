//! Rows: the actions of entries and defaults, in words. A row consists of the position of an action
//! in the program and of the action's arguments, each in ⌈width/64⌉ words, least significant first.
//! A number from [`FIRST_OF_PROFILE`] on is not the position of an action, but a kind of reference
//! to the table's action profile.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_ir::{ActionCall, ActionId, Bits, Program};

use crate::externs::profile::{List, Outcome};

/// The row refers to a member, whose number is the data.
const MEMBER: u32 = FIRST_OF_PROFILE;
/// The row refers to a group, whose number is the data.
const GROUP: u32 = FIRST_OF_PROFILE + 1;
/// The row refers to a list of actions, whose number in the table's [`Lists`] is the data.
const ONE_OF: u32 = FIRST_OF_PROFILE + 2;

/// The first number that is not the position of an action.
pub(crate) const FIRST_OF_PROFILE: u32 = u32::MAX - 2;

/// The widths of the parameters of the program's actions, with which rows are encoded and decoded.
#[derive(Debug)]
pub(crate) struct Actions {
    /// The widths of the parameters in bits, by action.
    widths: Vec<Box<[u32]>>,
}

impl Actions {
    pub(crate) fn new(program: &Program) -> Self {
        let widths = program
            .actions
            .values()
            .map(|action| action.params.iter().map(|param| program.vars[param.var].ty.width()).collect());
        Self { widths: widths.collect() }
    }

    /// Returns the number of words of an action's data.
    pub(crate) fn data_words(&self, action: ActionId) -> usize {
        self.widths[action.index()].iter().map(|width| width.div_ceil(64) as usize).sum()
    }

    /// Decodes the call in the row of an action.
    pub(super) fn call(&self, mut row: impl Iterator<Item = u64>) -> ActionCall {
        let action = ActionId::new(row.next().unwrap_or(0) as usize);
        let args = self.widths[action.index()].iter().map(|width| match width {
            0..=64 => Bits::new(*width, u128::from(if *width == 0 { 0 } else { row.next().unwrap_or(0) })),
            _ => {
                let words: Vec<u64> = row.by_ref().take(width.div_ceil(64) as usize).collect();
                Bits::from_words(*width, &words)
            }
        });
        ActionCall { action, args: args.collect() }
    }
}

/// Returns the words of a row in a table.
fn words_of(row: &[AtomicU64]) -> impl Iterator<Item = u64> {
    row.iter().map(|word| word.load(Relaxed))
}

/// Returns whether the row encodes this call.
fn encodes(call: &ActionCall, row: &[AtomicU64]) -> bool {
    let mut words = words_of(row);
    words.next() == Some(call.action.index() as u64)
        && call.args.iter().all(|arg| match arg.width() {
            0 => true,
            1..=64 => words.next() == Some(arg.low_u64()),
            width => {
                let words: Vec<u64> = words.by_ref().take(width.div_ceil(64) as usize).collect();
                *arg == Bits::from_words(width, &words)
            }
        })
}

/// Appends a value in whole words.
pub(crate) fn push_value(value: &Bits, into: &mut Vec<u64>) {
    let start = into.len();
    into.resize(start + value.width().div_ceil(64) as usize, 0);
    value.write_words(&mut into[start..]);
}

/// A cache of the calls of recently used rows, so that a call is not made again for each packet.
#[derive(Debug, Default)]
pub(crate) struct CallCache {
    /// The calls, by row number modulo [`CACHED`].
    calls: Vec<Option<Arc<ActionCall>>>,
}

/// The number of calls in the cache.
const CACHED: usize = 1 << 12;

impl CallCache {
    /// Decodes the call in the row of an action.
    pub(crate) fn call(&mut self, actions: &Actions, row: u32, words: &[AtomicU64]) -> Arc<ActionCall> {
        let place = row as usize % CACHED;
        if self.calls.len() <= place {
            self.calls.resize(place + 1, None);
        }
        match &mut self.calls[place] {
            Some(call) if encodes(call, words) => Arc::clone(call),
            place => Arc::clone(place.insert(Arc::new(actions.call(words_of(words))))),
        }
    }
}

/// The lists of actions from which entries of a table choose.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// The lists, by number; they are shared with lookups on other threads.
    pub lists: Arc<Vec<Option<List>>>,
    free: Vec<u32>,
}

impl Lists {
    /// Adds a list, and returns its number.
    fn add(&mut self, list: List) -> u32 {
        let lists = Arc::make_mut(&mut self.lists);
        let number = self.free.pop().unwrap_or_else(|| {
            lists.push(None);
            lists.len() as u32 - 1
        });
        lists[number as usize] = Some(list);
        number
    }

    /// Frees the list that the row names, if it names one.
    pub(crate) fn release(&mut self, action: u32, data: &[u64]) -> Option<List> {
        let number = *data.first()? as u32;
        let list = if action == ONE_OF {
            Arc::make_mut(&mut self.lists).get_mut(number as usize)?.take()
        } else {
            None
        };
        self.free.extend(list.is_some().then_some(number));
        list
    }

    /// Writes an outcome in words. Stores a list of actions until it is released.
    pub(crate) fn write(&mut self, outcome: &Outcome, into: &mut Vec<u64>) {
        into.clear();
        match outcome {
            Outcome::Call(call) => {
                into.push(call.action.index() as u64);
                call.args.iter().for_each(|arg| push_value(arg, into));
            }
            Outcome::Member(member) => into.extend([u64::from(MEMBER), u64::from(*member)]),
            Outcome::Group(group) => into.extend([u64::from(GROUP), u64::from(*group)]),
            Outcome::OneOf(list) => into.extend([u64::from(ONE_OF), u64::from(self.add(Arc::clone(list)))]),
        }
    }
}

/// Decodes the outcome of a row, given the lists that rows name.
pub(crate) fn row_outcome(lists: &[Option<List>], actions: &Actions, row: &[AtomicU64]) -> Outcome {
    let number = || row[1].load(Relaxed) as u32;
    match row[0].load(Relaxed) as u32 {
        MEMBER => Outcome::Member(number()),
        GROUP => Outcome::Group(number()),
        ONE_OF => {
            let list = lists[number() as usize].as_ref().expect("the entry's list is kept");
            Outcome::OneOf(Arc::clone(list))
        }
        _ => Outcome::Call(Arc::new(actions.call(words_of(row)))),
    }
}
