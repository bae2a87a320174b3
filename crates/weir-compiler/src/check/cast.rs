//! Checks implicit conversions and explicit casts (P4_16 section 8.11).

use rustc_hash::FxHashMap;
use weir_syntax::{Diagnostic, Span};

use super::Checker;
use super::constant::{Value, evaluate, fits_type, is_call_time, representation, wrap};
use crate::hir::{BinaryOp, Expr, ExprKind, RecordKind, Type, TypeId, Types};

impl Checker<'_> {
    /// Converts `expr` to `target` with the language's implicit conversions. Reports an error and
    /// returns a poisoned expression if it cannot be converted.
    pub(super) fn coerce(&mut self, expr: Expr, target: TypeId) -> Expr {
        if expr.ty == Types::POISON || target == Types::POISON {
            return self.poison_expr(expr.span);
        }
        match self.try_coerce(expr, target) {
            Ok(expr) => expr,
            Err(expr) => {
                self.mismatch(&expr, target);
                self.poison_expr(expr.span)
            }
        }
    }

    /// Like [`Self::coerce`], but returns the unconverted expression as the error and reports
    /// nothing. (A mismatched member of an aggregate is reported at the member.)
    pub(super) fn try_coerce(&mut self, expr: Expr, target: TypeId) -> Result<Expr, Expr> {
        if expr.ty == target || expr.ty == Types::POISON {
            return Ok(expr);
        }
        let (from, to) = (self.program.types[expr.ty].clone(), self.program.types[target].clone());
        match (&from, &to) {
            (Type::Int, Type::Bits { signed, width }) => {
                Ok(self.convert_to_width(expr, target, *signed, *width))
            }
            // The specification does not allow this (8.11.2 lists no newtype), but p4c does, and
            // existing programs depend on it.
            (Type::Int, Type::Newtype(decl)) => {
                let underlying = self.program.newtypes[*decl].underlying;
                self.try_coerce(expr, underlying).map(|expr| implicit(expr, target))
            }
            (Type::Enum(decl), Type::Bits { .. } | Type::Int) => match self.program.enums[*decl].underlying {
                Some(underlying) if underlying == target || to == Type::Int => Ok(implicit(expr, target)),
                _ => Err(expr),
            },
            (Type::Tuple(_) | Type::AnonymousStruct(_) | Type::List(_), _) => {
                self.convert_members(expr, target)
            }
            (Type::Extern { decl: a, args: found }, Type::Extern { decl: b, args: wanted }) if a == b => {
                let same = |(&a, &b): (&TypeId, &TypeId)| a == b || a == Types::ANY || b == Types::ANY;
                if found.iter().zip(wanted).all(same) { Ok(expr) } else { Err(expr) }
            }
            (
                Type::Parser { .. } | Type::Control { .. } | Type::BlockType { .. },
                Type::BlockType { decl, args },
            ) => {
                let wanted = self.program.block_types[*decl].clone();
                if self.same_shape(expr.ty, &wanted, args) { Ok(expr) } else { Err(expr) }
            }
            _ => Err(expr),
        }
    }

    /// Converts an unbounded integer to `bit` or `int`. Returns a literal of that type if the value
    /// is known.
    pub(super) fn convert_to_width(&mut self, expr: Expr, target: TypeId, signed: bool, width: u32) -> Expr {
        if let Some(Value::Int(value)) = evaluate(&self.program, &expr) {
            if !fits_type(&value, signed, width) {
                self.warn_truncation(&value, target, signed, width, expr.span);
            }
            return Expr { kind: ExprKind::Int(wrap(&value, signed, width)), ty: target, span: expr.span };
        }
        match expr.kind {
            ExprKind::Conditional { condition, then, otherwise } => {
                let then = Box::new(self.coerce(*then, target));
                let otherwise = Box::new(self.coerce(*otherwise, target));
                let kind = ExprKind::Conditional { condition, then, otherwise };
                Expr { kind, ty: target, span: expr.span }
            }
            _ => implicit(expr, target),
        }
    }

    pub(super) fn warn_truncation(
        &mut self,
        value: &num_bigint::BigInt,
        target: TypeId,
        signed: bool,
        width: u32,
        span: Span,
    ) {
        let becomes = wrap(value, signed, width);
        let message = format!("{value} does not fit in {}", self.show(target));
        let diagnostic = Diagnostic::warning("truncated-constant", message)
            .primary(span, format!("truncated to {becomes}"))
            .note(format!("write {becomes} if this is intended"));
        self.report(diagnostic);
    }

    /// Converts an aggregate or tuple to a record, tuple, list or stack of the same shape.
    pub(super) fn convert_members(&mut self, expr: Expr, target: TypeId) -> Result<Expr, Expr> {
        let Some(wanted) = self.member_types(target, &expr) else { return Err(expr) };
        let span = expr.span;
        match expr.kind {
            ExprKind::Aggregate(items) => {
                let source_type = self.program.types[expr.ty].clone();
                let items = match (&source_type, self.fields(target)) {
                    (Type::AnonymousStruct(given), Some(fields)) => {
                        let positions: FxHashMap<&str, usize> = given
                            .iter()
                            .enumerate()
                            .map(|(index, (name, _))| (name.as_str(), index))
                            .collect();
                        let by_name: Option<Vec<usize>> =
                            fields.iter().map(|(name, _)| positions.get(name.as_str()).copied()).collect();
                        let Some(order) = by_name else {
                            return Err(Expr { kind: ExprKind::Aggregate(items), ty: expr.ty, span });
                        };
                        order.into_iter().map(|index| items[index].clone()).collect()
                    }
                    _ => items,
                };
                let items = items.into_iter().zip(wanted).map(|(item, ty)| self.coerce(item, ty)).collect();
                Ok(Expr { kind: ExprKind::Aggregate(items), ty: target, span })
            }
            kind => {
                let expr = Expr { kind, ty: expr.ty, span };
                let source_type = match self.program.types[expr.ty].clone() {
                    Type::Tuple(items) if matches!(self.program.types[target], Type::Tuple(_)) => items,
                    Type::AnonymousStruct(fields) => fields.into_iter().map(|(_, ty)| ty).collect(),
                    _ => return Err(expr),
                };
                if source_type == wanted { Ok(implicit(expr, target)) } else { Err(expr) }
            }
        }
    }

    /// Returns the types that the members of `expr` must have for a conversion to `target`, or
    /// `None` if its length or type rules that out.
    pub(super) fn member_types(&mut self, target: TypeId, expr: &Expr) -> Option<Vec<TypeId>> {
        let length = match (&expr.kind, &self.program.types[expr.ty]) {
            (ExprKind::Aggregate(items), _) => items.len(),
            (_, Type::Tuple(items)) => items.len(),
            (_, Type::AnonymousStruct(fields)) => fields.len(),
            _ => return None,
        };
        let anonymous = matches!(self.program.types[expr.ty], Type::AnonymousStruct(_));
        let wanted = match self.program.types[target].clone() {
            Type::Record { .. } if self.record_kind(target) != Some(RecordKind::Union) => {
                self.fields(target)?.into_iter().map(|(_, ty)| ty).collect()
            }
            Type::AnonymousStruct(fields) if anonymous => fields.into_iter().map(|(_, ty)| ty).collect(),
            Type::Tuple(items) if !anonymous => items,
            Type::List(element) if !anonymous => vec![element; length],
            Type::Stack { element, size } if !anonymous => vec![element; size as usize],
            _ => return None,
        };
        (wanted.len() == length).then_some(wanted)
    }

    /// Reports that `expr` does not have type `target`, with suggestions.
    pub(super) fn mismatch(&mut self, expr: &Expr, target: TypeId) {
        let (found, wanted) = (self.show_of(expr), self.format_expected_type(target));
        let mut diagnostic = Diagnostic::error("type-mismatch", format!("expected {wanted}, found {found}"))
            .primary(expr.span, format!("this is {found}"));
        let (from, to) = (self.program.types[expr.ty].clone(), self.program.types[target].clone());
        let casts = self.casts_through_new_type(expr, target);
        match (&from, &to) {
            (Type::Bits { width: 1, signed: false }, Type::Bool) => {
                diagnostic = suggest_suffix(diagnostic, expr, "compare it with a number", " == 1");
            }
            (Type::Bits { .. } | Type::Int, Type::Bool) => {
                diagnostic = suggest_suffix(diagnostic, expr, "compare it with a number", " != 0");
            }
            (Type::Bits { signed: a, width: w }, Type::Bits { signed: b, width: v }) if a != b && w != v => {
                diagnostic = diagnostic.note("a cast cannot change both width and signedness: use two casts");
            }
            (Type::AnonymousStruct(_), _) => {}
            _ if self.castable(expr, target) => {
                let name = self.written_name(target);
                diagnostic = suggest_prefix(diagnostic, expr, "add a cast", &format!("({name})"));
            }
            _ if casts.is_some() => {
                diagnostic = suggest_prefix(diagnostic, expr, "add two casts", &casts.unwrap_or_default());
            }
            (Type::Tuple(items), Type::Record { .. }) => {
                if let Some(fields) = self.fields(target) {
                    diagnostic = diagnostic.note(format!(
                        "{wanted} has {} fields, but {} values were given",
                        fields.len(),
                        items.len()
                    ));
                }
            }
            (
                Type::Parser { .. } | Type::Control { .. } | Type::BlockType { .. },
                Type::BlockType { decl, args },
            ) => {
                let (decl, args) = (self.program.block_types[*decl].clone(), args.clone());
                diagnostic = self.explain_shape(diagnostic, expr.ty, &decl, &args);
            }
            _ => {}
        }
        self.report(diagnostic);
    }

    /// Returns whether the cast `(target) expr` is allowed.
    pub(super) fn castable(&self, expr: &Expr, target: TypeId) -> bool {
        let (from, to) = (&self.program.types[expr.ty], &self.program.types[target]);
        match (from, to) {
            _ if expr.ty == target => true,
            (Type::Bits { signed: false, width: 1 }, Type::Bool)
            | (Type::Bool, Type::Bits { signed: false, width: 1 }) => true,
            (Type::Int, Type::Bool) => {
                matches!(evaluate(&self.program, expr), Some(Value::Int(v)) if v == 0.into() || v == 1.into())
            }
            (Type::Int, Type::Bits { .. }) => true,
            (Type::Bits { .. }, Type::Int) => is_call_time(&self.program, expr),
            (Type::Bits { signed: a, width: w }, Type::Bits { signed: b, width: v }) => a == b || w == v,
            (_, Type::Newtype(decl)) if expr.ty == self.program.newtypes[*decl].underlying => true,
            (Type::Newtype(decl), _) => self.program.newtypes[*decl].underlying == target,
            (Type::Int, Type::Newtype(decl)) => self.castable(expr, self.program.newtypes[*decl].underlying),
            (Type::Enum(decl), _) => self.program.enums[*decl].underlying.is_some_and(|underlying| {
                underlying == target || self.castable(&with_type(expr, underlying), target)
            }),
            (Type::Int | Type::Bits { .. }, Type::Enum(decl)) => self.program.enums[*decl]
                .underlying
                .is_some_and(|underlying| expr.ty == underlying || *from == Type::Int),
            _ => false,
        }
    }

    /// Returns two casts that convert `expr` to `target`, if one of both is a new type (`type`): to
    /// the representation of the new type, and from it.
    pub(super) fn casts_through_new_type(&self, expr: &Expr, target: TypeId) -> Option<String> {
        let between = self.between_casts(expr, target)?;
        Some(format!("({})({})", self.written_name(target), self.written_name(between)))
    }

    /// Returns the type between the casts of [`Self::casts_through_new_type`].
    fn between_casts(&self, expr: &Expr, target: TypeId) -> Option<TypeId> {
        if self.castable(expr, target) {
            return None;
        }
        let underlying = |ty: TypeId| match &self.program.types[ty] {
            Type::Newtype(decl) => Some(self.program.newtypes[*decl].underlying),
            _ => None,
        };
        let of_source =
            underlying(expr.ty).filter(|between| self.castable(&with_type(expr, *between), target));
        of_source.or_else(|| underlying(target).filter(|between| self.castable(expr, *between)))
    }

    /// Checks the explicit cast `(target) expr`.
    pub(super) fn explicit_cast(&mut self, expr: Expr, target: TypeId, span: Span) -> Expr {
        if expr.ty == Types::POISON || target == Types::POISON {
            return self.poison_expr(span);
        }
        if self.castable(&expr, target) {
            self.check_bits_kept(&expr, target);
            let operand = self.cast_through_representation(expr, target);
            return Expr {
                kind: ExprKind::Cast { operand: Box::new(operand), implicit: false },
                ty: target,
                span,
            };
        }
        match self.try_coerce(expr, target) {
            Ok(coerced) => Expr {
                kind: ExprKind::Cast { operand: Box::new(coerced), implicit: false },
                ty: target,
                span,
            },
            Err(expr) => {
                let (found, wanted) = (self.show_of(&expr), self.format_expected_type(target));
                let mut diagnostic =
                    Diagnostic::error("bad-cast", format!("{found} cannot be cast to {wanted}"))
                        .primary(span, "invalid cast")
                        .secondary(expr.span, format!("this is {found}"));
                if let Some(between) = self.between_casts(&expr, target) {
                    let cast = format!("({})", self.written_name(between));
                    diagnostic = suggest_prefix(diagnostic, &expr, "cast it to this type first", &cast);
                }
                if let (Type::Bits { .. }, Type::Bits { .. }) =
                    (&self.program.types[expr.ty], &self.program.types[target])
                {
                    diagnostic =
                        diagnostic.note("a cast cannot change both width and signedness: use two casts");
                }
                self.report(diagnostic);
                self.poison_expr(span)
            }
        }
    }

    /// Warns about a number without a width that needs more bits than the type of its cast has. A
    /// cast of a number with a width may drop bits on purpose.
    fn check_bits_kept(&mut self, expr: &Expr, target: TypeId) {
        let Some((signed, width)) = representation(&self.program, target) else { return };
        if expr.ty == Types::INT
            && let Some(Value::Int(value)) = evaluate(&self.program, expr)
            && !fits_type(&value, false, width)
            && !fits_type(&value, true, width)
        {
            self.warn_truncation(&value, target, signed, width, expr.span);
        }
    }

    /// Casts through the representations of newtypes and enums one step at a time, so that every
    /// cast in the tree is one that [`ExprKind::Cast`] lists.
    pub(super) fn cast_through_representation(&mut self, expr: Expr, target: TypeId) -> Expr {
        let from = match self.program.types[expr.ty] {
            Type::Newtype(decl) => Some(self.program.newtypes[decl].underlying),
            Type::Enum(decl) => self.program.enums[decl].underlying,
            _ => None,
        };
        if expr.ty == target {
            return expr;
        }
        if let Some(underlying) = from {
            if underlying == target {
                return expr;
            }
            let stepped = implicit(expr, underlying);
            return self.cast_through_representation(stepped, target);
        }
        let to = match self.program.types[target] {
            Type::Newtype(decl) => Some(self.program.newtypes[decl].underlying),
            Type::Enum(decl) => self.program.enums[decl].underlying,
            _ => None,
        };
        match to {
            Some(underlying) if underlying != expr.ty => {
                let inner = self.cast_through_representation(expr, underlying);
                if inner.ty == underlying { inner } else { implicit(inner, underlying) }
            }
            _ => expr,
        }
    }
}

