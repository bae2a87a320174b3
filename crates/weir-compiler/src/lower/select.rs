//! Transitions, `select` expressions and value sets.

use num_traits::ToPrimitive;
use weir_ir as ir;
use weir_ir::{BinaryOp, Bits, Expr, Keyset, Target, Transition, Type};
use weir_syntax::{Diagnostic, Span};

use super::fold;
use super::names::{self, NameKind};
use super::parser::Expansion;
use super::types::Shape;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, KeysetElement, TypeId};

/// The keysets of one case, one for each key, and the conditions that a constant keyset cannot
/// express.
struct Case {
    keysets: Vec<Keyset>,
    conditions: Vec<Expr>,
}

/// Builds a select. The condition of a case becomes an additional key, which must be true for the
/// case to match.
fn select_of(keys: &[Expr], cases: Vec<(ir::SelectCase, Option<Expr>)>, loc: ir::Loc) -> Transition {
    let subjects = keys.len();
    let conditions = cases.iter().filter_map(|(_, condition)| condition.clone());
    let keys: Vec<Expr> = keys.iter().cloned().chain(conditions).collect();
    let mut next = subjects;
    let cases = cases
        .into_iter()
        .map(|(mut case, condition)| {
            case.keysets.resize(keys.len(), Keyset::Any);
            if condition.is_some() {
                case.keysets[next] = Keyset::Value(Bits::bool(true));
                next += 1;
            }
            case
        })
        .collect();
    Transition::Select { keys, cases, loc }
}

