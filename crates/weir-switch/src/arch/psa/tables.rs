//! The properties of PSA's tables.

use weir_ir::{Program, PropertyValue, Table};

use crate::error::{LoadError, LoadWarning};
use crate::externs::ExternState;

const COUNTER: &str = "psa_direct_counter";
const METER: &str = "psa_direct_meter";
const IMPLEMENTATION: &str = "psa_implementation";
const TIMEOUT: &str = "psa_idle_timeout";

/// The properties of tables: P4's and PSA's.
const PROPERTIES: [&str; 11] = [
    "actions",
    "default_action",
    "entries",
    "key",
    "largest_priority_wins",
    "priority_delta",
    COUNTER,
    METER,
    TIMEOUT,
    IMPLEMENTATION,
    "size",
];

/// Makes the object of `psa_implementation` the implementation of its table.
pub(super) fn prepare(program: &mut Program) {
    for table in program.tables.values_mut() {
        let position = table.attached.iter().position(|(property, _)| property == IMPLEMENTATION);
        if let Some(position) = position.filter(|_| table.implementation.is_none()) {
            table.implementation = Some(table.attached.remove(position).1);
        }
    }
}

/// Refuses a table whose properties have wrong values.
pub(super) fn check(program: &Program, table: &Table, objects: &[ExternState]) -> Result<(), LoadError> {
    let wrong = |property: &str, wanted: &str| {
        let problem = format!("`{property}` of table `{}` must be {wanted}", table.name);
        Err(LoadError::malformed(program, table.property_loc(property), problem))
    };
    let state = |object: &weir_ir::ExternId| &objects[object.index()];
    if let Some(object) = &table.implementation
        && !matches!(state(object), ExternState::Profile(_))
    {
        return wrong(IMPLEMENTATION, "an ActionProfile or an ActionSelector");
    }
    for (position, (property, object)) in table.attached.iter().enumerate() {
        let fits = match property.as_str() {
            COUNTER if matches!(state(object), ExternState::DirectCounter { .. }) => true,
            METER if matches!(state(object), ExternState::DirectMeter { .. }) => true,
            COUNTER => return wrong(COUNTER, "a DirectCounter"),
            METER => return wrong(METER, "a DirectMeter"),
            IMPLEMENTATION => return wrong(IMPLEMENTATION, "one object"),
            _ => false,
        };
        if !fits {
            let help =
                weir_suggest::nearest(property, PROPERTIES).map(|name| format!("did you mean `{name}`?"));
            let feature = format!("the object of `{property}` of table `{}`", table.name);
            return Err(LoadError::unsupported(program, table.property_loc(property), feature, help));
        }
        if table.attached[..position].iter().any(|(earlier, _)| earlier == property) {
            return wrong(property, "one object");
        }
        let others = program.tables.values().filter(|other| other.name != table.name);
        if others.flat_map(|other| &other.attached).any(|(_, of_other)| of_other == object) {
            return wrong(property, "an object that no other table names");
        }
    }
    for (property, wanted) in [
        (COUNTER, "a DirectCounter"),
        (METER, "a DirectMeter"),
        (IMPLEMENTATION, "an ActionProfile or an ActionSelector"),
    ] {
        // Objects are in `implementation` and `attached`.
        if table.properties.iter().any(|(name, _)| name == property) {
            return wrong(property, wanted);
        }
    }
    let timeout = table.properties.iter().find(|(name, _)| name == TIMEOUT);
    if timeout.is_some_and(|(_, value)| !matches!(value, PropertyValue::Int(_))) {
        return wrong(TIMEOUT, "a PSA_IdleTimeout_t");
    }
    Ok(())
}

/// Warns of properties that neither P4 nor PSA has, and which therefore have no effect.
pub(super) fn warnings(program: &Program) -> Vec<LoadWarning> {
    let of_table = |table: &Table| {
        let unknown = table.properties.iter().filter(|(name, _)| !PROPERTIES.contains(&name.as_str()));
        let warning = |(name, _): &(String, PropertyValue)| {
            let message = format!("the property `{name}` of table `{}` has no effect", table.name);
            let help = match weir_suggest::nearest(name, PROPERTIES) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("PSA's tables have: {}", PROPERTIES.join(", ")),
            };
            LoadWarning::new(program, LoadWarning::UNKNOWN_PROPERTY, table.property_loc(name), message, help)
        };
        unknown.map(warning).collect::<Vec<_>>()
    };
    program.tables.values().flat_map(of_table).collect()
}
