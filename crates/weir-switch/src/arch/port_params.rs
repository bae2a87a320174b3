//! The action parameters that name a packet's output port.

use weir_ir::{ArgValue, Block, Expr, ExprKind, Leaf, Place, Program, StmtKind, VarId};

/// Returns the parameters that actions assign to the variable `port`: the action's control-plane
/// name and the parameter's name.
pub(super) fn params(program: &Program, port: VarId) -> Vec<(String, String)> {
    let of_action = |action: &weir_ir::Action| -> Vec<(String, String)> {
        let name = action.control_plane_name();
        let sent = action.params.iter().filter(|param| assigns(&action.body, port, param.var));
        sent.map(|param| (name.to_owned(), param.name.clone())).collect()
    };
    program.actions.values().flat_map(of_action).collect()
}

/// Returns whether a block, or a branch in it, assigns the value to the port.
fn assigns(block: &Block, port: VarId, value: VarId) -> bool {
    block.0.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assign(Place::Var(var), expr) => *var == port && is_value(expr, value),
        // PNA chooses the port by a call.
        StmtKind::Extern(call) if call.callee == "send_to_port" => {
            match call.args.first().map(|arg| &arg.value) {
                Some(ArgValue::Leaves(leaves)) => {
                    matches!(&leaves[..], [Leaf::Value(expr)] if is_value(expr, value))
                }
                _ => false,
            }
        }
        StmtKind::If { then, otherwise, .. } => assigns(then, port, value) || assigns(otherwise, port, value),
        _ => false,
    })
}

fn is_value(expr: &Expr, value: VarId) -> bool {
    match &expr.kind {
        ExprKind::Var(var) => *var == value,
        ExprKind::Cast(operand) => is_value(operand, value),
        _ => false,
    }
}
