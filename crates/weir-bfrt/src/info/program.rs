//! The tables of a program, from its P4Info and its schema.
//!
//! Rules of "BfRt schema 1.0" that this module follows: tables of the program and actions have the
//! numbers of P4Info; the first byte of an extern object's number says its kind; names begin with
//! the pipe, except those of actions and of a register's fields; an entry has a priority if a key
//! is matched with a mask, a range or as optional.

use rustc_hash::FxHashMap;
use weir_ir::{ConstArg, DataType, DeclaredKind, ExternId, ExternInstance, Program, TableId};
use weir_switch::arch::control_view;
use weir_switch::control::{KeySchema, MatchKind, RegisterSchema, Schema, TableActionSchema, TableSchema};
use weir_switch::p4info::{Object as P4Object, ObjectKind, P4Info, P4InfoError, Source};

use super::{
    Action, BYTE_ADJUSTMENT, DEFAULT_SIZE, DataField, FieldType, KEY_MASKS, KeyField, Learn, Object,
    ProgramInfo, Table, cells, field, filters, hashes, selectors,
};

/// The pipe of programs that name no pipe.
const PIPE: &str = "pipe";

/// The first bytes of the numbers of extern objects.
mod prefix {
    pub const ACTION_PROFILE: u8 = 0x81;
    pub const SELECTOR: u8 = 0x82;
    pub const COUNTER: u8 = 0x83;
    pub const METER: u8 = 0x85;
    pub const WRED: u8 = 0x87;
    pub const LPF: u8 = 0x89;
    pub const REGISTER: u8 = 0x8b;
    pub const PARAMETER: u8 = 0x8d;
    pub const DIGEST: u8 = 0x8e;
    pub const PORT_METADATA: u8 = 0x90;
    pub const VALUE_SET: u8 = 0xfe;
}

/// Replaces the first byte of a number in P4Info.
fn number(prefix: u8, id: u32) -> u32 {
    u32::from(prefix) << 24 | id & 0x00ff_ffff
}

/// Returns the full name of an object.
fn full_name(name: &str) -> String {
    format!("{PIPE}.{name}")
}

/// Returns the name of a field; one without a name is called `f1`, `f2` and so on.
fn field_name(name: &str, id: u32) -> String {
    if name.is_empty() { format!("f{id}") } else { name.to_owned() }
}

/// Returns the name of a key field: an element of a header stack is `hdr.vlan$0`, and the validity
/// of a header ends with `$valid`.
fn key_name(name: &str) -> String {
    let name = name.strip_suffix(".$valid$").map_or_else(|| name.to_owned(), |of| format!("{of}.$valid"));
    let (mut made, mut rest) = (String::new(), name.as_str());
    while let Some((before, after)) = rest.split_once('[') {
        let end = after.find(']').unwrap_or(after.len());
        let is_index = end > 0 && after[..end].bytes().all(|byte| byte.is_ascii_digit());
        made += before;
        if is_index && end < after.len() {
            made = made + "$" + &after[..end];
        } else {
            made = made + "[" + &after[..(end + 1).min(after.len())];
        }
        rest = after.get(end + 1..).unwrap_or_default();
    }
    made + rest
}

