//! What v1model's tables may have: an implementation, counters and meters.

use weir_ir::{ExternId, Program, Table};

use crate::error::{LoadError, LoadWarning};
use crate::externs::ExternState;

/// Refuses a table whose properties do not fit.
pub(super) fn check(program: &Program, table: &Table, objects: &[ExternState]) -> Result<(), LoadError> {
    if let Some(object) = table.implementation
        && !matches!(objects[object.index()], ExternState::Profile(_))
    {
        let kind = &program.externs[object].kind;
        let problem = format!(
            "`implementation` of table `{}` must be an action_profile or an action_selector, not a {kind}",
            table.name
        );
        return Err(LoadError::malformed(program, table.loc, problem));
    }
    for (property, object) in &table.attached {
        check_attached(program, table, property, *object)?;
    }
    Ok(())
}

/// The `selector` keys of tables without an action selector, which feed no hash. As in
/// `simple_switch`, they are ignored.
pub(super) fn ignored_selectors(program: &Program) -> Vec<LoadWarning> {
    let selects = |table: &Table| {
        table.implementation.is_some_and(|object| program.externs[object].kind == "action_selector")
    };
    let mut ignored = Vec::new();
    for table in program.tables.values().filter(|table| !selects(table)) {
        for key in table.keys.iter().filter(|key| key.match_kind == "selector") {
            ignored.push(LoadWarning::ignored_selector(program, key.loc, &key.name, &table.name));
        }
    }
    ignored
}

/// `counters` must be a direct_counter, `meters` a direct_meter, of this table alone.
fn check_attached(
    program: &Program,
    table: &Table,
    property: &str,
    object: ExternId,
) -> Result<(), LoadError> {
    let malformed = |problem| LoadError::malformed(program, table.loc, problem);
    let kind = &program.externs[object].kind;
    let wanted = match property {
        "counters" => "direct_counter",
        "meters" => "direct_meter",
        _ => {
            let feature = format!("`{property}` of table `{}` ({kind})", table.name);
            let help = "v1model's tables have `counters`, a direct_counter, and `meters`, a direct_meter";
            return Err(LoadError::unsupported(program, table.loc, feature, Some(help.to_owned())));
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
