//! Explains the switch's errors in words, with the program's names.

use weir_switch::Switch;
use weir_switch::control::{CellsOf, ControlError, Field, Match, MatchKind, ProfileUser};

use crate::listing::listing;
use crate::{Error, Names};

impl Names<'_> {
    /// Explains a switch's error in words, with the program's names.
    pub fn explain(self, cause: ControlError) -> Error {
        Error { message: self.message(&cause), suggestion: None, cause: Some(Box::new(cause)) }
    }

    /// Describes an error in the names of the program.
    fn message(self, error: &ControlError) -> String {
        use ControlError as E;
        let table =
            |table| self.schema.tables.get(weir_ir::TableId::index(table)).map_or("", |t| t.name.as_str());
        let action =
            |id: weir_ir::ActionId| self.schema.actions.get(id.index()).map_or("", |a| a.name.as_str());
        let set =
            |id: weir_ir::ValueSetId| self.schema.value_sets.get(id.index()).map_or("", |s| s.name.as_str());
        let object = |id| self.extern_name(id);
        match error {
            E::NoSuchTable(id) => format!("the program has no table {}", id.index()),
            E::NoSuchValueSet(id) => format!("the program has no value set {}", id.index()),
            E::NoSuchCalculation(index) => format!("the program has no calculation {index}"),
            E::NoSuchExtern { what, id } => format!("the program has no {what} {}", id.index()),
            E::KeyCount { table: id, given } => {
                let keys = self.table_schema(*id).keys.iter().map(|key| Names::key_in_words(key, &key.name));
                let keys: Vec<_> = keys.collect();
                format!("table {} needs {} keys: {}; found {given}", table(*id), keys.len(), keys.join(", "))
            }
            E::ArgumentCount { action: id, given } => self.argument_count(*id, *given),
            E::ValueTooWide { field, value, needs, has } => {
                format!("{}: value {value:#} needs {needs} bits, field has {has}", self.field(*field))
            }
            E::WrongMatch { field, kind, given } => {
                let given = match **given {
                    Match::Exact(_) => "a value",
                    Match::Lpm(..) => "a prefix",
                    Match::Ternary(..) => "a mask",
                    Match::Range(..) => "a range",
                    Match::Any => "a don't-care",
                };
                format!(
                    "{} is matched `{}`, it takes {}, not {given}",
                    self.field(*field),
                    kind.name(),
                    expected_match(*kind)
                )
            }
            E::PrefixTooLong { field, len, width } => {
                format!("{}: prefix length {len} is more than the field's {width} bits", self.field(*field))
            }
            E::EmptyRange { field, ends } => format!(
                "{}: the range {:#} .. {:#} is empty, its low end is above its high end",
                self.field(*field),
                ends.0,
                ends.1
            ),
            E::PriorityMissing(id) => self.priority_missing(*id),
            E::PriorityNotAllowed(id) => self.priority_not_allowed(*id),
            E::ActionNotInTable { table: id, action: given } => {
                let actions = listing(self.table_schema(*id).actions.iter().map(|listed| &listed.action));
                format!("table {} has no action \"{}\" (its actions: {actions})", table(*id), action(*given))
            }
            E::DefaultOnly { table: id, action: given } => {
                format!("{} is for the default of table {} only (@defaultonly)", action(*given), table(*id))
            }
            E::TableOnly { table: id, action: given } => {
                format!("{} is not for the default of table {} (@tableonly)", action(*given), table(*id))
            }
            E::GroupOnly { table: id, action: given } => {
                let (action, table) = (action(*given), table(*id));
                format!(
                    "{action} is for the group action of action sets of table {table} only (@groupaction)"
                )
            }
            E::NoGroupAction { table: id, action: given } => format!(
                "{} cannot be a group action of table {}: its actions list does not mark it @groupaction",
                action(*given),
                table(*id)
            ),
            E::ConstEntries(id) => format!("the entries of table `{}` are constant", table(*id)),
            E::ConstEntry { table: id, handle } => {
                format!("entry {handle} of table `{}` is constant", table(*id))
            }
            E::ConstDefault(id) => format!("the default action of table `{}` is constant", table(*id)),
            E::NoKey(id) => self.no_keys(*id),
            E::Duplicate { table: id, handle } => {
                format!("table `{}` has this entry already, with handle {handle}", table(*id))
            }
            E::NoSuchEntry { table: id, handle: Some(handle) } => {
                format!("table `{}` has no entry with handle {handle}", table(*id))
            }
            E::NoSuchEntry { table: id, handle: None } => {
                format!("table `{}` has no entry with this key", table(*id))
            }
            E::TableFull { table: id, size } => format!("table `{}` is full: its size is {size}", table(*id)),
            E::NoDirectCounter(id) => format!("table `{}` has no direct counter", table(*id)),
            E::NoDirectMeter(id) => format!("table `{}` has no direct meter", table(*id)),
            E::NoDirectRegister(id) => format!("table `{}` has no direct register", table(*id)),
            E::NoIdleTimeout(id) => format!(
                "table `{}` has no `support_timeout = true`: its entries take no idle time-out",
                table(*id)
            ),
            E::IdleTimeoutZero => {
                "an idle time-out of 0 would always have run out; omit it for none".to_owned()
            }
            E::ValueSetFull { set: id, given } => {
                format!(
                    "value set `{}` takes {} members, not {given}",
                    set(*id),
                    self.value_set_schema(*id).size
                )
            }
            E::MemberFields { set: id, given } => self.member_fields(*id, *given),
            E::NoSuchIndex { id, index, size, .. } => {
                format!("{} has {size} cells: index {index} is out of range", object(*id))
            }
            E::NoProfile(id) => format!(
                "table `{}` has no action profile: its entries name actions, not members or groups",
                table(*id)
            ),
            E::NeedsMember { table: id, profile } => format!(
                "the actions of table `{}` are in its action profile `{}`: an entry names a member, a group, or a list of \
                 actions with weights",
                table(*id),
                object(*profile)
            ),
            E::NoSelector(profile) => {
                format!("{} is an action profile without selector: it has no groups", object(*profile))
            }
            E::ProfileUnused(profile) => format!("no table uses {}: it has no actions", object(*profile)),
            E::ProfileFull { profile, size } => {
                format!("action profile `{}` is full: its size is {size}", object(*profile))
            }
            E::NoSuchNumber { what, profile, id, known: actions } => {
                format!("`{}` has no {what} {id}; its {what}s: {}", object(*profile), list_numbers(actions))
            }
            E::NumberTaken { what, profile, id } => {
                format!("`{}` has a {what} {id} already", object(*profile))
            }
            E::InUse { what, profile, id, users } => {
                let users = listing(users.iter().map(|user| match user {
                    ProfileUser::Group(group) => format!("group {group}"),
                    ProfileUser::Entry(id, handle) => format!("entry {handle} of table `{}`", table(*id)),
                    ProfileUser::Default(id) => format!("the default of table `{}`", table(*id)),
                }));
                format!("{what} {id} of `{}` is in use by {users}", object(*profile))
            }
            E::MemberTwice { profile, member } => {
                format!(
                    "member {member} of `{}` is listed twice; give it a larger weight instead",
                    object(*profile)
                )
            }
            E::WeightZero => "a weight of 0 means no share; weights begin at 1".to_owned(),
            E::TooMuchWeight { sum, most } => {
                format!("the weights add up to {sum}, at most {most} are possible")
            }
            E::NotCounted { cells, unit } => {
                let name = match cells {
                    CellsOf::Object(id) => object(*id),
                    CellsOf::Entries(id) => self.table_schema(*id).direct_counter.as_deref().unwrap_or(""),
                };
                let (counted, other) =
                    if unit.has_bytes() { ("bytes", "packets") } else { ("packets", "bytes") };
                format!("{name} counts {counted}, not {other}: it takes 0 {other} only")
            }
            E::MeterRates { committed, peak } => format!(
                "the committed rate {committed} is above the peak rate {peak}: no packet could be yellow"
            ),
            E::ExcessBurst => {
                "an excess burst is for meters of one rate: give it the committed rate and burst as peak too"
                    .to_owned()
            }
            E::GroupZero => "multicast group 0 means no multicast; groups are numbered from 1".to_owned(),
            E::NoSuchGroup(group) => format!("there is no multicast group {group}"),
            E::NoSuchSession(session) => format!("there is no clone session {session}"),
            E::SameMember { set: id, member } => {
                format!(
                    "the members of value set `{}` are not distinct: number {} equals one before it",
                    set(*id),
                    member + 1
                )
            }
            E::OwnBackup { port } => format!("the port {port} is its own backup"),
            E::SameReplica { port, rid } => {
                format!("two replicas have the port {port} and the instance {rid}")
            }
            E::NoSuchQueue { priority, priorities } => {
                let queues = if *priorities == 1 { "queue" } else { "queues" };
                format!("ports have {priorities} {queues}, there is no priority {priority}")
            }
            E::NoSuchClass { class, last } => {
                format!("clones cannot have the class of service {class}: the classes are 0 to {last}")
            }
            E::Discipline(error) => error.to_string(),
            E::Generator(error) => error.to_string(),
            E::PortTooLarge { port, last } => port_too_large(*port, *last),
            E::SessionTooLarge { session, last } => {
                format!("there is no clone session {session}: the program's sessions have {}", up_to(*last))
            }
            E::NoSuchPort { port, known: actions } => {
                format!("the switch has no port {port}; its ports: {}", list_numbers(actions))
            }
        }
    }

    /// Describes a field of a request, in words.
    fn field(self, field: Field) -> String {
        match field {
            Field::Key(table, key) => {
                let table = self.table_schema(table);
                format!("key field `{}` of table `{}`", table.keys[key].name, table.name)
            }
            Field::Member(set, field) => {
                let name = &self.value_set_schema(set).name;
                format!("field `{}` of value set `{name}`", self.field_name(set, field))
            }
            Field::Parameter(action, parameter) => {
                let action = self.action_schema(action);
                format!("parameter `{}` of action `{}`", action.params[parameter].name, action.name)
            }
            Field::Cell(register, index) => {
                format!("cell {index} of register `{}`", self.extern_name(register))
            }
            Field::EntryCell(table) => {
                format!("a cell of the direct register of table `{}`", self.table_schema(table).name)
            }
            Field::Crc(calculation, what) => format!("{what} of `{}`", self.calculation_name(calculation)),
        }
    }

    pub(crate) fn argument_count(self, action: weir_ir::ActionId, given: usize) -> String {
        let action = self.action_schema(action);
        let wanted: Vec<_> =
            action.params.iter().map(|param| format!("{} ({} bits)", param.name, param.width)).collect();
        let wanted = if wanted.is_empty() { "none".to_owned() } else { wanted.join(", ") };
        format!("action {} takes {} parameters: {wanted}; found {given}", action.name, action.params.len())
    }

    pub(crate) fn member_fields(self, set: weir_ir::ValueSetId, given: usize) -> String {
        let schema = self.value_set_schema(set);
        let fields = schema.fields.iter().enumerate();
        let wanted: Vec<_> =
            fields.map(|(index, field)| Names::key_in_words(field, self.field_name(set, index))).collect();
        format!(
            "a member of {} takes {} values: {}; found {given}",
            schema.name,
            wanted.len(),
            wanted.join(", ")
        )
    }

    pub(crate) fn no_keys(self, table: weir_ir::TableId) -> String {
        format!("table {} has no keys: it takes a default action, no entries", self.table_schema(table).name)
    }

    pub(crate) fn priority_not_allowed(self, table: weir_ir::TableId) -> String {
        let name = &self.table_schema(table).name;
        format!("table {name} has no ternary, range or optional key: its entries have no priority")
    }

    pub(crate) fn priority_missing(self, table: weir_ir::TableId) -> String {
        let table = self.table_schema(table);
        let ordering = table.keys.iter().find(|key| !matches!(key.kind, MatchKind::Exact | MatchKind::Lpm));
        let because = match ordering {
            Some(key) => format!("the {} key {}", key.kind.name(), key.name),
            None => "several lpm keys".to_owned(),
        };
        format!("table {} has {because}: its entries need a priority of 1 or more", table.name)
    }
}

