//! Places: targets of assignments whose indices have been evaluated.

use weir_ir as ir;
use weir_ir::{BinaryOp, Expr, Type};

use super::context::Binding;
use super::fold;
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, ExprKind};

/// A place that can be assigned to.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A place that is known at compile time.
    Store(Store),
    /// One of several stores, selected at run time.
    Element(Elements),
    /// A range of bits of a scalar.
    Slice { base: Box<Place>, high: u32, low: u32 },
    /// `width` bits of a scalar, starting at a bit that is computed at run time.
    IndexedSlice { base: Box<Place>, low: Expr, width: u32 },
    /// `_`: writes are discarded.
    Discard,
}

/// The store at `index` among several stores of one type. `index` is a `bit<32>` that later writes
/// do not change.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    pub candidates: Vec<Store>,
    pub index: Expr,
    /// The stack that has the candidates as its elements.
    pub stack: Option<ir::StackId>,
}

impl Elements {
    /// Selects the same member of each candidate.
    pub(super) fn select_member(&self, member: usize) -> Elements {
        Elements {
            candidates: self
                .candidates
                .iter()
                .filter_map(|store| store.members().get(member).cloned())
                .collect(),
            index: self.index.clone(),
            stack: None,
        }
    }

    /// Returns the variables of the candidates that are scalars.
    pub(super) fn scalars(&self) -> Vec<ir::VarId> {
        self.candidates
            .iter()
            .filter_map(|store| match store {
                Store::Scalar(var) => Some(*var),
                _ => None,
            })
            .collect()
    }

    /// Returns the headers among the candidates.
    pub(super) fn headers(&self) -> Vec<ir::HeaderId> {
        self.candidates
            .iter()
            .filter_map(|store| match store {
                Store::Header { id, .. } => Some(*id),
                _ => None,
            })
            .collect()
    }

    /// Returns the counters of the candidates that are stacks.
    pub(super) fn counters(&self) -> Vec<ir::VarId> {
        self.candidates
            .iter()
            .filter_map(|store| match store {
                Store::Stack { next, .. } => Some(*next),
                _ => None,
            })
            .collect()
    }
}

