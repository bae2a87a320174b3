//! Turns an executor's events into steps with names.

use weir_exec::{Event, Value};
use weir_ir::{
    ArgValue, Bits, Expr, ExprKind, Header, Leaf, Loc, Program, Table, TableId, Target, Type, Var, VarId,
    VarRole,
};

use super::{Argument, Field, HitEntry, StepKind};
use crate::state::ControlView;
use crate::tables::{MatchKind, match_from_pattern};

/// Converts an event to a step with its place in the source. Returns `None` for writes to the
/// compiler's own variables.
pub(super) fn step(
    program: &Program,
    control: ControlView<'_>,
    event: &Event<'_>,
) -> Option<(StepKind, Loc)> {
    let step = match event {
        Event::State(parser, state) => {
            let state = &program.parsers[*parser].states[*state];
            (StepKind::State(state.name.clone()), state.loc)
        }
        Event::Extracted(header, values, loc) => {
            let header = &program.headers[*header];
            let fields = header_fields(program, header, values.iter());
            (StepKind::Extracted { header: header.name.clone(), fields }, *loc)
        }
        Event::Transition(parser, target, keys, loc) => {
            let to = match target {
                Target::State(state) => program.parsers[*parser].states[*state].name.clone(),
                Target::Accept => "accept".to_owned(),
                Target::Reject => "reject".to_owned(),
            };
            (StepKind::Transition { to, keys: keys.to_vec() }, *loc)
        }
        Event::ParserError(error, loc) => {
            let name = program.errors.get(*error as usize).cloned();
            (StepKind::ParserError(name.unwrap_or_else(|| error.to_string())), *loc)
        }
        Event::Applied { table: id, keys, found, loc } => {
            let table = &program.tables[*id];
            let action = &program.actions[found.call.action];
            let key = |(key, value): (&weir_ir::Key, &Bits)| {
                field(program, key.name.clone(), key.expr.ty, value.clone())
            };
            let kind = StepKind::Applied {
                table: table.name.clone(),
                keys: table.keys.iter().zip(*keys).map(key).collect(),
                hit: found.hit,
                entry: found.entry.and_then(|handle| entry(table, *id, control, handle)),
                action: action.control_plane_name().to_owned(),
                args: data(program, action, &found.call.args),
            };
            (kind, *loc)
        }
        Event::Action(action, args) => {
            let action = &program.actions[*action];
            let args = data(program, action, args);
            (StepKind::Action { action: action.control_plane_name().to_owned(), args }, action.loc)
        }
        Event::ActionEnded => (StepKind::ActionEnded, Loc::NONE),
        Event::Assigned { var, old, new, loc } => {
            if is_compiler_made(&program.vars[*var]) {
                return None;
            }
            (assignment_step(program, *var, old, new), *loc)
        }
        Event::AssignedInvalid(var, value, loc) => {
            let var = &program.vars[*var];
            let field = field(program, var.name.clone(), var.ty, (*value).clone());
            (StepKind::AssignedInvalid(field), *loc)
        }
        Event::Validity(header, valid, loc) => {
            let header = program.headers[*header].name.clone();
            (StepKind::Validity { header, valid: *valid }, *loc)
        }
        // A branch without a place in the source was added by the compiler.
        Event::Branch(_, loc) if !loc.is_some() => return None,
        Event::Branch(taken, loc) => (StepKind::Branch(*taken), *loc),
        Event::Switched(value, case, loc) => {
            (StepKind::Switched { value: (*value).clone(), case: *case }, *loc)
        }
        Event::Called(call, args, loc) => {
            let object = call.instance.map(|id| program.externs[id].name.clone());
            let args = call.args.iter().zip(*args);
            let args = args.map(|(arg, value)| (arg.name.clone(), argument(program, &arg.value, value)));
            (StepKind::Called { callee: call.callee.clone(), object, args: args.collect() }, *loc)
        }
        Event::Returned => (StepKind::Returned, Loc::NONE),
        Event::Emitted(header, values, loc) => {
            let header = &program.headers[*header];
            let fields = header_fields(program, header, values.iter());
            (StepKind::Emitted { header: header.name.clone(), fields }, *loc)
        }
    };
    Some(step)
}

/// Makes the step for a variable with a changed value.
pub(crate) fn assignment_step(program: &Program, var: VarId, old: &Bits, new: &Bits) -> StepKind {
    let var = &program.vars[var];
    let named = |value: &Bits| field(program, var.name.clone(), var.ty, value.clone());
    StepKind::Assigned { now: named(new), before: named(old) }
}

