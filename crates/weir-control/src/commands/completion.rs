//! Completion of runtime commands: the words that may come next.

use weir_switch::control::CrcAlgorithm;

use super::profiles::profile_of;
use super::registry::{Command, Session};
use crate::Error;

/// Returns the words that may come as the next argument: names of objects, or numbers that exist.
pub(super) fn choices(session: &mut Session<'_, '_>, command: &Command, given: &[&str]) -> Vec<String> {
    let takes: Vec<&str> = command.takes.split_whitespace().collect();
    // A word with … stands for any number of arguments. The next argument follows after a bar.
    let many = takes.iter().position(|word| word.contains('…')).unwrap_or(takes.len());
    let mut place = given.len().min(many);
    if place == takes.len() {
        return Vec::new();
    }
    if place == many && given.contains(&"|") && takes.contains(&"[|]") {
        place = takes.len() - 1;
    }
    let wanted = takes[place].trim_matches(['[', ']', '…']);
    // If an earlier word is wrong, there are no suggestions for the following ones.
    choices_of_kind(session, command.name, wanted, given).unwrap_or_default()
}

fn choices_of_kind(
    session: &mut Session<'_, '_>,
    command: &str,
    wanted: &str,
    given: &[&str],
) -> Result<Vec<String>, Error> {
    let names = session.names();
    let schema = names.schema;
    let text = |number: &dyn ToString| number.to_string();
    let first = given.first().copied();
    let uses_profile =
        command.contains("indirect") || matches!(command, "table_dump_member" | "table_dump_group");
    // The action profile that the command names, or the profile of the table that it names.
    let profile = |name: &str| match command.starts_with("act_prof") {
        true => names.profile(name),
        false => profile_of(names, name).map(|(_, profile)| profile),
    };
    Ok(match (wanted, first) {
        ("TABLE", _) => {
            let tables = schema.tables.iter().filter(|table| !uses_profile || table.profile.is_some());
            tables.map(|table| table.name.clone()).collect()
        }
        ("ACTION", Some(name)) => {
            let tables = match command.starts_with("act_prof") {
                true => {
                    let profile = names.profile(name)?;
                    names.profile_schema(profile).map_or_else(Vec::new, |profile| profile.tables.clone())
                }
                false => vec![names.table(name)?],
            };
            let mut choices: Vec<String> = Vec::new();
            for listed in tables.iter().flat_map(|table| &names.table_schema(*table).actions) {
                if !choices.contains(&listed.action) {
                    choices.push(listed.action.clone());
                }
            }
            choices
        }
        ("HANDLE", Some(name)) => {
            let entries = session.control.entries(names.table(name)?)?;
            entries.iter().map(|entry| text(&entry.handle)).collect()
        }
        ("COUNTER", _) => {
            let direct = schema.tables.iter().filter_map(|table| table.direct_counter.clone());
            schema.counters.iter().map(|one| one.name.clone()).chain(direct).collect()
        }
        ("METER", _) => {
            let direct = schema.tables.iter().filter_map(|table| table.direct_meter.clone());
            schema.meters.iter().map(|one| one.name.clone()).chain(direct).collect()
        }
        ("REGISTER", _) => schema.registers.iter().map(|one| one.name.clone()).collect(),
        ("PROFILE", _) => schema.profiles.iter().map(|one| one.name.clone()).collect(),
        ("SELECTOR", _) => {
            schema.profiles.iter().filter(|one| one.is_selector).map(|one| one.name.clone()).collect()
        }
        ("MEMBER", Some(name)) => {
            let state = session.control.profile(profile(name)?)?;
            state.members.keys().map(|number| text(number)).collect()
        }
        ("GROUP", _) if command.starts_with("mc_") || command.starts_with("mirroring_") => {
            session.control.multicast_groups()?.iter().map(|(group, _)| text(group)).collect()
        }
        ("GROUP", Some(name)) => {
            let state = session.control.profile(profile(name)?)?;
            state.groups.keys().map(|number| text(number)).collect()
        }
        ("NAME", _) if command.starts_with("set_crc") => {
            let algorithm = match command {
                "set_crc16_parameters" => CrcAlgorithm::Crc16,
                _ => CrcAlgorithm::Crc32,
            };
            let calculations = schema.calculations.iter().filter(|known| known.algorithm == algorithm);
            calculations.flat_map(|known| known.names.clone()).collect()
        }
        ("VALUE_SET", _) => schema.value_sets.iter().map(|set| set.name.clone()).collect(),
        ("SESSION", _) => {
            session.control.clone_sessions()?.iter().map(|(session, _)| text(session)).collect()
        }
        ("NODE", _) => session.nodes.by_handle.keys().map(|handle| text(handle)).collect(),
        ("PORT", _) => session.control.ports()?.iter().map(|port| text(port)).collect(),
        ("LAG", _) => session.nodes.lags.keys().map(|lag| text(lag)).collect(),
        _ => Vec::new(),
    })
}
