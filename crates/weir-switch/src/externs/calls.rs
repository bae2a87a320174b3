//! Finds the calls that compute a CRC with settable parameters, and the names of their
//! calculations.

use weir_ir::visit::extern_calls;
use weir_ir::{ArgValue, Expr, ExprKind, ExternCall, Leaf, Program, Type};

use super::CrcAlgorithm;

/// The name of the argument that contains the names of a call's calculation, separated by spaces.
pub(crate) const CALCULATION: &str = "calculation";

/// Returns the names of a call's calculation.
pub(crate) fn calculation_names(call: &ExternCall) -> impl Iterator<Item = &str> {
    let names = call.args.iter().filter(|arg| arg.name == CALCULATION).map(|arg| match &arg.value {
        ArgValue::Text(names) => names.as_str(),
        _ => "",
    });
    names.flat_map(str::split_whitespace)
}

/// Returns the CRC algorithm of a call if the control plane can set its parameters.
pub(crate) fn custom_algorithm(program: &Program, call: &ExternCall) -> Option<CrcAlgorithm> {
    call.args.iter().find_map(|arg| {
        let ArgValue::Leaves(leaves) = &arg.value else { return None };
        let [Leaf::Value(Expr { kind: ExprKind::Const(ordinal), ty: Type::Enum(id), .. })] = &leaves[..]
        else {
            return None;
        };
        let name = program.enums[*id].members.get(ordinal.low_u64() as usize)?;
        [CrcAlgorithm::Crc16, CrcAlgorithm::Crc32].into_iter().find(|known| known.name() == name)
    })
}

/// Returns the named calculations of a program with their algorithms.
pub(crate) fn calculations(program: &Program) -> Vec<(Vec<String>, CrcAlgorithm)> {
    let mut found: Vec<(Vec<String>, CrcAlgorithm)> = Vec::new();
    for (call, _) in extern_calls(program) {
        let names: Vec<String> = calculation_names(call).map(str::to_owned).collect();
        let Some(algorithm) = custom_algorithm(program, call).filter(|_| !names.is_empty()) else { continue };
        if found.iter().all(|(known, _)| known[0] != names[0]) {
            found.push((names, algorithm));
        }
    }
    found
}
