//! Lowers expressions. Parts with side effects become preceding statements, so the remaining
//! expression is pure.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use weir_ir as ir;
use weir_ir::{BinaryOp, StmtKind};

use super::context::Binding;
use super::fold;
use super::object::Object;
use super::place::Place;
use super::types::Shape;
use super::value::{self, Value};
use super::{Lowered, Lowerer};
use crate::hir::{self, ApplyResult, Expr, ExprKind, Types};

impl Lowerer<'_> {
    /// Evaluates an expression; its side effects are emitted as statements.
    pub(super) fn value(&mut self, expr: &Expr) -> Lowered<Value> {
        self.count_code(1, expr.span)?;
        if self.ty(expr.ty) == Types::INT {
            return self.int(expr).map(Value::Int);
        }
        if self.names_storage(expr) {
            let place = self.rvalue_place(expr)?;
            return Ok(self.read(&place));
        }
        match &expr.kind {
            ExprKind::Poison => self.unsupported(expr.span, "an expression with an error"),
            ExprKind::Bool(value) => Ok(Value::Scalar(fold::boolean(*value))),
            ExprKind::Int(value) => self.number(value, expr),
            ExprKind::String(text) => Ok(Value::Text(text.clone())),
            ExprKind::Error(id) => Ok(ordinal(ir::Type::Error, self.errors[id.index()])),
            ExprKind::MatchKind(id) => Ok(ordinal(ir::Type::Enum(self.match_kinds()), id.index())),
            ExprKind::EnumMember { decl, member } => match &self.hir.enums[*decl].members[*member].value {
                Some(value) => self.number(value, expr),
                None => Ok(ordinal(ir::Type::Enum(self.enums[decl]), *member)),
            },
            ExprKind::Const(id) => self.constant(*id),
            ExprKind::Var(var) => match self.binding(*var) {
                Some(Binding::Value(value)) => Ok(value.clone()),
                Some(Binding::Store(store)) => Ok(self.load(store)),
                None => self.unknown(expr.span, "a use of this name at this place"),
            },
            ExprKind::Instance(instance) => self.object(*instance, expr.span).map(Value::Object),
            ExprKind::This => match self.frames[self.cx.frame].this {
                Some(id) => Ok(Value::Object(Object::Extern(id))),
                None => self.unsupported(expr.span, "`this` outside of an abstract method's implementation"),
            },
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, expr)
            }
            ExprKind::Cast { operand, .. } => {
                let value = self.value(operand)?;
                self.cast(value, operand.ty, expr.ty, expr.span)
            }
            ExprKind::Slice { base, high, low } => {
                let base = self.scalar(base)?;
                Ok(Value::Scalar(fold::slice(base, *high, *low)))
            }
            ExprKind::IndexedSlice { base, low, width } => {
                let values = self.values(&[base, low])?;
                match values.as_slice() {
                    [Value::Scalar(base), Value::Scalar(low)] => {
                        Ok(Value::Scalar(value::indexed_slice(base.clone(), low.clone(), *width)))
                    }
                    _ => self.unsupported(expr.span, "a slice of a value that is not a number"),
                }
            }
            ExprKind::Field { base, field: member } | ExprKind::TupleElement { base, index: member } => {
                match self.value(base)?.member(*member) {
                    Some(member) => Ok(member.clone()),
                    None => self.unsupported(expr.span, "a member of an expression without members"),
                }
            }
            ExprKind::Index { base, index } => self.element_of_value(base, index, expr),
            ExprKind::StackNext(_) | ExprKind::StackLast(_) => {
                self.unsupported(expr.span, "`next` or `last` outside of a parser")
            }
            ExprKind::StackLastIndex(base) => {
                let (_, next, _) = self.stack_place(base)?;
                Ok(Value::Scalar(fold::binary(BinaryOp::Sub, next, fold::u32_const(1), fold::U32)))
            }
            ExprKind::IsValid(base) => {
                let value = self.value(base)?;
                match is_valid(&value) {
                    Some(valid) => Ok(Value::Scalar(valid)),
                    None => self.unsupported(expr.span, "the validity of an expression that is not a header"),
                }
            }
            ExprKind::Aggregate(members) => self.aggregate(members, expr),
            ExprKind::Invalid | ExprKind::Default => Ok(self.default_value(expr.ty)),
            ExprKind::Call(call) => self.call(call, Some(expr.ty)),
            ExprKind::Apply { table, result } => self.apply_result(*table, *result, expr),
            ExprKind::Construct(construct) => self.construct_unnamed(construct).map(Value::Object),
            ExprKind::SizeOf { measure, of } => self.size_of(*measure, *of, expr.span).map(Value::Int),
        }
    }

    /// Returns the value of a declared constant. The value is computed only once, since constants
    /// may refer to each other.
    pub(super) fn constant(&mut self, id: hir::ConstId) -> Lowered<Value> {
        let key = (self.cx.frame, id);
        if let Some(known) = self.consts.get(&key) {
            return Ok(known.clone());
        }
        let value = self.value(&self.hir.consts[id].init)?;
        if value.is_constant() {
            self.consts.insert(key, value.clone());
        }
        Ok(value)
    }

    /// Evaluates an expression whose value is a single scalar.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Lowered<ir::Expr> {
        match self.value(expr)? {
            Value::Scalar(value) => Ok(value),
            _ => {
                let ty = self.type_name(expr.ty);
                self.unsupported(expr.span, &format!("a value of type `{ty}` here"))
            }
        }
    }

    /// Lowers a number to a constant of the expression's type.
    fn number(&mut self, value: &BigInt, expr: &Expr) -> Lowered<Value> {
        let ty = self.scalar_type(expr.ty, expr.span)?;
        Ok(Value::Scalar(fold::number(ty, value)))
    }

    /// Returns whether an expression names storage, so that a member can be read without the rest
    /// of the value.
    fn names_storage(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Var(var) => matches!(self.binding(*var), Some(Binding::Store(_))),
            ExprKind::Field { base, .. }
            | ExprKind::TupleElement { base, .. }
            | ExprKind::Index { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base) => self.names_storage(base),
            _ => false,
        }
    }

    /// Returns the place that an expression reads. Its indices remain expressions.
    pub(super) fn rvalue_place(&mut self, expr: &Expr) -> Lowered<Place> {
        match &expr.kind {
            ExprKind::Field { base, field: member } | ExprKind::TupleElement { base, index: member } => {
                let base = self.rvalue_place(base)?;
                self.member_place(base, *member, expr)
            }
            ExprKind::Index { base, index } => {
                // Side effects of the index must not change the place that it indexes.
                let base = if super::scan::has_effects(index) {
                    self.place(base)?
                } else {
                    self.rvalue_place(base)?
                };
                let index = self.index(index)?;
                self.element_place(base, index, expr)
            }
            _ => self.place(expr),
        }
    }

    fn element_of_value(&mut self, base: &Expr, index: &Expr, expr: &Expr) -> Lowered<Value> {
        let base_value = self.value(base)?;
        let base_value =
            if super::scan::has_effects(index) { self.save(base_value, base.ty)? } else { base_value };
        let index = self.index(index)?;
        let constant = fold::as_const(&index).and_then(|bits| bits.to_u64()?.to_usize());
        if let Some(member) = constant.and_then(|index| base_value.member(index)) {
            return Ok(member.clone());
        }
        let store = self.temporary(base.ty)?;
        self.store(&store, base_value)?;
        let place = self.element_place(Place::Store(store), index, expr)?;
        Ok(self.read(&place))
    }

    /// Lowers a list of members to a value of the expression's type.
    fn aggregate(&mut self, members: &[Expr], expr: &Expr) -> Lowered<Value> {
        let members = self.values(&members.iter().collect::<Vec<_>>())?;
        Ok(match self.shape(expr.ty) {
            Shape::Header(_) => Value::Header { valid: fold::boolean(true), members, from: None },
            Shape::Array { element, .. } => {
                let next = self.is_header_like(element).then(|| fold::u32_const(0));
                Value::Array { elements: members, next }
            }
            _ => Value::Group(members),
        })
    }

    fn apply_result(&mut self, table: hir::TableId, result: ApplyResult, expr: &Expr) -> Lowered<Value> {
        let wanted = match result {
            ApplyResult::Nothing => None,
            ApplyResult::Hit | ApplyResult::Miss => Some(self.temporary_var(ir::Type::Bool)),
            ApplyResult::ActionRun => return self.unsupported(expr.span, "`action_run` outside of `switch`"),
        };
        self.apply_table(table, wanted, None, expr.span)?;
        Ok(match wanted.map(|hit| fold::var(hit, ir::Type::Bool)) {
            None => Value::Nothing,
            Some(hit) if result == ApplyResult::Hit => Value::Scalar(hit),
            Some(hit) => Value::Scalar(fold::not(hit)),
        })
    }

    /// Emits a check that ends parsing with `StackOutOfBounds` unless the condition holds.
    pub(super) fn stack_bounds(&mut self, condition: ir::Expr) {
        let position = self.out.errors.iter().position(|error| error == "StackOutOfBounds").unwrap_or(0);
        let error = fold::constant(ir::Type::Error, ir::Bits::new(32, position as u128));
        self.emit(StmtKind::Verify { condition, error });
    }
}

/// Returns the value of the enum member or error at a position.
fn ordinal(ty: ir::Type, index: usize) -> Value {
    Value::Scalar(fold::constant(ty, ir::Bits::new(32, index as u128)))
}

fn is_valid(value: &Value) -> Option<ir::Expr> {
    match value {
        Value::Header { valid, .. } => Some(valid.clone()),
        Value::Union(headers) => headers
            .iter()
            .try_fold(fold::boolean(false), |so_far, header| Some(fold::or(so_far, is_valid(header)?))),
        _ => None,
    }
}
