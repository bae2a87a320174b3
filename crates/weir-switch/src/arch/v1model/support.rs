//! What of v1model a program uses, and whether all of it is there.

use std::collections::BTreeMap;

use weir_ir::{Arg, ArgValue, Bits, ConstArg, ExternCall, ExternInstance, Loc, Program, Type};

use super::super::calls::extern_calls;
use crate::control::{CounterUnit, nearest};
use crate::error::{LoadError, Place};
use crate::externs::counter::CounterArray;
use crate::externs::hash::Algorithm;
use crate::externs::meter::MeterArray;
use crate::externs::register::RegisterArray;
use crate::externs::{ExternState, MOST_CELLS};

/// Functions and methods that [`super::env`] carries out.
const CALLS: [&str; 25] = [
    "assert",
    "assume",
    "clone",
    "clone_preserving_field_list",
    "counter.count",
    "digest",
    "direct_counter.count",
    "direct_meter.read",
    "hash",
    "log_msg",
    "mark_to_drop",
    "meter.execute_meter",
    "random",
    "recirculate",
    "recirculate_preserving_field_list",
    "register.read",
    "register.write",
    "resubmit",
    "resubmit_preserving_field_list",
    "truncate",
    "update_checksum",
    "update_checksum_with_payload",
    "verify_checksum",
    "verify_checksum_with_payload",
    "clone3",
];

const KINDS: [&str; 5] = ["counter", "direct_counter", "direct_meter", "meter", "register"];

/// Refuses what is not there, and makes the extern objects' state.
pub(super) fn check(program: &Program) -> Result<Vec<ExternState>, LoadError> {
    let externs =
        program.externs.values().map(|object| instance(program, object)).collect::<Result<_, _>>()?;
    let enums = Enumerations::new(program);
    for (call, loc) in extern_calls(program) {
        check_call(program, &enums, call, loc)?;
    }
    for table in program.tables.values() {
        let unsupported =
            |feature| LoadError::Unsupported { place: Place::new(program, table.loc), feature, note: None };
        if let Some(object) = table.implementation {
            let kind = &program.externs[object].kind;
            return Err(unsupported(format!("`implementation` of table `{}` ({kind})", table.name)));
        }
        if let Some((property, object)) =
            table.attached.iter().find(|(_, object)| !program.externs[*object].kind.starts_with("direct_"))
        {
            let kind = &program.externs[*object].kind;
            return Err(unsupported(format!("`{property}` of table `{}` ({kind})", table.name)));
        }
        // An idle time-out tells the control plane of entries that are not met; without one to tell, it changes nothing
        // for packets, but a program that asks for it expects notices.
        let idle = table
            .properties
            .iter()
            .find(|(name, value)| name == "support_timeout" && *value == weir_ir::PropertyValue::Bool(true));
        if idle.is_some() {
            return Err(unsupported(format!("`support_timeout` of table `{}`", table.name)));
        }
    }
    Ok(externs)
}

fn check_call(program: &Program, enums: &Enumerations, call: &ExternCall, loc: Loc) -> Result<(), LoadError> {
    let place = || Place::new(program, loc);
    let unsupported = |note: Option<String>| LoadError::Unsupported {
        place: place(),
        feature: format!("extern `{}`", call.callee),
        note,
    };
    if !CALLS.contains(&call.callee.as_str()) {
        let near = nearest(&call.callee, CALLS.into_iter()).map(|name| format!("did you mean `{name}`?"));
        return Err(unsupported(near.or_else(|| Some(format!("v1model has: {}", CALLS.join(", "))))));
    }
    let preserving_by_value = match call.callee.as_str() {
        "resubmit" | "recirculate" => Some(0),
        "clone3" => Some(2),
        _ => None,
    };
    if let Some(position) = preserving_by_value {
        let empty = matches!(call.args.get(position), Some(Arg { value: ArgValue::Leaves(leaves), .. }) if leaves.is_empty());
        if !empty {
            let name = call.callee.trim_end_matches('3');
            let note = format!("use `{name}_preserving_field_list` and annotate the fields with @field_list");
            return Err(LoadError::Unsupported {
                place: place(),
                feature: format!("`{}` with fields given by value", call.callee),
                note: Some(note),
            });
        }
    }
    let wide = |arg: &Arg| match &arg.value {
        ArgValue::Leaves(values) => values.len() != 1,
        ArgValue::Vars { vars, .. } => vars.len() != 1,
        ArgValue::Text(_) | ArgValue::Extern(_) => true,
    };
    if call.callee.starts_with("register.") && call.args.iter().any(wide) {
        return Err(LoadError::Unsupported {
            place: place(),
            feature: "a register whose cells are no single value".to_owned(),
            note: Some("use one register a field".to_owned()),
        });
    }
    for arg in &call.args {
        if let ArgValue::Leaves(leaves) = &arg.value
            && let [weir_ir::Leaf::Value(expr)] = leaves.as_slice()
            && let (Type::Enum(id), weir_ir::ExprKind::Const(ordinal)) = (expr.ty, &expr.kind)
            && program.enums[id].name == "HashAlgorithm"
            && enums.hash(ordinal).is_none()
        {
            let name = program.enums[id].members.get(ordinal.low_u64() as usize).cloned().unwrap_or_default();
            return Err(LoadError::Unsupported {
                place: place(),
                feature: format!("HashAlgorithm.{name} in `{}`", call.callee),
                note: None,
            });
        }
    }
    Ok(())
}

