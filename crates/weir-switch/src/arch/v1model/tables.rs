//! The objects that v1model tables refer to: the implementation, counters and meters.

use std::collections::BTreeSet;

use weir_ir::visit::extern_calls;
use weir_ir::{ExternId, ExternInstance, Key, Loc, Program, PropertyValue, Table};

use crate::error::{LoadError, LoadWarning};
use crate::externs::ExternState;

/// The property that says whether entries can have time-outs.
const TIMEOUT: &str = "support_timeout";

/// The properties of v1model's tables that name an object, each with the object's type.
const OBJECTS: [(&str, &str); 3] = [
    ("counters", "a direct_counter"),
    ("implementation", "an action_profile or an action_selector"),
    ("meters", "a direct_meter"),
];

/// The properties of tables: P4's and v1model's.
const PROPERTIES: [&str; 11] = [
    "actions",
    "counters",
    "default_action",
    "entries",
    "implementation",
    "key",
    "largest_priority_wins",
    "meters",
    "priority_delta",
    "size",
    TIMEOUT,
];

/// Refuses a table whose properties have wrong values.
pub(super) fn check(program: &Program, table: &Table, objects: &[ExternState]) -> Result<(), LoadError> {
    if let Some(object) = table.implementation
        && !matches!(objects[object.index()], ExternState::Profile(_))
    {
        let kind = &program.externs[object].kind;
        let problem = format!(
            "`implementation` of table `{}` must be an action_profile or an action_selector, not a {kind}",
            table.name
        );
        return Err(LoadError::malformed(program, table.property_loc("implementation"), problem));
    }
    for (position, (property, object)) in table.attached.iter().enumerate() {
        check_attached(program, table, property, *object)?;
        if table.attached[..position].iter().any(|(earlier, _)| earlier == property) {
            let kind = &program.externs[*object].kind;
            let problem = format!(
                "`{property}` of table `{}` names several objects, but a table has one {kind}",
                table.name
            );
            return Err(LoadError::malformed(program, table.property_loc(property), problem));
        }
    }
    // Objects are in `implementation` and `attached`.
    for (property, wanted) in OBJECTS {
        if table.properties.iter().any(|(name, _)| name == property) {
            let problem = format!("`{property}` of table `{}` must be {wanted}", table.name);
            return Err(LoadError::malformed(program, table.property_loc(property), problem));
        }
    }
    let timeout = table.properties.iter().find(|(name, _)| name == TIMEOUT);
    if timeout.is_some_and(|(_, value)| !matches!(value, PropertyValue::Bool(_))) {
        let problem = format!("`{TIMEOUT}` of table `{}` must be true or false", table.name);
        return Err(LoadError::malformed(program, table.property_loc(TIMEOUT), problem));
    }
    Ok(())
}

/// Refuses `read` of a direct meter that belongs to no table and therefore has no colour.
pub(super) fn check_meters(program: &Program) -> Vec<LoadError> {
    let unattached = detached_calls(program, "direct_meter.read");
    let error = |(object, loc): (&ExternInstance, Loc)| {
        let problem =
            format!("`{}` meters nothing here: no table names this direct_meter in `meters`", object.name);
        let help = format!("write `meters = {};` in the table whose packets it meters", local_name(object));
        LoadError { help: Some(help), ..LoadError::malformed(program, loc, problem) }
    };
    unattached.into_iter().map(error).collect()
}

/// Warns of parts of tables and their objects that have no effect.
pub(super) fn warnings(program: &Program) -> Vec<LoadWarning> {
    let tables = program.tables.values();
    let in_tables = tables.flat_map(|table| {
        let found = ignored_selectors(program, table).into_iter();
        let found =
            found.chain(unknown_properties(program, table)).chain(idle_without_entries(program, table));
        found.chain(several_prefixes(program, table))
    });
    in_tables.chain(uncounted_calls(program)).collect()
}

/// Warns of `selector` keys of a table without an action selector: such keys are not hashed. As in
/// `simple_switch`, they are ignored.
fn ignored_selectors(program: &Program, table: &Table) -> Vec<LoadWarning> {
    if table.implementation.is_some_and(|object| program.externs[object].kind == "action_selector") {
        return Vec::new();
    }
    let warning = |key: &Key| {
        let message = format!("the `selector` key `{}` of table `{}` is ignored", key.name, table.name);
        let help = "the table's `implementation` is not an action_selector, whose hash such keys feed";
        LoadWarning::new(program, LoadWarning::IGNORED_SELECTOR, key.loc, message, help.to_owned())
    };
    table.keys.iter().filter(|key| key.match_kind == "selector").map(warning).collect()
}

