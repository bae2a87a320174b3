//! Transitions, selects and value sets.

use num_traits::ToPrimitive;
use weir_ir as ir;
use weir_ir::{BinaryOp, Bits, Expr, Keyset, Transition, Type};
use weir_syntax::{Diagnostic, Span};

use super::fold;
use super::names::{self, NameKind};
use super::parser::Expansion;
use super::types::Shape;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, KeysetElement, TypeId};

/// Keysets of one case, one a key, and conditions that no constant keyset can say.
struct Case {
    keysets: Vec<Keyset>,
    conditions: Vec<Expr>,
}

impl Lowerer<'_> {
    /// Lowers a state's end.
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
            let mut parts = Case { keysets: Vec::with_capacity(subjects), conditions: Vec::new() };
            for (position, element) in case.keyset.elements.iter().enumerate() {
                let width = widths.get(position).copied().unwrap_or(1);
                let width = if case.keyset.elements.len() == 1 { subjects } else { width };
                self.keyset(element, &keys[..subjects], width, case.span, &mut parts)?;
            }
            parts.keysets.resize(subjects, Keyset::Any);
            let target = expansion.target(case.target);
            let loc = self.loc(case.span);
            let condition = parts.conditions.into_iter().reduce(fold::and);
            lowered.push((ir::SelectCase { keysets: parts.keysets, target, loc }, condition));
        }
        // A case that depends on the packet becomes a key of its own that must be true.
        keys.extend(lowered.iter().filter_map(|(_, condition)| condition.clone()));
        let extra = keys.len() - subjects;
        let mut next = 0;
        let cases = lowered
            .into_iter()
            .map(|(mut case, condition)| {
                case.keysets.extend((0..extra).map(|_| Keyset::Any));
                if condition.is_some() {
                    case.keysets[subjects + next] = Keyset::Value(Bits::bool(true));
                    next += 1;
                }
                case
            })
            .collect();
        Ok(Transition::Select { keys, cases, loc })
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
                let evaluated = self.pure_value(value)?;
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
                let (value, mask) = (self.pure_scalar(value)?, self.pure_scalar(mask)?);
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
                let (low, high) = (self.pure_scalar(low)?, self.pure_scalar(high)?);
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

    fn key(&mut self, keys: &[Expr], position: usize, span: Span) -> Lowered<Expr> {
        match keys.get(position) {
            Some(key) => Ok(key.clone()),
            None => self.unsupported(span, "more sets than expressions in a case"),
        }
    }

    /// A keyset's value, which cases before it must not have to compute first.
    fn pure_value(&mut self, expr: &hir::Expr) -> Lowered<Value> {
        let (value, stmts) = self.collect(|this| this.value(expr))?;
        if stmts.is_empty() {
            Ok(value)
        } else {
            self.unsupported(expr.span, "calls in the cases of a select")
        }
    }

    fn pure_scalar(&mut self, expr: &hir::Expr) -> Lowered<Expr> {
        match self.pure_value(expr)? {
            Value::Scalar(value) => Ok(value),
            _ => self.unsupported(expr.span, "a set of values of this type"),
        }
    }

    /// The scalars of a value that a select looks at.
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

    /// The value set that a name stands for here.
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
        self.claim(NameKind::ValueSet, &name, set.name.span)?;
        let Some(size) = self.constant_int(&set.size)?.to_u64() else {
            return self.refuse(
                Diagnostic::error("value-set-size", "a value set's size is a number from 0 to 2^64 - 1")
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

    fn value_set_fields(
        &mut self,
        element: TypeId,
        match_kinds: &[Option<hir::MatchKindId>],
        span: Span,
    ) -> Lowered<Vec<ir::ValueSetField>> {
        let members: Vec<(String, TypeId)> = match self.shape(element) {
            Shape::Group(members) => members.into_iter().map(|member| (member.name, member.ty)).collect(),
            _ => vec![(String::new(), element)],
        };
        let mut fields = Vec::with_capacity(members.len());
        for (position, (name, ty)) in members.into_iter().enumerate() {
            let width = self.scalar_type(ty, span)?.width();
            let match_kind = match match_kinds.get(position).copied().flatten() {
                Some(kind) => self.hir.match_kinds[kind].0.name.text.clone(),
                None => "exact".to_string(),
            };
            fields.push(ir::ValueSetField { name, width, match_kind });
        }
        Ok(fields)
    }
}
