//! What of v1model a program uses, and whether all of it is there.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_ir::{
    Arg, ArgValue, Bits, ConstArg, ExternCall, ExternId, ExternInstance, Leaf, Loc, Program, Table, TableId,
    Type, VarId,
};

use super::super::calls::extern_calls;
use crate::error::LoadError;
use crate::externs::CounterUnit;
use crate::externs::hash::HashKind;
use crate::externs::profile::Profile;
use crate::externs::{ExternState, MAX_CELLS};

/// Functions and methods that [`super::env`] carries out.
const CALLS: [&str; 26] = [
    "Checksum16.get",
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

const KINDS: [&str; 8] = [
    "Checksum16",
    "action_profile",
    "action_selector",
    "counter",
    "direct_counter",
    "direct_meter",
    "meter",
    "register",
];

/// Refuses what is not there, and makes the extern objects' state.
pub(super) fn check(program: &Program) -> Result<Vec<ExternState>, LoadError> {
    let externs: Vec<_> =
        program.externs.iter().map(|(id, object)| instance(program, id, object)).collect::<Result<_, _>>()?;
    let enums = Enumerations::new(program);
    for (call, loc) in extern_calls(program) {
        check_call(program, &enums, call, loc)?;
    }
    for table in program.tables.values() {
        if let Some(object) = table.implementation
            && !matches!(externs[object.index()], ExternState::Profile(_))
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
        let selects = table.implementation.is_some_and(
            |object| matches!(&externs[object.index()], ExternState::Profile(profile) if profile.hash.is_some()),
        );
        let selector = table.keys.iter().find(|key| key.match_kind == "selector");
        if let (Some(key), false) = (selector, selects) {
            let problem = format!(
                "key `{}` of table `{}` is a `selector`, but the table's `implementation` is no action_selector",
                key.name, table.name
            );
            return Err(LoadError::malformed(program, key.loc, problem));
        }
    }
    Ok(externs)
}

/// What a table's entries have beside them: `counters` are a direct_counter, `meters` a direct_meter, of this table alone.
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
            let note = "v1model's tables have `counters`, a direct_counter, and `meters`, a direct_meter";
            return Err(LoadError::unsupported(program, table.loc, feature, Some(note.to_owned())));
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

fn check_call(program: &Program, enums: &Enumerations, call: &ExternCall, loc: Loc) -> Result<(), LoadError> {
    let unsupported = |note: Option<String>| {
        LoadError::unsupported(program, loc, format!("extern `{}`", call.callee), note)
    };
    if !CALLS.contains(&call.callee.as_str()) {
        let near =
            weir_suggest::nearest_dotted(&call.callee, CALLS).map(|name| format!("did you mean `{name}`?"));
        return Err(unsupported(near.or_else(|| Some(format!("v1model has: {}", CALLS.join(", "))))));
    }
    if call.callee.starts_with("register.") {
        let varbit = |var: &VarId| matches!(program.vars[*var].ty, Type::Varbit { .. });
        let of_varbit = |arg: &Arg| match &arg.value {
            ArgValue::Leaves(leaves) => leaves.iter().any(|leaf| match leaf {
                Leaf::Header(id) => program.headers[*id].fields.iter().any(varbit),
                Leaf::Value(expr) => matches!(expr.ty, Type::Varbit { .. }),
            }),
            ArgValue::Vars { vars, .. } => vars.iter().any(varbit),
            ArgValue::Text(_) | ArgValue::Extern(_) => false,
        };
        if call.args.iter().any(of_varbit) {
            return Err(LoadError::unsupported(
                program,
                loc,
                "a register whose cells hold a varbit".to_owned(),
                Some("cells have a fixed width: use a bit<W> as wide as the varbit can become".to_owned()),
            ));
        }
    }
    for arg in &call.args {
        if let ArgValue::Leaves(leaves) = &arg.value
            && let [Leaf::Value(expr)] = leaves.as_slice()
            && let (Type::Enum(id), weir_ir::ExprKind::Const(ordinal)) = (expr.ty, &expr.kind)
            && program.enums[id].name == "HashAlgorithm"
            && enums.hash(ordinal).is_none()
        {
            let name = program.enums[id].members.get(ordinal.low_u64() as usize).cloned().unwrap_or_default();
            return Err(LoadError::unsupported(
                program,
                loc,
                format!("HashAlgorithm.{name} in `{}`", call.callee),
                None,
            ));
        }
    }
    Ok(())
}

/// Whether packets touch an object in turn: a register that the program both reads and writes, since the programs that BMv2 runs rely on that
/// to be one step within an action at least; and where the program asks for `@atomic` code, all that its own code changes and can see.
fn needs_lock(program: &Program, id: ExternId) -> bool {
    let calls = extern_calls(program);
    let calls =
        |callee: &str| calls.iter().any(|(call, _)| call.instance == Some(id) && call.callee == callee);
    let written = calls("register.write");
    written && (program.atomic || calls("register.read")) || program.atomic && calls("meter.execute_meter")
}

fn instance(program: &Program, id: ExternId, object: &ExternInstance) -> Result<ExternState, LoadError> {
    let malformed = |problem: &str| {
        LoadError::malformed(program, object.loc, format!("{} `{}`: {problem}", object.kind, object.name))
    };
    if let Some(factory) = &object.factory {
        let feature = format!("extern `{factory}`, which makes `{}`", object.name);
        return Err(LoadError::unsupported(program, object.loc, feature, None));
    }
    let size = |position: usize| match object.args.get(position) {
        Some(ConstArg::Bits(_, size)) => match size.to_u64() {
            Some(size) if size <= MAX_CELLS => Ok(size as usize),
            _ => Err(malformed(&format!("a size of {size} is more than the {MAX_CELLS} cells supported"))),
        },
        _ => Err(malformed(&format!("constructor argument {} must be the size", position + 1))),
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
        "counter" => Ok(ExternState::counter(size(0)?, unit(1)?)),
        "direct_counter" => Ok(ExternState::DirectCounter(unit(0)?)),
        "register" => match object.type_args.first() {
            Some(Type::Varbit { .. }) | None => Err(malformed("its cells must have a fixed width")),
            Some(ty) => {
                let fields = cell_fields(program, id).unwrap_or_else(|| vec![(String::new(), ty.width())]);
                Ok(ExternState::register(size(0)?, fields, needs_lock(program, id)))
            }
        },
        "Checksum16" => Ok(ExternState::Checksum),
        "action_profile" => {
            Ok(ExternState::Profile(Arc::new(Profile::new(size(0)? as u64, sharers(program, id)))))
        }
        "action_selector" => {
            let algorithm = choice(0)
                .ok_or_else(|| malformed("the first constructor argument must be a HashAlgorithm"))?;
            let hash = HashKind::from_name(algorithm)
                .ok_or_else(|| malformed(&format!("there is no HashAlgorithm.{algorithm}")))?;
            let width = match object.args.get(2) {
                Some(ConstArg::Bits(_, width)) => u32::try_from(width.low_u64()).unwrap_or(u32::MAX),
                _ => return Err(malformed("constructor argument 3 must be the width of the hash in bits")),
            };
            let tables = sharers(program, id);
            Ok(ExternState::Profile(Arc::new(Profile::with_selector(size(1)? as u64, hash, width, tables))))
        }
        "meter" => Ok(ExternState::meter(size(0)?, meters_bytes(1)?, needs_lock(program, id))),
        "direct_meter" => Ok(ExternState::DirectMeter(meters_bytes(0)?)),
        _ => Err(LoadError::unsupported(
            program,
            object.loc,
            format!("extern object `{}` of type `{}`", object.name, object.kind),
            Some(format!("supported: {}", KINDS.join(", "))),
        )),
    }
}

/// The tables that name the profile as their `implementation`.
fn sharers(program: &Program, profile: ExternId) -> Vec<TableId> {
    let tables = program.tables.iter().filter(|(_, table)| table.implementation == Some(profile));
    tables.map(|(id, _)| id).collect()
}

/// The fields of a register's cells with their widths, from the calls that read and write it; none if there is no call.
fn cell_fields(program: &Program, register: ExternId) -> Option<Vec<(String, u32)>> {
    let calls: Vec<_> = extern_calls(program)
        .into_iter()
        .map(|(call, _)| call)
        .filter(|call| call.instance == Some(register))
        .collect();
    let read = calls.iter().find_map(|call| match (call.callee.as_str(), &call.args.first()?.value) {
        ("register.read", ArgValue::Vars { vars, names }) => {
            let width = |var: &VarId| program.vars[*var].ty.width();
            let names = names.iter().cloned().chain(std::iter::repeat(String::new()));
            Some(names.zip(vars.iter().map(width)).collect())
        }
        _ => None,
    });
    read.or_else(|| {
        calls.iter().find_map(|call| match (call.callee.as_str(), &call.args.get(1)?.value) {
            ("register.write", ArgValue::Leaves(leaves)) => Some(written_fields(program, leaves)),
            _ => None,
        })
    })
}

/// The fields of what is written to a register; without the names that only reading tells. A header's validity is the first of its
/// fields.
fn written_fields(program: &Program, leaves: &[Leaf]) -> Vec<(String, u32)> {
    if let [Leaf::Value(expr)] = leaves {
        return vec![(String::new(), expr.ty.width())];
    }
    let width = |var: &VarId| program.vars[*var].ty.width();
    let widths = leaves.iter().flat_map(|leaf| match leaf {
        Leaf::Value(expr) => vec![expr.ty.width()],
        Leaf::Header(id) => {
            let header = &program.headers[*id];
            std::iter::once(&header.valid).chain(&header.fields).map(width).collect()
        }
    });
    widths.enumerate().map(|(index, width)| (index.to_string(), width)).collect()
}

/// What the members of v1model's enumerations mean, by ordinal.
#[derive(Clone, Debug, Default)]
pub(super) struct Enumerations {
    hash: BTreeMap<u64, HashKind>,
}

impl Enumerations {
    pub(super) fn new(program: &Program) -> Self {
        let members = program.enums.values().filter(|e| e.name == "HashAlgorithm").flat_map(|e| &e.members);
        Self {
            hash: (0u64..)
                .zip(members)
                .filter_map(|(ordinal, name)| Some((ordinal, HashKind::from_name(name)?)))
                .collect(),
        }
    }

    pub(super) fn hash(&self, ordinal: &Bits) -> Option<HashKind> {
        self.hash.get(&ordinal.to_u64()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use weir_syntax::preprocess::MemoryLoader;

    use super::*;

    /// The objects that packets touch in turn, of a program with these statements in ingress.
    fn touched_needs_lock(statements: &str) -> Vec<String> {
        let text = format!(
            "#include <v1model.p4>
             struct nothing {{}}
             parser P(packet_in p, out nothing h, inout nothing m, inout standard_metadata_t s) {{
                 state start {{ transition accept; }}
             }}
             control V(inout nothing h, inout nothing m) {{ apply {{}} }}
             control I(inout nothing h, inout nothing m, inout standard_metadata_t s) {{
                 register<bit<32>>(4) both;
                 register<bit<32>>(4) read;
                 register<bit<32>>(4) written;
                 counter(4, CounterType.packets) counted;
                 meter(4, MeterType.packets) metered;
                 bit<32> x;
                 apply {{
                     both.read(x, 1);
                     if (x > 7) {{ both.write(1, x + 1); }}
                     read.read(x, 2);
                     written.write(x, 3);
                     counted.count(x);
                     metered.execute_meter(3, x);
                     {statements}
                 }}
             }}
             control E(inout nothing h, inout nothing m, inout standard_metadata_t s) {{ apply {{}} }}
             control U(inout nothing h, inout nothing m) {{ apply {{}} }}
             control D(packet_out p, in nothing h) {{ apply {{}} }}
             V1Switch(P(), V(), I(), E(), U(), D()) main;"
        );
        let loader = MemoryLoader::new()
            .with("turns.p4", &text)
            .with("core.p4", include_str!("../../../../../p4include/core.p4"))
            .with("v1model.p4", include_str!("../../../../../p4include/v1model.p4"));
        let result = weir_compiler::compile("turns.p4", &loader, &[]);
        let Some(program) = result.program else {
            panic!("{}", result.diagnostics.render(&result.source_map, false))
        };
        let states = check(&program).expect("it is of v1model");
        let objects = program.externs.values().zip(states).filter(|(_, state)| match state {
            ExternState::Register(register) => register.needs_lock,
            ExternState::Meter(meter) => meter.needs_lock,
            _ => false,
        });
        objects.map(|(object, _)| object.name.clone()).collect()
    }

    #[test]
    fn what_is_read_and_written_is_touched_needs_lock() {
        assert_eq!(touched_needs_lock(""), ["I.both"]);
        assert_eq!(
            touched_needs_lock("@atomic { s.egress_spec = 1; }"),
            ["I.both", "I.written", "I.metered"]
        );
    }
}
