//! Arguments: evaluation in source order, copy-in and copy-out (P4_16 section 6.8).

use weir_syntax::Span;

use super::place::Place;
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer, scan};
use crate::hir::{self, ArgValue, Direction, TypeId, TypeVarId};

/// An argument of a call after its evaluation.
#[derive(Debug)]
pub(super) struct Argument {
    pub direction: Direction,
    pub ty: TypeId,
    pub given: ArgumentInput,
    /// The destination of the results, or the place from which the whole value was read.
    pub place: Option<Place>,
    /// Whether the value was saved, because a later argument may change its source.
    pub saved: bool,
    pub order: usize,
    pub span: Span,
}

/// The value that the caller passes in for an argument.
#[derive(Debug)]
pub(super) enum ArgumentInput {
    /// The value of an `in` or directionless argument.
    Value(Value),
    /// The value of an `inout` argument before the call.
    InOut(Value),
    /// An `out` argument, which has no value before the call.
    Out,
    /// An omitted optional argument.
    Omitted,
}

impl Lowerer<'_> {
    /// Evaluates a call's arguments; the results are in the order of the parameters. `type_params`
    /// and `type_args` are the callee's.
    pub(super) fn arguments(
        &mut self,
        params: &[hir::Param],
        args: &[hir::Arg],
        type_params: &[TypeVarId],
        type_args: &[TypeId],
    ) -> Lowered<Vec<Argument>> {
        let mut order: Vec<usize> = (0..args.len().min(params.len())).collect();
        order.sort_by_key(|&position| (args[position].order, position));
        let mut evaluated: Vec<Option<Argument>> = params.iter().map(|_| None).collect();
        for (turn, &position) in order.iter().enumerate() {
            let later = &order[turn + 1..];
            let disturbed = later.iter().any(|&position| match &args[position].value {
                ArgValue::Expr(expr) => scan::has_effects(expr),
                _ => false,
            });
            let param = &params[position];
            let ty = self.hir.vars[param.var].ty;
            let ty = self.types.substitute(ty, type_params, type_args);
            evaluated[position] =
                Some(self.argument(param.direction, ty, &args[position], turn, disturbed)?);
        }
        Ok(evaluated.into_iter().flatten().collect())
    }

    /// Lowers one argument of a call according to its direction.
    fn argument(
        &mut self,
        direction: Direction,
        ty: TypeId,
        arg: &hir::Arg,
        order: usize,
        disturbed: bool,
    ) -> Lowered<Argument> {
        let (given, place) = match (&arg.value, direction) {
            (ArgValue::Omitted, _) => (ArgumentInput::Omitted, None),
            (ArgValue::DontCare, _) => (ArgumentInput::Out, Some(Place::Discard)),
            (ArgValue::Expr(expr), Direction::Out) => (ArgumentInput::Out, Some(self.place(expr)?)),
            (ArgValue::Expr(expr), Direction::InOut) => {
                let place = self.place(expr)?;
                let value = self.read(&place);
                let value = if disturbed { self.save(value, expr.ty)? } else { value };
                (ArgumentInput::InOut(value), Some(place))
            }
            (ArgValue::Expr(expr), Direction::In | Direction::None) => {
                let value = self.value(expr)?;
                let place = self.store_place(expr).filter(|_| !disturbed);
                let value = if disturbed && self.ty(expr.ty) != hir::Types::INT {
                    self.save(value, expr.ty)?
                } else {
                    value
                };
                (ArgumentInput::Value(value), place)
            }
        };
        Ok(Argument { direction, ty, given, place, saved: disturbed, order, span: arg.span })
    }

    /// Returns the place of an expression that names a variable, or fields of one, in known
    /// storage.
    fn store_place(&mut self, expr: &hir::Expr) -> Option<Place> {
        /// Returns whether an expression is a variable or a field of one, so that its evaluation
        /// has no effects.
        fn simple(expr: &hir::Expr) -> bool {
            match &expr.kind {
                hir::ExprKind::Var(_) => true,
                hir::ExprKind::Field { base, .. } => simple(base),
                _ => false,
            }
        }
        let root_is_storage = simple(expr)
            && {
                let mut root = expr;
                while let hir::ExprKind::Field { base, .. } = &root.kind {
                    root = base;
                }
                matches!(root.kind, hir::ExprKind::Var(var) if matches!(self.binding(var), Some(super::context::Binding::Store(_))))
            };
        if root_is_storage { self.place(expr).ok() } else { None }
    }

    /// Initializes a parameter. `out` parameters start at zero.
    pub(super) fn copy_in(&mut self, store: &Store, argument: &Argument) -> Lowered<()> {
        match &argument.given {
            ArgumentInput::Value(value) | ArgumentInput::InOut(value) => self.store(store, value.clone()),
            ArgumentInput::Out | ArgumentInput::Omitted => {
                self.reset_store(store);
                Ok(())
            }
        }
    }

    /// Copies parameters back to the places of their arguments, in the order of the arguments.
    /// `stores` is in the order of the parameters; parameters without a store are not copied.
    pub(super) fn copy_out(&mut self, stores: &[Option<&Store>], arguments: &[Argument]) -> Lowered<()> {
        let mut order: Vec<usize> = (0..arguments.len()).collect();
        order.sort_by_key(|&position| arguments[position].order);
        for position in order {
            let argument = &arguments[position];
            if let (Some(store), Some(place), Direction::Out | Direction::InOut) =
                (stores[position], &argument.place, argument.direction)
            {
                let value = self.load(store);
                self.assign(place, value, argument.ty)?;
            }
        }
        Ok(())
    }
}
