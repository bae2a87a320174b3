//! The schema of tables and actions for the control plane. P4Info and the Python interface are
//! generated from it.

use std::collections::BTreeMap;

use weir_ir::{
    Action, ActionId, ActionParam, ActionRef, Annotation, DeclaredTypeId, ExternId, Key, Loc, Program, Table,
    TableId, Type, ValueSetField,
};

use super::error::ControlError;
use super::request::Call;
use super::table_properties::{PropertyValue, table_properties};
use super::values::Values;
use crate::externs::CounterUnit;
use crate::p4info::{ControlView, ObjectKind};
use crate::tables::{MatchKind, supports_timeout};

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableSchema {
    /// The control-plane name, such as `MyIngress.ipv4_lpm`.
    pub name: String,
    /// The key fields, in order.
    pub keys: Vec<KeySchema>,
    /// The actions of entries and of the default.
    pub actions: Vec<TableActionSchema>,
    /// The program's default action; `None` if it is not known.
    pub default_action: Option<Call>,
    /// Whether the default action is constant.
    pub const_default: bool,
    /// Whether the entries are constant.
    pub const_entries: bool,
    /// The maximum number of entries; `None` if the program sets no `size`, which means no limit.
    pub size: Option<u64>,
    /// The name of the table's direct counter.
    pub direct_counter: Option<String>,
    /// The unit that the direct counter of the table counts.
    pub direct_counter_unit: Option<CounterUnit>,
    /// The name of the table's direct meter.
    pub direct_meter: Option<String>,
    /// Whether the direct meter counts bytes; otherwise it counts packets.
    pub direct_meter_bytes: bool,
    /// The table's action profile or selector.
    pub profile: Option<ExternId>,
    /// The keys of the selector, with their names and widths. Entries do not match on them.
    pub selector_keys: Vec<ParamSchema>,
    /// Whether entries may have an idle time-out.
    pub support_timeout: bool,
    /// The further properties that the table has, by name.
    pub properties: BTreeMap<String, PropertyValue>,
    /// The annotations of the table.
    pub annotations: Vec<Annotation>,
    /// The place of the declaration.
    pub loc: Loc,
}

/// A key field.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySchema {
    /// The control-plane name, such as `hdr.ipv4.dstAddr`.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// The match kind of the field.
    pub kind: MatchKind,
    /// The form in which people write the values.
    pub values: Values,
    /// The annotations of the key field.
    pub annotations: Vec<Annotation>,
}

/// An action in a table's list.
#[derive(Clone, Debug, PartialEq)]
pub struct TableActionSchema {
    /// The action.
    pub id: ActionId,
    /// The action's name.
    pub action: String,
    /// Whether only the default may use it.
    pub default_only: bool,
    /// Whether only entries may use it.
    pub table_only: bool,
    /// Whether the action can be used only as the group action of an action set, see
    /// [`ActionSet`](super::ActionSet).
    pub group_only: bool,
    /// The annotations of this action in the table's list.
    pub annotations: Vec<Annotation>,
}

/// The purpose for which an action is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionUse {
    /// An entry, or a member of an action profile.
    Entry,
    /// The default of a table.
    Default,
    /// The group action of an action set, see [`ActionSet`](super::ActionSet).
    GroupAction,
}

impl TableActionSchema {
    fn from_action_ref(program: &Program, listed: &ActionRef) -> Self {
        Self {
            id: listed.action,
            action: program.actions[listed.action].control_plane_name().to_owned(),
            default_only: listed.default_only,
            table_only: listed.table_only,
            group_only: listed.group_only,
            annotations: listed.annotations.clone(),
        }
    }

    /// Returns why this action of `table` must not be used in this way; `None` if the use is
    /// allowed.
    pub fn refuses(&self, table: TableId, wanted: ActionUse) -> Option<ControlError> {
        let action = self.id;
        match wanted {
            ActionUse::GroupAction if !self.group_only => Some(ControlError::NoGroupAction { table, action }),
            ActionUse::Entry | ActionUse::Default if self.group_only => {
                Some(ControlError::GroupOnly { table, action })
            }
            ActionUse::Entry if self.default_only => Some(ControlError::DefaultOnly { table, action }),
            ActionUse::Default if self.table_only => Some(ControlError::TableOnly { table, action }),
            _ => None,
        }
    }
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionSchema {
    /// The control-plane name, such as `MyIngress.ipv4_forward`.
    pub name: String,
    /// The parameters that the control plane sets, in order.
    pub params: Vec<ParamSchema>,
    /// The annotations of the action.
    pub annotations: Vec<Annotation>,
}

/// An action parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamSchema {
    /// The parameter's name.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// The form in which people write the values.
    pub values: Values,
    /// The annotations of the parameter.
    pub annotations: Vec<Annotation>,
}

