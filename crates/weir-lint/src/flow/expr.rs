//! Expressions: the reads they contain, and how conditions split the states.

use super::Flow;
use crate::check::constant::{Value, evaluate};
use crate::facts::States;
use crate::hir::{ApplyResult, BinaryOp, Expr, ExprKind, Types, UnaryOp};
use crate::storage::{Part, PartId, TrackedPlace};
use num_traits::ToPrimitive;

impl Flow<'_> {
    /// Returns the part or field that `expr` denotes, if it is tracked.
    pub(super) fn tracked_place(&self, expr: &Expr) -> Option<TrackedPlace> {
        let member = |base: &Expr, index: usize| match self.tracked_place(base)? {
            TrackedPlace::Part(part) => match self.storage.part(part) {
                Part::Struct(members) | Part::Union(members) | Part::Stack(members) => {
                    members.get(index).map(|&member| TrackedPlace::Part(member))
                }
                Part::Header { .. } => Some(TrackedPlace::Field(part, index)),
                _ => None,
            },
            TrackedPlace::Field(..) => None,
        };
        match &expr.kind {
            ExprKind::Var(var) => self.bound.get(var).map(|&part| TrackedPlace::Part(part)),
            ExprKind::Field { base, field } => member(base, *field),
            ExprKind::TupleElement { base, index } => member(base, *index),
            ExprKind::Index { base, index } => match evaluate(self.program, index)? {
                Value::Int(index) => member(base, index.to_usize()?),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the header that `expr` denotes.
    pub(super) fn header(&self, expr: &Expr) -> Option<PartId> {
        match self.tracked_place(expr)? {
            TrackedPlace::Part(part) if matches!(self.storage.part(part), Part::Header { .. }) => Some(part),
            _ => None,
        }
    }

    /// Evaluates `expr`: checks its reads and analyses its calls.
    pub(super) fn read(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(_) => self.check_set(expr),
            ExprKind::Field { base, .. } => {
                self.eval_indices(base);
                if let Some(header) = self.header(base) {
                    self.check_valid(header, base, expr.span);
                }
                self.check_set(expr);
                self.check_read_time(expr);
            }
            ExprKind::TupleElement { .. } | ExprKind::Index { .. } => {
                self.eval_indices(expr);
                self.check_set(expr);
            }
            ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, ..)
            | ExprKind::IsValid(_)
            | ExprKind::Apply { .. } => {
                let (yes, no) = self.branch(expr);
                self.now = self.facts.union(&yes, &no);
            }
            ExprKind::Unary(_, operand) | ExprKind::Cast { operand, .. } => self.read(operand),
            ExprKind::Slice { base, .. } => self.read(base),
            ExprKind::Binary(op, left, right) => {
                let trusted = self.trusted.len();
                if matches!(op, BinaryOp::Mul | BinaryOp::And) {
                    let tested = [left, right].map(|side| self.validity_factor(side));
                    self.trusted.extend(tested.into_iter().flatten());
                }
                self.read(left);
                self.read(right);
                self.trusted.truncate(trusted);
            }
            ExprKind::IndexedSlice { base, low, .. } => {
                self.read(base);
                self.read(low);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let (yes, no) = self.branch(condition);
                self.now = yes;
                self.read(then);
                let after = std::mem::replace(&mut self.now, no);
                self.read(otherwise);
                self.now = self.facts.union(&after, &self.now);
            }
            ExprKind::Aggregate(items) => items.iter().for_each(|item| self.read(item)),
            ExprKind::Call(call) => self.call(call),
            ExprKind::StackLast(base) | ExprKind::StackLastIndex(base) | ExprKind::StackNext(base) => {
                self.eval_indices(base);
            }
            _ => {}
        }
    }

    /// Evaluates the indices in a place, without reading the place itself.
    pub(super) fn eval_indices(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Var(_) => {}
            ExprKind::Field { base, .. }
            | ExprKind::TupleElement { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base)
            | ExprKind::Slice { base, .. } => self.eval_indices(base),
            ExprKind::Index { base, index } => {
                self.eval_indices(base);
                self.read(index);
            }
            ExprKind::IndexedSlice { base, low, .. } => {
                self.eval_indices(base);
                self.read(low);
            }
            _ => self.read(place),
        }
    }

    /// Evaluates a condition: the states in which it is true, and those in which it is false. Some
    /// states may be in both sets.
    pub(super) fn branch(&mut self, expr: &Expr) -> (States, States) {
        match &expr.kind {
            ExprKind::Bool(true) => (self.now.clone(), States::NONE),
            ExprKind::Bool(false) => (States::NONE, self.now.clone()),
            ExprKind::Const(_) => match evaluate(self.program, expr) {
                Some(Value::Bool(true)) => (self.now.clone(), States::NONE),
                Some(Value::Bool(false)) => (States::NONE, self.now.clone()),
                _ => (self.now.clone(), self.now.clone()),
            },
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let (yes, no) = self.branch(operand);
                (no, yes)
            }
            ExprKind::Binary(BinaryOp::LogicalAnd, left, right) => {
                let (yes, no) = self.branch(left);
                self.now = yes;
                let (both, second) = self.branch(right);
                (both, self.facts.union(&no, &second))
            }
            ExprKind::Binary(BinaryOp::LogicalOr, left, right) => {
                let (yes, no) = self.branch(left);
                self.now = no;
                let (second, neither) = self.branch(right);
                (self.facts.union(&yes, &second), neither)
            }
            ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => {
                let (equal, different) = self.equality(left, right);
                if *op == BinaryOp::Eq { (equal, different) } else { (different, equal) }
            }
            ExprKind::IsValid(base) => {
                self.eval_indices(base);
                let valid = self.validity(base);
                match valid {
                    Some(valid) => self.split_states(valid),
                    None => (self.now.clone(), self.now.clone()),
                }
            }
            ExprKind::Var(_) | ExprKind::Field { .. } => {
                self.read(expr);
                self.states_by_truth(expr)
            }
            ExprKind::Cast { operand, .. } if operand.ty == Types::BOOL && expr.ty == Types::BOOL => {
                self.branch(operand)
            }
            ExprKind::Apply { table, result } => {
                let outcome = self.apply_table(*table, expr.span);
                match result {
                    ApplyResult::Hit => (outcome.hit, outcome.miss),
                    ApplyResult::Miss => (outcome.miss, outcome.hit),
                    _ => {
                        let after = self.facts.union(&outcome.hit, &outcome.miss);
                        (after.clone(), after)
                    }
                }
            }
            _ => {
                self.read(expr);
                (self.now.clone(), self.now.clone())
            }
        }
    }

    /// Returns the current states inside and outside of a set.
    fn split_states(&mut self, set: States) -> (States, States) {
        let yes = self.facts.intersection(&self.now, &set);
        let no = self.facts.except(&self.now, &set);
        (yes, no)
    }

    /// Returns the states in which the header or union `base` is valid, if it is tracked.
    fn validity(&mut self, base: &Expr) -> Option<States> {
        let TrackedPlace::Part(part) = self.tracked_place(base)? else { return None };
        match self.storage.part(part).clone() {
            Part::Header { valid, .. } => Some(self.facts.holds(valid)),
            Part::Union(members) => {
                let mut any_valid = States::NONE;
                for member in members {
                    if let Part::Header { valid, .. } = *self.storage.part(member) {
                        let valid = self.facts.holds(valid);
                        any_valid = self.facts.union(&any_valid, &valid);
                    }
                }
                Some(any_valid)
            }
            _ => None,
        }
    }

    /// Returns the header whose validity, converted to a number, is the factor: `h.length *
    /// (bit<16>)(bit<1>)h.isValid()` is 0 without `h`.
    fn validity_factor(&self, factor: &Expr) -> Option<PartId> {
        match &factor.kind {
            ExprKind::Cast { operand, .. } => self.validity_factor(operand),
            ExprKind::IsValid(base) => self.header(base),
            _ => None,
        }
    }

    /// Returns the states in which a Boolean place is true, and those in which it is false.
    fn states_by_truth(&mut self, expr: &Expr) -> (States, States) {
        match self.tracked_place(expr) {
            Some(TrackedPlace::Part(part)) => match *self.storage.part(part) {
                Part::Scalar { truth: Some(truth), .. } => {
                    let holds = self.facts.holds(truth);
                    self.split_states(holds)
                }
                _ => (self.now.clone(), self.now.clone()),
            },
            _ => (self.now.clone(), self.now.clone()),
        }
    }

    /// Returns the states in which two values are equal, and those in which they differ.
    fn equality(&mut self, left: &Expr, right: &Expr) -> (States, States) {
        if left.ty == Types::BOOL {
            for (side, other) in [(left, right), (right, left)] {
                if let Some(Value::Bool(value)) = evaluate(self.program, other) {
                    let (yes, no) = self.branch(side);
                    return if value { (yes, no) } else { (no, yes) };
                }
            }
        }
        self.read(left);
        self.read(right);
        let number = |side: &Expr| match evaluate(self.program, side) {
            Some(Value::Int(number)) => Some(number),
            _ => None,
        };
        let sides = match (self.tracked_place(left), self.tracked_place(right)) {
            (Some(spot), None) => number(right).map(|number| (spot, number)),
            (None, Some(spot)) => number(left).map(|number| (spot, number)),
            _ => None,
        };
        match sides {
            Some((spot, number)) => {
                let equal = self.storage.equals(&mut self.facts, spot, &number);
                let different = self.storage.differs(&mut self.facts, spot, &number);
                (self.facts.intersection(&self.now, &equal), self.facts.intersection(&self.now, &different))
            }
            None => (self.now.clone(), self.now.clone()),
        }
    }
}
