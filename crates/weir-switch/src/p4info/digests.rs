//! Finds calls of functions that send messages to the controller, such as v1model's `digest`. A
//! digest has the name of the type of its data.

use weir_ir::declared::data_types;
use weir_ir::visit::extern_calls;
use weir_ir::{DataType, ExternCall, Loc, Program};

use super::ControlView;

/// A digest that a program sends.
pub(super) struct Digest {
    pub name: String,
    pub data: DataType,
    pub loc: Loc,
}

/// Finds the digests in the order of the source, each once.
pub(super) fn digests(program: &Program, view: &ControlView) -> Vec<Digest> {
    let mut found: Vec<Digest> = Vec::new();
    let mut unnamed = 0;
    for (call, loc) in calls(program, view.digest_function) {
        let data = digest_data(call);
        let name = type_name(program, &data).map_or_else(|| numbered_name(unnamed), str::to_owned);
        if type_name(program, &data).is_none() {
            unnamed += 1;
        }
        if found.iter().all(|other| other.name != name) {
            found.push(Digest { name, data, loc });
        }
    }
    found
}

/// Returns the name of the digest that a call sends, for controllers: the name of the data's type,
/// or otherwise `digest_0`, `digest_1`, … in the order of the source.
pub fn digest_name(program: &Program, call: &ExternCall) -> String {
    if let Some(name) = type_name(program, &digest_data(call)) {
        return name.to_owned();
    }
    let calls = calls(program, Some(&call.callee));
    let mut unnamed = calls.iter().filter(|(other, _)| type_name(program, &digest_data(other)).is_none());
    numbered_name(unnamed.position(|(other, _)| *other == call).unwrap_or_default())
}

/// Finds the calls in the order of the source. If the compiler made copies of a call, only the
/// first copy is listed.
fn calls<'a>(program: &'a Program, function: Option<&str>) -> Vec<(&'a ExternCall, Loc)> {
    let mut calls = extern_calls(program);
    calls.retain(|(call, _)| call.instance.is_none() && Some(call.callee.as_str()) == function);
    calls.sort_by_key(|(_, loc)| (loc.file, loc.line, loc.column));
    calls.dedup_by_key(|(_, loc)| *loc);
    calls
}

/// Returns the type of the data that a call sends.
pub fn digest_data(call: &ExternCall) -> DataType {
    let mut types = data_types(&call.declared, &call.type_args);
    if types.len() == 1 { types.remove(0) } else { DataType::Tuple(types) }
}

fn type_name<'a>(program: &'a Program, data: &DataType) -> Option<&'a str> {
    match data {
        DataType::Named(id) => Some(&program.declared[*id].name),
        _ => None,
    }
}

fn numbered_name(number: usize) -> String {
    format!("digest_{number}")
}
