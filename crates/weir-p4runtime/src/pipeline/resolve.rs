//! Finds the objects of a client's P4Info in the program by name, and lists all differences.

use rustc_hash::{FxHashMap, FxHashSet};
use weir_ir::{Program, TableId};
use weir_switch::control::{KeySchema, Schema, TableSchema};
use weir_switch::p4info::field_name;

use super::field::Field;
use super::layout::Layout;
use super::objects::{
    Action, Key, MeterType, Object, Param, Profile, Scope, SizeSemantics, Table, TableAction,
};
use super::types::Types;
use crate::match_kinds;
use crate::proto::config::{self, action_profile, match_field::Match};

/// Finds the objects of a P4Info in the program.
pub(super) struct Resolver<'a> {
    pub types: Types<'a>,
    pub schema: &'a Schema,
    pub program: &'a Program,
    pub layout: Layout,
    /// All differences.
    pub problems: Vec<String>,
}

/// An object's id and name.
pub(super) struct Named<'a> {
    pub id: u32,
    pub name: &'a str,
    /// The object's kind and name, for messages.
    pub description: String,
}

impl<'a> Resolver<'a> {
    pub fn new(p4info: &'a config::P4Info, program: &'a Program, schema: &'a Schema) -> Self {
        let types = Types::new(p4info.type_info.as_ref());
        Self { types, schema, program, layout: Layout::default(), problems: Vec::new() }
    }

    pub fn all(&mut self, p4info: &'a config::P4Info) {
        let of_tables = p4info.tables.iter().flat_map(|table| &table.action_refs);
        let of_tables: FxHashSet<u32> = of_tables.map(|reference| reference.id).collect();
        p4info.actions.iter().for_each(|action| self.action(action, &of_tables));
        p4info.action_profiles.iter().for_each(|profile| self.profile(profile));
        p4info.tables.iter().for_each(|table| self.table(table));
        self.tables_of_profiles();
        p4info.counters.iter().for_each(|counter| self.counter(counter));
        p4info.meters.iter().for_each(|meter| self.meter(meter));
        p4info.direct_counters.iter().for_each(|counter| self.direct_counter(counter));
        p4info.direct_meters.iter().for_each(|meter| self.direct_meter(meter));
        p4info.registers.iter().for_each(|register| self.register(register));
        p4info.value_sets.iter().for_each(|set| self.value_set(set));
        p4info.digests.iter().for_each(|digest| self.digest(digest));
        self.controller_headers(&p4info.controller_packet_metadata);
        p4info.externs.iter().for_each(|found| self.other_objects(found));
    }