fn instance(program: &Program, object: &ExternInstance) -> Result<ExternState, LoadError> {
    let place = || Place::new(program, object.loc);
    let malformed = |problem: &str| LoadError::Malformed {
        place: place(),
        problem: format!("{} `{}`: {problem}", object.kind, object.name),
    };
    let size = || match object.args.first() {
        Some(ConstArg::Bits(_, size)) => match size.to_u64() {
            Some(size) if size <= MOST_CELLS => Ok(size as usize),
            _ => Err(malformed(&format!("a size of {size} is more than the {MOST_CELLS} cells supported"))),
        },
        _ => Err(malformed("the first constructor argument must be the size")),
    };
    let choice = |position: usize| match object.args.get(position) {
        Some(ConstArg::Bits(Type::Enum(id), ordinal)) => {
            program.enums[*id].members.get(ordinal.low_u64() as usize).map(String::as_str)
        }
        _ => None,
    };
    let unit = |position| match choice(position) {
        Some("packets") => Ok(CounterUnit::Packets),
        Some("bytes") => Ok(CounterUnit::Bytes),
        Some("packets_and_bytes") => Ok(CounterUnit::PacketsAndBytes),
        _ => Err(malformed("expected a CounterType: packets, bytes or packets_and_bytes")),
    };
    let meters_bytes = |position| match choice(position) {
        Some("packets") => Ok(false),
        Some("bytes") => Ok(true),
        _ => Err(malformed("expected a MeterType: packets or bytes")),
    };
    match object.kind.as_str() {
        "counter" => Ok(ExternState::Counter(CounterArray::new(size()?, unit(1)?))),
        "direct_counter" => Ok(ExternState::DirectCounter(unit(0)?)),
        "register" => match object.type_args.first() {
            Some(Type::Varbit { .. }) | None => Err(malformed("its cells must have a fixed width")),
            Some(ty) => Ok(ExternState::Register(RegisterArray::new(size()?, ty.width()))),
        },
        "meter" => Ok(ExternState::Meter(MeterArray::new(size()?, meters_bytes(1)?))),
        "direct_meter" => Ok(ExternState::DirectMeter(meters_bytes(0)?)),
        _ => Err(LoadError::Unsupported {
            place: place(),
            feature: format!("extern object `{}` of type `{}`", object.name, object.kind),
            note: Some(format!("supported: {}", KINDS.join(", "))),
        }),
    }
}

/// What the members of v1model's enumerations mean, by ordinal.
#[derive(Clone, Debug, Default)]
pub(super) struct Enumerations {
    hash: BTreeMap<u64, HashKind>,
}

/// What `hash` and the checksums compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HashKind {
    /// From the data.
    Data(Algorithm),
    /// From the random generator.
    Random,
}

impl Enumerations {
    pub(super) fn new(program: &Program) -> Self {
        let members = program.enums.values().filter(|e| e.name == "HashAlgorithm").flat_map(|e| &e.members);
        let kind = |name: &String| match name.as_str() {
            "random" => Some(HashKind::Random),
            name => Algorithm::from_name(name).map(HashKind::Data),
        };
        Self {
            hash: (0u64..).zip(members).filter_map(|(ordinal, name)| Some((ordinal, kind(name)?))).collect(),
        }
    }

    pub(super) fn hash(&self, ordinal: &Bits) -> Option<HashKind> {
        self.hash.get(&ordinal.to_u64()?).copied()
    }
}
