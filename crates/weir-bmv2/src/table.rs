//! Tables: keys, actions, defaults and entries.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use weir_ir::program::{Action, ActionCall, ActionRef, Block, Entry, Key, Keyset, PropertyValue, Table};
use weir_ir::{ActionId, Annotation, AnnotationForm, BinaryOp, Bits, Expr, ExprKind, ExternId, Loc, Stmt};
use weir_ir::{StmtKind, TableId, Type, VarId};
use weir_json::Node;

use crate::action::Actions;
use crate::externs::{COUNTERS, METERS, PROFILES, output_argument};
use crate::input::{Result, flag, hex, list, name, optional, read_typed, unknown};
use crate::number::exact_value;
use crate::reader::{Reader, at_node, unsupported};

/// A table, with the data that the control flow needs.
pub(crate) struct ReadTable {
    pub id: TableId,
    /// Whether the table's default action is not in the document, because the document names none.
    pub without_default: bool,
    /// The variable that the table's meter needs, which is true if an entry matched.
    pub hit: Option<VarId>,
}

/// The match kinds that a key can have.
const MATCH_KINDS: [&str; 6] = ["valid", "exact", "lpm", "ternary", "range", "optional"];

/// Returns the action of a table that p4c created for a direct call in a control: the table has no
/// keys, no other action, and no name from the program. It does not count as a table here.
pub(crate) fn called_action(node: Node<'_>) -> Result<Option<u64>> {
    let is_synthetic = |name: &str| name.starts_with("tbl_") && !name.contains('.');
    if !is_synthetic(name(node, "a table's name")?) {
        return Ok(None);
    }
    let has_parts = flag(node, "with_counters", false)? || optional(node, "direct_meters").is_some();
    let actions = list(node, "action_ids")?;
    let [action] = actions[..] else { return Ok(None) };
    if has_parts || !list(node, "key")?.is_empty() || optional(node, "action_profile").is_some() {
        return Ok(None);
    }
    let Some(default) = optional(node, "default_entry") else { return Ok(None) };
    let id = action.integer("an action's id", 0, u64::MAX)?;
    let default_id = default.require("action_id")?.integer("an action's id", 0, u64::MAX)?;
    let is_const = flag(default, "action_const", false)? && list(default, "action_data")?.is_empty();
    Ok((id == default_id && is_const).then_some(id))
}

impl<'d> Reader<'d> {
    /// Translates a table and adds it to the program.
    pub(crate) fn table(&mut self, node: Node<'d>, actions: &mut Actions<'d>) -> Result<ReadTable> {
        let loc = self.loc(node);
        let table_name = name(node, "a table's name")?.to_owned();
        let profile = self.profile(node)?;
        let mut keys = Vec::new();
        for key in list(node, "key")? {
            keys.push(self.key_of(key, loc)?);
        }
        let attached = self.attached_objects(node, &table_name)?;
        let has_meter = attached.iter().any(|(property, _)| property == "meters");
        let hit = has_meter.then(|| self.temporary(Type::Bool));
        let mut refs = Vec::new();
        let ids = self.action_ids(node, actions)?;
        for (id, action) in &ids {
            let first = self.meter_read(&attached, hit, loc);
            refs.push(action_ref(actions.get(self, *action, *id, first)?));
        }
        let position_of = |id: u64| ids.iter().position(|(known, _)| *known == id);
        let entries = self.entries(node, &keys, &refs, &position_of)?;
        // The keys of the selector are input to its hash; entries do not match them.
        let selector = self.selector_keys(node, profile, loc)?;
        let entries = entries.into_iter().map(|mut entry| {
            entry.keysets.extend(selector.iter().map(|_| Keyset::Any));
            entry
        });
        let entries: Vec<_> = entries.collect();
        let has_entries = !entries.is_empty();
        keys.extend(selector);
        let (default_action, const_default, without_default) = match optional(node, "default_entry") {
            Some(default) => {
                let id = default.require("action_id")?;
                let number = id.integer("an action's id", 0, u64::MAX)?;
                let action = match position_of(number) {
                    Some(position) => refs[position].action,
                    None => {
                        let action = actions.get(self, id, number, None)?;
                        refs.push(ActionRef { default_only: true, ..action_ref(action) });
                        action
                    }
                };
                let args = match optional(default, "action_data") {
                    Some(data) => self.action_data(action, data)?,
                    None => self.action_data(action, default.require("action_data")?)?,
                };
                (ActionCall { action, args }, flag(default, "action_const", false)?, false)
            }
            None => {
                let action = self.no_default(&table_name, loc);
                refs.push(ActionRef { default_only: true, ..action_ref(action) });
                (ActionCall { action, args: Vec::new() }, false, true)
            }
        };
        let timeout = flag(node, "support_timeout", false)?;
        let properties = if timeout {
            vec![("support_timeout".to_owned(), PropertyValue::Bool(true))]
        } else {
            Vec::new()
        };
        let size = node.get("max_size").map(|size| size.integer("a size", 0, u64::MAX)).transpose()?;
        let id = self.program.tables.push(Table {
            name: table_name,
            keys,
            actions: refs,
            default_action,
            const_default,
            entries,
            const_entries: has_entries,
            size,
            implementation: profile,
            attached,
            properties,
            property_locs: BTreeMap::new(),
            annotations: Vec::new(),
            loc,
        });
        Ok(ReadTable { id, without_default, hit })
    }