    /// Returns the name and id of an object if it has both and the id is unique. Otherwise, records
    /// a problem.
    pub(super) fn named(
        &mut self,
        preamble: Option<&'a config::Preamble>,
        object: Object,
    ) -> Option<Named<'a>> {
        let kind = object.kind();
        let Some(preamble) = preamble else {
            self.problems.push(format!("a {kind} has no `preamble`"));
            return None;
        };
        let named = Named {
            id: preamble.id,
            name: &preamble.name,
            description: format!("{kind} `{}`", preamble.name),
        };
        if named.id == 0 {
            self.problems.push(format!("the {} has the id 0, which no object may have", named.description));
            return None;
        }
        if !self.layout.add(named.id, object) {
            self.problems
                .push(format!("the {} has the id {:#010x}, which another has", named.description, named.id));
            return None;
        }
        Some(named)
    }

    /// Finds the position of a name among the program's names. Records a problem if the program
    /// does not have it.
    pub(super) fn find<'n>(
        &mut self,
        named: &Named<'_>,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> Option<usize> {
        let position = known.clone().position(|name| name == named.name);
        if position.is_none() {
            let near = weir_suggest::nearest_dotted(named.name, known);
            self.problems.push(with_hint(format!("the program has no {}", named.description), near));
        }
        position
    }

    /// Makes the field for a part of an object: a match field or a parameter.
    pub(super) fn field(
        &mut self,
        object: &Named<'_>,
        (id, name): (u32, &str),
        bitwidth: i32,
        ty: Option<&config::P4NamedType>,
        bits: u32,
    ) -> Option<Field> {
        let (translation, sdn) = self.types.translation(ty);
        let width = match sdn {
            Some(width) => width,
            // P4Info gives no width for this type, for example for an enumeration.
            None if bitwidth == 0 => bits,
            None if u32::try_from(bitwidth) != Ok(bits) => {
                let description = &object.description;
                self.problems.push(format!(
                    "`{name}` of the {description} has {bitwidth} bits, in the program {bits}"
                ));
                return None;
            }
            None => bits,
        };
        Some(Field { id, name: name.to_owned(), width, bits, translation })
    }

    /// Records a problem if two parts of an object correspond to the same part of the program.
    fn check_positions(&mut self, object: &Named<'_>, positions: impl Iterator<Item = usize>) {
        let mut seen = FxHashSet::default();
        for position in positions {
            if !seen.insert(position) {
                self.problems.push(format!("the {} has its part {} twice", object.description, position + 1));
            }
        }
    }

    /// Records a problem if a part of an object has no id, or the same id as another part.
    pub(super) fn check_ids(&mut self, object: &Named<'_>, ids: impl Iterator<Item = u32>) {
        let mut seen = FxHashSet::default();
        for id in ids {
            if id == 0 || !seen.insert(id) {
                self.problems.push(format!(
                    "the {} has two parts with the id {id}, or one without",
                    object.description
                ));
            }
        }
    }

    /// Compares an action with the program's. The parameters of actions that no table has are not
    /// compared: only the program calls these actions, and compilers differ in whether P4Info lists
    /// their parameters.
    fn action(&mut self, action: &'a config::Action, of_tables: &FxHashSet<u32>) {
        let object = Object::Action(self.layout.actions.len());
        let Some(named) = self.named(action.preamble.as_ref(), object) else { return };
        let schema = self.schema;
        let position_of_action = if of_tables.contains(&named.id) {
            self.find(&named, schema.actions.iter().map(|action| action.name.as_str()))
        } else {
            None
        };
        let mut params = Vec::new();
        if let Some(position_of_action) = position_of_action {
            let known = &schema.actions[position_of_action].params;
            for param in &action.params {
                let Some(position) = known.iter().position(|known| known.name == param.name) else {
                    let near = weir_suggest::nearest(&param.name, known.iter().map(|p| p.name.as_str()));
                    let problem = format!("the {} has no parameter `{}`", named.description, param.name);
                    self.problems.push(with_hint(problem, near));
                    continue;
                };
                let name = (param.id, param.name.as_str());
                let bits = known[position].width;
                let field = self.field(&named, name, param.bitwidth, param.type_name.as_ref(), bits);
                params.extend(field.map(|field| Param { field, position }));
            }
            if action.params.len() != known.len() {
                let (given, known) = (action.params.len(), known.len());
                self.problems.push(format!(
                    "the {} has {given} parameters, in the program {known}",
                    named.description
                ));
            }
        }
        self.check_ids(&named, action.params.iter().map(|param| param.id));
        self.check_positions(&named, params.iter().map(|param| param.position));
        self.layout.actions.push(Action { id: named.id, name: named.name.to_owned(), params });
    }

    pub(super) fn keys(
        &mut self,
        named: &Named<'_>,
        fields: &'a [config::MatchField],
        known: &[KeySchema],
        by_position: bool,
    ) -> Vec<Key> {
        let mut keys = Vec::new();
        let mut count = 0;
        for (place, key) in fields.iter().enumerate() {
            if matches!(&key.r#match, Some(Match::OtherMatchType(kind)) if kind == "selector") {
                continue;
            }
            let kind = match_kinds::read(key.r#match.as_ref());
            count += 1;
            let position_of_key =
                known.iter().position(|known| field_name(&known.name) == key.name || known.name == key.name);
            let position_of_key =
                position_of_key.or_else(|| (by_position && place < known.len()).then_some(place));
            let Some(position) = position_of_key else {
                let near = weir_suggest::nearest_dotted(&key.name, known.iter().map(|key| key.name.as_str()));
                let problem = format!("the {} has no match field `{}`", named.description, key.name);
                self.problems.push(with_hint(problem, near));
                continue;
            };
            if kind != Some(known[position].kind) {
                let (name, kind) = (&key.name, known[position].kind.name());
                self.problems.push(format!(
                    "`{name}` of the {} is matched `{kind}` in the program",
                    named.description
                ));
                continue;
            }
            let bits = known[position].width;
            let name = (key.id, key.name.as_str());
            let field = self.field(named, name, key.bitwidth, key.type_name.as_ref(), bits);
            keys.extend(field.map(|field| Key { field, kind: known[position].kind, position }));
        }
        if count != known.len() {
            self.problems.push(format!(
                "the {} has {count} match fields, in the program {}",
                named.description,
                known.len()
            ));
        }
        self.check_ids(named, fields.iter().map(|key| key.id));
        self.check_positions(named, keys.iter().map(|key| key.position));
        keys
    }

    /// Resolves a table of the P4Info.
    fn table(&mut self, table: &'a config::Table) {
        let object = Object::Table(self.layout.tables.len());
        let Some(named) = self.named(table.preamble.as_ref(), object) else { return };
        let schema = self.schema;
        let Some(found) = self.find(&named, schema.tables.iter().map(|table| table.name.as_str())) else {
            self.layout.remove(named.id);
            return;
        };
        let table_schema = &schema.tables[found];
        let keys = self.keys(&named, &table.match_fields, &table_schema.keys, false);
        let (actions, by_id) = self.table_actions(&named, table, table_schema);
        let by_action = actions.iter().enumerate().map(|(place, action)| (action.id, place)).collect();
        let profile = self.implementation(&named, table, table_schema);
        let notifies =
            table.idle_timeout_behavior == config::table::IdleTimeoutBehavior::NotifyControl as i32;
        if notifies && !table_schema.support_timeout {
            self.problems.push(format!("the {} has no idle time-outs in the program", named.description));
        }
        let id = TableId::new(found);
        self.layout.of_table.insert(id, self.layout.tables.len());
        self.layout.tables.push(Table {
            declared: table_schema.clone(),
            id: named.id,
            table: id,
            keys,
            actions,
            by_id,
            by_action,
            profile,
            meter_type: MeterType::default(),
            idle_timeouts: notifies,
        });
    }

    fn table_actions(
        &mut self,
        named: &Named<'_>,
        table: &'a config::Table,
        known: &TableSchema,
    ) -> (Vec<TableAction>, FxHashMap<u32, usize>) {
        let mut actions = Vec::new();
        let mut by_id = FxHashMap::default();
        for reference in &table.action_refs {
            let Some(Object::Action(action)) = self.layout.object(reference.id) else {
                let problem =
                    format!("the {} refers to the action {:#010x}", named.description, reference.id);
                self.problems.push(format!("{problem}, which the P4Info does not have"));
                continue;
            };
            let name = &self.layout.actions[action].name;
            let Some(listed) = known.actions.iter().find(|listed| listed.action == *name) else {
                let near = known.actions.iter().map(|listed| listed.action.as_str());
                let near = weir_suggest::nearest_dotted(name, near);
                self.problems
                    .push(with_hint(format!("the {} has no action `{name}`", named.description), near));
                continue;
            };
            let scope = match config::action_ref::Scope::try_from(reference.scope) {
                Ok(config::action_ref::Scope::TableAndDefault) => Scope::Anywhere,
                Ok(config::action_ref::Scope::TableOnly) => Scope::TableOnly,
                Ok(config::action_ref::Scope::DefaultOnly) => Scope::DefaultOnly,
                Ok(config::action_ref::Scope::GroupAction) => Scope::GroupAction,
                Err(_) => {
                    self.problems
                        .push(format!("the {} has an action with an unknown scope", named.description));
                    continue;
                }
            };
            by_id.insert(reference.id, actions.len());
            actions.push(TableAction { action, id: listed.id, scope });
        }
        (actions, by_id)
    }

    fn implementation(
        &mut self,
        named: &Named<'_>,
        table: &config::Table,
        known: &TableSchema,
    ) -> Option<usize> {
        let profile = match (table.implementation_id, self.layout.object(table.implementation_id)) {
            (0, _) => None,
            (_, Some(Object::Profile(profile))) => Some(profile),
            (id, _) => {
                let problem = format!("the {} has the implementation {id:#010x}", named.description);
                self.problems.push(format!("{problem}, which is not an action profile"));
                return None;
            }
        };
        if profile.map(|profile| self.layout.profiles[profile].profile) != known.profile {
            self.problems
                .push(format!("the {} has another implementation in the program", named.description));
        }
        profile
    }

    /// Resolves an action profile of the P4Info.
    fn profile(&mut self, profile: &'a config::ActionProfile) {
        let object = Object::Profile(self.layout.profiles.len());
        let Some(named) = self.named(profile.preamble.as_ref(), object) else { return };
        let schema = self.schema;
        let position = self.find(&named, schema.profiles.iter().map(|profile| profile.name.as_str()));
        if let Some(known) = position.map(|position| &schema.profiles[position])
            && known.is_selector != profile.with_selector
        {
            let is = if known.is_selector { "a selector" } else { "no selector" };
            self.problems.push(format!("the {} is {is} in the program", named.description));
        }
        let sizes = match &profile.selector_size_semantics {
            Some(action_profile::SelectorSizeSemantics::SumOfMembers(sizes)) => {
                SizeSemantics::SumOfMembers { max_member_weight: sizes.max_member_weight }
            }
            _ => SizeSemantics::SumOfWeights,
        };
        self.layout.profiles.push(Profile {
            id: named.id,
            name: named.name.to_owned(),
            profile: position.map_or(weir_ir::ExternId::new(0), |position| schema.profiles[position].id),
            is_selector: profile.with_selector,
            tables: Vec::new(),
            size: profile.size,
            max_group_size: profile.max_group_size,
            sizes,
            weights_disallowed: profile.weights_disallowed,
        });
    }

    fn tables_of_profiles(&mut self) {
        for (position, table) in self.layout.tables.iter().enumerate() {
            if let Some(profile) = table.profile {
                self.layout.profiles[profile].tables.push(position);
            }
        }
    }
}

/// Adds a suggestion of the most similar name to a problem.
fn with_hint(problem: String, nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("{problem}; did you mean `{nearest}`?"),
        None => problem,
    }
}
