//! Expands calls that run code of the program on a cell of a register.
//!
//! In TNA, `RegisterAction.execute(index)` reads a cell, runs the method `apply` that the program
//! implements for the object, and writes the cell. The pass replaces the call by these three steps,
//! so that executors know only reads and writes of registers, and calls of procedures.

use crate::bits::Bits;
use crate::loc::Loc;
use crate::program::{
    Arg, ArgValue, ConstArg, Direction, Expr, ExprKind, ExternCall, ExternId, ExternInstance, Leaf, Place,
    Program, Stmt, StmtKind, Var, VarId, VarRole,
};
use crate::types::Type;

use super::rewrite::rewrite;

/// The names of the calls that the pass expands, and of those that replace them.
#[derive(Clone, Copy, Debug)]
pub struct CellCall {
    /// The call, such as `RegisterAction.execute`. Its object gets the register as its first
    /// constructor argument.
    pub call: &'static str,
    /// The method that the program implements. Its first parameter is the cell, and its other
    /// parameters are results of the call, in order.
    pub method: &'static str,
    /// The method of registers that returns a cell.
    pub read: &'static str,
    /// The method of registers that takes an index and the new value of a cell.
    pub write: &'static str,
}

/// Expands the calls with these names. A call stays unchanged if its object implements no such
/// method, or if the cell consists of headers.
pub fn expand_cell_calls(program: &mut Program, calls: &[CellCall]) {
    rewrite(program, &mut |program, stmt| {
        let StmtKind::Extern(call) = &stmt.kind else { return vec![stmt] };
        let known = calls.iter().find(|known| known.call == call.callee);
        known.and_then(|known| expand(program, known, call, stmt.loc)).unwrap_or_else(|| vec![stmt])
    });
}

fn expand(program: &mut Program, names: &CellCall, call: &ExternCall, loc: Loc) -> Option<Vec<Stmt>> {
    let object = &program.externs[call.instance?];
    let register = register(object)?;
    let method = object.methods.iter().find(|method| method.name == names.method)?.clone();
    let (cell, results) = method.params.split_first()?;
    let is_plain = |var: &VarId| program.vars[*var].role == VarRole::Plain;
    if !method.params.iter().flat_map(|param| &param.storage.vars).all(is_plain) {
        return None;
    }
    let mut stmts = Vec::new();
    let mut push = |kind| stmts.push(Stmt { kind, loc });
    let var = |program: &Program, var: VarId| Expr { kind: ExprKind::Var(var), ty: program.vars[var].ty };
    // The code may change the variables on which the index depends.
    let index = match call.args.iter().find(|arg| arg.name == "index") {
        Some(Arg { value: ArgValue::Leaves(leaves), .. }) => match leaves.as_slice() {
            [Leaf::Value(expr)] => {
                let name = format!("{}.$index{}", object.name, program.vars.len());
                let (ty, role) = (expr.ty, VarRole::Plain);
                let copy = program.vars.push(Var { name, ty, role, annotations: Vec::new(), loc });
                push(StmtKind::Assign(Place::Var(copy), expr.clone()));
                Some(Leaf::Value(var(program, copy)))
            }
            _ => return None,
        },
        Some(_) => return None,
        None => None,
    };
    let arg = |name: &str, leaves: Vec<Leaf>| Arg {
        name: name.to_owned(),
        direction: Direction::In,
        value: ArgValue::Leaves(leaves),
    };
    let index: Vec<Arg> = index.into_iter().map(|leaf| arg("index", vec![leaf])).collect();
    let of_register = |callee: &str, args, result| {
        StmtKind::Extern(ExternCall {
            callee: callee.to_owned(),
            instance: Some(register),
            type_args: Vec::new(),
            declared: Vec::new(),
            args,
            result,
        })
    };
    push(of_register(names.read, index.clone(), cell.storage.vars.clone()));
    for result in results.iter().flat_map(|result| &result.storage.vars) {
        let ty = program.vars[*result].ty;
        push(StmtKind::Assign(Place::Var(*result), zero(ty)));
    }
    push(StmtKind::Call(method.procedure));
    let value = cell.storage.vars.iter().map(|stored| Leaf::Value(var(program, *stored))).collect();
    let args = index.into_iter().chain([arg("value", value)]).collect();
    push(of_register(names.write, args, Vec::new()));
    // The first result is that of the call; the call writes the others to its `out` arguments.
    let written = call.args.iter().filter_map(|arg| match &arg.value {
        ArgValue::Vars { vars, .. } => Some((arg.name.as_str(), vars)),
        _ => None,
    });
    let mut to: Vec<(usize, &Vec<VarId>)> = written
        .filter_map(|(name, vars)| {
            let number: usize = name.strip_prefix("rv")?.parse().ok()?;
            Some((number.checked_sub(1)?, vars))
        })
        .collect();
    to.push((0, &call.result));
    for (position, vars) in to {
        let from = results.get(position).map_or(&[][..], |result| &result.storage.vars);
        for (at, to) in vars.iter().enumerate() {
            let ty = program.vars[*to].ty;
            let value = match from.get(at).map(|from| var(program, *from)) {
                Some(value) if value.ty == ty => value,
                Some(value) => Expr { kind: ExprKind::Cast(Box::new(value)), ty },
                None => zero(ty),
            };
            push(StmtKind::Assign(Place::Var(*to), value));
        }
    }
    Some(stmts)
}

/// Returns the register on which an object acts.
fn register(object: &ExternInstance) -> Option<ExternId> {
    match object.args.first()? {
        ConstArg::Extern(register) => Some(*register),
        _ => None,
    }
}

fn zero(ty: Type) -> Expr {
    Expr { kind: ExprKind::Const(Bits::zero(ty.width())), ty }
}
