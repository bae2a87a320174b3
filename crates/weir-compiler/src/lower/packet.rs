//! The packet operations of core.p4: extract, lookahead, advance, length, emit and verify.

use weir_ir as ir;
use weir_ir::{Expr, HeaderRef, StmtKind, Type};
use weir_syntax::{Diagnostic, Span};

use super::fold;
use super::place::{Elements, Place};
use super::store::Store;
use super::types::Shape;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, ArgValue, ExprKind, Signature, TypeId};

impl Lowerer<'_> {
    /// Lowers `verify(condition, error)`.
    pub(super) fn verify(&mut self, call: &hir::Call) -> Lowered<Value> {
        let exprs = argument_exprs(call);
        let [condition, error] = exprs.as_slice() else {
            return self
                .unsupported(call.span, "`verify` with other arguments than a condition and an error");
        };
        let values = self.values(&[condition, error])?;
        if let [Value::Scalar(condition), Value::Scalar(error)] = values.as_slice() {
            self.emit(StmtKind::Verify { condition: condition.clone(), error: error.clone() });
        }
        Ok(Value::Nothing)
    }

    /// Lowers a call of a method of `packet_in`.
    pub(super) fn call_packet_in(&mut self, signature: &Signature, call: &hir::Call) -> Lowered<Value> {
        match signature.name.text.as_str() {
            "extract" => self.extract(call).map(|()| Value::Nothing),
            "lookahead" => {
                let ty = call.type_args.first().copied();
                match ty {
                    Some(ty) => self.lookahead(ty, call.span),
                    None => self.unsupported(call.span, "`lookahead` without a type argument"),
                }
            }
            "advance" => match argument_exprs(call).as_slice() {
                [bits] => {
                    let bits = self.scalar(bits)?;
                    self.emit(StmtKind::Advance(bits));
                    Ok(Value::Nothing)
                }
                _ => self.unsupported(call.span, "`advance` with other arguments than a number of bits"),
            },
            "length" => Ok(Value::Scalar(Expr { kind: ir::ExprKind::PacketLength, ty: fold::U32 })),
            other => self.unsupported(call.span, &format!("the packet method `{other}`")),
        }
    }

    /// Lowers a call of `packet_in.extract`.
    fn extract(&mut self, call: &hir::Call) -> Lowered<()> {
        let Some(target) = call.args.first() else {
            return self.unsupported(call.span, "`extract` without a header");
        };
        let ty = match (&target.value, call.type_args.first()) {
            (ArgValue::Expr(expr), _) => expr.ty,
            (_, Some(&ty)) => ty,
            _ => return self.unsupported(target.span, "`extract` without a header"),
        };
        // `Extract` takes the position of `next` from the stack's counter, checks it and increments
        // it.
        if let ArgValue::Expr(hir::Expr { kind: ExprKind::StackNext(stack), .. }) = &target.value {
            let (place, ..) = self.stack_place(stack)?;
            let varbit_bits = self.varbit_bits(call, ty, target.span)?;
            return match place {
                Place::Store(Store::Stack { id: Some(id), .. }) => {
                    self.emit(StmtKind::Extract { to: HeaderRef::Next(id), varbit_bits });
                    Ok(())
                }
                Place::Element(stacks) => {
                    self.within_bounds(&stacks);
                    self.with_selected_store(&stacks, |this, store| {
                        if let Store::Stack { id: Some(id), .. } = store {
                            let varbit_bits = varbit_bits.clone();
                            this.emit(StmtKind::Extract { to: HeaderRef::Next(*id), varbit_bits });
                        }
                        Ok(())
                    })
                }
                _ => self.unsupported(target.span, "`extract` into this element of a stack"),
            };
        }
        // `stack.next.member` is a member of an element of a header union stack. Its extraction
        // also increments the stack's counter.
        let moves = match &target.value {
            ArgValue::Expr(expr) => union_stack(expr),
            _ => None,
        };
        let place = match &target.value {
            ArgValue::Expr(expr) => self.place(expr)?,
            _ => Place::Store(self.temporary(ty)?),
        };
        let varbit_bits = self.varbit_bits(call, ty, target.span)?;
        match &place {
            Place::Store(Store::Header { id, .. }) => {
                self.emit(StmtKind::Extract { to: HeaderRef::Header(*id), varbit_bits });
                self.invalidate_siblings(*id);
            }
            Place::Element(element) if element.stack.is_some() => {
                if let Some(stack) = element.stack {
                    let to = HeaderRef::Element(stack, Box::new(element.index.clone()));
                    self.emit(StmtKind::Extract { to, varbit_bits });
                }
            }
            Place::Element(element) => {
                self.within_bounds(element);
                let store = self.temporary(ty)?;
                if let Store::Header { id, .. } = &store {
                    self.emit(StmtKind::Extract { to: HeaderRef::Header(*id), varbit_bits });
                }
                let value = self.load(&store);
                self.assign(&place, value, ty)?;
            }
            _ => return self.unsupported(target.span, "`extract` into an expression that is not a header"),
        }
        let count = |this: &mut Self, store: &Store| {
            if let Store::Stack { id, next, .. } = store {
                let counter = fold::var(*next, fold::U32);
                let moved = fold::binary(ir::BinaryOp::Add, counter, fold::u32_const(1), fold::U32);
                this.set_next_index(*id, *next, moved);
            }
            Ok(())
        };
        match moves.map(|stack| self.place(stack)).transpose()? {
            Some(Place::Store(store)) => count(self, &store),
            Some(Place::Element(stacks)) => self.with_selected_store(&stacks, count),
            _ => Ok(()),
        }
    }

    /// Emits a check that ends parsing with `StackOutOfBounds` if the index is out of range.
    fn within_bounds(&mut self, elements: &Elements) {
        let count = fold::u32_const(elements.candidates.len() as u32);
        let inside = fold::binary(ir::BinaryOp::Lt, elements.index.clone(), count, Type::Bool);
        if fold::as_bool(&inside) != Some(true) {
            self.stack_bounds(inside);
        }
    }

    /// Evaluates the second argument of `extract`, which is required for headers with a varbit
    /// field.
    fn varbit_bits(&mut self, call: &hir::Call, ty: TypeId, span: Span) -> Lowered<Option<Expr>> {
        let mut scalars = Vec::new();
        self.flatten_type(ty, &mut scalars);
        let varbits = scalars.iter().filter(|ty| matches!(ty, Type::Varbit { .. })).count();
        if varbits > 1 {
            let name = self.type_name(ty);
            return self.refuse(
                Diagnostic::error("bad-packet-type", format!("`extract` cannot read a `{name}`"))
                    .primary(call.span, "more than one `varbit` field"),
            );
        }
        let has_varbit = varbits == 1;
        match call.args.get(1).map(|arg| &arg.value) {
            Some(ArgValue::Expr(bits)) if has_varbit => Ok(Some(self.scalar(bits)?)),
            None if !has_varbit => Ok(None),
            Some(_) => self.refuse(
                Diagnostic::error(
                    "extract-size",
                    "`extract` takes no size here: the header has no varbit field",
                )
                .primary(call.span, ""),
            ),
            None => self.refuse(
                Diagnostic::error("extract-size", "`extract` needs the size of this header's varbit field")
                    .primary(span, "this header has a varbit field")
                    .note("write `extract(header, bits)`"),
            ),
        }
    }

    /// Reads the next bits of the packet, without consuming them, as a value of any fixed-width
    /// type.
    fn lookahead(&mut self, ty: TypeId, span: Span) -> Lowered<Value> {
        let mut scalars = Vec::new();
        self.flatten_type(ty, &mut scalars);
        let fixed = scalars.iter().all(|ty| matches!(ty, Type::Bits { .. } | Type::Bool));
        let width: u32 = scalars.iter().map(|ty| ty.width()).fold(0, u32::saturating_add);
        let name = self.type_name(ty);
        if !fixed || self.holds_union(ty) || matches!(self.shape(ty), Shape::CompileTime) {
            // The checker reports this, except for types that are type parameters of the block.
            return self.refuse(
                Diagnostic::error("bad-packet-type", format!("`lookahead` cannot read a `{name}`"))
                    .primary(span, "expected a fixed-width type"),
            );
        }
        if width > ir::MAX_WIDTH {
            return self.unsupported(span, &format!("a `lookahead` of `{name}`, which has {width} bits"));
        }
        let bits = self.temporary_var(Type::bit(width));
        self.emit(StmtKind::Lookahead(ir::Place::Var(bits)));
        let mut next = width;
        self.value_of_bits(ty, &fold::var(bits, Type::bit(width)), &mut next, span)
    }

    /// Returns whether a type is or contains a header union, which has no fixed width (P4_16
    /// section 7.2.4).
    fn holds_union(&mut self, ty: TypeId) -> bool {
        match self.shape(ty) {
            Shape::Union(_) => true,
            Shape::Group(members) => members.iter().any(|member| self.holds_union(member.ty)),
            Shape::Array { element, .. } => self.holds_union(element),
            _ => false,
        }
    }

    /// Builds a value from the bits of `all` below bit `next`, most significant first.
    fn value_of_bits(&mut self, ty: TypeId, all: &Expr, next: &mut u32, span: Span) -> Lowered<Value> {
        Ok(match self.shape(ty) {
            Shape::Scalar(scalar) => {
                let width = scalar.width();
                if width == 0 {
                    return Ok(Value::Scalar(fold::zero(scalar)));
                }
                let high = *next - 1;
                *next -= width;
                Value::Scalar(fold::cast(fold::slice(all.clone(), high, *next), scalar))
            }
            Shape::Group(members) => Value::Group(
                members
                    .iter()
                    .map(|member| self.value_of_bits(member.ty, all, next, span))
                    .collect::<Lowered<_>>()?,
            ),
            Shape::Header(members) => Value::Header {
                valid: fold::boolean(true),
                members: members
                    .iter()
                    .map(|member| self.value_of_bits(member.ty, all, next, span))
                    .collect::<Lowered<_>>()?,
                from: None,
            },
            Shape::Array { element, size } => Value::Array {
                elements: (0..size)
                    .map(|_| self.value_of_bits(element, all, next, span))
                    .collect::<Lowered<_>>()?,
                next: self.is_header_like(element).then(|| fold::u32_const(0)),
            },
            Shape::Union(_) | Shape::CompileTime => {
                let name = self.type_name(ty);
                return self.unsupported(span, &format!("a `lookahead` of `{name}`"));
            }
        })
    }

    /// Lowers a call of a method of `packet_out`.
    pub(super) fn call_packet_out(&mut self, signature: &Signature, call: &hir::Call) -> Lowered<Value> {
        match (signature.name.text.as_str(), argument_exprs(call).as_slice()) {
            ("emit", [expr]) => {
                let value = self.value(expr)?;
                self.emit_value(&value, expr.ty, expr.span)?;
                Ok(Value::Nothing)
            }
            (other, _) => self.unsupported(call.span, &format!("the packet method `{other}`")),
        }
    }

    /// Emits all headers of a value in order.
    fn emit_value(&mut self, value: &Value, ty: TypeId, span: Span) -> Lowered<()> {
        match value {
            Value::Header { from: Some(from), .. } => {
                self.emit(StmtKind::Emit(from.clone()));
                Ok(())
            }
            Value::Header { from: None, .. } => {
                if let Some(id) = self.stored_header(value, ty)? {
                    self.emit(StmtKind::Emit(HeaderRef::Header(id)));
                }
                Ok(())
            }
            Value::Group(members) | Value::Union(members) | Value::Array { elements: members, .. } => {
                let types = self.member_types(ty, members.len());
                members.iter().zip(types).try_for_each(|(member, ty)| self.emit_value(member, ty, span))
            }
            _ => {
                let name = self.type_name(ty);
                self.unsupported(span, &format!("emitting a `{name}`, which is not a header"))
            }
        }
    }
}

/// Returns the expressions among the arguments of a call, in parameter order.
fn argument_exprs(call: &hir::Call) -> Vec<&hir::Expr> {
    call.args
        .iter()
        .filter_map(|arg| match &arg.value {
            ArgValue::Expr(expr) => Some(expr),
            _ => None,
        })
        .collect()
}

/// Returns the stack in an expression of the form `stack.next.member`.
fn union_stack(expr: &hir::Expr) -> Option<&hir::Expr> {
    match &expr.kind {
        ExprKind::Field { base, .. } => match &base.kind {
            ExprKind::StackNext(stack) => Some(stack),
            _ => None,
        },
        _ => None,
    }
}
