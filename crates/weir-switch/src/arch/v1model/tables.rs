//! The objects that v1model tables refer to: the implementation, counters and meters.

use std::collections::BTreeSet;

use weir_ir::visit::extern_calls;
use weir_ir::{ExternId, ExternInstance, Key, Loc, Program, Table};

use crate::arch::families::{ObjectProperty, Setting, TableProperties};
use crate::error::{LoadError, LoadWarning};

/// The properties of v1model's tables.
pub(super) const PROPERTIES: TableProperties = TableProperties {
    architecture: "v1model",
    implementation: ObjectProperty { name: "implementation", types: &["action_profile", "action_selector"] },
    direct: &[
        ObjectProperty { name: "counters", types: &["direct_counter"] },
        ObjectProperty { name: "meters", types: &["direct_meter"] },
    ],
    settings: &[("support_timeout", Setting::Bool)],
};

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
        let ignored = ignored_selectors(program, table).into_iter();
        ignored.chain(PROPERTIES.warnings(program, table)).chain(several_prefixes(program, table))
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

/// Returns the first call of this method for each object that no table names.
fn detached_calls<'p>(program: &'p Program, method: &str) -> Vec<(&'p ExternInstance, Loc)> {
    let attached = program.tables.values().flat_map(|table| &table.attached);
    let mut objects: BTreeSet<ExternId> = attached.map(|(_, object)| *object).collect();
    let calls = extern_calls(program).into_iter().filter(|(call, _)| call.callee == method);
    let detached = calls.filter_map(|(call, loc)| {
        let object = call.instance?;
        objects.insert(object).then(|| (&program.externs[object], loc))
    });
    detached.collect()
}

/// Returns the name of an object in the control that declares it.
fn local_name(object: &ExternInstance) -> &str {
    object.name.rsplit('.').next().unwrap_or(&object.name)
}
