//! Computes at once what does not depend on a packet: constant operands, choices by constant conditions and indices.
//!
//! Needs nothing; leaves fewer expressions and statements, the same storage, tables and blocks.

use crate::bits::Bits;
use crate::eval::cast;
use crate::program::{BinaryOp, Block, Expr, ExprKind, HeaderId, HeaderRef, Place, Stmt, StmtKind};
use crate::validate::ValidProgram;
use crate::visit::{Visitor, walk_block, walk_expr, walk_program, walk_stmt};

use super::{Pass, validated};

/// Folds all constants of a program.
///
/// # Panics
/// If the result is invalid: a bug of this pass.
pub fn fold(program: ValidProgram) -> ValidProgram {
    let mut program = program.into_program();
    let stacks = program.stacks.values().map(|stack| stack.elements.clone()).collect();
    walk_program(&mut Folder { stacks }, &mut program);
    validated(program, Pass::Fold)
}

struct Folder {
    /// Elements of each stack.
    stacks: Vec<Vec<HeaderId>>,
}

impl Visitor for Folder {
    fn expr(&mut self, expr: &mut Expr) {
        walk_expr(self, expr);
        if let Some(simpler) = simpler(expr) {
            expr.kind = simpler;
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_stmt(self, stmt);
        match &mut stmt.kind {
            StmtKind::Assign(place, _) | StmtKind::Lookahead(place) => {
                if let Place::Indexed(vars, index) = place
                    && let Some(var) = constant(index).and_then(|index| vars.get(index.low_u64() as usize))
                {
                    *place = Place::Var(*var);
                }
            }
            StmtKind::SetValid(header)
            | StmtKind::SetInvalid(header)
            | StmtKind::Emit(header)
            | StmtKind::Extract { to: header, .. } => self.header_ref(header),
            StmtKind::Copy { to, from } => {
                self.header_ref(to);
                self.header_ref(from);
            }
            _ => {}
        }
    }

    fn block(&mut self, block: &mut Block) {
        walk_block(self, block);
        if block.0.iter().any(|stmt| decided(&stmt.kind)) {
            let before = std::mem::take(&mut block.0);
            block.0 = before.into_iter().flat_map(taken).collect();
        }
    }
}

impl Folder {
    fn header_ref(&self, header: &mut HeaderRef) {
        if let HeaderRef::Element(stack, index) = header
            && let Some(id) = constant(index)
                .and_then(|index| self.stacks.get(stack.index())?.get(index.low_u64() as usize))
        {
            *header = HeaderRef::Header(*id);
        }
    }
}

fn constant(expr: &Expr) -> Option<&Bits> {
    match &expr.kind {
        ExprKind::Const(value) => Some(value),
        _ => None,
    }
}

/// An equal expression with less to compute, if there is one.
fn simpler(expr: &mut Expr) -> Option<ExprKind> {
    Some(match &mut expr.kind {
        ExprKind::Indexed { vars, index } => match vars.get(constant(index)?.low_u64() as usize) {
            Some(var) => ExprKind::Var(*var),
            None => ExprKind::Const(expr.ty.zero()),
        },
        ExprKind::Unary(op, operand) => ExprKind::Const(op.apply(constant(operand)?)),
        ExprKind::Binary(op, left, right) => {
            let signed = left.ty.is_signed();
            match (&*op, constant(left), constant(right)) {
                (op, Some(a), Some(b)) => ExprKind::Const(op.apply(a, b, signed)),
                (BinaryOp::And, Some(a), _) if a.is_true() => take(right),
                (BinaryOp::And, _, Some(b)) if b.is_true() => take(left),
                (BinaryOp::And, Some(_), _) | (BinaryOp::And, _, Some(_)) => {
                    ExprKind::Const(Bits::bool(false))
                }
                (BinaryOp::Or, Some(a), _) if !a.is_true() => take(right),
                (BinaryOp::Or, _, Some(b)) if !b.is_true() => take(left),
                (BinaryOp::Or, Some(_), _) | (BinaryOp::Or, _, Some(_)) => ExprKind::Const(Bits::bool(true)),
                _ => return None,
            }
        }
        ExprKind::Slice { operand, high, low } => ExprKind::Const(constant(operand)?.slice(*high, *low)),
        ExprKind::Cast(operand) if operand.ty == expr.ty => take(operand),
        ExprKind::Cast(operand) => ExprKind::Const(cast(constant(operand)?, operand.ty, expr.ty)),
        ExprKind::Mux(condition, then, otherwise) => {
            take(if constant(condition)?.is_true() { then } else { otherwise })
        }
        ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::PacketLength => return None,
    })
}

fn take(expr: &mut Expr) -> ExprKind {
    std::mem::replace(&mut expr.kind, ExprKind::PacketLength)
}

/// Whether the way a statement goes is known.
fn decided(stmt: &StmtKind) -> bool {
    match stmt {
        StmtKind::If { condition, .. } => constant(condition).is_some(),
        StmtKind::Switch { scrutinee, .. } => constant(scrutinee).is_some(),
        StmtKind::Loop { condition, .. } => constant(condition).is_some_and(|value| !value.is_true()),
        StmtKind::Verify { condition, .. } => constant(condition).is_some_and(Bits::is_true),
        _ => false,
    }
}

/// The statements that stay of one.
fn taken(stmt: Stmt) -> Vec<Stmt> {
    if !decided(&stmt.kind) {
        return vec![stmt];
    }
    match stmt.kind {
        StmtKind::If { condition, then, otherwise } => {
            if constant(&condition).is_some_and(Bits::is_true) {
                then.0
            } else {
                otherwise.0
            }
        }
        StmtKind::Switch { scrutinee, cases, default } => {
            let case = cases
                .into_iter()
                .find(|(values, _)| constant(&scrutinee).is_some_and(|value| values.contains(value)));
            case.map_or(default, |(_, block)| block).0
        }
        _ => Vec::new(),
    }
}