fn with_type(expr: &Expr, ty: TypeId) -> Expr {
    Expr { kind: expr.kind.clone(), ty, span: expr.span }
}

/// Makes an implicit cast of `expr` to `target`.
pub(super) fn implicit(expr: Expr, target: TypeId) -> Expr {
    let span = expr.span;
    Expr { kind: ExprKind::Cast { operand: Box::new(expr), implicit: true }, ty: target, span }
}

fn binds_tightly(expr: &Expr) -> bool {
    !matches!(expr.kind, ExprKind::Binary(..) | ExprKind::Conditional { .. })
}

/// Suggests inserting `prefix` before the expression, or adds a note if the expression would need
/// parentheses.
pub(super) fn suggest_prefix(diagnostic: Diagnostic, expr: &Expr, message: &str, prefix: &str) -> Diagnostic {
    if !binds_tightly(expr) {
        return diagnostic.note(format!("{message}: `{prefix}(...)`"));
    }
    let start = Span { end: expr.span.start, ..expr.span };
    diagnostic.suggest(message, start, prefix)
}

fn suggest_suffix(diagnostic: Diagnostic, expr: &Expr, message: &str, suffix: &str) -> Diagnostic {
    let arithmetic = match &expr.kind {
        ExprKind::Binary(op, ..) => !matches!(op, BinaryOp::LogicalAnd | BinaryOp::LogicalOr),
        kind => !matches!(kind, ExprKind::Conditional { .. }),
    };
    if arithmetic { diagnostic.suggest(message, expr.span.after(), suffix) } else { diagnostic }
}