    /// Adds an action that does nothing, for tables without a default.
    fn no_default(&mut self, table: &str, loc: Loc) -> ActionId {
        let annotation =
            Annotation { name: "hidden".to_owned(), args: Vec::new(), form: AnnotationForm::Bare };
        self.program.actions.push(Action {
            name: format!("{table}.$no_default"),
            control_plane: None,
            params: Vec::new(),
            body: Block::default(),
            annotations: vec![annotation],
            loc,
        })
    }

    fn action_ids(&self, node: Node<'d>, actions: &Actions<'d>) -> Result<Vec<(u64, Node<'d>)>> {
        if node.get("action_ids").is_some() {
            let id = |node: Node<'d>| Ok((node.integer("an action's id", 0, u64::MAX)?, node));
            return list(node, "action_ids")?.into_iter().map(id).collect();
        }
        let id = |node: Node<'d>| {
            let name = node.text("an action's name")?;
            let id = actions.by_name(name);
            Ok((id.ok_or_else(|| node.error(format!("there is no action \"{name}\"")))?, node))
        };
        list(node, "actions")?.into_iter().map(id).collect()
    }

    /// Finds the action profile of a table; `None` if the table's entries have their own actions.
    fn profile(&self, node: Node<'_>) -> Result<Option<ExternId>> {
        let ty = node.require("type")?;
        match ty.text("the type of a table")? {
            "simple" => Ok(None),
            "indirect" | "indirect_ws" => {
                let name = match node.get("action_profile") {
                    Some(name) => name,
                    None => node.require("act_prof_name")?,
                };
                self.object(PROFILES, name).map(Some)
            }
            other => {
                Err(unknown(ty, "type of tables", other, ["simple", "indirect", "indirect_ws"].into_iter()))
            }
        }
    }

    fn key_of(&self, node: Node<'_>, loc: Loc) -> Result<Key> {
        let kind_node = node.require("match_type")?;
        let kind = kind_node.text("a kind of match")?;
        if !MATCH_KINDS.contains(&kind) {
            return Err(unknown(kind_node, "kind of match", kind, MATCH_KINDS.into_iter()));
        }
        let target = node.require("target")?;
        let mut expr = if kind == "valid" && target.items().is_err() {
            match self.instance(target)?.header {
                Some(header) => self.read(self.program.headers[header].valid),
                None => return Err(unsupported(target, "whether metadata is valid is a key")),
            }
        } else if target.get("type").is_some() {
            at_node(target, exact_value(&self.number(target)?))?
        } else if self.is_always_valid(target)? {
            crate::expression::truth_value(true)
        } else {
            self.read(self.field_of(target)?)
        };
        if let Type::Varbit { .. } = expr.ty {
            return Err(unsupported(target, "a field of variable length is a key"));
        }
        if let Some(mask) = optional(node, "mask") {
            if expr.ty == Type::Bool {
                return Err(unsupported(mask, "whether a header is valid is masked"));
            }
            let mask = crate::number::constant(expr.ty, &hex(mask)?);
            let ty = expr.ty;
            expr = Expr { kind: ExprKind::Binary(BinaryOp::BitAnd, Box::new(expr), Box::new(mask)), ty };
        }
        let name = match optional(node, "name") {
            Some(name) => name.text("a key's name")?.to_owned(),
            None => field_name(target)?,
        };
        // Both names are accepted; in P4 programs, and elsewhere in Weir, the key has this one.
        let name = match name.strip_suffix(weir_ir::storage::VALID) {
            Some(header) if header.ends_with('.') => format!("{header}isValid()"),
            _ => name,
        };
        let match_kind = if kind == "valid" { "exact" } else { kind }.to_owned();
        Ok(Key { name, expr, declared: None, match_kind, annotations: Vec::new(), loc })
    }

    /// Reads the keys of a table's action selector.
    fn selector_keys(&self, node: Node<'d>, profile: Option<ExternId>, loc: Loc) -> Result<Vec<Key>> {
        let Some(profile) = profile else { return Ok(Vec::new()) };
        let wanted = &self.program.externs[profile].name;
        let mut selector = None;
        for pipeline in list(self.root, "pipelines")? {
            for profile in list(pipeline, PROFILES)? {
                if name(profile, "an action profile's name")? == wanted {
                    selector = selector.or(optional(profile, "selector"));
                }
            }
        }
        let (Some(selector), "indirect_ws") = (selector, node.require("type")?.text("a type")?) else {
            return Ok(Vec::new());
        };
        let mut keys = Vec::new();
        for part in selector.require("input")?.items()? {
            let value = read_typed(part)?;
            let expr = at_node(part, exact_value(&self.number(part)?))?;
            let name = match value.ty {
                "field" => field_name(value.value)?,
                _ => format!("selector_{}", keys.len()),
            };
            let match_kind = "selector".to_owned();
            keys.push(Key { name, expr, declared: None, match_kind, annotations: Vec::new(), loc });
        }
        Ok(keys)
    }

    /// Finds the counters and meters that are attached to a table's entries.
    fn attached_objects(&self, node: Node<'_>, table: &str) -> Result<Vec<(String, ExternId)>> {
        let mut attached = Vec::new();
        for counter in list(self.root, COUNTERS)? {
            let binding = optional(counter, "binding");
            let is_of_table = |binding: Node<'_>| binding.text("a table's name").map(|name| name == table);
            if flag(counter, "is_direct", false)? && binding.map(is_of_table).transpose()? == Some(true) {
                attached.push(("counters".to_owned(), self.object(COUNTERS, counter.require("name")?)?));
            }
        }
        if let Some(meter) = optional(node, "direct_meters") {
            attached.push(("meters".to_owned(), self.object(METERS, meter)?));
        }
        Ok(attached)
    }

    /// Returns the statements that execute a table's meter. BMv2 executes the meter of an entry
    /// before the entry's action, and writes the colour to a field. On a miss, no meter is
    /// executed.
    fn meter_read(&self, attached: &[(String, ExternId)], hit: Option<VarId>, loc: Loc) -> Option<Stmt> {
        let (_, meter) = attached.iter().find(|(property, _)| property == "meters")?;
        let result = *self.meter_results.get(&self.program.externs[*meter].name)?;
        let call = weir_ir::ExternCall {
            callee: "direct_meter.read".to_owned(),
            instance: Some(*meter),
            type_args: Vec::new(),
            declared: Vec::new(),
            args: vec![output_argument(result)],
            result: Vec::new(),
        };
        let (condition, otherwise) = (self.read(hit?), Block::default());
        let then = Block(vec![Stmt { kind: StmtKind::Extern(call), loc }]);
        Some(Stmt { kind: StmtKind::If { condition, then, otherwise }, loc })
    }

    /// Translates a table's constant entries.
    fn entries(
        &mut self,
        node: Node<'d>,
        keys: &[Key],
        refs: &[ActionRef],
        position_of: &dyn Fn(u64) -> Option<usize>,
    ) -> Result<Vec<Entry>> {
        let nodes = list(node, "entries")?;
        let ranked =
            keys.iter().any(|key| matches!(key.match_kind.as_str(), "ternary" | "range" | "optional"));
        let priority = |entry: Node<'d>| match optional(entry, "priority") {
            Some(priority) => priority.integer("a priority", 0, u64::from(u32::MAX)),
            None => Ok(0),
        };
        let priorities = nodes.iter().map(|entry| priority(*entry)).collect::<Result<Vec<_>>>()?;
        // In BMv2 the smallest number wins, in the IR the largest.
        let largest = priorities.iter().copied().max().unwrap_or_default();
        let mut entries = Vec::new();
        for (entry, priority) in nodes.into_iter().zip(priorities) {
            let parts = list(entry, "match_key")?;
            if parts.len() != keys.len() {
                let message = format!("the entry matches {} keys, the table has {}", parts.len(), keys.len());
                return Err(entry.error(message));
            }
            let keysets = parts.into_iter().zip(keys).map(|(part, key)| keyset(part, key));
            let keysets = keysets.collect::<Result<_>>()?;
            let call = entry.require("action_entry")?;
            let id = call.require("action_id")?;
            let position = position_of(id.integer("an action's id", 0, u64::MAX)?);
            let position = position.ok_or_else(|| id.error("the table does not list this action"))?;
            let action = refs[position].action;
            let args = self.action_data(action, call.require("action_data")?)?;
            let priority = ranked.then_some((largest - priority + 1).min(u64::from(u32::MAX)) as u32);
            let loc = self.loc(entry);
            entries.push(Entry { keysets, call: ActionCall { action, args }, priority, is_const: true, loc });
        }
        Ok(entries)
    }
}

