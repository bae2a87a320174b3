//! Translates the names of many requests to ids. It remembers what a name meant, so that a batch
//! looks up each name once and compares it afterwards.

use weir_ir::{ActionId, Bits, TableId};
use weir_switch::control::{self as ids, Match};

use super::request::{Call, Entry, EntryRef, Target, WeightedCall};
use crate::{Error, Names};

/// Translates requests one after the other.
pub(super) struct Resolver<'a> {
    pub names: Names<'a>,
    tables: Known<TableNames>,
    spare: Spare,
}

/// A table, and the names of its keys and actions.
pub(super) struct TableNames {
    pub id: TableId,
    keys: Places,
    actions: Known<ActionNames>,
}

/// An action, and the names of its parameters.
struct ActionNames {
    id: ActionId,
    parameters: Places,
}

/// Memory of the previous update, for reuse.
#[derive(Default)]
pub(super) struct Spare {
    matches: Vec<Match>,
    args: Vec<Bits>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(names: Names<'a>) -> Self {
        Self { names, tables: Known::default(), spare: Spare::default() }
    }

    /// The table of this name, and memory for the request about it.
    pub(super) fn table(&mut self, name: &str) -> Result<(&mut TableNames, &mut Spare), Error> {
        let table = self.tables.find(name, || Ok(TableNames::new(self.names.table(name)?)))?;
        Ok((table, &mut self.spare))
    }

    /// Keeps the memory of an update that has been done.
    pub(super) fn recycle(&mut self, update: &mut ids::Update) {
        let (matches, action) = match update {
            ids::Update::Insert { entry, .. } => (Some(&mut entry.matches), Some(&mut entry.action)),
            ids::Update::Modify { entry, action, .. } => (matches_of(entry), Some(action)),
            ids::Update::Delete { entry, .. } => (matches_of(entry), None),
            _ => (None, None),
        };
        if let Some(matches) = matches {
            self.spare.matches = std::mem::take(matches);
        }
        if let Some(ids::Target::Action(call)) = action {
            self.spare.args = std::mem::take(&mut call.args);
        }
    }
}

fn matches_of(entry: &mut ids::EntryRef) -> Option<&mut Vec<Match>> {
    match entry {
        ids::EntryRef::Key { matches, .. } => Some(matches),
        ids::EntryRef::Handle(_) | ids::EntryRef::Default => None,
    }
}

impl TableNames {
    pub(super) fn new(id: TableId) -> Self {
        Self { id, keys: Places::default(), actions: Known::default() }
    }

    /// Matches in the order of the table's keys.
    fn matches(
        &mut self,
        names: Names<'_>,
        matches: &[(String, Match)],
        spare: &mut Spare,
    ) -> Result<Vec<Match>, Error> {
        let given = matches.iter().enumerate().map(|(place, (name, accepts))| {
            let key = self.keys.find(place, name, || names.key(self.id, name))?;
            Ok((key, accepts.clone()))
        });
        names.all_matches_in(self.id, given, std::mem::take(&mut spare.matches))
    }

    /// A call in ids.
    pub(super) fn call(
        &mut self,
        names: Names<'_>,
        call: &Call,
        spare: &mut Spare,
    ) -> Result<ids::Call, Error> {
        let action = self.actions.find(&call.action, || {
            let id = names.action(self.id, &call.action)?;
            Ok(ActionNames { id, parameters: Places::default() })
        })?;
        let id = action.id;
        let given = call.args.iter().enumerate().map(|(place, (name, value))| {
            let parameter = action.parameters.find(place, name, || names.parameter(id, name))?;
            Ok((parameter, value.clone()))
        });
        names.all_parameters_in(id, given, std::mem::take(&mut spare.args))
    }

    /// A target in ids.
    pub(super) fn target(
        &mut self,
        names: Names<'_>,
        target: &Target,
        spare: &mut Spare,
    ) -> Result<ids::Target, Error> {
        Ok(match target {
            Target::Action(call) => ids::Target::Action(self.call(names, call, spare)?),
            Target::Member(member) => ids::Target::Member(*member),
            Target::Group(group) => ids::Target::Group(*group),
            Target::OneOf(set) => {
                let one = |one: &WeightedCall| {
                    let action = self.call(names, &one.action, spare)?;
                    Ok(ids::WeightedCall { action, weight: one.weight, watch: one.watch })
                };
                let actions = set.actions.iter().map(one).collect::<Result<_, Error>>()?;
                let group_action = set.group_action.as_ref();
                let group_action = group_action.map(|call| self.call(names, call, spare)).transpose()?;
                ids::Target::OneOf(ids::ActionSet { actions, at_random: set.at_random, group_action })
            }
        })
    }

    /// An entry in ids.
    pub(super) fn entry(
        &mut self,
        names: Names<'_>,
        entry: &Entry,
        spare: &mut Spare,
    ) -> Result<ids::Entry, Error> {
        Ok(ids::Entry {
            matches: self.matches(names, &entry.matches, spare)?,
            priority: entry.priority,
            action: self.target(names, &entry.action, spare)?,
            idle_timeout: entry.idle_timeout,
        })
    }

    /// A reference to an entry in ids.
    pub(super) fn entry_ref(
        &mut self,
        names: Names<'_>,
        entry: &EntryRef,
        spare: &mut Spare,
    ) -> Result<ids::EntryRef, Error> {
        Ok(match entry {
            EntryRef::Default => ids::EntryRef::Default,
            EntryRef::Handle(handle) => ids::EntryRef::Handle(*handle),
            EntryRef::Key { matches, priority } => {
                ids::EntryRef::Key { matches: self.matches(names, matches, spare)?, priority: *priority }
            }
        })
    }
}

/// What names meant; requests often repeat the last one.
struct Known<T> {
    all: Vec<(String, T)>,
    last: usize,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self { all: Vec::new(), last: 0 }
    }
}

impl<T> Known<T> {
    fn find(&mut self, name: &str, resolve: impl FnOnce() -> Result<T, Error>) -> Result<&mut T, Error> {
        let is = |(known, _): &(String, T)| known == name;
        if !self.all.get(self.last).is_some_and(is) {
            self.last = match self.all.iter().position(is) {
                Some(known) => known,
                None => {
                    self.all.push((name.to_owned(), resolve()?));
                    self.all.len() - 1
                }
            };
        }
        Ok(&mut self.all[self.last].1)
    }
}

/// The names at each place of the last request, and the positions that they meant.
#[derive(Default)]
struct Places(Vec<(String, usize)>);

impl Places {
    fn find(
        &mut self,
        place: usize,
        name: &str,
        resolve: impl FnOnce() -> Result<usize, Error>,
    ) -> Result<usize, Error> {
        match self.0.get(place) {
            Some((known, position)) if known == name => Ok(*position),
            _ => {
                let position = resolve()?;
                self.0.truncate(place);
                self.0.push((name.to_owned(), position));
                Ok(position)
            }
        }
    }
}
