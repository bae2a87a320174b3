//! Makes the P4Info of tables and value sets.

use weir_ir::{Table as Declared, TableId, ValueSetId};
use weir_switch::control::{Call, TableActionSchema};
use weir_switch::p4info::{Object, Part, Source};

use super::annotations::{annotation_messages, documentation};
use super::types::{bitwidth, type_name};
use super::{Maker, preamble};
use crate::match_kinds;
use crate::proto::config::action_ref::Scope;
use crate::proto::config::{ActionRef, MatchField, Table, TableActionCall, ValueSet};
use crate::proto::config::{table::IdleTimeoutBehavior, table_action_call::Argument};

/// The size of tables without `size`: p4c's default, which controllers of these programs expect.
const DEFAULT_SIZE: i64 = 1024;

impl Maker<'_> {
    pub(super) fn table(&self, object: &Object, id: TableId) -> Table {
        let (declared, table) = (&self.program.tables[id], &self.schema.tables[id.index()]);
        let default = table.default_action.as_ref().map(|call| self.call(call));
        let const_default = default.as_ref().filter(|_| table.const_default);
        let direct = self.view.direct_objects(self.program, declared);
        let direct = direct.map(|(object, _)| self.id(Source::Extern(object)));
        let mut message = Table {
            preamble: preamble(object, &[]),
            match_fields: self.match_fields(object, declared),
            action_refs: table.actions.iter().map(|listed| self.action_ref(listed)).collect(),
            const_default_action_id: const_default.map_or(0, |call| call.action_id),
            initial_default_action: default,
            implementation_id: table.profile.map_or(0, |id| self.id(Source::Extern(id))),
            direct_resource_ids: direct.collect(),
            size: table.size.filter(|size| *size > 0).map_or(DEFAULT_SIZE, i64_of),
            is_const_table: table.const_entries,
            has_initial_entries: !declared.entries.is_empty(),
            ..Table::default()
        };
        if table.support_timeout {
            message.set_idle_timeout_behavior(IdleTimeoutBehavior::NotifyControl);
        }
        message
    }

    /// Returns the match fields of a table. Keys of selectors are left out, because they choose
    /// members and entries do not match on them.
    fn match_fields(&self, object: &Object, table: &Declared) -> Vec<MatchField> {
        let fields = object.parts.iter().zip(&table.keys).filter(|(_, key)| key.match_kind != "selector");
        fields.map(|(part, key)| self.match_field(part, &key.match_kind, &[])).collect()
    }

    fn action_ref(&self, listed: &TableActionSchema) -> ActionRef {
        let (annotations, structured_annotations) = annotation_messages(&listed.annotations, &["name", "id"]);
        let mut message = ActionRef {
            id: self.action(listed.id).id,
            annotations,
            structured_annotations,
            ..ActionRef::default()
        };
        message.set_scope(match (listed.table_only, listed.default_only, listed.group_only) {
            (_, _, true) => Scope::GroupAction,
            (true, _, _) => Scope::TableOnly,
            (_, true, _) => Scope::DefaultOnly,
            _ => Scope::TableAndDefault,
        });
        message
    }

    /// Converts an action with its arguments.
    fn call(&self, call: &Call) -> TableActionCall {
        let action = self.action(call.action);
        let arguments = action.parts.iter().zip(&call.args);
        let argument = |(part, value): (&Part, &weir_ir::Bits)| Argument {
            param_id: part.id,
            value: match bitwidth(self.program, part) {
                0 => value.to_be_bytes(),
                width => value.resize(width.cast_unsigned()).to_be_bytes(),
            },
        };
        TableActionCall { action_id: action.id, arguments: arguments.map(argument).collect() }
    }

    pub(super) fn value_set(&self, object: &Object, id: ValueSetId) -> ValueSet {
        let set = &self.program.value_sets[id];
        let fields = object.parts.iter().zip(&set.fields);
        ValueSet {
            preamble: preamble(object, &[]),
            r#match: fields
                .map(|(part, field)| self.match_field(part, &field.match_kind, &["match"]))
                .collect(),
            size: i32::try_from(set.size).unwrap_or(i32::MAX),
        }
    }

    fn match_field(&self, part: &Part, kind: &str, own: &[&str]) -> MatchField {
        let (annotations, structured_annotations) = annotation_messages(&part.annotations, own);
        MatchField {
            id: part.id,
            name: part.name.clone(),
            annotations,
            bitwidth: bitwidth(self.program, part),
            r#match: Some(match_kinds::write(kind)),
            doc: documentation(part.brief.as_deref(), part.description.as_deref()),
            type_name: type_name(self.program, part.declared),
            structured_annotations,
            ..MatchField::default()
        }
    }
}

/// Converts a size to the type of the message's field. Larger sizes become the maximum.
pub(super) fn i64_of(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
