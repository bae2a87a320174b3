//! Actions with their arguments, and the targets of entries (specification, "Action
//! Specification").

use weir_grpc::Problem;
use weir_ir::Bits;
use weir_switch::control::{ActionUse, Call, Target};

use crate::pipeline::{Action, Layout, Scope, Table, Translator};
use crate::proto::v1;
use crate::proto::v1::table_action::Type as ActionType;

/// Reads an action of a table with its arguments.
pub(super) fn read_call(
    layout: &Layout,
    translator: &Translator,
    table: &Table,
    call: &v1::Action,
    wanted: ActionUse,
) -> Result<Call, Problem> {
    let (listed, action) = layout.table_action(table, call.action_id)?;
    let refused = match (listed.scope, wanted) {
        (Scope::Anywhere, ActionUse::Entry | ActionUse::Default)
        | (Scope::TableOnly, ActionUse::Entry)
        | (Scope::DefaultOnly, ActionUse::Default)
        | (Scope::GroupAction, ActionUse::GroupAction) => None,
        (Scope::TableOnly, _) => Some("for entries only (@tableonly)"),
        (Scope::DefaultOnly, _) => Some("for the default only (@defaultonly)"),
        (Scope::GroupAction, _) => Some("for `group_action` only (@groupaction)"),
        (Scope::Anywhere, ActionUse::GroupAction) => Some("not for `group_action` (it lacks @groupaction)"),
    };
    if let Some(refused) = refused {
        let (action, table) = (&action.name, table.name());
        return Err(Problem::permission_denied(format!(
            "the action `{action}` of the table `{table}` is {refused}"
        )));
    }
    Ok(Call { action: listed.id, args: read_args(action, translator, &call.params)? })
}

/// Reads the arguments of an action, and returns them in the program's order.
fn read_args(
    action: &Action,
    translator: &Translator,
    arguments: &[v1::action::Param],
) -> Result<Vec<Bits>, Problem> {
    let params = &action.params;
    let problem = |what: String| Problem::invalid(format!("the action `{}` {what}", action.name));
    let mut args: Vec<Option<Bits>> = Vec::new();
    args.resize(params.len(), None);
    for argument in arguments {
        let place = (argument.param_id as usize).wrapping_sub(1);
        let param = match params.get(place) {
            Some(param) if param.field.id == argument.param_id => param,
            _ => params
                .iter()
                .find(|param| param.field.id == argument.param_id)
                .ok_or_else(|| problem(format!("has no parameter with the id {}", argument.param_id)))?,
        };
        let arg = &mut args[param.position];
        if arg.is_some() {
            return Err(problem(format!("has its parameter `{}` twice", param.field.name)));
        }
        *arg = Some(param.field.read(translator, &argument.value)?);
    }
    if arguments.len() < params.len() {
        let missing = params.iter().filter(|param| args[param.position].is_none());
        let missing: Vec<_> =
            missing.map(|param| format!("`{}` (id {})", param.field.name, param.field.id)).collect();
        return Err(problem(format!("needs a value for {}", missing.join(", "))));
    }
    Ok(args.into_iter().flatten().collect())
}

/// Converts an action with its arguments to P4Runtime's message. Returns `None` if the P4Info does
/// not list the action.
pub(super) fn action_message(
    layout: &Layout,
    translator: &Translator,
    table: &Table,
    call: &Call,
) -> Option<v1::Action> {
    let listed = &table.actions[*table.by_action.get(&call.action)?];
    let action = &layout.actions[listed.action];
    let params = action.params.iter().filter_map(|param| {
        let value = param.field.write(translator, call.args.get(param.position)?);
        Some(v1::action::Param { param_id: param.field.id, value })
    });
    Some(v1::Action { action_id: action.id, params: params.collect() })
}

/// Reads the target of an entry that does not have one-shot actions.
pub(super) fn read_target(
    layout: &Layout,
    translator: &Translator,
    table: &Table,
    action_message: &ActionType,
) -> Result<Target, Problem> {
    let of_table = |what: &str| Problem::invalid(format!("the table `{}` {what}", table.name()));
    let profile = table.profile.map(|profile| &layout.profiles[profile]);
    match (action_message, profile) {
        (ActionType::Action(action), None) => {
            Ok(Target::Action(read_call(layout, translator, table, action, ActionUse::Entry)?))
        }
        (ActionType::Action(_), Some(profile)) => {
            let kinds = if profile.is_selector { "members, groups or action sets" } else { "members" };
            Err(of_table(&format!("has the implementation `{}`: its entries have {kinds}", profile.name)))
        }
        (_, None) => Err(of_table("has no implementation: its entries have actions")),
        (ActionType::ActionProfileMemberId(0), _) => Err(Problem::invalid("0 is not an id of a member")),
        (ActionType::ActionProfileGroupId(0), _) => Err(Problem::invalid("0 is not an id of a group")),
        (ActionType::ActionProfileMemberId(member), _) => Ok(Target::Member(*member)),
        (_, Some(profile)) if !profile.is_selector => {
            Err(of_table(&format!("has the implementation `{}`, which has no groups", profile.name)))
        }
        (ActionType::ActionProfileGroupId(group), _) => Ok(Target::Group(*group)),
        (ActionType::ActionProfileActionSet(_), _) => {
            Err(of_table("needs the actions of one shot elsewhere"))
        }
    }
}