impl ProgramInfo {
    /// Returns the tables and digests that a program shows to controllers. The schema is that of a
    /// switch with the program.
    ///
    /// # Errors
    /// The program has ids or aliases that P4Info cannot express. Each error has its place.
    pub fn new(program: &Program, schema: &Schema) -> Result<Self, Vec<P4InfoError>> {
        let facts = P4Info::new(program, control_view(program))?;
        let all = || facts.objects.iter().chain(&facts.hidden);
        let actions = all().filter(|object| object.kind == ObjectKind::Action);
        let maker = Maker {
            program,
            schema,
            actions: actions.map(|object| (object.name.as_str(), object)).collect(),
            profiles: all().filter_map(|object| Some((of_extern(object.source)?, object.id))).collect(),
        };
        let mut info = Self::default();
        for object in &facts.objects {
            match object.source {
                Source::Table(id) => info.tables.push(maker.table(object, id).or_of_ports()),
                Source::ValueSet(id) => {
                    let set = &schema.value_sets[id.index()];
                    let table_id = number(prefix::VALUE_SET, object.id);
                    let name = full_name(&object.name);
                    let keys = set.fields.iter().zip(&object.parts).map(|(field, part)| KeyField {
                        match_type: "Ternary",
                        ..key(field, part.id, &field_name(&part.name, part.id))
                    });
                    info.tables.push(Table {
                        keys: keys.collect(),
                        ..Table::new(name, table_id, Object::ValueSet(id), "ParserValueSet", set.size)
                    });
                }
                Source::Extern(_) if object.kind == ObjectKind::Digest => {
                    info.learns.push(maker.learn(object));
                }
                Source::Extern(id) => maker.extern_object(object, id, &mut info.tables),
                Source::Digest(_) => info.learns.push(maker.learn(object)),
                Source::Action(_) | Source::CalledAction(_) | Source::Header(_) => {}
            }
        }
        info.tables.extend(maker.parameters());
        info.tables.extend(maker.filters());
        info.tables.extend(maker.hashes());
        info.tables.iter_mut().for_each(|table| table.attributes.insert(0, "EntryScope"));
        Ok(info)
    }
}

impl Table {
    /// Turns the table with the data of ports, which the architecture adds to programs, into the
    /// form that clients know: its data belong to no action.
    fn or_of_ports(self) -> Self {
        if !self.name.ends_with(".$PORT_METADATA") {
            return self;
        }
        let id = number(prefix::PORT_METADATA, self.id);
        let fixed_action = self.actions.into_iter().next();
        let data = fixed_action.iter().flat_map(|action| action.data.clone()).collect();
        let (actions, kind, const_default) = (Vec::new(), "PortMetadata", None);
        Self { id, kind, actions, data, fixed_action, const_default, ..self }
    }
}

fn of_extern(source: Source) -> Option<ExternId> {
    match source {
        Source::Extern(id) => Some(id),
        _ => None,
    }
}

/// Makes the tables of a program.
struct Maker<'a> {
    program: &'a Program,
    schema: &'a Schema,
    /// The objects of actions, by name.
    actions: FxHashMap<&'a str, &'a P4Object>,
    /// The numbers of extern objects in P4Info.
    profiles: FxHashMap<ExternId, u32>,
}

