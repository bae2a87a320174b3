//! Loops.

use weir_ir as ir;
use weir_ir::{BinaryOp, Block, StmtKind, Type};

use super::fold;
use super::place::Place;
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir;

impl Lowerer<'_> {
    /// Lowers `for (init; condition; update) body`.
    pub(super) fn for_loop(
        &mut self,
        init: &[hir::Stmt],
        condition: &hir::Expr,
        update: &[hir::Stmt],
        body: &hir::Block,
    ) -> Lowered<()> {
        self.statements(init)?;
        let states = self.applies_parser(&body.stmts) || self.applies_parser(update);
        self.make_loop(
            states,
            |this| this.scalar(condition),
            |this| this.block(body),
            |this| this.statements(update),
        )
    }

    /// Emits a loop. It consists of parser states if `states` is true.
    fn make_loop(
        &mut self,
        states: bool,
        condition: impl FnOnce(&mut Self) -> Lowered<ir::Expr>,
        body: impl FnOnce(&mut Self) -> Lowered<()>,
        step: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        self.repeatable_code(|this| {
            if states {
                return this.loop_of_states(condition, body, step);
            }
            let (condition, before) = this.collect(condition)?;
            this.cx.loops.push(None);
            let body = this.collect(body);
            this.cx.loops.pop();
            let ((), step) = this.collect(step)?;
            let ((), body) = body?;
            this.emit_loop(condition, before, Block(body), Block(step))
        })
    }

    /// Emits a loop that runs the statements `before` ahead of each test of the condition.
    fn emit_loop(
        &mut self,
        condition: ir::Expr,
        before: Vec<ir::Stmt>,
        body: Block,
        step: Block,
    ) -> Lowered<()> {
        if before.is_empty() {
            self.emit(StmtKind::Loop { condition, body, step });
            return Ok(());
        }
        let ((), stmts) = self.collect(|this| {
            this.cx.output.extend(before);
            let ((), leave) = this.collect(|this| {
                this.emit(StmtKind::Break);
                Ok(())
            })?;
            this.emit(StmtKind::If {
                condition: fold::not(condition),
                then: Block(leave),
                otherwise: Block::default(),
            });
            this.cx.output.extend(body.0);
            Ok(())
        })?;
        self.emit(StmtKind::Loop { condition: fold::boolean(true), body: Block(stmts), step });
        Ok(())
    }

    /// Lowers `for (T x in low .. high) body`. The position is a separate variable, so that the
    /// body can assign to `x`. The loop ends when the position equals `high`, because `high + 1`
    /// may overflow `T`.
    pub(super) fn for_range(
        &mut self,
        var: hir::VarId,
        low: &hir::Expr,
        high: &hir::Expr,
        body: &hir::Block,
    ) -> Lowered<()> {
        let values = self.values(&[low, high])?;
        let [Value::Scalar(low_value), Value::Scalar(high_value)] = values.as_slice() else {
            return self
                .unsupported(low.span.to(high.span), "a loop over a range of values that are not numbers");
        };
        let ty = low_value.ty;
        let position = self.temporary_var(ty);
        let more = self.temporary_var(Type::Bool);
        let high = self.save_scalar(high_value.clone());
        self.set(position, low_value.clone());
        let current = fold::var(position, ty);
        self.set(more, fold::binary(BinaryOp::Le, current.clone(), high.clone(), Type::Bool));
        let store = self.declare(var)?;
        let states = self.applies_parser(&body.stmts);
        self.make_loop(
            states,
            |_| Ok(fold::var(more, Type::Bool)),
            |this| {
                this.store(&store, Value::Scalar(current.clone()))?;
                this.block(body)
            },
            |this| {
                this.set(more, fold::binary(BinaryOp::Ne, current.clone(), high, Type::Bool));
                let one = fold::constant(ty, ir::Bits::new(ty.width(), 1));
                this.set(position, fold::binary(BinaryOp::Add, current.clone(), one, ty));
                Ok(())
            },
        )
    }

    /// Lowers `for (T x in collection) body`. The elements are read once, when the loop begins.
    pub(super) fn for_each(
        &mut self,
        var: hir::VarId,
        collection: &hir::Expr,
        body: &hir::Block,
    ) -> Lowered<()> {
        let elements = match self.value(collection)? {
            Value::Group(elements) | Value::Array { elements, .. } => elements,
            _ => {
                return self
                    .unsupported(collection.span, "a loop over an expression that is not a stack or list");
            }
        };
        let element_ty = self.hir.vars[var].ty;
        let mut stores = Vec::with_capacity(elements.len());
        for element in elements {
            if matches!(element, Value::Int(_) | Value::Text(_)) {
                return self.unsupported(collection.span, "a loop over numbers without width or strings");
            }
            let store = self.temporary(element_ty)?;
            self.store(&store, element)?;
            stores.push(store);
        }
        let count = fold::u32_const(stores.len() as u32);
        let array = Store::Array(stores.into());
        let position = self.temporary_var(fold::U32);
        let current = fold::var(position, fold::U32);
        self.set(position, fold::u32_const(0));
        let store = self.declare(var)?;
        let states = self.applies_parser(&body.stmts);
        self.make_loop(
            states,
            |_| Ok(fold::binary(BinaryOp::Lt, current.clone(), count, Type::Bool)),
            |this| {
                let place = this.element_place(Place::Store(array), current.clone(), collection)?;
                let value = this.read(&place);
                this.store(&store, value)?;
                this.block(body)
            },
            |this| {
                this.set(
                    position,
                    fold::binary(BinaryOp::Add, current.clone(), fold::u32_const(1), fold::U32),
                );
                Ok(())
            },
        )
    }
}
