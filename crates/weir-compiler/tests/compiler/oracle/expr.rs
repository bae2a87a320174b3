//! Evaluates expressions.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use weir_compiler::hir::{ApplyResult, BinaryOp, Expr, ExprKind, Type, TypeId, UnaryOp};
use weir_ir::Bits;

use super::{Oracle, Run, Stop, Value, as_bool, bits, boolean};

impl Oracle<'_> {
    pub fn eval(&mut self, expr: &Expr) -> Run<Value> {
        Ok(match &expr.kind {
            ExprKind::Bool(value) => boolean(*value),
            ExprKind::Int(value) => self.number(value, expr.ty),
            ExprKind::String(text) => Value::Text(text.clone()),
            ExprKind::Error(id) => Value::Bits(Bits::new(32, id.index() as u128), false),
            ExprKind::MatchKind(id) => Value::Bits(Bits::new(32, id.index() as u128), false),
            ExprKind::EnumMember { decl, member } => match &self.hir.enums[*decl].members[*member].value {
                Some(value) => self.number(value, expr.ty),
                None => Value::Bits(Bits::new(32, *member as u128), false),
            },
            ExprKind::Const(id) => self.eval(&self.hir.consts[*id].init)?,
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Instance(instance) => Value::Object(self.object(*instance)),
            ExprKind::Unary(op, operand) => match (op, self.eval(operand)?) {
                (UnaryOp::Plus, value) => value,
                (UnaryOp::Negate, Value::Int(value)) => Value::Int(-value),
                (UnaryOp::Negate, Value::Bits(value, signed)) => Value::Bits(value.neg(), signed),
                (_, Value::Bits(value, signed)) => Value::Bits(value.not(), signed),
                (_, other) => panic!("an operator on {other:?}"),
            },
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprKind::Conditional { condition, then, otherwise } => {
                let chosen = if as_bool(&self.eval(condition)?) { then } else { otherwise };
                self.eval(chosen)?
            }
            ExprKind::Cast { operand, .. } => {
                let value = self.eval(operand)?;
                self.cast(value, operand.ty, expr.ty)
            }
            ExprKind::Slice { base, high, low } => {
                Value::Bits(bits(&self.eval(base)?).slice(*high, *low), false)
            }
            ExprKind::IndexedSlice { base, low, width } => {
                let base = self.eval(base)?;
                let low = bits(&self.eval(low)?).to_u64().unwrap_or(u64::MAX);
                Value::Bits(bits(&base).shr(low).resize(*width), false)
            }
            ExprKind::Field { base, field: index } | ExprKind::TupleElement { base, index } => {
                self.eval(base)?.members()[*index].clone()
            }
            ExprKind::Index { base, index } => {
                let base = self.eval(base)?;
                let index = self.index(index)?;
                match index.and_then(|index| base.members().get(index)) {
                    Some(element) => element.clone(),
                    None => self.default(expr.ty),
                }
            }
            ExprKind::StackNext(base) | ExprKind::StackLast(base) => {
                let (next, size) = self.counter(base)?;
                let last = matches!(expr.kind, ExprKind::StackLast(_));
                let index = if last { next.wrapping_sub(1) } else { next };
                if index >= size {
                    return Err(Stop::Reject("StackOutOfBounds".to_string()));
                }
                self.eval(base)?.members()[index as usize].clone()
            }
            ExprKind::StackLastIndex(base) => {
                let (next, _) = self.counter(base)?;
                Value::Bits(Bits::new(32, u128::from(next.wrapping_sub(1))), false)
            }
            ExprKind::IsValid(base) => boolean(self.eval(base)?.is_valid()),
            ExprKind::Aggregate(members) => {
                let values = members.iter().map(|member| self.eval(member)).collect::<Run<Vec<_>>>()?;
                match (self.ty(expr.ty), self.default(expr.ty)) {
                    (Type::List(_), _) => Value::Group(values),
                    (_, Value::Header(..)) => Value::Header(true, values),
                    (_, Value::Array(..)) => Value::Array(values, 0),
                    _ => Value::Group(values),
                }
            }
            ExprKind::Invalid | ExprKind::Default => self.default(expr.ty),
            ExprKind::Call(call) => self.call(call)?,
            ExprKind::Apply { table, result } => {
                let (hit, _) = self.apply_table(*table)?;
                boolean(if *result == ApplyResult::Miss { !hit } else { hit })
            }
            ExprKind::Construct(construct) => Value::Object(self.construct(construct)),
            other => panic!("not in the oracle: {other:?}"),
        })
    }

    fn number(&mut self, value: &BigInt, ty: TypeId) -> Value {
        match self.default(ty) {
            Value::Bits(zero, signed) => Value::Bits(Bits::wrap_signed(zero.width(), value), signed),
            _ => Value::Int(value.clone()),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Run<Value> {
        use weir_ir::BinaryOp as Ir;
        let left = self.eval(left)?;
        match op {
            BinaryOp::LogicalAnd if !as_bool(&left) => return Ok(left),
            BinaryOp::LogicalOr if as_bool(&left) => return Ok(left),
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => return self.eval(right),
            _ => {}
        }
        let right = self.eval(right)?;
        match op {
            BinaryOp::Eq => return Ok(boolean(left.equals(&right))),
            BinaryOp::Ne => return Ok(boolean(!left.equals(&right))),
            _ => {}
        }
        if let (Value::Int(a), Value::Int(b)) = (&left, &right) {
            return Ok(integers(op, a, b));
        }
        let Value::Bits(a, signed) = &left else { panic!("an operator on {left:?}") };
        let op = match op {
            BinaryOp::Add => Ir::Add,
            BinaryOp::Sub => Ir::Sub,
            BinaryOp::Mul => Ir::Mul,
            BinaryOp::Div => Ir::Div,
            BinaryOp::Mod => Ir::Mod,
            BinaryOp::SatAdd => Ir::SatAdd,
            BinaryOp::SatSub => Ir::SatSub,
            BinaryOp::And => Ir::BitAnd,
            BinaryOp::Or => Ir::BitOr,
            BinaryOp::Xor => Ir::BitXor,
            BinaryOp::Lt => Ir::Lt,
            BinaryOp::Le => Ir::Le,
            BinaryOp::Gt => Ir::Gt,
            BinaryOp::Ge => Ir::Ge,
            BinaryOp::Concat => Ir::Concat,
            BinaryOp::Shl => Ir::Shl,
            BinaryOp::Shr => Ir::Shr,
            other => panic!("not in the oracle: {other:?}"),
        };
        let b = match &right {
            Value::Int(amount) => Bits::new(64, u128::from(amount.to_u64().unwrap_or(u64::MAX))),
            other => bits(other).clone(),
        };
        let value = op.apply(a, &b, *signed);
        let compares = matches!(op, Ir::Lt | Ir::Le | Ir::Gt | Ir::Ge);
        Ok(Value::Bits(value, *signed && !compares))
    }

    pub fn cast(&mut self, value: Value, from: TypeId, to: TypeId) -> Value {
        match (self.default(to), value) {
            (Value::Bits(zero, signed), Value::Int(value)) => {
                Value::Bits(Bits::wrap_signed(zero.width(), &value), signed)
            }
            (Value::Bits(zero, signed), Value::Bits(value, was_signed)) => {
                let width = zero.width();
                let value = if was_signed { value.resize_signed(width) } else { value.resize(width) };
                Value::Bits(value, signed)
            }
            (Value::Nothing, Value::Bits(value, signed)) => {
                let ty = weir_ir::Type::Bits { width: value.width(), signed };
                Value::Int(value.to_bigint(ty))
            }
            (Value::Group(_), value) => Value::Group(self.cast_members(value, from, to)),
            (Value::Header(..), Value::Header(valid, members)) => {
                Value::Header(valid, self.cast_members(Value::Group(members), from, to))
            }
            (Value::Header(..), value) => Value::Header(true, self.cast_members(value, from, to)),
            (Value::Array(..), Value::Group(items)) => {
                let (Type::Stack { element, .. }, from) = (self.ty(to), self.ty(from)) else {
                    panic!("an array of another type");
                };
                let items = items.into_iter().enumerate().map(|(index, item)| {
                    let from = match &from {
                        Type::Tuple(types) => types[index],
                        _ => element,
                    };
                    self.cast(item, from, element)
                });
                Value::Array(items.collect(), 0)
            }
            (_, value) => value,
        }
    }

    /// Matches members by name for anonymous structs, otherwise by position.
    fn cast_members(&mut self, value: Value, from: TypeId, to: TypeId) -> Vec<Value> {
        let (from, to) = (self.ty(from), self.ty(to));
        let names: Option<Vec<String>> = match &to {
            Type::Record { decl, .. } => {
                Some(self.hir.records[*decl].fields.iter().map(|field| field.name.text.clone()).collect())
            }
            _ => None,
        };
        let (_, to) = self.members(&to).expect("members");
        let given = self.members(&from).map(|(_, types)| types);
        to.iter()
            .enumerate()
            .map(|(position, to)| {
                let source = match (&from, &names) {
                    (Type::AnonymousStruct(fields), Some(names)) => {
                        fields.iter().position(|(name, _)| *name == names[position]).unwrap_or(position)
                    }
                    _ => position,
                };
                let from = given.as_ref().map_or(*to, |given| given[source]);
                self.cast(value.members()[source].clone(), from, *to)
            })
            .collect()
    }
}

fn integers(op: BinaryOp, a: &BigInt, b: &BigInt) -> Value {
    let shift = || b.to_u64().expect("a small shift");
    Value::Int(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Mod => a % b,
        BinaryOp::Shl => a << shift(),
        BinaryOp::Shr => a >> shift(),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Lt => return boolean(a < b),
        BinaryOp::Le => return boolean(a <= b),
        BinaryOp::Gt => return boolean(a > b),
        BinaryOp::Ge => return boolean(a >= b),
        other => panic!("not in the oracle: {other:?}"),
    })
}