/// Warns of properties that neither P4 nor v1model has, and which therefore have no effect.
fn unknown_properties(program: &Program, table: &Table) -> Vec<LoadWarning> {
    let warning = |name: &str| {
        let message = format!("the property `{name}` of table `{}` has no effect", table.name);
        let help = match weir_suggest::nearest(name, PROPERTIES) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("v1model's tables have: {}", PROPERTIES.join(", ")),
        };
        LoadWarning::new(program, LoadWarning::UNKNOWN_PROPERTY, table.property_loc(name), message, help)
    };
    let names = table.properties.iter().map(|(name, _)| name.as_str());
    names.filter(|name| !PROPERTIES.contains(name)).map(warning).collect()
}

/// Warns of time-outs without effect: a table without a key has no entries, and only controllers
/// can give entries time-outs, so constant entries have none.
fn idle_without_entries(program: &Program, table: &Table) -> Option<LoadWarning> {
    let (_, value) = table.properties.iter().find(|(name, _)| name == TIMEOUT)?;
    let help = if table.keys.is_empty() {
        "a table without a key has no entries"
    } else if table.const_entries && *value == PropertyValue::Bool(true) {
        "controllers give entries time-outs, and cannot add entries to `const entries`"
    } else {
        return None;
    };
    let message = format!("`{TIMEOUT}` of table `{}` has no effect", table.name);
    let help = help.to_owned();
    Some(LoadWarning::new(program, LoadWarning::IGNORED_PROPERTY, table.property_loc(TIMEOUT), message, help))
}

/// Warns of a table with several lpm keys: none of the prefixes is the longest, so entries need
/// priorities.
fn several_prefixes(program: &Program, table: &Table) -> Option<LoadWarning> {
    let mut prefixes = table.keys.iter().filter(|key| key.match_kind == "lpm");
    let (first, second) = (prefixes.next()?, prefixes.next()?);
    let message = format!("table `{}` has more than one lpm key, so each entry needs a priority", table.name);
    let help = format!(
        "of the entries that match, the one with the highest priority counts, not the one with the longest \
         prefix of `{}`; p4c refuses such tables for `simple_switch`",
        first.name
    );
    Some(LoadWarning::new(program, LoadWarning::SEVERAL_LPM_KEYS, second.loc, message, help))
}

/// Warns of calls of `count` of direct counters that no table names. They count nothing, and the
/// control plane cannot read them.
fn uncounted_calls(program: &Program) -> Vec<LoadWarning> {
    let warning = |(object, loc): (&ExternInstance, Loc)| {
        let message =
            format!("`{}` counts nothing: no table names this direct_counter in `counters`", object.name);
        let help = format!("write `counters = {};` in the table whose hits it counts", local_name(object));
        LoadWarning::new(program, LoadWarning::DETACHED_COUNTER, loc, message, help)
    };
    detached_calls(program, "direct_counter.count").into_iter().map(warning).collect()
}

/// The first call of this method for each object that no table names.
fn detached_calls<'p>(program: &'p Program, method: &str) -> Vec<(&'p ExternInstance, Loc)> {
    let attached = program.tables.values().flat_map(|table| &table.attached);
    let mut known: BTreeSet<ExternId> = attached.map(|(_, object)| *object).collect();
    let calls = extern_calls(program).into_iter().filter(|(call, _)| call.callee == method);
    let detached = calls.filter_map(|(call, loc)| {
        let object = call.instance?;
        known.insert(object).then(|| (&program.externs[object], loc))
    });
    detached.collect()
}

/// The name of an object in the control that declares it.
fn local_name(object: &ExternInstance) -> &str {
    object.name.rsplit('.').next().unwrap_or(&object.name)
}

/// Checks that `counters` names a direct_counter and `meters` a direct_meter, and that the object
/// belongs to this table alone.
fn check_attached(
    program: &Program,
    table: &Table,
    property: &str,
    object: ExternId,
) -> Result<(), LoadError> {
    let loc = table.property_loc(property);
    let malformed = |problem| LoadError::malformed(program, loc, problem);
    let kind = &program.externs[object].kind;
    let wanted = match property {
        "counters" => "direct_counter",
        "meters" => "direct_meter",
        _ => {
            let feature = format!("`{property}` of table `{}` ({kind})", table.name);
            let help = match weir_suggest::nearest(property, OBJECTS.map(|(name, _)| name)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "v1model's tables have `counters`, a direct_counter, and `meters`, a direct_meter"
                    .to_owned(),
            };
            return Err(LoadError::unsupported(program, loc, feature, Some(help)));
        }
    };
    if kind != wanted {
        let problem = format!("`{property}` of table `{}` must be a {wanted}, not a {kind}", table.name);
        return Err(malformed(problem));
    }
    let attached = |other: &&Table| other.attached.iter().any(|(_, of_other)| *of_other == object);
    let mut tables = program.tables.values().filter(attached).map(|other| &other.name);
    match (tables.next(), tables.next()) {
        (Some(first), Some(second)) => Err(malformed(format!(
            "the {kind} `{}` has a cell an entry of one table, but tables `{first}` and `{second}` both name it",
            program.externs[object].name
        ))),
        _ => Ok(()),
    }
}
