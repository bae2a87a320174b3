//! `add_entry` and `add_entry_if`: a packet that missed adds the entry that it did not find.

use weir_exec::FrameValue;
use weir_ir::{ActionId, ArgValue, DataType, DeclaredKind, Table, TableId, Type};

use super::expiry::expire_time;
use super::{Call, Decision, Extern, Site, in_control, tables_of_actions};
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::path::{ExternContext, ResolvedCall, low_bits, write_value};
use crate::tables::{AddedEntry, FewWords};

pub(super) struct AddEntry;

const HELP: &str = "the default action of a table with `add_on_miss = true` calls it";

impl Extern<Decision> for AddEntry {
    fn calls(&self) -> &'static [Call] {
        const { &[in_control("add_entry", HELP), in_control("add_entry_if", HELP)] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let adds = |table: &Table| crate::tables::limit_of_added(table).is_some();
        let tables = tables_of_actions(site, adds);
        if tables.is_empty() {
            let problem =
                format!("no table with `add_on_miss = true` has an action with this `{}`", site.call.callee);
            return Err(malformed(
                site,
                problem,
                "write `add_on_miss = true;` in the table whose default action calls it",
            ));
        }
        let params = site.call.args.iter().position(|arg| arg.name == "action_params");
        let params = site.values(params.unwrap_or(0))?;
        let actions = tables.iter().map(|table| Ok((*table, added_action(site, *table, &params)?)));
        let actions = actions.collect::<Result<Vec<_>, LoadError>>()?;
        let condition = site.named("do_add_entry");
        let profile = site.named("expire_time_profile_id");
        let result = Out::Result.value(site)?;
        // Version 0.5 returns whether the entry was added, and version 0.7 an error code.
        let says_added = site.call.result.first().is_some_and(|var| site.program.vars[*var].ty == Type::Bool);
        Ok(ResolvedCall::new(move |env, words| {
            let wanted = condition.is_none_or(|condition| low_bits(words, condition) == 1);
            let added = wanted && add(env, &actions, &params, profile, words);
            if let Some(result) = result {
                write_value(words, result, u128::from(added == says_added));
            }
            Ok(())
        })
        .changing_entries())
    }
}

/// Adds an entry for the key that the packet has just missed. Returns whether that is possible.
fn add(
    env: &mut ExternContext<'_, '_>,
    actions: &[(TableId, ActionId)],
    params: &[FrameValue],
    profile: Option<FrameValue>,
    words: &[u64],
) -> bool {
    let Some((table, key)) = env.missed_key().cloned() else { return false };
    let Some((_, action)) = actions.iter().find(|(other, _)| *other == table) else { return false };
    let mut row = FewWords::from_iter([action.index() as u64]);
    params.iter().for_each(|param| row.extend_from_slice(&words[param.words()]));
    let timeout = profile.and_then(|profile| expire_time(env, low_bits(words, profile)));
    let entry = AddedEntry { table, key, row, time: env.context.now, timeout };
    let view = env.context.control.tables.get(table);
    env.context.thread.add_entry(view, entry)
}

/// Returns the action of a table that a call names. Entries must be able to have the action with
/// these parameters.
fn added_action(site: &Site<'_>, id: TableId, params: &[FrameValue]) -> Result<ActionId, LoadError> {
    let (program, table) = (site.program, &site.program.tables[id]);
    if let Some(key) = table.keys.iter().find(|key| key.match_kind != "exact") {
        let problem = format!(
            "packets cannot add entries to table `{}`: its key `{}` is {}, not exact",
            table.name, key.name, key.match_kind
        );
        return Err(malformed(site, problem, "an added entry has the values of the packet's key"));
    }
    if table.implementation.is_some() || table.const_entries || table.keys.is_empty() {
        let problem = format!("packets cannot add entries to table `{}`", table.name);
        let help = "a table with added entries needs a key, and can have neither `const entries` nor an action profile";
        return Err(malformed(site, problem, help));
    }
    let name = site.call.args.iter().find_map(|arg| match &arg.value {
        ArgValue::Text(name) => Some(name.as_str()),
        _ => None,
    });
    let name = name.unwrap_or_default();
    let local = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let listed = || table.listed().filter(|listed| !listed.default_only);
    let names = |action: ActionId| {
        let action = &program.actions[action];
        [local(&action.name), local(action.control_plane_name()), action.control_plane_name().to_owned()]
    };
    let entry_action =
        listed().find(|listed| names(listed.action).iter().any(|action_names| action_names == name));
    let Some(entry_action) = entry_action else {
        let problem = format!("entries of table `{}` cannot have an action `{name}`", table.name);
        let action_names: Vec<String> =
            listed().map(|listed| local(&program.actions[listed.action].name)).collect();
        let help = match weir_suggest::nearest(name, action_names.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("entries of the table can have: {}", action_names.join(", ")),
        };
        return Err(malformed(site, problem, &help));
    };
    let action = &program.actions[entry_action.action];
    let wanted = || action.params.iter().map(|param| program.vars[param.var].ty.width());
    let are_plain = params.iter().all(|param| param.if_valid.is_none() && param.length_at.is_none());
    if !are_plain || !params.iter().map(|param| param.width).eq(wanted()) {
        let param_widths: Vec<String> = params.iter().map(|param| param.width.to_string()).collect();
        let wanted: Vec<String> = wanted().map(|width| width.to_string()).collect();
        let bits = |widths: Vec<String>| {
            if widths.is_empty() { "no value".to_owned() } else { format!("{} bits", widths.join(", ")) }
        };
        let problem = format!(
            "the parameters of `{name}` in table `{}` have {}, but this call gives {}",
            table.name,
            bits(wanted),
            bits(param_widths)
        );
        return Err(malformed(site, problem, "give a struct with a member for each parameter, in order"));
    }
    let members = struct_members(site);
    let differs = members.iter().zip(&action.params).find(|(member, param)| **member != param.name);
    if let Some((member, param)) = differs {
        let problem = format!(
            "the member `{member}` is where action `{name}` of table `{}` has the parameter `{}`",
            table.name, param.name
        );
        return Err(malformed(site, problem, "give the members the names of the parameters, in order"));
    }
    Ok(entry_action.action)
}

/// Returns the names of the members, if the parameters are given as a struct.
fn struct_members(site: &Site<'_>) -> Vec<String> {
    let Some(DataType::Named(id)) = site.call.declared.first() else { return Vec::new() };
    match &site.program.declared[*id].kind {
        DeclaredKind::Struct(members) => members.iter().map(|member| member.name.clone()).collect(),
        _ => Vec::new(),
    }
}

fn malformed(site: &Site<'_>, problem: String, help: &str) -> LoadError {
    LoadError { help: Some(help.to_owned()), ..LoadError::malformed(site.program, site.loc, problem) }
}
