//! Expressions.

use weir_ir::{BinaryOp, Expr, ExprKind, Loc, UnaryOp, VarId};

use crate::code::{Code, MAX_NESTING};
use crate::lua::{constant, list, quoted};

impl Code<'_> {
    /// Writes an expression in Lua. Returns its text and the variables that it reads.
    pub(crate) fn value(&mut self, expr: &Expr, loc: Loc) -> (String, Vec<VarId>) {
        self.reads.clear();
        let text = self.expr(expr, loc);
        (text, std::mem::take(&mut self.reads))
    }

    /// Writes an expression in Lua that decides what the parser does.
    pub(crate) fn deciding(&mut self, expr: &Expr, loc: Loc) -> String {
        let (text, reads) = self.value(expr, loc);
        self.needed.decide(reads);
        text
    }

    /// Writes a variable in Lua, and notes that the script uses it.
    pub(crate) fn var(&mut self, id: VarId) -> String {
        self.vars.insert(id);
        format!("v[{}]", quoted(&self.program.vars[id].name))
    }

    /// Writes a list of the names of variables in Lua, and notes that the script uses them.
    pub(crate) fn names(&mut self, vars: &[VarId]) -> String {
        self.vars.extend(vars);
        list(vars.iter().map(|id| self.program.vars[*id].name.as_str()))
    }

    /// Writes an expression in Lua; refuses one that is nested too deep.
    fn expr(&mut self, expr: &Expr, loc: Loc) -> String {
        if self.depth >= MAX_NESTING {
            self.refuse(loc, format!("this code is nested more than {MAX_NESTING} levels deep, too deep for Lua: compute a part of it in an earlier statement"));
            return constant(&weir_ir::Bits::zero(expr.ty.width()));
        }
        self.depth += 1;
        let text = self.operation(expr, loc);
        self.depth -= 1;
        text
    }

    /// Writes one level of an expression in Lua.
    fn operation(&mut self, expr: &Expr, loc: Loc) -> String {
        match &expr.kind {
            ExprKind::Const(value) => constant(value),
            ExprKind::Var(id) => {
                self.reads.push(*id);
                self.var(*id)
            }
            ExprKind::Indexed { vars, index } => {
                self.reads.extend(vars);
                let index = self.expr(index, loc);
                format!("pick(v, {}, {index}, {})", self.names(vars), expr.ty.width())
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand, loc);
                match op {
                    UnaryOp::Not | UnaryOp::BitNot => format!("flip({operand})"),
                    UnaryOp::Neg => format!("neg({operand})"),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let signed = left.ty.is_signed();
                let (a, b) = (self.expr(left, loc), self.expr(right, loc));
                binary(*op, &a, &b, signed)
            }
            ExprKind::Slice { operand, high, low } => {
                format!("slice({}, {high}, {low})", self.expr(operand, loc))
            }
            ExprKind::Cast(operand) => {
                let signed = operand.ty.is_signed();
                format!("cast({}, {}, {signed})", self.expr(operand, loc), expr.ty.width())
            }
            ExprKind::Mux(condition, yes, no) => {
                let (condition, yes) = (self.expr(condition, loc), self.expr(yes, loc));
                format!("mux({condition}, {yes}, {})", self.expr(no, loc))
            }
            ExprKind::PacketLength => "of_number(p.length / 8, 32)".to_owned(),
        }
    }
}

/// Writes an operation on two values in Lua.
fn binary(op: BinaryOp, a: &str, b: &str, signed: bool) -> String {
    match op {
        // `add` also returns the carry.
        BinaryOp::Add => format!("(add({a}, {b}))"),
        BinaryOp::Sub => format!("sub({a}, {b})"),
        BinaryOp::Mul => format!("mul({a}, {b})"),
        BinaryOp::Div => format!("div({a}, {b})"),
        BinaryOp::Mod => format!("mod({a}, {b})"),
        BinaryOp::SatAdd => format!("sat_add({a}, {b}, {signed})"),
        BinaryOp::SatSub => format!("sat_sub({a}, {b}, {signed})"),
        BinaryOp::BitAnd | BinaryOp::And => format!("band({a}, {b})"),
        BinaryOp::BitOr | BinaryOp::Or => format!("bor({a}, {b})"),
        BinaryOp::BitXor => format!("bxor({a}, {b})"),
        BinaryOp::Shl => format!("shl({a}, {b})"),
        BinaryOp::Shr => format!("shr({a}, {b}, {signed})"),
        BinaryOp::Eq => format!("truth({a} == {b})"),
        BinaryOp::Ne => format!("truth({a} ~= {b})"),
        BinaryOp::Lt => format!("truth(less({a}, {b}, {signed}))"),
        BinaryOp::Le => format!("truth(not less({b}, {a}, {signed}))"),
        BinaryOp::Gt => format!("truth(less({b}, {a}, {signed}))"),
        BinaryOp::Ge => format!("truth(not less({a}, {b}, {signed}))"),
        BinaryOp::Concat => format!("({a} .. {b})"),
    }
}