impl Lowerer<'_> {
    /// Evaluates a place. Its indices are saved, so that later writes do not change them.
    pub(super) fn place(&mut self, expr: &hir::Expr) -> Lowered<Place> {
        match &expr.kind {
            ExprKind::Var(var) => match self.binding(*var) {
                Some(Binding::Store(store)) => Ok(Place::Store(store.clone())),
                _ => self.unknown(expr.span, "an assignment to this name at this place"),
            },
            ExprKind::Field { base, field: member } | ExprKind::TupleElement { base, index: member } => {
                let base = self.place(base)?;
                self.member_place(base, *member, expr)
            }
            ExprKind::Index { base, index } => {
                let base = self.place(base)?;
                let index = self.index(index)?;
                let index = self.save_scalar(index);
                self.element_place(base, index, expr)
            }
            ExprKind::StackNext(base) => {
                let (base, next, size) = self.stack_place(base)?;
                self.stack_bounds(fold::binary(
                    BinaryOp::Lt,
                    next.clone(),
                    fold::u32_const(size),
                    Type::Bool,
                ));
                let index = self.save_scalar(next);
                self.element_place(base, index, expr)
            }
            ExprKind::StackLast(base) => {
                let (base, next, size) = self.stack_place(base)?;
                let index = fold::binary(BinaryOp::Sub, next, fold::u32_const(1), fold::U32);
                self.stack_bounds(fold::binary(
                    BinaryOp::Lt,
                    index.clone(),
                    fold::u32_const(size),
                    Type::Bool,
                ));
                let index = self.save_scalar(index);
                self.element_place(base, index, expr)
            }
            ExprKind::Slice { base, high, low } => {
                let base = self.place(base)?;
                Ok(Place::Slice { base: Box::new(base), high: *high, low: *low })
            }
            ExprKind::IndexedSlice { base, low, width } => {
                let base = self.place(base)?;
                let low = self.scalar(low)?;
                let low = self.save_scalar(low);
                Ok(Place::IndexedSlice { base: Box::new(base), low, width: *width })
            }
            _ => self.unsupported(expr.span, "an assignment to this expression"),
        }
    }

    /// Returns a member of a place.
    pub(super) fn member_place(&mut self, base: Place, member: usize, expr: &hir::Expr) -> Lowered<Place> {
        match base {
            Place::Store(store) => match store.members().get(member) {
                Some(store) => Ok(Place::Store(store.clone())),
                None => self.unsupported(expr.span, "a member of an expression without members"),
            },
            Place::Element(element) => Ok(Place::Element(element.select_member(member))),
            _ => self.unsupported(expr.span, "a member of an expression without members"),
        }
    }

    /// Returns the element at `index` of a stack or array.
    pub(super) fn element_place(&mut self, base: Place, index: Expr, expr: &hir::Expr) -> Lowered<Place> {
        let constant =
            fold::as_const(&index).map(|bits| bits.to_u64().and_then(|index| usize::try_from(index).ok()));
        match base {
            Place::Store(store) => {
                if let Some(known) = constant
                    && let Some(element) = known.and_then(|known| store.members().get(known))
                {
                    return Ok(Place::Store(element.clone()));
                }
                let stack = match &store {
                    Store::Stack { id, .. } => *id,
                    _ => None,
                };
                Ok(Place::Element(Elements { candidates: store.members().to_vec(), index, stack }))
            }
            Place::Element(mut outer) => {
                // Both indices are used several times.
                outer.index = self.save_compound(outer.index);
                let index = self.save_compound(index);
                Ok(Place::Element(nested_element(&outer, index)))
            }
            _ => self.unsupported(expr.span, "an element of an expression that is not a stack"),
        }
    }

    /// Evaluates an index as `bit<32>`. Values that do not fit become the maximum, which is always
    /// out of range.
    pub(super) fn index(&mut self, index: &hir::Expr) -> Lowered<Expr> {
        let index = match self.value(index)? {
            Value::Int(value) => return Ok(fold::number(fold::U32, &value)),
            Value::Scalar(index) => index,
            _ => return self.unsupported(index.span, "an index of this type"),
        };
        let width = index.ty.width();
        let index = if width > 32 { self.save_compound(index) } else { index };
        if width <= 32 {
            return Ok(fold::cast(fold::cast(index, Type::bit(width)), fold::U32));
        }
        let limit = fold::constant(index.ty, ir::Bits::new(width, u128::from(u32::MAX)));
        let fits = fold::binary(BinaryOp::Lt, index.clone(), limit, Type::Bool);
        Ok(fold::conditional_expr(fits, fold::cast(index, fold::U32), fold::u32_const(u32::MAX)))
    }
}

/// Returns element `inner` of the array that `outer` selects, as a single selection among the
/// elements of all arrays.
fn nested_element(outer: &Elements, inner: Expr) -> Elements {
    let inner_size = outer.candidates.first().map_or(0, |store| store.members().len()) as u32;
    let outer_size = outer.candidates.len() as u32;
    let candidates: Vec<Store> = outer.candidates.iter().flat_map(|store| store.members().to_vec()).collect();
    let below = |index: &Expr, size: u32| {
        fold::binary(BinaryOp::Lt, index.clone(), fold::u32_const(size), Type::Bool)
    };
    let inside = fold::and(below(&outer.index, outer_size), below(&inner, inner_size));
    let row = fold::binary(BinaryOp::Mul, outer.index.clone(), fold::u32_const(inner_size), fold::U32);
    let position = fold::binary(BinaryOp::Add, row, inner, fold::U32);
    Elements {
        candidates,
        index: fold::conditional_expr(inside, position, fold::u32_const(u32::MAX)),
        stack: None,
    }
}
