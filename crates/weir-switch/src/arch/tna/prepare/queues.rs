//! Registers as queues, stacks and logs: `enqueue` and `dequeue`, `push` and `pop`, `execute_log`.
//!
//! Two registers of one cell keep the position of the first value and the number of values. The
//! calls become calls of `execute` with an index.

use weir_ir::passes::rewrite;
use weir_ir::{
    Annotation, AnnotationForm, Arg, ArgValue, BinaryOp, Bits, Block, ConstArg, Direction, Expr, ExternCall,
    ExternId, ExternInstance, Leaf, Loc, Program, Stmt, StmtKind, Type, VarId,
};

use super::super::build::{add_var, assign, binary, choose, number, stmt, value};

const COUNT: Type = Type::bit(32);

/// Replaces the calls.
pub(super) fn replace(program: &mut Program) {
    rewrite(program, &mut |program, stmt| {
        let StmtKind::Extern(call) = &stmt.kind else { return vec![stmt] };
        let made = match call.callee.split_once('.') {
            Some((of, method)) if of.starts_with("RegisterAction") => expand(program, call, (of, method)),
            _ => None,
        };
        let loc = stmt.loc;
        let made = made.map(|made| made.into_iter().map(|made| Stmt { loc, ..made }).collect());
        made.unwrap_or_else(|| vec![stmt])
    });
}

fn expand(program: &mut Program, call: &ExternCall, (of, method): (&str, &str)) -> Option<Vec<Stmt>> {
    if !matches!(method, "execute_log" | "enqueue" | "dequeue" | "push" | "pop") {
        return None;
    }
    let [ConstArg::Extern(register), ..] = program.externs[call.instance?].args[..] else { return None };
    let size = match program.externs[register].args.first()? {
        ConstArg::Bits(_, size) => size.to_u64().filter(|size| (1..1 << 31).contains(size))?,
        _ => return None,
    };
    let (first, used) = (State::add(program, register, "first"), State::add(program, register, "used"));
    let index = add_var(program, &format!("{}.$index", program.externs[register].name), COUNT);
    let size = number(COUNT, size.into());
    let wrapped = |position: Expr| {
        let past = binary(BinaryOp::Ge, position.clone(), size.clone(), Type::Bool);
        choose(past, binary(BinaryOp::Sub, position.clone(), size.clone(), COUNT), position)
    };
    let one = number(COUNT, 1);
    let add = |left: &Expr, right: &Expr| binary(BinaryOp::Add, left.clone(), right.clone(), COUNT);
    let (first_value, used_value) = (value(program, first.var), value(program, used.var));
    let less = || binary(BinaryOp::Sub, used_value.clone(), one.clone(), COUNT);
    let (position, first_after, used_after) = match method {
        "execute_log" => (first_value.clone(), wrapped(add(&first_value, &one)), used_value.clone()),
        "enqueue" => (wrapped(add(&first_value, &used_value)), first_value.clone(), add(&used_value, &one)),
        "dequeue" => (first_value.clone(), wrapped(add(&first_value, &one)), less()),
        "push" => (used_value.clone(), first_value, add(&used_value, &one)),
        _ => (less(), first_value, less()),
    };
    let mut then = vec![assign(program, index, position)];
    let mut execute = ExternCall { callee: format!("{of}.execute"), ..call.clone() };
    let leaf = ArgValue::Leaves(vec![Leaf::Value(value(program, index))]);
    execute.args.insert(0, Arg { name: "index".to_owned(), direction: Direction::In, value: leaf });
    // The code may run before the state changes, because it cannot read the state.
    then.push(first.write(first_after));
    then.push(used.write(used_after));
    then.push(stmt(StmtKind::Extern(execute)));
    let mut stmts = vec![first.read(), used.read()];
    let (condition, failed) = match method {
        "execute_log" => {
            stmts.extend(then);
            return Some(stmts);
        }
        "enqueue" | "push" => (binary(BinaryOp::Lt, used_value, size, Type::Bool), "overflow"),
        _ => (binary(BinaryOp::Gt, used_value, number(COUNT, 0), Type::Bool), "underflow"),
    };
    let otherwise = Block(run(program, call, failed));
    stmts.push(stmt(StmtKind::If { condition, then: Block(then), otherwise }));
    Some(stmts)
}

