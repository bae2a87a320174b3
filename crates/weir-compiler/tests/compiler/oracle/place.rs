//! Places: a variable and the path to a part of it.

use weir_compiler::hir::{Expr, ExprKind, VarId};
use weir_ir::Bits;

use super::{Oracle, Run, Stop, Value, bits};

/// A part of a variable. A step is `None` if its index is past the end.
#[derive(Clone, Debug)]
pub struct Place {
    var: VarId,
    path: Vec<Option<usize>>,
    /// The slices, from the outside in: lowest bit and width.
    slices: Vec<(u64, u32)>,
}

/// Returns the part of `value` at a path; `None` if an index is out of range.
fn part_at<'v>(value: &'v mut Value, path: &[Option<usize>]) -> Option<&'v mut Value> {
    let Some((step, rest)) = path.split_first() else { return Some(value) };
    part_at(value.members_mut().get_mut((*step)?)?, rest)
}

fn slice(value: &Bits, (low, width): (u64, u32)) -> Bits {
    value.shr(low).resize(width)
}

fn write_slices(old: &Bits, slices: &[(u64, u32)], new: &Bits) -> Bits {
    let Some((&(low, width), rest)) = slices.split_first() else { return new.clone() };
    let inner = write_slices(&slice(old, (low, width)), rest, new);
    let ones = Bits::ones(width).resize(old.width().max(width));
    let mask = ones.shl(low).resize(old.width());
    let moved = inner.resize(old.width().max(width)).shl(low).resize(old.width());
    old.and(&mask.not()).or(&moved.and(&mask))
}

impl Oracle<'_> {
    pub fn place(&mut self, expr: &Expr) -> Run<Place> {
        let step = |this: &mut Self, base: &Expr, step: Option<usize>| {
            let mut place = this.place(base)?;
            place.path.push(step);
            Ok(place)
        };
        match &expr.kind {
            ExprKind::Var(var) => Ok(Place { var: *var, path: Vec::new(), slices: Vec::new() }),
            ExprKind::Field { base, field: index } | ExprKind::TupleElement { base, index } => {
                step(self, base, Some(*index))
            }
            ExprKind::Index { base, index } => {
                let mut place = self.place(base)?;
                let index = self.index(index)?;
                place.path.push(index);
                Ok(place)
            }
            ExprKind::StackNext(base) => {
                let (next, size) = self.counter(base)?;
                if next >= size {
                    return Err(Stop::Reject("StackOutOfBounds".to_string()));
                }
                step(self, base, Some(next as usize))
            }
            ExprKind::Slice { base, high, low } => {
                let mut place = self.place(base)?;
                place.slices.push((u64::from(*low), high - low + 1));
                Ok(place)
            }
            ExprKind::IndexedSlice { base, low, width } => {
                let mut place = self.place(base)?;
                let low = self.eval(low)?;
                place.slices.push((bits(&low).to_u64().unwrap_or(u64::MAX), *width));
                Ok(place)
            }
            other => panic!("no place: {other:?}"),
        }
    }

    /// Returns a stack's counter and size.
    pub fn counter(&mut self, stack: &Expr) -> Run<(u32, u32)> {
        match self.eval(stack)? {
            Value::Array(elements, next) => Ok((next, elements.len() as u32)),
            other => panic!("{other:?} is not a stack"),
        }
    }

    pub fn index(&mut self, index: &Expr) -> Run<Option<usize>> {
        Ok(match self.eval(index)? {
            Value::Int(index) => usize::try_from(index).ok(),
            index => bits(&index).to_u64().and_then(|index| usize::try_from(index).ok()),
        })
    }

    pub fn read(&mut self, place: &Place, like: &Expr) -> Value {
        let mut value = self.vars.get(&place.var).expect("a variable that is declared");
        for step in &place.path {
            match step.and_then(|step| value.members().get(step)) {
                Some(member) => value = member,
                None => return self.default(like.ty),
            }
        }
        let value = value.clone();
        match (value, place.slices.as_slice()) {
            (value, []) => value,
            (value, slices) => {
                let whole = bits(&value).clone();
                Value::Bits(slices.iter().fold(whole, |value, range| slice(&value, *range)), false)
            }
        }
    }

    /// Writes a value. If it replaces a whole header of a union, the union's other headers become
    /// invalid.
    pub fn write(&mut self, place: &Place, value: Value) {
        let whole = self.vars.get_mut(&place.var).expect("a variable that is declared");
        if let (Value::Header(..), Some((last, outer))) = (&value, place.path.split_last())
            && let Some(Value::Union(members)) = part_at(whole, outer)
        {
            for (index, member) in members.iter_mut().enumerate() {
                if Some(index) != *last {
                    invalidate(member);
                }
            }
        }
        if let Some(part) = part_at(whole, &place.path) {
            match (part, value) {
                (Value::Bits(old, _), Value::Bits(new, _)) => *old = write_slices(old, &place.slices, &new),
                (part, new) => *part = new,
            }
        }
    }

    /// Returns the place of the stack whose counter an extract of `expr` moves.
    pub fn stack_of(&mut self, expr: &Expr) -> Run<Option<Place>> {
        match &expr.kind {
            ExprKind::StackNext(stack) => self.place(stack).map(Some),
            ExprKind::Field { base, .. } => match &base.kind {
                ExprKind::StackNext(stack) => self.place(stack).map(Some),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    pub fn change_place(&mut self, place: &Place, change: impl FnOnce(&mut Value)) {
        let whole = self.vars.get_mut(&place.var).expect("a variable that is declared");
        if let Some(part) = part_at(whole, &place.path) {
            change(part);
        }
    }

    /// Returns whether an index of the place is past the end.
    pub fn is_out_of_range(&mut self, place: &Place) -> bool {
        let mut value = self.vars.get(&place.var).expect("a variable that is declared");
        for step in &place.path {
            match step.and_then(|step| value.members().get(step)) {
                Some(member) => value = member,
                None => return true,
            }
        }
        false
    }
}

/// Makes a header invalid; its fields keep their values.
pub fn invalidate(value: &mut Value) {
    if let Value::Header(valid, _) = value {
        *valid = false;
    }
}

/// Makes a header valid. If it was invalid, its fields become zero.
pub fn validate(value: &mut Value) {
    fn clear(value: &mut Value) {
        match value {
            Value::Bits(bits, _) => *bits = Bits::zero(bits.width()),
            Value::Varbit(bits) => *bits = Bits::zero(0),
            Value::Group(members) | Value::Array(members, _) => members.iter_mut().for_each(clear),
            _ => {}
        }
    }
    if let Value::Header(valid, members) = value
        && !std::mem::replace(valid, true)
    {
        members.iter_mut().for_each(clear);
    }
}
