//! Reading variables and places into values, and saving values in temporaries.

use weir_ir as ir;
use weir_ir::{Expr, HeaderRef, Type};

use super::fold;
use super::place::{Elements, Place};
use super::store::Store;
use super::types::Shape;
use super::value::{Value, indexed_access, indexed_slice};
use super::{Lowered, Lowerer};
use crate::hir;

impl Lowerer<'_> {
    /// Returns the value that is stored in `store`.
    pub(super) fn load(&self, store: &Store) -> Value {
        let load_all = |members: &[Store]| members.iter().map(|member| self.load(member)).collect();
        match store {
            Store::Scalar(var) => Value::Scalar(fold::var(*var, self.var_type(*var))),
            Store::Group(members) => Value::Group(load_all(members)),
            Store::Header { id, members } => Value::Header {
                valid: fold::var(self.out.headers[*id].valid, Type::Bool),
                members: load_all(members),
                from: Some(HeaderRef::Header(*id)),
            },
            Store::Union(members) => Value::Union(load_all(members)),
            Store::Stack { next, elements, .. } => {
                Value::Array { elements: load_all(elements), next: Some(fold::var(*next, fold::U32)) }
            }
            Store::Array(elements) => Value::Array { elements: load_all(elements), next: None },
            Store::Nothing => Value::Nothing,
        }
    }

    /// Returns the value of a place.
    pub(super) fn read(&self, place: &Place) -> Value {
        match place {
            Place::Store(store) => self.load(store),
            Place::Element(element) => self.read_element(element),
            Place::Slice { base, high, low } => match self.read(base) {
                Value::Scalar(base) => Value::Scalar(fold::slice(base, *high, *low)),
                other => other,
            },
            Place::IndexedSlice { base, low, width } => match self.read(base) {
                Value::Scalar(base) => Value::Scalar(indexed_slice(base, low.clone(), *width)),
                other => other,
            },
            Place::Discard => Value::Nothing,
        }
    }

    fn read_element(&self, element: &Elements) -> Value {
        let Some(first) = element.candidates.first() else {
            return Value::Nothing;
        };
        let member = |index: usize| self.read_element(&element.select_member(index));
        let members = |count: usize| (0..count).map(member).collect::<Vec<_>>();
        match first {
            Store::Scalar(var) => {
                let vars = element.scalars();
                Value::Scalar(indexed_access(vars, element.index.clone(), self.var_type(*var)))
            }
            Store::Group(inner) => Value::Group(members(inner.len())),
            Store::Header { members: inner, .. } => {
                let valid: Vec<ir::VarId> =
                    element.headers().iter().map(|&id| self.out.headers[id].valid).collect();
                Value::Header {
                    valid: indexed_access(valid, element.index.clone(), Type::Bool),
                    members: members(inner.len()),
                    from: element
                        .stack
                        .map(|stack| HeaderRef::Element(stack, Box::new(element.index.clone()))),
                }
            }
            Store::Union(inner) => Value::Union(members(inner.len())),
            Store::Array(inner) => Value::Array { elements: members(inner.len()), next: None },
            Store::Stack { elements: inner, .. } => Value::Array {
                elements: members(inner.len()),
                next: Some(indexed_access(element.counters(), element.index.clone(), fold::U32)),
            },
            Store::Nothing => Value::Nothing,
        }
    }

    /// Returns the default value of a type (P4_16 section 8.27).
    pub(super) fn default_value(&mut self, ty: hir::TypeId) -> Value {
        match self.shape(ty) {
            Shape::Scalar(ty) => Value::Scalar(fold::zero(ty)),
            Shape::Group(members) => {
                Value::Group(members.iter().map(|member| self.default_value(member.ty)).collect())
            }
            Shape::Header(members) => Value::Header {
                valid: fold::boolean(false),
                members: members.iter().map(|member| self.default_value(member.ty)).collect(),
                from: None,
            },
            Shape::Union(members) => {
                Value::Union(members.iter().map(|member| self.default_value(member.ty)).collect())
            }
            Shape::Array { element, size } => {
                let next = self.is_header_like(element).then(|| fold::u32_const(0));
                Value::Array { elements: (0..size).map(|_| self.default_value(element)).collect(), next }
            }
            Shape::CompileTime => Value::Nothing,
        }
    }

    /// Copies a value into temporaries, unless it is constant, so that later writes do not change
    /// it.
    pub(super) fn save(&mut self, value: Value, ty: hir::TypeId) -> Lowered<Value> {
        if value.is_constant() {
            return Ok(value);
        }
        let store = self.temporary(ty)?;
        if store == Store::Nothing {
            return self.save_members(value);
        }
        self.store(&store, value)?;
        Ok(self.load(&store))
    }

    /// Saves the members of a list one by one, since the type of a list has no storage.
    fn save_members(&mut self, value: Value) -> Lowered<Value> {
        Ok(match value {
            Value::Group(members) => Value::Group(
                members.into_iter().map(|member| self.save_members(member)).collect::<Lowered<_>>()?,
            ),
            Value::Scalar(expr) => Value::Scalar(self.save_scalar(expr)),
            other => other,
        })
    }

    /// Saves a scalar in a temporary unless it is a variable or constant, so that it can be used
    /// several times at no extra cost.
    pub(super) fn save_compound(&mut self, expr: Expr) -> Expr {
        if matches!(expr.kind, ir::ExprKind::Var(_)) { expr } else { self.save_scalar(expr) }
    }

    /// Copies a scalar into a temporary, unless it is constant.
    pub(super) fn save_scalar(&mut self, expr: Expr) -> Expr {
        if fold::as_const(&expr).is_some() {
            return expr;
        }
        let ty = expr.ty;
        let var = self.temporary_var(ty);
        self.emit(ir::StmtKind::Assign(ir::Place::Var(var), expr));
        fold::var(var, ty)
    }
}