impl TableSchema {
    /// Returns the schema of a table of `program`.
    pub(super) fn from_table(program: &Program, view: &ControlView, table: &Table) -> Self {
        let direct = |wanted| {
            let (id, _) = view.direct_objects(program, table).find(|(_, kind)| *kind == wanted)?;
            Some(&program.externs[id])
        };
        let [counter, meter] = [ObjectKind::DirectCounter, ObjectKind::DirectMeter].map(direct);
        let unit = |object| CounterUnit::from_constructor(program, object);
        let default = &table.default_action;
        let (selectors, keys): (Vec<_>, Vec<_>) =
            table.keys.iter().partition(|key| key.match_kind == "selector");
        Self {
            name: table.name.clone(),
            keys: keys.into_iter().map(|key| KeySchema::from_key(program, key)).collect(),
            actions: table
                .listed()
                .map(|listed| TableActionSchema::from_action_ref(program, listed))
                .collect(),
            default_action: Some(Call { action: default.action, args: default.args.clone() }),
            const_default: table.const_default,
            const_entries: table.const_entries,
            size: table.size,
            direct_counter: counter.map(|counter| counter.name.clone()),
            direct_counter_unit: counter.and_then(unit),
            direct_meter: meter.map(|meter| meter.name.clone()),
            direct_meter_bytes: meter.and_then(unit) == Some(CounterUnit::Bytes),
            profile: view.implementation(program, table),
            selector_keys: selectors.into_iter().map(|key| ParamSchema::of_key(program, key)).collect(),
            support_timeout: supports_timeout(table),
            properties: table_properties(table),
            annotations: table.annotations.clone(),
            loc: table.loc,
        }
    }

    /// Returns whether entries need a priority (larger is preferred). They do if a key is ternary,
    /// range or optional, or if several keys are lpm. Otherwise entries must not have a priority.
    pub fn needs_priority(&self) -> bool {
        let ordered =
            |key: &KeySchema| matches!(key.kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional);
        let prefixes = self.keys.iter().filter(|key| key.kind == MatchKind::Lpm).count();
        prefixes > 1 || self.keys.iter().any(ordered)
    }
}

impl KeySchema {
    fn from_key(program: &Program, key: &Key) -> Self {
        let ParamSchema { name, width, values, annotations } = ParamSchema::of_key(program, key);
        Self { name, width, kind: kind(&key.match_kind), values, annotations }
    }

    /// Returns the schema of a field of a value set, with the text form of its values.
    pub(super) fn of_field((field, values): (&ValueSetField, Values)) -> Self {
        let (name, annotations) = (field.name.clone(), Vec::new());
        Self { name, width: field.width, kind: kind(&field.match_kind), values, annotations }
    }
}

/// Returns the match kind with this name. Architectures have already refused match kinds that the
/// switch does not know.
fn kind(name: &str) -> MatchKind {
    MatchKind::from_name(name).unwrap_or(MatchKind::Exact)
}

impl ActionSchema {
    /// Returns the schema of an action of `program`.
    pub(super) fn from_action(program: &Program, action: &Action) -> Self {
        let param = |param: &ActionParam| {
            let ty = program.vars[param.var].ty;
            ParamSchema::new(program, &param.name, (ty, param.declared), &param.annotations)
        };
        Self {
            name: action.control_plane_name().to_owned(),
            params: action.params.iter().map(param).collect(),
            annotations: action.annotations.clone(),
        }
    }
}

impl ParamSchema {
    fn new(
        program: &Program,
        name: &str,
        (ty, declared): (Type, Option<DeclaredTypeId>),
        annotations: &[Annotation],
    ) -> Self {
        let (name, annotations) = (name.to_owned(), annotations.to_vec());
        Self { name, width: ty.width(), values: Values::for_type(program, ty, declared), annotations }
    }

    fn of_key(program: &Program, key: &Key) -> Self {
        Self::new(program, &key.name, (key.expr.ty, key.declared), &key.annotations)
    }
}