impl Lowerer<'_> {
    /// Lowers the transition of a state.
    pub(super) fn transition(
        &mut self,
        transition: &hir::Transition,
        expansion: &Expansion,
        loc: ir::Loc,
    ) -> Lowered<Transition> {
        match transition {
            hir::Transition::Direct(target) => Ok(Transition::Goto(expansion.target(*target))),
            hir::Transition::Select { subjects, cases } => self.select(subjects, cases, expansion, loc),
        }
    }

    /// Lowers a `select` to a transition.
    fn select(
        &mut self,
        subjects: &[hir::Expr],
        cases: &[hir::SelectCase],
        expansion: &Expansion,
        loc: ir::Loc,
    ) -> Lowered<Transition> {
        let values = self.values(&subjects.iter().collect::<Vec<_>>())?;
        let mut keys = Vec::new();
        let mut widths = Vec::with_capacity(values.len());
        for (subject, value) in subjects.iter().zip(&values) {
            let before = keys.len();
            self.flatten(value, subject.span, &mut keys)?;
            widths.push(keys.len() - before);
        }
        let subjects = keys.len();
        let mut lowered = Vec::with_capacity(cases.len());
        for case in cases {
            let (parts, before) = self.collect(|this| {
                let mut parts = Case { keysets: Vec::with_capacity(subjects), conditions: Vec::new() };
                for (position, element) in case.keyset.elements.iter().enumerate() {
                    let width = widths.get(position).copied().unwrap_or(1);
                    let width = if case.keyset.elements.len() == 1 { subjects } else { width };
                    this.keyset(element, &keys, width, case.span, &mut parts)?;
                }
                Ok(parts)
            })?;
            if !before.is_empty() && !lowered.is_empty() {
                // Statements that a case needs, such as the check that a stack has a last element,
                // run only if no earlier case matches.
                let [rest] = self.add_states(["rest"]);
                let target = Target::State(rest);
                let default_case = ir::SelectCase { keysets: vec![Keyset::Any; subjects], target, loc };
                lowered.push((default_case, None));
                self.count_cases(keys.len(), &lowered, case.span)?;
                let first = select_of(&keys, std::mem::take(&mut lowered), loc);
                self.leave_state(first);
                self.enter_state(rest);
            }
            self.cx.output.extend(before);
            let Case { mut keysets, conditions } = parts;
            keysets.resize(subjects, Keyset::Any);
            let target = expansion.target(case.target);
            let loc = self.loc(case.span);
            let condition = conditions.into_iter().reduce(fold::and);
            lowered.push((ir::SelectCase { keysets, target, loc }, condition));
        }
        if let Some(last) = cases.last() {
            self.count_cases(keys.len(), &lowered, last.span)?;
        }
        Ok(select_of(&keys, lowered, loc))
    }

    /// Counts the keysets of a select's cases: each case has one for each key, and each condition
    /// is another key.
    fn count_cases(
        &mut self,
        keys: usize,
        cases: &[(ir::SelectCase, Option<Expr>)],
        span: Span,
    ) -> Lowered<()> {
        let conditions = cases.iter().filter(|(_, condition)| condition.is_some()).count();
        self.count_code(cases.len().saturating_mul(keys + conditions), span)
    }

    /// Adds the keysets for the next `width` keys.
    fn keyset(
        &mut self,
        element: &KeysetElement,
        keys: &[Expr],
        width: usize,
        span: Span,
        case: &mut Case,
    ) -> Lowered<()> {
        let first = case.keysets.len();
        match element {
            KeysetElement::Any => case.keysets.extend((0..width).map(|_| Keyset::Any)),
            KeysetElement::ValueSet(set) => {
                let id = self.value_set(*set)?;
                case.keysets.push(Keyset::Set(id));
                case.keysets.extend((1..width).map(|_| Keyset::Any));
            }
            KeysetElement::Value(value) => {
                let mut values = Vec::new();
                let evaluated = self.value(value)?;
                self.flatten(&evaluated, value.span, &mut values)?;
                for (offset, value) in values.into_iter().enumerate() {
                    match fold::as_const(&value) {
                        Some(bits) => case.keysets.push(Keyset::Value(bits.clone())),
                        None => {
                            let key = self.key(keys, first + offset, span)?;
                            case.conditions.push(fold::equal(key, value));
                            case.keysets.push(Keyset::Any);
                        }
                    }
                }
            }
            KeysetElement::Mask { value, mask } => {
                let [value, mask] = self.scalar_pair(value, mask)?;
                match (fold::as_const(&value), fold::as_const(&mask)) {
                    (Some(value), Some(mask)) => {
                        case.keysets.push(Keyset::Mask(value.and(mask), mask.clone()));
                    }
                    _ => {
                        let key = self.key(keys, first, span)?;
                        let ty = key.ty;
                        let masked = |expr: Expr| fold::binary(BinaryOp::BitAnd, expr, mask.clone(), ty);
                        case.conditions.push(fold::equal(masked(key), masked(value)));
                        case.keysets.push(Keyset::Any);
                    }
                }
            }
            KeysetElement::Range { low, high } => {
                let [low, high] = self.scalar_pair(low, high)?;
                match (fold::as_const(&low), fold::as_const(&high)) {
                    (Some(low), Some(high)) => case.keysets.push(Keyset::Range(low.clone(), high.clone())),
                    _ => {
                        let key = self.key(keys, first, span)?;
                        let above = fold::binary(BinaryOp::Le, low, key.clone(), Type::Bool);
                        case.conditions
                            .push(fold::and(above, fold::binary(BinaryOp::Le, key, high, Type::Bool)));
                        case.keysets.push(Keyset::Any);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the key at a position, or reports that a case has more values than there are keys.
    fn key(&mut self, keys: &[Expr], position: usize, span: Span) -> Lowered<Expr> {
        match keys.get(position) {
            Some(key) => Ok(key.clone()),
            None => self.unsupported(span, "a case with more keysets than the `select` has expressions"),
        }
    }

    fn scalar_pair(&mut self, left: &hir::Expr, right: &hir::Expr) -> Lowered<[Expr; 2]> {
        match <[Value; 2]>::try_from(self.values(&[left, right])?) {
            Ok([Value::Scalar(left), Value::Scalar(right)]) => Ok([left, right]),
            _ => self.unsupported(left.span, "a set of values of this type"),
        }
    }

    /// Collects the scalars of a select's subject.
    fn flatten(&mut self, value: &Value, span: Span, into: &mut Vec<Expr>) -> Lowered<()> {
        match value {
            Value::Scalar(expr) => {
                into.push(expr.clone());
                Ok(())
            }
            Value::Group(members) => members.iter().try_for_each(|member| self.flatten(member, span, into)),
            _ => self.unsupported(span, "selecting on a value of this type"),
        }
    }

    /// Returns the value set that a name refers to in the current frame.
    pub(super) fn value_set(&mut self, id: hir::ValueSetId) -> Lowered<ir::ValueSetId> {
        for frame in [self.cx.frame, super::context::Frame::GLOBAL] {
            if let Some(&known) = self.frames[frame].value_sets.get(&id) {
                return Ok(known);
            }
        }
        let set = &self.hir.value_sets[id];
        let top_level = self
            .hir
            .declarations
            .iter()
            .any(|declared| matches!(declared, hir::Declaration::ValueSet(other) if *other == id));
        let frame = if top_level { super::context::Frame::GLOBAL } else { self.cx.frame };
        let name = names::control_plane(&self.frames[frame].control_plane, &set.name.text, &set.annotations);
        self.claim_name(NameKind::ValueSet, &name, set.name.span)?;
        let Some(size) = self.constant_int(&set.size)?.to_u64() else {
            return self.refuse(
                Diagnostic::error("value-set-size", "the size of a value set must be between 0 and 2^64 - 1")
                    .primary(set.size.span, ""),
            );
        };
        let fields = self.value_set_fields(set.element, &set.match_kinds, set.name.span)?;
        let loc = self.loc(set.name.span);
        let annotations = names::annotations(&set.annotations);
        let lowered = self.out.value_sets.push(ir::ValueSet { name, fields, size, annotations, loc });
        self.frames[frame].value_sets.insert(id, lowered);
        Ok(lowered)
    }

    /// Collects the scalars of a value set's element type with their paths. The path of a type that
    /// is itself a scalar is empty.
    fn value_set_members(
        &mut self,
        path: String,
        ty: TypeId,
        annotations: Vec<ir::Annotation>,
        into: &mut Vec<(String, TypeId, Vec<ir::Annotation>)>,
    ) {
        match self.shape(ty) {
            Shape::Group(members) => {
                for member in members {
                    let annotations = names::annotations(&member.annotations);
                    self.value_set_members(
                        names::qualified_name(&path, &member.name),
                        member.ty,
                        annotations,
                        into,
                    );
                }
            }
            _ => into.push((path, ty, annotations)),
        }
    }

    fn value_set_fields(
        &mut self,
        element: TypeId,
        match_kinds: &[Option<hir::MatchKindId>],
        span: Span,
    ) -> Lowered<Vec<ir::ValueSetField>> {
        let mut members = Vec::new();
        self.value_set_members(String::new(), element, Vec::new(), &mut members);
        let mut fields = Vec::with_capacity(members.len());
        for (position, (name, ty, annotations)) in members.into_iter().enumerate() {
            let width = self.scalar_type(ty, span)?.width();
            let match_kind = match match_kinds.get(position).copied().flatten() {
                Some(kind) => self.hir.match_kinds[kind].0.name.text.clone(),
                None => "exact".to_string(),
            };
            let declared = self.declared(ty);
            fields.push(ir::ValueSetField { name, width, declared, match_kind, annotations });
        }
        Ok(fields)
    }
}
