//! Assignments and other writes.

use super::Flow;
use crate::check::constant::{Value, evaluate};
use crate::hir::{Expr, ExprKind, Type, TypeId, Types};
use crate::storage::{MAX_FIELDS, Part, PartId, TrackedPlace};

impl Flow<'_> {
    /// Follows an assignment.
    pub(super) fn assign(&mut self, target: &Expr, value: &Expr) {
        self.eval_indices(target);
        if let Some(TrackedPlace::Part(part)) = self.tracked_place(target) {
            self.store(part, value);
            self.choose(target, Some(value));
            self.leave_siblings(target, part);
            return;
        }
        self.read(value);
        self.choose(target, Some(value));
        self.write_unknown(target);
        if let Some(spot @ TrackedPlace::Field(..)) = self.tracked_place(target) {
            self.record_value(spot, value);
        }
    }

    /// Checks a write of `value`, if it is known, to metadata of the architecture.
    pub(super) fn choose(&mut self, target: &Expr, value: Option<&Expr>) {
        self.check_write_time(target, value);
        self.decide(target, value);
    }

    /// Models a write of an unknown value to the place `target`.
    pub(super) fn write_place(&mut self, target: &Expr) {
        self.choose(target, None);
        self.write_unknown(target);
    }

    fn write_unknown(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Slice { base, .. } | ExprKind::IndexedSlice { base, .. } => self.write_unknown(base),
            ExprKind::StackNext(stack) => self.advance_stack(stack),
            _ => match self.tracked_place(target) {
                Some(TrackedPlace::Part(part)) => {
                    self.set_unknown_values(part);
                    self.leave_siblings(target, part);
                }
                Some(spot @ TrackedPlace::Field(header, _)) => {
                    if let ExprKind::Field { base, .. } = &target.kind {
                        self.check_write(header, base, target.span);
                    }
                    self.now = self.storage.forget_value(&mut self.facts, self.now.clone(), spot);
                }
                None => self.written_somewhere(target),
            },
        }
    }

    /// Models a write to an unknown element: the whole stack or struct is assumed to be assigned
    /// from now on.
    fn written_somewhere(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Field { base, .. }
            | ExprKind::TupleElement { base, .. }
            | ExprKind::Index { base, .. }
            | ExprKind::StackNext(base)
            | ExprKind::StackLast(base) => match self.tracked_place(base) {
                // A write to a field of an element changes the validity of no header.
                Some(TrackedPlace::Part(part))
                    if self.is_header(target.ty) || !self.is_header_stack(part) =>
                {
                    self.set_unknown_values(part);
                }
                Some(_) => {}
                None => self.written_somewhere(base),
            },
            _ => {}
        }
    }

    fn is_header_stack(&self, part: PartId) -> bool {
        matches!(self.storage.part(part), Part::Stack(_))
    }

    fn is_header(&self, ty: TypeId) -> bool {
        matches!(self.program.types[ty], Type::Record { .. })
    }

    /// Models unknown values in `part`: headers become valid, and scalars are assigned.
    pub(super) fn set_unknown_values(&mut self, part: PartId) {
        for (_, leaf) in self.storage.leaves(part) {
            match *self.storage.part(leaf) {
                Part::Header { valid, .. } => self.now = self.facts.set_fact(&self.now, valid, true),
                Part::Scalar { set, truth } => {
                    if let Some(set) = set {
                        self.now = self.facts.set_fact(&self.now, set, true);
                    }
                    if let Some(truth) = truth {
                        self.now = self.facts.forget_fact(&self.now, truth);
                    }
                }
                _ => {}
            }
            self.forget_value(leaf);
        }
    }

    /// Forgets the known numbers in a scalar or in a header's fields.
    pub(super) fn forget_value(&mut self, leaf: PartId) {
        match self.storage.part(leaf) {
            Part::Header { .. } => {
                let numbers = self.storage.field_numbers(leaf, MAX_FIELDS);
                self.now = self.facts.forget_all(&self.now, &numbers);
            }
            _ => {
                self.now =
                    self.storage.forget_value(&mut self.facts, self.now.clone(), TrackedPlace::Part(leaf));
            }
        }
    }

    /// Records that `header` became valid or invalid.
    pub(super) fn set_validity(&mut self, header: PartId, holds: bool) {
        if let Part::Header { valid, .. } = *self.storage.part(header) {
            self.now = self.facts.set_fact(&self.now, valid, holds);
            self.forget_value(header);
        }
    }

    /// Invalidates the other members of a union: only the member written last can be valid (P4_16
    /// section 8.20).
    pub(super) fn leave_siblings(&mut self, target: &Expr, part: PartId) {
        let ExprKind::Field { base, .. } = &target.kind else { return };
        let Some(TrackedPlace::Part(whole)) = self.tracked_place(base) else { return };
        let Part::Union(members) = self.storage.part(whole) else { return };
        let (mut valid, mut values) = (Vec::new(), Vec::new());
        for &member in members.iter().filter(|&&member| member != part) {
            if let Part::Header { valid: fact, .. } = *self.storage.part(member) {
                valid.push(fact);
                values.extend(self.storage.field_numbers(member, MAX_FIELDS));
            }
        }
        self.now = self.facts.clear_all(&self.now, &valid, &values);
    }

    /// Follows a write of `value` to the part `part`.
    pub(super) fn store(&mut self, part: PartId, value: &Expr) {
        match self.storage.part(part).clone() {
            Part::Scalar { set, truth } => {
                match truth {
                    Some(truth) if value.ty == Types::BOOL => {
                        let (yes, no) = self.branch(value);
                        let yes = self.facts.set_fact(&yes, truth, true);
                        let no = self.facts.set_fact(&no, truth, false);
                        self.now = self.facts.union(&yes, &no);
                    }
                    _ => {
                        self.read(value);
                        self.record_value(TrackedPlace::Part(part), value);
                    }
                }
                if let Some(set) = set {
                    self.now = self.facts.set_fact(&self.now, set, true);
                }
            }
            Part::Header { valid, .. } => match &value.kind {
                ExprKind::Invalid | ExprKind::Default => self.set_validity(part, false),
                ExprKind::Cast { operand, .. } => self.store(part, operand),
                ExprKind::Aggregate(_) => {
                    self.read(value);
                    self.set_validity(part, true);
                }
                _ => match self.header(value) {
                    Some(from) => {
                        self.eval_indices(value);
                        self.copy(part, from);
                    }
                    None => {
                        self.read(value);
                        self.now = self.facts.set_fact(&self.now, valid, true);
                        self.forget_value(part);
                    }
                },
            },
            Part::Struct(members) | Part::Union(members) | Part::Stack(members) => match &value.kind {
                ExprKind::Cast { operand, .. } => self.store(part, operand),
                ExprKind::Aggregate(items) if items.len() == members.len() => {
                    for (member, item) in members.into_iter().zip(items) {
                        self.store(member, item);
                    }
                }
                ExprKind::Invalid | ExprKind::Default => {
                    self.set_unknown_values(part);
                    for (_, leaf) in self.storage.leaves(part) {
                        self.set_validity(leaf, false);
                    }
                }
                _ => match self.tracked_place(value) {
                    Some(TrackedPlace::Part(from)) => {
                        self.eval_indices(value);
                        self.copy(part, from);
                    }
                    _ => {
                        self.read(value);
                        self.set_unknown_values(part);
                    }
                },
            },
            Part::Opaque => self.read(value),
        }
    }

    /// Records the number that is written to `spot`, if it is known.
    fn record_value(&mut self, spot: TrackedPlace, value: &Expr) {
        self.now = match (evaluate(self.program, value), self.tracked_place(value)) {
            (Some(Value::Int(number)), _) => {
                self.storage.set_value(&mut self.facts, self.now.clone(), spot, &number)
            }
            (_, Some(from)) => self.storage.copy_value(&mut self.facts, self.now.clone(), spot, from),
            _ => self.storage.forget_value(&mut self.facts, self.now.clone(), spot),
        };
    }

    /// Copies `from` to `to`, leaf by leaf, including invalid headers and unassigned scalars.
    pub(super) fn copy(&mut self, to: PartId, from: PartId) {
        if to == from {
            return;
        }
        let (targets, sources) = (self.storage.leaves(to), self.storage.leaves(from));
        if targets.len() != sources.len() {
            self.set_unknown_values(to);
            return;
        }
        for ((_, to), (_, from)) in targets.into_iter().zip(sources) {
            self.copy_leaf(to, from);
        }
    }

    fn copy_leaf(&mut self, to: PartId, from: PartId) {
        match (self.storage.part(to).clone(), self.storage.part(from).clone()) {
            (Part::Header { valid, .. }, Part::Header { valid: source, invalid_on_entry }) => {
                let mut value = self.facts.holds(source);
                if let Some(invalid) = invalid_on_entry {
                    let invalid = self.facts.holds(invalid);
                    value = self.facts.union(&value, &invalid);
                }
                self.now = self.facts.assign(&self.now, valid, &value);
                for field in 0..MAX_FIELDS {
                    let (to, from) = (TrackedPlace::Field(to, field), TrackedPlace::Field(from, field));
                    self.now = self.storage.copy_value(&mut self.facts, self.now.clone(), to, from);
                }
            }
            (Part::Scalar { set, truth }, Part::Scalar { set: other_set, truth: other_truth }) => {
                if let Some(set) = set {
                    let value = match other_set {
                        Some(other) => self.facts.holds(other),
                        None => crate::facts::States::ALL,
                    };
                    self.now = self.facts.assign(&self.now, set, &value);
                }
                match (truth, other_truth) {
                    (Some(truth), Some(other)) => {
                        let value = self.facts.holds(other);
                        self.now = self.facts.assign(&self.now, truth, &value);
                    }
                    (Some(truth), None) => self.now = self.facts.forget_fact(&self.now, truth),
                    _ => {}
                }
                let (to, from) = (TrackedPlace::Part(to), TrackedPlace::Part(from));
                self.now = self.storage.copy_value(&mut self.facts, self.now.clone(), to, from);
            }
            _ => self.set_unknown_values(to),
        }
    }

    /// Models an extraction into `stack.next`: one more element is valid, in order of the index.
    pub(super) fn advance_stack(&mut self, stack: &Expr) {
        let Some(TrackedPlace::Part(part)) = self.tracked_place(stack) else {
            return self.written_somewhere(stack);
        };
        let Part::Stack(elements) = self.storage.part(part).clone() else { return };
        let mut below = crate::facts::States::ALL;
        let mut values = Vec::new();
        for &element in &elements {
            let Part::Header { valid, .. } = *self.storage.part(element) else {
                return self.set_unknown_values(part);
            };
            let valid_before = self.facts.holds(valid);
            values.push((valid, self.facts.union(&valid_before, &below)));
            below = valid_before;
        }
        // The elements are changed from the last one down, so that each reads the previous value of
        // the element before it.
        for (valid, value) in values.into_iter().rev() {
            self.now = self.facts.assign(&self.now, valid, &value);
        }
        for element in elements {
            self.forget_value(element);
        }
    }

    /// Models `push_front(count)` for a positive `count`, and `pop_front` for a negative one.
    pub(super) fn shift_stack(&mut self, stack: &Expr, count: i64) {
        self.eval_indices(stack);
        let Some(TrackedPlace::Part(part)) = self.tracked_place(stack) else { return };
        let Part::Stack(elements) = self.storage.part(part).clone() else { return };
        if elements.iter().any(|&element| !matches!(self.storage.part(element), Part::Header { .. })) {
            return self.set_unknown_values(part);
        }
        let length = elements.len() as i64;
        let order: Vec<i64> = if count > 0 { (0..length).rev().collect() } else { (0..length).collect() };
        for index in order {
            let (to, source) = (elements[index as usize], index - count);
            if (0..length).contains(&source) {
                self.copy_leaf(to, elements[source as usize]);
            } else {
                self.set_validity(to, false);
            }
        }
    }
}
