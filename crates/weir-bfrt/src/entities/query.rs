//! Which part of a table a request reads.

use std::collections::BTreeSet;

use weir_grpc::Problem;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::table_entry::Value as Named;

use crate::info::Table;
use crate::values;

/// The part of a table that a request reads.
pub(super) struct Query<'q> {
    pub(super) table: &'q Table,
    target: bfrt::TargetDevice,
    /// Only entries with this action, if it is not 0.
    action: u32,
    /// Only these fields, if there are any.
    fields: BTreeSet<u32>,
    key_only: bool,
    /// Whether counts are those of the last synchronization.
    pub(super) is_cached: bool,
}

impl<'q> Query<'q> {
    /// Checks which part of a table a request reads.
    pub(super) fn read(
        table: &'q Table,
        target: bfrt::TargetDevice,
        wanted: &bfrt::TableEntry,
    ) -> Result<Self, Problem> {
        let (action, mut fields) = (wanted.data.as_ref().map_or(0, |data| data.action_id), BTreeSet::new());
        let of = values::action(table, action)?;
        for one in wanted.data.iter().flat_map(|data| &data.fields) {
            values::field(table, of, one.field_id)?;
            fields.insert(one.field_id);
        }
        #[expect(deprecated, reason = "older clients write it")]
        let old = wanted.table_read_flag.is_some_and(|flag| flag.key_only);
        let key_only = old || wanted.table_flags.is_some_and(|flags| flags.key_only);
        let is_cached = wanted.table_flags.is_some_and(|flags| !flags.from_hw && !key_only);
        Ok(Self { table, target, action, fields, key_only, is_cached })
    }

    /// Makes the entity of an entry; `None` if the request wants entries with another action.
    pub(super) fn entry(
        &self,
        key: Option<bfrt::TableKey>,
        action_id: u32,
        mut fields: Vec<bfrt::DataField>,
        is_default_entry: bool,
    ) -> Option<Entity> {
        if self.action != 0 && self.action != action_id {
            return None;
        }
        if !self.fields.is_empty() {
            fields.retain(|field| self.fields.contains(&field.field_id));
        }
        Some(Entity::TableEntry(bfrt::TableEntry {
            table_id: self.table.id,
            value: key.map(Named::Key),
            data: (!self.key_only).then_some(bfrt::TableData { action_id, fields }),
            is_default_entry,
            // Reads of keys tell where the entries are.
            entry_tgt: self.key_only.then_some(self.target),
            ..bfrt::TableEntry::default()
        }))
    }
}
