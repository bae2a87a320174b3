//! Conversions between types (P4_16 section 8.11).

use num_traits::Zero;
use weir_ir as ir;
use weir_syntax::Span;

use super::fold;
use super::types::{Member, Shape};
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{Type, TypeId, Types};

impl Lowerer<'_> {
    /// Converts `value` from type `from` to type `to`.
    pub(super) fn cast(&mut self, value: Value, from: TypeId, to: TypeId, span: Span) -> Lowered<Value> {
        let (from, to) = (self.ty(from), self.ty(to));
        if from == to {
            return Ok(value);
        }
        match (self.shape(to), value) {
            (Shape::Scalar(ir::Type::Bool), Value::Int(value)) => {
                Ok(Value::Scalar(fold::boolean(!value.is_zero())))
            }
            (Shape::Scalar(ty), Value::Int(value)) => Ok(Value::Scalar(fold::number(ty, &value))),
            (Shape::Scalar(ty), Value::Scalar(expr)) => Ok(Value::Scalar(fold::cast(expr, ty))),
            (Shape::Group(members), value) => {
                Ok(Value::Group(self.cast_members(&value, from, &members, span)?))
            }
            (Shape::Header(members), value) => {
                let valid = match &value {
                    Value::Header { valid, .. } => valid.clone(),
                    _ => fold::boolean(true),
                };
                let members = self.cast_members(&value, from, &members, span)?;
                Ok(Value::Header { valid, members, from: None })
            }
            (Shape::Array { element, .. }, Value::Group(items) | Value::Array { elements: items, .. }) => {
                let item_type = |index: usize, types: &Types| match &types[from] {
                    Type::Tuple(items) => items.get(index).copied().unwrap_or(element),
                    Type::List(item) | Type::Stack { element: item, .. } => *item,
                    _ => element,
                };
                let elements = items
                    .into_iter()
                    .enumerate()
                    .map(|(index, item)| {
                        let from = item_type(index, &self.types);
                        self.cast(item, from, element, span)
                    })
                    .collect::<Lowered<_>>()?;
                let next = self.is_header_like(element).then(|| fold::u32_const(0));
                Ok(Value::Array { elements, next })
            }
            (Shape::CompileTime, Value::Scalar(expr)) if to == Types::INT => match fold::as_const(&expr) {
                Some(bits) => Ok(Value::Int(bits.to_bigint(expr.ty))),
                None => self.unsupported(span, "a run-time value as an `int`"),
            },
            (Shape::CompileTime, Value::Group(items)) => self.cast_list(items, from, to, span),
            (_, value) => Ok(value),
        }
    }

    /// Returns the members of a value in the order of `members`. They are matched by name if both
    /// sides have names, and by position otherwise.
    fn cast_members(
        &mut self,
        value: &Value,
        from: TypeId,
        members: &[Member],
        span: Span,
    ) -> Lowered<Vec<Value>> {
        let anonymous = matches!(self.types[from], Type::AnonymousStruct(_));
        let source_members = match self.shape(from) {
            Shape::Group(source_members) | Shape::Header(source_members) => source_members,
            _ => Vec::new(),
        };
        let mut cast = Vec::with_capacity(members.len());
        for (position, member) in members.iter().enumerate() {
            let named = source_members.iter().position(|other| anonymous && other.name == member.name);
            let source = named.unwrap_or(position);
            let (Some(item), Some(source)) = (value.member(source).cloned(), source_members.get(source))
            else {
                return self.unsupported(span, "a cast between these types");
            };
            cast.push(self.cast(item, source.ty, member.ty, span)?);
        }
        Ok(cast)
    }

    fn cast_list(&mut self, items: Vec<Value>, from: TypeId, to: TypeId, span: Span) -> Lowered<Value> {
        let Type::List(element) = self.types[to] else {
            return self.unsupported(span, "a cast between these types");
        };
        let item_types = match self.types[from].clone() {
            Type::Tuple(types) => types,
            Type::List(item) => vec![item; items.len()],
            _ => vec![element; items.len()],
        };
        let items = items
            .into_iter()
            .zip(item_types)
            .map(|(item, from)| self.cast(item, from, element, span))
            .collect::<Lowered<_>>()?;
        Ok(Value::Group(items))
    }
}
