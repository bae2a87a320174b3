//! Finds the objects of a client's P4Info by their ids.

use rustc_hash::FxHashMap;
use weir_grpc::Problem;
use weir_ir::TableId;

use super::objects::{
    Action, Cells, ControllerHeader, Digest, Object, Profile, Register, Table, TableAction, ValueSet,
};
use crate::proto::v1;

/// The objects, by kind.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    ids: FxHashMap<u32, Object>,
    pub actions: Vec<Action>,
    pub tables: Vec<Table>,
    pub profiles: Vec<Profile>,
    pub counters: Vec<Cells>,
    pub meters: Vec<Cells>,
    pub registers: Vec<Register>,
    pub value_sets: Vec<ValueSet>,
    pub digests: Vec<Digest>,
    /// The names and types of objects for which P4Runtime has no messages.
    pub unsupported: Vec<String>,
    pub packet_in: Option<ControllerHeader>,
    pub packet_out: Option<ControllerHeader>,
    /// The positions of tables by the switch's ids.
    pub of_table: FxHashMap<TableId, usize>,
}

/// Defines a function that finds an object of a kind by its id.
macro_rules! by_id {
    ($name:ident, $kind:ident, $what:literal, $list:ident, $object:ty) => {
        pub fn $name(&self, id: u32) -> Result<(usize, &$object), Problem> {
            match self.ids.get(&id) {
                Some(Object::$kind(position)) => Ok((*position, &self.$list[*position])),
                other => Err(self.wrong_id($what, id, other.copied())),
            }
        }
    };
}

impl Layout {
    by_id!(table, Table, "table", tables, Table);
    by_id!(profile, Profile, "action profile", profiles, Profile);
    by_id!(counter, Counter, "counter", counters, Cells);
    by_id!(meter, Meter, "meter", meters, Cells);
    by_id!(register, Register, "register", registers, Register);
    by_id!(value_set, ValueSet, "value set", value_sets, ValueSet);
    by_id!(digest, Digest, "digest", digests, Digest);

    /// Adds an object, unless another object has its id. Returns whether it was added.
    pub(super) fn add(&mut self, id: u32, object: Object) -> bool {
        if self.ids.contains_key(&id) {
            return false;
        }
        self.ids.insert(id, object);
        true
    }

    /// Removes an object that the program does not have.
    pub(super) fn remove(&mut self, id: u32) {
        self.ids.remove(&id);
    }

    pub fn object(&self, id: u32) -> Option<Object> {
        self.ids.get(&id).copied()
    }

    /// Returns the reason why an extern entry can be neither read nor written.
    pub fn refuse_extern(&self, entry: &v1::ExternEntry) -> Problem {
        match self.object(entry.extern_id) {
            Some(Object::Other(position)) => Problem::unsupported(format!(
                "the extern object {} can be neither read nor written: P4Runtime has no messages for its type, \
                 and neither has Weir",
                self.unsupported[position]
            )),
            _ if entry.extern_id == 0 => {
                Problem::unsupported("Weir has no messages for externs, so there are no extern entries")
            }
            _ => Problem::unsupported(format!(
                "the P4Info has no extern object with the id {:#010x}",
                entry.extern_id
            )),
        }
    }

    fn wrong_id(&self, what: &str, id: u32, is: Option<Object>) -> Problem {
        Problem::invalid(match is {
            _ if id == 0 => format!("no {what} is given: an id of 0 stands for none"),
            Some(object) => format!("the id {id:#010x} is that of a {}, not of a {what}", object.kind()),
            None => format!("the P4Info has no {what} with the id {id:#010x}"),
        })
    }

    /// Finds an action of a table by the client's id.
    pub fn table_action<'l>(
        &'l self,
        table: &'l Table,
        id: u32,
    ) -> Result<(&'l TableAction, &'l Action), Problem> {
        match table.by_id.get(&id) {
            Some(place) => {
                let listed = &table.actions[*place];
                Ok((listed, &self.actions[listed.action]))
            }
            None => Err(match self.object(id) {
                Some(Object::Action(action)) => {
                    let (table, action) = (table.name(), &self.actions[action].name);
                    Problem::invalid(format!("the table `{table}` has no action `{action}`"))
                }
                other => self.wrong_id("action", id, other),
            }),
        }
    }
}
