//! What updates have in common: names, which are resolved once and then only compared, and room to work in.

use weir_ir::TableId;

use super::error::ControlError;
use super::names::resolve;
use super::schema::Schema;

/// What is kept from update to update.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(super) names: Names,
    /// What an entry accepts, see [`weir_tables::Table::insert_words`].
    pub(super) pattern: PatternWords,
    /// What it does, in words.
    pub(super) row: Vec<u64>,
}

/// Values and masks in words.
#[derive(Debug, Default)]
pub(super) struct PatternWords {
    pub value: Vec<u64>,
    pub mask: Vec<u64>,
}

impl PatternWords {
    /// As tables take it.
    pub(super) fn words(&self) -> (&[u64], &[u64]) {
        (&self.value, &self.mask)
    }
}

/// Tables by the names that requests have used.
#[derive(Debug, Default)]
pub(super) struct Names {
    tables: Vec<TableNames>,
    last: usize,
}

/// A table by its name, its keys and actions by theirs.
#[derive(Debug)]
pub(super) struct TableNames {
    name: Box<str>,
    pub id: TableId,
    pub keys: Parts,
    actions: Vec<ActionNames>,
    last: usize,
}

/// An action of a table by its name.
#[derive(Debug)]
pub(super) struct ActionNames {
    name: Box<str>,
    /// Its position in the table's list.
    pub index: usize,
    pub params: Parts,
}

/// The keys of a table or the parameters of an action.
#[derive(Debug)]
pub(super) struct Parts {
    /// The names that stood at each place of a request the last time, and whose they are.
    known: Vec<(Box<str>, usize)>,
    /// Where the words of each begin, and where those of the last end.
    offsets: Vec<usize>,
    /// Which of them the request at hand has given.
    given: Vec<bool>,
}

impl Names {
    /// The table of this name.
    pub(super) fn table(&mut self, schema: &Schema, name: &str) -> Result<&mut TableNames, ControlError> {
        let is = |table: &TableNames| *table.name == *name;
        if !self.tables.get(self.last).is_some_and(is) {
            self.last = match self.tables.iter().position(is) {
                Some(known) => known,
                None => {
                    let id = resolve("table", None, name, schema.tables.iter().map(|t| t.name.as_str()))?;
                    let names = TableNames::new(schema, TableId::new(id));
                    self.tables.push(TableNames { name: name.into(), ..names });
                    self.tables.len() - 1
                }
            };
        }
        Ok(&mut self.tables[self.last])
    }
}

impl TableNames {
    pub(super) fn new(schema: &Schema, id: TableId) -> Self {
        let keys = Parts::new(schema.tables[id.index()].keys.iter().map(|key| key.width));
        Self { name: "".into(), id, keys, actions: Vec::new(), last: 0 }
    }

    /// The action of this name. `find` tells its position in the table's list, and the widths of its parameters.
    pub(super) fn action<W: Iterator<Item = u32>>(
        &mut self,
        name: &str,
        find: impl FnOnce() -> Result<(usize, W), ControlError>,
    ) -> Result<&mut ActionNames, ControlError> {
        let is = |action: &ActionNames| *action.name == *name;
        if !self.actions.get(self.last).is_some_and(is) {
            self.last = match self.actions.iter().position(is) {
                Some(known) => known,
                None => {
                    let (index, widths) = find()?;
                    self.actions.push(ActionNames { name: name.into(), index, params: Parts::new(widths) });
                    self.actions.len() - 1
                }
            };
        }
        Ok(&mut self.actions[self.last])
    }
}

impl Parts {
    fn new(widths: impl Iterator<Item = u32>) -> Self {
        let mut offsets = vec![0];
        for width in widths {
            offsets.push(offsets[offsets.len() - 1] + width.div_ceil(64) as usize);
        }
        Self { known: Vec::new(), given: vec![false; offsets.len() - 1], offsets }
    }

    /// Words of all parts.
    pub(super) fn words(&self) -> usize {
        self.offsets[self.offsets.len() - 1]
    }

    /// The words of a part.
    pub(super) fn range(&self, part: usize) -> std::ops::Range<usize> {
        self.offsets[part]..self.offsets[part + 1]
    }

    /// Begins with a new request.
    pub(super) fn begin(&mut self) {
        self.given.fill(false);
    }

    /// The part that the name at this place of the request means, and whether it had been given before. `find` resolves a name.
    pub(super) fn give(
        &mut self,
        place: usize,
        name: &str,
        find: impl FnOnce() -> Result<usize, ControlError>,
    ) -> Result<(usize, bool), ControlError> {
        let part = match self.known.get(place) {
            Some((known, part)) if **known == *name => *part,
            _ => {
                let part = find()?;
                self.known.truncate(place);
                if self.known.len() == place {
                    self.known.push((name.into(), part));
                }
                part
            }
        };
        Ok((part, std::mem::replace(&mut self.given[part], true)))
    }

    /// The parts that have not been given.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> {
        self.given.iter().enumerate().filter(|(_, given)| !**given).map(|(part, _)| part)
    }
}
