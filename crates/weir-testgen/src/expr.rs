//! Random expressions.

use weir_ir::{BinaryOp, Bits, Expr, ExprKind, MAX_WIDTH, Type, UnaryOp, VarId};

use crate::maker::{Maker, WIDTHS};

impl Maker<'_> {
    /// Makes an expression that reads a variable.
    pub(crate) fn var(&self, id: VarId) -> Expr {
        Expr { kind: ExprKind::Var(id), ty: self.program.vars[id].ty }
    }

    /// Makes an expression of a type, at most `depth` operators deep.
    pub(crate) fn expr(&mut self, ty: Type, depth: u32) -> Expr {
        let kind = match self.number_below(if depth == 0 { 2 } else { 10 }) {
            0 => {
                // All variables may be read, validity bits and counters too.
                let vars: Vec<_> =
                    self.program.vars.iter().filter(|(_, var)| var.ty == ty).map(|(id, _)| id).collect();
                if vars.is_empty() {
                    ExprKind::Const(self.value(ty))
                } else {
                    ExprKind::Var(self.choose(&vars))
                }
            }
            1 => ExprKind::Const(self.value(ty)),
            2 => {
                let vars = self.vars_of(ty);
                if vars.is_empty() {
                    ExprKind::Const(self.value(ty))
                } else {
                    let vars = (0..self.number_below(3) + 1).map(|_| self.choose(&vars)).collect();
                    ExprKind::Indexed { vars, index: Box::new(self.index()) }
                }
            }
            3 => ExprKind::Mux(
                Box::new(self.expr(Type::Bool, depth - 1)),
                Box::new(self.expr(ty, depth - 1)),
                Box::new(self.expr(ty, depth - 1)),
            ),
            _ => match ty {
                Type::Bool => self.condition(depth - 1),
                Type::Bits { width, signed } => self.arithmetic(width, signed, depth - 1),
                Type::Varbit { .. } | Type::Error | Type::Enum(_) => ExprKind::Const(self.value(ty)),
            },
        };
        Expr { kind, ty }
    }

    /// Draws a random type that assignments and comparisons can have.
    pub(crate) fn any_type(&mut self) -> Type {
        match self.number_below(12) {
            0 => self.varbit(),
            1 => Type::Error,
            _ => self.scalar(),
        }
    }

    /// Makes an expression for an index, which is mostly a small number.
    pub(crate) fn index(&mut self) -> Expr {
        if self.one_in(3) {
            return self.expr(Type::bit(32), 1);
        }
        Expr { kind: ExprKind::Const(Bits::new(32, self.number_below(4) as u128)), ty: Type::bit(32) }
    }

    /// Makes a random condition.
    fn condition(&mut self, depth: u32) -> ExprKind {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        let op = self.choose(&[Eq, Ne, Lt, Le, Gt, Ge, And, Or]);
        let width = self.choose(&WIDTHS);
        let ty = match op {
            And | Or => Type::Bool,
            Eq | Ne => self.any_type(),
            _ => Type::Bits { width, signed: self.one_in(2) },
        };
        match self.number_below(8) {
            0 => ExprKind::Unary(UnaryOp::Not, Box::new(self.expr(Type::Bool, depth))),
            1 => ExprKind::Cast(Box::new(self.expr(Type::bit(1), depth))),
            _ => ExprKind::Binary(op, Box::new(self.expr(ty, depth)), Box::new(self.expr(ty, depth))),
        }
    }

    /// Makes a random arithmetic expression.
    fn arithmetic(&mut self, width: u32, signed: bool, depth: u32) -> ExprKind {
        use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mod, Mul, SatAdd, SatSub, Shl, Shr, Sub};
        let ty = Type::Bits { width, signed };
        match self.number_below(7) {
            0 => {
                let from = self.choose(&WIDTHS);
                let from = Type::Bits { width: from, signed: self.one_in(2) };
                ExprKind::Cast(Box::new(self.expr(from, depth)))
            }
            1 => {
                let op = self.choose(&[UnaryOp::Neg, UnaryOp::BitNot]);
                ExprKind::Unary(op, Box::new(self.expr(ty, depth)))
            }
            2 if !signed && width > 0 => {
                let low = self.number_below(70) as u32 % (MAX_WIDTH - width + 1);
                let above = self.number_below(70) as u32 % (MAX_WIDTH - width - low + 1);
                let operand = self.expr(Type::bit(width + low + above), depth);
                ExprKind::Slice { operand: Box::new(operand), high: low + width - 1, low }
            }
            3 if width > 1 => {
                let right = self.number_below(width as usize - 1) as u32 + 1;
                let left = self.expr(Type::Bits { width: width - right, signed }, depth);
                ExprKind::Binary(
                    BinaryOp::Concat,
                    Box::new(left),
                    Box::new(self.expr(Type::bit(right), depth)),
                )
            }
            4 => {
                let op = self.choose(&[Shl, Shr]);
                let amount = self.choose(&WIDTHS);
                let left = self.expr(ty, depth);
                let amount = if self.one_in(2) && amount > 0 {
                    let by = Bits::new(amount, self.number_below(256) as u128);
                    Expr { kind: ExprKind::Const(by), ty: Type::bit(amount) }
                } else {
                    self.expr(Type::bit(amount), depth)
                };
                ExprKind::Binary(op, Box::new(left), Box::new(amount))
            }
            _ => {
                let ops = [Add, Sub, Mul, SatAdd, SatSub, BitAnd, BitOr, BitXor, Div, Mod];
                let op = self.choose(if signed { &ops[..8] } else { &ops });
                ExprKind::Binary(op, Box::new(self.expr(ty, depth)), Box::new(self.expr(ty, depth)))
            }
        }
    }
}