fn list_numbers(numbers: &[u32]) -> String {
    if numbers.is_empty() {
        "none".to_owned()
    } else {
        numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn expected_match(kind: MatchKind) -> &'static str {
    match kind {
        MatchKind::Exact => "a value",
        MatchKind::Lpm => "a value and a prefix length",
        MatchKind::Ternary => "a value and a mask",
        MatchKind::Range => "a low and a high value",
        MatchKind::Optional => "a value or nothing",
    }
}

/// Returns the message for a port number that does not fit the program's ports.
pub fn port_too_large(port: u32, last: u32) -> String {
    format!("there is no port {port}: ports of the program have {}", up_to(last))
}

/// Checks the ports of a switch against the numbers that its program's ports can have.
///
/// # Errors
/// A port's number does not fit, or means "drop"; the text says which.
pub fn check_ports(switch: &Switch) -> Result<(), String> {
    let space = switch.port_space();
    let Some(port) = switch.config().ports.iter().find(|port| !space.has_port(**port)) else {
        return Ok(());
    };
    Err(if space.drop == Some(*port) {
        format!("the switch has port {port}, which is the drop port of the program")
    } else {
        format!("the switch has port {port}, but ports of the program have {}", up_to(space.last()))
    })
}

/// Describes the numbers that fit in a field, in words.
fn up_to(last: u32) -> String {
    format!("{} bits, 0 to {last}", u32::BITS - last.leading_zeros())
}
