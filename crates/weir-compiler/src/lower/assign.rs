//! Assignments of values to places.

use weir_ir as ir;
use weir_ir::{BinaryOp, Bits, Block, Expr, HeaderRef, StmtKind, Type};

use super::fold;
use super::place::{Elements, Place};
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir;

impl Lowerer<'_> {
    /// Lowers `place = value`. A value that depends on the variables being written is saved first.
    pub(super) fn assign(&mut self, place: &Place, value: Value, ty: hir::TypeId) -> Lowered<()> {
        let value =
            if value.leaves() > 1 && self.overlaps(place, &value) { self.save(value, ty)? } else { value };
        self.write(place, value)
    }

    /// Returns whether writing one part of `place` could change a part of `value` that was not
    /// written yet.
    fn overlaps(&self, place: &Place, value: &Value) -> bool {
        let reads = value.read_vars();
        if reads.is_empty() {
            return false;
        }
        let written: Vec<ir::VarId> = match place {
            Place::Store(store) => self.vars_of(store),
            Place::Element(element) => {
                element.candidates.iter().flat_map(|store| self.vars_of(store)).collect()
            }
            Place::Slice { .. } | Place::IndexedSlice { .. } | Place::Discard => return false,
        };
        reads.iter().any(|var| written.contains(var))
    }

    /// Lowers the assignment of a value to a place.
    fn write(&mut self, place: &Place, value: Value) -> Lowered<()> {
        match place {
            Place::Store(store) => self.store(store, value),
            Place::Element(element) => self.write_element(element, value),
            Place::Slice { base, high, low } => {
                let (Value::Scalar(old), Value::Scalar(new)) = (self.read(base), value) else {
                    return Ok(());
                };
                self.write(base, Value::Scalar(with_slice(old, *high, *low, new)))
            }
            Place::IndexedSlice { base, low, .. } => {
                let (Value::Scalar(old), Value::Scalar(new)) = (self.read(base), value) else {
                    return Ok(());
                };
                self.write(base, Value::Scalar(with_indexed_slice(old, low, new)))
            }
            Place::Discard => Ok(()),
        }
    }

    /// Writes a value that does not depend on the variables being written, or that is a single
    /// scalar.
    pub(super) fn store(&mut self, store: &Store, value: Value) -> Lowered<()> {
        match (store, value) {
            (Store::Scalar(var), Value::Scalar(expr)) => {
                self.emit(StmtKind::Assign(ir::Place::Var(*var), expr));
                Ok(())
            }
            (Store::Header { id, members }, Value::Header { valid, members: values, from }) => {
                self.store_header(*id, members, valid, values, from)?;
                self.invalidate_siblings(*id);
                Ok(())
            }
            (Store::Union(members), Value::Union(values)) => {
                // At most one header is valid, so each can be copied separately.
                for (member, value) in members.iter().zip(values) {
                    if let (Store::Header { id, members }, Value::Header { valid, members: values, from }) =
                        (member, value)
                    {
                        self.store_header(*id, members, valid, values, from)?;
                    }
                }
                Ok(())
            }
            (Store::Group(members), Value::Group(values))
            | (Store::Array(members), Value::Array { elements: values, .. }) => {
                members.iter().zip(values).try_for_each(|(member, value)| self.store(member, value))
            }
            (Store::Stack { id, next, elements }, Value::Array { elements: values, next: counter }) => {
                for (element, value) in elements.iter().zip(values) {
                    self.store(element, value)?;
                }
                self.set_next_index(*id, *next, counter.unwrap_or_else(|| fold::u32_const(0)));
                Ok(())
            }
            // The types match, so the remaining values have no run-time representation.
            _ => Ok(()),
        }
    }

    fn store_header(
        &mut self,
        id: ir::HeaderId,
        members: &[Store],
        valid: Expr,
        values: Vec<Value>,
        from: Option<HeaderRef>,
    ) -> Lowered<()> {
        let to = HeaderRef::Header(id);
        if let Some(from) = from {
            if from != to {
                self.emit(StmtKind::Copy { to, from });
            }
            return Ok(());
        }
        match fold::as_bool(&valid) {
            Some(true) => self.emit(StmtKind::SetValid(to)),
            Some(false) => self.emit(StmtKind::SetInvalid(to)),
            None => {
                let set = |this: &mut Self, kind| {
                    this.collect(|this| {
                        this.emit(kind);
                        Ok(())
                    })
                };
                let ((), then) = set(self, StmtKind::SetValid(to.clone()))?;
                let ((), otherwise) = set(self, StmtKind::SetInvalid(to))?;
                self.emit(StmtKind::If { condition: valid, then: Block(then), otherwise: Block(otherwise) });
            }
        }
        members.iter().zip(values).try_for_each(|(member, value)| self.store(member, value))
    }

    /// Invalidates the other headers of the union that contains the header.
    pub(super) fn invalidate_siblings(&mut self, id: ir::HeaderId) {
        if self.out.siblings(id).next().is_some() {
            self.emit(StmtKind::InvalidateOthers(id));
        }
    }

    fn write_element(&mut self, element: &Elements, value: Value) -> Lowered<()> {
        match (element.candidates.first(), value) {
            (Some(Store::Scalar(_)), Value::Scalar(expr)) => {
                let place = ir::Place::Indexed(element.scalars(), element.index.clone());
                self.emit(StmtKind::Assign(place, expr));
                Ok(())
            }
            (Some(Store::Header { .. }), Value::Header { from: Some(from), .. })
                if element.stack.is_some() =>
            {
                if let Some(stack) = element.stack {
                    let to = HeaderRef::Element(stack, Box::new(element.index.clone()));
                    self.emit(StmtKind::Copy { to, from });
                }
                Ok(())
            }
            (Some(Store::Group(_)), Value::Group(values)) => values
                .into_iter()
                .enumerate()
                .try_for_each(|(index, value)| self.write_element(&element.select_member(index), value)),
            (Some(Store::Nothing) | None, _) => Ok(()),
            (Some(_), value) => {
                self.with_selected_store(element, |this, store| this.store(store, value.clone()))
            }
        }
    }

    /// Runs `action` on the store that `element` selects at run time, or nothing if the index is
    /// out of range.
    pub(super) fn with_selected_store(
        &mut self,
        element: &Elements,
        mut action: impl FnMut(&mut Self, &Store) -> Lowered<()>,
    ) -> Lowered<()> {
        let mut cases = Vec::new();
        for (index, store) in element.candidates.iter().enumerate() {
            let ((), body) = self.collect(|this| action(this, store))?;
            cases.push((vec![Bits::new(32, index as u128)], Block(body)));
        }
        self.emit(StmtKind::Switch { scrutinee: element.index.clone(), cases, default: Block::default() });
        Ok(())
    }
}