/// Returns the statements that run a method of the program in place of `apply`. There is no cell,
/// so its value is 0. Without such a method, the results are 0.
fn run(program: &Program, call: &ExternCall, method: &str) -> Vec<Stmt> {
    let object = call.instance.map(|object| &program.externs[object]);
    let method = object.and_then(|object| object.methods.iter().find(|known| known.name == method));
    let zero = |var: VarId| {
        let ty = program.vars[var].ty;
        assign(program, var, number(ty, 0))
    };
    let mut stmts = Vec::new();
    let mut results: Vec<&[VarId]> = Vec::new();
    if let Some(method) = method {
        stmts.extend(method.params.iter().flat_map(|param| &param.storage.vars).map(|var| zero(*var)));
        stmts.push(stmt(StmtKind::Call(method.procedure)));
        let out = method.params.iter().filter(|param| param.direction == Direction::Out);
        results = out.map(|param| &param.storage.vars[..]).collect();
    }
    let others = call.args.iter().filter_map(|arg| {
        let number: usize = arg.name.strip_prefix("rv")?.parse().ok()?;
        match &arg.value {
            ArgValue::Vars { vars, .. } => Some((number.checked_sub(1)?, &vars[..])),
            _ => None,
        }
    });
    for (position, to) in std::iter::once((0, &call.result[..])).chain(others) {
        let from = results.get(position).copied().unwrap_or_default();
        for (at, to) in to.iter().enumerate() {
            stmts.push(match from.get(at) {
                Some(from) => assign(program, *to, value(program, *from)),
                None => zero(*to),
            });
        }
    }
    stmts
}

/// A register of one cell, and the variable into which it is read.
#[derive(Clone, Copy)]
struct State {
    register: ExternId,
    var: VarId,
}

impl State {
    /// Adds the state of a register, unless it is there.
    fn add(program: &mut Program, of: ExternId, name: &str) -> Self {
        let name = format!("{}.${name}", program.externs[of].name);
        let var = add_var(program, &name, COUNT);
        let hidden = Annotation { name: "hidden".to_owned(), args: Vec::new(), form: AnnotationForm::Bare };
        let known = program.externs.iter().find(|(_, object)| object.name == name).map(|(id, _)| id);
        let register = known.unwrap_or_else(|| {
            program.externs.push(ExternInstance {
                name,
                kind: "Register".to_owned(),
                type_args: vec![COUNT, COUNT],
                declared: Vec::new(),
                factory: None,
                args: vec![ConstArg::Bits(COUNT, Bits::new(32, 1))],
                methods: Vec::new(),
                annotations: vec![hidden],
                loc: Loc::NONE,
            })
        });
        Self { register, var }
    }

    fn read(self) -> Stmt {
        self.call("Register.read", Vec::new(), vec![self.var])
    }

    fn write(self, new: Expr) -> Stmt {
        self.call("Register.write", vec![("value", new)], Vec::new())
    }

    fn call(self, callee: &str, args: Vec<(&str, Expr)>, result: Vec<VarId>) -> Stmt {
        let args = std::iter::once(("index", number(COUNT, 0))).chain(args).map(|(name, value)| Arg {
            name: name.to_owned(),
            direction: Direction::In,
            value: ArgValue::Leaves(vec![Leaf::Value(value)]),
        });
        stmt(StmtKind::Extern(ExternCall {
            callee: callee.to_owned(),
            instance: Some(self.register),
            type_args: Vec::new(),
            declared: Vec::new(),
            args: args.collect(),
            result,
        }))
    }
}