fn action_ref(action: ActionId) -> ActionRef {
    ActionRef {
        action,
        default_only: false,
        table_only: false,
        group_only: false,
        composed: None,
        annotations: Vec::new(),
    }
}

/// Reads the names of a header and its field, with a dot.
fn field_name(node: Node<'_>) -> Result<String> {
    if node.get("type").is_some() {
        return Err(node.error("a key that is not a field has no name"));
    }
    match node.text("a header's name") {
        Ok(header) => Ok(format!("{header}.{}", weir_ir::storage::VALID)),
        Err(_) => {
            let parts = node.items()?.map(|part| part.text("a name")).collect::<Result<Vec<_>>>()?;
            Ok(parts.join("."))
        }
    }
}

/// Reads the values that an entry matches for a key.
fn keyset(node: Node<'_>, key: &Key) -> Result<Keyset> {
    let width = key.expr.ty.width();
    let bits = |node: Node<'_>| hex(node).map(|value| Bits::wrap_signed(width, &value));
    let kind = node.require("match_type")?.text("a kind of match")?;
    match kind {
        "valid" => Ok(Keyset::Value(Bits::bool(node.require("key")?.flag()?))),
        "exact" => Ok(Keyset::Value(bits(node.require("key")?)?)),
        "lpm" => {
            let prefix = node.require("prefix_length")?.integer("a length in bits", 0, u64::from(width))?;
            let mask = (BigInt::from(1) << width) - (BigInt::from(1) << (u64::from(width) - prefix));
            Ok(Keyset::Mask(bits(node.require("key")?)?, Bits::wrap_signed(width, &mask)))
        }
        "ternary" | "optional" => {
            let value = bits(node.require("key")?)?;
            match optional(node, "mask").map(bits).transpose()? {
                None => Ok(Keyset::Value(value)),
                Some(mask) if mask.is_zero() => Ok(Keyset::Any),
                Some(mask) if mask == Bits::ones(width) => Ok(Keyset::Value(value)),
                Some(_) if key.match_kind == "optional" => {
                    Err(node.error("an optional key has a mask of some bits only"))
                }
                Some(mask) => Ok(Keyset::Mask(value, mask)),
            }
        }
        "range" => Ok(Keyset::Range(bits(node.require("start")?)?, bits(node.require("end")?)?)),
        other => Err(unknown(node, "kind of match", other, MATCH_KINDS.into_iter())),
    }
}