/// Returns `old` with bits `high` down to `low` replaced.
fn with_slice(old: Expr, high: u32, low: u32, new: Expr) -> Expr {
    let ty = old.ty;
    let width = ty.width();
    let old = fold::cast(old, Type::bit(width));
    let mut result = new;
    if high + 1 < width {
        let upper = fold::slice(old.clone(), width - 1, high + 1);
        result = fold::binary(BinaryOp::Concat, upper, result, Type::bit(width - low));
    }
    if low > 0 {
        let lower = fold::slice(old, low - 1, 0);
        result = fold::binary(BinaryOp::Concat, result, lower, Type::bit(width));
    }
    fold::cast(result, ty)
}

/// Returns `old` with the bits from `low` upwards replaced. Bits beyond the width are dropped.
fn with_indexed_slice(old: Expr, low: &Expr, new: Expr) -> Expr {
    let ty = old.ty;
    let bits = Type::bit(ty.width());
    let ones = fold::constant(new.ty, Bits::ones(new.ty.width()));
    let shifted = |value: Expr| fold::binary(BinaryOp::Shl, fold::cast(value, bits), low.clone(), bits);
    let mask = fold::unary(ir::UnaryOp::BitNot, shifted(ones));
    let other_bits = fold::binary(BinaryOp::BitAnd, fold::cast(old, bits), mask, bits);
    fold::cast(fold::binary(BinaryOp::BitOr, other_bits, shifted(new), bits), ty)
}
