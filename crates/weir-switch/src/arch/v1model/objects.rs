//! Objects of v1model that are too small or too wide to have an effect, and calls of direct
//! counters where no entry of their table runs.

use std::collections::{BTreeMap, BTreeSet};

use weir_ir::visit::{reached, statements};
use weir_ir::{
    ActionId, Block, ConstArg, ExternCall, ExternId, ExternInstance, Loc, ProcedureId, Program, StmtKind,
};

use crate::error::LoadWarning;

/// Objects and calls that have no effect.
pub(super) fn warnings(program: &Program) -> Vec<LoadWarning> {
    let objects = program.externs.values();
    let mut found: Vec<LoadWarning> = objects.flat_map(|object| sizes(program, object)).collect();
    found.extend(outside_tables(program));
    found
}

/// An action profile or selector without room for members, and the width of a selector's hash.
fn sizes(program: &Program, object: &ExternInstance) -> Vec<LoadWarning> {
    let number = |position: usize| match object.args.get(position) {
        Some(ConstArg::Bits(_, bits)) => Some(bits.low_u64()),
        _ => None,
    };
    let (size, width) = match object.kind.as_str() {
        "action_profile" => (number(0), None),
        "action_selector" => (number(1), number(2)),
        _ => return Vec::new(),
    };
    let (kind, name) = (&object.kind, &object.name);
    let mut found = Vec::new();
    if size == Some(0) {
        let message = format!("the size 0 of `{kind}` `{name}` limits nothing");
        let help = "it takes any number of members: give the largest number";
        found.push((LoadWarning::ZERO_SIZE, message, help.to_owned()));
    }
    if width == Some(0) {
        let message = format!("`{name}` uses no bit of its hash");
        let help = "every packet gets the same member of a group: give the width of the hash in bits";
        found.push((LoadWarning::ZERO_SIZE, message, help.to_owned()));
    }
    let algorithm = match object.args.first() {
        Some(ConstArg::Text(name)) => name.as_str(),
        Some(ConstArg::Bits(weir_ir::Type::Enum(of), bits)) => {
            let members = &program.enums[*of].members;
            members.get(bits.low_u64() as usize).map_or("", String::as_str)
        }
        _ => "",
    };
    if let (Some(width), Some(most)) = (width, hash_width(algorithm))
        && width > most
    {
        let message = format!("`{name}` uses {width} bits of a hash that has {most}");
        let help = format!("HashAlgorithm.{algorithm} has {most} bits; the others are 0");
        found.push((LoadWarning::IGNORED_SELECTOR, message, help));
    }
    let warning = |(id, message, help)| LoadWarning::new(program, id, object.loc, message, help);
    found.into_iter().map(warning).collect()
}

/// How many bits a hash has; none if it has as many as its data, or as are requested.
fn hash_width(algorithm: &str) -> Option<u64> {
    match algorithm {
        "crc16" | "crc16_custom" | "csum16" | "xor16" => Some(16),
        "crc32" | "crc32_custom" => Some(32),
        _ => None,
    }
}

/// Calls of direct counters outside the actions of the table that names them: no entry's cell
/// belongs to them. A direct meter may be read anywhere after its table: the colour is that of the
/// packet's last hit.
fn outside_tables(program: &Program) -> Vec<LoadWarning> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    let blocks = program.main.iter().flat_map(|main| &main.args);
    let mut called: BTreeMap<ExternId, Vec<(&ExternCall, Loc)>> = BTreeMap::new();
    for stmt in blocks.flat_map(|(_, block)| reached(program, block)) {
        if let StmtKind::Extern(call) = &stmt.kind {
            call.instance.iter().for_each(|id| called.entry(*id).or_default().push((call, stmt.loc)));
        }
    }
    for table in program.tables.values() {
        for (_, object) in table.attached.iter().filter(|(property, _)| property == "counters") {
            let mut actions: Vec<ActionId> = table.actions.iter().map(|listed| listed.action).collect();
            actions.push(table.default_action.action);
            let inside = calls_of(program, actions, *object);
            for (call, loc) in called.get(object).into_iter().flatten() {
                let is_inside = inside.iter().any(|one| std::ptr::eq(*one, *call));
                if is_inside || !known.insert((loc.file, loc.line, loc.column)) {
                    continue;
                }
                let (name, table) = (&program.externs[*object].name, &table.name);
                let message = format!("`{name}` counts nothing here: it counts the hits of table `{table}`");
                let help = "the switch counts each hit; use a `counter` to count elsewhere";
                let id = LoadWarning::DETACHED_COUNTER;
                found.push(LoadWarning::new(program, id, *loc, message, help.to_owned()));
            }
        }
    }
    found
}

/// The calls of an object in these actions, and in what they call.
fn calls_of(program: &Program, actions: Vec<ActionId>, object: ExternId) -> Vec<&ExternCall> {
    let mut pending: Vec<&Block> = Vec::new();
    let mut seen_actions: BTreeSet<ActionId> = BTreeSet::new();
    let mut seen_procedures: BTreeSet<ProcedureId> = BTreeSet::new();
    let mut found = Vec::new();
    for action in actions {
        if seen_actions.insert(action) {
            pending.push(&program.actions[action].body);
        }
    }
    while !pending.is_empty() {
        for stmt in statements(std::mem::take(&mut pending)) {
            match &stmt.kind {
                StmtKind::Extern(call) if call.instance == Some(object) => found.push(call),
                StmtKind::CallAction(id) if seen_actions.insert(*id) => {
                    pending.push(&program.actions[*id].body);
                }
                StmtKind::Call(id) if seen_procedures.insert(*id) => {
                    pending.push(&program.procedures[*id].body);
                }
                _ => {}
            }
        }
    }
    found
}
