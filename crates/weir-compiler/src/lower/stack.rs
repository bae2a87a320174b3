//! Header stacks (counter, push, pop) and header validity.

use weir_ir as ir;
use weir_ir::{BinaryOp, Expr, HeaderRef, StmtKind, Type};

use super::fold;
use super::place::Place;
use super::store::Store;
use super::{Lowered, Lowerer};
use crate::hir;

impl Lowerer<'_> {
    /// Returns the place of a stack, the value of its counter and its size.
    pub(super) fn stack_place(&mut self, expr: &hir::Expr) -> Lowered<(Place, Expr, u32)> {
        let place = self.place(expr)?;
        match &place {
            Place::Store(Store::Stack { next, elements, .. }) => {
                let next = fold::var(*next, fold::U32);
                let size = elements.len() as u32;
                Ok((place, next, size))
            }
            Place::Element(element) if matches!(element.candidates.first(), Some(Store::Stack { .. })) => {
                let next = super::value::indexed_access(element.counters(), element.index.clone(), fold::U32);
                let size = element.candidates.first().map_or(0, |stack| stack.members().len()) as u32;
                Ok((place, next, size))
            }
            _ => self.unsupported(expr.span, "the element counter of an expression that is not a stack"),
        }
    }

    /// Lowers `place.setValid()` and `place.setInvalid()`.
    pub(super) fn set_validity(&mut self, target: &hir::Expr, valid: bool) -> Lowered<()> {
        match self.place(target)? {
            Place::Store(store) => self.set_store_validity(&store, valid),
            Place::Element(element) => match element.stack {
                Some(stack) => {
                    let header = HeaderRef::Element(stack, Box::new(element.index));
                    self.emit(if valid { StmtKind::SetValid(header) } else { StmtKind::SetInvalid(header) });
                    Ok(())
                }
                None => {
                    self.with_selected_store(&element, |this, store| this.set_store_validity(store, valid))
                }
            },
            _ => self.unsupported(target.span, "the validity of an expression that is not a header"),
        }
    }

    fn set_store_validity(&mut self, store: &Store, valid: bool) -> Lowered<()> {
        if let Store::Header { id, .. } = store {
            let header = HeaderRef::Header(*id);
            self.emit(if valid { StmtKind::SetValid(header) } else { StmtKind::SetInvalid(header) });
            // Both operations invalidate the other headers of the union (P4_16 section 8.20).
            self.invalidate_siblings(*id);
        }
        Ok(())
    }

    /// Lowers `stack.push_front(count)` and `stack.pop_front(count)`.
    pub(super) fn shift_stack(&mut self, stack: &hir::Expr, count: u32, push: bool) -> Lowered<()> {
        match self.place(stack)? {
            Place::Store(store) => self.shift_store(&store, count, push),
            Place::Element(element) => {
                self.with_selected_store(&element, |this, store| this.shift_store(store, count, push))
            }
            _ => self
                .unsupported(stack.span, "`push_front` or `pop_front` on an expression that is not a stack"),
        }
    }

    fn shift_store(&mut self, store: &Store, count: u32, push: bool) -> Lowered<()> {
        match store {
            Store::Stack { id: Some(id), .. } => {
                let id = *id;
                self.emit(if push { StmtKind::PushFront(id, count) } else { StmtKind::PopFront(id, count) });
            }
            Store::Stack { id: None, next, elements } => {
                self.shift_elements(elements, count as usize, push)?;
                self.shift_counter(*next, elements.len() as u32, count, push);
            }
            _ => {}
        }
        Ok(())
    }

    fn shift_elements(&mut self, elements: &[Store], count: usize, push: bool) -> Lowered<()> {
        let size = elements.len();
        let order: Vec<usize> = if push { (0..size).rev().collect() } else { (0..size).collect() };
        for index in order {
            let source = if push { index.checked_sub(count) } else { index.checked_add(count) };
            match source.and_then(|source| elements.get(source)) {
                Some(source) => {
                    let value = self.load(source);
                    self.store(&elements[index], value)?;
                }
                None => self.reset_store(&elements[index]),
            }
        }
        Ok(())
    }

    fn shift_counter(&mut self, next: ir::VarId, size: u32, count: u32, push: bool) {
        let old = fold::var(next, fold::U32);
        let (size, count) = (fold::u32_const(size), fold::u32_const(count));
        let new = if push {
            // Nothing here overflows 32 bits: the counter is at most the size, and `count` is added
            // only if the sum is at most the size.
            let free = fold::binary(BinaryOp::Sub, size.clone(), old.clone(), fold::U32);
            let fits = fold::binary(BinaryOp::Le, count.clone(), free, Type::Bool);
            fold::conditional_expr(fits, fold::binary(BinaryOp::Add, old, count, fold::U32), size)
        } else {
            fold::binary(BinaryOp::SatSub, old, count, fold::U32)
        };
        self.emit(StmtKind::Assign(ir::Place::Var(next), new));
    }
}