/// Names the values of an extern call's argument. Values of variables have the names of the
/// variables.
pub(crate) fn argument_fields(program: &Program, arg: &ArgValue, values: &[Bits]) -> Vec<Field> {
    match argument(program, arg, &Value::Bits(values.to_vec())) {
        Argument::Fields(fields) => fields,
        Argument::Text(_) | Argument::Object(_) => Vec::new(),
    }
}

/// Returns whether the compiler made a variable. Such a variable has no place in the source, and
/// the name of a temporary.
fn is_compiler_made(var: &Var) -> bool {
    let last = var.name.rsplit('.').next().unwrap_or_default();
    let stem = last.split_once('#').map_or(last, |(stem, _)| stem);
    var.role == VarRole::Plain && !var.loc.is_some() && matches!(stem, "tmp" | "hit")
}

fn field(program: &Program, name: String, ty: Type, value: Bits) -> Field {
    let member_name = |names: &[String]| names.get(usize::try_from(value.to_u64()?).ok()?).cloned();
    let label = match ty {
        Type::Bool => Some(value.is_true().to_string()),
        Type::Error => member_name(&program.errors).map(|name| format!("error.{name}")),
        Type::Enum(id) => {
            member_name(&program.enums[id].members).map(|name| format!("{}.{name}", program.enums[id].name))
        }
        Type::Bits { signed: true, .. } => Some(value.to_signed().to_string()),
        Type::Bits { signed: false, .. } | Type::Varbit { .. } => None,
    };
    Field { name, value, label }
}

fn header_fields<'a>(
    program: &Program,
    header: &Header,
    values: impl Iterator<Item = &'a Bits>,
) -> Vec<Field> {
    let fields = &program.header_types[header.ty].fields;
    fields.iter().zip(values).map(|(f, value)| field(program, f.name.clone(), f.ty, value.clone())).collect()
}

/// Returns the arguments of an action, with the names of its parameters.
fn data(program: &Program, action: &weir_ir::Action, args: &[Bits]) -> Vec<Field> {
    let params = action.params.iter().zip(args);
    params
        .map(|(param, value)| field(program, param.name.clone(), program.vars[param.var].ty, value.clone()))
        .collect()
}

/// Returns the leaves of an argument if all of its headers are valid, with their names in the
/// program.
fn named_leaves(program: &Program, arg: &ArgValue) -> Vec<(String, Type)> {
    let mut names = Vec::new();
    let named = |var: &Var| (var.name.clone(), var.ty);
    match arg {
        ArgValue::Vars { vars, .. } => names.extend(vars.iter().map(|var| named(&program.vars[*var]))),
        ArgValue::Leaves(leaves) => {
            for leaf in leaves {
                match leaf {
                    Leaf::Value(Expr { kind: ExprKind::Var(var), .. })
                        if !is_compiler_made(&program.vars[*var]) =>
                    {
                        names.push(named(&program.vars[*var]));
                    }
                    Leaf::Value(expr) => names.push((String::new(), expr.ty)),
                    Leaf::Header(header) => {
                        let fields = &program.headers[*header].fields;
                        names.extend(fields.iter().map(|var| named(&program.vars[*var])));
                    }
                }
            }
        }
        ArgValue::Text(_) | ArgValue::Extern(_) => {}
    }
    names
}

fn argument(program: &Program, arg: &ArgValue, value: &Value) -> Argument {
    let values = match value {
        Value::Text(text) => return Argument::Text(text.clone()),
        Value::Extern(id) => return Argument::Object(program.externs[*id].name.clone()),
        Value::Bits(values) => values,
    };
    let mut names = named_leaves(program, arg);
    // Fields of invalid headers are left out, so the names of the other values are not known.
    if names.len() != values.len() {
        names = values.iter().map(|value| (String::new(), Type::bit(value.width()))).collect();
    }
    let fields = names.into_iter().zip(values);
    Argument::Fields(fields.map(|((name, ty), value)| field(program, name, ty, value.clone())).collect())
}

/// Returns the current state of a table's entry.
fn entry(table: &Table, id: TableId, control: ControlView<'_>, handle: u64) -> Option<HitEntry> {
    let entry = control.entry(id, handle)?;
    let keys = || table.keys.iter().filter(|key| key.match_kind != "selector");
    let ranked = keys()
        .any(|key| !matches!(MatchKind::from_name(&key.match_kind), Some(MatchKind::Exact | MatchKind::Lpm)));
    let parts = keys().zip(&entry.patterns);
    Some(HitEntry {
        handle,
        matches: parts
            .map(|(key, pattern)| (key.name.clone(), match_from_pattern(key.expr.ty.width(), pattern)))
            .collect(),
        priority: ranked.then_some(entry.priority),
    })
}