impl Maker<'_> {
    fn table(&self, object: &P4Object, id: TableId) -> Table {
        let schema = &self.schema.tables[id.index()];
        let parts = self.program.tables[id].keys.iter().zip(&object.parts);
        let parts = parts.filter(|(key, _)| key.match_kind != "selector");
        let mut keys: Vec<_> =
            schema.keys.iter().zip(parts).map(|(of, (_, part))| key(of, part.id, &part.name)).collect();
        if schema.needs_priority() {
            let priority = KeyField::exact(field::MATCH_PRIORITY, "$MATCH_PRIORITY", 32);
            keys.push(KeyField { mandatory: false, ..priority });
        }
        let size = schema.size.filter(|size| *size > 0).unwrap_or(DEFAULT_SIZE);
        let mut table = Table {
            keys,
            const_default: Some(schema.const_default),
            ..Table::new(full_name(&object.name), object.id, Object::Match(id), "MatchAction_Direct", size)
        };
        let member = DataField::new(field::ACTION_MEMBER_ID, "$ACTION_MEMBER_ID", FieldType::Uint(32, None));
        match schema.profile.and_then(|id| self.schema.profiles.iter().find(|of| of.id == id)) {
            None => table.actions = self.listed_actions(schema),
            Some(profile) if profile.is_selector => {
                table.kind = "MatchAction_Indirect_Selector";
                let group =
                    DataField::new(field::SELECTOR_GROUP_ID, "$SELECTOR_GROUP_ID", FieldType::Uint(32, None));
                table.data = vec![member, group];
                for field in &mut table.data {
                    (field.one_of, field.mandatory) = (true, true);
                }
                table.depends_on = vec![self.profile_id(prefix::SELECTOR, profile.id)];
                table.depends_on.push(self.members(profile.id).0);
            }
            Some(profile) => {
                table.kind = "MatchAction_Indirect";
                table.data = vec![member.mandatory()];
                table.depends_on = vec![self.profile_id(prefix::ACTION_PROFILE, profile.id)];
            }
        }
        if let Some(unit) = schema.direct_counter_unit {
            table.data.extend(cells::counts(unit));
            table.operations.push("SyncCounters");
        }
        if schema.direct_meter.is_some() {
            table.data.extend(cells::rates(schema.direct_meter_bytes));
            table.attributes.extend(schema.direct_meter_bytes.then_some(BYTE_ADJUSTMENT));
        }
        if let Some(object) = filters::of_entries(self.program, id) {
            let spec = filters::spec(&object.kind);
            if spec.is_empty() {
                table.data.extend(self.direct_register(object));
                table.operations.push("SyncRegisters");
            }
            table.data.extend(spec);
        }
        if schema.annotations.iter().any(|one| one.name == "dynamic_table_key_masks") {
            table.attributes.push(KEY_MASKS);
        }
        if schema.const_entries {
            table.attributes.push("ConstTable");
        }
        if schema.support_timeout {
            let states = FieldType::Text(&["ENTRY_IDLE", "ENTRY_ACTIVE"]);
            table.data.push(DataField::new(field::ENTRY_HIT_STATE, "$ENTRY_HIT_STATE", states));
            table.data.push(DataField::new(field::ENTRY_TTL, "$ENTRY_TTL", FieldType::Uint(32, Some(0))));
            table.operations.push("UpdateHitState");
            table.attributes.push("IdleTimeout");
        }
        table
    }

    /// Returns the number and the name of the table with the members of a profile or selector. A
    /// selector that names a profile shares the table of this profile.
    fn members(&self, id: ExternId) -> (u32, String) {
        let of = match self.program.externs[id].args.first() {
            Some(ConstArg::Extern(profile)) => *profile,
            _ => id,
        };
        (self.profile_id(prefix::ACTION_PROFILE, of), full_name(&self.program.externs[of].name))
    }

    fn profile_id(&self, prefix: u8, id: ExternId) -> u32 {
        number(prefix, self.profiles.get(&id).copied().unwrap_or_default())
    }

    fn listed_actions(&self, schema: &TableSchema) -> Vec<Action> {
        schema.actions.iter().filter_map(|listed| self.action(listed)).collect()
    }

    fn action(&self, listed: &TableActionSchema) -> Option<Action> {
        let object = self.actions.get(listed.action.as_str())?;
        let params = self.schema.actions[listed.id.index()].params.iter().enumerate();
        let data = params.map(|(place, param)| {
            let id = object.parts.get(place).map_or(place as u32 + 1, |part| part.id);
            DataField::new(id, &*param.name, FieldType::Bytes(param.width)).mandatory()
        });
        let scope = match (listed.table_only, listed.default_only) {
            (true, _) => "TableOnly",
            (_, true) => "DefaultOnly",
            (false, false) => "TableAndDefault",
        };
        let (name, action) = (listed.action.clone(), Some(listed.id));
        Some(Action { name, id: object.id, action, scope: Some(scope), data: data.collect() })
    }

    fn extern_object(&self, object: &P4Object, id: ExternId, tables: &mut Vec<Table>) {
        let name = full_name(&object.name);
        if let Some(counter) = self.schema.counters.iter().find(|counter| counter.id == id) {
            let id = number(prefix::COUNTER, object.id);
            tables.push(Table {
                keys: vec![KeyField::exact(field::COUNTER_INDEX, "$COUNTER_INDEX", 32)],
                data: cells::counts(counter.unit),
                operations: vec!["Sync"],
                ..Table::new(name, id, Object::Counter(counter.id), "Counter", counter.size)
            });
        } else if let Some(meter) = self.schema.meters.iter().find(|meter| meter.id == id) {
            let id = number(prefix::METER, object.id);
            tables.push(Table {
                keys: vec![KeyField::exact(field::METER_INDEX, "$METER_INDEX", 32)],
                data: cells::rates(meter.bytes),
                attributes: meter.bytes.then_some(BYTE_ADJUSTMENT).into_iter().collect(),
                ..Table::new(name, id, Object::Meter(meter.id), "Meter", meter.size)
            });
        } else if let Some(register) = self.schema.registers.iter().find(|register| register.id == id) {
            let cell = |(place, (member, width)): (usize, &(String, u32))| {
                let id = place as u32 + 1;
                let name = format!("{}.{}", object.name, field_name(member, id));
                let cell = DataField::new(id, name, FieldType::Bytes(*width)).mandatory();
                DataField { class: Some("register_data"), ..cell }
            };
            let id = number(prefix::REGISTER, object.id);
            tables.push(Table {
                keys: vec![KeyField::exact(field::REGISTER_INDEX, "$REGISTER_INDEX", 32)],
                data: register.fields.iter().enumerate().map(cell).collect(),
                operations: vec!["Sync"],
                ..Table::new(name, id, Object::Register(register.id), "Register", register.size)
            });
        } else if let Some(profile) = self.schema.profiles.iter().find(|profile| profile.id == id)
            && let Some(first) = profile.tables.first()
        {
            let actions = self.listed_actions(&self.schema.tables[first.index()]);
            let size = if profile.size == 0 { DEFAULT_SIZE } else { profile.size };
            let (members, name_of_members) = self.members(id);
            tables.push(Table {
                keys: vec![KeyField::exact(field::ACTION_MEMBER_ID, "$ACTION_MEMBER_ID", 32)],
                actions,
                ..Table::new(name_of_members.clone(), members, Object::Members(id), "Action", size)
            });
            if profile.is_selector {
                // The members of a selector without a profile of its own have the selector's name.
                let name = if name_of_members == name { name + "_sel" } else { name };
                let groups = number(prefix::SELECTOR, object.id);
                let args = &self.program.externs[id].args;
                tables.extend(selectors::tables(name, groups, members, id, args));
            }
        }
    }

    /// Makes the tables of parameters of register actions. P4Info does not list them, so they are
    /// numbered in the order of the program.
    fn parameters(&self) -> Vec<Table> {
        let is_parameter = |id: ExternId| self.program.externs[id].kind == "RegisterParam";
        let is_shown = |register: &&RegisterSchema| is_parameter(register.id) && !register.name.contains('$');
        let found = self.schema.registers.iter().filter(is_shown);
        let table = |(place, register): (u32, &RegisterSchema)| Table {
            data: vec![DataField::new(1, "value", FieldType::Bytes(register.width)).mandatory()],
            ..Table::new(
                full_name(&register.name),
                number(prefix::PARAMETER, place),
                Object::Parameter(register.id),
                "RegisterParam",
                1,
            )
        };
        (1..).zip(found).map(table).collect()
    }

    /// Makes the fields of a register that gives each entry of a table a cell.
    fn direct_register(&self, object: &ExternInstance) -> Vec<DataField> {
        let mut leaves = Vec::new();
        if let Some(data) = object.declared.first() {
            self.leaves(data, "", &mut leaves);
        }
        let widths = object.type_args.iter().map(|ty| ty.width());
        let fields = widths.enumerate().map(|(place, width)| {
            let name = leaves.get(place).map_or("", |(name, _)| name.as_str());
            let name = format!("{}.{}", object.name, field_name(name, place as u32 + 1));
            let cell = DataField::new(field::DIRECT_REGISTER + place as u32, name, FieldType::Bytes(width));
            DataField { class: Some("register_data"), ..cell }
        });
        fields.collect()
    }

    /// Makes the tables of filters with an index. P4Info does not list them, so those of each kind
    /// are numbered in the order of the program.
    fn filters(&self) -> Vec<Table> {
        let registers =
            self.schema.registers.iter().map(|register| (register, &self.program.externs[register.id]));
        let (mut lpfs, mut wreds) = (0, 0);
        let table = |(register, object): (&RegisterSchema, &ExternInstance)| {
            let (prefix, place) = match object.kind.as_str() {
                "Lpf" => (prefix::LPF, &mut lpfs),
                _ => (prefix::WRED, &mut wreds),
            };
            *place += 1;
            let (name, id) = (full_name(&register.name), number(prefix, *place));
            filters::table(name, id, object, Object::Filter(register.id), register.size)
        };
        registers.filter(|(_, object)| filters::is_filter(object)).map(table).collect()
    }

    /// Makes the tables of hashes. P4Info does not list them, so they are numbered in the order of
    /// the program.
    fn hashes(&self) -> Vec<Table> {
        let computed = self.schema.hashes.iter().filter(|hash| !hash.fields.is_empty());
        (1..)
            .zip(computed)
            .flat_map(|(number, hash)| hashes::tables(&full_name(&hash.name), number, hash))
            .collect()
    }

    fn learn(&self, object: &P4Object) -> Learn {
        let mut leaves = Vec::new();
        if let Some(data) = &object.data {
            self.leaves(data, "", &mut leaves);
        }
        let leaf = |(place, (name, width)): (usize, (String, u32))| {
            let id = place as u32 + 1;
            DataField::new(id, field_name(&name, id), FieldType::Bytes(width))
        };
        Learn {
            name: full_name(&object.name),
            id: number(prefix::DIGEST, object.id),
            digest: object.name.clone(),
            fields: leaves.into_iter().enumerate().map(leaf).collect(),
        }
    }

    /// Adds the names and widths of the numbers that data consist of, in order.
    fn leaves(&self, data: &DataType, name: &str, found: &mut Vec<(String, u32)>) {
        let inner =
            |member: &str| if name.is_empty() { member.to_owned() } else { format!("{name}.{member}") };
        if let Some(ty) = self.program.scalar(data) {
            found.push((name.to_owned(), ty.width()));
            return;
        }
        match data {
            DataType::Scalar(_) => {}
            DataType::Tuple(members) => {
                members.iter().for_each(|member| self.leaves(member, name, found));
            }
            DataType::Stack { element, size } => {
                (0..*size).for_each(|index| self.leaves(element, &format!("{name}${index}"), found));
            }
            DataType::Named(id) => match &self.program.declared[*id].kind {
                DeclaredKind::New(of) => self.leaves(of, name, found),
                DeclaredKind::Struct(members)
                | DeclaredKind::Header(members)
                | DeclaredKind::Union(members) => {
                    members.iter().for_each(|member| self.leaves(&member.ty, &inner(&member.name), found));
                }
                DeclaredKind::Enum(_) | DeclaredKind::Serializable { .. } => {}
            },
        }
    }
}

/// Makes a field of a key.
fn key(schema: &KeySchema, id: u32, name: &str) -> KeyField {
    let match_type = match schema.kind {
        MatchKind::Exact => "Exact",
        MatchKind::Lpm => "LPM",
        MatchKind::Ternary => "Ternary",
        MatchKind::Range => "Range",
        MatchKind::Optional => "Optional",
    };
    KeyField { id, name: key_name(name), match_type, mandatory: false, ty: FieldType::Bytes(schema.width) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_keys_follow_the_schema() {
        for (given, expected) in [
            ("hdr.ipv4.dst", "hdr.ipv4.dst"),
            ("hdr.vlan[0].id", "hdr.vlan$0.id"),
            ("hdr.ipv4.dst[31:16]", "hdr.ipv4.dst[31:16]"),
            ("hdr.a[1].b[12].c[7:0]", "hdr.a$1.b$12.c[7:0]"),
            ("hdr.ipv4.$valid$", "hdr.ipv4.$valid"),
            ("a[", "a["),
            ("a[]b", "a[]b"),
        ] {
            assert_eq!(key_name(given), expected);
        }
    }
}
